"""What every encoder method promises, held on tiny encoders through the public face."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from sharprecl.classifier import TextClassifier
from sharprecl.config import METHODS
from sharprecl.export.predictor import Fitted
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from sharprecl.testing import Stopping, check_saved
from sharprecl.training.encoder_task import EncoderTask
from sharprecl.training.history import Callback
from tiny import CONFIGS, skewed_texts, tiny_encoder

METHODS = [name for name in METHODS if issubclass(method_class(name), Method)]
# ``frozen`` takes no step, and a random encoder teaches it nothing: tests/training/test_frozen.py holds it instead.
STEPPING = [name for name in METHODS if method_class(name).Config.trains_encoder]
EXPORTABLE = [name for name in METHODS if not method_class(name).not_exportable_because]
# A causal model has no place for label tokens in front of a text, so it is not among them.
ENCODERS = [kind for kind in CONFIGS if kind != "llama"]
# Small enough for tiny data; the methods' own settings are otherwise their defaults.
SMALL: dict[str, dict[str, Any]] = {"sharprecl": {"n_pos": 3, "n_neg": 9}, "spcl": {"pool_size": 8, "pool_draws": 2}}
# What is off by default and has a state of its own must survive a restart too.
RESUMED: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in STEPPING),
    ("tsc", {"queue_size": 12, "sampled_positives": 2}),
    ("sharprecl", {"without": "CLS"}),
    ("sharprecl", {"without": "MI"}),
]

# Enough for the tiny encoders to answer with more than one class.
LEARNING = {"max_epochs": 30, "learning_rate": 2e-3, "head_learning_rate": 5e-3, "batch_size": 8}


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("encoders")
    made = {kind: tiny_encoder(folder / kind, kind) for kind in ENCODERS}
    return {**made, "sentence": tiny_encoder(folder / "sentence", "bert", mean_pooling=True)}


def make(encoder: str, method: str, training: dict[str, Any] | None = None, **section: Any) -> TextClassifier:
    defaults = {"max_epochs": 3, "batch_size": 16, "learning_rate": 1e-3, "precision": "fp32", "patience": None}
    known = {
        key: value for key, value in SMALL.get(method, {}).items() if key in method_class(method).Config.model_fields
    }
    steps = {**defaults, **(training or {})} if method in STEPPING else {}
    return TextClassifier(
        encoder=encoder,
        max_length=32,
        view="dropout",
        config={"method": {"name": method, **known, **section}, "training": steps},
    )


@pytest.mark.parametrize("kind", ENCODERS)
@pytest.mark.parametrize("method", METHODS)
def test_trains_with_any_stock_encoder(encoders: dict[str, str], method: str, kind: str) -> None:
    texts, labels = skewed_texts({"billing": 12, "access": 5, "shipping": 2})
    classifier = make(encoders[kind], method, {"max_epochs": 2, "batch_size": 8}).fit(texts, labels)
    trained = classifier.trained_
    assert trained is not None
    for name, tensor in trained.predictor.backbone.state_dict().items():
        assert torch.isfinite(tensor).all(), name
    scores = classifier.scores(texts)
    assert scores.shape == (len(texts), 3)
    assert np.isfinite(scores).all()


class Learned(NamedTuple):
    """A trained classifier, and its method's scores of some training texts before and after ``finalize``."""

    classifier: TextClassifier
    before_NC: np.ndarray
    after_NC: np.ndarray


@pytest.fixture(scope="module")
def learned(encoders: dict[str, str]) -> Callable[[str], Learned]:
    """A method trained until it has learnt something; once for all tests that look at it."""

    @cache
    def train(method: str) -> Learned:
        kind, finish = method_class(method), EncoderTask.finish
        finalize = kind.finalize
        asked: list[tuple[np.ndarray, np.ndarray]] = []
        task: list[EncoderTask] = []

        def watching(self: Method, classifier: torch.nn.Linear) -> None:
            features = _features(task[0])
            before_NC = self.logits(features).detach().numpy()
            finalize(self, classifier)
            asked.append((before_NC, _features(task[0]).s_NC.detach().numpy()))

        def keeping(self: EncoderTask) -> None:
            task.append(self)
            finish(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "finalize", watching)
            patch.setattr(EncoderTask, "finish", keeping)
            # After the last epoch: which is the best on 13 texts would be chance.
            classifier = make(encoders["sentence"], method, {**LEARNING, "select_on": "last"}).fit(*skewed_texts())
        (scores,) = asked
        return Learned(classifier, *scores)

    return train


