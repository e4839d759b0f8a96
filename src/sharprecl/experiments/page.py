"""A page of results: every table and figure of some plans, and the command that makes each."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from sharprecl.data.messages import plural
from sharprecl.errors import AssetError, ConfigError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import make_document
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.figures.draw import data_sets, figures_of
from sharprecl.experiments.figures.drawing import Drawing, save
from sharprecl.experiments.formats import FORMATS
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe, check_replaceable
from sharprecl.experiments.sheets import Document
from sharprecl.experiments.tables import Table, make_table
from sharprecl.extras import require
from sharprecl.files import write_text
from sharprecl.report.render import render
from sharprecl.runs.record import RunRecord

PURPOSE = "the page of results"
ENDINGS = {"markdown": "md", "latex": "tex", "csv": "csv"}
Tell = Callable[[str], None]


@dataclass(frozen=True)
class PageSection:
    """What a page says of one plan.

    Attributes:
        plan: as it was named.
        document: its table.
        commands: what makes the runs and the figures.
        whole: whether nothing of the plan, or of the part that was asked for, is left to run.
    """

    plan: str
    title: str
    document: Document
    figures: tuple[Drawing, ...]
    commands: tuple[str, ...]
    runs: tuple[RunRecord, ...]
    whole: bool = True


def check_page() -> None:
    """Refuse early what ``write_page`` would refuse after hours of runs.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    for module in ("matplotlib", "jinja2"):
        require(module, "report", PURPOSE)


def make_section(
    name: str,
    plan: Plan,
    scale: str,
    records: Records,
    *,
    columns: Sequence[str] = (),
    seeds: Sequence[int] = (),
    results: Sequence[Path] = (),
    tell: Tell = lambda _: None,
) -> PageSection | None:
    """Gather what there is to say of a plan; None where nothing was run, or data cannot be counted without a network.

    Args:
        name: how the plan was named, for the commands.
        columns, seeds: only these, as far as the plan has them at the scale; empty is all. A plan that has no runs is
            shown whole.
        results: where the records were read from, for the commands; empty is the usual folder.
        tell: is told, in one line each, of what takes time.

    Raises:
        ConfigError: the plan does not fit the scale.
        MissingExtraError: matplotlib, or openTSNE for embeddings, is not installed.
    """
    where = "".join(f" --results {shlex.quote(str(path))}" for path in results)
    with_runs = plan.kind != "datasets"
    data = [column for column in plan.columns_at(scale) if column in columns] if with_runs else []
    chosen = [seed for seed in seeds if seed < plan.seeds_at(scale)] if with_runs else []
    if with_runs and ((columns and not data) or (seeds and not chosen)):
        return None
    of_seeds = f" --seeds {','.join(map(str, chosen))}" if chosen else ""
    drawing = f"sharprecl experiment figure {shlex.quote(name)} --scale {scale}"
    document = partial(make_document, plan, records, Recipe(name, scale, columns=tuple(data), seeds=tuple(chosen)))
    if not with_runs:
        try:
            counted = document()
        except AssetError as error:
            tell(f"{name} is left out: {error}")
            return None
        drawn = data_sets(plan, tuple(plan.columns), tell)
        return PageSection(name, counted.title, counted, (drawn,) if drawn else (), (drawing,), ())
    table = make_table(plan, records, scale, columns=data, seeds=chosen)
    if not table.runs:
        return None
    tell(f"{name}: {plural(len(table.runs), 'run', 'runs')}")
    # Runs go into a folder; a file that they were exported to is only read.
    kept = where if all(path.is_dir() for path in results) else ""
    running = (
        f"sharprecl experiment run {shlex.quote(name)} --scale {scale}{part}{of_seeds}{kept}" for part in _parts(table)
    )
    drawing += (f" --columns {shlex.quote(','.join(data))}" if data else "") + of_seeds
    # A table says how it is made, but not from where.
    table_too = (f"{drawing.replace(' figure ', ' table ', 1)}{where}",) if results else ()
    commands = (*running, *table_too, f"{drawing}{where}")
    figures, made = tuple(figures_of(table, records.features)), document()
    whole = not (table.empty_lines or table.empty_columns) and all(cell.complete for cell in table.cells.values())
    return PageSection(name, made.title, made, figures, commands, table.runs, whole)


