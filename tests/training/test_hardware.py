"""Devices, precision, memory, and a host program's own accelerator."""

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

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


def test_a_hosts_accelerator_is_not_changed() -> None:
    AcceleratorState._reset_state(reset_partial_state=True)
    host = Accelerator(cpu=True)
    assert host.mixed_precision == "no"
    with hardware.accelerator(torch.device("cpu"), "bf16") as ours:
        assert ours.mixed_precision == "bf16"
    assert host.mixed_precision == "no"
    assert Accelerator(cpu=True).mixed_precision == "no"


def test_the_peak_forgets_what_came_before_the_reset() -> None:
    cpu = torch.device("cpu")
    large = np.ones(60_000_000)  # 480 MB
    before = hardware.peak_memory_bytes(cpu)
    del large
    hardware.reset_peak_memory(cpu)
    after = hardware.peak_memory_bytes(cpu)
    assert 0 < after < before - 200_000_000
