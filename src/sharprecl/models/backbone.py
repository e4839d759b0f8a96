"""A stock Hugging Face classifier, opened at its last linear layer.

Nothing is added to the model: the feature is what the last linear layer receives, the logits are what it returns, and
its weight rows are the raw prototypes. After training the stock model is already the product.

Two methods answer otherwise, see ``Reading``: by the cosine of the feature to the weight rows, and by the vectors of
label tokens, which are then in the model's vocabulary.
"""

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from sharprecl.config import EncoderConfig
from sharprecl.errors import ConfigError
from sharprecl.models import stock
from sharprecl.models.depth import frozen_below, keep_first
from sharprecl.models.dropout import quicken
from sharprecl.models.features import Features, Reading
from sharprecl.models.label_tokens import LabelTokens, add_label_tokens, place_labels
from sharprecl.models.lower import LowerLayers
from sharprecl.models.packed import own_attention, own_positions, texts_first, texts_mean
from sharprecl.models.pooling import PoolingName, first_token, last_token, masked_mean
from sharprecl.models.repeat import UpperRepeat


class _PerThread(threading.local):
    """What the last linear layer received: a server asks one model from many threads."""

    tensor: Tensor | None = None

    def __reduce__(self) -> tuple[type["_PerThread"], tuple[()]]:
        # Nothing of it outlives a call, so a copy of the model begins with none.
        return _PerThread, ()