def borrowed(sections: Sequence[PageSection]) -> list[PageSection]:
    """Sections with holes and without a run of their own: nobody ran those plans, others made some of their runs."""
    found, known = [], set[str]()
    for section in sorted(sections, key=lambda section: -len(section.runs)):
        keys = {run.key for run in section.runs}
        if not section.whole and keys <= known:
            found.append(section)
        known |= keys
    return found


def write_page(folder: Path, title: str, lead: Sequence[str], scale: str, sections: Sequence[PageSection]) -> Path:
    """Write ``index.html`` with all figures inside, ``index.md``, and ``figures`` and ``tables`` beside them.

    Each file is whole or not at all; equal sections give equal bytes.

    Args:
        lead: sentences under the title.

    Returns:
        The page.

    Raises:
        ConfigError: two plans have files of one name, or the page is somebody else's.
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    stems = [_stem(section, scale) for section in sections]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ConfigError(f"two plans are named {stem.removesuffix(f'-{scale}')!r}; rename the file of one")
    page = folder / "index.html"
    for path in (page, folder / "index.md"):
        check_replaceable(path)
    for section in sections:
        for drawn in section.figures:
            save(drawn, folder / "figures")
        for name, ending in ENDINGS.items():
            write_text(
                folder / "tables" / f"{_stem(section, scale)}.{ending}", FORMATS[name](section.document.as_format(name))
            )
    sentences = [*lead, *basis_of(sections, scale)]
    render("sharprecl.experiments", _context(title, sentences, scale, sections), page, PURPOSE)
    write_text(folder / "index.md", _markdown(title, sentences, scale, sections))
    return page


def basis_of(sections: Sequence[PageSection], scale: str) -> list[str]:
    """Sentences on all runs of a page together: how many, where, how long, by what code."""
    runs = {run.key: run for section in sections for run in section.runs}
    if not runs:
        return []
    places = sorted({str(run.environment.get("hardware", "a machine unknown")) for run in runs.values()})
    codes = sorted({run.code[:8] for run in runs.values()})
    seconds = sum(run.seconds for run in runs.values())
    return [
        f"Scale {scale}; {plural(len(runs), 'run', 'runs')}, trained in {format_duration(seconds)} altogether on "
        f"{' and '.join(places)}, by the code {', '.join(codes)}."
    ]


def _parts(table: Table) -> list[str]:
    """Options of the commands for what was run: one command for all columns that have the same rows."""
    plan, scale = table.plan, table.scale
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for column in table.columns:
        rows = tuple(dict.fromkeys(line.row for line in table.lines if table.cells[line, column].runs))
        columns_of.setdefault(rows, []).append(column)
    return [
        (f" --rows {shlex.quote(','.join(rows))}" if rows != plan.rows_at(scale) else "")
        + (f" --columns {shlex.quote(','.join(columns))}" if tuple(columns) != plan.columns_at(scale) else "")
        for rows, columns in columns_of.items()
    ]


def _stem(section: PageSection, scale: str) -> str:
    return f"{Path(section.plan).stem}-{scale}"


def _context(title: str, sentences: Sequence[str], scale: str, sections: Sequence[PageSection]) -> dict[str, Any]:
    safe = import_module("markupsafe").Markup
    return {
        "title": title,
        "sentences": sentences,
        "scale": scale,
        "sections": [
            {
                "id": Path(section.plan).stem,
                "title": section.title,
                # The format escapes all that comes from outside.
                "table": safe(FORMATS["html"](section.document.as_format("html"))),
                "figures": [drawn for drawn in section.figures if not drawn.aside],
                "folded": [drawn for drawn in section.figures if drawn.aside],
                "commands": section.commands,
            }
            for section in sections
        ],
    }


def _markdown(title: str, sentences: Sequence[str], scale: str, sections: Sequence[PageSection]) -> str:
    parts = [f"# {title}", *sentences]
    for section in sections:
        parts.append(FORMATS["markdown"](section.document).rstrip("\n"))
        others = [f"[{name}](tables/{_stem(section, scale)}.{ending})" for name, ending in ENDINGS.items()]
        parts.append(f"The tables alone: {', '.join(others)}.")
        parts.append("\n".join(f"    {command}" for command in section.commands))
        for drawn in section.figures:
            image = f"![{drawn.title}](figures/{drawn.name}.svg)"
            parts.append(f"{image}\n\n{drawn.caption} [PNG](figures/{drawn.name}.png)")
    return "\n\n".join(parts) + "\n"
