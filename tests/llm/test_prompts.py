"""Prompts letter by letter, answers case by case."""

import pytest

from sharprecl.errors import ConfigError
from sharprecl.llm.prompts import Prompt, first_words, label_words, parse_answer

PROMPT = Prompt("topic of the news article", ("earn", "money market", "trade"), 4)


def test_messages_are_golden():
    assert PROMPT.messages("Profits  rose\nby nine percent today") == [
        {
            "role": "system",
            "content": "You are a text classifier. Answer with exactly one label from the list and nothing else.",
        },
        {
            "role": "user",
            "content": "Task: topic of the news article.\nLabels: earn; money market; trade\n"
            "Text: Profits  rose\nby nine\nLabel:",
        },
    ]


def test_plain_form_is_golden():
    assert PROMPT.plain(" Profits rose ") == (
        "You are a text classifier. Answer with exactly one label from the list and nothing else.\n"
        "Task: topic of the news article.\n"
        "Labels: earn; money market; trade\n"
        "Text: Profits rose\n"
        "Label:"
    )


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("a b c", 3, "a b c"),
        ("a b c", 2, "a b"),
        (" a\t b \n c ", 2, "a\t b"),
        ("  ", 1, ""),
        ("", 1, ""),
        (" a ", 9, "a"),
    ],
)
def test_first_words(text, limit, kept):
    assert first_words(text, limit) == kept


def test_numbers_become_classes_and_chosen_words_win():
    assert label_words(["7", "-1", "2.5", "3d", "x"], {"x": " the  unknown "}) == (
        "class 7",
        "class -1",
        "class 2.5",
        "3d",
        "the unknown",
    )


@pytest.mark.parametrize(
    ("names", "chosen", "match"),
    [
        (["us", "US"], {}, "'us' and 'US' read alike"),
        (["a", "b"], {"b": "A."}, "'a' and 'b' read alike"),
        (["a", "b"], {"c": "d"}, "no label"),
        (["alpha", "b"], {"Alpha": "d"}, "did you mean 'alpha'"),
        (["a", "b"], {"b": " "}, "has no word"),
    ],
)
def test_words_that_cannot_be_told_apart(names, chosen, match):
    with pytest.raises(ConfigError, match=match):
        label_words(names, chosen)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("entity", 0),
        (" Entity", 0),
        ("ENTITY.", 0),
        ('"entity"', 0),
        ("**entity**", 0),
        ("Label: entity", 0),
        ("\n\nentity\nBecause it is one.", 0),
        ("money  market", 1),
        ("C++", 2),
        ("c++.", 2),
        ("US", 3),
        ("U.S.", 4),
        ("entity or money market", None),
        ("entit", None),
        ("animal", None),
        ("The answer is entity", None),
        ("", None),
        (" \n ", None),
        (".", None),
    ],
)
def test_parser(answer, label):
    assert parse_answer(answer, ("entity", "money market", "C++", "us", "U.S.")) == label
