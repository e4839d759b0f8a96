"""The report page: what it says, that it harms nobody, needs no network, and is the same each time."""

import re

import numpy as np
import pytest

from sharprecl.evaluation.judge import evaluate
from sharprecl.report.data import ReportData
from sharprecl.report.page import confident_mistakes, flat, worst_first, write_report

EVIL = "<script>alert('x')</script> $\\frac{1}$ _a"


def history():
    records = []
    for step in range(12):
        loss = {
            "total": 2.0 / (step + 1),
            "classification": 1.0,
            "contrastive": float("nan") if step == 3 else 1.0,
        }
        records.append({"kind": "step", "step": step, "epoch": step // 4 + 1, "loss": loss, "learning_rate": 1e-3})
        if step % 4 == 3:
            score = 0.4 if step == 7 else 0.3
            values = {"macro_f1": score, "accuracy": 0.5, "loss": 1.0, "best": step in (3, 7)}
            records.append({"kind": "validation", "epoch": step // 4 + 1, "step": step, **values})
    return records


def report(n_classes=4, n_texts=60, **changes):
    generator = np.random.Generator(np.random.PCG64(0))
    true = generator.integers(0, n_classes, n_texts)
    # The last class is never answered.
    predicted = np.where(generator.random(n_texts) < 0.7, true, (true + 1) % n_classes)
    predicted[predicted == n_classes - 1] = 0
    names = [f"class {c}" for c in range(n_classes)]
    train = np.maximum(1, 400 // np.arange(1, n_classes + 1) ** 2)
    values = {
        "title": "A report",
        "label_names": names,
        "train_counts": train,
        "evaluations": {
            "SharpReCL": evaluate(true, predicted, train, names, 50),
            "TF-IDF": evaluate(true, np.zeros_like(true), train, names, 50),
        },
        "history": history(),
        "embeddings": generator.normal(size=(n_texts, 6)),
        "texts": [f"text number {i}" for i in range(n_texts)],
        "confidence": generator.random(n_texts),
        "settings": {"seed": 3, "versions": {"torch": "2.13.0"}, "command": "sharprecl train x.csv"},
        "notes": ["one class has a single training text"],
        "evaluated_on": "test file held_out.csv, 60 texts",
    }
    return ReportData(**values | changes)


def written(data, path):
    write_report(data, path)
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return written(report(), tmp_path_factory.mktemp("report") / "report.html")


def test_says_what_matters(page):
    data = report()
    assert f"{100 * data.model.macro_f1:.1f}" in page
    for sentence in (
        "test file held_out.csv, 60 texts",
        "one class has a single training text",
        "1 of 4 tested classes is never found (F1 0): class 3",
        "kept: epoch 2, macro-F1 40.0",
        "versions.torch",
        "sharprecl train x.csv",
        "TF-IDF",
    ):
        assert sentence in page
    for mistake in confident_mistakes(data):
        assert mistake.text in page
    assert page.count("<svg") == 7


def test_needs_no_network(page):
    for target in re.findall(r"""(?:src|href|data|action)\s*=\s*["']([^"']*)""", page):
        assert target.startswith(("#", "data:image/png"))
    assert "@import" not in page
    assert not re.search(r"url\((?!['\"]?#)", page)
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_ids_are_unique_and_references_resolve(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    used = re.findall(r'href="#([^"]+)"', page) + re.findall(r"url\(#([^)]+)\)", page)
    assert set(used) <= set(ids)
    assert set(re.findall(r'data-group="([^"]+)"', page)) <= set(ids)


def test_same_input_same_bytes(page, tmp_path):
    assert written(report(), tmp_path / "again.html") == page


def test_user_text_is_harmless(tmp_path):
    plain = report()
    names = [EVIL, "\x00\x1b control", "line\nbreak \ud83d", "_hidden"]
    evaluations = {
        EVIL: evaluate(plain.model.gold, plain.model.answers, plain.train_counts, names, 20),
        "\ud83d": evaluate(plain.model.gold, plain.model.answers, plain.train_counts, names, 20),
    }
    data = report(
        title=EVIL,
        label_names=names,
        evaluations=evaluations,
        texts=[EVIL] * 60,
        settings={EVIL: EVIL},
        notes=[EVIL],
    )
    text = written(data, tmp_path / "evil.html")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert text.count("<script>") == 1


@pytest.mark.parametrize("n_classes", [2, 1000])
def test_any_number_of_classes(n_classes, tmp_path):
    text = written(report(n_classes, 400, embeddings=None), tmp_path / "page.html")
    assert ("Only the 40 of 1,000 classes" in text) == (n_classes == 1000)
    assert text.count("<svg") == (7 if n_classes == 1000 else 6)  # the names of a wide matrix lie over it once more


def test_without_history_embeddings_and_mistakes(tmp_path):
    true = np.array([0, 1, 1])
    perfect = evaluate(true, true, [5, 9], ["a", "b"], 20)
    data = report(
        label_names=["a", "b"], train_counts=np.array([5, 9]), evaluations={"only": perfect}, history=[],
        embeddings=None, texts=["x"] * 3, confidence=np.ones(3), settings={}, notes=[],
    )  # fmt: skip
    text = written(data, tmp_path / "page.html")
    assert "No training history was recorded" in text
    assert "No map" in text
    assert text.count("every test text got its class") == 2


def test_mistakes_are_the_surest_wrong_answers_shortened():
    data = report(texts=["word " * 500] * 60)
    found = confident_mistakes(data)
    wrong = data.confidence[data.model.gold != data.model.answers]
    assert [mistake.confidence for mistake in found] == sorted(wrong, reverse=True)[:10]
    assert all(len(mistake.text) <= 260 and mistake.true != mistake.predicted for mistake in found)


def test_settings_are_flattened_in_order():
    assert flat({"b": {"c": 1, "d": {}}, "a": ["x"]}) == [("b.c", "1"), ("b.d", "{}"), ("a", '["x"]')]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="different lengths"):
        report(texts=["one"])


def test_classes_stand_worst_first_as_far_as_the_test_can_tell(tmp_path):
    """One missed text comes after ten, and a class that was never tested comes last, without figures."""
    true = np.array([0] * 40 + [1] * 10 + [2] + [3] * 10)
    predicted = np.array([0] * 40 + [0] * 8 + [1] * 2 + [0] + [3] * 5 + [0] * 5)
    names = ["fine", "lost", "missed once", "half", "untested"]
    found = evaluate(true, predicted, [400, 60, 9, 30, 5], names, 20)
    assert [line.row.name for line in worst_first(found)] == ["lost", "half", "missed once", "fine", "untested"]
    data = report(
        label_names=names, train_counts=np.array([400, 60, 9, 30, 5]), evaluations={"only": found}, history=[],
        embeddings=None, texts=["x"] * 61, confidence=np.ones(61),
    )  # fmt: skip
    rows = re.findall(r'<tr><td data-v="([^"]+)">(.*)</tr>', written(data, tmp_path / "page.html"))
    assert [name for name, _ in rows] == ["lost", "half", "missed once", "fine", "untested"]
    assert rows[-1][1].count("&ndash;</td>") == 4
    assert 'class="zero">0.0</td>' in rows[2][1]


def test_names_break_after_signs_and_nowhere_else(tmp_path):
    names = ["card_declined/online", "a" * 60, "<i>_x", "plain"]
    plain = report()
    found = evaluate(plain.model.gold, plain.model.answers, plain.train_counts, names, 20)
    text = written(report(label_names=names, evaluations={"only": found}), tmp_path / "page.html")
    assert '<bdi class="name">card_<wbr>declined/<wbr>online</bdi>' in text
    assert f'<bdi class="name">{"a" * 60}</bdi>' in text
    assert "<i>_x" not in text


def test_the_row_names_of_a_wide_matrix_lie_over_it_once_more(tmp_path):
    text = written(report(30, 400, embeddings=None), tmp_path / "page.html")
    (over,) = re.findall(r'<svg [^>]*aria-hidden="true".*?</svg>', text, re.DOTALL)
    assert re.findall(r">(class \d+)<", over) == [f"class {number}" for number in range(30)]
    assert "id=" not in over
