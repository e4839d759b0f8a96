"""The trainer by what it promises: determinism, modes, selection, early stopping, profiles."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss
from torch.optim.optimizer import register_optimizer_step_pre_hook

from sharprecl.classifier import TextClassifier
from sharprecl.data.packing import PackedRows
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.training import encoder_task
from sharprecl.training.average import RunningMean
from sharprecl.training.encoder_task import EncoderTask
from sharprecl.training.history import Record, TrainingSpeed
from tiny import skewed_texts, tiny_encoder


class Recorder:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.speeds: list[TrainingSpeed] = []
        self.sentences: list[str] = []

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self.records.append(record)
        self.speeds.append(speed)

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def on_end(self) -> None:
        self.sentences.append("closed")


CHOSEN = {"select_on": "validation"}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(encoder: str, training: dict[str, Any] | None = None, **settings: Any) -> TextClassifier:
    defaults = {"max_epochs": 2, "batch_size": 16, "learning_rate": 1e-3, "precision": "fp32"}
    config = {"view": "dropout", **settings, "training": {**defaults, **(training or {})}}
    return TextClassifier(encoder=encoder, max_length=32, config=config)


def weights(classifier: TextClassifier) -> dict[str, torch.Tensor]:
    assert classifier.trained_ is not None
    return classifier.trained_.predictor.backbone.state_dict()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(encoder: str) -> None:
    texts, labels = skewed_texts()
    one, same = (weights(make(encoder).fit(texts, labels)) for _ in range(2))
    other = weights(make(encoder, seed=1).fit(texts, labels))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


def test_the_history_tells_the_encoders_learning_rate(encoder: str) -> None:
    heard = Recorder()
    make(encoder, {"head_learning_rate": 7e-3, "warmup": 0.0}).fit(*skewed_texts(), callback=heard)
    rates = [record["learning_rate"] for record in heard.records if record["kind"] == "step"]
    assert max(rates) == rates[0] == 1e-3


@pytest.fixture
def stepped() -> Iterator[list[tuple[list[float], float]]]:
    """Of every optimiser step the learning rates of the groups, and the norm of all gradients."""
    seen: list[tuple[list[float], float]] = []

    def look(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        rates = [float(group["lr"]) for group in optimizer.param_groups]
        seen.append((rates, float(torch.nn.utils.get_total_norm(gradients))))

    hook = register_optimizer_step_pre_hook(look)
    yield seen
    hook.remove()


def test_every_rate_falls_to_nearly_zero(encoder: str, stepped: list[tuple[list[float], float]]) -> None:
    make(encoder, {"head_learning_rate": 7e-3, "warmup": 0.0}).fit(*skewed_texts())
    first, last = stepped[0][0], stepped[-1][0]
    assert set(first) == {1e-3, 7e-3}
    np.testing.assert_allclose(last, np.array(first) / len(stepped))
    assert all(before[0] > after[0] for (before, _), (after, _) in pairwise(stepped))


def test_gradients_are_clipped(encoder: str, stepped: list[tuple[list[float], float]]) -> None:
    make(encoder, {"clip_norm": None}).fit(*skewed_texts())
    free, clipped = max(norm for _, norm in stepped), len(stepped)
    assert free > 0.05
    make(encoder, {"clip_norm": 0.05}).fit(*skewed_texts())
    assert max(norm for _, norm in stepped[clipped:]) == pytest.approx(0.05, rel=1e-3)


def test_weights_are_averaged_over_the_last_share_of_the_steps(
    encoder: str, stepped: list[tuple[list[float], float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    at: list[int] = []
    update = RunningMean.update

    def watched(self: RunningMean) -> None:
        at.append(len(stepped))
        update(self)

    monkeypatch.setattr(RunningMean, "update", watched)
    make(encoder, {"average": 0.4}).fit(*skewed_texts())
    assert at == [step for step in range(1, len(stepped) + 1) if step - 1 >= 0.6 * len(stepped)]
    assert len(at) < len(stepped)


def test_training_leaves_the_global_random_state_alone(encoder: str) -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    make(encoder).fit(*skewed_texts())
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize("profile", ["default", "paper", "released"])
def test_every_profile_trains_to_finite_weights(encoder: str, profile: str) -> None:
    texts, labels = skewed_texts()
    short = {"max_epochs": 2, "batch_size": 32}
    classifier = TextClassifier(
        encoder=encoder, profile=profile, config={"view": "dropout", "training": short}, max_length=32
    )
    if profile == "released":
        with pytest.warns(UserWarning, match="n_pos and n_neg are both 0"):
            classifier.fit(texts, labels, test=(texts[:20], labels[:20]))
        assert any("chosen on the test texts" in note for note in classifier.notes_)
    else:
        classifier.fit(texts, labels)
    assert all(torch.isfinite(tensor).all() for tensor in weights(classifier).values())


def test_dropout_is_on_in_every_epoch_unless_the_published_code_is_asked_for(
    encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against spec 2.3 #2: an evaluation pass must not leave dropout off."""
    seen: list[tuple[bool, bool]] = []
    original = EncoderTask.forward_backward

    def watching(self: EncoderTask, *batch: Any) -> Any:
        seen.append((self.backbone.training, self.method.training))
        return original(self, *batch)

    monkeypatch.setattr(EncoderTask, "forward_backward", watching)
    make(encoder, {"max_epochs": 3}).fit(*skewed_texts())
    assert set(seen) == {(True, True)}
    seen.clear()
    make(encoder, {"max_epochs": 3, "legacy_eval_mode": True}).fit(*skewed_texts())
    first = len(seen) // 3
    assert set(seen[:first]) == {(False, True)}
    assert set(seen[first:]) == {(False, False)}


