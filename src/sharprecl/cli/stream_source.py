"""What a user gives to ``predict`` and ``embed``: a file or a pipe to read, and one to write."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sharprecl.cli.outputs import check_apart
from sharprecl.cli.tables import Reading, benchmark_frame, data_file, is_benchmark
from sharprecl.data.dialect import Dialect
from sharprecl.data.raw_table import RawTable
from sharprecl.data.row_stream import ROWS, RowStream
from sharprecl.data.set_aside import FILE
from sharprecl.data.sources import tables_of, tables_of_pipe
from sharprecl.data.unfinished import Unfinished
from sharprecl.errors import ConfigError
from sharprecl.export.card import FILE as CARD
from sharprecl.export.card import WEIGHTS
from sharprecl.files import sha256_file, sha256_json

PIPE = "-"
"""Standard input, or standard output."""


@dataclass(frozen=True)
class Given:
    """What the user gave."""

    data: str
    output: str
    text: str
    kind: str | None
    reading: Reading
    resume: bool
    overwrite: bool
    lists: Path | None = None
    """The folder of the list of rows without a text; None is that of the output."""

    def check(self) -> None:
        """Refuse what cannot be, before anything is read.

        Raises:
            ConfigError: it is so.
        """
        if self.kind is not None and self.data != PIPE:
            raise ConfigError(f"--format is for standard input; how {self.data} is written says its ending")
        if self.kind not in (None, "csv", "tsv", "jsonl", "lines"):
            raise ConfigError(f"--format {self.kind!r} is not known; give one of csv, tsv, jsonl, lines")
        if self.resume and PIPE in (self.data, self.output):
            raise ConfigError(
                "what came through a pipe cannot come again; --resume needs a file to read and one to write"
            )
        if self.output != PIPE:
            for path in (Path(self.output), self.listed):
                check_apart(self.data, path, self.overwrite)
            Unfinished(Path(self.output)).check(resume=self.resume, overwrite=self.overwrite)

    @property
    def listed(self) -> Path:
        """Where the rows without a text are listed."""
        path = Path(self.output)
        return (self.lists or path.parent) / f"{path.name}.{FILE}"

    def stamp(self) -> tuple[int, int] | None:
        """What changes when the file that is read does."""
        path = Path(self.data)
        if not path.is_file():
            return None
        found = path.stat()
        return found.st_size, found.st_mtime_ns

    def rows(self, label: str, tell: Callable[[str], None]) -> tuple[RowStream, str]:
        """The rows to read, and in which of the formats that can be piped they are: .csv or .jsonl.

        Args:
            label: what the column of labels of a benchmark is called.
            tell: is told of a download.
        """
        reading, strict = self.reading, self.reading["strict"]
        dialect = Dialect(reading["encoding"], reading["separator"], reading["sheet"])
        if self.data == PIPE:
            kind, piped = tables_of_pipe(sys.stdin.buffer, self.kind, self.text, dialect, ROWS)
            stream = RowStream(lambda: piped, "standard input", self.text, strict=strict, once=True)
            return stream, ".jsonl" if kind == "jsonl" else ".csv"
        path = Path(self.data) if is_benchmark(self.data) else data_file(self.data)
        ending = path.suffix.lower()

        @cache
        def whole() -> list[RawTable]:
            benchmark = is_benchmark(self.data)
            source = benchmark_frame(self.data, self.text, label, "test", tell) if benchmark else path
            return list(tables_of(source, dialect))

        def tables() -> Iterator[RawTable]:
            return iter(whole()) if ending in ("", ".json", ".xlsx") else tables_of(path, dialect, ROWS)

        stream = RowStream(tables, self.data, self.text, strict=strict)
        return stream, ".jsonl" if ending in (".jsonl", ".ndjson", ".json") else ".csv"

    def what(self, weights: str, **options: object) -> dict[str, str]:
        """Hashes of what the answers depend on, by what sentences call it."""
        path = Path(self.data)
        return {
            "texts": sha256_file(path) if path.is_file() else self.data,
            "weights": weights,
            "options": sha256_json([self.text, self.reading, options, ROWS]),
        }


def weights_of(run: Path) -> str:
    """The hash of a classifier."""
    files = [file for name in WEIGHTS for file in sorted((run / name).rglob("*")) if file.is_file()]
    return sha256_json([sha256_file(file) for file in (run / CARD, *files)])
