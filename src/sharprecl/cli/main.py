"""The ``sharprecl`` command. Everything heavy is imported inside the commands: ``--help`` must answer at once."""

import errno
import io
import sys
from typing import Annotated

import typer

from sharprecl.cli.assets import assets
from sharprecl.cli.augment import augment
from sharprecl.cli.compare import compare
from sharprecl.cli.datasets import datasets
from sharprecl.cli.demo import demo
from sharprecl.cli.doctor import doctor
from sharprecl.cli.evaluate import evaluate
from sharprecl.cli.experiment import experiment
from sharprecl.cli.methods import methods
from sharprecl.cli.predict import predict
from sharprecl.cli.train import train
from sharprecl.errors import SharpReCLError
from sharprecl.version import __version__

# A full, read-only or forbidden disk can show at any write; it is the user's to mend, not a fault of the program.
_DISK = {errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EPERM, errno.EDQUOT, errno.EFBIG}

# A place that is a file where a folder is needed or the other way round, or has a name that no disk takes.
_PLACE = {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG}

# What Typer makes of Ctrl-C, and nothing else here ends in.
_INTERRUPTED = 130

app = typer.Typer(
    name="sharprecl",
    help="Classify text when some classes are rare. Start with: sharprecl train data.csv --output runs/first",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(doctor)
app.command()(train)
app.command()(evaluate)
app.command()(predict)
app.command()(compare)
app.command()(demo)
app.command()(methods)
app.command()(augment)
app.command()(assets)
app.add_typer(datasets, name="datasets")
app.add_typer(experiment, name="experiment")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sharprecl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; what a user can mend ends in one sentence and status 2."""
    # A console or pipe that knows fewer characters gets the others' numbers, not a traceback in the middle.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except SharpReCLError as error:
        typer.echo(f"sharprecl: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        if error.errno in _PLACE:
            typer.echo(f"sharprecl: cannot use{where} ({error.strerror}); name another place", err=True)
            sys.exit(2)
        if error.errno not in _DISK:
            raise
        typer.echo(
            f"sharprecl: could not write{where} ({error.strerror}); free some space or make the folder writable, then "
            f"run the same command again ('sharprecl train' with --resume)",
            err=True,
        )
        sys.exit(2)
    except SystemExit as left:
        if left.code == _INTERRUPTED:
            typer.echo(
                "sharprecl: interrupted; 'train' goes on with --resume, an experiment and 'augment' when started again",
                err=True,
            )
        raise
