"""The cache folder of everything that is fetched: where it is, and how one process at a time fills a part of it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sharprecl.errors import AssetError


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


@contextmanager
def filling(part: str, what: str, tell: Callable[[str], None]) -> Iterator[Path]:
    """Hold the lock of one part of the cache, and yield a scratch folder beside it, which is removed in the end.

    The lock is a hidden empty file that stays in the cache.

    Args:
        part: the name of the part.
        what: how sentences call what is fetched into it.
        tell: is told when another process holds the lock.

    Raises:
        AssetError: anything on the disk goes wrong, here or in the body.
    """
    cache = cache_dir()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = FileLock(cache / f".{part}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"waiting for another process that fetches {what}")
            lock.acquire()
        try:
            for stale in cache.glob(f".{part}.*.tmp"):  # left by a process that was killed
                shutil.rmtree(stale)
            with tempfile.TemporaryDirectory(
                prefix=f".{part}.", suffix=".tmp", dir=cache, ignore_cleanup_errors=True
            ) as scratch:
                yield Path(scratch)
        finally:
            lock.release()
    except AssetError:
        raise
    except (OSError, NotImplementedError) as error:  # the latter: a file system without locks
        raise AssetError(
            f"{what} cannot be kept in the cache folder {cache} ({getattr(error, 'strerror', None) or error}); "
            "let SHARPRECL_CACHE name a folder that is writable and has room"
        ) from error
