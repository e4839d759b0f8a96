"""Every planted copy is found, with its rows and labels, and what is found does not depend on the order of the rows."""

import os
import random

import numpy as np
import pytest

from diagnoses import data, loaded
from diagnoses import duplicates as by_hand
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues import duplicates as module
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.duplicates import SHOWN_GROUPS, DuplicateGroup, DuplicateReport, Duplicates

NAMES = ("a", "b", "c")
_RANDOM = random.Random(0)
_WORDS = ["".join(_RANDOM.choices("abcdefghijklmnop", k=_RANDOM.randint(3, 9))) for _ in range(900)]


def table(rows, names=NAMES) -> TextTable:
    labels = np.array([names.index(label) for _, label in rows], dtype=np.int64)
    return TextTable(tuple(text for text, _ in rows), labels, tuple(names), "test")


def duplicates(train: TextTable, test: TextTable | None = None) -> DuplicateReport:
    return Duplicates.find(Data(loaded(train), None if test is None else loaded(test)))


def fresh(words: int = 30) -> str:
    return " ".join(_RANDOM.choices(_WORDS, k=words))


def counts(found: DuplicateReport) -> dict[str, int]:
    names = ("exact_train", "exact_test", "near_train", "near_test", "leaks", "near_leaks", "conflicts")
    return {name: getattr(found, name) for name in names}


def planted() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    train = [(fresh(), _RANDOM.choice(NAMES)) for _ in range(60)]
    test = [(fresh(), _RANDOM.choice(NAMES)) for _ in range(30)]
    train[1] = ("The Cat sat, on the mat!", "a")
    train[11] = ("the cat   sat on the MAT", "a")
    train[21] = ("«the cat sat on the mat»", "b")
    train[30] = (train[2][0] + " more", train[2][1])
    test[3] = (train[4][0].upper(), train[4][1])
    test[5] = (train[6][0] + " more", train[6][1])
    test[7] = (test[8][0].title() + ".", test[8][1])
    test[9] = (test[10][0] + " more", test[10][1])
    return train, test


def test_planted_copies() -> None:
    train, test = planted()
    found = duplicates(table(train), table(test))
    assert counts(found) == {
        "exact_train": 2, "exact_test": 1, "near_train": 1, "near_test": 1, "leaks": 1, "near_leaks": 1, "conflicts": 1
    }  # fmt: skip
    assert found.compared == 90
    shown = [(group.rows, group.test_rows) for group in found.groups]
    assert shown[:3] == [((2, 12, 22), ()), ((5,), (4,)), ((7,), (6,))]
    assert sorted(shown[3:]) == [((), (8, 9)), ((), (10, 11)), ((3, 31), ())]
    assert found.groups[0].labels == ("a", "b")
    assert found.groups[0].text == "The Cat sat, on the mat!"
    assert found.groups[1].text == train[4][0][:159] + "…"


def test_the_order_of_the_rows_does_not_matter() -> None:
    train, test = planted()
    found = duplicates(table(train), table(test))
    for seed in range(3):
        orders = [random.Random(seed).sample(range(len(rows)), len(rows)) for rows in (train, test)]
        other = duplicates(table([train[row] for row in orders[0]]), table([test[row] for row in orders[1]]))
        assert counts(other) == counts(found)
        back = [
            ({orders[0][row - 1] + 1 for row in group.rows}, {orders[1][row - 1] + 1 for row in group.test_rows})
            for group in other.groups
        ]
        assert back == [(set(group.rows), set(group.test_rows)) for group in found.groups]
        assert [group.labels for group in other.groups] == [group.labels for group in found.groups]


def test_nothing_is_found_where_nothing_is() -> None:
    found = duplicates(table([(fresh(8), "a") for _ in range(300)]), table([(fresh(8), "b") for _ in range(100)]))
    assert set(counts(found).values()) == {0}
    assert found.groups == ()
    assert found.compared == 400


def test_labels_are_compared_across_files() -> None:
    train = table([("same text", "a"), ("other", "b")])
    assert duplicates(train, table([("same text", "a")])).conflicts == 0
    found = duplicates(train, table([("Same text", "c")]))
    assert (found.conflicts, found.groups[0].labels) == (1, ("a", "c"))


def test_without_a_test_file() -> None:
    found = duplicates(table([("one", "a"), ("one", "a"), ("two", "b")]))
    assert counts(found) == dict.fromkeys(counts(found), 0) | {"exact_train": 1}
    assert [(group.rows, group.test_rows) for group in found.groups] == [((1, 2), ())]


def test_a_limit_leaves_exact_copies_alone_and_says_what_was_compared(monkeypatch) -> None:
    train = [(fresh(), "a") for _ in range(300)]
    train += [(text + " more", "a") for text, _ in train] + train[:50]
    whole = duplicates(table(train))
    monkeypatch.setattr(module, "MOST_COMPARED", 300)
    part = duplicates(table(train))
    assert (whole.near_train, whole.exact_train, whole.compared) == (300, 50, 650)
    assert part.exact_train == 50
    assert 300 <= part.compared < 350
    assert 40 < part.near_train < 110  # both of a pair are in a half with a chance of one in four
    assert duplicates(table(train[::-1])).near_train == part.near_train


