"""From texts to a file of answers, block by block: what ``predict`` and ``embed`` have in common."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.progress import counter
from sharprecl.cli.stream_source import PIPE, Given
from sharprecl.data.messages import names_phrase
from sharprecl.data.row_format import Columns, RowFormat
from sharprecl.data.row_stream import Block, RowStream
from sharprecl.data.set_aside import write_set_aside
from sharprecl.data.unfinished import Unfinished
from sharprecl.data.writers import check_new
from sharprecl.errors import DataError

Tell = Callable[[int], None]
"""Is told of so many more texts that are done."""

_AT_ONCE = 512


class StandardOutput:
    """Blocks on their way through a pipe, each sent off at once."""

    rows = 0

    def append(self, data: bytes, rows: int) -> None:
        """Send a block; ``rows`` is the number of the last one."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        self.rows = rows

    def finish(self, form: RowFormat) -> None:
        """All is sent."""

    def close(self, *, keep: bool) -> None:
        """All is sent."""


@dataclass
class Work:
    """One command's work on a stream.

    Attributes:
        given: what the user gave.
        run: the folder of the classifier.
        rows: to read.
        form: how they are written.
        console: where people are told.
        doing: what goes on, for the bar.
        options: what else the bytes depend on.
        as_read: whether .csv has the delimiter of the file that was read.
        sampled: of how many texts ``sample`` is to hold what they are, drawn at random from all, before the work.
    """

    given: Given
    run: Path
    rows: RowStream
    form: RowFormat
    console: Console
    doing: str
    options: Mapping[str, object]
    as_read: bool = False
    sampled: int = 0

    def __post_init__(self) -> None:
        self.sample: list[str] = []

    def do(
        self, new: Sequence[str], load: Callable[[], Callable[[Sequence[str], Tell], Columns]], cure: str = ""
    ) -> tuple[int, Path | None]:
        """Read, answer and write.

        Args:
            new: names of the new columns.
            load: loads the model, and gives what answers the texts of a block.
            cure: what to do if the input has such a column.

        Returns:
            How many rows there were, and the list of those without a text, where there is one.
        """
        given, rows, pipe = self.given, self.rows, self.given.output == PIPE
        before = given.stamp()
        blocks, total = iter(rows.blocks()), None
        if rows.once:
            first = next(blocks)
            blocks = chain([first], blocks)
        else:
            random, seen = np.random.Generator(np.random.PCG64(0)), 0
            with counter(make_console(stderr=True), "checking", "rows") as count:
                for block in blocks:
                    self.form.examine(block.records, block.first)
                    seen = self._draw(block.texts, seen, random)
                    count(block.end, None)
            blocks, total = iter(rows.blocks()), rows.size
            show_notes(self.console, rows.notes)
        names, delimiter = rows.names, rows.delimiter if self.as_read else None
        check_new(rows.origin, names, new, cure)
        start = self.form.start((*names, *new), delimiter)
        out: Unfinished | StandardOutput = StandardOutput() if pipe else Unfinished(Path(given.output))
        try:
            if isinstance(out, Unfinished) and out.open(given.what(self.run, **self.options), resume=given.resume):
                say(self.console, f"going on behind row {out.rows:,}")
            answer = load()
            with counter(make_console(stderr=True), self.doing, "texts") as count:
                done = out.rows
                count(done, total)

                def tell(more: int) -> None:
                    nonlocal done
                    done += more
                    count(done, total)

                for block in blocks:
                    if block.end <= out.rows:
                        continue
                    self._check(block, names, new, cure)
                    columns = answer(block.texts, tell)
                    tell(block.end - done)
                    out.append((b"" if out.rows else start) + self.form.rows(block.records, columns), block.end)
            if given.stamp() != before:
                raise DataError(f"{given.data} was changed while it was read; run the same command again")
            if rows.once:
                show_notes(self.console, rows.notes)
            listed = not pipe and write_set_aside(rows.set_aside, given.listed)
            out.finish(self.form)
        finally:
            out.close(keep=not rows.once)
        return rows.size, given.listed if listed else None

    def _draw(self, texts: Sequence[str], seen: int, random: np.random.Generator) -> int:
        """Take texts into the sample, of which every one seen so far is a part with the same probability."""
        for text in filter(None, texts) if self.sampled else ():
            place = seen if seen < self.sampled else int(random.integers(seen + 1))
            if place < self.sampled:
                self.sample[place : place + 1] = [text]
            seen += 1
        return seen

    def _check(self, block: Block, names: Sequence[str], new: Sequence[str], cure: str) -> None:
        """Refuse what could not be seen before: there is one pass over a pipe."""
        rows = self.rows
        if not rows.once:
            return
        self.form.examine(block.records, block.first)
        if rows.names != names:
            check_new(rows.origin, rows.names, new, cure)
            if not self.form.any_keys:
                late = [name for name in rows.names if name not in names]
                raise DataError(
                    f"{rows.origin}: among rows {block.first + 1:,} to {block.end:,} are the first with the column(s) "
                    f"{names_phrase(late)}, and the header is written; write to .jsonl"
                )


def by_length(texts: Sequence[str], run: Callable[[list[str]], NDArray[np.float32]], tell: Tell) -> NDArray[np.float32]:
    """What ``run`` gives of texts, [N, K], of like lengths together; NaN where there is no text."""
    order = sorted((row for row, text in enumerate(texts) if text), key=lambda row: -len(texts[row]))
    found: NDArray[np.float32] | None = None
    # Once without a text at all, which tells K.
    for start in range(0, max(1, len(order)), _AT_ONCE):
        rows = order[start : start + _AT_ONCE]
        part = run([texts[row] for row in rows] or [""])
        if found is None:
            found = np.full((len(texts), part.shape[1]), np.nan, dtype=np.float32)
        found[rows] = part[: len(rows)]
        tell(len(rows))
    assert found is not None
    return found
