"""Features of texts in files, and what ``predict`` and ``embed`` do with texts before a model reads them."""

import numpy as np
import polars as pl
import pytest

from sharprecl import TextClassifier
from sharprecl.cli import streams
from streamed import BLANK, TEXTS, piped, small_blocks
from streamed import stream_folder as stream_folder
from streamed import streamed as streamed
from typed import Shell


def test_embeddings(streamed: Shell) -> None:
    status, out, err = streamed("embed", "run", "new.csv", "-o", "out.npy")
    assert status == 0, err
    assert "20 texts embedded: out.npy" in out
    array = np.load("out.npy", mmap_mode="r")
    features = TextClassifier.load("run").embed(TEXTS)
    there = np.arange(20) != BLANK
    np.testing.assert_allclose(array[there], features[there], atol=1e-5)
    assert np.isnan(array[BLANK]).all()
    assert streamed("embed", "run", "new.csv", "-o", "out.parquet", "--prefix", "our_")[0] == 0
    frame = pl.read_parquet("out.parquet")
    assert frame.columns == ["nr", "body", "our_embedding"]
    assert frame.schema["our_embedding"] == pl.List(pl.Float32)
    np.testing.assert_array_equal(np.array(frame["our_embedding"].to_list(), dtype=np.float32), array)


def test_embeddings_of_a_pipe(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, b"\n\n\na text\n")
    small_blocks(monkeypatch, 1)
    assert streamed("embed", "run", "-", "-o", "out.npy", "--format", "lines")[0] == 0
    assert np.isnan(np.load("out.npy")).all(1).tolist() == [True, True, True, False]


def test_texts_of_like_lengths_are_answered_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_AT_ONCE", 2)
    asked, told = [], []

    def run(texts: list[str]) -> np.ndarray:
        asked.append(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    found = streams.by_length(["a", "ccc", "", "bb"], run, told.append)
    assert asked == [["ccc", "bb"], ["a"]]
    assert told == [2, 1]
    np.testing.assert_array_equal(found, [[1, 1], [3, 1], [np.nan, np.nan], [2, 1]])
    assert streams.by_length(["", ""], run, told.append).shape == (2, 2)


def test_a_sample_is_drawn_from_all_texts() -> None:
    counts = np.zeros(20)
    for seed in range(400):
        sample = streams.Sample(5)
        sample._random = np.random.Generator(np.random.PCG64(seed))
        for start in range(0, 20, 7):
            sample.draw([str(n) for n in range(start, min(20, start + 7))])
        sample.whole = True
        sample.draw(["20"])
        assert len(sample.texts) == len(set(sample.texts)) == 5
        counts[[int(text) for text in sample.texts]] += 1
    # Binomial with mean 100 and deviation 8.7.
    assert 60 < counts.min() < counts.max() < 140
