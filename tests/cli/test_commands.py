"""The commands as a user types them: files in, files and sentences out."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.console import make_console, say, show_files, show_notes
from sharprecl.cli.main import app
from sharprecl.errors import AssetError, MissingExtraError
from tiny import skewed_texts, tiny_encoder
from typed import Shell

SETTINGS = {
    "encoder": {"max_length": 32},
    "view": "dropout",
    "training": {"max_epochs": 3, "batch_size": 16, "learning_rate": 2e-3},
}


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path):
    """Runs ``sharprecl ARGUMENTS`` in the folder; gives status, standard output and standard error."""

    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    tiny_encoder(folder / "encoder", mean_pooling=True)
    (folder / "run.yaml").write_text(yaml.safe_dump(SETTINGS))
    for name, seed in (("tickets.csv", 0), ("held_out.csv", 1)):
        texts, labels = skewed_texts(seed=seed)
        with (folder / name).open("w", newline="") as stream:
            rows = csv.writer(stream)
            rows.writerow(["id", "queue", "body"])
            rows.writerows(
                [number, label, text] for number, (text, label) in enumerate(zip(texts, labels, strict=True))
            )
    texts, _ = skewed_texts(seed=2)
    (folder / "new.jsonl").write_text(
        "".join(json.dumps({"body": text, "nr": n}) + "\n" for n, text in enumerate(texts))
    )
    return folder


TRAIN = ("train", "tickets.csv", "--text", "body", "--label", "queue", "--encoder", "encoder", "--config", "run.yaml")


def test_train_evaluate_predict(command, folder: Path) -> None:
    status, out, err = command(*TRAIN, "--output", "runs/tickets", "--test", "held_out.csv")
    assert status == 0, err
    assert "65 texts, 4 classes, from 40 (billing) down to 2 (hardware)" in out
    assert "validation macro-F1" not in out, "all texts are trained on"
    floors = ["TF-IDF + logistic regression", "frozen encoder + logistic regression"]
    assert f"reference: {floors[1]}, one pass over 65 training and 65 test texts" in out
    for floor in floors:
        assert re.search(rf"^Macro-F1 .*{re.escape(floor)} \(\d+\.\d %\)", out, re.MULTILINE)
    run = folder / "runs" / "tickets"
    model_card = (run / "model" / "README.md").read_text()
    assert "Judged on held_out.csv, 65 texts." in model_card
    assert not any(text in model_card for seed in (0, 1) for text in skewed_texts(seed=seed)[0])
    assert {path.name for path in run.iterdir()} == {
        "config.yaml",
        "environment.json",
        "history.jsonl",
        "metrics.json",
        "model",
        "report.html",
        "scores.npz",
        "sharprecl.json",
        "tensorboard",
        "reference.npz",
        "training.seen",
    }
    metrics = json.loads((run / "metrics.json").read_text())
    environment = json.loads((run / "environment.json").read_text())
    assert metrics["evaluated_on"].startswith("held_out.csv")
    assert sorted(metrics["references"]) == sorted(floors)
    assert all(floor in (run / "report.html").read_text() for floor in floors)
    assert set(metrics["evaluation"]["bands"]) == {"head", "medium", "tail"}
    assert environment["peak_memory_bytes"] > 2**20
    assert "billing" in (run / "report.html").read_text()

    status, out, err = command("evaluate", "runs/tickets", "held_out.csv")
    assert status == 0, err
    judged = run / "evaluations" / "held_out.csv"
    again = json.loads((judged / "metrics.json").read_text())
    assert again["evaluation"] == metrics["evaluation"], "the saved model is the judged one"
    assert f"figures  {judged.relative_to(folder) / 'metrics.json'}\nreport   " in out

    status, out, err = command("predict", "runs/tickets", "new.jsonl", "--output", "predicted.jsonl", "--probabilities")
    assert status == 0, err
    lines = [json.loads(line) for line in (folder / "predicted.jsonl").read_text().splitlines()]
    texts, _ = skewed_texts(seed=2)
    assert [line["nr"] for line in lines] == list(range(len(texts)))
    assert [line["predicted"] for line in lines] == TextClassifier.load(run).predict(texts).tolist()
    for line in lines:
        chances = {name.removeprefix("probability "): line[name] for name in line if name.startswith("probability ")}
        assert line["confidence"] == pytest.approx(max(chances.values()), abs=1e-5)
        assert max(chances, key=chances.get) == line["predicted"]

    status, out, err = command(*TRAIN, "--output", "runs/tickets")
    assert (status, "holds a finished run" in err) == (2, True)
    status, out, err = command(*TRAIN, "--output", "runs/tickets", "--resume")
    assert (status, "nothing to resume" in out) == (0, True)
    status, out, err = command(*TRAIN, "--output", "runs/tickets", "--overwrite", "--max-epochs", "1")
    assert status == 0, err
    assert "out-of-fold scores of 3 trainings" in out
    assert yaml.safe_load((run / "config.yaml").read_text())["training"]["max_epochs"] == 1


@pytest.fixture(scope="module")
def trained(folder: Path) -> Path:
    """A finished run, for tests that leave it as it is."""
    texts, labels = skewed_texts()
    settings = {**SETTINGS, "encoder": {"name": str(folder / "encoder"), "max_length": 32}}
    settings["training"] = {**SETTINGS["training"], "max_epochs": 1}
    TextClassifier(config=settings).fit(texts, labels).save(folder / "kept", text_column="body", label_column="queue")
    return folder / "kept"


def test_brackets_in_a_path_are_no_markup_and_resume_compares_settings(command) -> None:
    train = (*TRAIN, "--max-epochs", "1", "--output", "runs/[/a]")
    status, out, err = command(*train)
    assert status == 0, err
    assert "model    runs/[/a]/model\n" in out
    assert "report   runs/[/a]/report.html\n" in out
    status, out, _ = command(*train, "--resume")
    assert (status, "runs/[/a] is finished: nothing to resume" in out) == (0, True)
    status, _, err = command(*train, "--seed", "5", "--resume")
    assert (status, "other settings or other data" in err) == (2, True)


def test_an_evaluation_on_other_texts_is_not_replaced_unasked(command, trained: Path, folder: Path) -> None:
    other = folder / "other" / "held_out.csv"
    other.parent.mkdir()
    other.write_text("".join((folder / "held_out.csv").read_text().splitlines(keepends=True)[:9]))
    assert command("evaluate", "kept", "held_out.csv")[0] == 0
    kept = (trained / "evaluations" / "held_out.csv" / "metrics.json").read_bytes()
    assert command("evaluate", "kept", "held_out.csv")[0] == 0
    status, _, err = command("evaluate", "kept", "other/held_out.csv")
    assert (status, "holds the evaluation on other texts (held_out.csv, 65 texts)" in err) == (2, True)
    assert (trained / "evaluations" / "held_out.csv" / "metrics.json").read_bytes() == kept
    status, out, err = command("evaluate", "kept", "other/held_out.csv", "--overwrite")
    assert status == 0, err
    assert "note: no test text at all for" in out
    assert any(
        "no test text" in note
        for note in json.loads((trained / "evaluations" / "held_out.csv" / "metrics.json").read_text())["notes"]
    )
    assert command("evaluate", "kept", "held_out.csv", "--overwrite")[0] == 0
    # What can be no folder is found before the model is loaded.
    status, _, err = command("evaluate", "kept", "held_out.csv", "-o", "run.yaml/here")
    assert (status, "can be no folder, because run.yaml is a file" in err) == (2, True)
    status, _, err = command("predict", "kept", "new.jsonl", "-o", "run.yaml/out.jsonl")
    assert (status, "can be no folder, because run.yaml is a file" in err) == (2, True)


def test_words_between_colons_are_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    say(make_console(), "labels :heart: and :joy: in data:100:x.csv")
    assert capsys.readouterr().out == "labels :heart: and :joy: in data:100:x.csv\n"


def test_without_the_report_extra_no_report_is_named(command, trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("evaluate", "kept", "held_out.csv", "--output", "judged")[0] == 0
    assert (trained.parent / "judged" / "report.html").exists()

    def missing(*_: object) -> None:
        raise MissingExtraError("install sharprecl[report]")

    monkeypatch.setattr("sharprecl.runs.judge.write_report", missing)
    status, out, err = command("evaluate", "kept", "held_out.csv", "--output", "judged")
    assert status == 0, err
    assert "no report.html: install sharprecl[report]" in out
    assert "figures  judged/metrics.json" in out
    assert "report   " not in out
    assert not (trained.parent / "judged" / "report.html").exists(), "the old report told of other figures"


def test_only_files_that_exist_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_files(Console(), tmp_path)
    assert capsys.readouterr().out == ""
    (tmp_path / "opened").mkdir()
    show_files(Console(), tmp_path)
    assert capsys.readouterr().out == f"weights  {tmp_path / 'opened'}\n"


@pytest.mark.parametrize("mark", ["sharprecl.json", "history.jsonl", "checkpoints/step-00000001/state.pt"])
def test_an_evaluation_never_overwrites_a_training(command, trained: Path, folder: Path, mark: str) -> None:
    other = folder / "another"
    (other / mark).parent.mkdir(parents=True, exist_ok=True)
    (other / mark).touch()
    for output in ("kept", "kept/../kept", "another"):
        status, _, err = command("evaluate", "kept", "held_out.csv", "--output", output)
        assert status == 2
        assert "name another --output" in err
    (other / mark).unlink()
    assert not (trained / "metrics.json").exists()


def test_evaluations_of_two_formats_of_one_name_stand_side_by_side(command, trained: Path, folder: Path) -> None:
    with (folder / "held_out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    (folder / "held_out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("held_out.csv", "held_out.jsonl"):
        assert command("evaluate", "kept", name)[0] == 0
    assert {path.name for path in (trained / "evaluations").iterdir()} == {"held_out.csv", "held_out.jsonl"}


@pytest.mark.parametrize("arguments", [("evaluate", "kept", "gap.csv"), ("predict", "kept", "gap.csv", "-o", "p.csv")])
def test_notes_on_the_data_come_before_the_model(
    command, trained: Path, folder: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "gap.csv").write_text("queue,body\nbilling,refund please\n\naccess,login\n")

    def refuse(*_: object, **__: object) -> None:
        raise AssetError("no model here")

    monkeypatch.setattr(TextClassifier, "load", refuse)
    status, out, err = command(*arguments)
    assert (status, err) == (2, "sharprecl: no model here\n")
    assert "note: gap.csv: 1 empty line(s) passed over, the first is line 3" in out


def test_many_notes_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    show_notes(Console(), [f"[{n}]" for n in range(9)])
    assert capsys.readouterr().out.splitlines() == [
        *(f"note: [{n}]" for n in range(6)),
        "and 3 more notes of this kind",
    ]


def test_ctrl_c_ends_with_a_hint(command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sharprecl.cli.tables.read_table", interrupt)
    status, _, err = command(*TRAIN, "--output", "x")
    assert status == 130
    assert err.startswith("sharprecl: interrupted; 'train', 'tune', 'predict' and 'embed' go on with --resume")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("train",), 2, "Missing argument"),
        (("train", "tickets.csv", "--output", "x", "--magic"), 2, "No such option"),
        (("magic",), 2, "No such command"),
        (("--help",), 0, "Start with"),
        (("train", "--help"), 0, "--overwrite"),
        (("--version",), 0, "sharprecl 0."),
    ],
)
def test_usage_errors_and_help_are_typers_own(command, arguments: tuple[str, ...], status: int, said: str) -> None:
    found, out, err = command(*arguments)
    assert found == status
    assert said in (err if status else out)
    assert "interrupted" not in err


def test_clean_leaves_the_users_runs(tmp_path: Path) -> None:
    for name in ("demo", "mine"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    makefile = Path(__file__).parents[2] / "Makefile"
    subprocess.run(["make", "-f", makefile, "-C", tmp_path, "clean"], check=True, capture_output=True)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["mine"]


def test_a_run_is_repeated_by_its_own_configuration(command, folder: Path) -> None:
    status, _, err = command(*TRAIN, "--output", "runs/one", "--seed", "3")
    assert status == 0, err
    again = ("train", "tickets.csv", "--text", "body", "--label", "queue", "--config", "runs/one/config.yaml")
    status, _, err = command(*again, "--output", "runs/two")
    assert status == 0, err
    for name in ("model/model.safetensors", "metrics.json", "history.jsonl"):
        assert (folder / "runs/one" / name).read_bytes() == (folder / "runs/two" / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "absent.csv", "--output", "x"), "absent.csv"),
        (("train", "tickets.csv", "--output", "x"), "'text'"),
        ((*TRAIN[:-1], "absent.yaml", "--output", "x"), "cannot be read"),
        ((*TRAIN, "--profile", "magic", "--output", "x"), "choose one of default, matched, official, paper"),
        ((*TRAIN, "--method", "magic", "--output", "x"), "'magic' is not known"),
        ((*TRAIN[:5], "queue", "--encoder", "./nowhere", "--output", "x"), "nowhere"),
        ((*TRAIN, "--profile", "released", "--output", "x"), "--test FILE"),
        ((*TRAIN, "--device", "cuda:7", "--output", "x"), "not available here"),
        ((*TRAIN, "--output", "tickets.csv/x"), "cannot be made"),
        ((*TRAIN, "--output", "x", "--resume", "--overwrite"), "leave out one of them"),
        (("experiment", "export", "--to", "x.jsonl"), "results holds no finished runs to export; --output names"),
        (("experiment", "status", "main", "--results", "tickets.csv"), "can be no folder"),
        (("evaluate", "nowhere", "held_out.csv"), "holds no trained classifier"),
        (("predict", "nowhere", "new.jsonl", "--output", "p.jsonl"), "holds no trained classifier"),
    ],
)
def test_mistakes_end_in_one_sentence_and_status_2(
    command, arguments: tuple[str, ...], sentence: str, recwarn: pytest.WarningsRecorder
) -> None:
    status, _, err = command(*arguments)
    assert status == 2
    assert err.startswith("sharprecl: ")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    for name in ("train", "evaluate", "predict", "demo", "assets"):
        assert name in result.output
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0
    assert "sharprecl 0." in CliRunner().invoke(app, ["--version"]).output


def test_help_and_data_checks_do_not_wait_for_torch(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("text,label\nonly one,a\nclass,a\n")
    code = (
        "import sys; from sharprecl.cli.main import main; sys.argv = ['sharprecl', *sys.argv[1:]]\n"
        "try: main()\n"
        "except SystemExit as left: status = left.code\n"
        "heavy = {'torch', 'transformers', 'polars', 'sklearn'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "sys.exit(status)"
    )
    for arguments, status in ((["--help"], 0), (["train", "bad.csv", "--output", "x"], 2)):
        found = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert found.returncode == status, found.stderr


def processor_seconds(*arguments: str) -> float:
    """Of a fresh interpreter, in all of its threads."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


SMALLEST_APP = """
import rich.markdown, typer
app = typer.Typer()
@app.command()
def main(number: int = 1) -> None: "Does nothing."
app(["--help"])
"""


def test_help_answers_at_once() -> None:
    """A few hundredths of a second above the smallest app with such a help, side by side: machines and neighbours
    differ, so no number of seconds would hold everywhere."""
    pairs = [(processor_seconds("-m", "sharprecl", "--help"), processor_seconds("-c", SMALLEST_APP)) for _ in range(5)]
    ours, smallest = map(min, zip(*pairs, strict=True))
    assert ours < 2 * smallest


def test_help_loads_nothing_heavy() -> None:
    code = """
import sys
from sharprecl.cli.main import app
try:
    app(["--help"])
except SystemExit:
    heavy = {"numpy", "pandas", "pooch", "pyarrow", "scipy", "sklearn", "torch", "transformers"} & {*sys.modules}
    sys.exit(f"loaded {sorted(heavy)}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_shows_defaults_that_are_found_out_later() -> None:
    """Rich reads a help text as markup and would swallow a '[default: ...]' in it."""
    shown = " ".join(CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200"}).output.split())
    for default in ("(minilm)", "(by its size)", "(256)"):
        assert f"[default: {default}]" in shown
