"""The class shares for which settings are judged."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from sharprecl.config import resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.scale import search as module
from sharprecl.scale.asked import Search
from sharprecl.scale.mix import mix_sentence, mix_weights
from sharprecl.scale.search import search
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder

METHODS = {"sharprecl": 0.75, "balanced_softmax": 1.0, "cross_entropy": 0.0}


@pytest.fixture(scope="module")
def table() -> TextTable:
    return read_table(skewed_texts())


def weights(table: TextTable, method: str, **decision: Any) -> Any:
    return mix_weights(table, resolve({"method": {"name": method}, "decision": decision}, table.class_counts))


@pytest.mark.parametrize("method", METHODS)
def test_texts_count_as_the_compensation_expects_their_classes(table: TextTable, method: str) -> None:
    found = weights(table, method)
    if not METHODS[method]:
        assert found is None, "answers for the texts as they are"
        return
    share = table.class_counts / len(table)
    assert found / found[0] == pytest.approx((share / share[0]) ** -METHODS[method])
    assert (found * share).sum() == pytest.approx(1), "a text counts one in the mean"


def test_what_a_person_expects_wins_and_what_is_learnt_from_the_texts_answers_for_them(table: TextTable) -> None:
    assert weights(table, "cross_entropy", prior="uniform") * table.class_counts == pytest.approx(
        np.full(table.num_classes, len(table) / table.num_classes)
    )
    assert weights(table, "sharprecl", prior="train") is None
    assert weights(table, "sharprecl", calibrate=True) is None
    assert weights(table, "sharprecl", calibrate=True, prior="uniform") is not None


def test_shares_that_a_method_cannot_answer_for_are_refused_before_the_search(table: TextTable) -> None:
    with pytest.raises(ConfigError, match="the scores of dice are for no known class prior"):
        weights(table, "dice", prior="uniform")


def test_folds_are_told_of_as_their_answers_are_with_a_prior(table: TextTable, tmp_path: Path) -> None:
    told: dict[str, list[dict[int, float]]] = {"as_trained": [], "uniform": []}
    for prior, f1s in told.items():
        wanted = {
            "encoder": {"name": tiny_encoder(tmp_path / prior, mean_pooling=True), "max_length": 16},
            "method": {"name": "frozen"},
            "decision": {"prior": prior},
            "training": {"folds": 2},
        }
        asked = Search(table, wanted, {"method.balanced": (True, False)}, tmp_path / f"{prior}-out", 1, device="cpu")
        trial = asked.trial(0, {"method.balanced": False})
        run_trial(trial, Callback(), lambda _, f1_of, f1s=f1s: f1s.append(f1_of))
    assert [len(f1s) for f1s in told.values()] == [2, 2]
    assert told["as_trained"] != told["uniform"]


def test_in_words(table: TextTable) -> None:
    skew = table.class_counts.max() / table.class_counts.min()
    told = mix_sentence(table, weights(table, "sharprecl"))
    assert f"{skew**0.25:.1f} times as frequent" in told
    assert f"in these texts {skew:.1f} times" in told
    assert mix_sentence(table, None) == ""


@pytest.mark.parametrize("prior", ["train", "uniform"])
def test_a_search_finds_what_is_best_for_these_shares(
    prior: str, table: TextTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Balanced settings lose a fifth of the largest class, the others all of the smallest."""
    gold = table.label_ids
    largest, smallest = int(table.class_counts.argmax()), int(table.class_counts.argmin())
    lost = np.flatnonzero(gold == largest)[: table.class_counts[largest] // 5]
    seen: list[Trial] = []

    def answers(trial: Trial) -> np.ndarray:
        if not trial.config.method.balanced:  # type: ignore[attr-defined]
            return np.where(gold == smallest, largest, gold)
        return np.where(np.isin(np.arange(len(gold)), lost), smallest, gold)

    def judged(trial: Trial, *_: Any) -> Evaluation:
        seen.append(trial)
        return evaluate(gold, answers(trial), table.class_counts, table.label_names)

    monkeypatch.setattr(module, "run_trial", judged)
    wanted = {
        "method": {"name": "frozen", "balanced": prior == "train"},
        "decision": {"prior": prior},
        "training": {"folds": 3},
    }
    found = search(Search(table, wanted, {"method.balanced": (True, False)}, tmp_path, 8), Callback())
    counted_C = np.ones(table.num_classes) if prior == "train" else 1 / table.class_counts
    scores = {
        one.values["method.balanced"]: f1_score(gold, answers(trial), average="macro", sample_weight=counted_C[gold])
        for one, trial in zip(found.tried, seen, strict=False)
    }
    assert {one.values["method.balanced"]: one.macro_f1 for one in found.tried} == pytest.approx(scores)
    assert len(scores) == 2
    best = max(scores, key=scores.__getitem__)
    assert found.best.values["method.balanced"] is best
    # Two texts of the smallest class cannot tell for sure, and then the defaults are kept.
    taken = best if found.confirmed is None or found.confirmed.sure else not best
    assert found.config.method.balanced is taken  # type: ignore[attr-defined]
    if found.confirmed is not None:
        assert found.confirmed.best == pytest.approx(scores[best])
        assert found.confirmed.difference.difference == pytest.approx(scores[best] - scores[not best])
