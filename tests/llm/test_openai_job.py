"""Training against a provider on this machine: each step once, whatever breaks."""

import dataclasses
import json
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from llm.fake_openai import KEY, FakeOpenAI, Fault
from llm.openai_help import made, settings, small_table, train
from sharprecl.errors import CheckpointError, ConfigError, SharpReCLError
from sharprecl.files import write_json
from sharprecl.llm.openai_client import ProviderError
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.llm.openai_job import STATE, read_state
from sharprecl.training.history import Callback
from sharprecl.training.job import TrainingJob

UPLOAD, START, CHAT = ("POST", "/files"), ("POST", "/fine_tuning/jobs"), ("POST", "/chat/completions")


def state_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / STATE).read_text())


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


FAULTS = [
    Fault("", "", kind="drop", times=2),
    Fault("", "", status=500, times=2),
    Fault("", "", status=429, headers={"retry-after": "0.01"}, times=2),
    Fault("", "", kind="lose"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind}-{fault.status}")
@pytest.mark.parametrize("step", [UPLOAD, START, ("GET", "/fine_tuning/jobs/"), CHAT])
def test_it_survives_faults_at_every_step(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], fault: Fault
) -> None:
    due = dataclasses.replace(fault, method=step[0], path=step[1])
    server.provider.faults = [due]
    fitted, _ = train(tmp_path, server.url)
    assert due.times == 0
    assert made(server) == (1, 1)
    assert fitted.predictor.page.model == "ft:ftjob-1"


def test_the_network_may_be_away_while_the_job_runs(server: FakeOpenAI, tmp_path: Path) -> None:
    server.provider.faults = [Fault("GET", "/fine_tuning/jobs/", kind="drop", times=12, skip=1)]
    train(tmp_path, server.url)
    assert made(server) == (1, 1)


def test_the_network_is_not_waited_for_forever(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_job.PATIENT_RETRIES", 3)
    server.provider.faults = [Fault("GET", "/fine_tuning/jobs/", kind="drop", times=10_000)]
    with pytest.raises(ProviderError, match=r"could not be reached to look at job ftjob-1.*--resume later"):
        train(tmp_path, server.url)
    server.provider.faults = []
    train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)


def test_the_server_may_be_restarted(server: FakeOpenAI, tmp_path: Path) -> None:
    server.provider.script = ("queued", *["running"] * 5, "succeeded")
    heard: list[str] = []

    class Restarting(Callback):
        def on_message(self, sentence: str) -> None:
            heard.append(sentence)
            if "is running" in sentence:
                server.stop_for(0.3)

    config = settings(max_cost=1.0, poll_seconds=0.05, base_url=server.url)
    OpenAIFinetune.fit(TrainingJob(small_table(), config, Restarting(), output=tmp_path))
    assert made(server) == (1, 1)
    assert "succeeded" in heard[-2]


def test_a_new_model_may_take_a_while_to_wake(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep = Fault(*CHAT, status=404, code="model_not_found", times=3)
    server.provider.faults = [asleep]
    train(tmp_path / "a", server.url)
    assert asleep.times == 0
    assert state_of(tmp_path / "a")["answers"]
    monkeypatch.setattr("sharprecl.llm.openai_job.WAKING_SECONDS", 0.0)
    server.provider.faults = [Fault(*CHAT, status=404, times=100)]
    with pytest.raises(ProviderError, match=r"finds nothing to wake the new model.*go on with --resume later"):
        train(tmp_path / "b", server.url)


def test_a_filter_that_refuses_the_first_text_does_not_block(server: FakeOpenAI, tmp_path: Path) -> None:
    server.provider.faults = [Fault(*CHAT, status=400, code="content_filter")]
    train(tmp_path, server.url)
    assert state_of(tmp_path)["answers"]


def test_the_model_is_woken_with_none_of_the_user_s_texts(server: FakeOpenAI, tmp_path: Path) -> None:
    train(tmp_path, server.url)
    (hello,) = [body for body in server.provider.bodies if "messages" in body]
    sent = json.dumps(hello["messages"])
    assert not any(text in sent for text in small_table().texts)


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


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("step", [UPLOAD, START])
def test_what_is_listed_late_is_not_made_twice(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], monkeypatch: pytest.MonkeyPatch, dead: bool
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_job.PAUSES", (0.01,) * 5)
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
    monkeypatch.setattr("sharprecl.llm.openai_job.PAUSES", (1.0, 2.0, 4.0, 8.0, 15.0, 30.0))
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


def test_a_refusal_for_now_made_nothing_to_look_for(server: FakeOpenAI, tmp_path: Path) -> None:
    server.provider.faults = [Fault(*START, status=429)]
    train(tmp_path, server.url)
    assert server.provider.count("GET", "/fine_tuning/jobs") == 0
