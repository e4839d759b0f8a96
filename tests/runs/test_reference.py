"""What a run remembers of the texts that it was judged on."""

from pathlib import Path

import numpy as np
import pytest

from sharprecl import TextClassifier
from sharprecl.data.tables import read_table
from sharprecl.errors import DataError
from sharprecl.runs.reference import Reference
from tiny import skewed_texts, tiny_encoder


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)
    return TextClassifier(encoder, max_epochs=1, batch_size=32, max_length=8, view="dropout").fit(*skewed_texts())


def test_it_comes_back_from_disk_without_texts(classifier: TextClassifier, tmp_path: Path) -> None:
    texts, labels = skewed_texts(seed=1)
    table = read_table(
        ([*texts, "", "quark the lynx"], [*labels, labels[0], labels[0]]), label_names=classifier.classes_
    )
    classifier.for_prior("uniform")
    found = Reference.of(classifier, table, held_out=True, origin="x.csv", most=1000)
    assert len(found) == len(texts) + 1, "the one without a text is passed over"
    assert (found.unknown[-1], found.tokens[-1], found.characters[-1]) == (2, 5, 14)
    assert found.tokens.max() > 8, "whole texts are counted"
    decided = classifier.decision_.decision.apply(found.scores)
    np.testing.assert_allclose(decided[: len(texts)], classifier.scores(texts), rtol=1e-4, atol=1e-4)

    found.save(tmp_path / "reference.npz")
    first = (tmp_path / "reference.npz").read_bytes()
    assert texts[0].encode() not in first
    back = Reference.load(tmp_path / "reference.npz")
    assert back is not None
    assert (back.held_out, back.origin) == (True, "x.csv")
    np.testing.assert_array_equal(back.label_ids, found.label_ids)
    np.testing.assert_allclose(back.features, found.features, rtol=1e-3, atol=1e-3)
    found.save(tmp_path / "reference.npz")
    assert (tmp_path / "reference.npz").read_bytes() == first

    answered = classifier.scores_and_embeddings(table.texts)
    again = Reference.of(classifier, table, held_out=True, origin="x.csv", answered=answered)
    for name in ("features", "scores", "label_ids", "tokens"):
        np.testing.assert_allclose(getattr(again, name), getattr(found, name), rtol=1e-4, atol=1e-4)

    few = Reference.of(classifier, table, held_out=True, origin="x.csv", most=10)
    assert len(few) == 10
    assert len(few.and_also(found)) == 10 + len(found)

    assert Reference.load(tmp_path / "none.npz") is None
    (tmp_path / "reference.npz").write_bytes(first[:200])
    with pytest.raises(DataError, match="is damaged"):
        Reference.load(tmp_path / "reference.npz")
