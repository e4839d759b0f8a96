"""What Prometheus reads. Labels are statuses, routes and versions, never anything that a client sent."""

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sharprecl.decision import Answers
    from sharprecl.serving.service import Service

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """Figures of one service, in a registry of their own."""

    def __init__(self, service: "Service") -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._service = service
        registry.register(self)
        self.requests = Counter("sharprecl_requests", "Requests", ["route", "status"], registry=registry)
        self.seconds = Histogram(
            "sharprecl_request_seconds",
            "From the request's head to its answer",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.texts = Counter("sharprecl_texts", "Texts by outcome", ["outcome"], registry=registry)
        self.batch = Histogram("sharprecl_batch_texts", "Texts in a batch", buckets=_TEXTS, registry=registry)
        self.swaps = Counter("sharprecl_swaps", "New models found in the folder", ["outcome"], registry=registry)

    def count(self, answers: "Answers") -> None:
        """Count texts by what became of them."""
        unsure, silent = int(answers.abstained_N.sum()), int((answers.class_ids_N < 0).sum())
        self.texts.labels("none").inc(silent)
        self.texts.labels("abstained").inc(unsure - silent)
        self.texts.labels("answered").inc(len(answers.class_ids_N) - unsure)

    def collect(self) -> "Iterator[Metric]":
        """What is so at this moment."""
        yield GaugeMetricFamily(
            "sharprecl_queue_texts", "Texts that wait or are being answered", self._service.batcher.waiting
        )
        model = GaugeMetricFamily("sharprecl_model", "Always 1; the label tells the version", labels=["version"])
        model.add_metric([self._service.model.version], 1)
        yield model

    def describe(self) -> "Iterator[Metric]":
        """No call of ``collect`` while the service is being made."""
        return iter(())

    def page(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)
