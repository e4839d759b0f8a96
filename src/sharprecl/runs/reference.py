"""What a run remembers of the stream that its classifier was judged on: features, scores and lengths, but no texts.

``sharprecl drift`` compares new texts with it, and ``sharprecl add-class`` sees in it where the old classes lie.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sharprecl.classifier import TextClassifier
from sharprecl.data.tables import TextTable
from sharprecl.data.tokens import tokenize
from sharprecl.errors import DataError
from sharprecl.export.encoder import EncoderPredictor
from sharprecl.runs.folder import write_arrays
from sharprecl.runs.judge import Judged

Ids = NDArray[np.int64]

FILE = "reference.npz"
MOST = 500
"""Texts that are kept: some 400 KB of MiniLM's features."""


WHOLE = 1_000_000
"""Tokens a text beyond which none is: lengths are counted before anything is cut off."""


@dataclass(frozen=True, eq=False)
class Reference:
    """What is known of R texts.

    Attributes:
        features: [R, H], float32; on disk float16.
        scores: [R, C], before any decision.
        label_ids: int64 [R].
        tokens: of each whole text, special tokens included, [R].
        unknown: those of them that the tokenizer has no word for.
        characters: [R].
        held_out: whether the classifier has not learnt from these texts.
        origin: which texts they are, for people.
    """

    features: NDArray[np.float32]
    scores: NDArray[np.float32]
    label_ids: Ids
    tokens: Ids
    unknown: Ids
    characters: Ids
    held_out: bool
    origin: str

    def __len__(self) -> int:
        return len(self.label_ids)

    @classmethod
    def of(
        cls,
        classifier: TextClassifier,
        table: TextTable,
        *,
        held_out: bool,
        origin: str,
        most: int = MOST,
        answered: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    ) -> Self:
        """Look at the texts of a table, or at some of them drawn at random, the same at every call.

        Args:
            classifier: with an encoder.
            table: labelled texts; those without a text are passed over.
            held_out, origin: as in the attributes.
            most: texts.
            answered: the classifier's scores [N, C] and features [N, H] of all texts, where they are known.
        """
        rows = np.array([row for row, text in enumerate(table.texts) if text], dtype=np.int64)
        drawn = np.random.Generator(np.random.PCG64(0)).permutation(len(rows))[:most]
        rows = np.sort(rows[drawn])
        texts = [table.texts[row] for row in rows]
        if answered is None:
            decided_RC, features_RH = classifier.scores_and_embeddings(texts)
        else:
            decided_RC, features_RH = (array[rows] for array in answered)
        tokens, unknown, characters = token_facts(classifier, texts)
        return cls(
            features_RH,
            classifier.decision_.decision.inverse().apply(decided_RC).astype(np.float32),
            table.label_ids[rows],
            tokens,
            unknown,
            characters,
            held_out,
            origin,
        )

    def and_also(self, other: Self) -> Self:
        """The texts of both, under this one's origin."""
        arrays: dict[str, Any] = {
            name: np.concatenate([value, getattr(other, name)])
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray)
        }
        return replace(self, **arrays)

    def save(self, path: Path) -> None:
        """Write it, atomically."""
        values = {name: np.asarray(value) for name, value in vars(self).items()}
        write_arrays(path, **(values | {"features": self.features.astype(np.float16)}))

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Read it; None where there is none.

        Raises:
            DataError: it is damaged.
        """
        if not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as saved:
                values = dict(saved)
            features = values.pop("features").astype(np.float32)
            held_out, origin = bool(values.pop("held_out")), str(values.pop("origin"))
            return cls(features, **values, held_out=held_out, origin=origin)
        except (OSError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise DataError(f"{path} is damaged ({error}); copy the whole run again, or delete this file") from error


def token_facts(classifier: TextClassifier, texts: Sequence[str]) -> tuple[Ids, Ids, Ids]:
    """Tokens, unknown tokens and characters of each whole text, int64 [N] each."""
    predictor = classifier._predictor
    assert isinstance(predictor, EncoderPredictor)
    tokens = tokenize(texts, predictor.tokenizer, WHOLE)
    unknown = np.concatenate([[0], np.cumsum(tokens.ids == predictor.tokenizer.unk_token_id)])[tokens.offsets]
    return tokens.lengths, np.diff(unknown), np.array([len(text) for text in texts], dtype=np.int64)


def remember(folder: Path, classifier: TextClassifier, judged: Judged, *, held_out: bool) -> None:
    """Keep a reference in a run's folder, where its classifier is an encoder.

    Args:
        folder: of the run.
        classifier: of the run.
        judged: how the classifier, or trainings of folds, were judged.
        held_out: whether the classifier itself has not learnt from these texts.
    """
    if classifier._predictor.pooling == "none":
        return
    # Trainings of folds judge without features of the classifier.
    answered = (judged.scores, judged.embeddings) if judged.embeddings.shape[1] else None
    found = Reference.of(classifier, judged.table, held_out=held_out, origin=judged.on, answered=answered)
    found.save(folder / FILE)
