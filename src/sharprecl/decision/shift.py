"""How frequent the classes are among texts without labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from scipy.special import logsumexp

from sharprecl.decision.objectives import Floats, Ids

ROUNDS, PRECISION = 1000, 1e-7
RESAMPLES = 100
MOST_TEXTS = 20_000
SHOWN = 5
FARTHEST = 0.15
"""Total variation between two estimates above which neither is believed."""
CERTAINTY = 0.9
"""Share of the resamples in which the two must be nearer."""


@dataclass(frozen=True, eq=False)
class EstimatedPrior:
    """Shares of the classes.

    Attributes:
        shares_C: sum to 1.
        low_C, high_C: 95 % bootstrap interval of each, over the texts.
        known_C: those that were known before.
        n_texts: how many texts they were estimated from.
        disagreement: total variation to a second estimate, in [0, 1]: a bound that holds in nine of ten resamples of
            texts and held-out texts. None where nothing was held out to make one.
    """

    shares_C: Floats
    low_C: Floats
    high_C: Floats
    known_C: Floats
    n_texts: int
    disagreement: float | None = None

    def sentence(self, label_names: Sequence[str]) -> str:
        """A summary for the user: the classes whose shares differ most from what was known."""
        if self.doubtful:
            return (
                f"class shares could not be estimated from {self.n_texts:,} texts: a second estimate may differ by "
                f"{self.disagreement:.0%} of the texts, so the prior stays as it is; name shares with --prior FILE"
            )
        changed = np.argsort(-np.abs(self.shares_C - self.known_C), kind="stable")[:SHOWN]
        told = (
            f"{label_names[label]} {self.shares_C[label]:.1%} ({self.low_C[label]:.1%} to {self.high_C[label]:.1%}, "
            f"was {self.known_C[label]:.1%})"
            for label in changed
        )
        return f"class shares estimated from {self.n_texts:,} texts without their labels: {', '.join(told)}"

    @property
    def doubtful(self) -> bool:
        """Whether the two estimates may be so far apart that neither should be believed."""
        return self.disagreement is not None and self.disagreement > FARTHEST


def estimate_prior(
    z_NC: Floats, known_C: Floats, held_out: tuple[Floats, Ids] | None = None, seed: int = 0
) -> EstimatedPrior:
    """Maximise the likelihood of unlabelled texts over the class shares, by expectation maximisation.

    It holds where texts of a class look as they did in training and the probabilities are calibrated for the known
    prior (Saerens et al., Neural Computation 2002; Alexandari et al., ICML 2020, show that calibration decides).
    Shares are drawn by one text towards the known prior, so that a class without texts keeps a share. Where there are
    held-out texts, a second estimate from the answers alone tells whether to believe the first: it needs no
    calibration, but few errors (Lipton et al., ICML 2018, black-box shift estimation). It is drawn anew from resampled
    texts, since with few held-out texts of a class both may be wrong in the same way.

    Args:
        z_NC: log-probabilities for the known prior, up to a constant a row; rows of NaN are left out.
        known_C: that prior.
        held_out: the same log-probabilities of held-out texts, [M, C], and their classes, [M].
        seed: of the bootstrap, and of the 20,000 texts that are taken of more.
    """
    z_NC = z_NC[~np.isnan(z_NC).any(1)]
    generator = np.random.Generator(np.random.PCG64(seed))
    n_texts = len(z_NC)
    if n_texts > MOST_TEXTS:
        z_NC = z_NC[generator.choice(n_texts, MOST_TEXTS, replace=False)]
    log_NC = z_NC - np.log(known_C)
    # Likelihoods P(x | c), up to a constant a text.
    ratio_NC = np.exp(log_NC - logsumexp(log_NC, axis=1, keepdims=True))
    shares_C = _shares(ratio_NC, np.ones(len(ratio_NC)), known_C, known_C)
    if not len(ratio_NC):
        return EstimatedPrior(known_C, np.zeros_like(known_C), np.ones_like(known_C), known_C, 0)
    drawn = generator.multinomial(len(ratio_NC), np.full(len(ratio_NC), 1 / len(ratio_NC)), size=RESAMPLES)
    resampled = [_shares(ratio_NC, times.astype(np.float64), known_C, shares_C) for times in drawn]
    low_C, high_C = np.quantile(resampled, (0.025, 0.975), axis=0)
    distance = None
    if held_out is not None:
        second_RC = _from_answers(z_NC.argmax(1), *held_out, generator)
        distance = float(np.quantile(np.abs(second_RC - shares_C).sum(1) / 2, CERTAINTY))
    return EstimatedPrior(shares_C, low_C, high_C, known_C, n_texts, distance)


def _from_answers(answers_N: Ids, z_MC: Floats, y_M: Ids, generator: np.random.Generator) -> Floats:
    """Shares that explain how often each class is answered, given how held-out texts of each class are answered:
    one row for each resample of the answers and of every class's held-out texts.
    """
    C = z_MC.shape[1]
    # Answers in front. A class without held-out texts counts as always answered rightly.
    held_CC = np.zeros((C, C))
    np.add.at(held_CC, (z_MC.argmax(1), y_M), 1)
    number_C = held_CC.sum(0).astype(np.int64)
    held_CC[:, number_C == 0] = np.eye(C)[:, number_C == 0]
    given_CC = held_CC / held_CC.sum(0)
    answered_C = np.bincount(answers_N, minlength=C) / len(answers_N)
    second_RC = np.empty((RESAMPLES, C))
    for row_C in second_RC:
        drawn_CC = generator.multinomial(np.maximum(number_C, 1), given_CC.T).T / np.maximum(number_C, 1)
        shares_C, _ = nnls(drawn_CC, generator.multinomial(len(answers_N), answered_C) / len(answers_N))
        row_C[:] = shares_C / shares_C.sum()
    return second_RC


def _shares(ratio_NC: Floats, weight_N: Floats, known_C: Floats, start_C: Floats) -> Floats:
    shares_C: Floats = start_C
    for _ in range(ROUNDS):
        posterior_NC: Floats = ratio_NC * shares_C
        posterior_NC *= (weight_N / posterior_NC.sum(1))[:, None]
        found_C = (posterior_NC.sum(0) + known_C) / (weight_N.sum() + 1)
        change, shares_C = np.abs(found_C - shares_C).max(), found_C
        if change < PRECISION:
            break
    return shares_C
