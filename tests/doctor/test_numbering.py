"""Rows of the table become rows of the file, everywhere where a row is named."""

import numpy as np

from diagnoses import duplicates, label_errors, text_facts
from sharprecl.doctor.diagnosis import DuplicateGroup
from sharprecl.doctor.numbering import in_file_duplicates, in_file_errors, in_file_texts

TRAIN, TEST = np.array([2, 3, 5, 9]), np.array([1, 4])


def test_every_row_is_looked_up() -> None:
    found = duplicates(groups=(DuplicateGroup((1, 4), (), ("a",), "x"), DuplicateGroup((3,), (2, 1), ("b",), "y")))
    groups = in_file_duplicates(found, TRAIN, TEST).groups
    assert [(group.rows, group.test_rows) for group in groups] == [((2, 9), ()), ((5,), (4, 1))]
    assert in_file_duplicates(duplicates(groups=()), TRAIN, None).groups == ()
    facts = in_file_texts(text_facts(empty=(2,), foreign=(3, 4)), TRAIN)
    assert (facts.empty, facts.foreign) == ((3,), (5, 9))
    suspects = label_errors().suspects
    errors = in_file_errors(
        label_errors(suspects=tuple(s.__class__(**{**s.__dict__, "row": 4}) for s in suspects)), TRAIN
    )
    assert [suspect.row for suspect in errors.suspects] == [9, 9]
    assert in_file_errors(None, TRAIN) is None


def test_rows_are_whole_numbers_of_python_for_json() -> None:
    facts = in_file_texts(text_facts(empty=(2,), foreign=()), TRAIN)
    assert type(facts.empty[0]) is int
