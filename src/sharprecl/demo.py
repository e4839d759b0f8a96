"""The demo: the main job on a long-tailed sample of R52, beside three references trained on the same texts.

The settings are small enough for two CPU cores and six minutes: the first 64 tokens of a news text, which hold its
title and its lead, and four epochs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharprecl.config import merge, resolve
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import Evaluation
from sharprecl.runs.judge import FLOOR, Judged, frozen_reference, frozen_title, tfidf_reference
from sharprecl.runs.train import Run, claim, is_finished, judge_again, train
from sharprecl.training.history import Callback

SETTINGS: dict[str, Any] = {
    "encoder": {"name": "minilm", "max_length": 64},
    # No early stopping: both encoders take the same number of steps.
    "training": {"max_epochs": 4, "batch_size": 32, "patience": None},
}


@dataclass(frozen=True)
class DemoResult:
    """The four rows of the demo's table."""

    evaluations: dict[str, Evaluation]
    on: str


def run_demo(
    output: Path,
    *,
    cap: int,
    seed: int,
    resume: bool,
    make_callback: Callable[[], Callback],
    show: Callable[[TextTable], None],
    say: Callable[[str], None],
) -> DemoResult:
    """Train both encoders and the two floors, and leave SharpReCL's run in ``output``.

    Args:
        output: SharpReCL's run; plain cross-entropy's run goes to ``output/cross_entropy``.
        cap: most training texts a class.
        seed: of the sample, the split and the training.
        resume: finish a demo that was cut off.
        make_callback: makes one callback a training.
        show: is given the training table.
        say: is told what comes next.
    """
    benchmark = load_benchmark("r52")
    table, test = cap_per_class(benchmark.train, cap, seed), benchmark.test
    show(table)
    references: dict[str, Evaluation] = {}
    plain = _run("cross_entropy", table, test, output / "cross_entropy", seed, {})
    main = _run("sharprecl", table, test, output, seed, references)
    # A demo may replace a demo, and nothing else.
    overwrite = not resume and plain.output.is_dir()
    for run in (main, plain):
        claim(run.output, resume, overwrite)
    say(f"1 of 4: {FLOOR}, balanced class weights")
    references[FLOOR] = tfidf_reference(table, test, seed)
    frozen = frozen_title(main.config.encoder.name)
    say(f"2 of 4: {frozen}, balanced too: every text is read once")
    references[frozen] = frozen_reference(table, test, main.config)
    plain.references |= references
    say("3 of 4: MiniLM with plain cross-entropy")
    references["cross-entropy"] = _finish(plain, make_callback(), resume).evaluation
    say("4 of 4: MiniLM with SharpReCL, two views of every text")
    judged = _finish(main, make_callback(), resume)
    return DemoResult({main.title: judged.evaluation, **references}, judged.on)


def _finish(run: Run, callback: Callback, resume: bool) -> Judged:
    if resume and is_finished(run.output):
        return judge_again(run)
    return train(run, [callback], resume)


def _run(
    method: str, table: TextTable, test: TextTable, output: Path, seed: int, references: dict[str, Evaluation]
) -> Run:
    config = resolve(merge(SETTINGS, {"seed": seed, "method": {"name": method}}))
    title = {"sharprecl": "SharpReCL", "cross_entropy": "cross-entropy"}[method]
    return Run(table, config, output, test=test, references=references, title=title)
