"""Single files of public repositories, pinned by commit and hash, from a mirror or from where they were published."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sharprecl.assets.fetch import cache_dir
from sharprecl.assets.lock import cache_lock
from sharprecl.assets.transfer import transfer
from sharprecl.files import sha256_file, sync

FOLDER = "repositories"
"""The part of the cache that holds these files, laid out as a mirror is."""


@dataclass(frozen=True)
class RemoteFile:
    """One file of one commit.

    Attributes:
        owner, repository: as GitHub spells them.
        commit: 40 hex digits.
        path: inside the repository.
        sha256: hex, of the file's bytes.
        size: in bytes.
    """

    owner: str
    repository: str
    commit: str
    path: str
    sha256: str
    size: int

    @property
    def location(self) -> str:
        """``owner/repository/commit/path``: its place below the public host, in a mirror and in the cache."""
        return f"{self.owner}/{self.repository}/{self.commit}/{self.path}"


def fetch_files(
    name: str, files: Sequence[RemoteFile], progress: Callable[[str], None] | None = None
) -> tuple[Path, ...]:
    """Return where the files lie in the cache, bringing those first that it lacks.

    The environment variable ``SHARPRECL_MIRROR``, a folder or a base URL, names where they come from; without it
    they come from GitHub. A file takes its place only when it is whole, has the pinned hash, and is on the disk.
    Files in the cache are checked against their hashes each time, and a damaged one is fetched anew.

    Args:
        name: how sentences call the files together.
        files: what is wanted.
        progress: is told, in one line each, what takes time. With it, and on a terminal, a bar is shown too.

    Raises:
        AssetError: no network, no such file, another file than the pinned one, or the cache folder cannot be written.
    """
    tell = progress or (lambda line: None)
    cache = cache_dir()
    targets = tuple(cache / FOLDER / file.location for file in files)
    if all_cached(files):
        return targets
    with cache_lock(cache, FOLDER, name, tell):
        for stale in cache.glob(f".{FOLDER}.*.tmp"):  # left by a process that was killed
            shutil.rmtree(stale)
        scratch = Path(tempfile.mkdtemp(prefix=f".{FOLDER}.", suffix=".tmp", dir=cache))
        try:
            for file, target in zip(files, targets, strict=True):
                if not _is_whole(file, target):
                    tell(f"fetching {name}: {file.path} ({max(1, round(file.size / 1000))} kB)")
                    _install(transfer(file.location, file.sha256, scratch, _bar_wanted(progress)), target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return targets


def all_cached(files: Sequence[RemoteFile]) -> bool:
    """Whether the cache holds every one of ``files``, whole."""
    folder = cache_dir() / FOLDER
    return all(_is_whole(file, folder / file.location) for file in files)


def _is_whole(file: RemoteFile, path: Path) -> bool:
    try:
        return path.stat().st_size == file.size and sha256_file(path) == file.sha256
    except OSError:  # missing, a folder, unreadable: in each case another copy must be had
        return False


def _install(fetched: Path, target: Path) -> None:
    fetched.chmod(0o644)  # pooch's temporary files are private
    sync(fetched)
    target.parent.mkdir(parents=True, exist_ok=True)
    fetched.replace(target)
    sync(target.parent)


def _bar_wanted(progress: Callable[[str], None] | None) -> bool:
    return progress is not None and sys.stderr.isatty()
