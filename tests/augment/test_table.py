"""From rows to rows and their copies: which rows can have some, and what their labels are."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment.table import LONGEST, augment_rows, label_names, row_labels
from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN
from sharprecl.data.leaks import normalised
from sharprecl.data.tables import read_rows
from sharprecl.errors import DataError


def numbered(texts, seed, progress):
    """Every seed gives another result."""
    progress(len(texts), len(texts))
    return [f"{text} {seed}" for text in texts]


def augmented(columns, make=numbered, **options):
    rows = read_rows(pl.DataFrame(columns))
    labels = row_labels(rows, needed="budget" in options)
    return augment_rows(rows, "text", labels, make, lambda done, total: None, **{"copies": 1, **options})


TABLE = {"id": [7, 8, 9], "text": ["a", "b", "c"], "label": ["x", "x", "y"]}


def test_rows_come_first_and_copies_keep_all_columns_and_tell_their_origin():
    made = augmented(TABLE, copies=2, seed=3)
    rows, columns = made.output(only_new=False)
    assert rows.records[:3] == [
        {"id": 7, "text": "a", "label": "x"}, {"id": 8, "text": "b", "label": "x"}, {"id": 9, "text": "c", "label": "y"}
    ]  # fmt: skip
    assert rows.records[3:5] == [{"id": 7, "text": "a 3", "label": "x"}, {"id": 7, "text": "a 4", "label": "x"}]
    a, b, c = "ca978112ca1bbdca", "3e23e8160039594a", "2e7d2c03a9507ae2"  # printf a | sha256sum
    assert columns == {
        SOURCE_COLUMN: [None, None, None, 1, 1, 2, 2, 3, 3],
        MARK_COLUMN: [None, None, None, a, a, b, b, c, c],
    }
    assert rows.texts == tuple(record["text"] for record in rows.records)
    assert made.notes == []
    new, columns = made.output(only_new=True)
    assert (new.records, columns) == (
        rows.records[3:],
        {SOURCE_COLUMN: [1, 1, 2, 2, 3, 3], MARK_COLUMN: [a, a, b, b, c, c]},
    )


def test_nothing_is_changed_in_place():
    rows = read_rows(pl.DataFrame(TABLE))
    before = [dict(record) for record in rows.records]
    augment_rows(rows, "text", row_labels(rows), numbered, lambda *_: None, copies=1).output(False)[0].records[0][
        "id"
    ] = 0
    assert [record["text"] for record in rows.records] == [record["text"] for record in before]


def test_what_got_no_copies_is_told_with_its_reason():
    columns = {
        "text": ["a", "a", "stays", "b", "b", "w" * (LONGEST + 1), "once"],
        "label": ["x", "x", "x", "x", "y", "y", "y"],
    }

    def some(texts, seed, progress):
        return [text if text == "stays" else text + " new" if text == "once" else f"{text} {seed}" for text in texts]

    made = augmented(columns, some, copies=2)
    assert made.texts == ["a 0", "a 1", "once new"]
    assert made.notes == [
        "1 text got no copy: nothing in it could be changed",
        "1 row got no copies of its own: an earlier row has the same text",
        "1 text got no copy: rows give it different labels",
        "1 text got no copy: over 100000 characters, more than any encoder reads",
        "1 text fewer than asked for could be made: none repeats a text that is there, and none has more copies than "
        "--copies says (2)",
    ]


def test_more_copies_than_an_augmenter_can_make_are_told_and_not_paid_for():
    asked = []

    def deaf(texts, seed, progress):
        asked.extend(texts)
        return [f"{text} new" for text in texts]

    made = augmented(TABLE, deaf, copies=3, seeded=False)
    assert made.texts == ["a new", "b new", "c new"]
    assert sorted(asked) == ["a", "b", "c"]
    told = "no text got more than 1 of 3 copies: this augmenter gives the same text for every seed"
    assert made.notes == [told]
    short = augmented(TABLE, deaf, copies=8, budget=5, seeded=False)
    assert short.notes == [
        told.replace("3 copies", "8 copies"),
        "2 texts fewer than asked for could be made: none repeats a text that is there, and none has two copies",
    ]
    assert not augmented(TABLE, deaf, copies=1, seeded=False).notes


def test_a_budget_goes_to_rare_classes_first():
    columns = {"text": [f"t{n}" for n in range(16)], "label": ["a"] * 10 + ["b"] * 5 + ["c"]}
    made = augmented(columns, copies=3, budget=7)
    assert (made.counts.tolist(), made.new_counts.tolist()) == ([10, 5, 1], [0, 4, 3])  # c has 3 copies at most
    assert not made.notes
    labels = [record["label"] for record in made.output(True)[0].records]
    assert Counter(labels) == {"b": 4, "c": 3}


def test_what_a_class_cannot_take_goes_to_the_next():
    columns = {"text": [f"t{n}" for n in range(9)], "label": ["a"] * 5 + ["b"] * 3 + ["c"]}

    def stubborn(texts, seed, progress):
        return [text if text == "t8" else f"{text} {seed}" for text in texts]

    made = augmented(columns, stubborn, copies=2, budget=6)
    assert made.new_counts.tolist() == [2, 4, 0]
    short = augmented(columns, stubborn, copies=2, budget=20)
    assert short.new_counts.tolist() == [10, 6, 0]
    assert short.notes[-1].startswith("4 texts fewer than asked for could be made: ")


def test_every_row_can_be_its_own_class():
    columns = {"text": [f"t{n}" for n in range(300)], "label": [f"l{n}" for n in range(300)]}
    made = augmented(columns, copies=8, budget=450)
    assert sorted(Counter(made.of_rows.tolist()).values()) == [1] * 150 + [2] * 150


rows = st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.sampled_from("xyz")), min_size=2, max_size=12)


@settings(deadline=None)
@given(rows, st.integers(1, 3), st.one_of(st.none(), st.integers(1, 20)), st.integers(0, 3), st.data())
def test_which_texts_are_made_does_not_depend_on_the_order_of_the_rows(some, copies, budget, seed, data):
    def make(texts, number, progress):
        return [text + "ab"[number % 2] for text in texts]

    options = {"copies": copies, "seed": seed} | ({} if budget is None else {"budget": budget})

    def result(pairs):
        texts, labels = zip(*pairs, strict=True)
        made = augmented({"text": texts, "label": labels}, make, **options)
        new = made.output(True)[0].records
        assert [pairs[row][1] for row in made.of_rows] == [record["label"] for record in new]
        assert budget is None or len(new) <= budget
        assert not {normalised(record["text"]) for record in new} & set(map(normalised, texts))
        return sorted((record["text"], record["label"]) for record in new)

    assert result(data.draw(st.permutations(some))) == result(some)


def frame(**columns):
    return read_rows(pl.DataFrame(columns))


def test_labels_are_taken_where_there_are_some():
    rows = frame(text=["a", "b", "c", "d"], label=["x", None, " ", "y"])
    assert row_labels(rows) == ["x", None, None, "y"]
    assert label_names(row_labels(rows)) == ["x", "y"]
    assert row_labels(frame(text=["a", "b"], label=[0, 1])) == ["0", "1"]
    assert row_labels(frame(text=["a"])) is None
    assert label_names(None) == []


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"text": ["a"]}, {"needed": True}, "no column 'label'"),
        ({"text": ["a"], "label": ["x"]}, {"label": "lable"}, "did you mean 'label'"),
    ],
)
def test_labels_that_are_asked_for_must_be_there(columns, options, words):
    with pytest.raises(DataError, match=words):
        row_labels(frame(**columns), **options)


def test_rows_without_a_text_or_a_needed_label_have_none():
    columns = {"text": ["a", "", "b", "b"], "label": ["x", "x", None, "y"]}
    made = augmented(columns)
    assert made.of_rows.tolist() == [0, 2]
    made = augmented(columns, budget=4)
    assert set(made.of_rows.tolist()) == {0, 3}
    assert "1 text got no copy: no label says to which class it would go" in made.notes


def test_of_equal_texts_the_first_has_copies():
    made = augmented({"text": ["a", "b", "a", "a"]})
    assert made.of_rows.tolist() == [0, 1]
    assert made.notes == ["2 rows got no copies of their own: an earlier row has the same text"]


def test_a_text_with_two_labels_has_none():
    made = augmented({"text": ["a", "b", "a", "b", "c"], "label": ["x", "x", "y", None, "y"]})
    assert made.of_rows.tolist() == [1, 4]
    assert made.notes[1] == "1 text got no copy: rows give it different labels"


def test_a_text_that_no_encoder_reads_to_its_end_has_none():
    long = "word " * (LONGEST // 5)
    made = augmented({"text": [long, long + "x"]})
    assert made.of_rows.tolist() == [0]
    assert made.notes == ["1 text got no copy: over 100000 characters, more than any encoder reads"]
