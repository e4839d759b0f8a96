"""A page of results: every table and figure of some plans, and the command that makes each."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from sharprecl.data.messages import joined, plural
from sharprecl.errors import AssetError, ConfigError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.decision import Decision
from sharprecl.experiments.document import Document
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.figures import figures_of
from sharprecl.experiments.figures.distribution import data_sets
from sharprecl.experiments.figures.drawing import Drawing
from sharprecl.experiments.formats import html_table, markdown_table, write_document
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.published import coverage
from sharprecl.experiments.recipe import Recipe, check_replaceable
from sharprecl.experiments.results import Table, make_table
from sharprecl.experiments.tables import make_document
from sharprecl.extras import require
from sharprecl.files import write_text
from sharprecl.report.render import render
from sharprecl.runs.record import RunRecord

PURPOSE = "the page of results"
ENDINGS = {"markdown": "md", "latex": "tex", "csv": "csv"}
FOR_STRANGERS = (
    "Each table trains the same encoder in several ways where some classes have many texts and some few, and judges "
    "each by macro-F1: the mean of all classes' F1, so that a class of nine texts counts as much as one of a thousand. "
    "A data set with @50 is thinned until its largest class has 50 times the training texts of its smallest."
)
Tell = Callable[[str], None]


@dataclass(frozen=True)
class PageSection:
    """What a page says of one plan.

    Attributes:
        plan: as it was named.
        document: its table, which has its title.
        commands: what makes the runs and the figures; the document has its own.
        decision: what ``compare`` advises, above all else.
        covered: how many of the paper's figures have ours beside them, and how many there are.
        whole: whether nothing of the plan, or of the part that was asked for, is left to run.
    """

    plan: str
    document: Document
    figures: tuple[Drawing, ...]
    commands: tuple[str, ...]
    runs: tuple[RunRecord, ...]
    covered: tuple[int, int] = (0, 0)
    whole: bool = True
    decision: Decision | None = None


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
    seeds: Sequence[int] | None = (),
    results: Sequence[Path] = (),
    tell: Tell = lambda _: None,
) -> PageSection | None:
    """Gather what there is to say of a plan; None where nothing was run, or data cannot be counted without a network.

    Args:
        name: how the plan was named, for the commands.
        columns, seeds: only these, as far as the plan has them at the scale; empty is all. A plan that has no runs is
            shown whole. Seeds that are None are those that all cells have which have any.
        results: where the records were read from, for the commands; empty is the usual folder.
        tell: is told, in one line each, of what takes time.

    Raises:
        ConfigError: the plan does not fit the scale.
        MissingExtraError: matplotlib, or openTSNE for embeddings, is not installed.
    """
    where = "".join(f" --results {shlex.quote(str(path))}" for path in results)

    def command(what: str, part: str = "") -> str:
        return f"sharprecl experiment {what} {shlex.quote(name)} --scale {scale}{part}"

    if plan.kind == "datasets":
        try:
            document = make_document(plan, records, Recipe(name, scale))
        except AssetError as error:
            tell(f"{name} is left out: {error}")
            return None
        drawn = data_sets(plan, tuple(plan.columns), tell)
        return PageSection(name, document, (drawn,) if drawn else (), (command("figure"),), ())
    data = [column for column in plan.columns_at(scale) if column in columns]
    chosen = [seed for seed in seeds or () if seed < plan.seeds_at(scale)]
    if (columns and not data) or (seeds and not chosen):
        return None
    table = make_table(plan, records, scale, columns=data, seeds=chosen)
    if not table.runs:
        return None
    if seeds is None and len(table.shared_seeds) < plan.seeds_at(scale):
        chosen = list(table.shared_seeds)
        table = make_table(plan, records, scale, columns=data, seeds=chosen)
    tell(f"{name}: {plural(len(table.runs), 'run', 'runs')}")
    of_seeds = f" --seeds {','.join(map(str, chosen))}" if chosen else ""
    # Runs go into a folder; a file that they were exported to is only read.
    kept = where if all(path.is_dir() for path in results) else ""
    commands = [command("run", f"{part}{of_seeds}{kept}") for part in _parts(table)]
    of_data = f" --columns {shlex.quote(','.join(data))}" if data else ""
    commands.append(command("figure", f"{of_data}{of_seeds}{where}"))
    figures = tuple(figures_of(table, records.features))
    recipe = Recipe(name, scale, columns=tuple(data), seeds=tuple(chosen), results=tuple(map(str, results)))
    document = make_document(plan, records, recipe)
    whole = not (table.empty_lines or table.empty_columns) and all(cell.complete for cell in table.cells.values())
    return PageSection(name, document, figures, tuple(commands), table.runs, coverage(table), whole)


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
    stems = [f"{Path(section.plan).stem}-{scale}" for section in sections]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ConfigError(f"two plans are named {stem.removesuffix(f'-{scale}')!r}; rename the file of one")
    page = folder / "index.html"
    for path in (page, folder / "index.md"):
        check_replaceable(path)
    sentences = [*lead, *basis_of(sections, scale)]
    # One table says it all itself.
    told = [section.document for section in sections if section.document.headline] if len(sections) > 1 else []
    widest = next((document for document in told if document.overview), None)
    others = [document for document in told if document is not widest]

    def shown(section: PageSection, ending: str = "markdown") -> Document:
        # Once on a page: the widest table's overview is what the page begins with.
        overview = None if section.document is widest else section.document.overview
        return replace(section.document, overview=overview).as_format(ending)

    parts = [f"# {title}", *sentences, *(["## In short", FOR_STRANGERS] if told else [])]
    if widest is not None and widest.overview is not None:
        parts += [f"### {widest.title}", " ".join(widest.headline), markdown_table(widest.overview)]
        parts.append(" ".join(widest.overview.notes))
    if others:
        parts.append("\n".join(f"- **{document.title}.** {' '.join(document.headline)}" for document in others))
    for section, stem in zip(sections, stems, strict=True):
        for drawn in section.figures:
            write_text(folder / "figures" / f"{drawn.name}.svg", drawn.svg)
        for name, ending in ENDINGS.items():
            write_text(folder / "tables" / f"{stem}.{ending}", write_document(section.document.as_format(name)))
        parts += _markdown(section, shown(section), stem)
    markup = import_module("markupsafe").Markup
    entries = [
        {
            "id": Path(section.plan).stem,
            "title": section.document.title,
            # The format escapes all that comes from outside.
            "table": markup(write_document(shown(section, "html"))),
            "figures": [drawn for drawn in section.figures if not drawn.aside],
            "folded": [drawn for drawn in section.figures if drawn.aside],
            "commands": section.commands,
            "decision": section.decision,
        }
        for section in sections
    ]
    context = {
        "title": title, "sentences": sentences, "strangers": FOR_STRANGERS, "sections": entries,
        "told": told, "others": others, "widest": widest,
        "overview": markup(html_table(widest.overview)) if widest and widest.overview else "",
    }  # fmt: skip
    render("sharprecl.experiments", context, page, PURPOSE)
    write_text(folder / "index.md", "\n\n".join(parts) + "\n")
    return page


def basis_of(sections: Sequence[PageSection], scale: str) -> list[str]:
    """Sentences on all runs of a page together: how many, where, how long, by what code."""
    runs = {run.key: run for section in sections for run in section.runs}
    if not runs:
        return []
    places = sorted({str(run.environment.get("hardware", "a machine unknown")) for run in runs.values()})
    codes = sorted({run.code[:8] for run in runs.values()})
    seconds = sum(run.seconds for run in runs.values())
    found = [
        f"Scale {scale}; {plural(len(runs), 'run', 'runs')}, trained in {format_duration(seconds)} altogether on "
        f"{' and '.join(places)}, by the code {', '.join(codes)}."
    ]
    shares = [
        f"{section.covered[0]} of {section.covered[1]} in {section.document.paper}"
        for section in sections
        if section.covered[1]
    ]
    return [*found, f"The paper's figures with ours beside them: {joined(shares, len(shares))}."] if shares else found


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


def _markdown(section: PageSection, document: Document, stem: str) -> Iterator[str]:
    """The paragraphs of a section, with its document as this page shows it."""
    if section.decision is not None:
        yield "## What to do"
        yield from section.decision.sentences
        yield f"    {section.decision.command}"
    yield write_document(document).rstrip("\n")
    links = (f"[{name}](tables/{stem}.{ending})" for name, ending in ENDINGS.items())
    yield f"The tables alone: {', '.join(links)}."
    yield "\n".join(f"    {command}" for command in section.commands)
    for drawn in section.figures:
        yield f"![{drawn.title}](figures/{drawn.name}.svg)"
        yield drawn.caption
