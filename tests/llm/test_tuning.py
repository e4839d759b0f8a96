"""The loss against a plain loop, and what a fine-tuning changes."""

import numpy as np
import pytest
import torch

from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import SharpReCLError
from sharprecl.llm.causal import add_adapters
from sharprecl.llm.scoring import common_start, label_scores
from sharprecl.llm.tuning import IGNORED, AdapterTask, answer_logits, label_token_loss
from sharprecl.training.history import Callback
from sharprecl.training.trainer import Trainer
from tiny_llm import encoder, table, tiny_llama

PLAN = LlmLoraConfig(epochs=2, batch_size=8, micro_batch_size=4, learning_rate=5e-3, warmup=0.1, max_grad_norm=0.3)


class Records(Callback):
    def __init__(self):
        self.records, self.speeds = [], []

    def on_record(self, record, speed):
        self.records.append(record)
        self.speeds.append(speed)


def problem(names=("refund", "late parcel", "broken")):
    rows = table(names=names)
    made = encoder(names)
    prompts, _ = made.prompts(rows.texts)
    return prompts, [made.label_ids[label] for label in rows.label_ids]


def adapted(seed=0, dropout=0.0, modules="all"):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return add_adapters(tiny_llama(), modules, LlmLoraConfig(rank=4, alpha=8, dropout=dropout), "x")


def tune(model, plan=PLAN, callback=None, precision="fp32"):
    prompts, answers = problem()
    task = AdapterTask(model, prompts, answers, 0, plan, 0, precision)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return Trainer(task, task.schedule, task.training, callback or Records(), lower="method.learning_rate").run()


def weights(model):
    return {name: weight.detach().clone() for name, weight in model.named_parameters()}


@pytest.mark.parametrize("shared", [True, False])
def test_loss_is_that_of_the_labels_tokens_alone(shared):
    prompts, answers = problem()
    model = tiny_llama()
    common = common_start(prompts) if shared else 0
    assert (common > 10) == shared
    with torch.no_grad():
        found = float(label_token_loss(*answer_logits(model, prompts, answers, 0, common)))
        expected = 0.0
        for prompt, answer in zip(prompts, answers, strict=True):
            logits = model(input_ids=torch.tensor([[*prompt, *answer]])).logits[0].double()
            for place, token in enumerate(answer):
                row = logits[len(prompt) + place - 1]
                expected -= float(row[token] - torch.logsumexp(row, 0))
    assert found == pytest.approx(expected, rel=1e-6)


def test_targets_stand_under_the_labels_tokens():
    _, targets = answer_logits(tiny_llama(), [[2, 5, 6], [2, 7]], [[8, 3], [9, 10, 11, 3]], 0)
    assert targets.tolist() == [[IGNORED, IGNORED, 8, 3], [9, 10, 11, 3]]


def test_ignored_tokens_get_no_gradient():
    logits = torch.randn(2, 3, 7, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[IGNORED, 2, 3], [IGNORED, IGNORED, 1]])
    label_token_loss(logits, targets).backward()
    touched = logits.grad.abs().sum(-1) > 0
    assert torch.equal(touched, targets != IGNORED)


def test_gradients_do_not_depend_on_the_shared_reading_of_the_beginning():
    prompts, answers = problem()
    gradients = []
    for common in (0, common_start(prompts)):
        model = adapted()
        for name, weight in model.named_parameters():
            if "lora_B" in name:  # zero at the start, which would stop every other gradient
                torch.nn.init.constant_(weight, 0.01)
        label_token_loss(*answer_logits(model, prompts, answers, 0, common)).backward()
        gradients.append({name: weight.grad for name, weight in model.named_parameters() if weight.requires_grad})
    assert any("lora_A" in name and gradient.abs().max() > 1e-3 for name, gradient in gradients[0].items())
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-4, atol=1e-5)


