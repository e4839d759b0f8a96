"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

TrainingTexts = Annotated[
    str, Argument(help="Training texts: .csv, .tsv, .jsonl, .json, .parquet, or a benchmark such as trec.")
]
Text = Annotated[str, Option(help="Column with the texts.")]
Label = Annotated[str, Option(help="Column with the labels.")]
Encoding = Annotated[str, Option(help="Of .csv, .tsv and .jsonl files.")]
Device = Annotated[str, Option(help="auto, cpu, cuda, ...")]

# Of commands that answer with a trained model.
TrainedRun = Annotated[Path, Argument(help="Folder that 'sharprecl train' wrote.")]
TextAsTrained = Annotated[str | None, Option(help="Column with the texts.", show_default="as in training")]
PriorHere = Annotated[
    str | None,
    Option(
        help="How frequent the classes are here: train, uniform, or a file with a share of every label.",
        show_default="as in training",
    ),
]

# Of commands that make many runs.
Workers = Annotated[int, Option(help="Runs side by side, also on one GPU.")]
SharedDevice = Annotated[str, Option(help="auto, cpu, cuda, ...; all workers share it.")]
RetryFailed = Annotated[bool, Option("--retry-failed", help="Make failed runs anew.")]
