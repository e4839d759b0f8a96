"""Every cell that the paper's tables print, and what is known against some of them.

``published.json`` holds the cells as printed: paper's table, row, column, metric; rows and columns as the shipped plans
call them. All are means of ten runs with BERT-base, in percent, with the standard deviation where the paper has one.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

AVERAGE = "average"
"""In place of a column: the mean over all columns of the paper's table."""

_FILE = Path(__file__).with_name("published.json")


@dataclass(frozen=True)
class Printed:
    """One printed figure.

    Attributes:
        row: the title of the plan's line, as in ``dice`` or ``top_k = 10``.
        column: of the plan, or ``AVERAGE``.
        text, spread: mean and standard deviation as printed; ``spread`` may be empty.
        remark: what is odd about it, as a clause.
        impossible: whether it cannot be right where it stands.
    """

    row: str
    column: str
    metric: str
    text: str
    spread: str = ""
    remark: str = ""
    impossible: bool = False

    @property
    def value(self) -> float:
        """As a share of 0 to 1."""
        return float(self.text) / 100


@dataclass(frozen=True)
class _Remark:
    row: str
    column: str
    metric: str
    text: str
    impossible: bool = False


def _both(row: str, column: str, text: str) -> tuple[_Remark, ...]:
    """The same cannot be right of accuracy and macro-F1."""
    return tuple(_Remark(row, column, metric, text, True) for metric in ("accuracy", "macro_f1"))


_ACCURACY, _MACRO_F1 = "accuracy", "macro_f1"

_SINGLE = (
    "like every printed accuracy of this row on the data set it is a whole number of test texts, which looks like one "
    "run and not like a mean of ten"
)
_UNSTEADY = "higher at ratio 50 than at ratio 20, and far below BERT's, whose loss it contains"
_PIECES = "most likely label names of several word pieces, which the method's code cannot read"

_MAIN: tuple[_Remark, ...] = (
    _Remark("cross_entropy", "ohsumed", _MACRO_F1, "underlined as runner-up, which is BCL's 58.85"),
    _Remark("focal", AVERAGE, _MACRO_F1, "the mean of its eighteen cells is 77.65"),
    _Remark("simcse", "ohsumed", _ACCURACY, "far below BERT's, whose loss it contains"),
    _Remark("simcse", "trec@50", _ACCURACY, "far below BERT's, whose loss it contains, and macro-F1 over accuracy"),
    _Remark("simcse", "trec@50", _MACRO_F1, "far below BERT's, whose loss it contains, and macro-F1 over accuracy"),
    _Remark("simcse", "biomedical@50", _ACCURACY, _UNSTEADY),
    _Remark("simcse", "biomedical@50", _MACRO_F1, _UNSTEADY),
    _Remark("simcse", "biomedical@20", _ACCURACY, _UNSTEADY),
    _Remark("simcse", "biomedical@20", _MACRO_F1, _UNSTEADY),
    _Remark("scl_ce", "r52", _MACRO_F1, "runner-up, but BCL's 83.59 is underlined"),
    _Remark("scl_ce", AVERAGE, _ACCURACY, "runner-up, but TSC's is underlined"),
    _Remark("scl_ce", AVERAGE, _MACRO_F1, "runner-up, but TSC's is underlined"),
    _Remark("spcl", "ohsumed", _ACCURACY, "runner-up, but TSC's 66.66 is underlined"),
    _Remark("dualcl", "r52", _MACRO_F1, _PIECES),
    _Remark("dualcl", "ohsumed", _ACCURACY, _PIECES),
    _Remark("dualcl", "ohsumed", _MACRO_F1, _PIECES),
    _Remark("hybrid_sc", AVERAGE, _ACCURACY, "below BERT's 80.96, though the text calls the method superior"),
    _Remark("bcl", "r52", _MACRO_F1, "underlined as runner-up, which is SCLCE's 83.64"),
    _Remark("bcl", "ohsumed", _MACRO_F1, "runner-up, but BERT's 57.36 is underlined"),
    _Remark("tsc", "ohsumed", _ACCURACY, "underlined as runner-up, which is SPCL's 67.20"),
    _Remark("tsc", AVERAGE, _ACCURACY, "underlined as runner-up, which is SCLCE's; its cells' mean macro-F1 is 78.36"),
    _Remark("tsc", AVERAGE, _MACRO_F1, "underlined as runner-up, which is SCLCE's; its cells' mean macro-F1 is 78.36"),
    _Remark("sharprecl", "trec@10", _ACCURACY, _SINGLE),
    _Remark("sharprecl", "cr@10", _ACCURACY, _SINGLE),
)

