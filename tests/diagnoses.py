"""A diagnosis made by hand: what the doctor's printers show does not depend on how it was found."""

from typing import Any

from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.doctor.diagnosis import (
    Diagnosis,
    Distribution,
    DuplicateGroup,
    Duplicates,
    Finding,
    LabelErrors,
    Recommendation,
    Suspect,
    TextFacts,
)

COUNTS = {"billing": 400, "access": 60, "shipping": 9, "hardware": 2, "other": 1}


def distribution(counts: dict[str, int] = COUNTS, test_counts: dict[str, int] | None = None) -> Distribution:
    sizes = list(counts.values())
    return Distribution(
        counts=counts,
        test_counts=test_counts or {},
        imbalance_ratio=sizes[0] / sizes[-1],
        effective_classes=1.9,
        gini=0.72,
        single=sizes.count(1),
        pairs=sizes.count(2),
        under_ten=sum(size < 10 for size in sizes),
    )


def duplicates(**changes: Any) -> Duplicates:
    groups = (
        DuplicateGroup((3, 9), (), ("billing", "other"), "my card was charged twice"),
        DuplicateGroup((7,), (4, 5), ("access",), "reset my password"),
    )
    return Duplicates(
        **{
            "exact_train": 2,
            "exact_test": 0,
            "near_train": 1,
            "near_test": 0,
            "leaks": 2,
            "near_leaks": 0,
            "conflicts": 1,
            "groups": groups,
            "compared": 472,
            **changes,
        }
    )


def text_facts(**changes: Any) -> TextFacts:
    return TextFacts(
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


def label_errors(**changes: Any) -> LabelErrors:
    suspects = (
        Suspect(41, "other", "billing", 0.97, 0.01, True, "refund my invoice please"),
        Suspect(77, "access", "billing", 0.91, 0.05, False, "the payment was late again"),
    )
    return LabelErrors(
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


def diagnosis(**changes: Any) -> Diagnosis:
    values: dict[str, Any] = {
        "name": "tickets.csv",
        "rows": 475,
        "usable": 472,
        "findings": (
            Finding(
                "problem", "rows", "3 rows have no text in column 'body': rows 1, 2 and 3", "fill in or delete", (1,)
            ),
            Finding("warning", "labels", "1 class has a single text: 'other'", "find more texts"),
            Finding("note", "floor", "words alone reach macro-F1 61.2 %: what a trained encoder must beat"),
        ),
        "distribution": distribution(),
        "batches": forecast_batches(COUNTS, 32),
        "duplicates": duplicates(),
        "texts": text_facts(),
        "label_errors": label_errors(),
        "recommendation": Recommendation(
            "sharprecl train tickets.csv --text body --label queue --output runs/tickets --method sharprecl",
            ("--method sharprecl: 3 of 5 classes have under 20 texts, which is what it is for",),
        ),
        "seconds": 3.2,
    }
    return Diagnosis(**values | changes)
