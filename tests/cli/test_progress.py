"""What a person reads while a run goes on."""

import io

from rich.console import Console

from sharprecl.cli import progress
from sharprecl.training.history import TrainingSpeed

STEP = {
    "kind": "step",
    "step": 3,
    "epoch": 1,
    "loss": {"total": 2.5, "classification": 1.0, "contrastive": 1.5},
    "learning_rate": 1e-4,
}
CHECK = {"kind": "validation", "epoch": 2, "step": 9, "macro_f1": 0.612, "accuracy": 0.83, "loss": 1.0, "best": True}
PACE = TrainingSpeed(step=3, total_steps=40, texts_per_second=410.4, seconds_left=65.2)


def test_words() -> None:
    assert progress.loss_terms(STEP) == "loss 2.500 (classification 1.000, contrastive 1.500)"
    assert progress.loss_terms({"loss": {"total": 0.5}}) == "loss 0.500"
    assert progress.speed_words(PACE) == "410 texts/s, 1:05 left"
    assert progress.validation_line(CHECK) == "epoch 2: validation macro-F1 61.2, accuracy 83.0 *"


def test_without_a_terminal_there_are_plain_lines(monkeypatch) -> None:
    clock = iter([0.0, 1.0, 11.0, 12.0, 12.5])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    callback = progress.make_progress(Console(file=stream))
    assert isinstance(callback, progress.PlainProgress)
    for _ in range(3):
        callback.on_record(STEP, PACE)
    callback.on_record(CHECK, PACE)
    callback.on_message("[bold]resumed[/bold]")
    callback.on_end()
    assert stream.getvalue().splitlines() == [
        "step 3/40  loss 2.500 (classification 1.000, contrastive 1.500)  410 texts/s, 1:05 left",
        "epoch 2: validation macro-F1 61.2, accuracy 83.0 *",
        "[bold]resumed[/bold]",
    ]


def test_on_a_terminal_there_is_a_bar() -> None:
    stream = io.StringIO()
    callback = progress.make_progress(Console(file=stream, force_terminal=True, width=120))
    assert isinstance(callback, progress.LiveProgress)
    callback.on_record(STEP, PACE)
    callback.on_record(CHECK, PACE)
    callback.on_message("sentence")
    callback.on_end()
    assert "step 3/40" in stream.getvalue()
    assert "macro-F1 61.2" in stream.getvalue()
