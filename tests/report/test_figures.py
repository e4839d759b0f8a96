"""Figures, one by one, and the sentences: what they draw and what they leave out."""

import numpy as np
import pytest

from sharprecl.evaluation.bands import band_masks
from sharprecl.evaluation.judge import evaluate
from sharprecl.report import figures
from sharprecl.report.confusion import shown_classes, top_confusions
from sharprecl.report.curves import learning_curves
from sharprecl.report.data import ReportData
from sharprecl.report.embedding import embedding_map
from sharprecl.report.figures import f1_by_frequency, label_distribution
from sharprecl.report.findings import findings
from sharprecl.report.svg import BAND_COLOURS, INK, clean
from sharprecl.runs.judge import judged_notes

NAMES = ["big", "middle", "rare"]
TRAIN = np.array([500, 50, 1])
TRUE = np.array([0] * 30 + [1] * 9 + [2])


def judged(predicted):
    return evaluate(TRUE, np.array(predicted), TRAIN, NAMES, 50)


def data_of(evaluations):
    return ReportData("t", NAMES, TRAIN, evaluations, [], None, [""] * 40, np.ones(40))


def test_distribution_names_every_class_and_shows_its_size():
    figure = label_distribution(NAMES, TRAIN)
    assert all(f">{text}<" in figure.svg for text in (*NAMES, "500", "50", "1"))
    assert "500 times" in figure.caption
    assert INK not in figure.svg
    assert "currentColor" in figure.svg
    # The page's own type, too.
    assert "font-size" in figure.svg
    assert "font-family" not in figure.svg


def test_distribution_looks_at_the_bands_of_many_classes_once(monkeypatch):
    looks = []
    monkeypatch.setattr(figures, "band_masks", lambda counts: looks.append(1) or band_masks(counts))
    counts = np.arange(1, 151)
    figures.label_distribution([str(count) for count in counts], counts)
    assert len(looks) == 2  # for the colours and for the legend
    assert figures.class_colours(counts)[0] == BAND_COLOURS["tail"]


def test_bars_keep_the_colours_of_their_classes():
    svg = label_distribution(NAMES, TRAIN[::-1]).svg
    places = [svg.index(BAND_COLOURS[band]) for band in ("head", "medium", "tail")]
    assert places == sorted(places)


def test_f1_points_carry_hover_titles_and_can_be_switched():
    figure = f1_by_frequency(TRAIN, {"model": judged(TRUE), "floor": judged(0 * TRUE)})
    assert figure.svg.count("<title>") == 6
    assert "<title>rare: F1 100.0 (model), 1 training text, 1 test text</title>" in figure.svg
    assert [key.group for key in figure.legend[:2]] == ["f1-series0", "f1-series1"]


def test_learning_curves_mark_the_kept_epoch_and_need_history():
    assert learning_curves([]) is None
    check = {
        "kind": "validation",
        "epoch": 4,
        "step": 9,
        "macro_f1": 0.5,
        "accuracy": 0.6,
        "loss": 1.0,
        "best": True,
    }
    figure = learning_curves([check])
    assert figure.legend[-1].text == "kept: epoch 4, macro-F1 50.0"


def test_map_names_the_rarest_and_is_deterministic():
    vectors = np.random.Generator(np.random.PCG64(1)).normal(size=(40, 4))
    first, second = (embedding_map(NAMES, TRAIN, vectors, TRUE) for _ in range(2))
    assert first == second
    assert {key.text for key in first.legend} == {f"{n} ({c} in training)" for n, c in zip(NAMES, TRAIN, strict=True)}


@pytest.mark.parametrize("vectors", [None, np.ones((40, 4)), np.full((40, 4), np.nan), np.eye(5)])
def test_no_map_where_there_is_nothing_to_lay_out(vectors):
    assert embedding_map(NAMES, TRAIN, vectors, TRUE if vectors is None else TRUE[: len(vectors)]) is None


def test_only_the_most_confused_of_many_classes_are_shown_biggest_first():
    confusion = np.eye(100, dtype=np.int64)
    confusion[7, 90] = 5
    confusion[8, 91] = 4
    shown = shown_classes(confusion, np.arange(100))
    assert len(shown) == 40
    assert set(shown[:2]) == {91, 90}
    assert {7, 8} <= set(shown)


def test_top_confusions():
    pairs = top_confusions(judged([*TRUE[:-3], 0, 0, 1]))
    assert [(pair.true, pair.predicted, pair.texts) for pair in pairs] == [
        ("middle", "big", 2),
        ("rare", "middle", 1),
    ]
    assert pairs[0].percent == pytest.approx(200 / 9)


def test_findings_name_lost_classes_and_compare_with_references():
    lazy, perfect = judged(0 * TRUE), judged(TRUE)
    told = {finding.text: finding.kind for finding in findings(data_of({"model": lazy, "floor": perfect}))}
    # However few the texts, a perfect score has no width; the difference to it has one.
    kinds = [kind for text, kind in told.items() if "below floor (100.0 %); 95 % interval of the difference" in text]
    assert kinds == ["bad"]
    assert told["2 of 3 tested classes are never found (F1 0): middle (50 training texts, 9 in test), "
                "rare (1 training text, 1 in test)."] == "bad"  # fmt: skip
    assert told["Always answering 'big' would reach an accuracy of 75.0 %; the model reaches 75.0 %."] == "bad"
    told = {finding.text: finding.kind for finding in findings(data_of({"model": perfect, "floor": perfect}))}
    assert told["Every one of the 3 tested classes is found at least once."] == "good"
    assert told["Macro-F1 equals that of floor (100.0 %)."] == "note"


def test_findings_begin_with_the_paired_differences():
    nearly = np.array([0] * 29 + [1] * 10 + [2])
    other = np.array([0] * 30 + [1] * 8 + [0, 2])
    for model, floor, kind, told in (
        (0 * TRUE, nearly, "bad", "below floor"),
        (nearly, 0 * TRUE, "good", "above floor"),
        (nearly, other, "note", "but this test cannot tell which is better"),
    ):
        first = findings(data_of({"model": judged(model), "floor": judged(floor)}))[0]
        assert (first.kind, told in first.text) == (kind, True), first


def test_classes_without_test_texts_are_no_failures():
    names, train = [f"c{place}" for place in range(12)], np.array([500, 400, *[5] * 10])
    true = np.array([0] * 10 + [1] * 10 + [2])
    found = evaluate(true, true, train, names, 50)
    told = [finding.text for finding in findings(ReportData(
        "t", names, train, {"model": found}, [], None, [""] * 21, np.ones(21),
        notes=judged_notes(found),
    ))]  # fmt: skip
    assert "The tail classes fare about as well as the head ones (+0.0 points of F1)." in told
    assert not any("pay" in text for text in told)
    (note,) = (text for text in told if "no test text" in text)
    assert note == "no test text at all for 9 of 12 classes: each counts 0 in macro-F1, which is therefore too low"


def test_clean_keeps_one_line_that_xml_can_hold():
    assert clean("a\x00b\n\tc \ud800") == "a b c"
    assert clean("abcdef", 4) == "abc\u2026"
    assert clean("abcd", 4) == "abcd"
    assert clean("账单与退款", 6) == "账单\u2026", "a Chinese sign takes two columns"
