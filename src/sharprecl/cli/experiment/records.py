"""Where commands that show results read them from."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sharprecl.experiments.collection import Records

Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--results",
        "--output",
        "-o",
        help="Folder of runs, or a file that 'export' wrote; may be given more than once.",
        show_default="results",
    ),
]


def records_of(results: Sequence[Path] | None) -> "Records":
    """All that is stored there.

    Raises:
        DataError: one cannot be read, or two of them disagree about a run.
    """
    from sharprecl.errors import DataError
    from sharprecl.experiments.verify import read_all

    records, faults = read_all(list(results or [Path("results")]))
    if faults:
        raise DataError(f"the results disagree: {faults[0]}")
    return records
