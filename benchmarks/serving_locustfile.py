"""What users of a server do, for serving_load.py: each asks about one test text after the other, without a pause."""

import os
import random

import gevent
from locust import FastHttpUser, events, task
from locust.env import Environment

from sharprecl.data.benchmarks import load_benchmark

TEXTS = load_benchmark(os.environ["SERVING_TEXTS"]).test.texts
REQUESTS = int(os.environ.get("SERVING_REQUESTS", "0"))
"""After so many it ends; 0: it ends by time."""


class Asking(FastHttpUser):
    """One connection."""

    @task
    def ask(self) -> None:
        """Refusals for overload are counted apart."""
        with self.client.post("/predict", json={"text": random.choice(TEXTS)}, catch_response=True) as answer:
            if answer.status_code == 429:
                answer.request_meta["name"] = "refused"
                answer.success()
            elif answer.status_code == 200 and answer.json()["answers"][0]["label"] is None:
                answer.failure("no label")


@events.init.add_listener
def _end_by_number(environment: Environment, **_: object) -> None:
    done = 0

    def count(**_: object) -> None:
        nonlocal done
        done += 1
        if done == REQUESTS and environment.runner is not None:
            gevent.spawn_later(2, environment.runner.quit)  # when the figures are written, which are so each second

    if REQUESTS:
        environment.events.request.add_listener(count)
