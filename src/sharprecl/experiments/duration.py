"""Spans of time as people write and read them."""

import re

from sharprecl.errors import ConfigError

_UNITS = {"h": 3600, "m": 60, "s": 1}


def parse_duration(text: str) -> float:
    """Seconds of ``90``, ``90s``, ``10m``, ``1h30m`` or ``1.5h``.

    Raises:
        ConfigError: it is no span of time, or an empty one.
    """
    found = re.fullmatch(r"(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s?)?", text.strip().lower())
    try:
        parts = zip(found.groups() if found else (), _UNITS.values(), strict=False)
        seconds = sum(float(number) * unit for number, unit in parts if number)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ConfigError(f"{text!r} is no span of time; write it like 90s, 10m or 1h30m")
    return seconds


def format_duration(seconds: float) -> str:
    """``0.8 s``, ``48 s``, ``3:07 min`` or ``2:05 h``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02d} h"
