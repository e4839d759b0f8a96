"""Which prior is meant, from names and files, and Bayes' rule from one to another."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from sharprecl.config import DecisionConfig
from sharprecl.decision import prior_shift, wanted_prior
from sharprecl.errors import ConfigError

NAMES, COUNTS = ("1", "billing", "True"), np.array([6, 3, 1])


def shares(prior: Any) -> np.ndarray | None:
    return wanted_prior(DecisionConfig(prior=prior).prior, NAMES, COUNTS)


def test_named_priors() -> None:
    assert shares("as_trained") is None
    np.testing.assert_allclose(shares("train"), [0.6, 0.3, 0.1])
    np.testing.assert_allclose(shares("uniform"), [1 / 3] * 3)
    np.testing.assert_allclose(shares({"billing": 2, "True": 1, "1": 1}), [0.25, 0.5, 0.25])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "label,share\n1,5\nbilling,10\nTrue,5\n"),
        ("b.csv", "1,0.25\n\nbilling,0.5\nTrue,0.25\n"),
        ("c.json", '{"1": 5, "billing": 10, "True": 5}'),
        ("d.yaml", "1: 5\nbilling: 10\nTrue: 5\n"),
    ],
)
def test_files(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    np.testing.assert_allclose(shares(str(tmp_path / name)), [0.25, 0.5, 0.25])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "1,5,3\n", "two columns"),
        ("b.csv", "1,5\n1,6\n", "stands twice"),
        ("c.json", "[1, 2]", "no labels with their shares"),
        ("d.json", "{", "cannot be read"),
        ("e.yaml", "1: 5\nbilling: 0\n", "share of 'billing' is '0', but must be a number above 0"),
        ("f.csv", "label,share\n1,many\n", "share of '1' is 'many'"),
        ("g.txt", "1: 5", "is none of as_trained, train, uniform"),
        ("h.csv", None, "check its name"),
    ],
)
def test_files_that_are_none_are_told(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        shares(str(tmp_path / name))


def test_labels_must_be_those_of_training() -> None:
    with pytest.raises(ConfigError, match="no share for 'billing'"):
        shares({"1": 1, "True": 1})
    with pytest.raises(ConfigError, match="a share for 'hardware', which no training text"):
        shares({"1": 1, "True": 1, "billing": 1, "hardware": 1})


def test_bayes_rule() -> None:
    """Posteriors of a Gaussian mixture under one prior become those under another."""
    x_N, mean_C = np.linspace(-3, 6, 40), np.array([0.0, 1.0, 3.0])
    log_likelihood_NC = -((x_N[:, None] - mean_C) ** 2) / 2
    one, other = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    shifted = log_likelihood_NC + np.log(one) + prior_shift(one, other)
    np.testing.assert_allclose(softmax(shifted, 1), softmax(log_likelihood_NC + np.log(other), 1), atol=1e-12)
    assert abs(prior_shift(one, other).mean()) < 1e-15
