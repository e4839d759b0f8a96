"""Answers through the queue are those of Python, and a new model takes over only when it is whole."""

import asyncio
import shutil
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from sharprecl import TextClassifier
from sharprecl.errors import ConfigError, DataError
from sharprecl.serving.limits import Limits
from sharprecl.serving.service import Model, Service, stamp_of, version_of
from tiny import skewed_texts


def test_answers_are_those_of_python_whatever_shares_the_batch(model: Model) -> None:
    texts, _ = skewed_texts(seed=1)
    texts = [*texts[:40], " ", "refund " * 50]

    async def run() -> list[np.ndarray]:
        service = Service(model)
        found = await asyncio.gather(*(service.answer([text]) for text in texts))
        return [answers.probabilities_NC[0] for answers in found]

    alone = np.stack([model.classifier.predict_proba([text])[0] for text in texts if text.strip()])
    found = np.stack(asyncio.run(run()))
    np.testing.assert_allclose(np.delete(found, 40, axis=0), alone, atol=1e-5)
    assert np.isnan(found[40]).all()


def test_what_is_no_text_never_enters_the_queue(service: Service) -> None:
    with pytest.raises(DataError, match="half a character"):
        asyncio.run(service.answer(["good", "\ud83d"]))
    assert service.batcher.waiting == 0


def test_a_request_that_could_never_be_queued_is_no_setting() -> None:
    with pytest.raises(ConfigError, match="raise --queue or lower --max-texts"):
        Limits(texts=10, queue=9)


@pytest.fixture
def folder(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "run")
    return tmp_path / "run"


def looked(service: Service) -> None:
    """It takes two looks: what is new has to lie still."""

    async def twice() -> None:
        await service.look()
        await service.look()

    asyncio.run(twice())


def outcomes(service: Service) -> dict[str, float]:
    return {
        sample.labels["outcome"]: sample.value
        for metric in service.metrics.swaps.collect()
        for sample in metric.samples
        if sample.name.endswith("_total")
    }


def test_a_new_model_takes_over_and_the_old_one_answers_its_own(folder: Path) -> None:
    service = Service(Model.load(folder, "cpu"), device="cpu")
    text = "my parcel is late"

    async def run() -> "weakref.ref[object]":
        old = service.model
        asked = asyncio.create_task(service.answer([text]))
        await asyncio.sleep(0)
        TextClassifier.load(folder).for_prior("uniform").save(folder)
        await service.look()
        assert service.model is old, "it may still be being written"
        await service.look()
        assert service.model.version == version_of(folder) != old.version
        expected = {model: model.classifier.predict_proba([text]) for model in (old, service.model)}
        assert np.abs(expected[old] - expected[service.model]).max() > 0.01
        np.testing.assert_allclose((await asked).probabilities_NC, expected[old], atol=1e-5)
        np.testing.assert_allclose((await service.answer([text])).probabilities_NC, expected[service.model], atol=1e-5)
        np.testing.assert_allclose((await service.answer([text], old)).probabilities_NC, expected[old], atol=1e-5)
        return weakref.ref(old.classifier._predictor.backbone.model)

    weights = asyncio.run(run())
    assert outcomes(service) == {"taken": 1}
    deadline = time.monotonic() + 5
    while weights() is not None:  # the model's thread lets it go a moment after it has answered
        assert time.monotonic() < deadline, "the old model is still in memory"
        asyncio.run(service.look())


@pytest.mark.parametrize("broken", ["sharprecl.json", "model/model.safetensors", "model/config.json"])
def test_a_broken_model_changes_nothing_but_log_and_figures(
    folder: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(old := Model.load(folder, "cpu"), device="cpu")
    whole = (folder / broken).read_bytes()
    (folder / broken).write_bytes(whole[: len(whole) // 2])
    looked(service)
    looked(service)
    assert service.model is old
    assert outcomes(service) == {"refused": 1}, "tried once, not every second"
    assert "the old one goes on" in caplog.text
    (folder / broken).write_bytes(whole)
    looked(service)
    assert service.model is old, "what came back is the old one"


def test_a_folder_that_vanishes_or_is_touched_changes_nothing(folder: Path) -> None:
    service = Service(old := Model.load(folder, "cpu"), device="cpu")
    (folder / "sharprecl.json").touch()
    looked(service)
    assert outcomes(service) == {}
    shutil.rmtree(folder)
    looked(service)
    assert service.model is old
    assert len(asyncio.run(service.answer(["a text"])).class_ids_N) == 1


@pytest.mark.parametrize("file", ["sharprecl.json", "model/model.safetensors", "model.onnx", "tokenizer.json"])
def test_every_file_of_a_classifier_counts_for_its_version(tmp_path: Path, file: str) -> None:
    """Those of an ONNX export too."""
    before = version_of(tmp_path), stamp_of(tmp_path)
    (tmp_path / "report.html").touch()
    assert (version_of(tmp_path), stamp_of(tmp_path)) == before, "nothing is read from it"
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("a")
    first = version_of(tmp_path), stamp_of(tmp_path)
    (tmp_path / file).write_text("ab")
    assert len({version_of(tmp_path), first[0], before[0]}) == 3
    assert stamp_of(tmp_path) != first[1] != before[1]
