"""``sharprecl experiment export``, ``merge`` and ``verify``: runs carried elsewhere, and checked there."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.options import Results, Scale
from sharprecl.cli.outputs import on_disk
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError


def export(
    plans: Annotated[
        list[str] | None, Argument(metavar="[PLAN]...", help="Whose runs.", show_default="all that there are")
    ] = None,
    to: Annotated[Path, Option("--to", help="A file that ends in .jsonl or .jsonl.gz.", callback=on_disk)] = Path(
        "runs.jsonl"
    ),
    scale: Scale = "small",
    output: Results = Path("results"),
    full: Annotated[
        bool, Option("--full", help="Scores, histories and failed runs too, for a store that moves.")
    ] = False,
    overwrite: Annotated[
        bool, Option("--overwrite", help="Replace a file that holds runs which the new one lacks.")
    ] = False,
) -> None:
    """Write finished runs, raw predictions and all, to one file that can be committed or carried elsewhere."""
    from sharprecl.experiments.exchange import export as write
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.store import Store

    if not to.name.endswith((".jsonl", ".jsonl.gz")):
        raise ConfigError(f"--to {to}: the name must end in .jsonl, or in .jsonl.gz to be compressed")
    specs = None
    if plans:
        specs = [job.spec for plan in plans for job in load_plan(plan).jobs(scale)]
    written = write(Store(output), to, specs, full=full, overwrite=overwrite)
    missing = "" if specs is None else f" of {len({spec.hash for spec in specs})}"
    failures = f", {len(written.failures)} failed ones" if written.failures else ""
    typer.echo(f"{to}: {len(written.runs)}{missing} runs{failures}")


def merge(
    files: Annotated[list[Path], Argument(help="What 'sharprecl experiment export' wrote.")],
    output: Results = Path("results"),
) -> None:
    """Take runs from files into a folder of runs. A run that is finished there stays as it is."""
    from sharprecl.experiments.exchange import merge as take
    from sharprecl.experiments.store import Store

    for file in files:
        merged = take(file, Store(output))
        parts = [f"{merged.new} new runs", f"{merged.known} known"]
        if merged.differing:
            parts.append(f"{merged.differing} of them with other answers (another device?), not taken")
        if merged.busy:
            parts.append(f"{merged.busy} that are being made in {output} right now, not taken")
        typer.echo(f"{file}: {', '.join(parts)}")


def verify(
    results: Annotated[
        list[Path], Argument(help="Folders of runs, or .jsonl files that 'sharprecl experiment export' wrote.")
    ],
    tables: Annotated[
        list[Path] | None,
        Option("--table", help="A file that 'experiment table --to' wrote; may be given more than once."),
    ] = None,
    data: Annotated[
        bool, Option("--data", help="Load the data too, and compare true labels, counts and hashes with them.")
    ] = False,
) -> None:
    """Compute every figure anew from raw answers, and every table from those; status 1 and a list if anything differs.

    It finds answers, figures, true labels, settings and cells that were changed afterwards, and runs that are missing
    from a table. Tokens, steps, seconds and dates cannot be computed anew. Whoever changes answers, figures and tables
    together is found out only by running the plan again.
    """
    from sharprecl.experiments.verify import check_records, check_tables, read_all

    records, disagreements = read_all(results)
    checked, wrong = check_records(records, with_data=data)
    faults = [*disagreements, *wrong, *check_tables(tables or [], checked)]
    for fault in faults:
        typer.echo(fault)
    counted = [plural(len(records.runs), "run", "runs"), plural(len(records.data), "data set", "data sets")]
    counted.append(plural(len(tables or []), "table", "tables"))
    typer.echo(
        f"{', '.join(counted)}: {plural(len(faults), 'fault', 'faults') if faults else 'all is as computed anew'}"
    )
    if faults:
        raise typer.Exit(1)
