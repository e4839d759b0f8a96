"""Where the key may be sent: addresses that can be one, and whether a person named them."""

import os

from sharprecl.config.address import ADDRESS, DEFAULT, check_address
from sharprecl.errors import ConfigError

BASE_URL = "OPENAI_BASE_URL"

_PORTS = {"http": "80", "https": "443"}

Origin = tuple[str, str, str]

_named: set[Origin] = set()
"""Where the settings of a person sent this process: what follows from a folder's files must not be more than that."""


def endpoint(base_url: str | None) -> str:
    """The address that requests go to: that of the settings, else of ``OPENAI_BASE_URL``, else OpenAI's.

    Raises:
        ConfigError: it cannot be one.
    """
    where, value = "method.base_url", base_url
    if value is None:
        where, value = BASE_URL, _from_environment()
    try:
        return check_address(value or DEFAULT)
    except ValueError as error:
        raise ConfigError(f"{where} {error}") from None


def name_endpoint(base_url: str | None) -> str:
    """``endpoint`` for the settings of a person, who by them lets this process send the key there.

    Raises:
        ConfigError: it cannot be one.
    """
    address = endpoint(base_url)
    _named.add(_origin(address))
    return address


def agreed_endpoint(address: str, found_in: str) -> str:
    """An address out of a file, which may come from anybody, if the key may be sent there.

    Args:
        address: as ``check_address`` lets it pass.
        found_in: the file, for the sentence.

    Raises:
        ConfigError: it is neither OpenAI's, nor that of ``OPENAI_BASE_URL``, nor one that a training in this process
            was given.
    """
    if _origin(address) in {_origin(DEFAULT), _origin(endpoint(None)), *_named}:
        return address
    raise ConfigError(
        f"{found_in} would send your key to {address}; if you trust that address, set {BASE_URL}={address} to agree"
    )


def _from_environment() -> str:
    return os.environ.get(BASE_URL, "").strip()


def _origin(address: str) -> Origin:
    found = ADDRESS.fullmatch(address)
    assert found is not None, "checked before"
    return found[1], found[2].lower(), found[3] or _PORTS[found[1]]
