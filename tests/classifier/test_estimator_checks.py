"""scikit-learn's own checks of estimators, fed texts where they feed numbers.

Every row of numbers is told as a text, "f0_3 f1_-7": each feature's value on a coarse grid as a word. All else is the
classifier's: labels, weights, parameters, errors.
"""

from typing import Any

import numpy as np
import pytest
import torch
import transformers as tf
from sklearn.utils.estimator_checks import parametrize_with_checks
from tokenizers import Tokenizer, models, pre_tokenizers

from sharprecl import TextClassifier

FEATURES, STEPS = 30, 8


def told(X: Any) -> Any:
    """Rows of finite numbers as texts; what is none is left as it is, for the classifier to judge."""
    try:
        rows = np.asarray(X)
        rows = rows if np.iscomplexobj(rows) else rows.astype(np.float64)
    except (TypeError, ValueError):
        return X
    if rows.ndim != 2 or not rows.shape[1] or rows.dtype.kind != "f" or not np.isfinite(rows).all():
        return X
    places = np.clip(np.rint(4 * rows), -STEPS, STEPS).astype(int)
    return [" ".join(f"f{feature}_{place}" for feature, place in enumerate(row)) for row in places]


class ToldNumbers(TextClassifier):
    """``TextClassifier`` on numbers. It refuses another number of features than in ``fit``, which a text has not, so
    that checks that begin with that go on.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "ToldNumbers":
        super().fit(told(X), y, sample_weight)
        self._width = np.asarray(X).shape[1]
        return self

    def _texts(self, X: Any) -> Any:
        self._fitted()
        if np.asarray(X).ndim == 2 and np.asarray(X).shape[1] != self._width:
            raise ValueError("another number of features")
        return super()._texts(told(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array, tags.input_tags.string = True, False, False
        return tags


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Where a random encoder with a word for every value of every feature lies, under the name ``encoder``."""
    words = [f"f{feature}_{place}" for feature in range(FEATURES) for place in range(-STEPS, STEPS + 1)]
    vocabulary = {word: index for index, word in enumerate(["[PAD]", "[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    sizes = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 48}
    folder = tmp_path_factory.mktemp("checks")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = tf.BertConfig(vocab_size=len(vocabulary), max_position_embeddings=64, pad_token_id=0, **sizes)
        tf.AutoModel.from_config(config).save_pretrained(folder / "encoder")
    tf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        folder / "encoder"
    )
    return folder


@pytest.fixture(autouse=True)
def here(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the names of the checks hold no temporary folder, and none of the checks is skipped."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


FAIL = {
    "check_n_features_in_after_fitting": "a text has no number of features, so there is no n_features_in_",
    "check_n_features_in": "a text has no number of features, so there is no n_features_in_",
    "check_fit2d_predict1d": "a list of N values is N texts and needs no reshaping",
    "check_estimators_empty_data_messages": "refused as no texts; there are no features of which 0 could be too few",
    "check_estimators_nan_inf": "refused as no texts; a missing text is legal, and infinity no text",
    "check_complex_data": "refused as no texts, whichever numbers they are",
    "check_dtype_object": "objects are texts or refused, never taken for numbers",
}
"""The checks that numbers alone can pass, and why."""


@parametrize_with_checks(
    [
        ToldNumbers(
            encoder="./encoder", method="frozen", pooling="mean", max_length=40, config={"method": {"balanced": False}}
        )
    ],
    expected_failed_checks=lambda _: FAIL,
    xfail_strict=True,
)
def test_scikit_learns_check(estimator: Any, check: Any) -> None:
    check(estimator)
