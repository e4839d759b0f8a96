"""From a table to tokens: the split, the views, and what a person should know about them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharprecl.augment.cache import views_folder
from sharprecl.augment.views import second_views
from sharprecl.config import RunConfig
from sharprecl.data.augmented import split_originals
from sharprecl.data.messages import names_phrase, plural
from sharprecl.data.tables import TextTable
from sharprecl.data.tokens import TokenizedTexts, tokenize
from sharprecl.errors import ConfigError

TELLING = 10.0
"""Points of macro-F1 by one text, from which on a user should know."""


@dataclass
class Notes:
    """Sentences that a person should read: told when they come up, and kept for the report."""

    sentences: list[str]
    say: Callable[[str], None]

    def add(self, sentence: str) -> None:
        self.sentences.append(sentence)
        self.say(f"note: {sentence}")


def split(
    table: TextTable, test: TextTable | None, config: RunConfig, notes: Notes
) -> tuple[TextTable, np.ndarray, TextTable | None]:
    """Return the texts to fit on, the rows held out, and the labelled texts that choose the epoch, or only judge it
    where the method takes no steps.
    """
    nothing = np.empty(0, dtype=np.int64)
    training = config.training
    if training.select_on == "last":
        return table, nothing, None
    if training.select_on == "test":
        if test is None:
            raise ConfigError(
                "training.select_on is 'test' but there are no test texts; give them with --test FILE, "
                "or set training.select_on to 'validation'"
            )
        notes.add("the epoch was chosen on the test texts: the test figures are too good to be true for new texts")
        return table, nothing, test
    fit_rows, held_out = split_originals(
        table.label_ids, training.validation_fraction, config.seed, table.texts, table.copies
    )
    chooses = config.method.trains_encoder
    if len(held_out) == 0:
        if chooses:
            notes.add("no class has two texts, so nothing could be held out: the last epoch was kept")
        return table, nothing, None
    judging = table.select(held_out)
    if chooses and (doubt := selection_doubt(judging)):
        notes.add(doubt)
    return table.select(fit_rows), held_out, judging


def selection_doubt(judging: TextTable) -> str:
    """Say so where one text of the rarest class alone can choose the epoch; else empty.

    On two classes, 43 texts of the rare one and so 4 held out, the chosen epoch found none of them in 14 of 51
    trainings, and seeds of one method lay up to 37 points of macro-F1 apart (docs/results.md).
    """
    count_C = judging.class_counts
    present = np.flatnonzero(count_C)
    rarest = present[np.argmin(count_C[present])]
    # Of n texts the first that is found makes an F1 of 2 / (n + 1) out of 0, and macro-F1 is the mean over the classes.
    points = 100 * 2 / (count_C[rarest] + 1) / judging.num_classes
    if points < TELLING:
        return ""
    return (
        f"the epoch is chosen by macro-F1 on {plural(len(judging), 'text', 'texts')}, of which "
        f"{names_phrase([judging.label_names[rarest]])} has {count_C[rarest]}: whether one of them is found makes "
        f"about {points:.0f} points, so believe no figure before several seeds agree ('sharprecl compare' trains them)"
    )


def views_of(
    table: TextTable,
    tokenizer: Any,
    config: RunConfig,
    notes: Notes,
) -> tuple[tuple[TokenizedTexts, ...], dict[str, Any]]:
    """Tokenise every view of the training texts; return them with JSON-ready facts about them."""
    max_length, kind = config.encoder.max_length, config.method.views
    first = tokenize(table.texts, tokenizer, max_length)
    facts: dict[str, Any] = {"truncated_texts": first.truncated}
    if first.truncated:
        notes.add(
            f"{first.truncated} of {len(table)} training texts are longer than {max_length} tokens and were cut off "
            f"there (encoder.max_length)"
        )
    if kind == "one":
        return (first,), facts
    if kind == "two" and config.view == "upper":
        return (first,), {**facts, "view": "upper", "view_share_changed": 0.0}
    if kind == "same":
        return (first, first), {**facts, "view": "dropout", "view_share_changed": 0.0}
    made = second_views(
        table.texts,
        config.view,
        protected=table.label_names,
        seed=config.seed,
        cache_folder=views_folder(),
        progress=_now_and_then(notes.say),
        settings=config.augment.model_dump(mode="json"),
    )
    if made.note:
        notes.add(made.note)
    facts |= {"view": made.name, "view_share_changed": made.share_changed}
    return (first, tokenize(made.texts, tokenizer, max_length)), facts


def _now_and_then(say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Tell of the second views every ten seconds."""
    last = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= 10.0:
            last = time.monotonic()
            say(f"second views: {done} of {total} texts")

    return progress
