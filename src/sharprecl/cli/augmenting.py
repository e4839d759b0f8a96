"""Files with augmented copies of their texts behind their own rows: one, or many, each for itself."""

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from sharprecl.augment import registry
from sharprecl.augment.base import Augmenter
from sharprecl.augment.cache import cached
from sharprecl.augment.copies import Ints
from sharprecl.augment.table import LABEL, AugmentedRows, Labels, augment_rows, label_names, labels_in, row_labels
from sharprecl.augment.workers import in_workers
from sharprecl.cli import tables
from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.progress import Count, Reporter, counter
from sharprecl.cli.shard_work import Do, work_through
from sharprecl.cli.shards import Shard, Shards
from sharprecl.cli.streams import Done
from sharprecl.cli.tables import Reading
from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN
from sharprecl.data.dialect import Dialect
from sharprecl.data.messages import plural
from sharprecl.data.row_stream import ROWS
from sharprecl.data.sources import tables_of
from sharprecl.data.tables import Rows
from sharprecl.data.writers import check_output, write_predictions
from sharprecl.errors import DataError
from sharprecl.evaluation.bands import HEAD_OVER, TAIL_UNDER, band_masks
from sharprecl.files import sha256_json
from sharprecl.version import __version__

if TYPE_CHECKING:
    from sharprecl.scale.ray_pool import RayPool


@dataclass(frozen=True, kw_only=True)
class Augmenting:
    """What is made of each file; see the options of ``sharprecl augment``.

    Attributes:
        cache: where made texts are kept.
        workers: processes of this machine.
    """

    names: Sequence[str]
    settings: Mapping[str, Any]
    text: str
    label: str | None
    copies: int
    balance: bool
    budget: int | None
    only_new: bool
    seed: int
    cache: Path
    reading: Reading
    workers: int

    def one(self, data: str, output: Path, console: Console) -> Done:
        """Write one file."""
        rows, labels = self._read(data, output)
        show_notes(console, rows.notes)
        protected = label_names(labels)
        _tell(protected, labels is not None, console)
        bars = make_console(stderr=True)
        with (
            in_workers(self._make(protected), self.workers) as augmenter,
            _said_warnings(bars),
            counter(bars, "augmenting", "texts") as count,
        ):
            augmented = self._write(rows, labels, output, augmenter, count)
        if self.balance:
            _show_bands(console, augmented)
        for sentence in augmented.notes:
            say(console, sentence)
        return Done(len(rows), made=len(augmented.texts))

    def many(
        self, shards: Shards, console: Console, *, resume: bool, overwrite: bool, pool: "RayPool | None" = None
    ) -> Done:
        """Write a file for each; see ``work_through``."""
        protected = self._labels_of(shards)
        _tell(protected, False, console)
        options = (
            self.names,
            self.settings,
            self.text,
            self.label,
            self.copies,
            self.only_new,
            self.seed,
            self.reading,
        )
        of = {"labels": sha256_json(protected), "options": sha256_json([*options, __version__])}
        make = self._make(protected)
        # Actors make augmenters of their own.
        here = nullcontext() if pool else in_workers(make, self.workers)
        with here as augmenter, _said_warnings(make_console(stderr=True)):
            return work_through(
                shards,
                lambda: self._do(augmenter or make()),
                of,
                console,
                "augmenting",
                resume=resume,
                overwrite=overwrite,
                pool=pool,
            )

    def _make(self, protected: Sequence[str]) -> Callable[[], Augmenter]:
        return functools.partial(registry.make_augmenter, tuple(self.names), tuple(protected), self.settings)

    def _do(self, augmenter: Augmenter) -> Do:
        def do(shard: Shard, _: bool, reporter: Reporter) -> Done:
            rows, labels = self._read(str(shard.data), shard.output)
            with reporter.working() as count:
                augmented = self._write(rows, labels, shard.output, augmenter, count)
            reporter.notes([*rows.notes, *(f"{shard.data}: {sentence}" for sentence in augmented.notes)])
            return Done(len(rows), made=len(augmented.texts))

        return do

    def _read(self, name: str, place: Path) -> tuple[Rows, Labels]:
        rows = tables.rows_of(name, self.text, self.label or LABEL, self.reading, typer.echo)
        if old := [column for column in (SOURCE_COLUMN, MARK_COLUMN) if column in rows.names]:
            raise DataError(
                f"{name} has the column {old[0]!r}, so it has been augmented already; augment the file that it was "
                f"made from (with more --copies), or delete the column"
            )
        check_output(rows, [SOURCE_COLUMN, MARK_COLUMN], place)
        return rows, row_labels(rows, self.label, needed=self.balance)

    def _write(self, rows: Rows, labels: Labels, place: Path, augmenter: Augmenter, count: Count) -> AugmentedRows:
        augmented = augment_rows(
            rows,
            self.text,
            labels,
            lambda texts, number, progress: cached(augmenter, texts, number, self.cache, progress),
            count,
            copies=self.copies,
            budget=(self.budget or len(rows)) if self.balance else None,
            seed=self.seed,
            seeded=augmenter.seeded,
        )
        write_predictions(*augmented.output(self.only_new), place)
        return augmented

    def _labels_of(self, shards: Shards) -> list[str]:
        """All labels in readable files, sorted: their words are protected in every file."""
        reading = self.reading
        dialect = Dialect(reading["encoding"], reading["separator"], reading["sheet"])
        found = set[str]()
        for shard in shards.every:
            rows = None if shard.data.suffix.lower() in (".json", ".xlsx") else ROWS
            with suppress(DataError):  # the work itself says what is wrong
                for table in tables_of(shard.data, dialect, rows):
                    labels = labels_in(table, self.label or LABEL) or ()
                    found.update(label for label in labels if label is not None)
        return sorted(found)


def _tell(protected: Sequence[str], labelled: bool, console: Console) -> None:
    if protected:
        say(console, f"words of the {plural(len(protected), 'label', 'labels')} stay as they are")
    elif not labelled:
        say(console, f"there is no column {LABEL!r}; with labels (--label) their words would stay as they are")


def _show_bands(console: Console, augmented: AugmentedRows) -> None:
    """Say what was done for classes of each size."""
    sizes = {"head": f"over {HEAD_OVER}", "medium": f"{TAIL_UNDER} to {HEAD_OVER}", "tail": f"under {TAIL_UNDER}"}
    before, after = augmented.counts, augmented.counts + augmented.new_counts
    for band, mask in band_masks(before).items():
        if mask.any():
            classes = "1 class" if mask.sum() == 1 else f"{mask.sum()} classes"
            say(
                console,
                f"{band}, {sizes[band]} texts a class: {classes} of {_span(before[mask])}, now {_span(after[mask])}; "
                f"{augmented.new_counts[mask].sum()} new texts",
            )


def _span(counts: Ints) -> str:
    least, most = counts.min(), counts.max()
    return str(least) if least == most else f"{least} to {most}"


@contextmanager
def _said_warnings(console: Console) -> Iterator[None]:
    """Warnings as sentences: the cache tells of damage in this way."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if category is UserWarning:
                say(console, f"note: {message}")
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield
