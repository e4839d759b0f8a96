"""Every format with its traps, on files small enough to see."""

import json
from pathlib import Path

import pytest

from sharprecl.data.benchmark_readers import (
    BIOMEDICAL_DROPPED,
    read_biomedical,
    read_json_pair,
    read_line_files,
    read_tab_pair,
)


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def test_json_with_a_second_view(tmp_path: Path) -> None:
    rows = [{"text": " What is é ? ", "label": "entity", "aug_text": "no"}, {"text": "b", "label": "human"}]
    train = write(tmp_path / "train.json", json.dumps(rows, ensure_ascii=False))
    test = write(tmp_path / "test.json", json.dumps(rows[1:], indent=4))
    assert read_json_pair(train, test) == ((["What is é ?", "b"], ["entity", "human"]), (["b"], ["human"]))


def test_lines_end_in_crlf_and_a_space(tmp_path: Path) -> None:
    texts = write(tmp_path / "t", "one  two \r\nthree\r\n")
    labels = write(tmp_path / "l", "2\r\n1\r\n")
    last, label = write(tmp_path / "t2", "four \r\n"), write(tmp_path / "l2", "6\r\n")
    assert read_line_files(texts, labels, last, label) == ((["one  two", "three"], ["2", "1"]), (["four"], ["6"]))


@pytest.mark.parametrize("blank", ["\t\n", "\n"])
def test_tab_header_and_its_blank_record(tmp_path: Path, blank: str) -> None:
    path = write(tmp_path / "a.tab", f"Category\tText\nd\tstring\nclass\t\n{blank}earn\tprofit up\njet\tfuel\n")
    assert read_tab_pair(path, path)[0] == (["profit up", "fuel"], ["earn", "jet"])


def test_biomedical_leaves_out_the_dropped_rows_and_keeps_the_order(tmp_path: Path) -> None:
    texts = write(tmp_path / "t", "".join(f"title {row}\n" for row in range(20000)))
    labels = write(tmp_path / "l", "".join(f"{1 + row // 1000}\n" for row in range(20000)))
    (train, train_labels), (test, test_labels) = read_biomedical(texts, labels)
    assert (len(train), len(test)) == (17976, 1998)
    rows = [[int(text.split()[1]) for text in part] for part in (train, test)]
    assert sorted(rows[0] + rows[1]) == sorted(set(range(20000)) - BIOMEDICAL_DROPPED)
    assert rows == [sorted(part) for part in rows]
    assert [f"{1 + row // 1000}" for row in rows[0] + rows[1]] == train_labels + test_labels
    assert len(BIOMEDICAL_DROPPED) == 26
