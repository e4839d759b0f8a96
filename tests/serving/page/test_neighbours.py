"""Neighbours against sorting by hand."""

import asyncio
import gc
import weakref
from collections.abc import Sequence

import numpy as np
import pytest

from sharprecl.data.tables import read_table
from sharprecl.serving.page.neighbours import Neighbour, Neighbours

TEXTS = [f"text {number}" for number in range(40)]
LABELS = [("even", "odd")[number % 2] for number in range(40)]
RNG = np.random.default_rng(0)
FEATURES = {text: RNG.normal(size=5).astype(np.float32) for text in [*TEXTS, "asked"]}


class Scaling:
    """A model."""

    def __init__(self, factor: float) -> None:
        self.factor = factor


class Embedding:
    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, model: Scaling, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        await asyncio.sleep(0)
        if not model.factor:
            raise RuntimeError
        return np.stack([model.factor * FEATURES[text] for text in texts])


def test_the_nearest_by_cosine() -> None:
    async def found() -> list[Neighbour] | None:
        # A text that stands twice is shown once.
        neighbours = Neighbours(read_table(([*TEXTS, TEXTS[0]], [*LABELS, LABELS[0]])), Embedding())
        model = Scaling(2.0)
        assert await neighbours.nearest(model, "asked") is None
        await neighbours.follow(model)
        assert neighbours.progress == 1
        return await neighbours.nearest(model, "asked", 41)

    asked = FEATURES["asked"]
    cosines = [float(x @ asked / np.linalg.norm(x) / np.linalg.norm(asked)) for x in map(FEATURES.get, TEXTS)]
    nearest = asyncio.run(found())
    assert nearest is not None
    assert [one.text for one in nearest] == [TEXTS[row] for row in np.argsort(-np.array(cosines))]
    assert [one.similarity for one in nearest] == pytest.approx(sorted(cosines, reverse=True), abs=1e-6)
    assert all(one.label == LABELS[TEXTS.index(one.text)] for one in nearest)


def test_another_model_gets_features_of_its_own_and_failures_are_tried_again() -> None:
    async def run() -> None:
        embedding = Embedding()
        neighbours = Neighbours(read_table((TEXTS, LABELS)), embedding)
        first, second, broken = Scaling(2.0), Scaling(3.0), Scaling(0.0)
        await neighbours.follow(first)
        known = embedding.calls
        await neighbours.follow(first)
        assert embedding.calls == known
        gone = weakref.ref(first)
        del first
        gc.collect()
        assert gone() is None, "features keep no model"
        assert await neighbours.nearest(second, "asked") is None
        assert neighbours.progress < 1
        await neighbours.follow(second)
        assert await neighbours.nearest(second, "asked")
        assert await neighbours.nearest(broken, "asked") is None
        await asyncio.wait([neighbours.follow(broken)])
        with pytest.raises(RuntimeError):
            await neighbours.nearest(broken, "asked")
        assert await neighbours.nearest(broken, "asked") is None

    asyncio.run(run())
