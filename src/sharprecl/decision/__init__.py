"""Turn a trained model's scores into predictions: calibration, and the class prior that predictions assume.

A decision is affine in the scores, s' = s / T + shift, is learnt from held-out scores and never from test scores.
"""

from sharprecl.decision.calibration import Calibration, calibrate
from sharprecl.decision.decision import Decision
from sharprecl.decision.held_out import HeldOut
from sharprecl.decision.learning import Learned, check_decision, learn, turned, unknown_prior
from sharprecl.decision.policy import NEUTRAL, Answers, Policy
from sharprecl.decision.prior import prior_shift, wanted_prior
from sharprecl.decision.scores import best_classes, softmax

__all__ = [
    "NEUTRAL",
    "Answers",
    "Calibration",
    "Decision",
    "HeldOut",
    "Learned",
    "Policy",
    "best_classes",
    "calibrate",
    "check_decision",
    "learn",
    "prior_shift",
    "softmax",
    "turned",
    "unknown_prior",
    "wanted_prior",
]
