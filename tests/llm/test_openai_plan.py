# ruff: noqa: RUF001
"""Tokens, passes and dollars, all known before anything is sent."""

import builtins
import json
from typing import Any

import pytest

from llm.openai_help import plan_of, settings, small_table
from sharprecl.config.language_models import LlmLoraConfig, OpenAIFinetuneConfig
from sharprecl.errors import ConfigError, DataError
from sharprecl.llm.openai_plan import WRITTEN_TO_READ, chat_tokens, count_high, default_epochs, dollars
from sharprecl.llm.prompts import SYSTEM, Prompt

# Token counts by the encodings of gpt-3.5 (cl100k_base) and gpt-4o (o200k_base), taken once with tiktoken.
MEASURED = {
    "You are a text classifier. Answer with exactly one label from the list and nothing else.": (18, 18),
    "Task: topic of the news article.\nText: how did serfdom develop\nLabel:": (18, 18),
    "3.14159 2718281828 +49 170 1234567, 12/31/2024 $1,234.56 (A-1) [x] {y} ##": (43, 43),
    "https://example.com/a/b?c=d&e=f%20g#h x7Gh9_k2LmQpZ": (28, 26),
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。": (50, 35),
    "😀🎉👍🏽🇩🇪❤️ great!!! :-) 🤷‍♀️": (30, 19),
}


@pytest.mark.parametrize("text", MEASURED)
def test_the_estimate_is_high_and_not_absurd(text: str) -> None:
    most = max(MEASURED[text])
    assert most <= count_high(text) <= 2 * most


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("word", 1), ("wordy", 2), ("a 12345", 1 + 2 + 1), ("a, b", 3), ("é", 1), ("語", 2)]
)
def test_the_rule_of_the_estimate(text: str, tokens: int) -> None:
    assert count_high(text) == tokens


def test_a_conversation_has_its_frame() -> None:
    messages = [{"role": "user", "content": "word word"}, {"role": "assistant", "content": "word"}]
    assert chat_tokens(messages) == (4 + 2) + (4 + 1) + 3


@pytest.mark.parametrize(
    ("examples", "epochs"), [(10, 10), (33, 3), (34, 3), (8333, 3), (8334, 2), (12500, 2), (12501, 1), (90_000, 1)]
)
def test_passes_by_the_providers_rule(examples: int, epochs: int) -> None:
    assert default_epochs(examples) == epochs


@pytest.mark.parametrize(
    ("tokens", "price", "sum_"), [(1e6, 8.0, 8.0), (1, 8.0, 0.01), (125_001, 8.0, 1.01), (0, 8, 0)]
)
def test_dollars_are_rounded_up(tokens: float, price: float, sum_: float) -> None:
    assert dollars(tokens, price) == sum_


def test_the_plan_is_a_file_of_conversations_with_a_sum() -> None:
    table = small_table()
    plan = plan_of(table, settings(task="reason of the message", n_epochs=2))
    rows = [json.loads(line)["messages"] for line in plan.data.decode().splitlines()]
    assert len(rows) == len(table) == 16
    assert rows[0] == [
        {"role": "system", "content": SYSTEM},
        {
            "role": "user",
            "content": "Task: reason of the message.\nLabels: access; billing; hardware; shipping\n"
            f"Text: {table.texts[0]}\nLabel:",
        },
        {"role": "assistant", "content": table.label_names[table.label_ids[0]]},
    ]
    tokens = sum(3 + sum(4 + count_high(message["content"]) for message in row) for row in rows)
    prompts = sum(3 + sum(4 + count_high(message["content"]) for message in row[:2]) for row in rows)
    assert (plan.tokens, plan.texts, plan.epochs) == (tokens, 16, 2)
    assert plan.cost == dollars(2 * tokens, 8.0)
    # The longest label is "shipping", of two tokens by the rule; a token more ends it.
    assert plan.answer_tokens == prompts / 16 + WRITTEN_TO_READ * (1 + 2)
    later = f"later about ${dollars(1000 * plan.answer_tokens, 3.0):.2f} per 1,000 texts"
    assert (plan.judged, plan.judging_cost, plan.total) == (0, 0.0, plan.cost)
    for part in (f"{tokens:,} tokens", "2 passes", f"${plan.cost:.2f}", later, "late 2025"):
        assert part in plan.sentence()


