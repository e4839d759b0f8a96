"""What is sent comes back decided; what is refused is refused in one sentence; nothing of it is kept."""

import asyncio
import logging
import re
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from sharprecl.decision import Policy
from sharprecl.serving.app import create_app
from sharprecl.serving.service import Service
from tiny import skewed_texts

TEXT = "my parcel is late"


def test_one_text_and_many_have_the_same_answers(service: Service, ask) -> None:
    one, many = ask({"text": TEXT}, {"texts": [TEXT, " ", "refund"], "top_k": 2, "sets": True})
    assert (one.status_code, many.status_code) == (200, 200)
    assert one.json()["model"] == service.model.version
    (answer,) = one.json()["answers"]
    first, blank, _ = many.json()["answers"]
    chances = service.model.classifier.predict_proba([TEXT])[0]
    names = service.model.label_names
    assert answer["label"] == names[chances.argmax()] == answer["classes"][0]["label"] == first["label"]
    assert answer["confidence"] == pytest.approx(chances.max(), abs=1e-5)
    assert [chance["probability"] for chance in answer["classes"]] == pytest.approx(
        sorted(chances, reverse=True)[:3], abs=1e-5
    )
    assert len(first["classes"]) == 2
    assert first["abstained"] is False
    assert blank == {
        "label": None, "confidence": None, "abstained": True, "classes": [], "set": None, "reason": "there is no text",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({}, 422, 'the body has to have either "text" or "texts"'),
        ({"text": "a", "texts": ["b"]}, 422, 'the body has to have either "text" or "texts"'),
        ({"text": 1}, 422, "text: input should be a valid string"),
        ({"texts": ["a", None]}, 422, "texts.1: input should be a valid string"),
        ({"text": "a", "topk": 3}, 422, "topk: extra inputs are not permitted"),
        ({"text": "a", "top_k": True}, 422, "top_k: input should be a valid integer"),
        (b'{"text": "a", "top_k": 1e400}', 422, "top_k: input should be a valid integer"),
        (b'{"text": "a", "top_k": NaN}', 422, "top_k: input should be a valid integer"),
        (b'{"text": "a", "top_k": ' + b"9" * 1000 + b"}", 422, "top_k: input should be less than or equal to 1000"),
        (b'{"text": "\\ud83d"}', 422, "text: half a character (a lone surrogate such as \\ud83d); take it out"),
        (b'{"text": "a"', 422, "the body is no JSON from character"),
        (b"\xff\xfe\x00", 422, "the body is no JSON"),
        (b"[" * 1900, 422, "the body is no JSON"),
        (b"null", 422, "the body: it has to be a JSON object"),
        ({"text": "a" * 101}, 413, "text: string should have at most 100 characters"),
        ({"texts": ["a"] * 9}, 413, "texts: list should have at most 8 items"),
        ({"text": "a" * 2001}, 413, "a body of more than 2,000 bytes"),
    ],
)
def test_refusals_are_one_sentence(ask, body: Any, status: int, sentence: str) -> None:
    (found,) = ask(body)
    assert found.status_code == status
    assert list(found.json()) == ["error"]
    assert found.json()["error"].startswith(sentence)
    assert "\n" not in found.json()["error"]


def test_other_paths_and_methods_are_refused_alike(ask) -> None:
    found = [*ask(None, path="/nothing?secret"), *ask(None, path="/predict"), *ask({}, path="/healthz")]
    assert [each.status_code for each in found] == [404, 405, 405]
    assert all("/openapi.json" in each.json()["error"] for each in found)
    assert found[1].headers["allow"] == "POST"


def test_too_much_at_once_is_told_when_to_come_again(service: Service, ask) -> None:
    found = ask(*[{"texts": [TEXT] * 8}] * 4)
    assert sorted(each.status_code for each in found) == [200, 200, 429, 429]
    refused = next(each for each in found if each.status_code == 429)
    assert int(refused.headers["retry-after"]) >= 1
    assert "try again in" in refused.json()["error"]
    assert service.batcher.waiting == service.in_flight == 0


def test_a_draining_server_says_so(service: Service, ask) -> None:
    assert ask(None, path="/readyz")[0].json() == {"status": "ready"}
    service.draining = True
    (ready,), (alive,), (asked,) = ask(None, path="/readyz"), ask(None, path="/healthz"), ask({"text": TEXT})
    assert (ready.status_code, alive.status_code, asked.status_code) == (503, 200, 503)
    assert asked.json() == {"error": "the server is stopping; send the request to another one"}
    assert asked.headers["connection"] == "close"


def test_figures_and_log_know_nothing_of_what_was_sent(
    service: Service, ask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    for body, path in [
        ({"texts": ["sesame", " "]}, "/predict?sesame"),
        ({"text": "sesame", "sesame": 1}, "/predict"),
        (b"sesame", "/sesame"),
        (None, "/sesame?sesame"),
    ]:
        ask(body, path=path)

    def failing(texts: list[str], **_: object) -> None:
        raise RuntimeError(texts)

    monkeypatch.setattr(service.model.classifier._predictor, "scores", failing)
    (failed,) = ask({"text": "sesame"})
    assert failed.status_code == 500
    assert failed.json() == {"error": "the server failed on this request; its log says where"}
    (figures,) = ask(None, path="/metrics")
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("sharprecl"))
    assert "RuntimeError, whose message is kept out of the log" in logged
    assert "in failing" in logged
    assert "POST /predict 200" in logged
    assert "sesame" not in logged
    assert "sesame" not in figures.text
    for line in (
        'sharprecl_requests_total{route="/predict",status="200"} 1.0',
        'sharprecl_requests_total{route="/predict",status="500"} 1.0',
        'sharprecl_requests_total{route="other",status="404"} 2.0',
        'sharprecl_texts_total{outcome="none"} 1.0',
        'sharprecl_texts_total{outcome="answered"} 1.0',
        "sharprecl_batch_texts_count 2.0",
        "sharprecl_queue_texts 0.0",
        f'sharprecl_model{{version="{service.model.version}"}} 1.0',
    ):
        assert line in figures.text
    assert re.search(r'sharprecl_request_seconds_bucket\{le="0.05",route="/predict"\}', figures.text)


