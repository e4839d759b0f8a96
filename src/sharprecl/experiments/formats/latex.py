"""LaTeX for a paper: tables with ``booktabs``, scaled to the text's width by ``graphicx`` where they are wider."""

from sharprecl.experiments.sheets import Document, Entry, Sheet

_SPECIAL = str.maketrans(
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
    }
)


def as_latex(document: Document) -> str:
    """Write a document, each sheet as a ``table``; ends with a newline."""
    head = [
        f"% {document.title.strip()}",
        "% needs \\usepackage[T1]{fontenc} \\usepackage{textcomp} \\usepackage{booktabs} \\usepackage{graphicx}",
        f"% {document.command}",
        f"% {document.provenance.mark()}",
    ]
    parts = [" ".join(line.split("\n")) for line in head]
    for sheet in document.sheets:
        parts += ["", *_table(document, sheet)]
    return "\n".join(parts) + "\n"


def _table(document: Document, sheet: Sheet) -> list[str]:
    sides = "l" * sheet.words + "r" * (len(sheet.headings) - sheet.words)
    caption = " ".join([f"{document.title}: {sheet.title}.", *document.caption])
    notes = " ".join([*sheet.notes, *document.notes])
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_plain(caption)}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        " & ".join(map(_plain, sheet.headings)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_entry, row)) + r" \\" for row in sheet.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *([rf"\par\smallskip{{\footnotesize {_plain(notes)}\par}}"] if notes else []),
        r"\end{table}",
    ]


def _entry(entry: Entry) -> str:
    text = _plain(entry.text)
    if entry.best:
        text = rf"\textbf{{{text}}}"
    if entry.runner_up:
        text = rf"\underline{{{text}}}"
    if entry.spread:
        text += rf" {{\scriptsize $\pm$ {_plain(entry.spread)}}}"
    text += "".join(rf"\textsuperscript{{{_plain(mark)}}}" for mark in entry.marks)
    return rf"{text} {{\scriptsize ({_plain(entry.difference)})}}" if entry.difference else text


def _plain(text: str) -> str:
    # A line that begins with [ after \\ would be read as the length of a gap.
    return " ".join(text.split()).translate(_SPECIAL).replace("[", "{[}").replace("]", "{]}")
