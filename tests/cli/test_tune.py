"""``sharprecl tune`` as a user types it."""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.main import app
from sharprecl.config import resolve
from sharprecl.data.tables import read_table
from sharprecl.evaluation.metrics import counts_of, macro_f1
from sharprecl.scale.fresh import Confirmed
from sharprecl.scale.mix import mix_weights
from sharprecl.training import out_of_fold
from tiny import skewed_texts, tiny_encoder
from typed import Printed, Shell

TRIALS, FOLDS = 3, 2
# Defaults that give nearly every text the rarest class, so that something else is the best.
SETTINGS = {
    "encoder": {"name": "encoder", "max_length": 16},
    "view": "dropout",
    "method": {"compensation": 8.0},
    "training": {"max_epochs": 4, "batch_size": 16, "learning_rate": 2e-3},
}
SPACE = {
    "training.learning_rate": {"low": 1e-3, "high": 1e-2, "log": True},
    "method.compensation": [0.25, 0.5, 0.75],
    "method.mu": [0.1, 0.3],
}
TUNE = (
    "tune", "tickets.csv", "--config", "run.yaml", "--space", "space.yaml", "--trials", str(TRIALS),
    "--folds", str(FOLDS), "--device", "cpu",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _taken() -> Iterator[None]:
    """So few texts never tell for sure, but what is taken is what is tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Confirmed, "sure", property(lambda found: found.difference.difference > 0))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tune")
    tiny_encoder(folder / "encoder", mean_pooling=True)
    (folder / "run.yaml").write_text(yaml.safe_dump(SETTINGS))
    (folder / "space.yaml").write_text(yaml.safe_dump(SPACE, sort_keys=False))
    write(folder / "tickets.csv", *skewed_texts())
    texts, labels = skewed_texts(seed=1)
    write(folder / "scrambled.csv", texts, [*labels[1:], labels[0]])
    return folder


def write(path: Path, texts: list[str], labels: list[str]) -> None:
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["text", "label"])
        rows.writerows(zip(texts, labels, strict=True))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Shell:
    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def told(folder: Path) -> Printed:
    """An undisturbed search without test texts, in ``whole``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(app, [*TUNE, "-o", "whole"])
    return Printed(done.exit_code, done.stdout, f"{done.stderr}{done.exception or ''}")


def journal(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "search" / "journal.jsonl").read_text().splitlines()]


def values(run: Path) -> list[float]:
    """Macro-F1 of the whole trials, in order."""
    return [line["values"][0] for line in journal(run) if line.get("values")]


def confirmed(run: Path) -> dict[str, Any]:
    name = "confirmed in 3 deals"
    (found,) = [line["user_attr"][name] for line in journal(run) if name in line.get("user_attr", {})]
    return found  # type: ignore[no-any-return]


def test_a_search_ends_with_settings_a_model_and_a_page(told: Printed, folder: Path) -> None:
    assert told.status == 0, told.err
    run = folder / "whole"
    assert "3 trials over training.learning_rate, method.compensation, method.mu, each judged" in told.out
    assert "trial 0, the defaults (1 of 3): macro-F1 " in told.out
    assert "search: promised +" in told.out
    assert "Experimental" not in told.err
    assert {path.name for path in (run / "search").iterdir()} == {"best.yaml", "journal.jsonl", "space.yaml"}
    settings = yaml.safe_load((run / "config.yaml").read_text())
    assert settings["method"]["compensation"] < 8, "the best settings, not the defaults"
    assert settings == yaml.safe_load((run / "search" / "best.yaml").read_text())
    assert settings["seed"] == 0
    texts, labels = skewed_texts()
    assert set(TextClassifier.load(run, device="cpu").predict(texts)) <= set(labels)
    # Its folds are those of the first deal, and were trained on once.
    found = confirmed(run)
    confusion = np.array(json.loads((run / "metrics.json").read_text())["evaluation"]["confusion"])
    table = read_table((texts, labels))
    weights_C = mix_weights(table, resolve(SETTINGS, table.class_counts))
    assert weights_C is not None
    assert macro_f1(counts_of(confusion * weights_C[:, None])) == pytest.approx(found["deals"][0][1])
    assert "held-out texts are weighted to the class shares" in told.out
    assert "learning from" not in told.out
    page = (run / "tune.html").read_text()
    assert "held-out texts are weighted" in page
    assert f"fresh folds confirm +{100 * found['difference']['difference']:.1f} (+" in page
    assert " in 3 deals; 95 % interval " in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_the_settings_found_train_the_same_model(told: Printed, folder: Path, command: Shell) -> None:
    status, _, err = command("train", "tickets.csv", "--config", "whole/config.yaml", "-o", "again", "--device", "cpu")
    assert status == 0, err
    weights = [(folder / name / "model" / "model.safetensors").read_bytes() for name in ("whole", "again")]
    assert weights[0] == weights[1]


