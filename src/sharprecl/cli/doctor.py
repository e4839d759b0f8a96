"""``sharprecl doctor``."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import Encoding, Label, Separator, Sheet, Text, TrainingTexts
from sharprecl.cli.outputs import on_disk
from sharprecl.cli.progress import stages
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import check_outputs, write_text

STDOUT = "-"


def doctor(
    data: TrainingTexts,
    text: Text = "text",
    label: Label = "label",
    test: Annotated[Path | None, Option(help="Labelled texts to judge a model on; a benchmark brings its own.")] = None,
    fix: Annotated[
        Path | None,
        Option(
            help="Write a cleaned copy to this file, and beside it all changes and what to review.", callback=on_disk
        ),
    ] = None,
    review: Annotated[
        Path | None, Option(help="A review file with decisions, which --fix carries out: keep, drop or a class.")
    ] = None,
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
        str | None,
        Option(help="Write everything to this file as JSON; - prints it in place of the text.", callback=on_disk),
    ] = None,
    html: Annotated[Path | None, Option(help="Write a page with pictures to this file.", callback=on_disk)] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the files that are written.")] = False,
) -> None:
    """Say what is wrong with data for learning its rare classes, and mend what can be mended, before any training."""
    from sharprecl.cli.tables import data_file, is_benchmark
    from sharprecl.data.dialect import Dialect

    json_file = None if json in (None, STDOUT) else Path(str(json))
    inputs = [path for path in (Path(data), test, review) if path]
    check_outputs([path for path in (json_file, html) if path], inputs, overwrite)
    if is_benchmark(data) and test is not None:
        raise ConfigError(f"{data} brings its own test texts; leave --test out")
    if fix is not None:
        from sharprecl.doctor.fix import check_paths, paths_of

        if is_benchmark(data):
            raise ConfigError(f"{data} is a benchmark, which is judged as it was published; --fix needs a file")
        check_paths(inputs, fix, review, overwrite)
        if taken := {path.resolve() for path in paths_of(fix)} & {path.resolve() for path in (json_file, html) if path}:
            raise ConfigError(f"{taken.pop()} would be written twice; give each output a file of its own")
    elif review is not None:
        raise ConfigError("--review says what --fix shall do; add --fix FILE, the cleaned file to write")
    if html is not None:
        from sharprecl.doctor.page import check_page

        check_page()

    from sharprecl.doctor.examine import examine

    how: dict[str, Any] = {
        "text": text,
        "label": label,
        "encoder": encoder,
        "max_length": max_length,
        "batch_size": batch_size,
        "seed": seed,
    }
    with stages(make_console(stderr=True)) as tell:
        sources: dict[str, Any] = {"test": test}
        if not is_benchmark(data):
            sources["data"] = data_file(data)
        else:
            from sharprecl.data.benchmarks import load_benchmark

            benchmark = load_benchmark(data, progress=lambda sentence: tell(sentence, 0, 1))
            sources = {"data": benchmark.train, "test": benchmark.test, "name": data}
        dialect = Dialect(encoding, separator, sheet)
        found = examine(**sources, **how, dialect=dialect, progress=tell)
        if fix is not None:
            from sharprecl.doctor.fix import fix as fix_file
            from sharprecl.doctor.recommend import cleaned_dialect, fix_command

            done = fix_file(
                data, fix, text, label, review=review, seed=seed, dialect=dialect, overwrite=overwrite, progress=tell
            )
            left, why_not = None, ""
            try:
                left = examine(fix, **how, test=test, dialect=cleaned_dialect(dialect), fixed=True, progress=tell)
            except DataError as error:
                why_not = str(error)
            judged = str(test) if test else None
            again = fix_command(
                data, str(fix), text, label, seed, test=judged, encoder=encoder, dialect=dialect, review=done.review
            )
            found = found.after_fix(done, left, why_not, again)
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
        files: list[tuple[str, Any]] = [("page", html), ("figures", json_file)]
        if found.fixed is not None:
            files += [(what, getattr(found.fixed, what)) for what in ("output", "changes", "review")]
        for what, path in files:
            if path:
                say(console, f"{what:8} {path}")
