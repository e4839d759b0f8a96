"""``sharprecl doctor``."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import Encoding, Label, Text
from sharprecl.cli.progress import stages
from sharprecl.errors import ConfigError
from sharprecl.files import write_text

STDOUT = "-"


def doctor(
    data: Annotated[
        str, typer.Argument(help="Training texts: .csv, .tsv, .jsonl, .json, .parquet, or a benchmark such as trec.")
    ],
    text: Text = "text",
    label: Label = "label",
    test: Annotated[
        Path | None, typer.Option(help="Labelled texts to judge a model on; a benchmark brings its own.")
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="Whose tokens are counted, as in 'sharprecl train'.", show_default="minilm")
    ] = None,
    max_length: Annotated[int, typer.Option(help="Tokens a text.", min=8)] = 256,
    batch_size: Annotated[
        int | None, typer.Option(help="Texts a batch.", show_default="what training takes", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of folds and samples.", min=0, max=2**31 - 1)] = 0,
    encoding: Encoding = "utf-8",
    json: Annotated[
        str | None, typer.Option(help="Write everything to this file as JSON; - prints it in place of the text.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with pictures to this file.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the two files.")] = False,
) -> None:
    """Say what is wrong with data for learning its rare classes, before anybody pays for training."""
    from sharprecl.cli.tables import data_file, is_benchmark

    json_file = None if json in (None, STDOUT) else Path(str(json))
    _check_outputs([path for path in (json_file, html) if path], [Path(data), *([test] if test else [])], overwrite)
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
            encoding=encoding,
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


def _check_outputs(outputs: Sequence[Path], inputs: Sequence[Path], overwrite: bool) -> None:
    """Refuse before the work what would be lost by it."""
    from sharprecl.cli.tables import check_folder

    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ConfigError(f"--json and --html both name {outputs[0]}; give each a file of its own")
    for path in outputs:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file in it")
        check_folder(path.parent, "the place")
        if path.resolve() in [source.resolve() for source in inputs]:
            raise ConfigError(f"{path} is the data itself, which is never changed; name another file")
        if path.exists() and not overwrite:
            raise ConfigError(f"{path} is there already; name another file, or add --overwrite to replace it")
