"""What is done with the scores of a trained classifier, changed without training."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from sharprecl.classifier.answering import Answering
from sharprecl.classifier.given import Labels, Texts, labels_of
from sharprecl.config import DecisionConfig, refusals
from sharprecl.decision import HeldOut, Learned, check_decision, learn, turned, unknown_prior, wanted_prior
from sharprecl.decision.shift import EstimatedPrior, estimate_prior
from sharprecl.errors import ConfigError


class Deciding(Answering):
    """Learns decisions from held-out scores."""

    natural_counts_: NDArray[np.number]
    prior_: NDArray[np.float64] | None
    known_prior_: NDArray[np.float64] | None
    held_out_: HeldOut | None
    notes_: list[str]

    def for_prior(self, prior: str | Path | Mapping[str, float]) -> Self:
        """Answer from now on for texts in which the classes are as frequent as ``prior`` says.

        Args:
            prior: ``train``, ``uniform``, a .csv, .json or .yaml file, or a share or count of every label.

        Raises:
            ConfigError: labels are missing or unknown, or the scores are for no known prior.
        """
        asked = self._asked({"prior": str(prior) if isinstance(prior, Path) else prior})
        wanted_C = wanted_prior(asked.prior, self._names(), self.natural_counts_)
        if wanted_C is None:
            return self
        if asked.learns and self.held_out_ is not None:
            return self.decide(prior=asked.prior)
        if not self.policy_.is_neutral:
            raise ConfigError(
                "thresholds were learnt for another class prior, and the scores to learn them from anew are not here "
                "(held_out.npz); copy the whole run"
            )
        if self.prior_ is None:
            raise unknown_prior(self.config_.method.name)
        decision = turned(self.decision_.decision, self.prior_, wanted_C)
        self._take(dataclasses.replace(self.decision_, decision=decision, prior_C=wanted_C), asked)
        return self

    def decide(self, *, held_out: HeldOut | None = None, **settings: Any) -> Self:
        """Learn anew what is done with the scores, without training.

        Args:
            held_out: what to learn it from, see ``held_out_of``; None takes what training kept.
            settings: of ``sharprecl.config.DecisionConfig``; those that are not given stay as they are.

        Raises:
            ConfigError: nothing was kept to learn from, or there is too little of it for what is asked.
        """
        asked = self._asked(settings)
        found = self.held_out_ if held_out is None else held_out
        if found is None and asked.learns:
            raise ConfigError(
                "nothing was held out in training to learn from; give labelled texts that it has not learnt from "
                "('sharprecl decide' with --on FILE), or train with folds (--folds 3)"
            )
        counts, known_C = self.natural_counts_, self.known_prior_
        check_decision(asked, self.config_.method.name, self._names(), counts, known_C is not None)
        learned = learn(asked, self._names(), counts, known_C, found)
        self._take(learned, asked)
        self.held_out_, self.notes_ = found, list(learned.notes)
        return self

    def for_prior_of(self, X: Texts) -> EstimatedPrior:
        """Answer from now on for the class shares that are estimated of these texts, unless the estimate is doubtful.

        Raises:
            ConfigError: the scores are for no known class prior.
        """
        found = self.estimate_prior(X)
        if not found.doubtful:
            shares = dict(zip(self._names(), found.shares_C.tolist(), strict=True))
            if self.held_out_ is None:
                self.for_prior(shares)
            else:
                self.decide(calibrate=True, prior=shares)
        return found

    def estimate_prior(self, X: Texts) -> EstimatedPrior:
        """How frequent the classes are among texts without labels, with intervals.

        Raises:
            ConfigError: the scores are for no known class prior.
        """
        return self.prior_of_scores(self._run(X)[0])

    def prior_of_scores(self, s_NC: NDArray[np.floating]) -> EstimatedPrior:
        """The same where the texts' decided scores [N, C] are known."""
        held, names, counts = self.held_out_, self._names(), self.natural_counts_
        # Calibration decides how good the estimate is, so it is used even if the answers are not calibrated.
        usual = learn(DecisionConfig(calibrate=held is not None), names, counts, self.known_prior_, held)
        if usual.prior_C is None:
            raise unknown_prior(self.config_.method.name)
        known = None if held is None else (usual.decision.exactly(held.s_MC), held.label_ids)
        bare_NC = self.decision_.decision.inverse().exactly(s_NC)
        return estimate_prior(usual.decision.exactly(bare_NC), usual.prior_C, known)

    def held_out_of(self, X: Texts, y: Labels) -> HeldOut:
        """Bare scores of texts that the classifier has not learnt from, for ``decide``.

        Texts without a label, or with one that it does not know, are left out.
        """
        texts, blank = self._texts(X)
        ids = {name: index for index, name in enumerate(self._names())}
        given_N = np.array([ids.get(str(label), -1) for label in labels_of(y)], dtype=np.int64)
        given_N[blank] = -1
        rows = np.flatnonzero(given_N >= 0)
        s_MC = self._predictor.scores([texts[row] for row in rows])[0]
        return HeldOut(self.decision_.decision.inverse().apply(s_MC), given_N[rows], np.ones(len(rows)))

    def _asked(self, settings: Mapping[str, Any]) -> DecisionConfig:
        self._fitted()
        if not self.config_.method.heeds_setting("decision"):
            raise ConfigError(f"{self.config_.method.name} writes labels without scores, so nothing can be decided")
        try:
            return DecisionConfig.model_validate(self.config_.decision.model_dump() | dict(settings))
        except ValidationError as error:
            raise ConfigError(refusals(error, "decision.")) from error

    def _take(self, learned: Learned, asked: DecisionConfig) -> None:
        self._predictor.decide(self.decision_.decision.inverse().then(learned.decision))
        self.decision_, self.prior_ = learned, learned.prior_C
        self.config_ = self.config_.model_copy(update={"decision": asked})

    def _names(self) -> list[str]:
        return [str(label) for label in self._fitted().classes_]
