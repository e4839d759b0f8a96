"""From a table to tokens: the settings of an augmenter reach the second views."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score
from transformers import AutoTokenizer

from sharprecl.config import resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.training.preparation import Notes, selection_doubt, split, views_of
from tiny import skewed_texts, tiny_encoder


@pytest.mark.parametrize("swap", [0.0, 1.0])
def test_the_settings_of_the_view_are_obeyed(swap: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    table = read_table(skewed_texts())
    noise = {"insertion": 0.0, "typos": 0.0, "deletion": 1.0 - swap, "swap": swap}
    config = resolve({"view": "noise", "augment": {"noise": noise}})
    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_encoder(tmp_path / "encoder"))
    (first, second), facts = views_of(table, tokenizer, config, Notes([], lambda _: None))
    assert facts["view"] == "noise"
    assert facts["view_share_changed"] > 0.9
    # Swapped words are as many as before; of deleted ones something is missing.
    assert (first.lengths.sum() == second.lengths.sum()) == (swap == 1.0)


def labelled(**counts: int) -> TextTable:
    rows = [(f"{name} {number}", name) for name, count in counts.items() for number in range(count)]
    texts, labels = zip(*rows, strict=True)
    return read_table((texts, labels))


def test_a_split_whose_epoch_rests_on_few_texts_says_so() -> None:
    notes = Notes([], lambda _: None)
    _, held_out, judging = split(
        labelled(praise=2165, blame=43), None, resolve({"training": {"select_on": "validation"}}), notes
    )
    assert judging is not None
    assert notes.sentences == [
        f"the epoch is chosen by macro-F1 on {len(held_out)} texts, of which 'blame' has 4: whether one of them is "
        "found makes about 20 points, so believe no figure before several seeds agree ('sharprecl compare' trains them)"
    ]
    quiet = Notes([], lambda _: None)
    split(labelled(praise=2165, blame=190), None, resolve({"training": {"select_on": "validation"}}), quiet)
    assert quiet.sentences == []


def test_texts_that_choose_the_epoch_are_not_trained_on() -> None:
    table = labelled(praise=70, blame=30)
    chosen = resolve({"training": {"select_on": "validation"}})
    fitted, held_out, judging = split(table, None, chosen, Notes([], lambda _: None))
    assert judging is not None
    assert [table.texts[row] for row in held_out] == list(judging.texts)
    assert sorted([*fitted.texts, *judging.texts]) == sorted(table.texts)
    assert judging.class_counts.tolist() == [3, 7]


@pytest.mark.parametrize("counts", [{"a": 4, "b": 213}, {"a": 1, "b": 3, "c": 9}, {"a": 2, "b": 2, "c": 30, "d": 7}])
def test_the_points_are_those_of_the_first_text_that_is_found(counts: dict[str, int]) -> None:
    judging = labelled(**counts)
    gold, rare = judging.label_ids, int(judging.class_counts.argmin())
    missed = np.where(gold == rare, -1, gold)  # as if nothing was answered, so that no other class has a false alarm
    found = missed.copy()
    found[np.flatnonzero(gold == rare)[0]] = rare
    before, after = (
        f1_score(gold, answers, labels=range(judging.num_classes), average="macro", zero_division=0)
        for answers in (missed, found)
    )
    assert f"makes about {100 * (after - before):.0f} points" in selection_doubt(judging)


def test_one_text_of_many_classes_decides_nothing() -> None:
    assert selection_doubt(labelled(**{f"c{number}": 1 for number in range(11)})) == ""
    assert "makes about 10 points" in selection_doubt(labelled(**{f"c{number}": 1 for number in range(10)}))
