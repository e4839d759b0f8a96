"""What goes wrong at the provider, as sentences without the key."""

import logging
import traceback
from pathlib import Path

import pytest

from llm.fake_openai import KEY, FakeOpenAI, Fault
from llm.openai_help import made, small_table, train
from sharprecl.llm.openai_client import ProviderError, without_key

UPLOAD, START = ("POST", "/files"), ("POST", "/fine_tuning/jobs")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            Fault(*START, status=400, message="Model x is not available for fine-tuning"),
            "refused to start the training",
        ),
        (Fault(*START, status=403, message="no right"), "does not let this key start the training"),
        (Fault(*START, status=429, code="insufficient_quota", message="quota"), "no credit left"),
        (Fault(*START, status=404), "finds nothing to start"),
        (Fault(*UPLOAD, kind="html"), "did not answer in JSON"),
        (Fault("GET", "/fine_tuning/jobs/", status=404, message="no such job"), "finds nothing to look at job"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status),
)
def test_what_waiting_does_not_mend_is_told_at_once(
    server: FakeOpenAI, tmp_path: Path, fault: Fault, sentence: str
) -> None:
    server.provider.faults = [fault]
    with pytest.raises(ProviderError, match=sentence):
        train(tmp_path, server.url)
    assert server.provider.count(fault.method, fault.path.rstrip("/")) <= 1
    train(tmp_path, server.url, resume=True)
    assert made(server) == (1, 1)


def everything_written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_key_is_written_and_said_nowhere(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    loud = Fault(*START, status=500, message=f"we choked on {KEY}", times=2)
    refused = Fault(*START, status=400, message=f"bad key-like thing {KEY}")
    server.provider.faults = [loud, refused]
    shown = []
    with pytest.raises(ProviderError) as caught:
        train(tmp_path, server.url)
    shown.append("".join(traceback.format_exception(caught.value)))
    fitted, said = train(tmp_path, server.url, resume=True)
    shown += said
    fitted.predictor.scores(small_table().texts)
    shown.append(repr(fitted))
    wrong = KEY[:-1] + "X"
    monkeypatch.setenv("OPENAI_API_KEY", wrong)
    with pytest.raises(ProviderError, match="does not accept the key in OPENAI_API_KEY") as caught:
        train(tmp_path / "other", server.url)
    error: BaseException | None = caught.value
    assert error is not None
    assert error.__context__ is None
    shown += ["".join(traceback.format_exception(error)), caplog.text]
    for secret in (KEY, wrong, KEY[3:12]):
        assert secret not in "\n".join(shown)
        assert secret.encode() not in everything_written(tmp_path)


def test_words_of_the_provider_are_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "local-secret")
    assert without_key("a local-secret and sk-abc***xyz.") == "a [key] and [key]"
