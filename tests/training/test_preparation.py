"""From a table to tokens: the settings of an augmenter reach the second views."""

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from sharprecl.data.tables import read_table
from sharprecl.profiles import resolve
from sharprecl.training.preparation import Notes, views_of
from tiny import skewed_texts, tiny_encoder


@pytest.mark.parametrize("swap", [0.0, 1.0])
def test_the_settings_of_the_view_are_obeyed(swap: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    table = read_table(skewed_texts())
    noise = {"insertion": 0.0, "typos": 0.0, "deletion": 1.0 - swap, "swap": swap}
    config = resolve({"view": "noise", "augment": {"noise": noise}})
    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_encoder(tmp_path / "encoder"))
    (first, second), facts = views_of(table, tokenizer, config, "two", Notes([], lambda _: None))
    assert facts["view"] == "noise"
    assert facts["view_share_changed"] > 0.9
    # Swapped words are as many as before; of deleted ones something is missing.
    assert (first.lengths.sum() == second.lengths.sum()) == (swap == 1.0)
