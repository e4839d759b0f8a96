"""One hash-checked file from a mirror or the public host, through pooch; every failure is one sentence."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

from sharprecl.errors import AssetError

RAW_HOST = "https://raw.githubusercontent.com"
"""Where GitHub serves the files of a commit, laid out as ``owner/repository/commit/path``."""

_LAYOUT = "laid out as owner/repository/commit/path"
_TIMEOUT = 30.0
_CHUNK = 1 << 16
_RETRIES = 2


def transfer(location: str, sha256: str, folder: Path, bar: bool) -> Path:
    """Bring ``location`` below ``folder``, from ``SHARPRECL_MIRROR`` where that is set, else from the public host.

    A transfer that broke off or came damaged is tried three times; a refusal is final.

    Args:
        location: ``owner/repository/commit/path``.
        sha256: what the file must hash to.
        folder: a scratch folder, which exists.
        bar: show a progress bar on standard error.

    Returns:
        The file, ``folder / location``.

    Raises:
        AssetError: the file cannot be had, or is not the pinned one.
        OSError: ``folder`` cannot be written.
    """
    import pooch
    from requests.exceptions import RequestException

    # pooch would print where its scratch files lie; callers are told what is fetched in our own words.
    pooch.get_logger().setLevel("WARNING")
    source = _Source(os.environ.get("SHARPRECL_MIRROR", ""), bar)
    store = pooch.create(
        folder, source.base, registry={location: sha256}, retry_if_failed=0 if source.is_folder else _RETRIES
    )
    try:
        return Path(store.fetch(location, downloader=source))
    except RequestException as error:
        raise AssetError(
            f"{source.named(location)} could not be downloaded: {_reason(error)}; {source.cure}"
        ) from error
    except ValueError as error:  # pooch's word for a wrong hash
        raise AssetError(
            f"{source.named(location)} is damaged or not the pinned file (its SHA-256 is not {sha256[:12]}…); "
            f"{'copy it there anew' if source.is_folder else 'try again, or ' + source.cure}"
        ) from error


class _Source:
    """Where files come from; as pooch's downloader it brings one of them."""

    def __init__(self, mirror: str, bar: bool) -> None:
        self.mirror = mirror
        self.bar = bar
        self.is_folder = bool(mirror) and not re.match(r"https?://", mirror)
        if self.is_folder and "://" in mirror:
            raise AssetError(
                f"SHARPRECL_MIRROR is {_without_password(mirror)!r}; name a folder, or an address that begins with "
                "http:// or https://"
            )
        self.base = str(Path(mirror).expanduser().absolute()) if self.is_folder else mirror or RAW_HOST

    @property
    def cure(self) -> str:
        """What to do when the file does not come."""
        if self.mirror:
            return f"check that SHARPRECL_MIRROR names a mirror {_LAYOUT}"
        return (
            f"check the network connection, or let SHARPRECL_MIRROR name a folder or an address with a copy, {_LAYOUT}"
        )

    def named(self, location: str) -> str:
        """The whole address, for sentences."""
        return _without_password(f"{self.base.rstrip('/')}/{location}")

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        if self.is_folder:
            self._copy(Path(url), output_file)
        else:
            self._download(url, output_file, pooch)

    def _copy(self, path: Path, output_file: str) -> None:
        if not Path(self.base).is_dir():
            raise AssetError(f"SHARPRECL_MIRROR names the folder {self.base}, which does not exist; {self.cure}")
        try:
            source = path.open("rb")
        except OSError as error:
            raise AssetError(f"the mirror has no file {path} ({error.strerror}); {self.cure}") from error
        with source, Path(output_file).open("wb") as output:
            shutil.copyfileobj(source, output)

    def _download(self, url: str, output_file: str, pooch: Any) -> None:
        from pooch import HTTPDownloader
        from requests.exceptions import HTTPError

        try:
            HTTPDownloader(progressbar=self.bar, chunk_size=_CHUNK, timeout=_TIMEOUT)(url, output_file, pooch)
        except HTTPError as error:
            if error.response is None or error.response.status_code >= 500:
                raise
            raise AssetError(
                f"{self.named(url.removeprefix(self.base).lstrip('/'))} could not be downloaded: {_reason(error)}; "
                f"{self.cure}"
            ) from error


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
