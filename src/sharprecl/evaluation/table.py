"""Methods side by side on the terminal, in percent with 95 % intervals."""

from rich import box
from rich.table import Table
from rich.text import Text

from sharprecl.data.messages import plural
from sharprecl.evaluation.bands import BANDS, HEAD_OVER, TAIL_UNDER
from sharprecl.evaluation.judge import Evaluation

COLUMNS = {
    "accuracy": "Accuracy",
    "macro_f1": "Macro-F1",
    "balanced_accuracy": "Balanced accuracy",
    "head": "Head F1",
    "medium": "Medium F1",
    "tail": "Tail F1",
}
DASH = "\N{EN DASH}"


def comparison_table(rows: dict[str, Evaluation]) -> Table:
    """Make the terminal's table: one row a method, each interval on a line below its figure; fits 80 columns.

    Bands of classes that there are none of have no column, which leaves more room for the names.
    """
    every = rows.values()
    shown = {name: title for name, title in COLUMNS.items() if any(row.score(name) is not None for row in every)}
    first = next(iter(every))
    texts = plural(first.n_texts, "test text", "test texts")
    caption = f"In percent, with 95 % bootstrap intervals, on {texts}. Macro-F1 within {band_words(first)}."
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, caption=caption)
    table.caption_justify = "left"
    table.add_column("Method", overflow="fold")
    for title in shown.values():
        table.add_column(title.replace(" acc", "\nacc"), justify="right")
    best = {name: max(_rounded(row, name) for row in every) for name in shown}
    for method, row in rows.items():
        cells = [_two_lines(row, name, bold=len(rows) > 1 and _rounded(row, name) == best[name]) for name in shown]
        table.add_row(Text(method), *cells)
    return table


def band_words(row: Evaluation) -> str:
    """The bands, what they mean and how many classes and test texts each has, as a phrase."""
    limits = (f"over {HEAD_OVER} training texts", f"{TAIL_UNDER} to {HEAD_OVER}", f"under {TAIL_UNDER}")
    return ", ".join(
        f"{name} ({limit}: {plural(row.bands[name].n_classes, 'class', 'classes')}, "
        f"{plural(row.bands[name].n_texts, 'test text', 'test texts')})"
        for name, limit in zip(BANDS, limits, strict=True)
    )


def _two_lines(row: Evaluation, name: str, *, bold: bool) -> Text:
    value = row.score(name)
    if value is None:
        return Text(DASH, style="dim")
    low, high = row.intervals[name]
    figure = Text(f"{100 * value:.1f}", style="bold" if bold else "")
    return figure.append(f"\n{_end(low)}{DASH}{_end(high)}", style="not bold dim")


def _end(share: float) -> str:
    """One end of an interval in percent; all is 100 and not 100.0, so that no interval is over nine letters wide."""
    return f"{100 * share:.1f}".replace("100.0", "100")


def _rounded(row: Evaluation, name: str) -> float:
    value = row.score(name)
    return -1.0 if value is None else round(100 * value, 1)
