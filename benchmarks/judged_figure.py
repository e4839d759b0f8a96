"""The README's picture: macro-F1 of the judged rows on six data sets, a dot a method, a bar a standard deviation.

python benchmarks/judged_figure.py     # from benchmarks/results/judged.jsonl, writes docs/figures/judged.svg
"""

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from pair_ratio_figures import INK, STYLE
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.results import Line, Table, make_table
from sharprecl.experiments.store import load_records
from sharprecl.report.svg import BLUE, ORANGE, VERMILLION

HERE = Path(__file__).parent
NAMES = {
    "cr@50": "CR: reviews, 50 to 1",
    "biomedical/150@50": "Biomedical: titles, 150 to 3",
    "dblp/1000@50": "DBLP: titles, 1,000 to 20",
    "ohsumed": "Ohsumed: medical titles",
    "r52/60": "R52: news, at most 60 a class",
    "trec@50": "TREC: questions, 50 to 1",
}
ROWS = {
    "cross_entropy": ("cross-entropy", ORANGE, "s"),
    "balanced_softmax": ("balanced softmax", BLUE, "^"),
    "sharprecl": ("SharpReCL", VERMILLION, "o"),
}


def draw(table: Table) -> Figure:
    figure = Figure(figsize=(7.2, 3.1))
    axes = figure.subplots()
    for shift, (row, (label, colour, marker)) in zip((0.22, 0.0, -0.22), ROWS.items(), strict=True):
        cells = [table.cells[Line(row), column] for column in NAMES]
        means = [100 * (cell.mean("macro_f1") or 0.0) for cell in cells]
        spreads = [100 * (cell.deviation("macro_f1") or 0.0) for cell in cells]
        places = [place + shift for place in range(len(NAMES))]
        axes.errorbar(means, places, xerr=spreads, fmt=marker, color=colour, label=label, markersize=6, elinewidth=1.4)
    axes.set_yticks(range(len(NAMES)), list(NAMES.values()))
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("macro-F1 on test texts, mean and standard deviation over five seeds")
    figure.legend(loc="outside upper center", ncols=len(ROWS), frameon=False, labelcolor=INK)
    return figure


def main() -> None:
    records = load_records(HERE / "results" / "judged.jsonl")
    table = make_table(load_plan(str(HERE / "judged.yaml")), records, "small", rows=list(ROWS))
    with matplotlib.rc_context(STYLE):
        figure = draw(table)
        target = HERE.parent / "docs" / "figures" / "judged.svg"
        figure.savefig(target, metadata={"Date": None, "Creator": None}, facecolor="white")


if __name__ == "__main__":
    main()
