"""Answers from an ONNX export, as from any other folder of a classifier."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from sharprecl.data.batches import collate, inference_batches
from sharprecl.data.tokens import tokenize
from sharprecl.decision.decision import Decision
from sharprecl.errors import AssetError, ConfigError, ExportError
from sharprecl.export.card import Card
from sharprecl.export.onnx import FEATURES, SCORES
from sharprecl.export.predictor import Predictor
from sharprecl.extras import require
from sharprecl.models.stock import load_tokenizer

MODEL = "model.onnx"

_TOKENS_A_BATCH = 1024


def is_onnx(folder: Path) -> bool:
    """Whether a folder is an ONNX export."""
    return (folder / MODEL).is_file()


class OnnxPredictor(Predictor):
    """Answers by ONNX Runtime on the CPU, a thread for each of PyTorch's; one object serves many threads.

    Args:
        model: the graph's file.
        tokenizer: the encoder's.
        card: of the classifier.

    Raises:
        AssetError: the file is damaged.
        MissingExtraError: onnxruntime is not installed.
    """

    def __init__(self, model: Path, tokenizer: Any, card: Card) -> None:
        runtime: Any = require("onnxruntime", "export", "answering from an ONNX file")
        options = runtime.SessionOptions()
        # Threads take whole batches, which costs less than to share every matrix among them.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = runtime.InferenceSession(
                # ONNX Runtime's fused normalisation takes five times as long on a CPU as its parts.
                model,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["SkipLayerNormFusion"],
            )
        except Exception as error:  # ONNX Runtime's own kinds have no common base.
            raise AssetError(f"{model} could not be read ({error}); export the classifier again") from error
        inputs = self._session.get_inputs()
        # Such a graph would give a text other scores beside other texts.
        self._alone = inputs[0].shape[0] == 1
        self._named = {value.name for value in inputs}
        self._decision = Decision.neutral(len(card.label_names))
        self._model, self._tokenizer, self._card, self.pooling = model, tokenizer, card, card.pooling

    def __reduce__(self) -> Any:
        # Sessions cannot be pickled.
        return _restored, (self._model, self._tokenizer, self._card, self._decision)

    def decide(self, decision: Decision) -> None:
        """Answer from now on as the decision says, behind what was decided before."""
        self._decision = self._decision.then(decision)

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], float32; without ``embed`` H is 0."""
        tokens = tokenize(texts, self._tokenizer, self._card.max_length)
        width = {value.name: value.shape[1] for value in self._session.get_outputs()}
        scores_NC = np.empty((len(tokens), width[SCORES]), dtype=np.float32)
        features_NH = np.empty((len(tokens), width[FEATURES] if embed else 0), dtype=np.float32)
        names = [SCORES, FEATURES] if embed else [SCORES]

        def answer(index: np.ndarray) -> None:
            inputs = collate(tokens, index, self._tokenizer.pad_token_id)
            given = {name: tensor.numpy() for name, tensor in inputs.items() if name in self._named}
            found = self._session.run(names, given)
            scores_NC[index] = found[0]
            if embed:
                features_NH[index] = found[1]

        batches = inference_batches(tokens.lengths, 1 if self._alone else _TOKENS_A_BATCH)
        threads = min(torch.get_num_threads(), len(batches))
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(answer, batches))
        else:
            for index in batches:
                answer(index)
        return self._decision.apply(scores_NC), features_NH

    def save(self, folder: Path, card: Card) -> Card:
        """An export is made of a trained folder only.

        Raises:
            ExportError: always.
        """
        del folder, card
        raise ExportError(
            f"{self._model} is an ONNX export, which stays as it is; decide about the trained folder that it was made "
            f"from and export that again, or copy the export's folder"
        )

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> Self:
        """Read what an export wrote.

        Raises:
            AssetError: it is damaged.
            ConfigError: another device than the CPU is asked for.
        """
        if device not in ("auto", "cpu"):
            raise ConfigError(
                f"{folder} is an ONNX export, which answers on the CPU, not on {device!r}; leave --device out, or give "
                f"the trained folder that it was made from"
            )
        return cls(folder / MODEL, load_tokenizer(str(folder)), card)


def _restored(model: Path, tokenizer: Any, card: Card, decision: Decision) -> OnnxPredictor:
    predictor = OnnxPredictor(model, tokenizer, card)
    predictor.decide(decision)
    return predictor
