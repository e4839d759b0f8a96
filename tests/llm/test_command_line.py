"""Language models from the command line: train, judge, predict, spend."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from llm.fake_openai import KEY, FakeOpenAI, Fault
from llm.openai_help import plan_of, settings, small_table, train
from sharprecl import TextClassifier
from sharprecl.cli.spending import agreed_cost
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError
from tiny import skewed_texts
from tiny_llm import tiny_llama_folder
from typed import Shell

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
    monkeypatch.chdir(folder)
    typed = Shell(monkeypatch, capsys)

    def run(*arguments: str) -> tuple[int, str]:
        status, out, err = typed(*arguments)
        return status, out + err

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
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    status, said = command("train", "tickets.csv", "-o", "run", *wanted_of(server))
    assert (status, len(asked)) == (0, 1)
    assert "nothing spent" in said
    assert not server.provider.files


@pytest.mark.parametrize("stdin", [None, SimpleNamespace(isatty=lambda: False)])
def test_nobody_is_asked_where_nobody_sits(command, folder: Path, server: FakeOpenAI, monkeypatch, stdin) -> None:
    monkeypatch.setattr("sys.stdin", stdin)
    status, said = command("train", "tickets.csv", "-o", "run", *wanted_of(server))
    assert status == 2
    assert "no terminal to ask on" in said
    assert "--yes" in said
    assert not (folder / "run").exists()
    assert not server.provider.requests


@pytest.mark.parametrize("missing", ["key", "limit"])
def test_what_is_missing_is_told_before_the_folder_is_made(
    command, folder: Path, server: FakeOpenAI, monkeypatch, missing: str
) -> None:
    extra = ["--set", "method.max_cost=0.01"] if missing == "limit" else ["--yes"]
    if missing == "key":
        monkeypatch.delenv("OPENAI_API_KEY")
    status, said = command("train", "tickets.csv", "-o", "run", *extra, *wanted_of(server))
    assert status == 2
    assert ("no key" if missing == "key" else "set method.max_cost to 0.08 or more") in said
    assert not (folder / "run").exists()


def test_a_dry_run_into_a_file_or_a_run_that_has_a_job(command, folder: Path, server: FakeOpenAI) -> None:
    (folder / "file").write_text("mine")
    status, said = command("train", "tickets.csv", "-o", "file", "--dry-run", *wanted_of(server))
    assert status == 2, said
    assert "choose another --output" in said
    assert (folder / "file").read_text() == "mine"
    status, said = command("train", "tickets.csv", "-o", "run", "--yes", *wanted_of(server))
    assert status == 0, said
    before = (folder / "run/openai_train.jsonl").read_bytes()
    status, said = command(
        "train", "tickets.csv", "-o", "run", "--dry-run", *wanted_of(server), "--set", "method.task=another"
    )
    assert status == 0, said
    assert "belongs to a job that was begun" in said
    assert (folder / "run/openai_train.jsonl").read_bytes() == before


def agree(table: TextTable, output: Path, server: FakeOpenAI, resume: bool = False, **options) -> RunConfig | None:
    config = settings(base_url=server.url, task="reason of the message", max_cost=options.pop("max_cost", None))
    judged = options.pop("judged", table)
    return agreed_cost(
        Console(), table, config, output, judged=judged, dry_run=False, yes=True, resume=resume, **options
    )


def test_consent_and_limit_cover_the_judging(folder: Path, server: FakeOpenAI, capsys) -> None:
    table = small_table()
    many = read_table(
        (["one more text", *(f"text {n}" for n in range(300))], ["access"] * 301), label_names=table.label_names
    )
    training = plan_of(table, settings(task="reason of the message")).cost
    whole = plan_of(table, settings(task="reason of the message"), many.texts)
    assert whole.total > training
    agreed = agree(table, folder / "run", server, judged=many)
    assert agreed.method.max_cost == whole.total
    assert f"together about ${whole.total:.2f}" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(ConfigError, match=f"max_cost to {whole.total:.2f}"):
        agree(table, folder / "run", server, judged=many, max_cost=training)
    assert agree(table, folder / "run", server, judged=many, max_cost=whole.total) is not None
    # Paid already: only the judging costs.
    train(folder / "run", server.url)
    assert agree(table, folder / "run", server, judged=many, max_cost=whole.judging_cost, resume=True) is not None


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
    assert rows[0]["confidence"] == ""
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
