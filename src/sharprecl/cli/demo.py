"""``sharprecl demo``."""

from pathlib import Path
from typing import Annotated

from typer import Option

from sharprecl.cli.console import make_console
from sharprecl.cli.outputs import on_disk


def demo(
    output: Annotated[Path, Option("--output", "-o", help="Folder for the results.", callback=on_disk)] = Path(
        "runs/demo"
    ),
    cap: Annotated[int, Option(help="Most training texts a class.", min=2)] = 60,
    seed: Annotated[int, Option(help="Of the sample and everything that is drawn.")] = 0,
    resume: Annotated[bool, Option("--resume", help="Go on where the demo was cut off.")] = False,
) -> None:
    """Train SharpReCL on a long-tailed sample of R52 news, beside three references."""
    from sharprecl.cli.demo_run import run_demo

    run_demo(make_console(), output, cap=cap, seed=seed, resume=resume)
