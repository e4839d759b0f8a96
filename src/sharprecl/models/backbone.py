"""A stock Hugging Face classifier, opened at its last linear layer.

Nothing is added to the model: the feature is what the last linear layer receives, the logits are what it returns, and
its weight rows are the raw prototypes. After training the stock model is already the product.
"""

from typing import Any

import torch
from torch import Tensor, nn

from sharprecl.models import stock
from sharprecl.models.features import Features
from sharprecl.models.pooling import PoolingName, first_token, last_token, masked_mean


class Backbone(nn.Module):
    """Gives features, logits and the classifier's weight for a batch of tokens.

    Args:
        model: a transformers sequence classifier whose last module is a linear layer ``[C, H]``.
        pooling: how token vectors become one feature a text.
    """

    def __init__(self, model: Any, pooling: PoolingName) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling
        self._captured: Tensor | None = None
        self.classifier = stock.last_linear(model, model.config.num_labels)
        self.classifier.register_forward_pre_hook(self._capture)

    @property
    def feature_dim(self) -> int:
        """Width H of the features."""
        return self.classifier.in_features

    @property
    def num_classes(self) -> int:
        """Number of classes C."""
        return self.classifier.out_features

    def _capture(self, module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        del module
        self._captured = inputs[0]

    def train(self, mode: bool = True) -> "Backbone":
        """Switch dropout on or off, and with it the attention kernel."""
        super().train(mode)
        stock.use_fast_attention(self.model, mode, self.classifier.weight.device)
        return self

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Features:
        """Encode a batch.

        Args:
            input_ids: token ids [N, T], padded on the right.
            attention_mask: 1 at real tokens, 0 at padding, [N, T].

        Returns:
            Features in float32 (or wider), whatever precision the encoder ran in.
        """
        if self.pooling == "native":
            x_NH = self._native(input_ids, attention_mask)
        else:
            h_NTH = self.model.base_model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            h_NTH = h_NTH.to(self.classifier.weight.dtype)
            x_NH = first_token(h_NTH) if self.pooling == "cls" else masked_mean(h_NTH, attention_mask)
        with torch.autocast(x_NH.device.type, enabled=False):
            x_NH = x_NH.to(self.classifier.weight.dtype)
            w_CH = self.classifier.weight
            s_NC = nn.functional.linear(x_NH, w_CH, self.classifier.bias)
        return Features(x_NH, s_NC, w_CH)

    def _native(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        self.model(input_ids=input_ids, attention_mask=attention_mask)
        captured, self._captured = self._captured, None
        assert captured is not None, "the last linear layer did not run"
        return last_token(captured, attention_mask) if captured.dim() == 3 else captured


def open_backbone(source: str, label_names: tuple[str, ...], pooling: PoolingName) -> Backbone:
    """Load an encoder with a fresh classifier head for these classes and open it."""
    return Backbone(stock.load_classifier(source, label_names), pooling)
