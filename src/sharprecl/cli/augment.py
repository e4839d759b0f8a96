"""``sharprecl augment``."""

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import Address, Encoding, GpuShare, PoolOn, Separator, Sheet, Strict, Text
from sharprecl.cli.outputs import check_apart, check_folder, on_disk
from sharprecl.cli.progress import counter
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError, DataError

if TYPE_CHECKING:
    from sharprecl.augment.base import Augmenter
    from sharprecl.augment.copies import Ints
    from sharprecl.augment.table import AugmentedRows, Labels
    from sharprecl.cli.progress import Count, Reporter
    from sharprecl.cli.shards import Do, Shard, Shards
    from sharprecl.cli.streams import Done
    from sharprecl.cli.tables import Reading
    from sharprecl.data.tables import Rows

# Wei & Zou (EMNLP 2019, Table 3) recommend 16 copies a text for 500 training texts, 8 for 2,000 and 4 for more.
_MOST_COPIES = 8
_PITFALL = (
    "note: training holds no copy out, nor a text whose copy it learns, as long as the column "
    "'augmented_from_text' stays; test texts must have been split off before"
)
_PITFALL_ALONE = (
    "note: training on these copies alone holds out all copies of a text or none, and beside originals no copy at all, "
    "as long as the column 'augmented_from_text' stays; test texts must have been split off before"
)


