"""Training against a provider on this machine: each step once, whatever breaks."""

import dataclasses
import json
import logging
import traceback
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from llm.fake_openai import KEY, FakeOpenAI, Fault
from llm.openai_help import settings, small_table, train
from sharprecl.errors import CheckpointError, ConfigError, SharpReCLError
from sharprecl.files import write_json
from sharprecl.llm.openai_client import ProviderError, without_key
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.llm.openai_job import STATE, read_state
from sharprecl.training.job import TrainingJob

UPLOAD, START, CHAT = ("POST", "/files"), ("POST", "/fine_tuning/jobs"), ("POST", "/chat/completions")


def made(server: FakeOpenAI) -> tuple[int, int]:
    """Files and jobs that exist at the provider."""
    return len(server.provider.files), len(server.provider.jobs)


def state_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / STATE).read_text())


def test_a_whole_training(server: FakeOpenAI, tmp_path: Path) -> None:
    fitted, said = train(tmp_path, server.url, n_epochs=2, batch_size=8, learning_rate_multiplier=0.5)
    table = small_table()
    assert made(server) == (1, 1)
    body = server.provider.bodies[0]
    assert body["model"] == "gpt-3.5-turbo-0125"
    assert body["seed"] == 3
    assert body["method"]["supervised"]["hyperparameters"] == {
        "n_epochs": 2,
        "batch_size": 8,
        "learning_rate_multiplier": 0.5,
    }
    assert server.provider.contents["file-1"] == OpenAIFinetune.plan(table, settings(task="reason of the message")).data
    assert (tmp_path / "openai_train.jsonl").read_bytes() == server.provider.contents["file-1"]
    scores, features = fitted.predictor.scores(table.texts)
    np.testing.assert_array_equal(scores.argmax(1), table.label_ids)
    assert features.shape == (16, 0)
    outcome = dataclasses.asdict(fitted.outcome)
    assert outcome == {
        "best_epoch": 2,
        "epochs": 2,
        "steps": 4,
        "tokens": 4321,
        "seconds": 600.0,
        "peak_memory_bytes": 0,
        "precision": "unknown",
        "device": "provider",
    }
    assert len(fitted.validation) == 0
    assert fitted.facts["trained_tokens"] == 4321
    statuses = [sentence.split(" is ")[1].split(";")[0] for sentence in said if sentence.startswith("job ")]
    assert statuses == ["validating_files", "queued", "running", "succeeded: ft:ftjob-1"]
    assert any("4,321 tokens: about $0.03" in sentence for sentence in said)


def test_auto_leaves_all_but_the_passes_to_the_provider(server: FakeOpenAI, tmp_path: Path) -> None:
    fitted, _ = train(tmp_path, server.url)
    asked = server.provider.bodies[0]["method"]["supervised"]["hyperparameters"]
    assert asked == {"n_epochs": 6, "batch_size": "auto", "learning_rate_multiplier": "auto"}
    assert fitted.outcome.steps == 6 * 16 // 4


def test_equal_runs_have_equal_facts(server: FakeOpenAI, tmp_path: Path) -> None:
    first, second = train(tmp_path / "a", server.url)[0], train(tmp_path / "b", server.url)[0]
    assert made(server) == (2, 2)
    assert json.dumps(first.facts) == json.dumps(second.facts)
    assert first.notes == second.notes


@pytest.mark.parametrize(("max_cost", "advice"), [(None, True), (0.01, False)])
def test_nothing_is_sent_before_the_cost_is_allowed(
    server: FakeOpenAI, tmp_path: Path, max_cost: float | None, advice: bool
) -> None:
    with pytest.raises(ConfigError, match=r"about \$0.07 .*Nothing was sent.*max_cost to 0.07") as caught:
        train(tmp_path, server.url, max_cost=max_cost)
    # Where a limit was set, agreeing to everything is not the cure.
    assert ("--yes" in str(caught.value)) == advice
    assert server.provider.requests == []


def test_the_sum_of_the_plan_is_enough(server: FakeOpenAI, tmp_path: Path) -> None:
    train(
        tmp_path, server.url, max_cost=OpenAIFinetune.plan(small_table(), settings(task="reason of the message")).cost
    )
    assert made(server) == (1, 1)


