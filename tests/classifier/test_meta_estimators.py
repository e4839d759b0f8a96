"""What scikit-learn builds around an estimator, on texts in a list and in a series."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sharprecl import TextClassifier
from tiny import skewed_texts, tiny_encoder

COUNTS = {"billing": 40, "access": 20}
CONTAINERS = [list, pd.Series, pl.Series, lambda texts: np.asarray(texts, dtype=object), np.asarray]
NAMES = ["list", "pandas", "polars", "objects", "strings"]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)
    return TextClassifier(encoder=encoder, method="frozen", max_length=32, config={"method": {"C": 30.0}})


@pytest.fixture(params=CONTAINERS, ids=NAMES)
def data(request: Any) -> tuple[Any, Any]:
    texts, labels = skewed_texts(COUNTS)
    into: Callable[[list[str]], Any] = request.param
    return into(texts), into(labels)


def test_grid_search_reaches_every_setting(classifier: TextClassifier, data: tuple[Any, Any]) -> None:
    grid = {"config__method__C": [1e-4, 30.0], "class_weight": [None, {"access": 2}]}
    search = GridSearchCV(classifier, grid, cv=2, error_score="raise", scoring="balanced_accuracy").fit(*data)
    best = search.best_estimator_
    assert best.config_.method.C == search.best_params_["config__method__C"] == 30.0
    assert best.score(*data) > 0.9
    assert classifier.config == {"method": {"C": 30.0}}, "the original stays as it was"


def test_calibration_stacking_voting_and_thresholds(classifier: TextClassifier, data: tuple[Any, Any]) -> None:
    stacked = StackingClassifier([("frozen", classifier)], LogisticRegression(), cv=2)
    voting = VotingClassifier(
        [("one", classifier), ("two", clone(classifier).set_params(max_length=16))], voting="soft"
    )
    tuned = TunedThresholdClassifierCV(classifier, cv=2)
    for around in (CalibratedClassifierCV(classifier, cv=2), stacked, voting, tuned):
        around.fit(*data)
        assert around.predict_proba(data[0]).shape == (60, 2)
        assert np.mean(around.predict(data[0]) == np.asarray(data[1])) > 0.8
        assert around.classes_.tolist() == ["access", "billing"]


def test_cross_validated_answers(classifier: TextClassifier, data: tuple[Any, Any]) -> None:
    chances = cross_val_predict(classifier, *data, cv=2, method="predict_proba")
    assert chances.shape == (60, 2)
    assert np.mean(cross_val_predict(classifier, *data, cv=2) == np.asarray(data[1])) > 0.6
    assert cross_validate(classifier, *data, cv=2, scoring=["f1_macro", "roc_auc"])["test_roc_auc"].shape == (2,)


def test_a_pipeline_cleans_texts_before_it(classifier: TextClassifier, data: tuple[Any, Any]) -> None:
    lower = FunctionTransformer(lambda texts: [str(text).lower() for text in texts])
    pipeline = Pipeline([("lower", lower), ("classify", classifier)]).set_params(classify__config__method__C=3.0)
    assert pipeline.fit(*data).score(*data) > 0.8
    assert pipeline[-1].config_.method.C == 3.0


def test_a_column_of_a_frame_comes_through_a_column_transformer(classifier: TextClassifier) -> None:
    texts, labels = skewed_texts(COUNTS)
    frame = pd.DataFrame({"number": range(60), "body": texts})
    chosen = ColumnTransformer([("text", "passthrough", ["body"])])
    assert make_pipeline(chosen, classifier).fit(frame, labels).score(frame, labels) > 0.8
    both = StackingClassifier(
        [
            ("encoder", make_pipeline(chosen, classifier)),
            ("words", make_pipeline(ColumnTransformer([("words", TfidfVectorizer(), "body")]), LogisticRegression())),
        ],
        cv=2,
    )
    assert both.fit(frame, labels).score(frame, labels) > 0.8


def test_weights_are_routed_by_name(classifier: TextClassifier) -> None:
    texts, labels = skewed_texts(COUNTS)
    weights = np.where(np.asarray(labels) == "access", 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = clone(classifier).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(asks, {"max_length": [16]}, cv=2, error_score="raise")
        found = search.fit(texts, labels, sample_weight=weights).best_estimator_
    np.testing.assert_allclose(found.natural_counts_ / found.natural_counts_.sum(), [100 / 140, 40 / 140])
