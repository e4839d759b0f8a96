"""Corrections come back through the reader of training texts, whatever they hold, and one text has one label."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.data.checks import is_unicode
from sharprecl.data.tables import read_table
from sharprecl.errors import ConfigError, DataError
from sharprecl.serving.page.corrections import Corrections

TEXTS = st.text(min_size=1, max_size=60).filter(lambda text: text.strip() and "\0" not in text and is_unicode(text))
AWKWARD = st.text(alphabet="\",;\t|\r\n'=+-@ \ufeffa\u2028é", min_size=1, max_size=20).filter(str.strip)


# Few examples: each is many files, forced to the disk.
@settings(max_examples=15)
@given(st.dictionaries(TEXTS | AWKWARD, st.sampled_from(["billing", 'a "b", c', "=1+1"]), min_size=1, max_size=5))
def test_any_text_comes_back_through_the_reader(
    tmp_path_factory: pytest.TempPathFactory, labels: dict[str, str]
) -> None:
    path = tmp_path_factory.mktemp("corrections") / "c.csv"
    corrections = Corrections(path, "body", "queue; or class")
    for number, (text, label) in enumerate(labels.items(), start=1):
        assert corrections.save(text, label) == number
    names = sorted(set(labels.values()))
    table = read_table(path, "body", "queue; or class", label_names=names)
    assert dict(zip(table.texts, [names[label] for label in table.label_ids], strict=True)) == labels
    assert len(table) == len(labels)


def test_the_last_label_of_a_text_wins_and_what_others_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    first, second = Corrections(path, "text", "label"), Corrections(path, "text", "label")
    assert not path.exists()
    assert (first.save("a", "x"), second.save("b", "x"), first.save("a", "y")) == (1, 2, 2)
    assert path.read_text() == "text,label\na,y\nb,x\n"
    path.write_text("text;label\nc;z\n")  # as a spreadsheet saves it
    assert first.save("d", "x") == 2
    assert path.read_text() == "text,label\nc,z\nd,x\n"


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    servers = [Corrections(tmp_path / "c.csv", "text", "label") for _ in range(2)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: servers[number % 2].save(f"text {number}", "x"), range(20)))
    assert len(read_table(tmp_path / "c.csv", label_names=["x"])) == 20


@pytest.mark.parametrize(("text", "why"), [(" ", "blank"), ("a\0b", "NUL"), ("a\ud83d", "half a character")])
def test_texts_that_no_training_could_use_are_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        Corrections(tmp_path / "c.csv", "text", "label").save(text, "x")
    assert not (tmp_path / "c.csv").exists()


def test_files_that_are_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("text,label,date\na,x,today\n")
    with pytest.raises(ConfigError, match="'text', 'label' and 'date', but corrections have 'text' and"):
        Corrections(tmp_path / "c.csv", "text", "label")
    with pytest.raises(ConfigError, match=r"name it c\.csv"):
        Corrections(tmp_path / "c.jsonl", "text", "label")
    with pytest.raises(ConfigError, match="a folder that is writable"):
        Corrections(tmp_path / "none" / "c.csv", "text", "label")
    assert sorted(os.listdir(tmp_path)) == ["c.csv"]