def test_test_texts_judge_once_and_decide_nothing(told: Printed, folder: Path, command: Shell) -> None:
    status, out, err = command(*TUNE, "-o", "judged", "--test", "scrambled.csv")
    assert status == 0, err
    assert "judged on scrambled.csv" in out
    for name in ("config.yaml", "search/space.yaml", "model/model.safetensors"):
        assert (folder / "judged" / name).read_bytes() == (folder / "whole" / name).read_bytes(), name
    assert values(folder / "judged") == values(folder / "whole")
    assert confirmed(folder / "judged") == confirmed(folder / "whole")
    figures = [json.loads((folder / name / "metrics.json").read_text()) for name in ("judged", "whole")]
    assert figures[0]["evaluation"] != figures[1]["evaluation"]


KILLED = """
import os, signal, sys
from sharprecl.training import out_of_fold
written, original = [], out_of_fold._write
def write(*arguments):
    original(*arguments)
    written.append(1)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
out_of_fold._write = write
from sharprecl.cli.main import main
main()
"""


def test_a_killed_search_goes_on_and_ends_alike(
    told: Printed, folder: Path, command: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the first fold of the second trial."""
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *TUNE, "-o", "killed"], cwd=folder, capture_output=True, text=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(values(folder / "killed")) == 1
    status, _, err = command(*TUNE, "-o", "killed")
    assert status == 2
    assert "holds a run that was cut off; add --resume to finish it, --overwrite to start anew" in err

    trained, original = [], out_of_fold._train

    def train(*arguments: Any) -> Any:
        trained.append(1)
        return original(*arguments)

    monkeypatch.setattr(out_of_fold, "_train", train)
    status, out, err = command(*TUNE, "-o", "killed", "--resume")
    assert status == 0, err
    assert "1 trial is finished already" in out
    assert len(trained) == TRIALS * FOLDS - 3 + 2 * 3 * FOLDS, "no fold is trained twice"
    assert values(folder / "killed") == values(folder / "whole")
    for name in ("config.yaml", "tune.html", "model/model.safetensors", "metrics.json"):
        assert (folder / "killed" / name).read_bytes() == (folder / "whole" / name).read_bytes(), name

    status, out, err = command(*TUNE, "-o", "killed", "--resume")
    assert (status, "killed is finished: nothing to resume" in out) == (0, True)
    status, out, err = command(*TUNE, "-o", "killed")
    assert (status, "holds a finished run; choose another --output" in err) == (2, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--method", "llm_lora"), "llm_lora holds none out"),
        (("--set", "training.select_on=test"), "never looks at test texts"),
        (("--space", "missing.yaml"), "missing.yaml cannot be read"),
        (("--space", "unknown.yaml"), "'method.muu', which is no setting of sharprecl"),
        (("--folds", "1"), "training.folds: must be 0 for none, or at least 2"),
        (("--resume", "--overwrite"), "leave out one of them"),
        (("--set", "method.muu=1"), "method.muu: there is no such setting"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(
    options: tuple[str, ...], sentence: str, command: Shell, folder: Path
) -> None:
    (folder / "unknown.yaml").write_text("method.muu: {low: 0.1, high: 1}\n")
    status, _, err = command("tune", "tickets.csv", "-o", "refused", *options)
    assert (status, err.count("\n")) == (2, 1), err
    assert sentence in err
    assert not (folder / "refused").exists()


def test_no_trials_are_refused(command: Shell) -> None:
    status, _, err = command(*TUNE, "-o", "refused", "--trials", "0")
    assert status == 2
    assert "--trials" in err


def test_texts_of_which_none_can_be_held_out_are_refused(command: Shell, folder: Path) -> None:
    write(folder / "few.csv", ["one text", "another text"], ["a", "b"])
    status, _, err = command("tune", "few.csv", "--encoder", "encoder", "-o", "refused")
    assert status == 2
    assert "no class has two different texts, so nothing can be held out to judge settings on" in err


def test_without_optuna_the_extra_is_named(command: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    status, _, err = command(*TUNE, "-o", "refused")
    assert status == 2
    assert "the search for settings needs the package 'optuna'" in err
    assert "pip install 'sharprecl[scale]'" in err


def test_a_folder_of_train_is_not_taken_for_a_search(command: Shell, folder: Path) -> None:
    (folder / "trained").mkdir()
    for name in ("metrics.json", "sharprecl.json"):
        (folder / "trained" / name).write_text("{}")
    status, _, err = command(*TUNE, "-o", "trained", "--resume")
    assert (status, "trained holds a run of 'sharprecl train'" in err) == (2, True)


def test_a_folder_of_somebody_else_is_left_alone(command: Shell, folder: Path) -> None:
    (folder / "theirs" / "search").mkdir(parents=True)
    for options in ((), ("--overwrite",)):
        status, _, err = command(*TUNE, "-o", "theirs", *options)
        assert (status, "was not written by a training run and would be replaced" in err) == (2, True)
    assert (folder / "theirs" / "search").is_dir()


def test_broken_data_are_refused_without_pytorch(folder: Path) -> None:
    (folder / "broken.csv").write_text("body,label\nx,a\n")
    script = (
        "import sys\nfrom sharprecl.cli.main import main\ntry:\n    main()\nfinally:\n    print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "tune", "broken.csv", "-o", "refused"],
        cwd=folder, capture_output=True, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 2
    assert "broken.csv" in done.stderr
    assert done.stdout.strip() == "False"
