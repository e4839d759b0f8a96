"""``sharprecl experiment``: make the runs of plans, show them, carry them elsewhere and check them."""

import typer

from sharprecl.cli.experiment.exchange import export, merge, verify
from sharprecl.cli.experiment.run import run, status
from sharprecl.cli.experiment.show import figure, page, table

experiment = typer.Typer(help="Run whole comparisons: the paper's tables, or a plan of your own.", no_args_is_help=True)
for command in (run, status, table, figure, page, verify, export, merge):
    experiment.command()(command)