def test_no_folder_and_no_key(server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="needs a folder"):
        OpenAIFinetune.fit(TrainingJob(small_table(), settings()))
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        train(tmp_path, server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim schlüssel")
    with pytest.raises(ConfigError) as caught:
        train(tmp_path, server.url)
    assert "geheim" not in str(caught.value)
    assert server.provider.requests == []


def test_the_address_may_come_from_the_environment(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    train(tmp_path, None)  # type: ignore[arg-type]
    assert made(server) == (1, 1)


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("death", range(1, 9))
def test_killed_at_any_moment_it_never_pays_twice(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: int, written: bool
) -> None:
    """Dies just before, or just after, the n-th writing of its state; then again at the same place; then goes on."""
    writings = 0

    def die(path: Path, value: object) -> None:
        nonlocal writings
        writings += 1
        if writings != death or written:
            write_json(path, value)
        if writings == death:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sharprecl.llm.openai_job.write_json", die)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path, server.url)
        writings = 0
        # With less left to do, the second attempt may come to its end.
        with suppress(KeyboardInterrupt):
            train(tmp_path, server.url, resume=True)
    fitted, _ = train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)
    assert server.provider.count(*UPLOAD) == server.provider.count(*START) == 1
    assert fitted.predictor.page.model == "ft:ftjob-1"


def test_a_finished_training_asks_for_nothing_more(server: FakeOpenAI, tmp_path: Path) -> None:
    assert read_state(tmp_path) is None
    first, _ = train(tmp_path, server.url)
    before = len(server.provider.requests)
    again, _ = train(tmp_path, server.url, resume=True, max_cost=None)
    assert len(server.provider.requests) == before
    assert again.facts == first.facts
    assert again.outcome == first.outcome


@pytest.mark.parametrize("page_size", [1, 100])
@pytest.mark.parametrize("step", [UPLOAD, START])
def test_a_lost_answer_is_looked_for_not_asked_again(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], page_size: int
) -> None:
    server.provider.page_size = page_size
    train(tmp_path / "before", server.url)
    server.provider.faults = [Fault(*step, kind="lose")]
    _, said = train(tmp_path / "run", server.url)
    train(tmp_path / "after", server.url)
    assert made(server) == (3, 3)
    assert server.provider.count(*step) == 3
    assert any("could not be reached" in sentence and "asking again" in sentence for sentence in said)
    assert state_of(tmp_path / "run")["job"] == "ftjob-2"


@pytest.mark.parametrize("step", [UPLOAD, START])
def test_a_lost_answer_and_a_dead_process(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.provider.faults = [Fault(*step, kind="lose")]
    with monkeypatch.context() as patch:
        patch.setattr("sharprecl.llm.openai_job.time.sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path, server.url)
    train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)
    assert server.provider.count(*step) == 1


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_a_dead_job_is_told_and_not_replaced_unasked(server: FakeOpenAI, tmp_path: Path, end: str) -> None:
    server.provider.script = ("queued", end)
    server.provider.error = {"code": "invalid_training_file", "message": f"row 3 is bad, said {KEY}"}
    for resume in (False, True):
        with pytest.raises(SharpReCLError, match=f"ftjob-1 was {end}.*--overwrite") as caught:
            train(tmp_path, server.url, resume=resume)
        assert ("row 3 is bad, said [key]" in str(caught.value)) == (end == "failed")
    assert made(server) == (1, 1)
    server.provider.script = ("queued", "succeeded")
    train(tmp_path, server.url)
    assert made(server) == (2, 2)


def test_a_paid_job_is_not_given_up_silently(server: FakeOpenAI, tmp_path: Path) -> None:
    train(tmp_path, server.url)
    with pytest.raises(ConfigError, match=r"paid job ftjob-1.*--resume.*--overwrite"):
        train(tmp_path, server.url)
    with pytest.raises(ConfigError, match=r"n_epochs, training texts"):
        train(tmp_path, server.url, resume=True, n_epochs=1, task="something else")
    (tmp_path / STATE).write_text('{"run": 1')
    with pytest.raises(CheckpointError, match=r"damaged.*list of fine-tuning jobs"):
        train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)


