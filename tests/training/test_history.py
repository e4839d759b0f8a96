"""history.jsonl goes back exactly, and never grows by going back."""

import json
from pathlib import Path

import pytest

from sharprecl.errors import CheckpointError
from sharprecl.training.history import HistoryFile, read_history


def test_rewinding_cuts_off_what_came_later(tmp_path: Path) -> None:
    history = HistoryFile(tmp_path / "history.jsonl")
    history.write({"step": 1})
    offset = history.offset()
    history.write({"step": 2})
    history.close()
    again = HistoryFile(tmp_path / "history.jsonl")
    again.rewind(offset)
    again.write({"step": 3})
    again.close()
    assert read_history(tmp_path / "history.jsonl") == [{"step": 1}, {"step": 3}]


def test_a_file_that_lost_its_end_is_refused_and_not_filled_with_zeros(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_text(json.dumps({"step": 1}) + "\n")
    with pytest.raises(CheckpointError, match="start the run anew with --overwrite"):
        HistoryFile(tmp_path / "history.jsonl").rewind(500)
    assert b"\0" not in (tmp_path / "history.jsonl").read_bytes()
