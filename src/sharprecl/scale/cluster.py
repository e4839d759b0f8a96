"""The Ray cluster that a command works on: one that runs already, or this machine alone."""

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from sharprecl.errors import ConfigError
from sharprecl.extras import require
from sharprecl.runs.code import code_hash

RETRIES = 2
"""How often what a worker died over is done once more. A machine that Ray was told would go does not count."""
_PATIENCE = 5.0  # seconds
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")
"""How Ray tells those of a cluster, and then those here, where they differ."""


def connect(address: str | None = None) -> ModuleType:
    """Join a cluster; without an address that of ``RAY_ADDRESS``, or one on this machine, started if there is none.

    Returns:
        Ray itself.

    Raises:
        MissingExtraError: Ray is not installed.
        ConfigError: no cluster answers there, its token is not here, or it has other versions of Ray or Python.
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
    except ray.exceptions.AuthenticationError as error:
        raise ConfigError(
            "this machine has no token for the Ray cluster; copy ~/.ray/auth_token to it from the one where the "
            "cluster was started"
        ) from error
    except (OSError, ValueError) as error:
        where = address or "the address in RAY_ADDRESS"
        raise ConfigError(
            f"no Ray cluster answers at {where}; start one there ('ray start --head') and give what it prints as "
            f"--address, or leave --address out for this machine alone; if one is there, it may want its token "
            f"(RAY_AUTH_MODE=token and its ~/.ray/auth_token)"
        ) from error
    except RuntimeError as error:
        raise _not_started(error) from error
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


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster, and what every worker of a command gets of it.

    Attributes:
        ray: the package, connected.
        threads: CPUs.
        gpu_share: of a GPU; 0 for none.
        device: ``auto``, ``cpu``, ...
    """

    ray: ModuleType
    threads: int
    gpu_share: float
    device: str

    @classmethod
    def joined(cls, address: str | None, threads: int, gpu_share: float | None, device: str) -> Self:
        """Join it.

        Args:
            address: of the cluster; None takes ``RAY_ADDRESS``, or starts one on this machine.
            threads: CPUs of each worker.
            gpu_share: of a GPU; None is a whole one where there are any and the device may be one.
            device: ``auto``, ``cpu``, ...

        Raises:
            SharpReCLError: there is no such cluster, or no machine in it is large enough for a worker.
        """
        if gpu_share is not None and gpu_share < 0:
            raise ConfigError("--gpu-share is a part of a GPU, as in 0.25, or a number of them; it cannot be negative")
        ray = connect(address)
        if gpu_share is None:
            gpu_share = 1.0 if device != "cpu" and ray.cluster_resources().get("GPU") else 0.0
        cluster = cls(ray, threads, gpu_share, device)
        for name, wanted, option in (("CPU", threads, "--threads"), ("GPU", gpu_share, "--gpu-share")):
            most = max((there.get(name, 0) for there in cluster._machines()), default=0)
            if wanted > most:
                raise ConfigError(
                    f"every worker needs {wanted:g} {name}s, and no machine of this cluster has more than {most:g}; "
                    f"give a smaller {option}"
                )
        return cluster

    @property
    def room(self) -> int:
        """How many workers fit into it as it is, one at least."""
        wanted = {"CPU": self.threads, "GPU": self.gpu_share}
        rooms = (
            min(int(there.get(name, 0) // each) for name, each in wanted.items() if each) for there in self._machines()
        )
        return max(1, sum(rooms))

    @property
    def resources(self) -> dict[str, float]:
        """Of a worker, as Ray's options take them."""
        return {"num_cpus": self.threads, "num_gpus": self.gpu_share}

    @property
    def environment(self) -> dict[str, Any]:
        """Of a worker, as Ray takes it. It tells one that has one CPU to use one thread, whatever is asked for."""
        return {"env_vars": {"OMP_NUM_THREADS": str(self.threads), "TOKENIZERS_PARALLELISM": "false"}}

    def _machines(self) -> list[dict[str, float]]:
        return [node["Resources"] for node in self.ray.nodes() if node["Alive"]]


def check_worker(folder: str, code: str | None = None) -> None:
    """See, on a machine of the cluster, that it can work for a command.

    Args:
        folder: of the outputs.
        code: the command's ``code_hash``; None is seen to elsewhere.

    Raises:
        ConfigError: this machine does not see the folder, or has another version of this package.
    """
    if not Path(folder).is_dir():
        raise ConfigError(
            f"the machine {socket.gethostname()} does not see the folder {folder}; give --output a folder that all "
            f"machines of the cluster share"
        )
    if code is not None and code_hash() != code:
        raise ConfigError(
            f"the machine {socket.gethostname()} has another version of sharprecl than this one; install the same "
            f"on all machines of the cluster"
        )


def _not_started(error: RuntimeError) -> ConfigError:
    if len(versions := _VERSIONS.findall(str(error))) == 2:
        there, here = (f"Ray {ray} on Python {python}" for ray, python in versions)
        return ConfigError(
            f"the Ray cluster has {there}, and this command {here}; they must be the same: install the cluster's here, "
            f"or these on all its machines"
        )
    first_line = str(error).strip().partition("\n")[0].rstrip(".")
    return ConfigError(f"Ray did not start ({first_line}); leave --address out for this machine alone")
