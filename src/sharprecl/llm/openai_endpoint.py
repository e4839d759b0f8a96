"""Where the key may be sent: addresses that can be one, and whether a person named them."""

import os
from urllib.parse import urlsplit

from sharprecl.config.address import DEFAULT, check_address
from sharprecl.errors import ConfigError

BASE_URL = "OPENAI_BASE_URL"
Origin = tuple[str, str | None, int]

_named: set[Origin] = set()
"""Where the settings of a person sent this process: what follows from a folder's files must not be more than that."""


def endpoint(base_url: str | None) -> str:
    """The address that requests go to: that of the settings, else of ``OPENAI_BASE_URL``, else OpenAI's.

    Raises:
        ConfigError: that of the environment cannot be one.
    """
    try:
        return base_url or check_address(os.environ.get(BASE_URL, "").strip() or DEFAULT)
    except ValueError as error:
        raise ConfigError(f"{BASE_URL} {error}") from None


def name_endpoint(base_url: str | None) -> None:
    """Let this process send the key to the ``endpoint`` of a person's own settings."""
    _named.add(_origin(endpoint(base_url)))


def agreed_endpoint(address: str, found_in: str) -> str:
    """An address out of a file, which may come from anybody, if the key may be sent there.

    Raises:
        ConfigError: it is neither OpenAI's, nor that of ``OPENAI_BASE_URL``, nor one that a training in this process
            was given.
    """
    if _origin(address) in {_origin(DEFAULT), _origin(endpoint(None)), *_named}:
        return address
    raise ConfigError(
        f"{found_in} would send your key to {address}; if you trust that address, set {BASE_URL}={address} to agree"
    )


def _origin(address: str) -> Origin:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
