"""The Ray cluster that a command works on: one that runs already, or this machine alone."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from sharprecl.errors import ConfigError
from sharprecl.extras import require

_PATIENCE = 5.0  # seconds


def connect(address: str | None = None) -> ModuleType:
    """Join a cluster; without an address that of ``RAY_ADDRESS``, or a new one on this machine.

    Returns:
        Ray itself.

    Raises:
        MissingExtraError: Ray is not installed.
        ConfigError: no cluster answers there, or it has other versions of Ray or Python.
    """
    ray = require("ray", "scale", "--on ray")
    if ray.is_initialized():
        return ray
    # Otherwise its C++ parts write what their developers should know over the bars.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        _check_answers(address)
        with _without_standard_error():
            ray.init(address=address, log_to_driver=False, logging_level="warning")
    except (OSError, ValueError) as error:
        where = address or "the address in RAY_ADDRESS"
        raise ConfigError(
            f"no Ray cluster answers at {where}; start one there ('ray start --head') and give what it prints as "
            f"--address, or leave --address out for this machine alone"
        ) from error
    except RuntimeError as error:
        raise ConfigError(
            f"Ray did not start ({_first_line(error)}); if it speaks of versions, install the cluster's in this "
            f"environment, or leave --address out for this machine alone"
        ) from error
    return ray


@contextmanager
def _without_standard_error() -> Iterator[None]:
    """Nothing that is written there is shown, by C++ neither: that it does not log, Ray tells there."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _check_answers(address: str | None) -> None:
    """Ray itself tries for two minutes before it gives up."""
    host, _, port = (address or "").rpartition(":")
    if port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


def check_room(ray: ModuleType, cpus: int, gpus: float) -> None:
    """Refuse what no machine of the cluster could ever hold.

    Raises:
        ConfigError: a worker needs more than the largest one has.
    """
    for name, wanted, option in (("CPU", cpus, "--threads"), ("GPU", gpus, "--gpu-share")):
        most = max((node["Resources"].get(name, 0) for node in ray.nodes() if node["Alive"]), default=0)
        if wanted > most:
            raise ConfigError(
                f"every worker needs {wanted:g} {name}s, and no machine of this cluster has more than {most:g}; give a "
                f"smaller {option}"
            )


def has_gpus(ray: ModuleType) -> bool:
    """Whether any machine of the cluster has one."""
    return bool(ray.cluster_resources().get("GPU"))


def share_of_gpu(ray: ModuleType, wanted: float | None, device: str) -> float:
    """Of a GPU for every worker: what is wanted, or a whole one where there are any and the device may be one.

    Raises:
        ConfigError: it is negative.
    """
    if wanted is None:
        return 1.0 if device != "cpu" and has_gpus(ray) else 0.0
    if wanted < 0:
        raise ConfigError("--gpu-share is a part of a GPU, as in 0.25, or a number of them; it cannot be negative")
    return wanted


def unseen(folder: Path) -> ConfigError:
    """What a worker says whose machine does not see the folder of the outputs."""
    return ConfigError(
        f"the machine {socket.gethostname()} does not see the folder {folder}; give --output a folder that all "
        f"machines of the cluster share"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
