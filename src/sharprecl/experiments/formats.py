"""A document as text: Markdown, LaTeX, HTML, or CSV in long form. Equal documents give equal bytes.

Markdown is as GitHub shows it, which knows raised marks and underlines as HTML (``ins``, for it takes ``u`` away).
HTML is a fragment for a page in the style of ``report/style.css``. LaTeX has tables with ``booktabs``, scaled to the
text's width by ``graphicx`` where they are wider. CSV has one number a line, unrounded, with all that places it.
Everything that comes from outside is escaped.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError
from sharprecl.experiments.document import Document, Entry, LongFormValue, Sheet

_HEADER = ("plan", "scale", "part", "metric", "row", "column", "seed", "quantity", "value")
# A dot or a dash is left alone, and so is an underscore within a word: mid-sentence they mean nothing.
_SPECIAL_IN_MARKDOWN = re.compile(r"([\\`*\[\]<>|#]|(?<!\w)_|_(?!\w))")
_ASIDE = "What is odd about the printed figures"
_BY_COLUMN = "Column by column"
_READ_AT_ONCE = 4
"""More sentences of a summary are folded away."""
_SPECIAL_IN_LATEX = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\N{EN DASH}": "--",
        "\N{MINUS SIGN}": "$-$",
        "±": r"$\pm$",
        "*": r"$*$",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        # With fontenc T1 these would become other signs or ligatures.
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        # A line that begins with [ after \\ would be read as the length of a gap.
        "[": "{[}",
        "]": "{]}",
    }
)


class _Markup(NamedTuple):
    """How a format escapes text, and what it writes around the parts of an entry; %s is the part."""

    plain: Callable[[str], str]
    best: str
    runner_up: str
    spread: str
    mark: str
    difference: str

    def entry(self, entry: Entry) -> str:
        text = self.plain(entry.text)
        text = self.best % text if entry.best else text
        text = self.runner_up % text if entry.runner_up else text
        text += self.spread % self.plain(entry.spread) if entry.spread else ""
        text += "".join(self.mark % self.plain(mark) for mark in entry.marks)
        return text + self.difference % self.plain(entry.difference) if entry.difference else text


_MARKDOWN = _Markup(
    plain=lambda text: _SPECIAL_IN_MARKDOWN.sub(r"\\\1", " ".join(text.split())),
    best="**%s**",
    runner_up="<ins>%s</ins>",
    spread=" ± %s",
    mark="<sup>%s</sup>",
    difference=" (%s)",
)
_HTML = _Markup(
    plain=escape,
    best="<strong>%s</strong>",
    runner_up="<u>%s</u>",
    spread=' <small class="spread">± %s</small>',
    mark="<sup>%s</sup>",
    difference=" <small>(%s)</small>",
)
_LATEX = _Markup(
    plain=lambda text: " ".join(text.split()).translate(_SPECIAL_IN_LATEX),
    best=r"\textbf{%s}",
    runner_up=r"\underline{%s}",
    spread=r" {\scriptsize $\pm$ %s}",
    mark=r"\textsuperscript{%s}",
    difference=r" {\scriptsize (%s)}",
)


def check_format(name: str) -> None:
    """See that there is such a format.

    Raises:
        ConfigError: there is none.
    """
    if name not in FORMATS:
        raise ConfigError(f"there is no format {name!r}{closest(name, FORMATS)}; choose one of {', '.join(FORMATS)}")


def write_document(document: Document) -> str:
    """The text of a document, in the format that it names."""
    return FORMATS[document.provenance.format](document)


def markdown_table(sheet: Sheet) -> str:
    """A sheet's rectangle alone."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    sides = ["---"] * sheet.words + ["---:"] * (len(sheet.headings) - sheet.words)
    rows = (line(map(_MARKDOWN.entry, row)) for row in sheet.rows)
    return "\n".join([line(map(_MARKDOWN.plain, sheet.headings)), f"|{'|'.join(sides)}|", *rows])


def html_table(sheet: Sheet) -> str:
    """A sheet's rectangle alone; a wide one scrolls by itself, not the page with it."""
    left = [' class="left"' if place < sheet.words else "" for place in range(len(sheet.headings))]
    heads = zip(left, sheet.headings, strict=True)
    rows = []
    for first, *others in sheet.rows:
        cells = (f"<td{side}>{_HTML.entry(entry)}</td>" for side, entry in zip(left[1:], others, strict=True))
        rows.append(f'<tr><th scope="row">{_HTML.entry(first)}</th>{"".join(cells)}</tr>')
    return "\n".join(
        [
            '<div class="scroll"><table>',
            "<thead><tr>",
            *(f'<th scope="col"{side}>{escape(heading)}</th>' for side, heading in heads),
            "</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody></table></div>",
        ]
    )


