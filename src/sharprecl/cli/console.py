"""Where commands print."""

from rich.console import Console


def make_console(*, stderr: bool = False) -> Console:
    """A terminal that prints words as they are: a label or a file may be called ``:heart:``."""
    return Console(stderr=stderr, emoji=False)
