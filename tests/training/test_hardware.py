"""Devices, precision, memory."""

import numpy as np
import pytest
import torch

from sharprecl.errors import ConfigError
from sharprecl.training import hardware


def test_a_device_that_is_not_there_is_one_sentence() -> None:
    for wanted in ("cuda:7", "teapot", "meta"):
        with pytest.raises(ConfigError, match="is not available here"):
            hardware.pick_device(wanted)
    assert hardware.pick_device("cpu").type == "cpu"


def test_precision_is_what_was_asked_for() -> None:
    cpu = torch.device("cpu")
    assert hardware.pick_precision("fp32", cpu) == "fp32"
    assert hardware.pick_precision("bf16", cpu) == "bf16"
    assert hardware.pick_precision("auto", cpu) in ("fp32", "bf16")


def test_the_peak_forgets_what_came_before_the_reset() -> None:
    cpu = torch.device("cpu")
    large = np.ones(60_000_000)  # 480 MB
    before = hardware.peak_memory_bytes(cpu)
    del large
    hardware.reset_peak_memory(cpu)
    after = hardware.peak_memory_bytes(cpu)
    assert 0 < after < before - 200_000_000
