"""From texts to a file of answers, block by block: what ``predict`` and ``embed`` have in common."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from sharprecl.cli.console import say
from sharprecl.cli.progress import Reporter
from sharprecl.cli.stream_source import PIPE, Given, weights_of
from sharprecl.data.messages import names_phrase
from sharprecl.data.row_format import RowFormat
from sharprecl.data.row_stream import Block, RowStream
from sharprecl.data.set_aside import write_set_aside
from sharprecl.data.unfinished import Unfinished
from sharprecl.data.writers import check_new
from sharprecl.errors import DataError

Tell = Callable[[int], None]
"""Is told of so many more texts that are done."""

Answer = Callable[[Sequence[str], Tell, bool], Mapping[str, Any]]
"""Gives the new columns of texts; the last argument says whether lists and truth values stay what they are."""

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


class Done(NamedTuple):
    """What was made of a file, or of many.

    Attributes:
        rows: how many it has.
        without: how many of them have no answer.
        listed: where those without a text are listed, if there are any.
        made: how many new texts there are.
    """

    rows: int
    without: int = 0
    listed: Path | None = None
    made: int = 0


class Sample:
    """At most so many texts, drawn at random from all that pass, each with the same probability."""

    def __init__(self, size: int) -> None:
        self.texts: list[str] = []
        self.whole = False
        self._size, self._seen, self._random = size, 0, np.random.Generator(np.random.PCG64(0))

    def draw(self, texts: Sequence[str]) -> None:
        """Let texts pass, those that are empty aside; none any more after the sample was called ``whole``."""
        for text in () if self.whole else filter(None, texts):
            place = self._seen if self._seen < self._size else int(self._random.integers(self._seen + 1))
            if place < self._size:
                self.texts[place : place + 1] = [text]
            self._seen += 1


@dataclass
class Work:
    """What a command does with a file of texts, and with each of many.

    Attributes:
        run: the folder of the classifier.
        label: what the column of labels of a benchmark is called.
        new: names of the new columns.
        load: loads the model, and gives what answers the texts of a block; called once, when the first text is due,
            with the console where it may say something.
        form: how rows are written, by the ending of the output and what sentences call the source.
        options: what else the bytes depend on.
        cure: what to do if the input has a new column.
        as_read: whether .csv has the delimiter of the file that was read.
        sample: is filled before the work.
        silent: how many texts the model gave no answer to.
    """

    run: Path
    label: str
    new: Sequence[str]
    load: Callable[[Console], Answer]
    form: Callable[[str, str], RowFormat]
    options: Mapping[str, object]
    cure: str = ""
    as_read: bool = False
    sample: Sample | None = None
    silent: int = 0
    _answer: Answer | None = field(default=None, init=False)

    @cached_property
    def weights(self) -> str:
        """The hash of the classifier."""
        return weights_of(self.run)

    def do(self, given: Given, reporter: Reporter) -> Done:
        """Read, answer and write one file."""
        pipe, silent = given.output == PIPE, self.silent
        rows, ending = given.rows(self.label, lambda sentence: say(reporter.console, sentence))
        form = self.form(ending if pipe else Path(given.output).suffix.lower(), rows.origin)
        before = given.stamp()
        blocks, total = iter(rows.blocks()), None
        if rows.once:
            first = next(blocks)
            blocks = chain([first], blocks)
        else:
            with reporter.checking() as count:
                for block in blocks:
                    form.examine(block.records, block.first)
                    if self.sample is not None:
                        self.sample.draw(block.texts)
                    count(block.end, None)
            if self.sample is not None:
                self.sample.whole = True
            blocks, total = iter(rows.blocks()), rows.size
            reporter.notes(rows.notes)
        names, delimiter = rows.names, rows.delimiter if self.as_read else None
        check_new(rows.origin, names, self.new, self.cure)
        start = form.start((*names, *self.new), delimiter)
        out: Unfinished | StandardOutput = StandardOutput() if pipe else Unfinished(Path(given.output))
        try:
            if isinstance(out, Unfinished) and out.open(given.what(self.weights, **self.options), resume=given.resume):
                of = f" of {given.data}" if given.lists else ""
                say(reporter.console, f"going on behind row {out.rows:,}{of}")
            if self._answer is None:
                self._answer = self.load(reporter.console)
            answer = self._answer
            with reporter.working() as count:
                done = out.rows
                count(done, total)

                def tell(more: int) -> None:
                    nonlocal done
                    done += more
                    count(done, total)

                for block in blocks:
                    if block.end <= out.rows:
                        continue
                    self._check(rows, form, block, names)
                    columns = answer(block.texts, tell, form.typed)
                    tell(block.end - done)
                    out.append((b"" if out.rows else start) + form.rows(block.records, columns), block.end)
            if given.stamp() != before:
                raise DataError(f"{given.data} was changed while it was read; run the same command again")
            if rows.once:
                reporter.notes(rows.notes)
            listed = not pipe and write_set_aside(rows.set_aside, given.listed)
            out.finish(form)
        finally:
            out.close(keep=not rows.once)
        without = self.silent - silent + len(rows.set_aside)
        return Done(rows.size, without, given.listed if listed else None)

    def _check(self, rows: RowStream, form: RowFormat, block: Block, names: Sequence[str]) -> None:
        """Refuse what could not be seen before: there is one pass over a pipe."""
        if not rows.once:
            return
        form.examine(block.records, block.first)
        if rows.names != names:
            check_new(rows.origin, rows.names, self.new, self.cure)
            if not form.any_keys:
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
