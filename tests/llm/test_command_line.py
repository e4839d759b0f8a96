"""Language models from the command line: train, judge, predict, spend."""

import csv
import json
import sys
from pathlib import Path

import pytest

from llm.fake_openai import KEY, FakeOpenAI, Fault
from sharprecl import TextClassifier
from sharprecl.cli.main import main
from tiny import skewed_texts
from tiny_llm import tiny_llama_folder

COUNTS = {"billing": 8, "access": 4, "shipping": 2, "hardware": 2}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, seed in (("tickets.csv", 0), ("held_out.csv", 0)):
        texts, labels = skewed_texts(COUNTS, seed=seed)
        with (tmp_path / name).open("w", newline="") as stream:
            csv.writer(stream).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    return tmp_path


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["sharprecl", *arguments])
        status = 0
        try:
            main()
        except SystemExit as left:
            status = int(left.code or 0)
        found = capsys.readouterr()
        return status, found.out + found.err

    return run


def figures(run: Path) -> dict[str, object]:
    return json.loads((run / "metrics.json").read_text())["evaluation"]


def test_lora_trains_judges_and_predicts(command, folder: Path) -> None:
    model = tiny_llama_folder(folder / "llama")
    wanted = ["--method", "llm_lora", "--set", f"method.model={model}", "--set", "method.epochs=2", "--device", "cpu"]
    wanted += ["--set", "method.task=topic", "--set", "method.learning_rate=0.005"]
    status, said = command("train", "tickets.csv", "--test", "held_out.csv", "-o", "run", *wanted)
    assert status == 0, said
    assert (folder / "run/adapter/adapter_config.json").exists()
    assert not (folder / "run/model").exists()
    assert (folder / "run/report.html").exists()
    assert figures(folder / "run")["n_texts"] == 16
    status, said = command("predict", "run", "held_out.csv", "-o", "answers.csv")
    assert status == 0, said
    with (folder / "answers.csv").open() as stream:
        answers = [row["predicted"] for row in csv.DictReader(stream)]
    texts, _ = skewed_texts(COUNTS)
    assert answers == TextClassifier.load(folder / "run").predict(texts).tolist()
    status, said = command("train", "tickets.csv", "-o", "run", "--overwrite", *wanted, "--set", "method.epochs=0")
    assert status == 0, said
    assert not (folder / "run/adapter/adapter_config.json").exists()


def wanted_of(server: FakeOpenAI) -> list[str]:
    settings = ["base_url=" + server.url, "task=reason of the message", "poll_seconds=0.01"]
    return ["--method", "openai_finetune", *(word for s in settings for word in ("--set", f"method.{s}"))]


def test_a_dry_run_sends_nothing(command, folder: Path, server: FakeOpenAI) -> None:
    status, said = command("train", "tickets.csv", "-o", "run", "--dry-run", *wanted_of(server))
    assert status == 0, said
    assert "about $" in said
    assert "tokens" in said
    assert not server.provider.files
    lines = (folder / "run/openai_train.jsonl").read_text().splitlines()
    assert len(lines) == 16
    assert json.loads(lines[0])["messages"][-1]["role"] == "assistant"
    # The folder of a dry run is no obstacle to the run itself.
    status, said = command("train", "tickets.csv", "-o", "run", "--yes", *wanted_of(server))
    assert status == 0, said


def test_a_person_is_asked_before_money_is_spent(command, folder: Path, server: FakeOpenAI, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr("typer.confirm", lambda question, default: asked.append(question) or False)
    status, said = command("train", "tickets.csv", "-o", "run", *wanted_of(server))
    assert (status, len(asked)) == (0, 1)
    assert "nothing spent" in said
    assert not server.provider.files


def test_a_provider_s_model_is_trained_judged_and_asked(command, folder: Path, server: FakeOpenAI) -> None:
    wanted = wanted_of(server)
    status, said = command("train", "tickets.csv", "--test", "held_out.csv", "-o", "run", "--yes", *wanted)
    assert status == 0, said
    assert figures(folder / "run")["accuracy"] == 1.0, "the fake model knows its training texts by heart"
    assert figures(folder / "run")["unanswered"] == 0
    status, said = command("train", "tickets.csv", "--test", "held_out.csv", "-o", "run", "--yes", "--resume", *wanted)
    assert "nothing to resume" in said
    (folder / "new.csv").write_text("text\nan unheard of text\n" + skewed_texts(COUNTS)[0][0] + "\n")
    status, said = command("predict", "run", "new.csv", "-o", "answers.csv")
    assert status == 0, said
    assert "1 of them without an answer" in said
    with (folder / "answers.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["predicted"] for row in rows] == ["", skewed_texts(COUNTS)[1][0]]
    assert float(rows[0]["confidence"]) == 0.0
    for path in folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_lost_job_is_found_again_and_not_paid_for_twice(command, folder: Path, server: FakeOpenAI) -> None:
    server.provider.faults.append(Fault("GET", "/fine_tuning/jobs", status=401, times=10**6))
    status, said = command("train", "tickets.csv", "-o", "run", "--yes", *wanted_of(server))
    assert status == 2, said
    server.provider.faults.clear()
    status, said = command("train", "tickets.csv", "-o", "run", "--yes", *wanted_of(server))
    assert status == 2
    assert "--resume" in said
    status, said = command("train", "tickets.csv", "-o", "run", "--resume", *wanted_of(server))
    assert status == 0, said
    assert (len(server.provider.files), len(server.provider.jobs)) == (1, 1)


def test_spending_options_belong_to_the_provider_s_method(command, folder: Path) -> None:
    status, said = command("train", "tickets.csv", "-o", "run", "--yes", "--method", "cross_entropy")
    assert status == 2
    assert "--dry-run and --yes belong to --method openai_finetune" in said
