"""What the folds' models say of labels, in the file that the doctor takes."""

from pathlib import Path

import numpy as np
import polars as pl

from sharprecl.data.folds import Fold
from sharprecl.data.tables import read_table
from sharprecl.doctor.fix import fix
from sharprecl.runs.label_review import write_label_review
from sharprecl.training.out_of_fold import OutOfFold


def scored(wrong: int) -> tuple[list[str], list[str], np.ndarray]:
    """Forty texts of two classes, one of them labelled wrong, and scores that know the truth."""
    truth = ["cat" if row % 2 else "dog" for row in range(40)]
    labels = truth.copy()
    labels[wrong] = "cat" if truth[wrong] == "dog" else "dog"
    s_NC = np.array([[4.0, 0.0] if name == "cat" else [0.0, 4.0] for name in truth], dtype=np.float32)
    return [f"a {name} barks or meows at number {row}" for row, name in enumerate(truth)], labels, s_NC


def test_a_wrong_label_is_listed_and_a_person_s_decision_carried_out(tmp_path: Path) -> None:
    texts, labels, s_NC = scored(wrong=6)
    data, review = tmp_path / "data.csv", tmp_path / "review.csv"
    # The first row has no label: rows are counted as the file has them.
    pl.DataFrame({"text": ["no label here", *texts], "label": [None, *labels]}).write_csv(data)
    table = read_table(data)
    order = np.random.default_rng(0).permutation(40)
    found = OutOfFold(order, s_NC[order], [Fold(order[:20], order[20:])], 0, "all texts")
    assert write_label_review(table, found, review) == 1
    listed = pl.read_csv(review)
    assert listed["row"].to_list() == [8]
    assert listed["suggested label"].to_list() == ["dog"]
    listed.with_columns(decision=pl.lit("dog")).write_csv(review)
    fix(data, tmp_path / "cleaned.csv", review=review)
    cleaned = pl.read_csv(tmp_path / "cleaned.csv")
    assert cleaned.filter(pl.col("text") == texts[6])["label"].to_list() == ["dog"]


def test_nothing_is_written_where_no_label_looks_wrong(tmp_path: Path) -> None:
    texts, labels, s_NC = scored(wrong=6)
    labels[6] = "dog"
    table = read_table((texts, labels))
    rows = np.arange(40)
    assert write_label_review(table, OutOfFold(rows, s_NC, [], 0, ""), tmp_path / "review.csv") == 0
    assert not (tmp_path / "review.csv").exists()
