"""One training on a Ray cluster: Ray Train starts its processes, and starts them again where one is lost."""

import os
import shutil
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from queue import Empty
from typing import Any

from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.runs.claim import RAY
from sharprecl.runs.code import code_hash
from sharprecl.runs.judge import Judged
from sharprecl.runs.run import Run
from sharprecl.runs.train import train
from sharprecl.scale.cluster import RETRIES, Cluster, check_worker
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.launch import PATIENCE, check_number
from sharprecl.training.processes import LostProcessError, Processes

_LOOK_EVERY = 0.2  # seconds


class RayTraining:
    """Workers of a cluster that will train together.

    Args:
        cluster: what each gets.
        workers: how many; None is as many as there is room for.
        min_workers: with how many it goes on where machines are lost, until others come; None needs all.

    Raises:
        ConfigError: the cluster has no room for so many.
    """

    def __init__(self, cluster: Cluster, workers: int | None, min_workers: int | None = None) -> None:
        self._cluster, there = cluster, cluster.room
        self.workers = workers or there
        self._fewest = min_workers or self.workers
        if self._fewest > self.workers:
            raise ConfigError(f"--min-workers {self._fewest} is more than the {self.workers} that train; give fewer")
        if self._fewest > there:
            raise ConfigError(
                f"{self._fewest} workers do not fit into this cluster, which has room for {there}; give fewer "
                f"--workers or --threads, or --min-workers {there} to begin with those"
            )

    def check(self, run: Run) -> None:
        """Refuse what several processes cannot train, before any begins.

        Raises:
            ConfigError: it is the method, or the size of the batches.
        """
        if not run.config.method.trains_encoder:
            raise ConfigError(f"{run.config.method.name} is not trained by several processes; leave --on ray out")
        check_number(self.workers, run.config.training, len(run.table))

    def train(self, run: Run, watching: Callback) -> Judged:
        """What ``runs.train.train`` does, on the cluster; goes on where the run's folder was cut off.

        Args:
            run: its folder is one that all machines see; gets the references that were made beside it.
            watching: is told as by a training here.

        Raises:
            SharpReCLError: as there, or workers are lost again and again.
        """
        from ray import cloudpickle
        from ray.train import FailureConfig, RunConfig, ScalingConfig
        from ray.train.torch import TorchConfig, TorchTrainer
        from ray.util.queue import Queue
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        folder = run.output.absolute()
        # Beside the command: elsewhere it would be lost with a machine.
        here = NodeAffinitySchedulingStrategy(self._cluster.ray.get_runtime_context().get_node_id(), soft=False)
        told = Queue(actor_options={"num_cpus": 0, "scheduling_strategy": here})
        task = {
            "run": cloudpickle.dumps(replace(run, output=folder)),
            "folder": str(folder),
            "here": os.getcwd(),
            "code": code_hash(),
            "threads": self._cluster.threads,
            "told": told,
        }
        share, fixed = self._cluster.gpu_share, self._fewest == self.workers
        trainer = TorchTrainer(
            _loop,
            train_loop_config=task,
            torch_config=TorchConfig(
                "cpu:gloo,cuda:nccl" if share else "gloo", timeout_s=int(PATIENCE.total_seconds())
            ),
            scaling_config=ScalingConfig(
                num_workers=self.workers if fixed else (self._fewest, self.workers),
                use_gpu=share > 0,
                resources_per_worker={"CPU": self._cluster.threads, **({"GPU": share} if share else {})},
            ),
            run_config=RunConfig(
                name=RAY,
                storage_path=str(folder),
                failure_config=FailureConfig(max_failures=RETRIES),
                worker_runtime_env=self._cluster.environment,
            ),
        )
        watched = _Watched(watching, told)
        try:
            found = watched.until(_started(trainer))
        finally:
            shutil.rmtree(folder / RAY, ignore_errors=True)
            watching.on_end()
        if isinstance(found, SharpReCLError):
            raise found
        judged: Judged = found[0]
        run.references |= found[1]
        return judged


