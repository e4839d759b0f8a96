"""The provider's client: the key, and errors as sentences that never show it.

The official client itself asks again after a dropped connection, 408, 409, 429 and 5xx, with growing pauses or after
the time that the server names. What must take effect once only (an upload, a job) is asked for in ``openai_job.py``.
"""

import os
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, TypeVar

from sharprecl.config import RunConfig
from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.extras import require
from sharprecl.llm.openai_endpoint import name_endpoint

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

T = TypeVar("T")

KEY = "OPENAI_API_KEY"
RETRIES = 8
TIMEOUT = 120.0
ABOUT_THE_TEXT = ("context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length")
"""Codes of refusals that are about one text alone; any other would be the same for the next text."""


class ProviderError(SharpReCLError):
    """The provider refused, or could not be reached.

    Attributes:
        status: of HTTP, or None if there was no answer.
        code: the provider's own word for what is wrong, if it gave one.
        transient: whether the same request may soon succeed.
    """

    def __init__(
        self, sentence: str, status: int | None = None, code: str | None = None, transient: bool = False
    ) -> None:
        super().__init__(sentence)
        self.status, self.code, self.transient = status, code, transient


def check_before_spending(config: RunConfig) -> None:
    """See that package, key and address of a provider are there; nothing for methods that need none.

    Args:
        config: a person's own settings. They name the address, so this process may send the key there.

    Raises:
        ConfigError: no key, or no possible address.
        MissingExtraError: the ``openai`` package is not installed.
    """
    if isinstance(config.method, OpenAIFinetuneConfig):
        _package_and_key()
        name_endpoint(config.method.base_url)


def open_client(address: str) -> "OpenAI":
    """A client with the key from the environment.

    Raises:
        ConfigError: there is no key, or none that could be one.
        MissingExtraError: the ``openai`` package is not installed.
    """
    openai, key = _package_and_key()
    client: OpenAI = openai.OpenAI(api_key=key, base_url=address, max_retries=RETRIES, timeout=TIMEOUT)
    return client


def ask(client: "OpenAI", purpose: str, call: Callable[[], T]) -> T:
    """Call the provider; what goes wrong, after the client's own attempts, becomes a sentence without the key.

    Args:
        client: names the server in the sentence.
        purpose: what the call is for, as in 'upload the training file'.

    Raises:
        ProviderError: the request failed.
    """
    import openai

    host = client.base_url.host
    problem: ProviderError | None = None
    try:
        answer = call()
        if not isinstance(answer, str):
            return answer
    except openai.APIStatusError as error:
        problem = _refusal(host, purpose, error)
    except openai.APIConnectionError as error:
        words = without_key(error.message).rstrip(".").lower()
        sentence = f"{host} could not be reached to {purpose} ({words}); check the network and method.base_url"
        problem = ProviderError(sentence, transient=True)
    except openai.OpenAIError as error:
        problem = ProviderError(f"{host} could not {purpose}: {without_key(str(error))}")
    except (JSONDecodeError, UnicodeDecodeError):
        pass
    # Outside of the handlers: a chained error would show the request and what the provider quotes of the key.
    raise problem or ProviderError(
        f"{host} did not answer in JSON when asked to {purpose}; is method.base_url (or OPENAI_BASE_URL) the "
        f"address of the interface? It mostly ends in /v1"
    )


def without_key(text: str) -> str:
    """A provider's words without the key, or anything that looks like one."""
    return re.sub(r"\bsk-[\w*.-]{4,}", "[key]", without_own_key(text))


def without_own_key(text: str) -> str:
    """A text without the key from the environment."""
    key = os.environ.get(KEY, "").strip()
    return text.replace(key, "[key]") if key else text


def _package_and_key() -> tuple[Any, str]:
    package, key = require("openai", "llm", "the method openai_finetune"), os.environ.get(KEY, "").strip()
    if not key:
        raise ConfigError(f"no key: set the environment variable {KEY} to your provider's key (it is stored nowhere)")
    if not re.fullmatch(r"[!-~]+", key):
        # The client's own complaint about such a header would quote the key.
        raise ConfigError(f"{KEY} holds spaces or letters that no key has; copy the key again")
    return package, key


def _refusal(host: str, purpose: str, error: "APIStatusError") -> ProviderError:
    status, code = error.status_code, error.code
    said = error.body.get("message") if isinstance(error.body, dict) else None
    words = without_key(" ".join(str(said or error).split()))[:300]
    if status == 401:
        # What the provider says here quotes a part of the key.
        sentence = f"{host} does not accept the key in {KEY}; check that it is whole, valid and of this provider"
    elif status == 403:
        sentence = f"{host} does not let this key {purpose} ({words}); give the key's project that right"
    elif status == 404:
        sentence = f"{host} finds nothing to {purpose} ({words}); check the model's name (retired?) and whose key it is"
    elif code == "insufficient_quota":
        sentence = f"the account at {host} has no credit left ({words}); add some, then go on with --resume"
    elif status == 429:
        sentence = f"{host} limits the rate of requests ({words}); wait, or lower method.workers"
    elif status >= 500:
        sentence = f"{host} has trouble of its own (status {status}: {words}); try again later"
    else:
        sentence = f"{host} refused to {purpose} (status {status}: {words})"
    transient = code != "insufficient_quota" and (status in (408, 409, 429) or status >= 500)
    return ProviderError(sentence, status, code, transient)
