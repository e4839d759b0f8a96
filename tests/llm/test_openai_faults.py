"""A provider that fails, drops answers, sleeps or restarts: the training goes on, and nothing is paid for twice."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from llm.fake_openai import FakeOpenAI, Fault
from llm.openai_help import settings, small_table, train
from sharprecl.llm.openai_client import ProviderError
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.llm.openai_job import STATE
from sharprecl.training.history import Silent
from sharprecl.training.job import TrainingJob

UPLOAD, START, CHAT = ("POST", "/files"), ("POST", "/fine_tuning/jobs"), ("POST", "/chat/completions")


def made(server: FakeOpenAI) -> tuple[int, int]:
    """Files and jobs that exist at the provider."""
    return len(server.provider.files), len(server.provider.jobs)


def state_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / STATE).read_text())


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

    class Restarting(Silent):
        def said(self, sentence: str) -> None:
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
