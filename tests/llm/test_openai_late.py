"""What the provider lists late is not made, and paid for, twice."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from llm.fake_openai import FakeOpenAI, Fault
from llm.openai_help import train

UPLOAD, START = ("POST", "/files"), ("POST", "/fine_tuning/jobs")


def made(server: FakeOpenAI) -> tuple[int, int]:
    """Files and jobs that exist at the provider."""
    return len(server.provider.files), len(server.provider.jobs)


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("step", [UPLOAD, START])
def test_what_is_listed_late_is_not_made_twice(
    server: FakeOpenAI, tmp_path: Path, step: tuple[str, str], monkeypatch: pytest.MonkeyPatch, dead: bool
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_client.LISTING_SECONDS", 5.0)
    server.provider.faults = [Fault(*step, kind="lose")]
    server.provider.late = 3
    if dead:
        with monkeypatch.context() as patch:
            patch.setattr(
                "sharprecl.llm.openai_client.time.sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            with pytest.raises(KeyboardInterrupt):
                train(tmp_path, server.url)
    _, said = train(tmp_path, server.url, resume=dead)
    assert server.provider.late == 0
    assert made(server) == (1, 1)
    assert server.provider.count(*step) == 1
    assert any("may have arrived; looking for what it made for 5 s" in sentence for sentence in said)


def test_a_job_is_looked_for_a_last_time_when_the_time_is_over(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("sharprecl.llm.openai_client.LISTING_SECONDS", 60.0)
    monkeypatch.setattr("sharprecl.llm.openai_client.FIRST_PAUSE", 1.0)
    monkeypatch.setattr(
        "sharprecl.llm.openai_client.time",
        SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda seconds: clock.__setitem__(0, clock[0] + seconds)),
    )
    # Nothing has arrived, which only time can tell.
    server.provider.faults = [Fault(*START, kind="drop")]
    train(tmp_path, server.url)
    assert 61 <= clock[0] < 63
    assert server.provider.count("GET", "/fine_tuning/jobs") == 7
    assert made(server) == (1, 1)


def test_a_refusal_for_now_made_nothing_to_look_for_long(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharprecl.llm.openai_client.LISTING_SECONDS", 1e6)
    server.provider.faults = [Fault(*START, status=429)]
    train(tmp_path, server.url)
    assert server.provider.count("GET", "/fine_tuning/jobs") == 1
