"""What ``sharprecl serve`` makes of its options for the page, and ``sharprecl train`` of corrections."""

import csv
import socket
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from sharprecl.serving import server
from sharprecl.serving.app import create_app
from sharprecl.serving.page import Corrections
from sharprecl.serving.service import Service
from tiny import skewed_texts, tiny_encoder
from typed import Shell


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    """Runs ``sharprecl ARGUMENTS`` in a folder with training texts."""
    with (tmp_path / "train.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(*skewed_texts(), strict=True)])
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Service, APIRouter | None]]:
    """What would be served; nothing is."""
    found: list[tuple[Service, APIRouter | None]] = []

    def serve(service: Service, taken: socket.socket, page: APIRouter | None = None, **_: Any) -> None:
        taken.close()
        found.append((service, page))

    monkeypatch.setattr(server, "serve", serve)
    return found


def test_the_page_has_what_was_asked_for(command: Shell, served: list[Any], trained: Path) -> None:
    options = ("serve", str(trained), "--port", "0", "--device", "cpu")
    asked = ("--neighbours", "train.csv", "--corrections", "corrections.csv")
    for more in ((), asked, ("--no-page",)):
        status, _, err = command(*options, *more)
        assert status == 0, err
    about = []
    for service, page in served[:2]:
        with TestClient(create_app(service, page)) as client:
            about.append(client.get("/page/about").json())
    assert [(one["neighbours"], one["corrections"]) for one in about] == [(False, None), (True, "corrections.csv")]
    assert served[2][1] is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--no-page", "--corrections", "c.csv"), "leave --no-page out"),
        (("--neighbours", "absent.csv"), "absent.csv does not exist"),
        (("--corrections", "train.csv", "--neighbours", "train.csv"), "is the training file, which is never changed"),
        (("--corrections", "nowhere/c.csv"), "name a file in a folder that is writable"),
    ],
)
def test_mistakes_are_said_before_a_model_is_loaded(
    command: Shell, served: list[Any], trained: Path, options: tuple[str, ...], sentence: str
) -> None:
    status, _, err = command("serve", str(trained), *options)
    assert (status, sentence in err, len(err.splitlines())) == (2, True, 1), err
    assert not served


def test_training_takes_corrections(command: Shell, tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    kept = Corrections(tmp_path / "c.csv", "text", "label")
    kept.save(texts[0], "access" if labels[0] != "access" else "billing")
    kept.save("a new text, of\nthe parcel", "shipping")
    encoder = tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    options = ("--method", "frozen", "--folds", "0", "--encoder", encoder, "--max-length", "32")
    status, out, err = command("train", "train.csv", *options, "--corrections", "c.csv", "--output", "run")
    assert status == 0, err
    assert "66 texts" in out
    assert "c.csv: 1 label corrected, 1 text new" in out
