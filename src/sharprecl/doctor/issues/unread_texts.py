"""What the encoder does not read of the texts: what it cuts, knows no piece of, or finds in another script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.assets.catalogue import ENCODERS
from sharprecl.data.messages import SHOWN, plural, rows_phrase
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.base import Data, Finding, Issue, Severity
from sharprecl.doctor.issues.display import Section, percent
from sharprecl.doctor.scripts import NONE, scripts
from sharprecl.doctor.texts import LONGEST, Progress, chunks, least, text_hashes
from sharprecl.report.svg import clean

MOST_READ = 200_000
"""Texts of a file that are tokenised: of so many, a share is known to 0.2 points, in a minute."""
QUANTILES = (0.5, 0.9, 0.99, 1.0)
SHOWN_ROWS, SHOWN_SCRIPTS = 50, 3
CUT = 0.05
"""One text in twenty: below, cutting the longest texts off saves time at hardly any cost."""
FOREIGN = 0.05
"""One text in twenty in another script is no exception any more."""


@dataclass(frozen=True)
class TextReport:
    """What the encoder will see of the texts.

    Attributes:
        encoder: the name that was given; empty where no tokenizer could be had.
        max_length: tokens that a text may have.
        truncated, truncated_test: share of the texts that are longer, None without a tokenizer.
        empty: training rows of which the tokenizer keeps nothing but unknown tokens, at most 50; texts that were too
            long to be read whole are not among them.
        empty_count: how many such rows there are among those examined.
        token_quantiles: tokens a text at the quantiles 0.5, 0.9, 0.99 and 1, uncut, with special ones; empty without
            a tokenizer.
        scripts: share of the texts by the script that most of their letters belong to, as ``LATIN`` or ``CYRILLIC``,
            largest first; texts without letters have none.
        foreign: rows outside the main script, at most 50; ``foreign_count``: how many.
        examined: training texts that were tokenised: all, or the sample that the limit allows; 0 without a tokenizer.
    """

    encoder: str
    max_length: int
    truncated: float | None
    truncated_test: float | None
    empty: tuple[int, ...]
    empty_count: int
    token_quantiles: tuple[float, ...]
    scripts: dict[str, float]
    foreign: tuple[int, ...]
    foreign_count: int
    examined: int


class UnreadTexts(Issue):
    """Lengths and scripts of the texts. Every text's script is looked at; tokens are counted of ``MOST_READ`` texts of
    each file, of more in a random sample, the same one each time.
    """

    key = "texts"
    figures: TextReport

    @staticmethod
    def find(data: Data) -> TextReport:
        file, tokenizer = data.train, data.encoder.tokenizer
        written = scripts(file.table.texts, data.progress)
        foreign = np.flatnonzero(written.of_texts > 0)
        counts = np.bincount(written.of_texts[written.of_texts != NONE], minlength=len(written.names))
        rows, lengths, unknown = _tokens(file.table, tokenizer, data.progress)
        test_lengths = lengths[:0] if data.tested is None else _tokens(data.tested, tokenizer, data.progress)[1]
        quantiles = np.quantile(lengths, QUANTILES, method="higher").tolist() if len(lengths) else []
        return TextReport(
            encoder=data.encoder.name,
            max_length=data.max_length,
            truncated=_longer(lengths, data.max_length),
            truncated_test=_longer(test_lengths, data.max_length),
            empty=file.in_file(rows[unknown][:SHOWN_ROWS]),
            empty_count=int(unknown.sum()),
            token_quantiles=tuple(map(float, quantiles)),
            scripts=dict(zip(written.names, (counts / len(file.table)).tolist(), strict=True)),
            foreign=file.in_file(foreign[:SHOWN_ROWS]),
            foreign_count=len(foreign),
            examined=len(rows),
        )

    @property
    def main_script(self) -> str:
        """The script of most texts; empty where no text has letters."""
        return max(self.figures.scripts, key=self.figures.scripts.__getitem__, default="")

    def findings(self) -> Iterator[Finding]:
        found, main = self.figures, self.main_script
        if why_not := self.data.encoder.why_not:
            sentence = f"lengths were not examined, for the default encoder could not be had: {why_not}"
            yield Finding("note", "texts", sentence, "name another with --encoder")
        if found.empty_count:
            count = f"{found.empty_count:,} of {plural(found.examined, 'text', 'texts')}"
            verb = "is" if found.empty_count == 1 else "are"
            where = _rows(found.empty, found.empty_count)
            sentence = f"{count} {verb} nothing but unknown tokens to the encoder: {where}"
            cure = "delete them, or choose an encoder that knows their script"
            yield Finding("warning", "texts", sentence, cure, found.empty[:SHOWN])
        cut = [(share, of) for share, of in ((found.truncated, "training"), (found.truncated_test, "test")) if share]
        if cut:
            shares = " and ".join(f"{percent(share)} of the {of} texts" for share, of in cut)
            sentence = f"{shares} have over {found.max_length:,} tokens and are cut there"
            longest = self.data.encoder.longest
            more = (
                "raise --max-length"
                if longest is None or longest > found.max_length
                else "take an encoder that reads more"
            )
            cure = f"{more}, or put first what matters"
            yield Finding("warning" if max(cut)[0] >= CUT else "note", "texts", sentence, cure)
        if main and main != "LATIN" and found.encoder in ENCODERS:
            sentence = (
                f"most texts are in {_script(main)} script, and the encoder {found.encoder} was trained on English"
            )
            yield Finding("warning", "texts", sentence, "choose a multilingual encoder with --encoder")
        if found.foreign_count:
            others = {name: share for name, share in found.scripts.items() if name != main}
            shown = ", ".join(f"{_script(name)} {percent(share)}" for name, share in [*others.items()][:SHOWN_SCRIPTS])
            count = plural(found.foreign_count, "text is", "texts are")
            where = _rows(found.foreign, found.foreign_count)
            sentence = f"{count} not in {_script(main)} script ({shown}): {where}"
            cure = "choose a multilingual encoder, or leave them to a model of their own"
            severity: Severity = "warning" if sum(others.values()) >= FOREIGN else "note"
            yield Finding(severity, "texts", sentence, cure, found.foreign[:SHOWN])

    def section(self) -> Section:
        found = self.figures
        figures = []
        if found.truncated is not None:
            tokens = ", ".join(f"{quantile:,.0f}" for quantile in found.token_quantiles)
            figures += [
                ("tokens: median, 90 %, 99 %, longest", tokens),
                (f"cut at {found.max_length:,} tokens", percent(found.truncated)),
            ]
            if found.truncated_test is not None:
                figures.append((f"test texts cut at {found.max_length:,} tokens", percent(found.truncated_test)))
            figures.append(("nothing but unknown tokens", plural(found.empty_count, "text", "texts")))
        shown = [f"{_script(name)} {percent(share)}" for name, share in found.scripts.items()][:SHOWN_SCRIPTS]
        more = len(found.scripts) - len(shown)
        figures.append(("scripts", (", ".join(shown) or "no letters") + (f" and {more} more" if more else "")))
        return Section(f"Texts, as {clean(found.encoder, 30)} reads them" if found.encoder else "Texts", figures)


def _tokens(
    table: TextTable, tokenizer: Any, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """The M rows that are tokenised, their tokens, special ones included, and whether none of them means anything."""
    if tokenizer is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    rows = np.arange(len(table))
    if len(table) > MOST_READ:
        rows = least(text_hashes(table.texts, progress, "choosing texts to tokenise"), MOST_READ)
    some = [table.texts[row] for row in rows]
    blank = {tokenizer.convert_tokens_to_ids(mark) for mark in ("▁", "Ġ")}  # a space before what is unknown
    meaningless = {*tokenizer.all_special_ids, *blank}
    special = tokenizer.num_special_tokens_to_add()
    lengths = np.empty(len(some), dtype=np.int64)
    empty = np.empty(len(some), dtype=bool)
    for part in chunks(some, "counting tokens", progress):
        found = tokenizer(
            some[part],
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,  # or it warns of every text that is too long for the encoder
        )["input_ids"]
        lengths[part] = [len(row) + special for row in found]
        # Of a text that was cut nobody knows the rest; WordPiece takes a line without spaces for one unknown word.
        empty[part] = [
            len(text) < LONGEST and meaningless.issuperset(row) for text, row in zip(some[part], found, strict=True)
        ]
    return rows, lengths, empty


def _longer(lengths: NDArray[np.int64], max_length: int) -> float | None:
    """The share of texts of more tokens; None without a text."""
    return float((lengths > max_length).mean()) if len(lengths) else None


def _script(name: str) -> str:
    """The name of a script as a reader writes it: Latin, Cyrillic, CJK."""
    return name if name == "CJK" else name.title()


def _rows(rows: Sequence[int], count: int) -> str:
    """``rows_phrase`` of rows counted from 1, of which only the first may be known."""
    phrase = rows_phrase([row - 1 for row in rows[:SHOWN]])
    return f"{phrase} and {count - SHOWN:,} more" if count > SHOWN else phrase
