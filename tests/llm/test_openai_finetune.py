"""The method from a table to answers: what is asked of the provider, and what must be agreed to before."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from llm.fake_openai import FakeOpenAI
from llm.openai_help import made, plan_of, settings, small_table, train
from sharprecl.errors import ConfigError
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.training.job import TrainingJob


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
    assert server.provider.contents["file-1"] == plan_of(table, settings(task="reason of the message")).data
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
        "processes": 1,
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
    train(tmp_path, server.url, max_cost=plan_of(small_table(), settings(task="reason of the message")).cost)
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
