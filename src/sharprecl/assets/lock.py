"""One process at a time fills a part of the cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sharprecl.errors import AssetError


@contextmanager
def cache_lock(cache: Path, part: str, what: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of one part of the cache folder, which is made where it is missing.

    The lock is a hidden empty file that stays in the cache.

    Args:
        cache: the folder.
        part: the name of the part.
        what: how sentences call what is fetched into it.
        tell: is told when another process holds the lock.

    Raises:
        AssetError: anything on the disk goes wrong, here or in the body.
    """
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = FileLock(cache / f".{part}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"waiting for another process that fetches {what}")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()
    except AssetError:
        raise
    except (OSError, NotImplementedError) as error:  # the latter: a file system without locks
        raise AssetError(
            f"{what} cannot be kept in the cache folder {cache} ({getattr(error, 'strerror', None) or error}); "
            "let SHARPRECL_CACHE name a folder that is writable and has room"
        ) from error
