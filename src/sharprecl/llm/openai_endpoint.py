"""Where the key may be sent: addresses that can be one, and whether a person named them."""

import os
import re
from ipaddress import IPv6Address

from sharprecl.errors import ConfigError

BASE_URL = "OPENAI_BASE_URL"
DEFAULT = "https://api.openai.com/v1"

_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_PORTS = {"http": "80", "https": "443"}
# Narrower than what a URL may be: two readers of one address must not see two hosts in it.
_ADDRESS = re.compile(r"(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[A-Za-z0-9._~%/:+-]*)?")

Origin = tuple[str, str, str]

_named: set[Origin] = set()
"""Where the settings of a person sent this process: what follows from a folder's files must not be more than that."""


def check_address(value: str) -> str:
    """An address of a provider's interface, as it is.

    Raises:
        ValueError: it is none, holds a secret, or would send the key through a network unencrypted.
    """
    beyond_scheme = value.partition("://")[2]
    if "@" in beyond_scheme or "?" in value or "#" in value:
        raise ValueError("must hold no password, key or query: settings are written to files")
    found = _ADDRESS.fullmatch(value)
    if found is None or int(found[3] or 1) not in range(1, 65536) or not _possible(found[2]):
        raise ValueError(f"must be an address such as {DEFAULT}")
    if found[1] == "http" and found[2].lower() not in _LOCAL:
        raise ValueError(
            "must begin with https://, since http:// would show the key to the network (but for localhost)"
        )
    return value


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


def _possible(host: str) -> bool:
    try:
        return not host.startswith("[") or bool(IPv6Address(host[1:-1]))
    except ValueError:
        return False


def _from_environment() -> str:
    return os.environ.get(BASE_URL, "").strip()


def _origin(address: str) -> Origin:
    found = _ADDRESS.fullmatch(address)
    assert found is not None, "checked before"
    return found[1], found[2].lower(), found[3] or _PORTS[found[1]]
