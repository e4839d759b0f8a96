"""A fragment of HTML for a page in the style of ``report/style.css``. Everything is escaped."""

from html import escape

from sharprecl.experiments.sheets import Document, Entry, Sheet


def as_html(document: Document) -> str:
    """Write a document as one ``<section>``; ends with a newline."""
    parts = ['<section class="results">', f"<h2>{escape(document.title)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in document.caption]
    parts += _list("summary", document.summary)
    for sheet in document.sheets:
        parts += _sheet(sheet)
    if document.notes:
        parts += ["<h3>Notes</h3>", *_list("notes", document.notes)]
    parts += [f"<pre><code>{escape(document.command)}</code></pre>", f"<!-- {document.provenance.mark()} -->"]
    return "\n".join([*parts, "</section>"]) + "\n"


def _sheet(sheet: Sheet) -> list[str]:
    # A wide table scrolls by itself, not the page with it.
    lines = [f"<h3>{escape(sheet.title)}</h3>", '<div class="scroll"><table>', "<thead><tr>"]
    lines += [
        f'<th scope="col"{_kind(place, sheet)}>{escape(heading)}</th>' for place, heading in enumerate(sheet.headings)
    ]
    lines += ["</tr></thead>", "<tbody>"]
    for row in sheet.rows:
        head = f'<th scope="row">{_entry(row[0])}</th>'
        cells = [f"<td{_kind(place, sheet)}>{_entry(entry)}</td>" for place, entry in enumerate(row) if place]
        lines.append(f"<tr>{head}{''.join(cells)}</tr>")
    return [*lines, "</tbody></table></div>", *_list("notes", sheet.notes)]


def _kind(place: int, sheet: Sheet) -> str:
    return ' class="left"' if place < sheet.words else ""


def _list(kind: str, sentences: tuple[str, ...]) -> list[str]:
    items = [f"<li>{escape(sentence)}</li>" for sentence in sentences]
    return [f'<ul class="{kind}">', *items, "</ul>"] if items else []


def _entry(entry: Entry) -> str:
    text = escape(entry.text)
    if entry.best:
        text = f"<strong>{text}</strong>"
    if entry.runner_up:
        text = f"<u>{text}</u>"
    if entry.spread:
        text += f' <small class="spread">± {escape(entry.spread)}</small>'
    text += "".join(f"<sup>{escape(mark)}</sup>" for mark in entry.marks)
    return f"{text} <small>({escape(entry.difference)})</small>" if entry.difference else text