def augment(
    data: Annotated[
        str,
        Argument(
            help="Texts: a file, a folder of files or a pattern such as 'new/*.parquet', or a benchmark, whose "
            "training texts are taken."
        ),
    ],
    output: Annotated[
        Path,
        Option(
            "--output",
            "-o",
            help="File to write; its ending is its format. Of many files a folder, or a folder and a format, as in "
            "'new/*.jsonl'.",
            callback=on_disk,
        ),
    ],
    augmenter: Annotated[
        list[str] | None,
        Option(
            help="synonyms, back_translation, contextual or noise; may be repeated: each works on what the one before "
            "made.",
            show_default="synonyms",
        ),
    ] = None,
    text: Text = "text",
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="label, if there is one")] = None,
    copies: Annotated[
        int | None, Option(help=f"New texts for each text (1); with --balance, at most that many ({_MOST_COPIES}).")
    ] = None,
    balance: Annotated[
        bool, Option("--balance", help="Make new texts for the rarest classes first, up to --budget.")
    ] = False,
    budget: Annotated[
        int | None, Option(help="New texts in all, with --balance.", show_default="as many as rows")
    ] = None,
    only_new: Annotated[bool, Option("--only-new", help="Leave the original rows out.")] = False,
    seed: Annotated[int, Option(help="Of everything that is drawn.", min=0)] = 0,
    set_: Annotated[
        list[str] | None, Option("--set", help="A setting of an augmenter, as in noise.swap=0.1; may be repeated.")
    ] = None,
    workers: Annotated[int, Option(help="Processes; the result is the same for any number.", min=1)] = 1,
    cache: Annotated[Path | None, Option(help="Folder where made texts are kept, to be used again.")] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    resume: Annotated[bool, Option("--resume", help="Of many files make those that are not finished.")] = False,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the output file.")] = False,
    on: PoolOn = None,
    address: Address = None,
    gpu_share: GpuShare = None,
) -> None:
    """Write a file with augmented copies of its texts behind its own rows.

    The copy of a row has all its columns, its number, from 1, in the column 'augmented_from', and a mark of its text in
    'augmented_from_text'.

    Give it training texts only: a copy must not judge what learned its original.

    What was cut off goes on where it was when it is started again; of many files with --resume. Each of these is
    augmented for itself.
    """
    from sharprecl.augment.cache import cached, views_folder
    from sharprecl.augment.registry import make_augmenter
    from sharprecl.augment.table import LABEL, augment_rows, label_names, row_labels
    from sharprecl.augment.workers import in_workers
    from sharprecl.cli.shards import Shards, are_many, pool_on
    from sharprecl.cli.streams import Done
    from sharprecl.cli.tables import Reading, rows_of
    from sharprecl.config import AUGMENTERS, assignments, augmenter_names
    from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN
    from sharprecl.data.formats import ENDINGS
    from sharprecl.data.writers import check_output, write_predictions
    from sharprecl.files import sha256_json
    from sharprecl.version import __version__

    names = [part for name in augmenter or ["synonyms"] for part in augmenter_names(name)]
    settings = assignments(set_ or [])
    if budget is not None and not balance:
        raise ConfigError("--budget says what --balance may spend; add --balance, or say with --copies how many")
    for option, value in (("--copies", copies), ("--budget", budget)):
        if value is not None and value < 1:
            raise ConfigError(f"{option} is {value}, but the least is 1")
    if idle := [name for name in settings if name in AUGMENTERS and name not in names]:
        raise ConfigError(f"--set {idle[0]}... says nothing to {'+'.join(names)}; add --augmenter {idle[0]}")
    make_augmenter(names, (), settings)  # a wrong name or setting should not cost the time to read the data
    shards = Shards(data, str(output), ENDINGS) if are_many(data) else None
    if shards and balance:
        raise ConfigError("--balance spends one budget on all rows of one file; put the files together, or leave it")
    pool = pool_on(on, shards, address, workers, 1, gpu_share, "auto")
    if shards:
        shards.check(resume=resume, overwrite=overwrite)
    else:
        if resume:
            raise ConfigError("--resume is for many files; one goes on where it was cut off when it is started again")
        check_apart(data, output, overwrite)
    if cache is not None:
        check_folder(cache, "--cache")

    given = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    console, progress_console = make_console(), make_console(stderr=True)
    folder = views_folder() if cache is None else cache
    if pool:
        # Actors stand in other folders.
        folder = folder.absolute()

    def read(name: str, place: Path) -> tuple["Rows", "Labels"]:
        rows = rows_of(name, text, label or LABEL, given, typer.echo)
        if old := [column for column in (SOURCE_COLUMN, MARK_COLUMN) if column in rows.names]:
            raise DataError(
                f"{name} has the column {old[0]!r}, so it has been augmented already; augment the file that it was "
                f"made from (with more --copies), or delete the column"
            )
        check_output(rows, [SOURCE_COLUMN, MARK_COLUMN], place)
        return rows, row_labels(rows, label, needed=balance)

    def write(rows: "Rows", labels: "Labels", place: Path, chosen: "Augmenter", count: "Count") -> "AugmentedRows":
        augmented = augment_rows(
            rows,
            text,
            labels,
            lambda texts, number, progress: cached(chosen, texts, number, folder, progress),
            count,
            copies=copies or (_MOST_COPIES if balance else 1),
            budget=(budget or len(rows)) if balance else None,
            seed=seed,
            seeded=chosen.seeded,
        )
        write_predictions(*augmented.output(only_new), place)
        return augmented

    if shards:
        protected = _labels_of(shards, label or LABEL, given)
    else:
        rows, labels = read(data, output)
        show_notes(console, rows.notes)
        protected = label_names(labels)
    if protected:
        say(console, f"words of the {plural(len(protected), 'label', 'labels')} stay as they are")
    elif shards or labels is None:
        say(console, f"there is no column {LABEL!r}; with labels (--label) their words would stay as they are")
    make = functools.partial(make_augmenter, tuple(names), tuple(protected), settings)
    with in_workers(make, 1 if pool else workers) as here, _said_warnings(progress_console):
        if shards:

            def do_with(chosen: "Augmenter") -> "Do":
                def do(shard: "Shard", _: bool, reporter: "Reporter") -> "Done":
                    rows, labels = read(str(shard.data), shard.output)
                    with reporter.working() as count:
                        augmented = write(rows, labels, shard.output, chosen, count)
                    reporter.notes([*rows.notes, *(f"{shard.data}: {sentence}" for sentence in augmented.notes)])
                    return Done(len(rows), made=len(augmented.texts))

                return do

            def do_here() -> "Do":
                return do_with(here)

            def do_there() -> "Do":
                return do_with(make())

            of = {"labels": sha256_json(protected)}
            of["options"] = sha256_json([names, settings, text, label, copies, only_new, seed, given, __version__])
            done = shards.work_through(
                do_there if pool else do_here,
                of,
                console,
                "augmenting",
                resume=resume,
                overwrite=overwrite,
                pool=pool,
            )
        else:
            with counter(progress_console, "augmenting", "texts") as count:
                augmented = write(rows, labels, output, here, count)
            if balance:
                _show_bands(console, augmented)
            for sentence in augmented.notes:
                say(console, sentence)
            done = Done(len(rows), made=len(augmented.texts))
    say(console, f"{done.made} new texts from {done.rows} rows: {output}")
    say(console, _PITFALL_ALONE if only_new else _PITFALL)


def _labels_of(shards: "Shards", name: str, given: "Reading") -> list[str]:
    """All labels in readable files, sorted: their words are protected in every file."""
    from sharprecl.augment.table import labels_in
    from sharprecl.data.dialect import Dialect
    from sharprecl.data.row_stream import ROWS
    from sharprecl.data.sources import tables_of

    dialect, found = Dialect(given["encoding"], given["separator"], given["sheet"]), set[str]()
    for shard in shards.every:
        rows = None if shard.data.suffix.lower() in (".json", ".xlsx") else ROWS
        with suppress(DataError):  # the work itself says what is wrong
            for table in tables_of(shard.data, dialect, rows):
                found.update(label for label in labels_in(table, name) or () if label is not None)
    return sorted(found)


def _show_bands(console: Console, augmented: "AugmentedRows") -> None:
    """Say what was done for classes of each size."""
    from sharprecl.evaluation.bands import HEAD_OVER, TAIL_UNDER, band_masks

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


def _span(counts: "Ints") -> str:
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