@pytest.mark.parametrize("method", STEPPING)
def test_learns_what_keywords_tell(learned: Callable[[str], Learned], method: str) -> None:
    # The most frequent class alone would give 0.62.
    assert learned(method).classifier.score(*skewed_texts(seed=1)) > 0.75


@pytest.mark.parametrize("method", STEPPING)
def test_the_finalized_backbone_answers_as_the_method_did(learned: Callable[[str], Learned], method: str) -> None:
    _, before_NC, after_NC = learned(method)
    assert (before_NC.argmax(1) == after_NC.argmax(1)).all()
    assert len(set(before_NC.argmax(1))) > 1


def _features(task: EncoderTask) -> Any:
    from sharprecl.data.batches import collate

    task.backbone.eval()
    task.method.eval()
    inputs = collate(task.train.views[0], np.arange(40), task.pad_id)
    with torch.no_grad():
        return task.backbone(**inputs)


class Whole(NamedTuple):
    """An undisturbed training with BERT, and its history."""

    classifier: TextClassifier
    history: bytes

    @property
    def trained(self) -> Fitted:
        assert self.classifier.trained_ is not None
        return self.classifier.trained_


@pytest.fixture(scope="module")
def whole(encoders: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Whole]:
    """Trains a method, with settings of its own; once for all tests that look at it."""

    @cache
    def made(method: str, section: str) -> Whole:
        folder = tmp_path_factory.mktemp("whole")
        classifier = make(encoders["bert"], method, {"max_epochs": 4}, **json.loads(section))
        classifier.fit(*skewed_texts(), output=folder)
        return Whole(classifier, (folder / "history.jsonl").read_bytes())

    return lambda method, **section: made(method, json.dumps(section))


@pytest.mark.parametrize("method", EXPORTABLE)
def test_exports_to_the_stock_class(whole: Callable[..., Whole], method: str, tmp_path: Path) -> None:
    assert check_saved(whole(method).classifier, skewed_texts()[0], tmp_path).not_stock_because == ""


@pytest.mark.parametrize("method", EXPORTABLE)
def test_a_sentence_encoder_exports_to_the_stock_class(
    encoders: dict[str, str], learned: Callable[[str], Learned], method: str, tmp_path: Path
) -> None:
    texts, labels = skewed_texts()
    stepping = method in STEPPING
    classifier = learned(method).classifier if stepping else make(encoders["sentence"], method).fit(texts, labels)
    assert check_saved(classifier, texts, tmp_path).not_stock_because == ""


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(EXPORTABLE)))
def test_what_is_not_stock_says_why_and_answers_from_its_own_folder(
    whole: Callable[..., Whole], method: str, tmp_path: Path
) -> None:
    texts, _ = skewed_texts()
    classifier = whole(method).classifier
    reason = method_class(method).not_exportable_because
    assert any(reason in note for note in classifier.notes_)
    assert classifier.save(tmp_path).not_stock_because == reason
    assert not (tmp_path / "model").exists()
    again = TextClassifier.load(tmp_path)
    np.testing.assert_allclose(again.scores(texts), classifier.scores(texts), rtol=1e-5, atol=1e-5)
    assert (again.predict(texts) == classifier.predict(texts)).all()


@pytest.mark.parametrize("method", STEPPING)
def test_dropout_is_on_after_an_evaluation(
    encoders: dict[str, str], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, bool]] = []
    original = EncoderTask.forward_backward

    def watching(self: EncoderTask, *batch: Any) -> Any:
        dropouts = [module.training for module in self.backbone.modules() if isinstance(module, torch.nn.Dropout)]
        seen.append((all(dropouts) and len(dropouts) > 0, self.method.training))
        return original(self, *batch)

    monkeypatch.setattr(EncoderTask, "forward_backward", watching)
    make(encoders["bert"], method).fit(*skewed_texts())
    assert set(seen) == {(True, True)}