def _started(trainer: Any) -> "Future[Any]":
    """What the first process will give. In a thread of its own: in the main one, Ray would take Ctrl-C for itself."""
    from ray.train import TrainingFailedError, WorkerGroupError

    future: Future[Any] = Future()

    def fit() -> None:
        try:
            future.set_result(trainer.fit().return_value)
        except TrainingFailedError as error:
            reasons = list(error.worker_failures.values()) if isinstance(error, WorkerGroupError) else [error]
            # A process that others have lost says only that.
            reasons.sort(key=lambda reason: isinstance(reason, LostProcessError))
            words = " ".join(str(reasons[0]).split()).rstrip(".")[:300]
            # The error itself is not kept: with its traceback, Ray's actors would live on and hold their room.
            future.set_exception(
                SharpReCLError(
                    f"the training was started {RETRIES + 1} times and ended each time, last because of: {words}; if "
                    f"its machines' memory does not suffice, take fewer --workers; then run the same command with "
                    f"--resume"
                )
            )
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=fit, daemon=True).start()
    return future


class _Watched:
    """Passes on here what the first process tells there.

    Args:
        watching: is told.
        told: a ``ray.util.queue.Queue``.
    """

    def __init__(self, watching: Callback, told: Any) -> None:
        self._watching, self._told = watching, told
        self._begun = 0
        self._failure: SharpReCLError | None = None

    def until(self, future: "Future[Any]") -> Any:
        """Wait for a result, passing on meanwhile.

        Raises:
            Exception: what the future has, or why a process ended before.
        """
        while not future.done():
            self._pass_on(_LOOK_EVERY)
        while self._pass_on(_LOOK_EVERY):
            pass
        if self._failure is not None and future.exception() is not None:
            raise self._failure
        return future.result()

    def _pass_on(self, patience: float) -> bool:
        try:
            name, given = self._told.get(timeout=patience)
        except Empty:
            return False
        if name == "begun":
            self._begun += 1
            if self._begun > 1:
                number = plural(given[0], "worker", "workers")
                self._watching.on_message(f"a worker was lost or has come; the training goes on with {number}")
        elif name == "failed":
            self._failure = given[0]
        else:
            getattr(self._watching, name)(*given)
        return True


class _Telling(Callback):
    """Tells the command of a training that is elsewhere."""

    def __init__(self, told: Any) -> None:
        self._told = told

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self._told.put(("on_record", (record, speed)))

    def on_message(self, sentence: str) -> None:
        self._told.put(("on_message", (sentence,)))

    def on_end(self) -> None:
        self._told.put(("on_end", ()))


def _loop(task: dict[str, Any]) -> Any:
    """What every worker does: the first one trains, judges and writes, the others train along.

    Returns:
        Of the first one: what it found and the references, or what is wrong, which a further try would not mend.
    """
    import torch
    import torch.distributed as dist
    from ray import cloudpickle
    from ray.train.torch import get_device

    from sharprecl.training.session import train_along

    _import_without_group()
    torch.set_num_threads(task["threads"])
    first, number, told = dist.get_rank() == 0, dist.get_world_size(), task["told"]
    try:
        check_worker(task["folder"], task["code"])
        # Ray has gone elsewhere, and a path of an encoder may be relative.
        with suppress(OSError):
            os.chdir(task["here"])
        if first:
            told.put(("begun", (number,)))
            run: Run = cloudpickle.loads(task["run"])
            run = replace(run, device=str(get_device()))
            return train(run, [_Telling(told)], resume=True), run.references
        train_along(Processes(dist.get_rank(), number), str(get_device()))
    except LostProcessError:
        if first:
            raise
    except SharpReCLError as error:
        if first:
            return error
        told.put(("failed", (error,)))
        raise
    finally:
        if first and dist.is_initialized():  # The others wait for it.
            dist.destroy_process_group()
    return None


def _import_without_group() -> None:
    """Import ``torch.distributed.nn`` as if no group were open.

    Its functions have the open group as a default, which would outlive a first process's failure: the others would wait
    for it until their patience ends.
    """
    import torch.distributed as dist

    opened, dist.group.WORLD = dist.group.WORLD, None
    import_module("torch.distributed.nn")
    dist.group.WORLD = opened
