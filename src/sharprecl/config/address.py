"""Addresses of a provider's interface, to which texts and a key would be sent."""

import re
from ipaddress import IPv6Address

DEFAULT = "https://api.openai.com/v1"
# Narrower than what a URL may be: two readers of one address must not see two hosts in it.
ADDRESS = re.compile(r"(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[A-Za-z0-9._~%/:+-]*)?")

_LOCAL = ("localhost", "127.0.0.1", "[::1]")


def check_address(value: str) -> str:
    """An address of a provider's interface, as it is.

    Raises:
        ValueError: it is none, holds a secret, or would send the key through a network unencrypted.
    """
    beyond_scheme = value.partition("://")[2]
    if "@" in beyond_scheme or "?" in value or "#" in value:
        raise ValueError("must hold no password, key or query: settings are written to files")
    found = ADDRESS.fullmatch(value)
    if found is None or int(found[3] or 1) not in range(1, 65536) or not _possible(found[2]):
        raise ValueError(f"must be an address such as {DEFAULT}")
    if found[1] == "http" and found[2].lower() not in _LOCAL:
        raise ValueError(
            "must begin with https://, since http:// would show the key to the network (but for localhost)"
        )
    return value


def _possible(host: str) -> bool:
    try:
        return not host.startswith("[") or bool(IPv6Address(host[1:-1]))
    except ValueError:
        return False
