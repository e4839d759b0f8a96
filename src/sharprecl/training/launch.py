"""Starts the processes of a training, or joins those that torchrun or accelerate have started.

The first process is the program that the user runs: it reads, prints, saves and judges. The others only train along:
they get everything from the first one, over the loopback address where it started them itself.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed import TCPStore  # type: ignore[attr-defined]
from torch.distributed.distributed_c10d import Store

from sharprecl.config import TrainingConfig
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.training.optimizer import resolve_batch_size
from sharprecl.training.processes import ALONE, LostProcessError, Processes
from sharprecl.training.session import train_along

# The first one may judge or read for hours between two trainings; that it died is seen at once all the same.
PATIENCE = timedelta(days=30)
_HOST = "127.0.0.1"
_LOOPBACK = {"darwin": "lo0"}.get(sys.platform, "lo")
_ENDED = 20.0
"""Seconds in which the others end of themselves."""


def launched() -> int:
    """How many processes a launcher started this command as; 1 is none."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def check_launcher(environment: Mapping[str, str] = os.environ) -> None:
    """See that accelerate was not configured for what is not done here.

    Raises:
        ConfigError: it was.
    """
    wrong = {
        "DeepSpeed": environment.get("ACCELERATE_USE_DEEPSPEED") == "true",
        "FSDP": environment.get("ACCELERATE_USE_FSDP") == "true",
        "Megatron-LM": environment.get("ACCELERATE_USE_MEGATRON_LM") == "true",
        "fp16 or fp8": environment.get("ACCELERATE_MIXED_PRECISION", "no") not in ("no", "bf16"),
        "gradient accumulation": environment.get("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", "1") != "1",
        "torch.compile": environment.get("ACCELERATE_DYNAMO_BACKEND", "no").lower() != "no",
    }
    if asked := [name for name, there in wrong.items() if there]:
        raise ConfigError(
            f"accelerate's configuration asks for {asked[0]}, which is not supported; run 'accelerate launch' with "
            f"--multi_gpu alone, and set training.precision and training.micro_batch instead"
        )


def check_number(number: int, training: TrainingConfig, num_texts: int) -> None:
    """See that every process gets a text of every batch.

    Raises:
        ConfigError: there are more processes than texts in a batch, or a micro-batch is larger than the batch.
    """
    if number < 1:
        raise ConfigError(f"{number} processes cannot train; give 1 or more")
    batch_size = resolve_batch_size(training, num_texts)
    smallest = num_texts // -(-num_texts // batch_size)
    if number > smallest:
        raise ConfigError(
            f"{number} processes share batches of {smallest} texts, so some would have none; raise "
            f"training.batch_size, which counts the texts of all of them, or take {smallest} processes"
        )


@contextmanager
def started(number: int, device: str) -> Iterator[Processes]:
    """The processes that train together, this being the first; the others end with the context.

    Args:
        number: how many; 1 starts none.
        device: ``auto``, ``cpu``, ``cuda``, ...

    Raises:
        ConfigError: a launcher started another number, or there are too few GPUs.
    """
    there = launched()
    if there > 1:
        if os.environ.get("RANK", "0") != "0":
            raise ConfigError(
                "a launcher runs this program several times, and each would train; start it once, with processes="
                f"{there}, or launch 'sharprecl train'"
            )
        if number not in (1, there):
            raise ConfigError(f"the launcher started {there} processes; leave --processes {number} out")
        with _first(there, None, device) as processes:
            yield processes
    elif number == 1:
        yield ALONE
    else:
        with _others(number, device) as store, _first(number, store, device) as processes:
            yield processes


@contextmanager
def _others(number: int, device: str) -> Iterator[Store]:
    """Start all but the first on this machine, and wait until each is there; afterwards none is left."""
    if _on_gpus(device) and number > torch.cuda.device_count():
        raise ConfigError(
            f"{number} processes need {number} GPUs, but there are {torch.cuda.device_count()}; take as many processes "
            f"as GPUs, or --device cpu"
        )
    store = _store(number)
    threads, before = _share_of_threads(number), torch.get_num_threads()
    others = {rank: _start(rank, number, store.port, threads, device) for rank in range(1, number)}
    try:
        for rank, other in others.items():
            while not store.check([_ready(rank)]):
                if other.poll() is not None:
                    raise SharpReCLError(f"process {rank} of the training did not start; what it said stands above")
                time.sleep(0.05)
        torch.set_num_threads(threads)
        yield store
        for other in others.values():
            other.wait(_ENDED)
    finally:
        for other in others.values():
            other.kill()
            other.wait()
        torch.set_num_threads(before)


def _store(number: int) -> TCPStore:
    """Where the processes meet: on the loopback address alone, since what they exchange is trusted."""
    listening = socket.create_server((_HOST, 0))
    port = listening.getsockname()[1]
    return TCPStore(_HOST, port, number, is_master=True, wait_for_workers=False, master_listen_fd=listening.detach())


def _start(rank: int, number: int, port: int, threads: int, device: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sharprecl.training.worker", str(rank), str(number), str(port), device]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@contextmanager
def _first(number: int, store: Store | None, device: str) -> Iterator[Processes]:
    processes = _join(0, number, store, device)
    try:
        yield processes
        processes.share(None)
    finally:
        dist.destroy_process_group()


def work(rank: int, number: int, port: int | None, device: str) -> None:
    """Train along until the first process has no more to train, or is gone.

    Args:
        rank: this process's number, from 1.
        number: how many there are.
        port: where the first one waits, on this machine; None is where the launcher's variables say.
        device: as the first one's.
    """
    store = None
    if port is not None:
        store = TCPStore(_HOST, port, number, is_master=False)
        store.set(_ready(rank), "")
    processes = _join(rank, number, store, device)
    local = os.environ.get("LOCAL_RANK", str(rank))
    try:
        train_along(processes, f"cuda:{local}" if _on_gpus(device) else device)
    except LostProcessError:
        pass  # The first one tells of it.
    finally:
        dist.destroy_process_group()


def _join(rank: int, number: int, store: Store | None, device: str) -> Processes:
    if store is None and dist.is_initialized():  # by Ray, which sets threads too
        return Processes(rank, number)
    if store is None:
        # Launchers give a process one thread where nobody says otherwise.
        torch.set_num_threads(_share_of_threads(int(os.environ.get("LOCAL_WORLD_SIZE", number))))
    backend = "cpu:gloo,cuda:nccl" if _on_gpus(device) else "gloo"
    with nullcontext() if store is None else _on_loopback():
        dist.init_process_group(backend, store=store, rank=rank, world_size=number, timeout=PATIENCE)
    return Processes(rank, number)


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let gloo talk within this machine, whatever the machine is called."""
    name, before = "GLOO_SOCKET_IFNAME", os.environ.get("GLOO_SOCKET_IFNAME")
    os.environ[name] = _LOOPBACK
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


def _ready(rank: int) -> str:
    return f"process {rank} is there"


def _share_of_threads(number: int) -> int:
    return max(1, (os.cpu_count() or 1) // number)


def _on_gpus(device: str) -> bool:
    return device.startswith("cuda") or (device == "auto" and torch.cuda.is_available())
