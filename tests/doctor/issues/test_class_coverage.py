"""What the test file cannot judge: told where it is so and not before."""

from diagnoses import COUNTS, data
from sharprecl.doctor.issues.class_coverage import SHIFTED, ClassCoverage


def told(counts, test_counts):
    return [(one.severity, one.sentence) for one in ClassCoverage(data(counts, test_counts)).findings()]


def test_what_the_test_file_cannot_judge() -> None:
    assert told(COUNTS, {"billing": 400, "access": 60, "shipping": 4, "hardware": 1}) == [
        ("warning", "1 class has no test text: 'other'"),
        ("note", "2 classes have under 5 test texts: read their figures as rough"),
    ]
    assert told(COUNTS, None) == []


def test_a_shift_between_training_and_test_is_told_from_its_threshold_on() -> None:
    train = {"a": 50, "b": 50}
    more = {"a": 50 + round(100 * SHIFTED) + 1, "b": 50 - round(100 * SHIFTED) - 1}
    ((_, sentence),) = told(train, more)
    assert "21.0 % of the texts would have to change class" in sentence
    assert told(train, {"a": more["a"] - 2, "b": more["b"] + 2}) == []
