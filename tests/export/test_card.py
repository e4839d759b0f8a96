"""The page about a saved classifier: read whole, or refused in one sentence."""

import dataclasses
import json
from pathlib import Path

import pytest

from sharprecl.errors import AssetError
from sharprecl.export.card import FILE, Card, is_ours, model_folder, read_card

CARD = Card(["a", "b"], "str", [3, 1], 64, "mean", {"seed": 1})
VALUES = dataclasses.asdict(CARD)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(VALUES))
    assert read_card(tmp_path) == CARD


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no JSON"),
        (json.dumps(VALUES).encode()[:50], "no JSON"),
        (b"\xff\xfe{}", "no JSON"),
        (b"[1]", "no JSON object"),
        (b'"text"', "no JSON object"),
        (json.dumps({**VALUES, "extra": 1}).encode(), "extra: "),
        (json.dumps({k: v for k, v in VALUES.items() if k != "class_counts"}).encode(), "class_counts: "),
        (json.dumps({**VALUES, "label_names": "ab"}).encode(), "label_names: "),
        (json.dumps({**VALUES, "class_counts": [3, None]}).encode(), r"class_counts\.1: "),
    ],
)
def test_a_damaged_page_is_refused_in_one_sentence(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(AssetError, match=rf"is damaged \(.*{reason}.*train again") as caught:
        read_card(tmp_path)
    assert "\n" not in str(caught.value)


def test_no_page_and_another_format(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="holds no trained classifier"):
        read_card(tmp_path)
    (tmp_path / FILE).write_text(json.dumps({**VALUES, "format": 2, "version": "9.1", "new": 0}))
    with pytest.raises(AssetError, match=r"saved by sharprecl 9\.1 in another format"):
        read_card(tmp_path)


@pytest.mark.parametrize(("reason", "name"), [("", "model"), ("mean pooling", "opened")])
def test_the_model_folder_is_there_or_missed(reason: str, name: str, tmp_path: Path) -> None:
    card = dataclasses.replace(CARD, not_stock_because=reason)
    for made in (None, tmp_path / name):
        if made:
            made.mkdir()
        with pytest.raises(AssetError, match="gone or incomplete"):
            model_folder(tmp_path, card)
    (tmp_path / name / "config.json").write_text("{}")
    assert model_folder(tmp_path, card) == tmp_path / name


@pytest.mark.parametrize(
    ("name", "content", "ours"),
    [
        ("sharprecl.json", "{}", True),
        ("history.jsonl", "", True),
        ("history.jsonl", '{"epoch": 1, "kind": "step", "step": 1}\n', True),
        ("history.jsonl", '{"loss": 3.2}\n', False),
        ("checkpoints/step-00000003/state.pt", "", True),
        ("checkpoints/mine.ckpt", "", False),
        ("notes.txt", "", False),
    ],
)
def test_whose_a_folder_is_is_told_by_what_is_in_it(name: str, content: str, ours: bool, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content)
    assert is_ours(tmp_path) == ours
