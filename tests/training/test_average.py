"""The mean of the last steps' weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from sharprecl.classifier import TextClassifier
from sharprecl.training.average import RunningMean
from sharprecl.training.trainer import Trainer
from tiny import skewed_texts, tiny_encoder


def test_is_the_mean_of_the_steps_and_goes_on_from_a_checkpoint():
    parameters = [nn.Parameter(torch.zeros(2, dtype=torch.float64)), nn.Parameter(torch.zeros((), dtype=torch.float64))]
    values = torch.randn(5, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    mean = RunningMean(parameters)
    mean.write()
    assert parameters[0].tolist() == [0, 0]
    for step, row in enumerate(values):
        with torch.no_grad():
            parameters[0].copy_(row[:2])
            parameters[1].copy_(row[2])
        mean.update()
        if step == 2:
            resumed = RunningMean(parameters)
            resumed.load_state_dict(mean.state_dict())
            mean = resumed
    mean.write()
    torch.testing.assert_close(torch.cat([parameters[0], parameters[1][None]]).detach(), values.mean(0))


class _CutOffError(Exception):
    pass


def test_a_training_keeps_the_mean_and_goes_on_where_it_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = tiny_encoder(tmp_path / "encoder", mean_pooling=True)

    def make(average: float) -> TextClassifier:
        training = {"max_epochs": 2, "batch_size": 16, "precision": "fp32", "checkpoint_seconds": 0, "average": average}
        return TextClassifier(encoder=encoder, max_length=32, config={"training": training})

    def weights(classifier: TextClassifier) -> dict[str, Any]:
        assert classifier.trained_ is not None
        return classifier.trained_.predictor.backbone.state_dict()

    texts = skewed_texts()
    plain, averaged = (weights(make(average).fit(*texts)) for average in (0.0, 0.5))
    assert any(not torch.equal(plain[name], averaged[name]) for name in plain)
    steps, original = [], Trainer._step

    def cut_off(self: Trainer, *batch: Any) -> None:
        if len(steps) == 7:
            raise _CutOffError
        steps.append(1)
        original(self, *batch)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", cut_off)
        with pytest.raises(_CutOffError):
            make(0.5).fit(*texts, output=tmp_path / "run")
    resumed = weights(make(0.5).fit(*texts, output=tmp_path / "run", resume=True))
    assert all(torch.equal(resumed[name], averaged[name]) for name in averaged)
