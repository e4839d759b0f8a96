"""The demo: the main job on a long-tailed sample of R52, beside three references trained on the same texts.

The settings are small enough for two CPU cores and a few minutes: the first 64 tokens of a news text, which hold its
title and its lead, four epochs, and the two upper layers.
"""

from pathlib import Path
from typing import Any

from rich.console import Console

from sharprecl.cli.console import say, show_files, show_judged, show_table
from sharprecl.cli.progress import TrainingProgress
from sharprecl.config import merge, resolve
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.evaluation.judge import Evaluation
from sharprecl.runs.claim import claim, is_finished
from sharprecl.runs.judge import Judged, frozen_reference, frozen_title, tfidf_reference
from sharprecl.runs.run import Run
from sharprecl.runs.spec import FLOOR
from sharprecl.runs.train import judge_again, train

SETTINGS: dict[str, Any] = {
    "encoder": {"name": "minilm", "max_length": 64, "trainable_layers": 2, "answer_precision": "auto"},
    # No early stopping: both encoders take the same number of steps.
    "training": {"max_epochs": 4, "batch_size": 32, "patience": None},
}


def run_demo(console: Console, output: Path, *, cap: int, seed: int, resume: bool) -> None:
    """Train both encoders and the two floors, leave SharpReCL's run in ``output``, and print the table of all four.

    Plain cross-entropy's run goes to ``output/cross_entropy``.

    Args:
        cap: most training texts a class.
        seed: of the sample, the split and the training.
        resume: finish a demo that was cut off.
    """
    benchmark = load_benchmark("r52")
    table, test = cap_per_class(benchmark.train, cap, seed), benchmark.test
    show_table(console, table, f"R52, at most {cap} texts a class")
    references: dict[str, Evaluation] = {}

    def run(method: str, title: str, folder: Path) -> Run:
        config = resolve(merge(SETTINGS, {"seed": seed, "method": {"name": method}}))
        return Run(table, config, folder, test=test, title=title)

    def finish(run: Run) -> Judged:
        if resume and is_finished(run.output):
            return judge_again(run)
        return train(run, [TrainingProgress(console)], resume)

    plain = run("cross_entropy", "cross-entropy", output / "cross_entropy")
    main = run("sharprecl", "SharpReCL", output)
    # A demo may replace a demo, and nothing else.
    overwrite = not resume and plain.output.is_dir()
    for each in (main, plain):
        claim(each.output, resume, overwrite)
    say(console, f"1 of 4: {FLOOR}, balanced class weights", style="bold")
    references[FLOOR] = tfidf_reference(table, test, seed)
    frozen = frozen_title(main.config.encoder.name)
    say(console, f"2 of 4: {frozen}, balanced too: every text is read once", style="bold")
    references[frozen] = frozen_reference(table, test, main.config)
    plain.references |= references
    say(console, "3 of 4: MiniLM with plain cross-entropy", style="bold")
    references["cross-entropy"] = finish(plain).evaluation
    main.references |= references
    say(console, "4 of 4: MiniLM with SharpReCL, two views of every text", style="bold")
    judged = finish(main)
    show_judged(console, {main.title: judged.evaluation, **references}, judged.on)
    show_files(console, output)
