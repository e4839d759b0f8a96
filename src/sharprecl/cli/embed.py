"""``sharprecl embed``."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import (
    Device,
    Encoding,
    Kind,
    Overwrite,
    Prefix,
    Resume,
    Separator,
    Sheet,
    Strict,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from sharprecl.cli.streams import Tell


def embed(
    run: TrainedRun,
    data: Annotated[
        str, Argument(help="Texts: a file, - for standard input, or a benchmark, whose test texts are taken.")
    ],
    output: Annotated[
        str,
        Option("--output", "-o", help="A .npy file, an array with a row for each text, or .parquet with all columns."),
    ],
    text: TextAsTrained = None,
    prefix: Prefix = "",
    resume: Resume = False,
    overwrite: Overwrite = False,
    device: Device = "auto",
    kind: Kind = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
) -> None:
    """Write the features of texts, which stand in front of the classifier; NaN where there is no text."""
    from sharprecl.cli.stream_source import Given
    from sharprecl.cli.streams import Work, by_length
    from sharprecl.cli.tables import Reading
    from sharprecl.data.array_rows import ArrayRows
    from sharprecl.data.formats import format_of
    from sharprecl.data.writers import check_place
    from sharprecl.export.card import read_card

    path = Path(output)
    ending, column = path.suffix.lower(), f"{prefix}embedding"
    if ending not in (".npy", ".parquet"):
        raise ConfigError(
            f"embeddings are written to .npy or .parquet, not to {output}: as text they would take five times the "
            "room, and .npz cannot be continued or mapped into memory; name another --output"
        )
    check_place(path, (".npy", ".parquet"))
    card = read_card(run)
    reading = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    given = Given(data, output, text or card.text_column, kind, reading, resume, overwrite)
    given.check()
    console = make_console()
    rows, _ = given.rows(card.label_column, lambda sentence: say(console, sentence))
    form = ArrayRows(rows.origin, column) if ending == ".npy" else format_of(ending, rows.origin)

    def load() -> "Callable[[Sequence[str], Tell], dict[str, Any]]":
        from sharprecl.classifier import TextClassifier

        classifier = TextClassifier.load(run, device=device)
        return lambda texts, tell: {column: by_length(texts, classifier.embed, tell)}

    work = Work(given, run, rows, form, console, "embedding", {"prefix": prefix})
    size, listed = work.do([] if ending == ".npy" else [column], load, "give the new one another --prefix, or ")
    say(console, f"{plural(size, 'text', 'texts')} embedded: {output}")
    if listed:
        say(console, f"rows without a text, which are NaN: {listed}")
