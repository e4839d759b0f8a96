"""Addresses that settings may name."""

import pytest

from sharprecl.config.language_models import OpenAIFinetuneConfig


@pytest.mark.parametrize(
    "url",
    [
        "api.openai.com",
        "ftp://x/v1",
        "https://me:secret@x/v1",
        "https://x/v1?key=sk-1",
        "https://x/v1#key",
        "https://x\\@y/v1",
        "https://x y/v1",
        "https://[::1/v1",
        "https://x:70000/v1",
        "http://api.example.com/v1",
        "http://127.0.0.1.example.com/v1",
    ],
)
def test_addresses_that_are_none_or_hold_a_secret_or_show_the_key(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        OpenAIFinetuneConfig(base_url=url)


@pytest.mark.parametrize(
    "url", ["https://x.example:8443/openai/v1/", "http://localhost:8000/v1", "http://127.0.0.1", "http://[::1]:8000/v1"]
)
def test_addresses_of_own_providers(url: str) -> None:
    assert OpenAIFinetuneConfig(base_url=url).base_url == url
