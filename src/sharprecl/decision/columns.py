"""Answers as columns of a table, called alike wherever a table is answered."""

from collections.abc import Iterable, Sequence
from typing import Any

from sharprecl.decision.policy import Answers, Policy


def column_names(policy: Policy, chances: Iterable[str] = ()) -> list[str]:
    """The columns of answers by a policy, with the probabilities of these labels."""
    unsure = ["not_sure"] if policy.abstains else []
    sets = ["set"] if policy.set_bar_C is not None else []
    return ["predicted", "confidence", *unsure, *sets, *(f"probability {name}" for name in chances)]


def columns_of(
    answers: Answers, names: Sequence[str], *, typed: bool, probabilities: bool = False
) -> dict[str, list[Any]]:
    """Values of the columns; where text is all there is, in words that any spreadsheet shows."""
    columns: dict[str, list[Any]] = {
        "predicted": [names[answer] if answer >= 0 else "" for answer in answers.class_ids_N],
        "confidence": _rounded(answers.confidence_N),
        "not_sure": [bool(unsure) if typed else ("no", "yes")[unsure] for unsure in answers.abstained_N.astype(int)],
    }
    for index, name in enumerate(names if probabilities else ()):
        columns[f"probability {name}"] = _rounded(answers.probabilities_NC[:, index])
    if answers.sets_NC is not None:
        sets = [[names[index] for index in row.nonzero()[0]] for row in answers.sets_NC]
        columns["set"] = sets if typed else list(map(" | ".join, sets))
    return columns


def _rounded(chances: Iterable[float]) -> list[Any]:
    """Six digits; nothing where there is no answer."""
    return [None if chance != chance else round(float(chance), 6) for chance in chances]
