"""The queue: what shares a batch, who has the next turn, and that nobody waits for ever."""

import asyncio
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sharprecl.serving.batching import Batcher, Overloaded
from sharprecl.serving.limits import Limits


class Recorder:
    """A model that answers a text by its length, and remembers its batches; it waits while ``gate`` is shut."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.batches: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()

    def lengths(self, texts: Sequence[str]) -> Any:
        self.batches.append(list(texts))
        assert self.gate.wait(10)
        time.sleep(self.seconds)
        if "bad" in texts:
            raise ValueError("bad")
        return np.array([[len(text)] for text in texts], dtype=float).reshape(len(texts), 1)

    def twice(self, texts: Sequence[str]) -> Any:
        return 2 * self.lengths(texts)


def make(**limits: Any) -> Batcher:
    return Batcher(Limits(**{"texts": 64, "queue": 64, "batch": 8, "wait": 0.01, **limits}))


def test_requests_that_come_together_share_a_batch_and_get_their_own_rows() -> None:
    recorder, sizes = Recorder(), []

    async def run() -> list[Any]:
        batcher = Batcher(Limits(wait=0.01), sizes.append)
        requests = [["a", "bb"], ["ccc"], [], ["dddd"]]
        return await asyncio.gather(*(batcher.rows(recorder.lengths, texts) for texts in requests))

    found = asyncio.run(run())
    assert [rows.tolist() for rows in found] == [[[1], [2]], [[3]], [], [[4]]]
    assert recorder.batches == [["a", "bb", "ccc", "dddd"]]
    assert sizes == [4]


def test_a_long_request_delays_no_short_one() -> None:
    recorder = Recorder()

    async def run() -> None:
        batcher, finished = make(), []

        async def request(name: str, number: int) -> None:
            rows = await batcher.rows(recorder.lengths, [name] * number)
            assert len(rows) == number
            finished.append(name)

        await asyncio.gather(request("long", 40), request("short", 1), request("middle", 6))
        assert finished == ["short", "middle", "long"]

    asyncio.run(run())
    assert recorder.batches[0] == ["long"] * 4 + ["short"] + ["middle"] * 3
    assert max(map(len, recorder.batches)) == 8


def test_two_functions_never_share_a_batch() -> None:
    recorder = Recorder()

    async def run() -> list[Any]:
        batcher = make()
        asked = [recorder.lengths, recorder.twice, recorder.lengths, recorder.twice]
        return await asyncio.gather(*(batcher.rows(function, ["abc"]) for function in asked))

    assert [rows.item() for rows in asyncio.run(run())] == [3, 6, 3, 6]
    assert [len(batch) for batch in recorder.batches] == [2, 2]


def test_what_does_not_fit_is_told_how_long_the_queue_takes() -> None:
    recorder = Recorder()

    async def run() -> None:
        batcher = make(texts=4, queue=8, batch=4)
        batcher._learn_speed(0.5)
        recorder.gate.clear()
        accepted = [asyncio.create_task(batcher.rows(recorder.lengths, ["abc"] * 4)) for _ in range(2)]
        await asyncio.sleep(0)
        assert batcher.waiting == 8
        with pytest.raises(Overloaded, match="try again in 4 s") as told:
            await batcher.rows(recorder.lengths, ["abc"])
        assert told.value.seconds == 4
        recorder.gate.set()
        assert [len(rows) for rows in await asyncio.gather(*accepted)] == [4, 4]
        assert batcher.waiting == 0
        assert len(await batcher.rows(recorder.lengths, ["abc"])) == 1

    asyncio.run(run())


def test_a_client_that_left_costs_the_model_nothing() -> None:
    recorder = Recorder()

    async def run() -> None:
        batcher = make(batch=1, wait=0)
        recorder.gate.clear()
        stays = asyncio.create_task(batcher.rows(recorder.lengths, ["first"]))
        await asyncio.sleep(0.02)
        leaves = asyncio.create_task(batcher.rows(recorder.lengths, ["leaves"]))
        last = asyncio.create_task(batcher.rows(recorder.lengths, ["last"]))
        await asyncio.sleep(0)
        leaves.cancel()
        await asyncio.gather(leaves, return_exceptions=True)
        assert batcher.waiting == 2
        recorder.gate.set()
        await asyncio.gather(stays, last)

    asyncio.run(run())
    assert recorder.batches == [["first"], ["last"]]


def test_an_error_of_the_model_is_that_of_its_batch_alone() -> None:
    recorder = Recorder()

    async def run() -> list[Any]:
        batcher = make(batch=2)
        asked = (["bad"], ["beside"], ["behind"])
        found = await asyncio.gather(
            *(batcher.rows(recorder.lengths, texts) for texts in asked), return_exceptions=True
        )
        assert batcher.waiting == 0
        return [*found, await batcher.rows(recorder.lengths, ["later"])]

    bad, beside, behind, later = asyncio.run(run())
    assert isinstance(bad, ValueError)
    assert isinstance(beside, ValueError)
    assert behind.tolist() == [[6]]
    assert later.tolist() == [[5]]


@pytest.mark.parametrize("seed", range(5))
def test_everybody_gets_an_end(seed: int) -> None:
    """Whatever comes, goes, fails and does not fit: no waiting for ever, no wrong rows, nothing left in the queue."""
    recorder, draws = Recorder(0.001), random.Random(seed)

    async def request(batcher: Batcher) -> str:
        await asyncio.sleep(draws.random() / 20)
        texts = ["x" * draws.randrange(1, 50) for _ in range(draws.randrange(9))]
        texts += ["bad"] * (draws.random() < 0.05)
        function, factor = draws.choice([(recorder.lengths, 1), (recorder.twice, 2)])
        work = asyncio.create_task(batcher.rows(function, texts))
        if draws.random() < 0.2:
            asyncio.get_running_loop().call_later(draws.random() / 50, work.cancel)
        try:
            rows = await work
        except (Overloaded, ValueError, asyncio.CancelledError) as error:
            return type(error).__name__
        assert rows[:, 0].tolist() == [factor * len(text) for text in texts]
        return "rows"

    async def run() -> list[str]:
        batcher = make(batch=5, wait=0.001, texts=10, queue=40)
        ends = await asyncio.wait_for(asyncio.gather(*(request(batcher) for _ in range(200))), 20)
        assert batcher.waiting == 0
        assert not batcher._jobs
        return ends

    ends = asyncio.run(run())
    assert "rows" in ends
    assert len(set(ends)) > 1, "how many of which depends on the machine"
