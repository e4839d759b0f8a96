"""Sentences about texts and labels that contradict them: each appears at its threshold and not before."""

import pytest

from diagnoses import duplicates, label_errors, text_facts
from sharprecl.doctor.diagnosis import CHANCE
from sharprecl.doctor.findings_texts import of_duplicates, of_label_errors, of_texts


def told(found):
    return [(one.severity, one.sentence) for one in found]


NONE = {"exact_train": 0, "near_train": 0, "leaks": 0, "conflicts": 0, "groups": ()}


def test_duplicates_leaks_and_contradictions() -> None:
    found = of_duplicates(duplicates(), 472, 200)
    assert told(found) == [
        ("warning", "1 text has more than one label, such as 'my card was charged twice' ('billing' and 'other')"),
        ("problem", "2 of 200 test texts stand in training (1.0 %)"),
        ("note", "2 training texts repeat an earlier one, 1 more nearly so (0.6 %)"),
    ]
    assert [one.rows for one in found] == [(3, 9), (4, 5), ()]
    assert of_duplicates(duplicates(**NONE), 472, 200) == []
    (near,) = of_duplicates(duplicates(**{**NONE, "near_train": 3}), 472, 0)
    assert near.sentence == "3 training texts nearly repeat an earlier one (0.6 %)"


def test_a_point_of_accuracy_makes_a_problem_of_them() -> None:
    def severity(total: int, test: int, **changes) -> str:
        (found,) = of_duplicates(duplicates(**{**NONE, **changes}), total, test)
        return found.severity

    assert [severity(100, 0, conflicts=1), severity(101, 0, conflicts=1)] == ["problem", "warning"]
    assert [severity(9, 100, leaks=1), severity(9, 101, leaks=1)] == ["problem", "warning"]
    assert severity(9, 10, near_leaks=9) == "warning", "nearly equal is not known to be the same"
    assert [severity(100, 0, exact_train=1), severity(101, 0, near_train=1)] == ["warning", "note"]
    assert [severity(9, 100, exact_test=1), severity(9, 101, near_test=1)] == ["warning", "note"]


def test_a_test_file_that_is_the_training_file() -> None:
    (found,) = of_duplicates(duplicates(**{**NONE, "leaks": 200}), 472, 200)
    assert found.severity == "problem"
    assert found.sentence.startswith("the test file: this is the training file, or a part of it: 200 of 200 test texts")
    assert "--drop-leaks" not in found.cure
    (most,) = of_duplicates(duplicates(**{**NONE, "leaks": 199}), 472, 200)
    assert "the training file" not in most.sentence
    assert "--drop-leaks" in most.cure


def test_what_the_encoder_loses() -> None:
    found = of_texts(text_facts(truncated=0.05, truncated_test=0.049))
    assert told(found) == [
        ("warning", "1 of 472 texts is nothing but unknown tokens to the encoder: row 12"),
        (
            "warning",
            "5.0 % of the training texts and 4.9 % of the test texts have over 256 tokens and are cut there",
        ),
        ("note", "2 texts are not in Latin script (Cyrillic 1.0 %): rows 13 and 14"),
    ]
    assert of_texts(text_facts(truncated=0.0, truncated_test=0.049))[1].severity == "note"
    assert of_texts(text_facts(truncated=0.0, empty=(), empty_count=0, foreign=(), foreign_count=0)) == []


def test_many_texts_in_another_script_are_a_warning() -> None:
    quiet = {"truncated": None, "empty": (), "empty_count": 0, "examined": 0}
    for greek, severity in ((0.05, "warning"), (0.049, "note")):
        scripts = {"LATIN": 1 - greek, "GREEK": greek}
        (found,) = of_texts(text_facts(**quiet, scripts=scripts, foreign=(1, 2), foreign_count=2))
        assert found.severity == severity
    many = of_texts(text_facts(**quiet, foreign=tuple(range(1, 51)), foreign_count=70))[0].sentence
    assert many.endswith("rows 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 and 60 more")


def test_an_english_encoder_for_another_script() -> None:
    facts = {
        "scripts": {"GREEK": 1.0},
        "truncated": None,
        "empty": (),
        "empty_count": 0,
        "foreign": (),
        "foreign_count": 0,
    }
    (found,) = of_texts(text_facts(**facts))
    assert "most texts are in Greek script, and the encoder minilm was trained on English" in found.sentence
    assert of_texts(text_facts(**facts, encoder="org/multilingual")) == []
    assert of_texts(text_facts(**{**facts, "scripts": {}})) == []


def test_label_errors_and_the_floor() -> None:
    found = of_label_errors(label_errors(estimated=20, by_class=dict.fromkeys("abcdef", 2)))
    assert told(found) == [
        (
            "warning",
            "20 labels look wrong (4.2 % of 472 examined), most in: 'a' (2), 'b' (2), 'c' (2), 'd' (2), 'e' (2)",
        ),
        ("note", "1 text of a rare class looks like another class: rare or mislabelled?"),
        (
            "note",
            "words alone (TF-IDF with logistic regression) reach macro-F1 61.2 %: what a trained encoder must beat",
        ),
    ]
    assert found[0].rows == (41, 77)
    assert found[1].rows == (41,)
    assert (
        "61.2 % out of fold, 58.0 % on the test file" in of_label_errors(label_errors(test_macro_f1=0.58))[2].sentence
    )
    assert of_label_errors(label_errors(estimated=2))[0].severity == "note"
    assert len(of_label_errors(label_errors(estimated=0, rare=0, suspects=(), by_class={}))) == 1


def test_a_model_that_knows_nothing_accuses_nobody() -> None:
    assert len(of_label_errors(label_errors(estimated=300, macro_f1=0.1))) == 1


def test_labels_that_were_not_examined_are_told_of() -> None:
    assert [(one.severity, "were not examined" in one.sentence) for one in of_label_errors(None)] == [("note", True)]


@pytest.mark.parametrize(
    ("macro_f1", "severity", "words"),
    [
        (0.2 + CHANCE, "warning", "hardly more than guessing"),
        (0.2 + CHANCE + 0.001, "note", "must beat"),
        (0.995, "note", "or the label stands in the text"),
    ],
)
def test_the_floor_at_its_ends(macro_f1: float, severity: str, words: str) -> None:
    found = of_label_errors(label_errors(estimated=0, rare=0, suspects=(), by_class={}, macro_f1=macro_f1))
    assert (found[0].severity, words in found[0].sentence) == (severity, True)
