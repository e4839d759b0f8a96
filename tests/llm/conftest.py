"""A provider for each test, and short pauses."""

import ssl
from collections.abc import Iterator

import pytest

from llm.fake_openai import KEY, FakeOpenAI


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    base_client = pytest.importorskip("openai._base_client")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(base_client, "INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(base_client, "MAX_RETRY_DELAY", 0.05)
    monkeypatch.setattr("sharprecl.llm.openai_job.PAUSES", (0.01, 0.02, 0.03))
    monkeypatch.setattr("sharprecl.llm.openai_endpoint._named", set())
    # No HTTPS here, and each client would read all certificates first: most of a test's time.
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *rest, **more: None)
    running = FakeOpenAI()
    yield running
    running.stop()
