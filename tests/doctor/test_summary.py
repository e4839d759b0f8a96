"""Figures by name: what the terminal and the page both show."""

from dataclasses import replace

from diagnoses import COUNTS, diagnosis, distribution, duplicates, label_errors, text_facts
from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.doctor.diagnosis import DuplicateGroup
from sharprecl.doctor.summary import (
    batch_section,
    duplicate_section,
    error_section,
    group_rows,
    headline,
    label_section,
    sections,
    shown_classes,
    text_section,
    verdict,
)
from sharprecl.evaluation.table import DASH


def figures(section) -> dict[str, str]:
    return dict(section.figures)


def test_headline_and_verdict() -> None:
    found = diagnosis()
    assert headline(found) == "tickets.csv: 472 of 475 rows usable, 5 classes"
    assert verdict(found) == "1 problem, 1 warning"
    clean = replace(found, usable=475, findings=found.findings[2:])
    assert (headline(clean), verdict(clean)) == ("tickets.csv: 475 rows, 5 classes", "nothing to mend")


def test_labels_and_batches() -> None:
    assert figures(label_section(diagnosis())) == {
        "imbalance ratio": "400.0",
        "effective number of classes": "1.9 of 5",
        "Gini coefficient of the class sizes": "0.72",
        "classes with 1 text, with 2, under 10": "1, 1, 3",
    }
    found = figures(batch_section(diagnosis()))
    assert found["a text of other meets no positive"] == "100.0 %"
    assert (found["positive pairs, largest class over smallest"], found["... of the targets, rebalanced"]) == (
        "79,800",
        "1.0, by construction",
    )
    assert found["positive pairs with prototypes and targets"] == "303"
    assert found["... with prototypes"] == "0.0 %, by construction"
    assert found["classes in a batch"] == "2.7"
    pairless = diagnosis(batches=forecast_batches({"a": 1, "b": 1}, 2), distribution=distribution({"a": 1, "b": 1}))
    assert figures(batch_section(pairless))["positive pairs, largest class over smallest"] == DASH


def test_duplicates_tell_of_the_test_file_only_where_there_is_one() -> None:
    assert len(duplicate_section(diagnosis()).figures) == 3
    found = figures(duplicate_section(diagnosis(distribution=distribution(COUNTS, {"billing": 3}))))
    assert found["test texts that stand in training"] == "2 equal, 0 nearly"


def test_texts_with_and_without_a_tokenizer() -> None:
    section = text_section(diagnosis(texts=text_facts(truncated_test=0.5)))
    assert section.title == "Texts, as minilm reads them"
    assert figures(section) == {
        "tokens: median, 90 %, 99 %, longest": "31, 270, 402, 911",
        "cut at 256 tokens": "12.0 %",
        "test texts cut at 256 tokens": "50.0 %",
        "nothing but unknown tokens": "1 text",
        "scripts": "Latin 99.0 %, Cyrillic 1.0 %",
    }
    none = text_facts(encoder="", truncated=None, token_quantiles=(), scripts={})
    section = text_section(diagnosis(texts=none))
    assert (section.title, figures(section)) == ("Texts", {"scripts": "no letters"})
    many = text_facts(scripts=dict.fromkeys("ABCDE", 0.2))
    assert figures(text_section(diagnosis(texts=many)))["scripts"].endswith("C 20.0 % and 2 more")


def test_label_errors_with_and_without() -> None:
    assert "macro-F1 of words alone, test file" not in figures(error_section(diagnosis()))
    found = figures(error_section(diagnosis(label_errors=label_errors(test_macro_f1=0.5))))
    assert found["macro-F1 of words alone, test file"] == "50.0 %"
    assert figures(error_section(diagnosis(label_errors=None))) == {"examined": "no: a finding says why"}
    assert len(sections(diagnosis(label_errors=None))) == 5


def test_classes_are_shown_at_both_ends() -> None:
    rows = shown_classes(diagnosis(), 2)
    assert [row[0] for row in rows] == ["billing", "access", "... 1 more", "hardware", "other"]
    assert rows[-1] == ("other", "1", DASH, "100.0 %", "0.0")
    assert len(shown_classes(diagnosis(), 3)) == 5
    assert shown_classes(diagnosis(label_errors=None), 3)[0][4] == DASH


def test_rows_of_a_group() -> None:
    assert group_rows(DuplicateGroup((3, 9), (4,), (), "")) == "rows 3 and 9, test row 4"
    assert group_rows(DuplicateGroup((), (4, 5), (), "")) == "test rows 4 and 5"
    assert duplicates().groups
