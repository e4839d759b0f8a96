"""Labels that look alike, and columns that are none of classes."""

from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.label_names import LabelNames
from sharprecl.doctor.loading import load


def said(texts, labels):
    data = Data(load((texts, labels)))
    return list(LabelNames(data, LabelNames.find(data)).findings())


def test_labels_that_look_alike_are_named_with_their_counts() -> None:
    labels = ["Billing", "billing ", "BILLING", "billing", "other", "other", "С1", "C1"]  # noqa: RUF001
    (found,) = said([f"text {number} here" for number in range(8)], labels)
    assert found.severity == "warning"
    assert "'BILLING', 'Billing', 'billing' and 'billing␠' (1, 1, 1, 1 texts)" in found.sentence
    assert "'C1' and 'С(U+0421)1' (1, 1 texts)" in found.sentence  # noqa: RUF001
    assert "sharprecl doctor --fix" in found.cure
    assert not said(["one text", "two text"], ["C", "C++"])
    assert said(["one text", "two text"], ["\uff21\uff22", "A\u200bB"]), "wide letters, and a space without width"


def test_a_column_of_sentences_or_identifiers_is_no_column_of_classes() -> None:
    texts = [f"text number {number} of all" for number in range(40)]
    (found,) = said(texts, [f"id {number % 20}" for number in range(40)])
    assert (found.severity, found.sentence) == (
        "problem",
        "20 different labels in 40 rows: column 'label' hardly holds classes",
    )
    assert "swapped" not in found.cure
    assert said(texts, [f"id {number % 19}" for number in range(40)]) == []
    (found,) = said([f"queue {number % 3} it is" for number in range(40)], texts)
    assert found.cure.endswith("are --text and --label swapped?")
    assert said(texts[:19], [f"id {number}" for number in range(19)]) == [], "the start of a file"
    (found,) = said(texts, [f"{'a long sentence ' * 5}{number % 3}" for number in range(40)])
    assert (found.severity, "over 60 characters" in found.sentence) == ("warning", True)
