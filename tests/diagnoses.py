"""A diagnosis made by hand: what the doctor says and shows does not depend on how it was found."""

from typing import Any

import numpy as np

from sharprecl.data.tables import TextTable
from sharprecl.doctor.diagnosis import Diagnosis, Recommendation
from sharprecl.doctor.issues.base import Data, Finding, LoadedTable
from sharprecl.doctor.issues.batches import Batches
from sharprecl.doctor.issues.class_sizes import ClassSizes
from sharprecl.doctor.issues.duplicates import DuplicateGroup, DuplicateReport, Duplicates
from sharprecl.doctor.issues.label_errors import LabelErrorReport, LabelErrors, Suspect
from sharprecl.doctor.issues.unread_texts import TextReport, UnreadTexts
from sharprecl.doctor.issues.unusable_rows import UnusableRows

COUNTS = {"billing": 400, "access": 60, "shipping": 9, "hardware": 2, "other": 1}
BLANK = Finding("problem", "rows", "3 rows have no text in column 'body': rows 1, 2 and 3", "fill in or delete", (1,))


def loaded(table: TextTable, *findings: Finding) -> LoadedTable:
    """A table as it is loaded from a file that holds nothing else."""
    return LoadedTable(table, np.arange(1, len(table) + 1), len(table), findings)


def of_counts(counts: dict[str, int], names: list[str]) -> LoadedTable:
    labels = np.repeat([names.index(name) for name in counts], list(counts.values()))
    return loaded(TextTable(("text",) * len(labels), labels, tuple(names), "test"))


def data(counts: dict[str, int] = COUNTS, test_counts: dict[str, int] | None = None, **settings: Any) -> Data:
    """As many texts of each class."""
    names = list(counts)
    test = of_counts(test_counts, names) if test_counts else None
    return Data(**{"train": of_counts(counts, names), "test": test, "batch_size": 32} | settings)


def duplicates(**changes: Any) -> DuplicateReport:
    groups = (
        DuplicateGroup((3, 9), (), ("billing", "other"), "my card was charged twice"),
        DuplicateGroup((7,), (4, 5), ("access",), "reset my password"),
    )
    return DuplicateReport(
        **{
            "exact_train": 2,
            "exact_test": 0,
            "near_train": 1,
            "near_test": 0,
            "leaks": 0,
            "near_leaks": 0,
            "conflicts": 1,
            "torn_train": 1,
            "identical_train": 2,
            "groups": groups,
            "compared": 472,
            **changes,
        }
    )


def text_report(**changes: Any) -> TextReport:
    return TextReport(
        **{
            "encoder": "minilm",
            "max_length": 256,
            "truncated": 0.12,
            "truncated_test": None,
            "empty": (12,),
            "empty_count": 1,
            "token_quantiles": (31.0, 270.0, 402.0, 911.0),
            "scripts": {"LATIN": 0.99, "CYRILLIC": 0.01},
            "foreign": (13, 14),
            "foreign_count": 2,
            "examined": 472,
            **changes,
        }
    )


def label_errors(**changes: Any) -> LabelErrorReport:
    suspects = (
        Suspect(41, "other", "billing", 0.97, 0.01, True, "refund my invoice please"),
        Suspect(77, "access", "billing", 0.91, 0.05, False, "the payment was late again"),
    )
    return LabelErrorReport(
        **{
            "examined": 472,
            "estimated": 2,
            "by_class": {"access": 1, "other": 1},
            "suspects": suspects,
            "confusions": (("access", "billing", 1), ("other", "billing", 1)),
            "macro_f1": 0.612,
            "accuracy": 0.93,
            "test_macro_f1": None,
            "rare": 1,
            "f1_by_class": dict(zip(COUNTS, (0.99, 0.9, 0.6, 0.5, 0.0), strict=True)),
            **changes,
        }
    )


def diagnosis(
    given: Data | None = None,
    findings: tuple[Finding, ...] = (BLANK,),
    same: DuplicateReport | None = None,
    errors: LabelErrorReport | None = None,
    **changes: Any,
) -> Diagnosis:
    """The five kinds of issue that have figures, beside ``findings``; without ``errors``, labels were not examined."""
    given = given or data()
    issues = (
        UnusableRows(Data(LoadedTable(given.train.table, given.train.rows, 0, findings))),
        ClassSizes(given, ClassSizes.find(given)),
        Batches(given, Batches.find(given)),
        Duplicates(given, same or duplicates()),
        UnreadTexts(given, text_report()),
        LabelErrors(given, errors),
    )
    values: dict[str, Any] = {
        "name": "tickets.csv",
        "rows": 475,
        "usable": 472,
        "counts": given.counts,
        "issues": issues,
        "recommendation": Recommendation(
            "sharprecl train tickets.csv --text body --label queue --output runs/tickets --method sharprecl",
            ("--method sharprecl: 3 of 5 classes have under 20 texts, which is what it is for",),
        ),
        "seconds": 3.2,
    }
    return Diagnosis(**values | changes)
