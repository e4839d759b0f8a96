"""Where to run, in which precision, and how much memory it took."""

import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import torch

from sharprecl.errors import ConfigError, SharpReCLError

Precision = Literal["bf16", "fp32"]


def pick_device(wanted: str = "auto") -> torch.device:
    """``auto`` is the first CUDA device, else Apple's GPU, else the CPU.

    Raises:
        ConfigError: the named device is not there.
    """
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ConfigError(
            f"the device {wanted!r} is not available here ({str(error).partition(chr(10))[0]}); "
            f"use --device auto, or install a PyTorch build that supports it"
        ) from error
    return device


def pick_precision(wanted: Literal["auto", "bf16", "fp32"], device: torch.device) -> Precision:
    """``auto`` is bf16 where the hardware computes in it, float32 elsewhere."""
    if wanted != "auto":
        return wanted
    return "bf16" if _has_bf16(device) else "fp32"


def autocast(device: torch.device, precision: Precision) -> torch.autocast:
    """Within, the encoder computes in this precision."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def _has_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        # AVX-512 BF16 or AMX; without them PyTorch emulates bf16 and is slower than float32.
        supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
        return bool(supported and supported())
    return False


@contextmanager
def enough_memory(advice: str) -> Iterator[None]:
    """Turn the allocators' errors into a sentence with this advice.

    Raises:
        SharpReCLError: the memory did not suffice.
    """
    try:
        yield
    except RuntimeError as error:
        # The CPU's allocator has no exception of its own.
        if isinstance(error, torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error):
            first = str(error).partition("\n")[0]
            raise SharpReCLError(f"the memory does not suffice ({first}); {advice}") from error
        raise


def free_memory() -> None:
    """Give back what nobody holds any more."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def reset_peak_memory(device: torch.device) -> None:
    """Let ``peak_memory_bytes`` forget what came before, where the system can (Linux, CUDA)."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_bytes(device: torch.device) -> int:
    """Largest resident memory of this process since the reset; on a GPU the largest allocation there."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
