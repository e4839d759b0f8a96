"""Where the key may be sent, and what can fail before anything is."""

import json
import sys
from pathlib import Path

import pytest

from llm.fake_openai import FakeOpenAI
from llm.openai_help import settings, train
from sharprecl.config import RunConfig
from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import AssetError, ConfigError, MissingExtraError
from sharprecl.export.card import Card, read_card
from sharprecl.llm import openai_endpoint
from sharprecl.llm.openai_answers import OpenAIPredictor
from sharprecl.llm.openai_client import check_before_spending
from sharprecl.llm.openai_endpoint import DEFAULT, agreed_endpoint
from sharprecl.llm.openai_finetune import OpenAIFinetune

NAMES = ["access", "billing", "hardware", "shipping"]


@pytest.fixture
def run(server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What somebody trained at a provider of their own, in another process."""
    fitted, _ = train(tmp_path, server.url)
    config = settings(task="reason of the message").model_dump(mode="json")
    fitted.predictor.save(tmp_path, Card(NAMES, "str", [1, 2, 3, 4], 256, "none", config))
    server.provider.requests.clear()
    monkeypatch.setattr(openai_endpoint, "_named", set())
    return tmp_path


def load(folder: Path) -> OpenAIPredictor:
    return OpenAIFinetune.load(folder, read_card(folder), "auto")


def test_the_key_goes_nowhere_that_nobody_named(server: FakeOpenAI, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = rf"your key to {server.url}; .* set OPENAI_BASE_URL={server.url} to agree"
    with pytest.raises(ConfigError, match=refused):
        load(run).scores(["some text"])
    # The same host, another service.
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    with pytest.raises(ConfigError, match=refused):
        load(run).scores(["some text"])
    assert server.provider.requests == []
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    load(run).scores(["some text"])
    assert server.provider.count("POST", "/chat/completions") == 1


def test_a_training_of_this_process_has_named_its_address(server: FakeOpenAI, run: Path, tmp_path: Path) -> None:
    train(tmp_path / "other", server.url)
    load(run).scores(["some text"])


def test_a_training_that_was_refused_has_named_nothing(server: FakeOpenAI, run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no sum was allowed"):
        train(tmp_path / "other", server.url, max_cost=None)
    with pytest.raises(ConfigError, match="would send your key"):
        load(run).scores(["some text"])
    assert server.provider.requests == []


@pytest.mark.parametrize("address", ["http://evil.example/v1", "https://me:you@evil.example/v1", "no address"])
def test_an_address_in_the_folder_that_can_be_none(run: Path, address: str) -> None:
    page = json.loads((run / "openai_model.json").read_text())
    (run / "openai_model.json").write_text(json.dumps({**page, "base_url": address}))
    with pytest.raises(AssetError, match="base_url: must"):
        load(run)


def test_the_address_of_the_environment_is_kept_with_the_model(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    fitted, _ = train(tmp_path, None)  # type: ignore[arg-type]
    assert fitted.predictor.page.base_url == server.url


def test_openai_s_own_address_needs_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "https://proxy.example/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", value)
        assert agreed_endpoint(DEFAULT, "x") == DEFAULT
        assert agreed_endpoint("https://API.openai.com:443/v2", "x")


@pytest.mark.parametrize("address", ["http://[::1", "https://x:99999/v1", "https://[:.]/v1", "http://proxy.example/v1"])
def test_an_address_of_the_environment_that_can_be_none(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL must"):
        train(tmp_path, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL must"):
        check_before_spending(settings())


def test_what_can_fail_before_spending(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="would send your key"):
        agreed_endpoint(server.url, "the folder")
    check_before_spending(settings(base_url=server.url))
    assert agreed_endpoint(server.url, "the folder") == server.url
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="no key"):
        check_before_spending(settings())
    check_before_spending(RunConfig(method=LlmLoraConfig()))
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match="'openai'"):
        check_before_spending(settings())
