"""``sharprecl embed``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import (
    Address,
    AnswerPrecision,
    Device,
    Encoding,
    GpuShare,
    Kind,
    Overwrite,
    PoolOn,
    PoolThreads,
    PoolWorkers,
    Prefix,
    Resume,
    Separator,
    Sheet,
    Strict,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.cli.outputs import on_disk
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from sharprecl.cli.streams import Answer


def embed(
    run: TrainedRun,
    data: Annotated[
        str,
        Argument(
            help="Texts: a file, a folder of files or a pattern such as 'new/*.parquet', - for standard input, or a "
            "benchmark, whose test texts are taken."
        ),
    ],
    output: Annotated[
        str,
        Option(
            "--output",
            "-o",
            help="A .npy file, an array with a row for each text, or .parquet with all columns. Of many files a "
            "folder of .npy, or 'features/*.parquet'.",
            callback=on_disk,
        ),
    ],
    text: TextAsTrained = None,
    prefix: Prefix = "",
    resume: Resume = False,
    overwrite: Overwrite = False,
    device: Device = "auto",
    precision: AnswerPrecision = None,
    kind: Kind = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    on: PoolOn = None,
    workers: PoolWorkers = None,
    threads: PoolThreads = 1,
    address: Address = None,
    gpu_share: GpuShare = None,
) -> None:
    """Write the features of texts, which stand in front of the classifier; NaN where there is no text."""
    from sharprecl.cli.shard_work import answer_all, pool_on
    from sharprecl.cli.shards import Shards, are_many
    from sharprecl.cli.stream_source import Given
    from sharprecl.cli.streams import Work, by_length
    from sharprecl.cli.tables import Reading
    from sharprecl.data.array_rows import ArrayRows
    from sharprecl.data.formats import format_of
    from sharprecl.data.writers import check_place
    from sharprecl.export.card import read_card

    path, column, endings = Path(output), f"{prefix}embedding", (".npy", ".parquet")
    shards = Shards(data, output, endings, ".npy") if are_many(data) else None
    if not shards and path.suffix.lower() not in endings:
        raise ConfigError(
            f"embeddings are written to .npy or .parquet, not to {output}: as text they would take five times the "
            "room, and .npz cannot be continued or mapped into memory; name another --output"
        )
    if not shards:
        check_place(path, endings)
    card = read_card(run)
    reading = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    pool = pool_on(on, shards, address, workers, threads, gpu_share, device)
    if pool:
        # Actors stand in other folders.
        run = run.absolute()
    given = Given(data, output, text or card.text_column, kind, reading, resume, overwrite)
    if not shards:
        given.check()
    console = make_console()
    array = (shards.every[0].output if shards else path).suffix.lower() == ".npy"

    def load(_: object) -> "Answer":
        from sharprecl.classifier import TextClassifier

        classifier = TextClassifier.load(run, device=device, precision=precision)
        return lambda texts, tell, _: {column: by_length(texts, classifier.embed, tell)}

    work = Work(
        run,
        card.label_column,
        [] if array else [column],
        load,
        lambda ending, origin: ArrayRows(origin, column) if array else format_of(ending, origin),
        {"prefix": prefix, "precision": precision},
        cure="give the new one another --prefix, or ",
    )
    done = answer_all(shards, work, given, console, "embedding", pool)
    say(console, f"{plural(done.rows, 'text', 'texts')} embedded: {output}")
    if done.listed:
        say(console, f"rows without a text, which are NaN: {done.listed}")
