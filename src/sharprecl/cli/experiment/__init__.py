"""``sharprecl experiment``, a file a command."""

import typer

from sharprecl.cli.experiment.exchange import export, merge
from sharprecl.cli.experiment.figure import figure
from sharprecl.cli.experiment.page import page
from sharprecl.cli.experiment.run import run
from sharprecl.cli.experiment.status import status
from sharprecl.cli.experiment.table import table
from sharprecl.cli.experiment.verify import verify

experiment = typer.Typer(help="Run whole comparisons: the paper's tables, or a plan of your own.", no_args_is_help=True)
for command in (run, status, table, figure, page, verify, export, merge):
    experiment.command()(command)
