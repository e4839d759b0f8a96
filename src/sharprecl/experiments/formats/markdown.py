"""Markdown as GitHub shows it, which knows raised marks and underlines as HTML: ``ins``, for it takes ``u`` away."""

import re
from collections.abc import Iterable

from sharprecl.experiments.sheets import Document, Entry, Sheet

# A dot or a dash is left alone, and so is an underscore within a word: mid-sentence they mean nothing.
_SPECIAL = re.compile(r"([\\`*\[\]<>|#]|(?<!\w)_|_(?!\w))")


def as_markdown(document: Document) -> str:
    """Write a document; ends with a newline."""
    parts = [f"## {_plain(document.title)}", *(_plain(sentence) for sentence in document.caption)]
    parts += ["\n".join(f"- {_plain(sentence)}" for sentence in document.summary)] if document.summary else []
    for sheet in document.sheets:
        parts += [f"### {_plain(sheet.title)}", _table(sheet)]
        parts += ["\n".join(f"- {_plain(note)}" for note in sheet.notes)] if sheet.notes else []
    if document.notes:
        parts += ["### Notes", "\n".join(f"- {_plain(note)}" for note in document.notes)]
    parts += [f"    {document.command}", f"<!-- {document.provenance.mark()} -->"]
    return "\n\n".join(parts) + "\n"


def _table(sheet: Sheet) -> str:
    sides = ["---"] * sheet.words + ["---:"] * (len(sheet.headings) - sheet.words)
    lines = [_line(map(_plain, sheet.headings)), "|" + "|".join(sides) + "|"]
    return "\n".join([*lines, *(_line(map(_entry, row)) for row in sheet.rows)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _entry(entry: Entry) -> str:
    text = _plain(entry.text)
    if entry.best:
        text = f"**{text}**"
    if entry.runner_up:
        text = f"<ins>{text}</ins>"
    if entry.spread:
        text += f" ± {_plain(entry.spread)}"
    text += "".join(f"<sup>{_plain(mark)}</sup>" for mark in entry.marks)
    return f"{text} ({_plain(entry.difference)})" if entry.difference else text


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
