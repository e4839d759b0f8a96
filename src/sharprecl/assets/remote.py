"""Single files of public repositories, pinned by commit and hash, from a mirror or from where they were published."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharprecl.assets.cache import cache_dir, filling
from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, sync

FOLDER = "repositories"
"""The part of the cache that holds these files, laid out as a mirror is."""

RAW_HOST = "https://raw.githubusercontent.com"
"""Where GitHub serves the files of a commit, laid out as ``owner/repository/commit/path``."""

_LAYOUT = "laid out as owner/repository/commit/path"
_TIMEOUT = 30.0
_CHUNK = 1 << 16
_RETRIES = 2


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
    targets = tuple(cache_dir() / FOLDER / file.location for file in files)
    if all_cached(files):
        return targets
    with filling(FOLDER, name, tell) as scratch:
        for file, target in zip(files, targets, strict=True):
            if not _is_whole(file, target):
                tell(f"fetching {name}: {file.path} ({max(1, round(file.size / 1000))} kB)")
                mirror = os.environ.get("SHARPRECL_MIRROR", "")
                if mirror and not re.match(r"https?://", mirror):
                    fetched = _copy(file, mirror, scratch)
                else:
                    fetched = _download(file, mirror, scratch, bar=progress is not None and sys.stderr.isatty())
                fetched.chmod(0o644)  # pooch's temporary files are private
                sync(fetched)
                target.parent.mkdir(parents=True, exist_ok=True)
                fetched.replace(target)
                sync(target.parent)
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


def _copy(file: RemoteFile, mirror: str, scratch: Path) -> Path:
    """Bring a file from the folder ``mirror`` into ``scratch``."""
    cure = f"check that SHARPRECL_MIRROR names a mirror {_LAYOUT}"
    if "://" in mirror:
        raise AssetError(
            f"SHARPRECL_MIRROR is {_without_password(mirror)!r}; name a folder, or an address that begins with "
            "http:// or https://"
        )
    base = Path(mirror).expanduser().absolute()
    if not base.is_dir():
        raise AssetError(f"SHARPRECL_MIRROR names the folder {base}, which does not exist; {cure}")
    path, copy = base / file.location, scratch / "copy"
    try:
        source = path.open("rb")
    except OSError as error:
        raise AssetError(f"the mirror has no file {path} ({error.strerror}); {cure}") from error
    with source, copy.open("wb") as output:
        shutil.copyfileobj(source, output)
    if sha256_file(copy) != file.sha256:
        raise AssetError(_damaged(path, file, "copy it there anew"))
    return copy


def _download(file: RemoteFile, mirror: str, scratch: Path, bar: bool) -> Path:
    """Bring a file from the address ``mirror``, or if that is empty from GitHub, into ``scratch``.

    A transfer that broke off or came damaged is tried three times; a refusal is final.
    """
    import pooch
    from requests.exceptions import HTTPError, RequestException

    address = _without_password(f"{(mirror or RAW_HOST).rstrip('/')}/{file.location}")
    cure = f"check the network connection, or let SHARPRECL_MIRROR name a folder or an address with a copy, {_LAYOUT}"
    if mirror:
        cure = f"check that SHARPRECL_MIRROR names a mirror {_LAYOUT}"

    def failed(error: Exception) -> AssetError:
        return AssetError(f"{address} could not be downloaded: {_reason(error)}; {cure}")

    def bring(url: str, output_file: str, store: Any) -> None:
        try:
            pooch.HTTPDownloader(progressbar=bar, chunk_size=_CHUNK, timeout=_TIMEOUT)(url, output_file, store)
        except HTTPError as error:
            if error.response is None or error.response.status_code >= 500:
                raise
            raise failed(error) from error

    # pooch would print where its scratch files lie; callers are told what is fetched in our own words.
    pooch.get_logger().setLevel("WARNING")
    store = pooch.create(scratch, mirror or RAW_HOST, registry={file.location: file.sha256}, retry_if_failed=_RETRIES)
    try:
        return Path(store.fetch(file.location, downloader=bring))
    except RequestException as error:
        raise failed(error) from error
    except ValueError as error:  # pooch's word for a wrong hash
        raise AssetError(_damaged(address, file, f"try again, or {cure}")) from error


def _damaged(address: object, file: RemoteFile, cure: str) -> str:
    return f"{address} is damaged or not the pinned file (its SHA-256 is not {file.sha256[:12]}…); {cure}"


def _without_password(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//", address)


def _reason(error: Exception) -> str:
    """What went wrong, for people: the library's own words run over three lines."""
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError):
        return f"the server answers {str(error).partition(' for url')[0]!r}"
    kinds: list[tuple[type[Exception], str]] = [
        (exceptions.Timeout, f"no answer within {_TIMEOUT:g} seconds"),
        (exceptions.SSLError, "the server's certificate is not trusted here"),
        (exceptions.ProxyError, "the proxy does not let it through"),
        (exceptions.ChunkedEncodingError, "the transfer broke off"),
        (exceptions.ConnectionError, "the server cannot be reached or stopped answering"),
    ]
    return next((words for kind, words in kinds if isinstance(error, kind)), str(error))