def test_only_adapters_learn():
    model = adapted()
    before = weights(model)
    callback = Records()
    outcome = tune(model, callback=callback)
    after = weights(model)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {name for name in before if "lora_" in name}
    assert not model.training
    losses = [record["loss"]["total"] for record in callback.records]
    assert losses[-1] < losses[0]
    assert outcome.steps == len(losses) == callback.speeds[-1].total_steps
    assert (outcome.epochs, outcome.best_epoch) == (2, 2)
    assert callback.records[0].keys() == {"kind", "step", "epoch", "loss", "learning_rate"}
    assert {record["learning_rate"] for record in callback.records[1:]} == {5e-3}


def test_micro_batches_are_memory_only():
    runs = []
    for size in (8, 3, 1):
        callback = Records()
        tune(adapted(), PLAN.model_copy(update={"micro_batch_size": size}), callback)
        runs.append([record["loss"]["total"] for record in callback.records])
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-3)
    np.testing.assert_allclose(runs[2], runs[0], rtol=1e-3)
    assert runs[1][0] == pytest.approx(runs[0][0], rel=1e-6)


def test_activations_computed_anew_change_nothing():
    runs = []
    for anew in (False, True):
        model, callback = adapted(), Records()
        if anew:
            model.enable_input_require_grads()
            model.gradient_checkpointing_enable()
        tune(model, callback=callback)
        runs.append([record["loss"]["total"] for record in callback.records])
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-3)


def test_bf16_weights_as_on_a_gpu():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = add_adapters(tiny_llama().to(torch.bfloat16), "all", LlmLoraConfig(rank=4, alpha=8, dropout=0), "x")
    prompts, answers = problem()
    exact, coarse = Records(), Records()
    tune(adapted(), callback=exact)
    tune(model, callback=coarse, precision="bf16")
    # bfloat16 keeps three digits, and the first loss is about 5.
    assert coarse.records[0]["loss"]["total"] == pytest.approx(exact.records[0]["loss"]["total"], rel=0.02)
    assert coarse.records[-1]["loss"]["total"] < coarse.records[0]["loss"]["total"]
    adapters = {weight.dtype for name, weight in model.named_parameters() if "lora_" in name}
    assert adapters == {torch.float32}
    assert np.isfinite(label_scores(model, prompts, answers[:3], 0)).all()


def test_the_loss_in_bf16_has_no_steps_of_bf16():
    """Only the hidden states are rounded: the last layer, its softmax and the way back are in float32."""
    prompts, answers = problem()
    model = adapted()
    with torch.autocast("cpu", torch.bfloat16):
        logits, targets = answer_logits(model, prompts, answers, 0)
    assert logits.dtype == torch.float32
    assert not torch.equal(logits, logits.to(torch.bfloat16).float())
    label_token_loss(logits, targets).backward()
    assert any(weight.grad is not None and weight.grad.abs().max() > 0 for weight in model.parameters())
    assert model.get_output_embeddings().weight.grad is None


def test_equal_seeds_equal_weights():
    first, second, other = (adapted(seed, dropout=0.3) for seed in (0, 0, 1))
    for model in (first, second, other):
        tune(model)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters(), strict=True))


def test_dropout_is_on_in_training():
    losses = []
    for dropout in (0.0, 0.5):
        callback = Records()
        tune(adapted(dropout=dropout), callback=callback)
        losses.append([record["loss"]["total"] for record in callback.records])
    # At first the adapters add nothing, so nothing is dropped.
    assert losses[0][0] == pytest.approx(losses[1][0], rel=1e-6)
    assert losses[0][-1] != pytest.approx(losses[1][-1], rel=1e-4)


def test_a_loss_that_is_not_finite_stops():
    model = adapted()
    next(iter(model.parameters())).data.fill_(float("nan"))
    with pytest.raises(SharpReCLError, match="no longer finite at step 0"):
        tune(model)


def test_texts_are_drawn_by_their_weights():
    prompts, answers = problem()
    weight_N = np.where(np.arange(len(prompts)) % 2, 3.0, 1.0)
    task = AdapterTask(adapted(), prompts, answers, 0, PLAN, 0, "fp32", weight_N)
    rows = np.concatenate([batch for epoch in range(20) for batch in task.batches(epoch)])
    count_N = np.bincount(rows, minlength=len(prompts))
    np.testing.assert_allclose(count_N / 20, weight_N / weight_N.mean(), atol=0.1)
