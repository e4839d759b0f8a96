"""One run, in this process."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sharprecl.assets import named
from sharprecl.classifier import TextClassifier
from sharprecl.config import merge
from sharprecl.errors import AssetError, CheckpointError
from sharprecl.models.stock import load_tokenizer
from sharprecl.runs.data import Prepared, prepare
from sharprecl.runs.execute import Executed, execute, weights_of
from sharprecl.runs.record import measure
from sharprecl.runs.spec import RunSpec, run_key
from sharprecl.training.checkpoint import CheckpointFolder
from sharprecl.training.history import Callback, read_history
from sharprecl.training.trainer import Trainer
from tiny import tiny_encoder
from tiny_experiment import CODE, tiny_plan

Runs = dict[str, tuple[RunSpec, Prepared, Executed]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    made = {}
    for job in tiny_plan(tmp_path_factory.mktemp("plan")).jobs("smoke", seeds=[3]):
        prepared = prepare(job.spec)
        made[job.row] = job.spec, prepared, execute(job.spec, prepared, CODE, place={"workers": 2})
    return made


def test_the_record_is_that_of_the_classifier(runs: Runs) -> None:
    spec, prepared, executed = runs["sharprecl"]
    classifier = TextClassifier(config=merge(spec.settings, {"seed": 3})).fit(prepared.train)
    expected = classifier.scores(prepared.test.texts).argmax(1)
    record = executed.record
    assert record.answers == tuple(expected)
    assert (record.metrics, record.f1) == measure(prepared.record.gold, expected, prepared.record.train_counts)
    assert record.key == run_key(spec, prepared.record.hash, CODE)
    assert record.config == classifier.config_.kept()
    assert (record.data, record.code, record.selected_on) == (prepared.record.hash, CODE, "last")
    assert record.steps == len([line for line in executed.history if line["kind"] == "step"])
    assert executed.features is None
    assert executed.scores.dtype == np.float32
    np.testing.assert_array_equal(executed.scores, classifier.scores(prepared.test.texts))


def test_the_environment_says_where_and_how_long(runs: Runs) -> None:
    record = runs["sharprecl"][2].record
    assert record.environment["workers"] == 2
    assert record.environment["device"] == "cpu"
    assert {"packages", "precision", "started", "threads"} <= set(record.environment)
    assert record.environment["wall_seconds"] >= record.seconds > 0
    assert record.peak_memory_bytes > 1e7


def test_tokens_are_those_of_all_views_and_epochs(runs: Runs) -> None:
    spec, prepared, _ = runs["cross_entropy"]
    tokenizer = load_tokenizer(spec.settings["encoder"]["name"])
    last = replace(spec, settings=merge(spec.settings, {"training": {"select_on": "last"}}))
    once = sum(len(tokenizer(text, truncation=True, max_length=16)["input_ids"]) for text in prepared.train.texts)
    for settings, views in ((last.settings, 1), (merge(last.settings, {"method": {"name": "sharprecl"}}), 2)):
        record = execute(replace(last, settings=settings), prepared, CODE).record
        assert record.tokens == 2 * views * once


def test_features_are_kept_where_they_are_asked_for(runs: Runs) -> None:
    spec, prepared, executed = runs["cross_entropy"]
    with_features = execute(replace(spec, embeddings=True), prepared, CODE)
    assert with_features.record.answers == executed.record.answers
    assert with_features.features is not None
    assert with_features.features.shape == (len(prepared.test), 32)
    assert with_features.features.dtype == np.float16


def test_selection_on_test_texts_gets_them(runs: Runs) -> None:
    spec, prepared, _ = runs["cross_entropy"]
    # In bf16 the classifier, which answers in float32, can answer otherwise than the validation did.
    settings = merge(spec.settings, {"training": {"select_on": "test", "precision": "fp32"}})
    executed = execute(replace(spec, settings=settings), prepared, CODE)
    assert executed.record.selected_on == "test"
    assert any("too good to be true" in note for note in executed.record.notes)
    best = [line for line in executed.history if line["kind"] == "validation" and line["best"]][-1]
    assert best["macro_f1"] == pytest.approx(executed.record.metrics["macro_f1"])


def test_a_run_that_was_cut_off_goes_on_from_its_checkpoint(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, prepared, undisturbed = runs["sharprecl"]
    steps: list[int] = []
    real = Trainer._step

    def step(trainer: Trainer, *batch: object) -> None:
        if len(steps) == 3:
            raise KeyboardInterrupt
        steps.append(trainer.state.step)
        real(trainer, *batch)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "_step", step)
    often = replace(spec, settings=merge(spec.settings, {"training": {"checkpoint_seconds": 0}}))
    with pytest.raises(KeyboardInterrupt):
        execute(often, prepared, CODE, checkpoints=tmp_path)
    monkeypatch.setattr(Trainer, "_step", real)
    told: list[int] = []
    callback = Callback()
    callback.on_record = lambda record, pace: told.append(pace.step)  # type: ignore[method-assign]
    resumed = execute(often, prepared, CODE, checkpoints=tmp_path, callback=callback)
    assert told[0] == 4
    assert resumed.history == undisturbed.history == read_history(tmp_path / "history.jsonl")
    for name in ("answers", "metrics", "tokens", "steps"):
        assert getattr(resumed.record, name) == getattr(undisturbed.record, name)


def test_a_checkpoint_of_another_device_is_not_in_the_way(runs: Runs, tmp_path: Path) -> None:
    spec, prepared, undisturbed = runs["cross_entropy"]
    other = replace(spec, settings=merge(spec.settings, {"training": {"learning_rate": 1e-3}}))
    execute(other, prepared, CODE, checkpoints=tmp_path)
    assert any((tmp_path / "checkpoints").iterdir())
    assert execute(spec, prepared, CODE, checkpoints=tmp_path).history == undisturbed.history


def test_a_full_disk_is_no_reason_to_begin_again(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, prepared, _ = runs["cross_entropy"]
    saves: list[int] = []

    def save(folder: CheckpointFolder, step: int, *_: object, **__: object) -> None:
        saves.append(step)
        raise CheckpointError("the disk is full")

    monkeypatch.setattr(CheckpointFolder, "save", save)
    with pytest.raises(CheckpointError, match="the disk is full"):
        execute(spec, prepared, CODE, checkpoints=tmp_path)
    assert len(saves) == 1


def test_a_frozen_encoder_is_a_row_like_any_other(tmp_path: Path) -> None:
    (job,) = tiny_plan(tmp_path, rows={"frozen": None, "sharprecl": None}).jobs("smoke", rows=["frozen"])
    prepared = prepare(job.spec)
    executed = execute(job.spec, prepared, CODE)
    record, lengths = executed.record, [len(text.split()) + 2 for text in prepared.train.texts]
    assert record.steps == 0
    assert record.tokens == sum(lengths)
    assert executed.history == []
    kept = execute(job.spec, prepared, CODE, checkpoints=tmp_path / "kept")
    assert (kept.record.answers, kept.history) == (record.answers, executed.history)


def test_a_folder_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    first, second = (tiny_encoder(tmp_path / name) for name in ("one", "two"))
    found = weights_of(str(first))
    assert len(found) == 64
    assert weights_of(str(second)) == found
    weights = Path(second) / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    assert weights_of(str(second)) != found


def test_a_named_encoder_by_its_package_and_the_hubs_not_at_all_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "fetch", lambda name, progress=None: tmp_path / "minilm-0.1.0")
    assert weights_of("minilm") == "minilm-0.1.0"
    assert weights_of("nobody/has-this-model") == "unknown"
    with pytest.raises(AssetError):
        weights_of("./nowhere")
