"""The Ray cluster that a command works on: one that runs already, or this machine alone."""

import socket
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
    try:
        _check_answers(address)
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
                f"every run needs {wanted:g} {name}s, and no machine of this cluster has more than {most:g}; give a "
                f"smaller {option}"
            )


def has_gpus(ray: ModuleType) -> bool:
    """Whether any machine of the cluster has one."""
    return bool(ray.cluster_resources().get("GPU"))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
