"""The provider's client: the key, and errors as sentences that never show it.

The official client itself waits and asks again after a dropped connection, 408, 409, 429 and 5xx, with growing pauses
or after the time that the server names. That is right for whatever may be asked twice. A request that must take effect
once only (an upload, a job) goes through ``exactly_once``.
"""

import os
import re
import time
from collections.abc import Callable
from json import JSONDecodeError
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.extras import require
from sharprecl.llm.openai_endpoint import endpoint

if TYPE_CHECKING:
    from openai import OpenAI, OpenAIError

T = TypeVar("T")

KEY = "OPENAI_API_KEY"
RETRIES = 8
FIRST_PAUSE, LONGEST_PAUSE, LONGEST_ORDERED_PAUSE = 1.0, 60.0, 600.0
TIMEOUT = 120.0
LISTING_SECONDS = 60.0
"""How long the provider may take to list what it has just made; nothing is asked for again before."""
ABOUT_THE_TEXT = ("context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length")
"""Codes of refusals that are about one text alone; any other would be the same for the next text."""

_LOOKS_LIKE_A_KEY = re.compile(r"\bsk-[\w*.-]{4,}")


class ProviderError(SharpReCLError):
    """The provider refused, or could not be reached.

    Attributes:
        status: of HTTP, or None if there was no answer.
        transient: whether the same request may succeed later.
        retry_after: seconds that the provider asks to wait, if it does.
        code: the provider's own word for what is wrong, if it gave one.
    """

    def __init__(
        self,
        sentence: str,
        *,
        status: int | None = None,
        transient: bool = False,
        retry_after: float | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status, self.transient, self.retry_after, self.code = status, transient, retry_after, code


def check_key() -> None:
    """See that there is a package and a key to open a client with.

    Raises:
        ConfigError: there is no key, or none that could be one.
        MissingExtraError: the ``openai`` package is not installed.
    """
    _package()
    _key()


def open_client(base_url: str | None) -> "OpenAI":
    """A client with the key from the environment.

    Args:
        base_url: None is what ``OPENAI_BASE_URL`` says, else the provider's own.

    Raises:
        ConfigError: there is no key, or none that could be one, or the address is none.
        MissingExtraError: the ``openai`` package is not installed.
    """
    openai, key, address = _package(), _key(), endpoint(base_url)
    client: OpenAI = openai.OpenAI(api_key=key, base_url=address, max_retries=RETRIES, timeout=TIMEOUT)
    return client


def _package() -> ModuleType:
    return require("openai", "llm", "the method openai_finetune")


def _key() -> str:
    key = os.environ.get(KEY, "").strip()
    if not key:
        raise ConfigError(f"no key: set the environment variable {KEY} to your provider's key (it is stored nowhere)")
    if not re.fullmatch(r"[!-~]+", key):
        # The client's own complaint about such a header would quote the key.
        raise ConfigError(f"{KEY} holds spaces or letters that no key has; copy the key again")
    return key


def ask(client: "OpenAI", purpose: str, call: Callable[[], T]) -> T:
    """Call the provider; what goes wrong becomes a sentence without the key.

    Args:
        client: names the server in the sentence.
        purpose: what the call is for, as in 'upload the training file'.
        call: the request.

    Raises:
        ProviderError: the request failed, after the client's own attempts.
    """
    import openai

    try:
        answer = call()
    except openai.OpenAIError as error:
        problem = _problem(client, purpose, error)
    except (JSONDecodeError, UnicodeDecodeError):
        problem = _no_json(client, purpose)
    else:
        if not isinstance(answer, str):
            return answer
        problem = _no_json(client, purpose)
    # Outside of the handlers: a chained error would show the request and what the provider quotes of the key.
    raise problem


def exactly_once(
    client: "OpenAI",
    purpose: str,
    *,
    find: Callable[["OpenAI"], T | None],
    make: Callable[["OpenAI"], T],
    asked_before: bool,
    say: Callable[[str], None],
) -> T:
    """Make something at the provider, and never twice, though answers may get lost on their way.

    A request without an answer may have taken effect, so what it asked for is looked for before it is asked again: for
    ``LISTING_SECONDS``, since a list may come to know it late.

    Args:
        find: looks for what an earlier request has made.
        make: asks for it.
        asked_before: whether an earlier process may have asked.
        say: told about every wait.

    Raises:
        ProviderError: it was refused, or the provider stayed away.
    """
    single = client.with_options(max_retries=0)
    pause, unsure = FIRST_PAUSE, asked_before
    for attempt in range(RETRIES + 1):
        if unsure or attempt:
            found = _look(client, purpose, find, LISTING_SECONDS if unsure else 0.0, say)
            if found is not None:
                return found
        problem = None
        try:
            return ask(client, purpose, lambda: make(single))
        except ProviderError as error:
            ordered = error.retry_after or 0.0
            if not error.transient or attempt == RETRIES or ordered > LONGEST_ORDERED_PAUSE:
                raise
            problem, unsure = error, error.status != 429
        wait = ordered or pause
        say(f"{problem}; asking again in {wait:.0f} s")
        time.sleep(wait)
        pause = min(2 * pause, LONGEST_PAUSE)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _look(
    client: "OpenAI",
    purpose: str,
    find: Callable[["OpenAI"], T | None],
    seconds: float,
    say: Callable[[str], None],
) -> T | None:
    """Look for what an earlier request has made, again and again for so long, and a last time after that."""
    end, pause = time.monotonic() + seconds, FIRST_PAUSE
    while True:
        left = end - time.monotonic()
        found = ask(client, purpose, lambda: find(client))
        if found is not None or left <= 0:
            return found
        if pause == FIRST_PAUSE:
            say(f"an earlier request to {purpose} may have arrived; looking for what it made for {seconds:.0f} s")
        time.sleep(min(pause, left))
        pause = min(2 * pause, LONGEST_PAUSE)


def without_key(text: str) -> str:
    """A provider's words without the key, or anything that looks like one."""
    return _LOOKS_LIKE_A_KEY.sub("[key]", without_own_key(text))


def without_own_key(text: str) -> str:
    """A text without the key from the environment."""
    key = os.environ.get(KEY, "").strip()
    return text.replace(key, "[key]") if key else text


def _host(client: "OpenAI") -> str:
    return client.base_url.host


def _no_json(client: "OpenAI", purpose: str) -> ProviderError:
    return ProviderError(
        f"{_host(client)} did not answer in JSON when asked to {purpose}; is method.base_url (or OPENAI_BASE_URL) the "
        f"address of the interface? It mostly ends in /v1"
    )


def _problem(client: "OpenAI", purpose: str, error: "OpenAIError") -> ProviderError:
    import openai

    host = _host(client)
    if isinstance(error, openai.APIConnectionError):
        return ProviderError(
            f"{host} could not be reached to {purpose} ({without_key(error.message).rstrip('.').lower()}); check the "
            f"network and method.base_url",
            transient=True,
        )
    if not isinstance(error, openai.APIStatusError):
        return ProviderError(f"{host} could not {purpose}: {without_key(str(error))}")
    status, code, words = error.status_code, error.code, without_key(_words(error))
    broke = code == "insufficient_quota"
    if status == 401:
        # What the provider says here quotes a part of the key.
        sentence = f"{host} does not accept the key in {KEY}; check that it is whole, valid and of this provider"
    elif status == 403:
        sentence = f"{host} does not let this key {purpose} ({words}); give the key's project that right"
    elif status == 404:
        sentence = f"{host} finds nothing to {purpose} ({words}); check the model's name (retired?) and whose key it is"
    elif broke:
        sentence = f"the account at {host} has no credit left ({words}); add some, then go on with --resume"
    elif status == 429:
        sentence = f"{host} limits the rate of requests ({words}); wait, or lower method.workers"
    elif status >= 500:
        sentence = f"{host} has trouble of its own (status {status}: {words}); try again later"
    else:
        sentence = f"{host} refused to {purpose} (status {status}: {words})"
    return ProviderError(
        sentence,
        status=status,
        transient=not broke and (status in (408, 409, 429) or status >= 500),
        retry_after=_seconds(error.response.headers.get("retry-after")),
        code=code,
    )


def _words(error: "OpenAIError") -> str:
    body = getattr(error, "body", None)
    words = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(words or error).split())[:300]


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:  # a date, which the standard allows too
        return None
