"""The known answers that the tests hold the library to: inputs and expected numbers, by case."""

import json
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "known_answers.json").read_text(encoding="utf-8"))
NO_SYNTHETIC = "sharprecl_contrastive_no_synthetic(code defaults n_pos=n_neg=0)"


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def d_hat(case: str) -> tuple[Tensor, Tensor]:
    """Unit vectors x_MD of [view 1; view 2; prototypes] and their labels y_M."""
    inputs = CASES[case]["inputs"]
    x_MD = F.normalize(tensor(inputs["z_view1"] + inputs["z_view2"] + inputs["prototypes"]), dim=1)
    labels = inputs["labels"]
    return x_MD, torch.tensor(labels + labels + list(range(len(inputs["prototypes"]))))


def synthetic() -> Tensor:
    """Synthetic vectors x_CSD of the case sharprecl_contrastive; the first two of each class are positives."""
    inputs = CASES["sharprecl_contrastive"]["inputs"]
    return tensor(inputs["synthetic(class, n_pos+n_neg, dim); first n_pos are positives"])


def expected(case: str, key: str) -> Any:
    """The one expected value of ``case`` whose name starts with ``key``."""
    (value,) = (value for name, value in CASES[case]["expected"].items() if name.startswith(key))
    return value
