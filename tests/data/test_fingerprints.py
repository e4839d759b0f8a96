"""What was trained on is known again, whatever its case and punctuation, and nothing else is."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.fingerprints import SEEN, fingerprints, seen_rows, write_fingerprints
from sharprecl.data.tables import read_table

TRAIN = read_table((["My card was charged.", "Où est-ce ?", "my card was charged", "\U0001f600"], ["a", "b", "a", "b"]))
TEST = read_table(
    (["MY CARD, was charged!", "something else", "où est ce", "\U0001f601"], ["a", "a", "b", "b"]),
    label_names=("a", "b"),
)


def test_texts_of_the_training_are_known_again(tmp_path: Path) -> None:
    write_fingerprints(tmp_path / SEEN, TRAIN)
    assert (tmp_path / SEEN).stat().st_size == 3 * 8, "two of the four texts are one"
    assert seen_rows(tmp_path / SEEN, TEST).tolist() == [0, 2]
    assert seen_rows(tmp_path / SEEN, TRAIN).tolist() == [0, 1, 2, 3]


def test_a_model_without_the_file_knows_nothing(tmp_path: Path) -> None:
    assert seen_rows(tmp_path / SEEN, TEST).tolist() == []


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=20))
def test_a_number_depends_on_its_own_text_alone(texts: list[str]) -> None:
    together = fingerprints(texts)
    assert together.dtype == np.uint64
    assert together.tolist() == [fingerprints([text])[0] for text in texts]
