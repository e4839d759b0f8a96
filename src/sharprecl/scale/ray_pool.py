"""Files of texts through Ray Data: a pool of actors, each of which loads the model once and does one file at a time."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from logging import ERROR, getLogger
from pathlib import Path
from typing import Any

from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.runs.code import code_hash
from sharprecl.scale.cluster import RETRIES, Cluster, check_worker

MakeOne = Callable[[], Callable[[Any], object]]
"""Is called once in every actor, and gives what does an item. What this gives goes back to the command."""


class RayPool:
    """Actors of a cluster.

    Args:
        cluster: what each gets.
        workers: how many; None is as many as there is room for.
    """

    def __init__(self, cluster: Cluster, workers: int | None) -> None:
        self._cluster, self.workers = cluster, workers or cluster.room

    def map(self, make: MakeOne, items: Sequence[Any], folder: Path) -> Iterator[tuple[int, Any]]:
        """Do items, in any order; those of an actor that dies are done once more by its successor.

        Args:
            make: see ``MakeOne``; it and the items are pickled.
            items: what is to be done.
            folder: that all machines of the cluster must see.

        Yields:
            The number of an item and what was made of it.

        Raises:
            SharpReCLError: actors die again and again.
            ConfigError: an actor's machine does not see the folder, or has another version of this package.
        """
        if not items:
            return
        import ray.data
        from ray import cloudpickle

        getLogger("ray.data").setLevel(ERROR)
        ray.data.DataContext.get_current().enable_progress_bars = False
        rows = [{"number": number, "item": cloudpickle.dumps(item)} for number, item in enumerate(items)]
        given = cloudpickle.dumps(make), self._cluster.threads, str(folder.absolute()), code_hash()
        with warnings.catch_warnings():
            # Ray 2.64 takes ray_remote_args_fn away, and has nothing else yet that bounds restarts.
            warnings.simplefilter("ignore", DeprecationWarning)
            done = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
                _Actor,
                fn_constructor_args=given,
                compute=ray.data.ActorPoolStrategy(size=min(self.workers, len(rows)), max_tasks_in_flight_per_actor=1),
                **self._cluster.resources,
                ray_remote_args_fn=lambda: {"max_restarts": RETRIES, "max_task_retries": RETRIES},
                runtime_env=self._cluster.environment,
            )
        try:
            for row in done.iter_rows():
                made = cloudpickle.loads(row["made"])
                if isinstance(made, ConfigError):
                    raise made
                yield row["number"], made
        except self._cluster.ray.exceptions.ActorDiedError as error:
            raise SharpReCLError(
                f"a worker died {RETRIES + 1} times over one file; its memory probably does not suffice: take fewer "
                f"--workers or cut the files smaller, then run the same command with --resume"
            ) from error


class _Actor:
    """Does the items that it is given."""

    def __init__(self, make: bytes, threads: int, folder: str, code: str) -> None:
        self._threads, self._make = threads, make
        self._one: Callable[[Any], object] | None = None
        self._wrong: ConfigError | None = None
        try:
            check_worker(folder, code)
        except ConfigError as error:
            self._wrong = error

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        import torch
        from ray import cloudpickle

        # The number of threads belongs to the thread that asks for it.
        torch.set_num_threads(self._threads)
        if self._wrong is None and self._one is None:
            self._one = cloudpickle.loads(self._make)()
        made = self._wrong if self._one is None else self._one(cloudpickle.loads(row["item"]))
        return {"number": row["number"], "made": cloudpickle.dumps(made)}
