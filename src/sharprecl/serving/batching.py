"""Texts of requests that come together share a batch, in the one thread in which the model runs."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sharprecl.serving.limits import Limits

Rows = NDArray[Any]
PerText = Callable[[Sequence[str]], Rows]
"""N texts to an array with a row for each, which must not depend on the other texts."""

T = TypeVar("T")

# Texts that a request gives to a batch before the next request has its turn.
_TURN = 4
# How much the newest batch counts in the estimate of the model's speed.
_NEWEST = 0.1


class Overloaded(Exception):
    """The queue has no room.

    Attributes:
        seconds: until all that waits now will be answered.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many texts wait; try again in {seconds} s")
        self.seconds = seconds


@dataclass(eq=False)
class _Job:
    function: PerText
    texts: Sequence[str]
    rows: "asyncio.Future[Rows]"
    taken: int = 0
    found: list[Rows] = field(default_factory=list)

    @property
    def left(self) -> int:
        return len(self.texts) - self.taken


class Batcher:
    """A bounded queue and a thread. All methods are for the event loop.

    Attributes:
        waiting: texts in the queue or at the model.
    """

    def __init__(
        self, limits: Limits, on_batch: Callable[[int], None] = lambda _: None, start: Callable[[], None] | None = None
    ) -> None:
        """
        Args:
            limits: of queue and batches.
            on_batch: is told how many texts a batch has.
            start: is called once in the new thread.
        """
        self.waiting = 0
        self._limits, self._on_batch = limits, on_batch
        self._thread = ThreadPoolExecutor(1, "model", start)
        self._jobs: deque[_Job] = deque()
        self._runner: asyncio.Task[None] | None = None
        self._seconds_a_text: float | None = None

    async def rows(self, function: PerText, texts: Sequence[str]) -> Rows:
        """The rows that ``function`` gives for the texts, computed beside those of others.

        Raises:
            Overloaded: the queue has no room for so many texts.
            Exception: whatever ``function`` raised for the batch.
        """
        if self.waiting + len(texts) > self._limits.queue:
            raise Overloaded(max(1, math.ceil(self.waiting * (self._seconds_a_text or 0.0))))
        job = _Job(function, texts, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self.waiting += len(texts)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        try:
            return await job.rows
        finally:  # whoever waited may also have left
            self.waiting -= len(texts)

    async def call(self, function: Callable[..., T], *values: Any) -> T:
        """Anything else that needs the model, in its thread between two batches."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *values)

    async def _run(self) -> None:
        """Answer until nothing waits. While the model works, the next batch gathers by itself."""
        await asyncio.sleep(self._limits.wait)
        while batch := self._next():
            texts = [text for job, start, stop in batch for text in job.texts[start:stop]]
            self._on_batch(len(texts))
            begun = time.perf_counter()
            try:
                rows = await self.call(batch[0][0].function, texts)
            except Exception as error:
                for job, _, _ in batch:
                    if not job.rows.done():
                        job.rows.set_exception(error)
                continue
            self._learn_speed((time.perf_counter() - begun) / max(1, len(texts)))
            at = 0
            for job, start, stop in batch:
                job.found.append(rows[at : at + stop - start])
                at += stop - start
                if stop == len(job.texts) and not job.rows.done():
                    job.rows.set_result(np.concatenate(job.found))

    def _next(self) -> list[tuple[_Job, int, int]]:
        """A few texts of each job in turn, so that no long one delays the short; all for one function."""
        batch: list[tuple[_Job, int, int]] = []
        room, others = self._limits.batch, deque[_Job]()
        while self._jobs and room:
            job = self._jobs.popleft()
            if job.rows.done():  # given up or failed
                continue
            if batch and job.function != batch[0][0].function:
                others.append(job)
                continue
            start = job.taken
            job.taken += min(_TURN, room, job.left)
            room -= job.taken - start
            batch.append((job, start, job.taken))
            if job.left:
                self._jobs.append(job)
        self._jobs.extendleft(reversed(others))
        return batch

    def _learn_speed(self, seconds: float) -> None:
        known = self._seconds_a_text
        self._seconds_a_text = seconds if known is None else known + _NEWEST * (seconds - known)
