"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Text = Annotated[str, typer.Option(help="Column with the texts.")]
Label = Annotated[str, typer.Option(help="Column with the labels.")]
Encoding = Annotated[str, typer.Option(help="Of .csv, .tsv and .jsonl files.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, ...")]

# Of commands that answer with a trained model.
TrainedRun = Annotated[Path, typer.Argument(help="Folder that 'sharprecl train' wrote.")]
TextAsTrained = Annotated[str | None, typer.Option(help="Column with the texts.", show_default="as in training")]
PriorHere = Annotated[
    str | None,
    typer.Option(
        help="How frequent the classes are here: train, uniform, or a file with a share of every label.",
        show_default="as in training",
    ),
]

# Of commands that make many runs.
Workers = Annotated[int, typer.Option(help="Runs side by side, also on one GPU.")]
SharedDevice = Annotated[str, typer.Option(help="auto, cpu, cuda, ...; all workers share it.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Make failed runs anew.")]
