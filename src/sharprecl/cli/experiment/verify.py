"""``sharprecl experiment verify``."""

from pathlib import Path
from typing import Annotated

import typer


def verify(
    results: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or .jsonl files that 'sharprecl experiment export' wrote.")
    ],
    tables: Annotated[
        list[Path] | None,
        typer.Option("--table", help="A file that 'experiment table --to' wrote; may be given more than once."),
    ] = None,
    data: Annotated[
        bool, typer.Option("--data", help="Load the data too, and compare true labels, counts and hashes with them.")
    ] = False,
) -> None:
    """Compute every figure anew from raw answers, and every table from those; status 1 and a list if anything differs.

    It finds answers, figures, true labels, settings and cells that were changed afterwards, and runs that are missing
    from a table. Tokens, steps, seconds and dates cannot be computed anew. Whoever changes answers, figures and tables
    together is found out only by running the plan again.
    """
    from sharprecl.data.messages import plural
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
