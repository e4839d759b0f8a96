"""Options that several commands have, and what is made of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from sharprecl.cli.outputs import on_disk
from sharprecl.errors import ConfigError, DataError

if TYPE_CHECKING:
    from sharprecl.experiments.collection import Records

TrainingTexts = Annotated[
    str, Argument(help="Training texts: .csv, .tsv, .xlsx, .jsonl, .json, .parquet, or a benchmark such as trec.")
]
Text = Annotated[str, Option(help="Column with the texts.")]
Label = Annotated[str, Option(help="Column with the labels.")]
Encoding = Annotated[
    str | None, Option(help="Of text files that are not UTF-8.", show_default="cp1252, if they look like it")
]
Separator = Annotated[str | None, Option(help="Between the fields of .csv and .tsv.", show_default="recognised")]
Sheet = Annotated[str | None, Option(help="Of a workbook.", show_default="its only one")]
Strict = Annotated[
    bool, Option("--strict", help="Refuse rows without a text or a label; otherwise they are set aside and listed.")
]
Device = Annotated[str, Option(help="auto, cpu, cuda, ...")]

# Of commands that answer with a trained model.
TrainedRun = Annotated[Path, Argument(help="Folder that 'sharprecl train' wrote.")]
AnswerPrecision = Annotated[
    str | None,
    Option(
        "--precision",
        help="auto, bf16 or fp32. On hardware that computes in bf16 (auto sees), that takes half the time and moves "
        "scores by a hundredth.",
        show_default="encoder.answer_precision of the training",
    ),
]
TextAsTrained = Annotated[str | None, Option(help="Column with the texts.", show_default="as in training")]
PriorHere = Annotated[
    str | None,
    Option(
        help="How frequent the classes are here: train, uniform, a file with a share of every label, or estimate: "
        "from these texts, without their labels.",
        show_default="as in training",
    ),
]

# What is done with scores.
Calibrate = Annotated[
    bool, Option("--calibrate", help="Fit probabilities to held-out texts; the next four options do so anyway.")
]
Optimise = Annotated[
    str | None,
    Option(help="Answer some classes sooner: macro_f1, balanced_accuracy, recall:LABEL>=0.9, or costs in a .csv file."),
]
Coverage = Annotated[float | None, Option(help="Share of the texts to be sure of, as in 0.9; others are 'not sure'.")]
Precision = Annotated[
    float | None, Option(help="Share of right answers that is promised where it is sure, instead of --coverage.")
]
Sets = Annotated[float | None, Option(help="Give sets of classes that hold the true one so often, as in 0.9.")]

# Of commands that answer texts one block after the other.
Kind = Annotated[
    str | None,
    Option(
        "--format",
        help="Of standard input: csv, tsv, jsonl or lines.",
        show_default="jsonl if it begins with {, or csv",
    ),
]
PoolOn = Annotated[str | None, Option(help="ray: answer many files on a Ray cluster.", show_default="this process")]
PoolWorkers = Annotated[
    int | None, Option(help="On Ray: models side by side, each with a file.", min=1, show_default="as there is room")
]
PoolThreads = Annotated[int, Option(help="On Ray: CPU threads of each.", min=1)]
Prefix = Annotated[str, Option(help="Before the names of the new columns.")]
Resume = Annotated[bool, Option("--resume", help="Go on where this command was cut off.")]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace the output file.")]

# Of commands that train a model.
EncoderName = Annotated[str | None, Option(help="minilm, a local folder or a Hugging Face id.", show_default="minilm")]
MethodName = Annotated[
    str | None, Option(help="Any of 'sharprecl methods', module:Class, or auto.", show_default="sharprecl")
]
PriorToCome = Annotated[
    str | None,
    Option(
        help="How frequent the classes will be: train, uniform, or a file with a share of every label.",
        show_default="as the method answers",
    ),
]
MaxLength = Annotated[int | None, Option(help="Tokens a text.", show_default="256")]
Seed = Annotated[int | None, Option(help="Of everything that is drawn.", show_default="0")]
OverwriteFolder = Annotated[bool, Option("--overwrite", help="Replace what is in the output folder.")]

# Of commands that make many runs.
Workers = Annotated[int, Option(help="Runs side by side, also on one GPU.")]
SharedDevice = Annotated[str, Option(help="auto, cpu, cuda, ...; all workers share it.")]
On = Annotated[str | None, Option(help="ray: make the runs on a Ray cluster.", show_default="this machine")]
Address = Annotated[str | None, Option(help="Of the Ray cluster.", show_default="RAY_ADDRESS, or one on this machine")]
GpuShare = Annotated[
    float | None,
    Option(help="On Ray: of a GPU for each; 0.0625 lets sixteen share one.", show_default="1 where there are any"),
]

# Of a training on a cluster.
TrainOn = Annotated[str | None, Option(help="ray: train on a Ray cluster.", show_default="this machine")]
TrainWorkers = Annotated[
    int | None,
    Option(
        help="On Ray: that train together; the batch stays as large.",
        min=1,
        show_default="as many as there is room for",
    ),
]
MinWorkers = Annotated[
    int | None,
    Option(help="On Ray: go on with so few while machines are missing.", min=1, show_default="all of them"),
]

# Of a search on a cluster.
TuneOn = Annotated[str | None, Option(help="ray: make the trials on a Ray cluster.", show_default="this machine")]
TuneWorkers = Annotated[int | None, Option(help="On Ray: trials side by side.", min=1, show_default="as there is room")]
RetryFailed = Annotated[bool, Option("--retry-failed", help="Make failed runs anew.")]

# Of experiments.
_PLANS = "A YAML file, or one of datasets, main, llm, ablation, sensitivity, top_k, augmentation, embedding."
PlanName = Annotated[str, Argument(metavar="PLAN", help=_PLANS)]
PlanNames = Annotated[list[str], Argument(metavar="PLAN...", help=f"{_PLANS} Several make one sweep.")]
Scale = Annotated[str, Option(help="paper, small or smoke.")]
Results = Annotated[Path, Option("--output", "-o", "--results", help="Folder that keeps the runs.", callback=on_disk)]
Sources = Annotated[
    list[Path] | None,
    Option(
        "--results",
        "--output",
        "-o",
        help="Folder of runs, or a file that 'export' wrote; may be given more than once.",
        show_default="results",
    ),
]
Rows = Annotated[str, Option(help="Only these rows, as in bcl,sharprecl.")]
Columns = Annotated[str, Option(help="Only these columns, as in trec@50,cr.")]
Seeds = Annotated[str, Option(help="Only these seeds, as in 0,1.")]


def is_ray(on: str | None, address: str | None, gpu_share: float | None) -> bool:
    """Whether a command works on a Ray cluster.

    Raises:
        ConfigError: an unknown place, or options of a cluster without one.
    """
    if on not in (None, "ray"):
        raise ConfigError(f"--on {on!r} is not known; give --on ray, or leave it out for this machine")
    if on is None and (address is not None or gpu_share is not None):
        raise ConfigError("--address and --gpu-share are for a Ray cluster; add --on ray")
    return on is not None


def chosen_parts(rows: str, columns: str, seeds: str) -> tuple[list[str], list[str], list[int]]:
    """Names and numbers out of lists with commas; empty where all are meant.

    Raises:
        ConfigError: a seed that is no whole number from 0.
    """
    numbers = names_in(seeds)
    if not all(name.isdecimal() for name in numbers):
        raise ConfigError(f"--seeds {seeds!r}: seeds are whole numbers from 0; write them like 0,1,2")
    return names_in(rows), names_in(columns), sorted({int(name) for name in numbers})


def names_in(text: str) -> list[str]:
    """The names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def records_of(results: Sequence[Path] | None) -> "Records":
    """All that is stored there.

    Raises:
        DataError: one cannot be read, or two of them disagree about a run.
    """
    from sharprecl.experiments.verify import read_all

    records, faults = read_all(list(results or [Path("results")]))
    if faults:
        raise DataError(f"the results disagree: {faults[0]}")
    return records
