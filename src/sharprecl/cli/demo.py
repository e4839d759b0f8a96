"""``sharprecl demo``."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("runs/demo"),
    cap: Annotated[int, typer.Option(help="Most training texts a class.", min=2)] = 60,
    seed: Annotated[int, typer.Option(help="Of the sample and everything that is drawn.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the demo was cut off.")] = False,
) -> None:
    """Train SharpReCL on a long-tailed sample of R52 news, beside three references."""
    from sharprecl.cli.console import make_console
    from sharprecl.cli.progress import make_progress
    from sharprecl.cli.show import say, show_files, show_judged, show_table
    from sharprecl.demo import run_demo

    console = make_console()
    judged = run_demo(
        output,
        cap=cap,
        seed=seed,
        resume=resume,
        make_callback=lambda: make_progress(console),
        show=lambda table: show_table(console, table, f"R52, at most {cap} texts a class"),
        say=lambda sentence: say(console, sentence, style="bold"),
    )
    show_judged(console, judged.evaluations, judged.on)
    show_files(console, output)