_AT_10 = "this is Table 2's figure at ratio 10, though the text says 50"
_OF_TSC = "the row has all 12 standard deviations, and half the means, of TSC at ratio 10 in Table 2"
_OF_BCL = "the row has all 12 standard deviations of BCL at ratio 10 in Table 2"


def _not_the_mean(mean: str) -> str:
    return f"the mean of the row's six columns is {mean}"


_LLM: tuple[_Remark, ...] = (
    *_both("gpt_3_5", AVERAGE, _not_the_mean("79.43/74.92")),
    _Remark("bloom", "trec@50", _ACCURACY, f"the best of the column, but underlined and not bold; {_OF_BCL}", True),
    *_both("bloom", AVERAGE, _not_the_mean("83.23/77.59")),
    _Remark("llama2", "ohsumed", _ACCURACY, f"underlined as runner-up, which is Llama3's 68.02; {_OF_TSC}", True),
    *_both("llama2", AVERAGE, _not_the_mean("83.16/78.25")),
    _Remark("llama3", "ohsumed", _ACCURACY, "runner-up, but Llama2's 67.66 is underlined"),
    _Remark("llama3", "cr@50", _ACCURACY, "bold together with the 90.96/90.21 of Ours"),
    _Remark("llama3", "cr@50", _MACRO_F1, "bold together with the 90.96/90.21 of Ours"),
    *_both("llama3", AVERAGE, _not_the_mean("82.66/78.19")),
    *_both("sharprecl", "trec@50", _AT_10),
    *_both("sharprecl", "dblp@50", _AT_10),
    *_both("sharprecl", "biomedical@50", _AT_10),
    *_both("sharprecl", "cr@50", f"{_AT_10}; bold, though the lowest of five"),
    *_both("sharprecl", AVERAGE, f"{_not_the_mean('83.40/79.70')}; this is Table 2's over 18"),
)

_ABLATION: tuple[_Remark, ...] = (
    _Remark("without SS", "trec@50", _ACCURACY, "beside a macro-F1 nine points lower"),
    _Remark("without SS", "trec@50", _MACRO_F1, "nine points under its accuracy; a slip for 94.88 or 93.88?"),
    _Remark("without CL", "cr@50", _ACCURACY, "BERT's figure, though this variant should keep the logit compensation"),
)

REMARKS: Mapping[str, tuple[_Remark, ...]] = {"Table 2": _MAIN, "Table 3": _LLM, "Table 4": _ABLATION}

ODD: Mapping[str, tuple[str, ...]] = {
    "Table 2": (
        "A mean of ten runs over TREC's 500 questions is a multiple of 0.02, which the accuracies 97.61, 94.21 and "
        "95.79 are not; of 48 accuracies on CR, 17 cannot be reached with 376 texts and ten runs.",
        "Every accuracy of Ours and of BERT on TREC and on CR is a whole number of test texts, as of single runs.",
        "The text calls Ours significantly better than the best baseline (p < 0.001); it is not the best on TREC "
        "(original and ratio 10, accuracy) and DBLP (original, both), and by the printed deviations p is 0.001 or more "
        "in 22 of 36 cells.",
    ),
    "Table 3": (
        "At ratio 50, as the text has it, Ours would average 80.21/75.59 and lose to three of the four language "
        "models.",
        "GPT-3.5 shares three standard deviations with Hybrid-SC of Table 2. The table is no target to reproduce.",
    ),
    "Table 4": (
        "Without SSHM is SCLCE's row of Table 2, digit by digit, on all data but R52, though it should keep the logit "
        "compensation and the prototypes.",
        "The accuracy 93.89 on TREC cannot be a mean of ten runs over 500 questions.",
    ),
    "Table A.1": ("All three rows have the accuracy 93.09 on CR, and two of them 97.20 on TREC.",),
    "Table A.2": (
        "The accuracy 94.29 on TREC cannot be a mean of ten runs over 500 questions.",
        "The best K on DBLP is 30 (76.59), but 20 is used everywhere.",
    ),
}
"""What is odd about a table of the paper beyond the figures above."""


@cache
def printed(paper: str) -> tuple[Printed, ...]:
    """The cells of one of the paper's tables, as in ``Table 2``; none of a table that is not the paper's."""
    return tuple(_read(paper))


def _read(paper: str) -> Iterator[Printed]:
    remarks = {(one.row, one.column, one.metric): one for one in REMARKS.get(paper, ())}
    for row, columns in json.loads(_FILE.read_text(encoding="utf-8")).get(paper, {}).items():
        for column, metrics in columns.items():
            for metric, shown in metrics.items():
                text, _, spread = shown.partition(" ± ")
                remark = remarks.get((row, column, metric))
                known = (remark.text, remark.impossible) if remark else ("", False)
                yield Printed(row, column, metric, text, spread, *known)
