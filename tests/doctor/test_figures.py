"""The three pictures: two classes or a million."""

import pytest

from diagnoses import diagnosis, distribution, label_errors
from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.doctor.figures import EACH, class_sizes, no_positive, words_f1
from sharprecl.report.svg import INK


def of_counts(counts, **changes):
    f1 = dict.fromkeys(counts, 0.5)
    values = {"label_errors": label_errors(f1_by_class=f1), **changes}
    return diagnosis(distribution=distribution(counts), batches=forecast_batches(counts, 64), **values)


def test_few_classes_are_named() -> None:
    found = diagnosis()
    assert all(f">{name}<" in class_sizes(found).svg for name in found.distribution.counts)
    assert "<title>1 text: other: 100.0 %</title>" in no_positive(found).svg
    assert "<title>9 texts: shipping: 57.8 %</title>" in no_positive(found).svg
    assert "<title>billing: F1 99.0, 400 texts</title>" in words_f1(found).svg
    assert words_f1(diagnosis(label_errors=None)) is None


def test_classes_of_one_size_are_one_point() -> None:
    figure = no_positive(of_counts({"a": 9, "b": 5, "c": 5, "d": 5, "e": 5, "f": 5, "g": 1}))
    assert figure.svg.count("<title>") == 3
    assert "5 texts: b, c, d, e and 1 more:" in figure.svg


@pytest.mark.parametrize("number", [2, EACH, EACH + 1, 20_000])
def test_any_number_of_classes_gives_pages_of_bounded_size(number: int) -> None:
    counts = {f"class {place}": max(1, 2 * number // (place + 1)) for place in range(number)}
    found = of_counts(counts)
    figures = (class_sizes(found), no_positive(found), words_f1(found))
    for figure in figures:
        assert figure.svg.startswith("<svg")
        assert INK not in figure.svg
        assert len(figure.svg) < 900_000
    assert figures[2].svg.count("<title>") == min(number, EACH)
    assert (f"{EACH:,} of {number:,} classes" in figures[2].caption) == (number > EACH)


def test_the_line_over_ranks_ends_at_the_last_class() -> None:
    counts = {f"c{place}": 3 for place in range(EACH)} | {"last": 1}
    figure = class_sizes(of_counts(counts))
    assert figure.caption == f"{EACH + 1:,} classes; the biggest has 3 texts, the smallest 1."