@pytest.mark.parametrize(("method", "section"), RESUMED, ids=str)
def test_resumes_to_the_very_bytes(
    encoders: dict[str, str], whole: Callable[..., Whole], method: str, section: dict[str, Any], tmp_path: Path
) -> None:
    """Cut off in the first epoch, in the second and at its end, each time resumed from there."""
    calm = whole(method, **section)
    steps = calm.trained.facts["plan"]["steps_per_epoch"]

    def fit(callback: Callback, checkpoint_seconds: float, resume: bool) -> TextClassifier:
        training = {"max_epochs": 4, "checkpoint_seconds": checkpoint_seconds}
        classifier = make(encoders["bert"], method, training, **section)
        return classifier.fit(*skewed_texts(), output=tmp_path, resume=resume, callback=callback)

    # A callback is told before the step counts and is checkpointed, so the step that raises is made again.
    for number, step in enumerate((2, steps + 2, 2 * steps)):
        with pytest.raises(InterruptedError):
            fit(Stopping(step), 0.0, resume=number > 0)
    # How often it is saved changes nothing, and once it goes on to the end it need not be.
    told: list[str] = []
    last = Callback()
    last.on_message = told.append
    resumed = fit(last, 3600.0, resume=True).trained_
    assert resumed is not None
    assert f"resumed at step {2 * steps - 1} of {calm.trained.facts['plan']['total_steps']}" in told
    assert (tmp_path / "history.jsonl").read_bytes() == calm.history
    for one, other in (
        (calm.trained.predictor.backbone.state_dict(), resumed.predictor.backbone.state_dict()),
        (calm.trained.method.state_dict(), resumed.method.state_dict()),
    ):
        assert one.keys() == other.keys()
        assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("counts", "batch_size"),
    [
        ({"billing": 9, "access": 1}, 4),
        ({"billing": 3, "access": 3, "shipping": 1}, 1),
        ({"billing": 30, "access": 2}, 8),
    ],
    ids=["a class of one text", "batches of one", "two classes"],
)
@pytest.mark.parametrize("method", METHODS)
def test_meagre_data_gives_finite_answers(
    encoders: dict[str, str], method: str, counts: dict[str, int], batch_size: int
) -> None:
    texts, labels = skewed_texts(counts)
    classifier = make(encoders["bert"], method, {"max_epochs": 2, "batch_size": batch_size}).fit(texts, labels)
    assert np.isfinite(classifier.scores(texts)).all()


@pytest.mark.parametrize("method", STEPPING)
def test_all_methods_make_the_same_number_of_steps(whole: Callable[..., Whole], method: str) -> None:
    classifier, history = whole(method)
    assert classifier.trained_ is not None
    plain = whole("cross_entropy").trained.outcome.steps
    assert classifier.trained_.outcome.steps == plain
    lines = [json.loads(line) for line in history.splitlines()]
    steps = [line for line in lines if line["kind"] == "step"]
    assert len(steps) == plain
    assert all(np.isfinite(list(line["loss"].values())).all() and "total" in line["loss"] for line in steps)


@pytest.mark.parametrize("method", [name for name in METHODS if method_class(name).Config.official])
def test_trains_with_the_settings_of_its_source(encoders: dict[str, str], method: str) -> None:
    texts, labels = skewed_texts()
    short = {"max_epochs": 2, "batch_size": 16, "learning_rate": 1e-3}
    classifier = TextClassifier(
        encoder=encoders["bert"],
        max_length=32,
        profile="official",
        config={"view": "dropout", "method": {"name": method}, "training": short},
    ).fit(texts, labels)
    assert classifier.config_.profile == "official"
    assert np.isfinite(classifier.scores(texts)).all()


def test_patience_does_not_cut_what_belongs_to_a_method(encoders: dict[str, str]) -> None:
    """A learning rate of nothing: validation never gets better, and every epoch is stale."""
    training = {
        "select_on": "validation",
        "max_epochs": 8,
        "patience": 1,
        "learning_rate": 1e-20,
        "head_learning_rate": 1e-20,
    }
    epochs = {}
    for method in ("cross_entropy", "tsc", "hybrid_sc", "ldam_drw"):
        trained = make(encoders["bert"], method, training).fit(*skewed_texts()).trained_
        assert trained is not None
        epochs[method] = trained.outcome.epochs
    assert epochs["cross_entropy"] == 2
    assert epochs["tsc"] >= 5
    assert epochs["hybrid_sc"] == 8
    assert epochs["ldam_drw"] == 8
