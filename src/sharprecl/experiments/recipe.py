"""How a table was made: stands in every table's file, so that a check can make it again."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sharprecl.errors import ConfigError, DataError

_MARK = re.compile(r"sharprecl-table: (\{.*?\})")
# So that it can stand in a comment of HTML and Markdown, in a line of LaTeX and in a field of CSV, whose quotes double:
# no quote but those of JSON itself is left.
_ESCAPED = re.compile(r"\\[\"\\]|[-<>&'{}]")


@dataclass(frozen=True)
class Recipe:
    """What decides a table, beside the runs.

    Attributes:
        plan: as it was named: a shipped plan's name or a file, seen from the working folder.
        rows, columns, seeds: a part of it; empty takes all.
        results: where the runs are, for the command of a page; empty in a table by itself, which does not depend on it.
        seconds: whether times are shown. They differ from one sweep to the next, and all else does not.
    """

    plan: str
    scale: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    results: tuple[str, ...] = ()
    seconds: bool = False

    def command(self, table_format: str) -> str:
        """The command that makes the table."""
        words = ["sharprecl", "experiment", "table", self.plan, "--scale", self.scale]
        for option in ("rows", "columns", "seeds"):
            values: Sequence[object] = getattr(self, option)
            words += [f"--{option}", ",".join(map(str, values))] if values else []
        for path in self.results:
            words += ["--results", path]
        words += ["--seconds"] if self.seconds else []
        return shlex.join([*words, "--format", table_format])


@dataclass(frozen=True)
class Provenance:
    """What stands in a table's file.

    Attributes:
        runs: ``fingerprint`` of the answers that it was made from.
    """

    recipe: Recipe
    format: str
    runs: str

    def mark(self) -> str:
        """One line that ``read_provenance`` finds again."""
        values = {**asdict(self.recipe), "format": self.format, "runs": self.runs}
        inner = json.dumps(values, sort_keys=True)[1:-1]
        return "sharprecl-table: {" + _ESCAPED.sub(lambda found: f"\\u{ord(found.group()[-1]):04x}", inner) + "}"


def check_replaceable(path: Path) -> None:
    """Refuse to write over a file that is no table or page of this package.

    Raises:
        ConfigError: there is one.
    """
    if path.is_file() and _MARK.search(path.read_text(encoding="utf-8", errors="replace")) is None:
        raise ConfigError(f"{path} is there already and was not written by this command; name another place")


def read_provenance(text: str, where: str) -> Provenance:
    """What a table's file says of itself.

    Raises:
        DataError: nothing, or nothing that can be read.
    """
    found = _MARK.search(text)
    if found is None:
        raise DataError(
            f"{where} does not say how it was made; write it with 'sharprecl experiment table --to {where}'"
        )
    try:
        values = json.loads(found.group(1).replace('""', '"'))
        table_format, runs = str(values.pop("format")), str(values.pop("runs"))
        lists = {name: tuple(values[name]) for name in ("rows", "columns", "seeds", "results")}
        return Provenance(Recipe(**{**values, **lists}), table_format, runs)
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"{where}: how it was made cannot be read ({error!r}); write it again") from error
