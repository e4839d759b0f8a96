"""A sweep's workers as Ray actors: on this machine, or on all of a cluster that share the folder of the runs."""

from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sharprecl.errors import ConfigError
from sharprecl.experiments.task import MakeWorker, Options, Outcome, Steps, Task
from sharprecl.experiments.worker import is_pace, make, set_up
from sharprecl.runs.code import code_hash
from sharprecl.scale.cluster import Cluster, check_worker


def ray_workers(address: str | None, gpu_share: float | None, options: Options) -> MakeWorker:
    """What makes workers on a cluster.

    Args:
        address: of the cluster; None takes ``RAY_ADDRESS``, or starts one on this machine.
        gpu_share: of a GPU for each worker; None is a whole one where there are any and the device may be one.
        options: of the sweep.

    Raises:
        SharpReCLError: there is no such cluster, or no machine in it is large enough.
    """
    return partial(RayWorker, Cluster.joined(address, options.threads, gpu_share, options.device))


class RayWorker:
    """A ``RunMaker`` that is an actor.

    Args:
        cluster: what it gets.
        store: the folder that keeps the runs, which all machines share.
        options: of the sweep.
    """

    def __init__(self, cluster: Cluster, store: Path, options: Options) -> None:
        self._ray = cluster.ray
        self._actor = (
            self._ray.remote(_Maker)
            .options(
                max_concurrency=2,  # one thread makes, the other tells how far it is
                runtime_env=cluster.environment,
                **cluster.resources,
            )
            .remote(store.absolute(), options)
        )
        self.future: Future[Any] | None = self._told(self._actor.greet.remote())
        self.task: Task | None = None
        self.steps: Steps = 0, 0
        self.seconds_left: float | None = None
        self._asked: Any = None

    def give(self, task: Task) -> None:
        self.task, self.steps, self.seconds_left = task, (0, 0), None
        self.future = self._told(self._actor.make.remote(task))

    def look(self) -> None:
        if self.task is None:
            return
        if self._asked is None:
            self._asked = self._actor.pace.remote()
        elif self._ray.wait([self._asked], timeout=0)[0]:
            with suppress(self._ray.exceptions.RayError):
                *steps, seconds_left = self._ray.get(self._asked)
                self.steps = steps[0], steps[1]
                self.seconds_left = seconds_left if is_pace(*steps) else None
            self._asked = None

    def leave(self) -> None:
        self._ray.kill(self._actor)

    def join(self) -> int | None:
        self.leave()
        return None  # Nobody tells with which status it ended.

    def _told(self, reference: Any) -> Future[Any]:
        """A future of what an actor gives, broken like an executor's where the actor dies."""
        told: Future[Any] = Future()

        def pass_on(found: Future[Any]) -> None:
            error = found.exception()
            if isinstance(error, self._ray.exceptions.RayActorError):
                told.set_exception(BrokenExecutor(str(error)))
            elif isinstance(error, self._ray.exceptions.RayTaskError):
                told.set_exception(error.cause)
            elif error is not None:
                told.set_exception(error)
            else:
                told.set_result(found.result())

        reference.future().add_done_callback(pass_on)
        return told


class _Maker:
    """The actor: makes the runs that it is given."""

    def __init__(self, store: Path, options: Options) -> None:
        self._lost: ConfigError | None = None
        try:
            check_worker(str(store))
        except ConfigError as error:
            self._lost = error
            return
        self._threads = options.threads
        self._pace: tuple[int, int, float | None] = 0, 0, None
        self._place = set_up(store, options, self._tell)

    def greet(self) -> tuple[str, dict[str, Any]]:
        if self._lost:
            raise self._lost
        return code_hash(), self._place

    def make(self, task: Task) -> Outcome:
        import torch

        # The number of threads belongs to the thread that asks for it, and this is not the one that set up.
        torch.set_num_threads(self._threads)
        self._pace = 0, 0, None
        return make(task)

    def pace(self) -> tuple[int, int, float | None]:
        return self._pace

    def _tell(self, step: int, total: int, seconds_left: float | None) -> None:
        self._pace = step, total, seconds_left
