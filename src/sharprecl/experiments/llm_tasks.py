"""What a language model is told of a benchmark: what the labels are, and words for labels that are codes."""

from collections.abc import Mapping
from typing import Any

from sharprecl.data.benchmarks import SOURCES

_TASKS: Mapping[str, str] = {
    "r52": "topic of the news article",
    "ohsumed": "disease category of the medical title",
    "trec": "type of answer the question asks for",
    "dblp": "research area of the paper title",
    "biomedical": "biomedical topic of the paper title",
    "cr": "sentiment of the customer review",
}


def task_description(data: str) -> dict[str, Any]:
    """Settings of a language model's ``method`` section for a benchmark; none for a file.

    The paper gives no prompts; these are ours, the same for all models.
    """
    if data not in _TASKS:
        return {}
    words = dict(SOURCES[data].labels)
    return {"task": _TASKS[data], **({"label_words": words} if words else {})}