async def _straight(service: Service, messages: list[Any]) -> list[dict[str, Any]]:
    """Call the application as a server does; after its messages the client waits, or leaves where the last is None."""
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "http", "method": "POST", "path": "/predict", "query_string": b"", "http_version": "1.1",
        "headers": [(b"content-type", b"application/json")], "scheme": "http", "server": ("here", 80),
    }  # fmt: skip
    coming = list(messages)

    async def receive() -> Any:
        if not coming:
            await asyncio.sleep(10)
        message = coming.pop(0)
        if message is None:
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": message, "more_body": len(coming) > 0 and coming[0] is not None}

    async def send(message: Any) -> None:
        sent.append(message)

    await create_app(service)(scope, receive, send)
    return sent


def test_a_body_without_a_length_is_refused_while_it_comes(service: Service) -> None:
    chunks = [b"x" * 1000] * 1000
    sent = asyncio.run(_straight(service, chunks))
    assert sent[0]["status"] == 413
    assert (b"connection", b"close") in sent[0]["headers"]
    assert sent[-1] == {"type": "http.response.body", "body": b""}


def test_a_slow_body_is_given_up(service: Service) -> None:
    async def run() -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def receive() -> Any:
            await asyncio.sleep(0.05)
            return {"type": "http.request", "body": b" ", "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/predict", "headers": [], "query_string": b""}
        await create_app(service)(scope, receive, send)
        return sent

    assert asyncio.run(run())[0]["status"] == 408
    assert service.in_flight == 0


def test_a_client_that_leaves_frees_its_place(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async def for_ever(*_: object) -> None:
            await asyncio.sleep(10)

        monkeypatch.setattr(service.batcher, "rows", for_ever)
        assert await _straight(service, [b'{"text": "a"}', None]) == []
        assert service.in_flight == 0

    asyncio.run(asyncio.wait_for(run(), 5))
    assert b'sharprecl_requests_total{route="/predict",status="499"} 1.0' in service.metrics.page()


def test_more_requests_than_places_are_refused(service: Service, ask) -> None:
    service.in_flight = service.limits.requests
    (found,) = ask({"text": TEXT})
    assert found.status_code == 429
    assert found.headers["retry-after"] == "1"
    assert ask(None, path="/healthz")[0].status_code == 200, (
        "whoever restarts what is ill must not restart what is busy"
    )


def test_the_interface_is_described_with_its_limits(ask) -> None:
    (found,) = ask(None, path="/openapi.json")
    question = found.json()["components"]["schemas"]["Question"]
    assert question["properties"]["text"]["maxLength"] == 100
    assert question["properties"]["texts"]["maxItems"] == 8
    responses = found.json()["paths"]["/predict"]["post"]["responses"]
    assert set(responses) == {"200", "408", "413", "422", "429", "503"}
    named = {each["content"]["application/json"]["schema"]["$ref"] for each in responses.values()}
    assert named == {"#/components/schemas/Reply", "#/components/schemas/Problem"}


def test_everything_decided_is_in_the_answer(service: Service, ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds may answer a less probable class; below a bar the answer is a guess; sets are there on request."""
    bars = np.array([0.0, 1.0, 1.0, 0.0])
    policy = Policy(np.array([50.0, 0.0, 0.0, 0.0]), least_confidence=0.999, set_bar_C=bars, set_level=0.9)
    monkeypatch.setattr(service.model.classifier, "decision_", SimpleNamespace(policy=policy))
    with_sets, without = ask({"text": TEXT, "sets": True, "top_k": 4}, {"text": TEXT})
    (answer,) = with_sets.json()["answers"]
    names = service.model.label_names
    expected = service.model.classifier.answer([TEXT])
    assert answer["label"] == names[expected.class_ids_N[0]]
    assert answer["confidence"] == pytest.approx(expected.confidence_N[0], abs=1e-5)
    assert answer["abstained"] is True
    assert answer["set"] == [names[place] for place in np.flatnonzero(expected.sets_NC[0])]
    assert {names[0], names[3]} <= set(answer["set"])
    assert [chance["label"] for chance in answer["classes"]] == [
        names[place] for place in np.argsort(-expected.probabilities_NC[0])
    ]
    assert without.json()["answers"][0]["set"] is None


def test_a_hundred_at_once_are_those_of_python(model: Any) -> None:
    texts, _ = skewed_texts(seed=3)
    texts = texts[:100]

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(create_app(Service(model)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await asyncio.gather(*(client.post("/predict", json={"text": text}) for text in texts))

    found = [response.json()["answers"][0]["label"] for response in asyncio.run(run())]
    assert found == [str(label) for label in model.classifier.predict(texts)]