@pytest.mark.parametrize("method", ["cross_entropy", "class_balanced_sampling", "hybrid_sc"])
def test_the_padding_told_is_that_of_the_batches_trained(
    encoder: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method that draws its own texts has other batches than those that are cut from each text once."""
    sheets: list[PackedRows] = []
    original = encoder_task.lay_out

    def watching(*given: Any) -> list[PackedRows]:
        made = original(*given)
        sheets.extend(made)
        return made

    monkeypatch.setattr(encoder_task, "lay_out", watching)
    trained = make(encoder, method={"name": method}).fit(*skewed_texts()).trained_
    assert trained is not None
    padding = sum(int((sheet.text_RT < 0).sum()) for sheet in sheets)
    places = sum(sheet.text_RT.numel() for sheet in sheets)
    assert trained.facts["padding_waste"] == pytest.approx(padding / places)
    assert padding > 0


def test_the_best_epoch_is_kept_and_stale_ones_stop_the_run(encoder: str) -> None:
    watching = Recorder()
    classifier = make(
        encoder, {**CHOSEN, "max_epochs": 30, "patience": 2, "learning_rate": 1e-20, "head_learning_rate": 1e-20}
    )
    texts, labels = skewed_texts()
    classifier.fit(texts, labels, callback=watching)
    validations = [record for record in watching.records if record["kind"] == "validation"]
    assert len(validations) < 30, "a run that learns nothing must stop"
    assert any("stopped early" in sentence for sentence in watching.sentences)
    assert watching.sentences[-1] == "closed"
    best = [record for record in validations if record["best"]][-1]
    assert classifier.trained_ is not None
    assert classifier.trained_.facts["best_epoch"] == best["epoch"]
    assert best["macro_f1"] == max(record["macro_f1"] for record in validations)


@pytest.mark.parametrize("method", [{"name": "sharprecl"}, {"name": "logit_adjustment", "tau": 3.0}])
def test_the_kept_epoch_is_the_best_by_the_method_s_own_answers(encoder: str, method: dict[str, Any]) -> None:
    texts, labels = skewed_texts()
    watching = Recorder()
    short = {**CHOSEN, "max_epochs": 6, "patience": None}
    full = make(encoder, short, method=method).fit(texts, labels, callback=watching)
    assert full.trained_ is not None
    rows = full.trained_.validation
    held_texts, held_labels = [texts[row] for row in rows], [labels[row] for row in rows]
    validations = [record for record in watching.records if record["kind"] == "validation"]
    best = max(validations, key=lambda record: (record["macro_f1"], record["accuracy"], -record["epoch"]))
    assert [record for record in validations if record["best"]][-1] == best
    found = full.evaluate(held_texts, held_labels)
    assert (found.macro_f1, found.accuracy) == pytest.approx((best["macro_f1"], best["accuracy"]))
    expected = log_loss(held_labels, full.predict_proba(held_texts), labels=full.classes_)
    assert best["loss"] == pytest.approx(expected, rel=1e-4)


def test_what_is_told_is_complete(encoder: str) -> None:
    watching = Recorder()
    make(encoder).fit(*skewed_texts(), callback=watching)
    steps = [record for record in watching.records if record["kind"] == "step"]
    assert [record["step"] for record in steps] == list(range(1, len(steps) + 1))
    assert set(steps[0]["loss"]) == {"total", "classification", "mixtures", "contrastive"}
    for record in steps:
        loss = record["loss"]
        parts = loss["classification"] + loss["mixtures"] + 0.3 * loss["contrastive"]
        assert loss["total"] == pytest.approx(parts, rel=1e-5)
    assert watching.speeds[-1].total_steps == len(steps)
    assert watching.speeds[-1].seconds_left == 0.0


def test_select_on_last_uses_every_text(encoder: str) -> None:
    texts, labels = skewed_texts()
    classifier = make(encoder, {"select_on": "last"}).fit(texts, labels)
    assert classifier.trained_ is not None
    assert classifier.trained_.facts["training_texts"] == len(texts)
    assert len(classifier.trained_.validation) == 0


def test_select_on_test_without_test_texts_says_what_to_do(encoder: str) -> None:
    with pytest.raises(ConfigError, match="give them with --test FILE"):
        make(encoder, {"select_on": "test"}).fit(*skewed_texts())


def test_single_texts_only_train_without_validation(encoder: str) -> None:
    texts, labels = ["alpha beta refund", "gamma delta login"], ["billing", "access"]
    classifier = make(encoder, CHOSEN).fit(texts, labels)
    assert any("nothing could be held out" in note for note in classifier.notes_)
    assert classifier.predict(texts).shape == (2,)


def test_cross_entropy_makes_as_many_steps_as_sharprecl(encoder: str) -> None:
    texts, labels = skewed_texts()
    steps = set()
    for method in ("sharprecl", "cross_entropy"):
        trained = make(encoder, method={"name": method}).fit(texts, labels).trained_
        assert trained is not None
        steps.add(trained.outcome.steps)
    assert len(steps) == 1


def test_a_loss_that_explodes_is_one_sentence(encoder: str) -> None:
    explosive = {"learning_rate": 1e30, "head_learning_rate": 1e30, "clip_norm": None}
    with pytest.raises(SharpReCLError, match=r"no longer finite at step \d+ .* lower training.learning_rate"):
        make(encoder, {**explosive, "warmup": 0.0, "max_epochs": 5}).fit(*skewed_texts())


def test_bf16_and_fp32_can_follow_each_other_in_one_process(encoder: str) -> None:
    texts, labels = skewed_texts()
    for precision in ("bf16", "fp32", "bf16"):
        trained = make(encoder, {"precision": precision, "max_epochs": 1}).fit(texts, labels).trained_
        assert trained is not None
        assert trained.outcome.precision == precision


@pytest.mark.parametrize("kind", ["roberta", "mpnet", "electra", "deberta-v2", "modernbert", "distilbert"])
def test_every_encoder_family_trains_and_predicts(kind: str, tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path, kind)
    texts, labels = skewed_texts()
    classifier = make(encoder, {"max_epochs": 1}).fit(texts, labels)
    assert np.isfinite(classifier.predict_proba(texts)).all()


@pytest.mark.parametrize("classes", [2, 300])
def test_few_and_many_classes(encoder: str, classes: int) -> None:
    texts = [f"alpha beta {word}" for word in ("refund", "login")] * classes
    labels = [f"class {row % classes}" for row in range(len(texts))]
    classifier = make(encoder, {"max_epochs": 1, "batch_size": 64}).fit(texts, labels)
    assert classifier.predict_proba(texts[:3]).shape == (3, classes)
