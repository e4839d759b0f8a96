"""Options that several commands have."""

from typing import Annotated

import typer

PriorHere = Annotated[
    str | None,
    typer.Option(
        help="How frequent the classes are here: train, uniform, or a file with a share of every label.",
        show_default="as in training",
    ),
]
"""``--prior`` of the commands that answer with a trained model."""
