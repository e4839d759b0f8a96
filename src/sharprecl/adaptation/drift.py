"""Whether the texts that come in are still like those that a classifier was judged on, fact by fact."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.adaptation import drift_tests
from sharprecl.adaptation.drift_tests import Compared
from sharprecl.classifier import TextClassifier
from sharprecl.data.messages import plural
from sharprecl.decision import best_classes
from sharprecl.decision.shift import EstimatedPrior
from sharprecl.runs.reference import Reference, token_facts

LEVEL = 0.05
"""Chance that texts of the same stream raise any alarm at all; the tests share it."""

FEWEST = 50
"""Texts below which nothing is told."""

FACTS = {
    "classes": "share of the answers that moved to other classes",
    "confidence": "distance of its distributions (KS)",
    "embeddings": "distance of the features (MMD, squared)",
    "unknown-like": "share of texts unlike all remembered ones",
    "length": "distance of the distributions of tokens a text (KS)",
    "truncated": "share of texts that are cut off",
    "unknown tokens": "share of texts with tokens the encoder lacks",
    "token length": "distance of the distributions of characters a token (KS)",
}
"""What is compared, and what its figure is."""

_SHARES = ("shares", "low", "high", "known")

_LEARNT = (
    "only lengths and tokens were compared, for the classifier has learnt from the texts that the run remembers and is "
    "surer of them than of any new one; give texts of the stream as it should be with --reference FILE"
)


@dataclass(frozen=True, eq=False)
class Stream:
    """What is known of N texts: the same as of a reference, by the same classifier."""

    scores_NC: NDArray[np.floating]
    answers_N: NDArray[np.int64]
    confidence_N: NDArray[np.float64]
    features_NH: NDArray[np.float64]
    tokens_N: NDArray[np.int64]
    unknown_N: NDArray[np.int64]
    characters_N: NDArray[np.int64]

    @classmethod
    def of(cls, classifier: TextClassifier, texts: Sequence[str]) -> "Stream":
        """Read texts, none of them blank."""
        s_NC, x_NH = classifier.scores_and_embeddings(texts)
        return cls._decided(classifier, s_NC, x_NH, *token_facts(classifier, texts))

    @classmethod
    def remembered(cls, classifier: TextClassifier, reference: Reference) -> "Stream":
        """What a run remembers, as the classifier decides today."""
        decided = classifier.decision_.decision.apply(reference.scores)
        facts = reference.tokens, reference.unknown, reference.characters
        return cls._decided(classifier, decided, reference.features, *facts)

    @classmethod
    def _decided(
        cls,
        classifier: TextClassifier,
        s_NC: NDArray[np.floating],
        x_NH: NDArray[np.floating],
        *facts: NDArray[np.int64],
    ) -> "Stream":
        answers = classifier.policy_.answers(s_NC)
        return cls(s_NC, best_classes(s_NC), answers.confidence_N, x_NH.astype(np.float64), *facts)

    def __len__(self) -> int:
        return len(self.answers_N)


@dataclass(frozen=True)
class Finding:
    """One fact.

    Attributes:
        fact: one of ``FACTS``.
        compared: its figure, threshold and p-value.
        drifts: whether it raises an alarm.
    """

    fact: str
    compared: Compared
    drifts: bool


@dataclass(frozen=True, eq=False)
class Drift:
    """What was found.

    Attributes:
        findings: of the facts that could be compared.
        far_N: rows that are like none of the remembered texts, the farthest first.
        left_out: why some facts could not be compared; empty if all were.
        prior: shares of the classes as estimated; None where the scores are for no known prior.
    """

    findings: tuple[Finding, ...]
    far_N: NDArray[np.int64]
    left_out: str
    n_texts: int
    n_remembered: int
    origin: str
    prior: EstimatedPrior | None = None

    @property
    def sentence(self) -> str:
        """The verdict."""
        compared = f"{plural(self.n_texts, 'text', 'texts')} with {self.n_remembered} of {self.origin}"
        loud = [finding.fact for finding in self.findings if finding.drifts]
        if not loud:
            return f"no drift found in {compared}"
        return f"DRIFT in {compared}: {', '.join(loud)}; judge the classifier on some labelled ones of these texts"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; rows count from 1."""
        return {
            "drift": any(finding.drifts for finding in self.findings),
            "sentence": self.sentence,
            "level": LEVEL,
            "facts": {row.fact: asdict(row.compared) | {"drifts": row.drifts} for row in self.findings},
            "unknown_like_rows": (self.far_N + 1).tolist(),
            "left_out": self.left_out,
            "texts": self.n_texts,
            "remembered": self.n_remembered,
            "estimated_shares": self.prior and {name: getattr(self.prior, f"{name}_C").tolist() for name in _SHARES},
        }


def find_drift(
    old: Stream,
    new: Stream,
    *,
    num_classes: int,
    max_length: int,
    seen: bool,
    origin: str,
    prior: EstimatedPrior | None,
) -> Drift:
    """Compare two streams; all tests together raise a false alarm in 5 % of the cases at most.

    Args:
        old, new: at least ``FEWEST`` texts each.
        max_length: tokens after which texts are cut off.
        seen: whether the classifier has learnt from the old texts: it is then surer of them than of any new text, and
            only what does not depend on it is compared.
        origin: what the old texts are.
        prior: estimated from the new ones, to be shown.
    """
    level, found = LEVEL / len(FACTS), dict[str, Compared]()
    far_N = np.empty(0, dtype=np.int64)
    if not seen:
        found["classes"] = drift_tests.compare_shares(old.answers_N, new.answers_N, num_classes, level)
        found["confidence"] = drift_tests.compare_values(old.confidence_N, new.confidence_N, level)
        found["embeddings"] = drift_tests.compare_features(old.features_NH, new.features_NH, level)
        own_R = drift_tests.distances(old.features_NH)
        away_N = drift_tests.distances(old.features_NH, new.features_NH)
        found["unknown-like"] = drift_tests.compare_distances(own_R, away_N, level)
        far_N = np.argsort(-away_N, kind="stable")
        far_N = far_N[away_N[far_N] > drift_tests.unknown_bar(own_R)]
    found["length"] = drift_tests.compare_values(old.tokens_N, new.tokens_N, level)
    for fact, old_has, new_has in (
        ("truncated", old.tokens_N > max_length, new.tokens_N > max_length),
        ("unknown tokens", old.unknown_N > 0, new.unknown_N > 0),
    ):
        found[fact] = drift_tests.compare_counts(int(old_has.sum()), len(old), int(new_has.sum()), len(new), level)
    found["token length"] = drift_tests.compare_values(
        old.characters_N / old.tokens_N, new.characters_N / new.tokens_N, level
    )
    findings = tuple(Finding(fact, found[fact], found[fact].p <= level) for fact in FACTS if fact in found)
    return Drift(findings, far_N, _LEARNT if seen else "", len(new), len(old), origin, prior)