def test_conflicts_come_first_and_then_leaks_however_many_others_there_are() -> None:
    copies = [(f"copy {n} {word}", "a") for n, word in enumerate(_WORDS[:200]) for _ in range(3)]
    train = [*copies, ("torn", "a"), ("torn", "b"), ("leak", "c")]
    found = duplicates(table(train), table([("leak", "c")]))
    assert len(found.groups) == SHOWN_GROUPS
    assert [group.rows for group in found.groups[:2]] == [(601, 602), (603,)]
    assert all(len(group.rows) == 3 for group in found.groups[2:])


@pytest.mark.asset
@pytest.mark.parametrize(
    ("name", "expected"),
    [("r52", (82, 15, 6, 4)), ("trec", (76, 0, 11, 1)), ("ohsumed", (1, 1, 2, 0))],
)
def test_benchmarks_have_what_their_provenance_says(name, expected) -> None:
    """Beyond letter-for-letter copies three of TREC, and one of Ohsumed's test, differ by punctuation."""
    if name != "r52" and not os.environ.get("SHARPRECL_MIRROR"):
        pytest.skip("SHARPRECL_MIRROR is not set: the files of this benchmark cannot be had")
    benchmark = load_benchmark(name)
    found = duplicates(benchmark.train, benchmark.test)
    assert (found.exact_train, found.exact_test, found.leaks, found.conflicts) == expected


def issue(train: int, test: int, **changes) -> Duplicates:
    given = data({"a": train}, {"a": test} if test else None)
    return Duplicates(given, by_hand(**changes))


def told(found: Duplicates) -> list[tuple[str, str]]:
    return [(one.severity, one.sentence) for one in found.findings()]


NONE = {"exact_train": 0, "near_train": 0, "leaks": 0, "conflicts": 0, "groups": ()}


def test_duplicates_leaks_and_contradictions() -> None:
    found = issue(472, 200, leaks=2)
    assert told(found) == [
        ("warning", "1 text has more than one label, such as 'my card was charged twice' ('billing' and 'other')"),
        ("problem", "2 of 200 test texts stand in training (1.0 %)"),
        ("note", "2 training texts repeat an earlier one, 1 more nearly so (0.6 %)"),
    ]
    assert [one.rows for one in found.findings()] == [(3, 9), (4, 5), ()]
    assert told(issue(472, 200, **NONE)) == []
    assert (
        told(issue(472, 0, **{**NONE, "near_train": 3}))[0][1]
        == "3 training texts nearly repeat an earlier one (0.6 %)"
    )


def test_a_point_of_accuracy_makes_a_problem_of_them() -> None:
    def severity(total: int, test: int, **changes) -> str:
        ((severity, _),) = told(issue(total, test, **{**NONE, **changes}))
        return severity

    assert [severity(100, 0, conflicts=1), severity(101, 0, conflicts=1)] == ["problem", "warning"]
    assert [severity(9, 100, leaks=1), severity(9, 101, leaks=1)] == ["problem", "warning"]
    assert severity(9, 10, near_leaks=9) == "warning", "nearly equal is not known to be the same"
    assert [severity(100, 0, exact_train=1), severity(101, 0, near_train=1)] == ["warning", "note"]
    assert [severity(9, 100, exact_test=1), severity(9, 101, near_test=1)] == ["warning", "note"]


def test_a_test_file_that_is_the_training_file() -> None:
    (found,) = issue(472, 200, **{**NONE, "leaks": 200}).findings()
    assert found.severity == "problem"
    assert found.sentence.startswith("the test file: this is the training file, or a part of it: 200 of 200 test texts")
    assert "--drop-leaks" not in found.cure
    (most,) = issue(472, 200, **{**NONE, "leaks": 199}).findings()
    assert "the training file" not in most.sentence
    assert "--drop-leaks" in most.cure


def test_the_test_file_is_told_of_only_where_there_is_one() -> None:
    assert len(issue(472, 0).section().figures) == 3
    found = dict(issue(472, 3, leaks=2).section().figures)
    assert found["test texts that stand in training"] == "2 equal, 0 nearly"


def test_rows_of_a_group() -> None:
    assert DuplicateGroup((3, 9), (4,), (), "").where == "rows 3 and 9, test row 4"
    assert DuplicateGroup((), (4, 5), (), "").where == "test rows 4 and 5"


def test_rows_are_those_of_the_files() -> None:
    train = loaded(table([("same text", "a"), ("other text", "b")]))
    test = loaded(table([("same text", "a")]))
    train.rows[:], test.rows[:] = (3, 7), 5
    (group,) = Duplicates.find(Data(train, test)).groups
    assert (group.rows, group.test_rows) == ((3,), (5,))
    assert type(group.rows[0]) is int, "for JSON"
