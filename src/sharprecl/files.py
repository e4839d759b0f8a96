"""Files that are whole or absent: written under a temporary name, synced, then renamed."""

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sharprecl.errors import ConfigError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""Numbers of errors of a disk that takes nothing more."""


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on a clean exit it is synced and takes ``path``'s name.

    A crash at any moment leaves either the old file or the new one, never half of one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        sync(temporary)
        make_usual(temporary)
        temporary.replace(path)
        sync(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def make_usual(path: Path) -> None:
    """Make a file that came as a private temporary one as readable as any other file of its owner."""
    umask = os.umask(0)
    os.umask(umask)
    path.chmod(0o666 & ~umask)


def sync(path: Path) -> None:
    """Force a file, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON with sorted keys, atomically: equal values give equal bytes."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_json(value: Any) -> str:
    """Hex SHA-256 of a JSON value's canonical form (sorted keys, no spaces)."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def check_outputs(outputs: Sequence[Path], inputs: Sequence[Path], overwrite: bool) -> None:
    """Refuse files to write that are each other, an input, a folder, or there already.

    Raises:
        ConfigError: one is.
    """
    read, named = {path.resolve() for path in inputs}, set[Path]()
    for path in outputs:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file in it")
        if taken := next((folder for folder in path.parents if folder.is_file()), None):
            raise ConfigError(f"{path} can be no file, because {taken} is one and no folder; name another one")
        if path.resolve() in read:
            raise ConfigError(f"{path} is the data itself, which is never changed; name another file")
        if path.resolve() in named:
            raise ConfigError(f"{path} would be written twice; give each output a file of its own")
        if path.exists() and not overwrite:
            raise ConfigError(f"{path} is there already; name another file, or add --overwrite to replace it")
        named.add(path.resolve())
