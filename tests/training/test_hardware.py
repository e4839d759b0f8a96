"""Devices, precision, memory."""

import resource
import sys
from pathlib import Path

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


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator is meant")
def test_freed_memory_is_kept_within_and_given_back_after() -> None:
    def page_faults() -> int:
        """Pages that the system had to clear for ten blocks of 100 MB, one after the other."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(10):
            torch.zeros(25_000_000)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    torch.zeros(25_000_000)
    usual = page_faults()
    with hardware.freed_memory_kept():
        page_faults()  # the first blocks are new
        kept, held = page_faults(), resident()
    assert kept < usual / 10
    assert resident() < held - 90_000_000
    assert page_faults() > usual / 2
