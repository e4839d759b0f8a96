"""The record of finished shards: what survives, what is refused."""

from pathlib import Path

import pytest

from sharprecl.data.finished import FILE, FinishedShards
from sharprecl.errors import ConfigError, DataError

OF = {"weights": "w", "options": "o"}


def record_of(folder: Path, *, resume: bool = True, overwrite: bool = False, **of: str) -> FinishedShards:
    record = FinishedShards(folder)
    record.open({**OF, **of}, resume=resume, overwrite=overwrite)
    return record


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    record, output = record_of(tmp_path), tmp_path / "a.csv"
    assert record.done(output, "t") is None
    assert record.begin(output, "t") is False
    output.write_text("1")
    record.finish(output, "t", rows=3)
    record.close()
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-20])
    record = record_of(tmp_path)
    assert not record.recorded(output)
    assert record.done(output, "t") is None, "it was begun, so what lies there is ours"
    assert record.begin(output, "t") is True
    record.finish(output, "t", rows=4)
    record.close()
    record = record_of(tmp_path)
    assert record.done(output, "t")["rows"] == 4
    assert record.done(output, "other texts") is None
    assert record.begin(output, "other texts") is False
    record.close()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    record, output = record_of(tmp_path), tmp_path / "a.csv"
    output.write_text("mine")
    with pytest.raises(DataError, match=r"a\.csv is there already, and not by this command; move it away"):
        record.done(output, "t")
    record.begin(output, "t")
    record.finish(output, "t")
    output.write_text("edited")
    with pytest.raises(DataError, match=r"a\.csv was changed after it was written; move it away"):
        record.done(output, "t")
    output.unlink()
    assert record.done(output, "t") is None
    record.close()


def test_leave_to_replace_outlives_a_kill(tmp_path: Path) -> None:
    output = tmp_path / "a.csv"
    output.write_text("old")
    record_of(tmp_path, overwrite=True).close()
    record = record_of(tmp_path)
    assert record.done(output, "t") is None
    record.close()
    record = record_of(tmp_path, resume=False)
    with pytest.raises(DataError, match="not by this command"):
        record.done(output, "t")
    record.close()


def test_other_things_and_other_commands_are_refused(tmp_path: Path) -> None:
    record = record_of(tmp_path)
    with pytest.raises(ConfigError, match="another command is writing into"):
        record_of(tmp_path)
    record.close()
    other = FinishedShards(tmp_path)
    with pytest.raises(ConfigError, match="was made with other weights and options, and cannot go on"):
        other.open({"weights": "x", "options": "y"}, resume=True, overwrite=False)
    other.close()
    with pytest.raises(ConfigError, match="holds 0 finished shards of an earlier command; add --resume"):
        FinishedShards(tmp_path).check(resume=False, overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
