"""The kinds of issues that the doctor knows, each in a file of its own.

An issue says what it found, how much of it, in which rows, and what to do about it; ``base`` says how. What is told
first within a severity comes first in ``ISSUES``.
"""

from sharprecl.doctor.issues.augmented_copies import AugmentedCopies
from sharprecl.doctor.issues.base import Issue
from sharprecl.doctor.issues.batches import Batches
from sharprecl.doctor.issues.class_coverage import ClassCoverage
from sharprecl.doctor.issues.class_sizes import ClassSizes
from sharprecl.doctor.issues.damaged_texts import DamagedTestTexts, DamagedTexts
from sharprecl.doctor.issues.duplicates import Duplicates
from sharprecl.doctor.issues.label_errors import LabelErrors
from sharprecl.doctor.issues.label_names import LabelNames
from sharprecl.doctor.issues.unread_texts import UnreadTexts
from sharprecl.doctor.issues.unusable_rows import UnusableRows, UnusableTestRows

ISSUES: tuple[type[Issue], ...] = (
    UnusableRows,
    AugmentedCopies,
    LabelNames,
    DamagedTexts,
    UnusableTestRows,
    DamagedTestTexts,
    ClassSizes,
    ClassCoverage,
    Batches,
    Duplicates,
    UnreadTexts,
    LabelErrors,
)
