"""JSON lines (one object a line) and JSON files (one array of objects).

Values stay what they are. The reader of polars makes one kind of all values of a column, so that the labels 1 and "1"
become one, and keeps the last of two equal keys.
"""

import json
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from sharprecl.data.messages import shorten
from sharprecl.data.raw_table import CHARACTERS, RawTable
from sharprecl.data.text_lines import TextLines
from sharprecl.errors import DataError


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; json alone would keep the last of two equal keys without a word."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return result


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def read_jsonl(lines: TextLines, rows: int | None = None) -> Iterator[RawTable]:
    """Parse JSON lines. Empty lines are passed over; those before the last object are listed.

    Args:
        lines: of the file.
        rows: most rows of a table; None gives one table of all.

    Raises:
        DataError: a line that is not a JSON object.
    """
    origin = lines.origin
    objects: list[dict[str, Any]] = []
    starts, empty, waiting = array("q"), array("q"), array("q")
    first, begun = 0, 0
    for number, line in enumerate(lines, start=1):
        line = line.removesuffix("\n")
        if not line.strip():
            waiting.append(number)
            continue
        if not first and not objects and line.lstrip().startswith("["):
            raise DataError(f"{origin} holds a JSON array, not one object a line; rename it to end in .json")
        try:
            value = _decode(line)
        except (ValueError, RecursionError) as error:
            cut = number > 1 and not lines.live and not any(map(str.strip, lines))
            raise DataError(
                f"{origin}: line {number} is no usable JSON object ({_reason(error)}), it begins with "
                f"{shorten(line.strip())}; write one object a line{': the file may be cut off' if cut else ''}"
            ) from error
        if not isinstance(value, dict):
            raise DataError(f"{origin}: line {number} holds {shorten(value)}, not an object; write {{...}} there")
        empty.extend(waiting)
        waiting = array("q")
        objects.append(value)
        starts.append(number)
        if rows and (len(objects) >= rows or lines.position - begun >= CHARACTERS or not lines.ready()):
            yield _raw_table(objects, origin, starts, first, empty)
            first, begun = first + len(objects), lines.position
            objects, starts, empty = [], array("q"), array("q")
    if objects or not first:
        yield _raw_table(objects, origin, starts, first, empty)


def read_json(text: str, origin: str) -> RawTable:
    """Parse one JSON array of objects.

    Raises:
        DataError: anything else.
    """
    try:
        value = _decode(text)
    except (ValueError, RecursionError) as error:
        lines = text.strip().split("\n")
        if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines[:2]):
            cure = "it seems to hold one object a line: rename it to end in .jsonl"
        else:
            cure = "write one array of objects, or check whether the file is cut off"
        raise DataError(f"{origin} is not valid JSON ({_reason(error)}); {cure}") from error
    if not isinstance(value, list):
        raise DataError(f"{origin} holds {shorten(value)}, not an array; write one array of objects: [{{...}}, ...]")
    for place, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise DataError(f"{origin}: row {place} is {shorten(item)}, not an object; write {{...}} there")
    return _raw_table(value, origin, None)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno} " if error.lineno > 1 else ""
        return f"{error.msg.removesuffix(' at')} at {place}column {error.colno}"
    return str(error)


def _raw_table(
    objects: list[dict[str, Any]],
    origin: str,
    lines: Sequence[int] | None,
    first: int = 0,
    empty_lines: Sequence[int] = (),
) -> RawTable:
    names: dict[str, None] = {}
    for item in objects:
        if item.keys() != names.keys():
            names.update(dict.fromkeys(item))

    def column(name: str) -> list[Any]:
        return [item.get(name) for item in objects]

    every = tuple(names)
    return RawTable(origin, every, len(objects), column, lines, (), objects, first=first, empty_lines=empty_lines)