def test_a_state_that_cannot_be_written_stops_before_spending(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, value: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sharprecl.llm.openai_job.write_json", full)
    with pytest.raises(CheckpointError, match="No space left"):
        train(tmp_path, server.url)
    assert server.provider.requests == []


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            Fault(*START, status=400, message="Model x is not available for fine-tuning"),
            "refused to start the training",
        ),
        (Fault(*START, status=403, message="no right"), "does not let this key start the training"),
        (Fault(*START, status=429, code="insufficient_quota", message="quota"), "no credit left"),
        (Fault(*START, status=404), "finds nothing to start"),
        (Fault(*UPLOAD, kind="html"), "did not answer in JSON"),
        (Fault("GET", "/fine_tuning/jobs/", status=404, message="no such job"), "finds nothing to look at job"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status),
)
def test_what_waiting_does_not_mend_is_told_at_once(
    server: FakeOpenAI, tmp_path: Path, fault: Fault, sentence: str
) -> None:
    server.provider.faults = [fault]
    with pytest.raises(ProviderError, match=sentence):
        train(tmp_path, server.url)
    assert server.provider.count(fault.method, fault.path.rstrip("/")) <= 1
    train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)


def everything_written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_key_is_written_and_said_nowhere(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    loud = Fault(*START, status=500, message=f"we choked on {KEY}", times=2)
    refused = Fault(*START, status=400, message=f"bad key-like thing {KEY}")
    server.provider.faults = [loud, refused]
    shown = []
    with pytest.raises(ProviderError) as caught:
        train(tmp_path, server.url)
    shown.append("".join(traceback.format_exception(caught.value)))
    fitted, said = train(tmp_path, server.url, resume=True)
    shown += said
    fitted.predictor.scores(small_table().texts)
    shown.append(repr(fitted))
    wrong = KEY[:-1] + "X"
    monkeypatch.setenv("OPENAI_API_KEY", wrong)
    with pytest.raises(ProviderError, match="does not accept the key in OPENAI_API_KEY") as caught:
        train(tmp_path / "other", server.url)
    error: BaseException | None = caught.value
    assert error is not None
    assert error.__context__ is None
    shown += ["".join(traceback.format_exception(error)), caplog.text]
    for secret in (KEY, wrong, KEY[3:12]):
        assert secret not in "\n".join(shown)
        assert secret.encode() not in everything_written(tmp_path)


def test_words_of_the_provider_are_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "local-secret")
    assert without_key("a local-secret and sk-abc***xyz.") == "a [key] and [key]"


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("step", [UPLOAD, START])
def test_what_is_listed_late_is_not_made_twice(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], monkeypatch: pytest.MonkeyPatch, dead: bool
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_job.LISTING_PAUSES", (0.01,) * 5)
    server.provider.faults = [Fault(*step, kind="lose")]
    server.provider.late = 3
    if dead:
        with monkeypatch.context() as patch:
            patch.setattr(
                "sharprecl.llm.openai_job.time.sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            with pytest.raises(KeyboardInterrupt):
                train(tmp_path, server.url)
    _, said = train(tmp_path, server.url, resume=dead)
    assert server.provider.late == 0
    assert made(server) == (1, 1)
    assert server.provider.count(*step) == 1
    assert any("may have arrived; looking for what it made for 0 s" in sentence for sentence in said)


def test_a_job_is_looked_for_a_last_time_when_the_time_is_over(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("sharprecl.llm.openai_job.LISTING_PAUSES", (1.0, 2.0, 4.0, 8.0, 15.0, 30.0))
    monkeypatch.setattr("sharprecl.llm.openai_job.FIRST_PAUSE", 1.0)
    monkeypatch.setattr(
        "sharprecl.llm.openai_job.time",
        SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda seconds: clock.__setitem__(0, clock[0] + seconds)),
    )
    # Nothing has arrived, which only time can tell.
    server.provider.faults = [Fault(*START, kind="drop")]
    train(tmp_path, server.url)
    assert 61 <= clock[0] < 63
    assert server.provider.count("GET", "/fine_tuning/jobs") == 7
    assert made(server) == (1, 1)


def test_a_refusal_for_now_made_nothing_to_look_for_long(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_job.LISTING_PAUSES", (1e6,))
    server.provider.faults = [Fault(*START, status=429)]
    train(tmp_path, server.url)
    assert server.provider.count("GET", "/fine_tuning/jobs") == 0
