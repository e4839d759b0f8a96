"""``sharprecl doctor``."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import Encoding, Label, Separator, Sheet, Text, TrainingTexts
from sharprecl.cli.outputs import check_files
from sharprecl.cli.progress import stages
from sharprecl.errors import ConfigError
from sharprecl.files import write_text

STDOUT = "-"


def doctor(
    data: TrainingTexts,
    text: Text = "text",
    label: Label = "label",
    test: Annotated[Path | None, Option(help="Labelled texts to judge a model on; a benchmark brings its own.")] = None,
    encoder: Annotated[
        str | None, Option(help="Whose tokens are counted, as in 'sharprecl train'.", show_default="minilm")
    ] = None,
    max_length: Annotated[int, Option(help="Tokens a text.", min=8)] = 256,
    batch_size: Annotated[int | None, Option(help="Texts a batch.", show_default="what training takes", min=1)] = None,
    seed: Annotated[int, Option(help="Of folds and samples.", min=0, max=2**31 - 1)] = 0,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    json: Annotated[
        str | None, Option(help="Write everything to this file as JSON; - prints it in place of the text.")
    ] = None,
    html: Annotated[Path | None, Option(help="Write a page with pictures to this file.")] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the two files.")] = False,
) -> None:
    """Say what is wrong with data for learning its rare classes, before anybody pays for training."""
    from sharprecl.cli.tables import data_file, is_benchmark
    from sharprecl.data.dialect import Dialect

    json_file = None if json in (None, STDOUT) else Path(str(json))
    check_files([path for path in (json_file, html) if path], [Path(data), *([test] if test else [])], overwrite)
    if is_benchmark(data) and test is not None:
        raise ConfigError(f"{data} brings its own test texts; leave --test out")
    if html is not None:
        from sharprecl.doctor.page import check_page

        check_page()

    from sharprecl.doctor.examine import examine

    with stages(make_console(stderr=True)) as tell:
        sources: dict[str, Any] = {"test": test}
        if not is_benchmark(data):
            sources["data"] = data_file(data)
        else:
            from sharprecl.data.benchmarks import load_benchmark

            benchmark = load_benchmark(data, progress=lambda sentence: tell(sentence, 0, 1))
            sources = {"data": benchmark.train, "test": benchmark.test, "name": data}
        found = examine(
            **sources,
            text=text,
            label=label,
            encoder=encoder,
            max_length=max_length,
            batch_size=batch_size,
            seed=seed,
            dialect=Dialect(encoding, separator, sheet),
            progress=tell,
        )
        if html is not None:
            from sharprecl.doctor.page import write_page

            tell("drawing the page", 0, 1)
            write_page(found, html)
    if json is not None:
        # Keys keep their order, which is that of size where they are classes.
        words = json_format.dumps(found.to_json(), indent=2, ensure_ascii=False)
        if json_file is None:
            typer.echo(words)
        else:
            write_text(json_file, words + "\n")
    if json != STDOUT:
        from sharprecl.doctor.terminal import show

        console = make_console()
        show(console, found)
        for what, path in (("page", html), ("figures", json_file)):
            if path is not None:
                say(console, f"{what:8} {path}")