class Backbone(nn.Module):
    """Gives features, logits and the classifier's weight for a batch of tokens.

    Args:
        model: a transformers sequence classifier whose last module is a linear layer ``[C, H]``.
        pooling: how token vectors become one feature a text. Label tokens are read with ``cls``.
        reading: how it answers.

    Attributes:
        frozen: modules that stay in evaluation mode.
        bf16: whether it is trained under autocast.
        lower: the frozen layers, whose hidden states ``forward_views`` can be given; None where there are none.

    Raises:
        ConfigError: the model does not end in a linear layer, or has no label tokens to be read.
    """

    def __init__(self, model: Any, pooling: PoolingName, reading: Reading = "linear") -> None:
        super().__init__()
        if reading == "label_tokens" and pooling != "cls":
            raise ConfigError(f"label tokens are read beside the first token: their pooling is cls, not {pooling}")
        self.model = model
        self.pooling = pooling
        self.reading: Reading = reading
        self._captured = _PerThread()
        self.classifier = stock.last_linear(model, model.config.num_labels)
        self.classifier.register_forward_pre_hook(self._capture)
        self._label_tokens = LabelTokens(model, self.num_classes) if reading == "label_tokens" else None
        self._upper: UpperRepeat | None = None
        self.frozen: Sequence[nn.Module] = ()
        self.bf16 = False
        self.lower: LowerLayers | None = None

    def repeat_upper(self) -> float:
        """Give every text a second view by running the upper layers twice in training; returns its share of a forward.

        Raises:
            ConfigError: the encoder's layers are not a plain list.
        """
        self._upper = UpperRepeat(self.model)
        if self.lower is not None and self._upper.first < len(self.lower):
            self.lower = None  # What runs twice must run.
        return self._upper.price

    @property
    def packs(self) -> bool:
        """Whether several texts may share a row of tokens."""
        return self.pooling != "native" and self.reading != "label_tokens" and stock.can_pack(self.model)

    @property
    def feature_dim(self) -> int:
        """Width H of the features."""
        return self.classifier.in_features

    @property
    def num_classes(self) -> int:
        """Number of classes C."""
        return self.classifier.out_features

    @property
    def extra_tokens(self) -> int:
        """Tokens that stand in front of every text beside its own: the label tokens and a separator."""
        return 0 if self._label_tokens is None else self._label_tokens.count

    def place_labels(self, position: int) -> None:
        """Choose the position that all label tokens share, see ``label_tokens.place_labels``."""
        place_labels(self.model, position)
        self._label_tokens = LabelTokens(self.model, self.num_classes)

    def _capture(self, module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        del module
        self._captured.tensor = inputs[0]

    def train(self, mode: bool = True) -> "Backbone":
        """Switch dropout on or off, but for what is frozen, and with it the attention kernel."""
        super().train(mode)
        for module in self.frozen:
            module.eval()
        stock.use_fast_attention(self.model, mode, self.classifier.weight.device, self.bf16)
        return self

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Features:
        """Encode a batch of one text a row.

        Args:
            input_ids: token ids [N, T], padded on the right.
            attention_mask: 1 at real tokens, 0 at padding, [N, T].

        Returns:
            Features in float32 (or wider), whatever precision the encoder ran in.
        """
        if self._label_tokens is not None:
            return self._at_label_tokens(self._label_tokens(input_ids, attention_mask))
        if self.pooling == "native":
            return self._read(self._native(input_ids, attention_mask))
        h_NTH = self.model.base_model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return self._read(self._pooled(h_NTH, attention_mask))

    def forward_views(self, input_ids: Tensor, text_RT: Tensor, lower_RTH: Tensor | None = None) -> Features:
        """Encode texts laid out by ``data.packing``, with the second view if there is one from the upper layers.

        Args:
            input_ids: token ids [R, T].
            text_RT: the text, counted from 0 to N - 1, that each token belongs to; -1 at padding.
            lower_RTH: what the lower layers give, if that is known, [R, T, H].

        Returns:
            Features of the N texts, and where ``repeat_upper`` was called, of their N second views behind them.
        """
        views = 1 if self._upper is None else 2
        with ExitStack() as contexts:
            if self._upper is not None:
                contexts.enter_context(self._upper.twice(len(input_ids)))
            if self.lower is not None and lower_RTH is not None:
                contexts.enter_context(self.lower.replaced(lower_RTH))
            if self.packs:
                return self._read(self._packed(input_ids, text_RT, views))
            mask_NT = (text_RT >= 0).long()
            if self._label_tokens is not None or self.pooling == "native":
                features: Features = self(input_ids, mask_NT)
                return features
            h_NTH = self.model.base_model(input_ids=input_ids, attention_mask=mask_NT).last_hidden_state
        return self._read(self._pooled(h_NTH, mask_NT.repeat(views, 1)))

    def no_features(self) -> Features:
        """Those of no texts."""
        w_CH = self.classifier.weight
        t_NCH = None if self._label_tokens is None else w_CH.new_zeros(0, *w_CH.shape)
        return replace(self._read(w_CH.new_zeros(0, self.feature_dim)), t_NCH=t_NCH)

    def _packed(self, input_ids: Tensor, text_RT: Tensor, views: int) -> Tensor:
        weight = self.classifier.weight
        h_RTH = self.model.base_model(
            input_ids=input_ids,
            attention_mask=own_attention(text_RT, _computed_in(text_RT.device, weight.dtype)),
            position_ids=own_positions(text_RT) + stock.first_position(self.model),
        ).last_hidden_state
        pool = texts_first if self.pooling == "cls" else texts_mean
        return torch.cat([pool(half_RTH, text_RT) for half_RTH in h_RTH.to(weight.dtype).chunk(views)])

    def _pooled(self, h_NTH: Tensor, mask_NT: Tensor) -> Tensor:
        h_NTH = h_NTH.to(self.classifier.weight.dtype)
        return first_token(h_NTH) if self.pooling == "cls" else masked_mean(h_NTH, mask_NT)

    def _read(self, x_NH: Tensor) -> Features:
        with torch.autocast(x_NH.device.type, enabled=False):
            x_NH = x_NH.to(self.classifier.weight.dtype)
            w_CH = self.classifier.weight
            if self.reading == "cosine":
                s_NC = nn.functional.normalize(x_NH, dim=1) @ w_CH.T
            else:
                s_NC = nn.functional.linear(x_NH, w_CH, self.classifier.bias)
        return Features(x_NH, s_NC, w_CH, b_C=self.classifier.bias if self.reading == "linear" else None)

    def _at_label_tokens(self, inputs: dict[str, Tensor]) -> Features:
        h_NTH = self.model.base_model(**inputs).last_hidden_state.to(self.classifier.weight.dtype)
        x_NH, t_NCH = h_NTH[:, 0], h_NTH[:, 1 : 1 + self.num_classes]
        with torch.autocast(h_NTH.device.type, enabled=False):
            s_NC = torch.einsum("nh,nch->nc", x_NH, t_NCH)
        return Features(x_NH, s_NC, self.classifier.weight, t_NCH)

    def _native(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        self.model(input_ids=input_ids, attention_mask=attention_mask)
        captured, self._captured.tensor = self._captured.tensor, None
        assert captured is not None, "the last linear layer did not run"
        if captured.dim() == 2:
            return captured
        # As the stock class does: the token that pads is passed over also where it stands for the end of a text.
        padding = self.model.config.get_text_config().pad_token_id
        real_NT = attention_mask * (input_ids != padding)
        return last_token(captured, real_NT.repeat(len(captured) // len(real_NT), 1))


def _computed_in(device: torch.device, dtype: torch.dtype) -> torch.dtype:
    """The encoder's precision: a mask in a wider one would widen all attention scores."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else dtype


def open_backbone(
    source: str,
    label_names: tuple[str, ...],
    pooling: PoolingName,
    reading: Reading = "linear",
    tokenizer: Any = None,
    encoder: EncoderConfig | None = None,
) -> Backbone:
    """Load an encoder with a fresh classifier head for these classes and open it.

    Args:
        tokenizer: the encoder's own; needed only to make the label tokens of the reading ``label_tokens``.
        encoder: how many layers to run and to train, and its dropout; None leaves it as it is.
    """
    encoder = encoder or EncoderConfig()
    model = stock.load_classifier(source, label_names, encoder.attention_dropout)
    if encoder.layers is not None:
        keep_first(model, encoder.layers)
    if reading == "label_tokens":
        add_label_tokens(model, tokenizer, label_names)
    quicken(model)
    backbone = Backbone(model, pooling, reading)
    if encoder.trainable_layers is not None:
        backbone.frozen, backbone.lower = frozen_below(model, encoder.trainable_layers)
    return backbone