def test_the_plan_can_be_written(tmp_path: Any) -> None:
    plan = plan_of(small_table(), settings())
    plan.write(tmp_path / "new" / "train.jsonl")
    assert (tmp_path / "new" / "train.jsonl").read_bytes() == plan.data


def test_words_for_labels_and_the_cut_reach_the_rows() -> None:
    plan = plan_of(small_table(), settings(label_words={"access": "logging in"}, max_words=1))
    users = [json.loads(row)["messages"][1]["content"] for row in plan.data.splitlines()]
    assert all("Labels: logging in; billing" in user for user in users)
    assert all(len(user.split("Text: ")[1].removesuffix("\nLabel:").split()) == 1 for user in users)
    assert sum(json.loads(row)["messages"][2]["content"] == "logging in" for row in plan.data.splitlines()) == 4


def test_a_plan_needs_neither_key_nor_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    real = builtins.__import__

    def without_openai(name: str, *rest: Any, **more: Any) -> Any:
        assert not name.startswith("openai")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_openai)
    assert plan_of(small_table(), settings()).cost > 0


def test_an_unknown_model_needs_a_price() -> None:
    with pytest.raises(ConfigError, match="price_per_million_training_tokens"):
        plan_of(small_table(), settings(model="gpt-of-tomorrow"))
    plan = plan_of(small_table(), settings(model="gpt-of-tomorrow", price_per_million_training_tokens=1000.0))
    assert plan.cost == dollars(plan.tokens * plan.epochs, 1000.0)
    assert "your price" in plan.sentence()
    assert "not given" in plan.sentence()


def test_a_price_of_the_user_wins_over_the_table() -> None:
    plan = plan_of(
        small_table(), settings(price_per_million_training_tokens=0.0, price_per_million_input_tokens=1000.0)
    )
    assert plan.cost == 0
    assert f"later about ${dollars(1000 * plan.answer_tokens, 1000.0):.2f} per" in plan.sentence()


def question_tokens(text: str) -> int:
    prompt = Prompt("topic of the text", tuple(small_table().label_names), 256)
    return 3 + sum(4 + count_high(message["content"]) for message in prompt.messages(text))


def test_what_is_judged_is_counted_and_named() -> None:
    table = small_table()
    few = plan_of(table, settings())
    texts = ["a text to be judged " * 40] * 3 + [f"number {n}" for n in range(200)]
    plan = plan_of(table, settings(), texts)
    assert plan.cost == few.cost
    assert plan.judged == 201
    tokens = sum(question_tokens(text) + WRITTEN_TO_READ * (1 + 2) for text in set(texts))
    assert plan.judged_tokens == tokens
    assert plan.judging_cost == dollars(tokens, 3.0) > 0
    assert plan.total == pytest.approx(plan.cost + plan.judging_cost)
    for part in (
        "the 201 texts that it is judged on",
        f"${plan.judging_cost:.2f}",
        f"together about ${plan.total:.2f}",
    ):
        assert part in plan.sentence()
    assert "judged" not in few.sentence()


def test_the_limit_covers_the_judging() -> None:
    plan = plan_of(small_table(), settings(), [f"number {n}" for n in range(200)])
    plan.check_allowed(plan.total)
    with pytest.raises(ConfigError, match=f"max_cost to {plan.total:.2f} or more"):
        plan.check_allowed(plan.cost)
    plan.check_allowed(plan.judging_cost, trained=True)
    with pytest.raises(ConfigError, match=f"max_cost to {plan.judging_cost:.2f} or more"):
        plan.check_allowed(0.0, trained=True)


def test_judging_at_an_unknown_price_is_refused() -> None:
    config = settings(model="gpt-of-tomorrow", price_per_million_training_tokens=1.0)
    with pytest.raises(ConfigError, match="price_per_million_input_tokens"):
        plan_of(small_table(), config, ["a text"])


def test_words_for_labels_as_yaml_reads_them() -> None:
    for section in (OpenAIFinetuneConfig, LlmLoraConfig):
        assert section(label_words={7: "seven", "x": "y"}).label_words == {"7": "seven", "x": "y"}
        with pytest.raises(ValueError, match="the word for 'x' is 7, which is no text; quote it: '7'"):
            section(label_words={"x": 7})
        with pytest.raises(ValueError, match="dictionary"):
            section(label_words=["x"])


def test_too_few_texts() -> None:
    with pytest.raises(DataError, match="9 texts, and the provider trains on 10"):
        plan_of(small_table({"billing": 5, "access": 4}), settings())
