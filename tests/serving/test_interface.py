"""Whatever the description of the interface allows or forbids, the server behaves as described (schemathesis)."""

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from sharprecl.serving.app import create_app
from sharprecl.serving.limits import Limits
from sharprecl.serving.service import Model, Service

# By hand: INTERFACE_EXAMPLES=2000.
EXAMPLES = int(os.environ.get("INTERFACE_EXAMPLES", "8"))


@pytest.fixture(scope="module")
def described(model: Model) -> Any:
    app = create_app(Service(model, Limits(texts=5, characters=200, body_bytes=4000, queue=64)))
    # Its own list of refusals lacks 413.
    expected = {"checks": {"negative_data_rejection": {"expected-statuses": [405, 413, 415, 422]}}}
    config = schemathesis.Config.from_dict(expected)
    return schemathesis.openapi.from_asgi("/openapi.json", app, config=config)


POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        ("POST", "/predict", POSITIVE),
        ("POST", "/predict", NEGATIVE),
        ("GET", "/healthz", POSITIVE),
        ("GET", "/readyz", POSITIVE),
        ("GET", "/metrics", POSITIVE),
    ],
)
def test_the_server_is_as_described(described: Any, method: str, path: str, mode: GenerationMode) -> None:
    cases = described[path][method].as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(cases)
    def behaves(case: schemathesis.Case) -> None:
        case.call_and_validate()

    behaves()
