"""What a person reads while a run goes on, while something is counted, and while work in stages goes on."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sharprecl.cli import progress
from sharprecl.cli.progress import TrainingProgress, counter, stages
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
    assert progress.speed_words(replace(PACE, seconds_left=36065.2)) == "410 texts/s, 10:01:05 left"
    assert progress.speed_words(PACE) == "410 texts/s, 1:05 left"
    assert progress.validation_line(CHECK) == "epoch 2: validation macro-F1 61.2, accuracy 83.0 *"


def test_a_training_in_a_pipe_has_plain_lines(monkeypatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    callback = TrainingProgress(Console(file=stream))
    for now in (1.0, 11.0, 12.0):  # noqa: B007
        callback.on_record(STEP, PACE)
    callback.on_record(CHECK, PACE)
    callback.on_message("[bold]resumed[/bold]")
    callback.on_end()
    assert stream.getvalue().splitlines() == [
        "step 3/40  loss 2.500 (classification 1.000, contrastive 1.500)  410 texts/s, 1:05 left",
        "epoch 2: validation macro-F1 61.2, accuracy 83.0 *",
        "[bold]resumed[/bold]",
    ]


def test_a_training_on_a_terminal_has_a_bar() -> None:
    stream = io.StringIO()
    callback = TrainingProgress(Console(file=stream, force_terminal=True, width=120))
    callback.on_record(STEP, PACE)
    callback.on_record(CHECK, PACE)
    callback.on_message("sentence")
    callback.on_end()
    assert "step 3/40" in stream.getvalue()
    assert "macro-F1 61.2" in stream.getvalue()


def test_a_count_in_a_pipe_has_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with counter(Console(file=stream), "[b]augmenting", "texts") as count:
        for now, done in ((0.0, 300), (0.5, 400), (5.0, 490), (10.5, 600), (11.0, 700), (20.5, 800)):  # noqa: B007
            count(done, 2000)
    assert stream.getvalue().splitlines() == [
        "[b]augmenting 600/2000 20 texts/s, 1:10 left",  # what the cache had in the beginning says nothing of the pace
        "[b]augmenting 800/2000 20 texts/s, 1:00 left",
    ]


def test_what_is_loaded_before_the_first_batch_does_not_slow_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with counter(Console(file=stream), "augmenting", "texts") as count:
        for now, done in ((0.0, 0), (60.0, 16), (61.0, 80), (71.0, 720)):  # noqa: B007
            count(done, 2000)
    assert stream.getvalue().splitlines() == [
        "augmenting 16/2000 texts",
        "augmenting 720/2000 64 texts/s, 0:20 left",
    ]


def test_a_count_on_a_terminal_has_a_bar_that_goes_away() -> None:
    stream = io.StringIO()
    with counter(Console(file=stream, force_terminal=True, width=100), "augmenting", "texts") as count:
        count(3, 40)
        count(40, 40)
    assert "augmenting" in stream.getvalue()
    assert "40/40" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K"), "the line is taken back"


def test_an_error_inside_leaves_no_bar_behind() -> None:
    stream = io.StringIO()
    with pytest.raises(ZeroDivisionError), counter(Console(file=stream, force_terminal=True), "x", "y"):
        raise ZeroDivisionError
    assert "\x1b[?25h" in stream.getvalue(), "the cursor is shown again"


def test_stages_in_a_pipe_have_a_line_each_and_one_now_and_then(monkeypatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    told = (
        (0.0, "reading [/x]", 0, 1),
        (1.0, "near duplicates", 0, 2000),
        (9.0, "near duplicates", 1500, 2000),
        (12.0, "near duplicates", 1600, 2000),
        (13.0, "label errors", 0, 5),
    )
    with stages(Console(file=stream)) as tell:
        for now, stage, done, total in told:  # noqa: B007
            tell(stage, done, total)
    assert stream.getvalue().splitlines() == [
        "reading [/x]",
        "near duplicates",
        "near duplicates: 1,600 of 2,000",
        "label errors",
    ]


def test_stages_on_a_terminal_have_a_bar_that_goes_away() -> None:
    stream = io.StringIO()
    with stages(Console(file=stream, force_terminal=True, width=80)) as tell:
        tell("reading [/x]", 0, 1)
        tell("near duplicates", 5, 10)
    assert "near duplicates" in stream.getvalue()
    assert "5/10" in stream.getvalue()


def test_a_count_whose_end_is_not_known_tells_its_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with counter(Console(file=stream), "classifying", "texts") as count:
        for now, done in ((0.0, 0), (1.0, 2000), (11.0, 42_000)):  # noqa: B007
            count(done, None)
    assert stream.getvalue().splitlines() == ["classifying 42000 4,000 texts/s"]
