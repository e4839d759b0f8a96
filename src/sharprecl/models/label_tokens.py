"""Labels in front of a text, each as a token of its own: [CLS] L_1 ... L_C [SEP] text [SEP] (DualCL).

The tokens are the last C rows of the model's own input embedding, so they are saved and loaded with it, and the
tokenizer knows nothing of them. Which token parts labels and text stands in the model's configuration.

All labels share one position, so their order means nothing and they take no room from the text, which is numbered on
from the separator. In the paper it is [CLS]'s own. But some encoders mark the first position by a vector that drowns
all others (MiniLM's is five times as long as the next), which turns every label token into a second [CLS]; the position
behind it does not. Architectures that count distances themselves (DeBERTa, MPNet's bias, the windows of ModernBERT's
local layers) see the labels at the places where they stand all the same, and those that take no ``position_ids`` number
them as ordinary tokens.
"""

from typing import Any

import torch
from torch import Tensor

from sharprecl.errors import ConfigError
from sharprecl.models import stock

_SEPARATOR = "label_separator_id"
_POSITION = "label_position"
_NONE = -1


def add_label_tokens(model: Any, tokenizer: Any, label_names: tuple[str, ...]) -> None:
    """Give a model one more token a class, which begins as the mean of the word pieces of the class's name.

    Args:
        model: a transformers sequence classifier, changed in place.
        tokenizer: its tokenizer; not changed.
        label_names: the C classes.

    Raises:
        ConfigError: the model reads from left to right only, so the labels could not see the text.
    """
    if stock.reads_left_to_right(model):
        raise ConfigError(
            f"{type(model).__name__} reads from left to right, so labels in front of a text cannot see the text; "
            f"choose an encoder that reads both ways (BERT, RoBERTa, ModernBERT, ...), or another method than dualcl"
        )
    pieces_C = [sorted(tokenizer(name, add_special_tokens=False)["input_ids"]) for name in label_names]
    rows = len(model.get_input_embeddings().weight)
    stock.append_tokens(model, len(label_names))
    w_VH = model.get_input_embeddings().weight.detach()
    for row, pieces in enumerate(pieces_C, start=rows):
        mean_H = w_VH[pieces or slice(rows)].mean(0)
        # Labels that begin alike, such as names in a script that the tokenizer does not know, have the same score for
        # every text and part slowly. To those the random row of a new token is added.
        w_VH[row] = mean_H + w_VH[row] if pieces_C.count(pieces) > 1 else mean_H
    framed = tokenizer("")["input_ids"]
    # [CLS] [SEP] around no text: what comes last is the closing token. Alone, it is the opening one.
    setattr(model.config, _SEPARATOR, framed[-1] if len(framed) > 1 else _NONE)


def place_labels(model: Any, position: int) -> None:
    """Choose the position that all labels share: 0 is [CLS]'s own, 1 the one behind it. It is saved with the model."""
    setattr(model.config, _POSITION, position)


class LabelTokens:
    """Puts the label tokens of a model in front of texts.

    Args:
        model: one that ``add_label_tokens`` has seen, or its saved copy.
        num_classes: C.

    Raises:
        ConfigError: it has no label tokens.
    """

    def __init__(self, model: Any, num_classes: int) -> None:
        if not hasattr(model.config, _SEPARATOR):
            raise ConfigError(
                f"this {type(model).__name__} has no label tokens ({_SEPARATOR} is not in its config.json), so its "
                f"answers cannot be read at them; was it trained with another method than dualcl?"
            )
        separator = getattr(model.config, _SEPARATOR)
        rows = model.get_input_embeddings().weight.shape[0]
        self._front = [*range(rows - num_classes, rows), *([] if separator == _NONE else [separator])]
        self._num_classes = num_classes
        self._position = int(getattr(model.config, _POSITION, 0))
        self._first_position = stock.first_position(model)
        self._most = stock.longest_text(model)
        self._takes_positions = stock.takes_position_ids(model)

    @property
    def count(self) -> int:
        """Tokens that are put in front of every text."""
        return len(self._front)

    def __call__(self, input_ids: Tensor, attention_mask: Tensor) -> dict[str, Tensor]:
        """Inputs of the model for tokenised texts [N, T]: the labels' places are 1 to C."""
        front = torch.tensor(self._front, device=input_ids.device).expand(len(input_ids), -1)
        inputs = {
            "input_ids": _behind_first(input_ids, front),
            "attention_mask": _behind_first(attention_mask, torch.ones_like(front)),
        }
        if self._takes_positions:
            width = inputs["input_ids"].shape[1]
            inputs["position_ids"] = self.positions(width, input_ids.device).expand(len(input_ids), -1)
        return inputs

    def positions(self, width: int, device: torch.device | str = "cpu") -> Tensor:
        """Position of each place, [width]: [CLS], one for all labels, then counted on.

        The separator, and labels with a position of their own behind [CLS], make a text of the greatest length one or
        two longer than the model's table; then its last two or three tokens share the last position.
        """
        place_T = torch.arange(width, device=device)
        position_T = (place_T - self._num_classes).clamp(min=0) + self._position * (place_T > 0)
        if self._most is not None:
            position_T = position_T.clamp(max=self._most - 1)
        return position_T + self._first_position


def _behind_first(row_NT: Tensor, inserted_NL: Tensor) -> Tensor:
    return torch.cat([row_NT[:, :1], inserted_NL.to(row_NT.dtype), row_NT[:, 1:]], dim=1)
