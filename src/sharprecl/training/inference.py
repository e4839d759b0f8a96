"""Scores and features of texts, in evaluation mode, in the order in which the texts came."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import torch

from sharprecl.data.batches import Index, collate, inference_batches
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.methods.base import Method
from sharprecl.models.backbone import Backbone

# Enough to keep the cores busy; larger batches only fall out of a CPU's caches.
_TOKENS_A_BATCH = {"cpu": 4096}
_TOKENS_ON_A_GPU = 65536


@torch.no_grad()
def predict(
    backbone: Backbone,
    method: Method | None,
    tokens: TokenizedTexts,
    pad_id: int,
    *,
    embed: bool = False,
    lower: Callable[[Index, int], torch.Tensor] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Run a backbone over texts.

    Args:
        backbone: in any mode; it comes back in the mode in which it was.
        method: says which scores answer; None means the classifier's own logits.
        tokens: the texts.
        pad_id: id of the padding token.
        embed: collect the features too; without it they come back empty, [N, 0].
        lower: what the frozen lower layers give for some of these texts, up to a length: ``LowerStates.of_texts``.

    Returns:
        Scores [N, C] and features [N, H], float32.
    """
    scores_NC = np.empty((len(tokens), backbone.num_classes), dtype=np.float32)
    features_NH = np.empty((len(tokens), backbone.feature_dim if embed else 0), dtype=np.float32)
    with evaluation(backbone):
        for index, inputs in batches_of(backbone, tokens, pad_id):
            with _above(backbone, None if lower is None else lower(index, inputs["input_ids"].shape[1])):
                features = backbone(**inputs)
            answer = features.s_NC if method is None else method.scores(features)
            scores_NC[index] = answer.float().cpu().numpy()
            if embed:
                features_NH[index] = features.x_NH.float().cpu().numpy()
    return scores_NC, features_NH


def _above(backbone: Backbone, lower_NTH: torch.Tensor | None) -> AbstractContextManager[None]:
    if lower_NTH is None or backbone.lower is None:
        return nullcontext()
    return backbone.lower.replaced(lower_NTH)


@contextmanager
def evaluation(backbone: Backbone) -> Iterator[None]:
    """Within, a backbone is in evaluation mode."""
    was_training = backbone.training
    backbone.eval()
    try:
        yield
    finally:
        backbone.train(was_training)


def batches_of(
    backbone: Backbone, tokens: TokenizedTexts, pad_id: int
) -> Iterator[tuple[Index, dict[str, torch.Tensor]]]:
    """Row numbers and inputs of texts of like lengths, on the backbone's device."""
    device = backbone.classifier.weight.device
    budget = _TOKENS_A_BATCH.get(device.type, _TOKENS_ON_A_GPU)
    for index in inference_batches(tokens.lengths + backbone.extra_tokens, max_tokens=budget):
        yield index, {name: tensor.to(device) for name, tensor in collate(tokens, index, pad_id).items()}