def _as_markdown(document: Document) -> str:
    plain = _MARKDOWN.plain

    def listed(sentences: Iterable[str]) -> list[str]:
        items = "\n".join(f"- {plain(sentence)}" for sentence in sentences)
        return [items] if items else []

    def folded(name: str, sentences: Iterable[str]) -> list[str]:
        return [f"<details><summary>{name}</summary>", *listed(sentences), "</details>"]

    parts = [f"## {plain(document.title)}", *map(plain, document.caption)]
    many = len(document.summary) > _READ_AT_ONCE
    parts += [] if many else listed(document.summary)
    for sheet in document.all_sheets:
        parts += [f"### {plain(sheet.title)}", markdown_table(sheet), *listed(sheet.notes)]
        parts += folded(_ASIDE, sheet.aside) if sheet.aside else []
    parts += folded(_BY_COLUMN, document.summary) if many else []
    if document.notes:
        parts += ["### Notes", *listed(document.notes)]
    parts += [f"    {document.command}", f"<!-- {document.provenance.mark()} -->"]
    return "\n\n".join(parts) + "\n"


def _as_html(document: Document) -> str:
    def listed(kind: str, sentences: Sequence[str]) -> list[str]:
        items = [f"<li>{escape(sentence)}</li>" for sentence in sentences]
        return [f'<ul class="{kind}">', *items, "</ul>"] if items else []

    def folded(name: str, kind: str, sentences: Sequence[str]) -> list[str]:
        return [f"<details><summary>{name}</summary>", *listed(kind, sentences), "</details>"]

    parts = ['<section class="results">', f"<h2>{escape(document.title)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in document.caption]
    many = len(document.summary) > _READ_AT_ONCE
    parts += [] if many else listed("summary", document.summary)
    for sheet in document.all_sheets:
        parts += [f"<h3>{escape(sheet.title)}</h3>", html_table(sheet), *listed("notes", sheet.notes)]
        parts += folded(_ASIDE, "notes", sheet.aside) if sheet.aside else []
    parts += folded(_BY_COLUMN, "summary", document.summary) if many else []
    if document.notes:
        parts += ["<h3>Notes</h3>", *listed("notes", document.notes)]
    parts += [f"<pre><code>{escape(document.command)}</code></pre>", f"<!-- {document.provenance.mark()} -->"]
    return "\n".join([*parts, "</section>"]) + "\n"


def _as_latex(document: Document) -> str:
    head = [
        f"% {document.title.strip()}",
        "% needs \\usepackage[T1]{fontenc} \\usepackage{textcomp} \\usepackage{booktabs} \\usepackage{graphicx}",
        f"% {document.command}",
        f"% {document.provenance.mark()}",
    ]
    lines = [" ".join(line.split("\n")) for line in head]
    for sheet in document.all_sheets:
        sides = "l" * sheet.words + "r" * (len(sheet.headings) - sheet.words)
        caption = " ".join([f"{document.title}: {sheet.title}.", *document.caption])
        notes = " ".join([*sheet.notes, *sheet.aside, *document.notes])
        lines += [
            "",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_LATEX.plain(caption)}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            " & ".join(map(_LATEX.plain, sheet.headings)) + r" \\",
            r"\midrule",
            *(" & ".join(map(_LATEX.entry, row)) + r" \\" for row in sheet.rows),
            r"\bottomrule",
            r"\end{tabular}}",
            *([rf"\par\smallskip{{\footnotesize {_LATEX.plain(notes)}\par}}"] if notes else []),
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _as_csv(document: Document) -> str:
    """In long form; the first two lines say how it was made."""
    recipe = document.provenance.recipe
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_HEADER)
    made = [
        LongFormValue("table", "command", document.command),
        LongFormValue("table", "made_from", document.provenance.mark()),
    ]
    for figure in [*made, *document.figures]:
        place = (figure.part, figure.metric, figure.row, figure.column, "" if figure.seed is None else figure.seed)
        # Twelve digits are more than anything here knows, and fewer than machines differ in.
        value = figure.value if isinstance(figure.value, str) else f"{figure.value:.12g}"
        writer.writerow([recipe.plan, recipe.scale, *place, figure.quantity, value])
    return stream.getvalue()


FORMATS: Mapping[str, Callable[[Document], str]] = {
    "markdown": _as_markdown,
    "latex": _as_latex,
    "csv": _as_csv,
    "html": _as_html,
}
"""By the names that ``experiment table --format`` takes."""
