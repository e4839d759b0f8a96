"""How far the work on many files has come."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console

from sharprecl.cli.progress import Count, Reporter


class ShardReporter(Reporter):
    """One count over all shards; how many texts there will be is known from those so far and the sizes of the files."""

    def __init__(self, console: Console, count: Count, due: Sequence[Path]) -> None:
        super().__init__(console, "")
        self._count, self._sizes = count, _sizes(due)
        self._texts, self._size, self._now = 0, 0, Path()
        self._in_shard = 0
        self._total: int | None = None
        self.gathered: list[str] = []

    def turn_to(self, data: Path) -> None:
        """Another file is next; the last one counts as it ended."""
        if self._in_shard:
            self._texts, self._size = self._texts + self._in_shard, self._size + self._sizes.get(self._now, 0)
        elif self._now in self._sizes:
            # Nothing came of it.
            del self._sizes[self._now]
        self._now, self._in_shard = data, 0

    def checking(self) -> AbstractContextManager[Count]:
        """Show that it goes on."""
        return nullcontext(lambda done, total: self._count(self._texts, self._total))

    def working(self) -> AbstractContextManager[Count]:
        """Add to the count of all."""
        return nullcontext(self._working)

    def notes(self, notes: Sequence[str]) -> None:
        """Keep them for the end."""
        self.gathered += notes

    def _working(self, done: int, total: int | None) -> None:
        self._in_shard = done
        seen = self._size + self._sizes.get(self._now, 0)
        texts = self._texts + (total or done)
        expected = round(texts * sum(self._sizes.values()) / seen) if seen else texts
        self._total = max(expected, texts)
        self._count(self._texts + done, self._total)


def _sizes(paths: Sequence[Path]) -> dict[Path, int]:
    """How large the files are to each other: by rows, where all are Parquet and tell; otherwise by bytes."""
    import polars as pl

    try:
        if all(path.suffix.lower() == ".parquet" for path in paths):
            return {path: pl.scan_parquet(path, glob=False).select(pl.len()).collect().item() for path in paths}
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        pass
    return {path: path.stat().st_size if path.exists() else 0 for path in paths}
