"""The page of results: all that was made stands there, once, the same each time, and nothing of it can do harm."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.errors import AssetError, ConfigError
from sharprecl.experiments import page
from sharprecl.experiments.collection import Records
from sharprecl.experiments.figures.drawing import Drawing
from sharprecl.experiments.page import PageSection, borrowed, make_section, write_page
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.plan_file import load_plan
from sharprecl.report.svg import Chart

SKILLS = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.8}
PLAN = made_up_plan(columns=["trec@50"], paper="Table 9")


def no_figures(*_: object) -> list[Drawing]:
    svg = "<svg><title>drawn</title></svg>"
    figure = Drawing("mine-cost", "Cost <b>", "A caption <i>.", svg, lambda: b"", Chart(svg, "A caption <i>."))
    return [figure, replace(figure, name="mine-more", aside=True)]


@pytest.fixture
def section(monkeypatch: pytest.MonkeyPatch) -> PageSection:
    monkeypatch.setattr(page, "figures_of", no_figures)
    made = make_section("plans/mine.yaml", PLAN, "smoke", made_up_records(PLAN, SKILLS))
    assert made is not None
    return made


def test_two_plans_of_one_name_are_refused(section: PageSection, tmp_path: Path) -> None:
    """The tables of the second would replace those of the first."""
    other = replace(section, plan="others/mine.yaml")
    with pytest.raises(ConfigError, match="two plans are named 'mine'"):
        write_page(tmp_path, "Results", [], "smoke", [section, other])
    assert list(tmp_path.iterdir()) == []


def test_somebody_elses_page_stays(section: PageSection, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>my site</h1>")
    with pytest.raises(ConfigError, match=r"index\.html is there already"):
        write_page(tmp_path, "Results", [], "smoke", [section])
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_everything_stands_on_the_page_and_beside_it(section: PageSection, tmp_path: Path) -> None:
    assert write_page(tmp_path, "Results", ["Said first."], "smoke", [section]) == tmp_path / "index.html"
    for text in ((tmp_path / "index.html").read_text("utf-8"), (tmp_path / "index.md").read_text("utf-8")):
        assert "Three methods (Table 9)" in text
        assert "Said first." in text
        assert "Scale smoke; 9 runs, trained in 1:39 min altogether on a machine unknown, by the code cccccccc." in text
        assert "sharprecl experiment run plans/mine.yaml --scale smoke" in text
        assert "sharprecl experiment figure plans/mine.yaml --scale smoke" in text
        assert "sharprecl experiment table plans/mine.yaml --scale smoke --format" in text
        assert "sharprecl has the best macro-F1" in text
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    tables = {f"tables/mine-smoke.{ending}" for ending in ("md", "tex", "csv")}
    figures = {f"figures/mine-{name}.svg" for name in ("cost", "more")}
    assert files == {"index.html", "index.md"} | tables | figures
    # Every link of either page leads to a file.
    for name in ("index.html", "index.md"):
        text = (tmp_path / name).read_text("utf-8")
        links = re.findall(r'href="([^"#]+)"|\]\(([^)]+)\)', text)
        assert {one or other for one, other in links} <= files
        assert len(links) >= 2


def test_a_page_of_several_plans_begins_with_what_each_comes_to(section: PageSection, tmp_path: Path) -> None:
    write_page(tmp_path / "one", "Results", [], "smoke", [section])
    write_page(tmp_path / "two", "Results", [], "smoke", [section, replace(section, plan="other.yaml")])
    for name in ("index.html", "index.md"):
        assert "In short" not in (tmp_path / "one" / name).read_text("utf-8")
        text = (tmp_path / "two" / name).read_text("utf-8")
        assert text.count(" ".join(section.document.headline)) == 2
        assert text.index("In short") < text.index("3 methods, trained 3 times each") < text.index("mean and standard")


def test_the_first_wide_table_and_the_share_of_printed_figures_come_before_all_else(
    section: PageSection, tmp_path: Path
) -> None:
    plan = made_up_plan(columns=["r52", "trec", "trec@50", "cr"], paper="Table 2")
    wide = make_section("wide.yaml", plan, "smoke", made_up_records(plan, SKILLS))
    assert wide is not None
    write_page(tmp_path, "Results", [], "smoke", [section, wide])
    beside, every = wide.covered
    assert 0 < beside < every
    for name in ("index.html", "index.md"):
        text = unescape((tmp_path / name).read_text("utf-8"))
        assert f"The paper's figures with ours beside them: {beside} of {every} in Table 2." in text
        order = [
            "In short",
            "Three methods (Table 2)",
            *wide.document.headline,
            "Average rank",
            *section.document.headline,
        ]
        places = [text.index(words) for words in order]
        assert places == sorted(places)
        assert text.count("Farthest behind") == 1, "the overview stands at the top alone"
    assert "Farthest behind" in (tmp_path / "tables" / "wide-smoke.md").read_text("utf-8")
    assert '<ul class="short">' in (tmp_path / "index.html").read_text("utf-8")
    silent = replace(section, document=replace(section.document, headline=()))
    page = write_page(tmp_path / "silent", "Results", [], "smoke", [silent, wide])
    assert '<ul class="short">' not in page.read_text("utf-8"), "no list without items"
    # Of several plans the figures come first, of one its table.
    text = (tmp_path / "index.html").read_text("utf-8")
    assert text.index("Three methods (Table 9): figures") < text.index("<h2>Three methods (Table 9)</h2>")
    text = write_page(tmp_path / "one", "Results", [], "smoke", [section]).read_text("utf-8")
    assert text.index("<h2>Three methods (Table 9)</h2>") < text.index("Three methods (Table 9): figures")


def test_the_page_needs_no_network_and_escapes_what_it_says(section: PageSection, tmp_path: Path) -> None:
    evil = replace(
        section, document=replace(section.document, title="<script>alert(1)</script>"), commands=("sharprecl '<b>'",)
    )
    text = write_page(tmp_path, "A & B", [], "smoke", [evil, replace(evil, plan="other.yaml")]).read_text("utf-8")
    assert "<script>alert" not in text
    assert "A &amp; B" in text
    assert "Cost &lt;b&gt;" in text
    assert "A caption &lt;i&gt;." in text
    assert "&#39;&lt;b&gt;&#39;" in text
    assert "http" not in re.sub(r'xmlns[^"]*"[^"]*"', "", text)
    assert text.count("<details>") == 2


def test_equal_sections_give_equal_bytes(section: PageSection, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_page(tmp_path / name, "Results", [], "smoke", [section])
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("one", "two")
    )
    assert one == two


@pytest.mark.usefixtures("section")
def test_commands_name_the_part_that_was_run_and_where_it_is_kept(tmp_path: Path) -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS, without=lambda job: job.column == "cr" or job.row == "bcl")
    made = make_section("my plan.yaml", plan, "smoke", records, results=[tmp_path])
    assert made is not None
    assert made.commands == (
        "sharprecl experiment run 'my plan.yaml' --scale smoke --rows cross_entropy,sharprecl --columns trec@50 "
        f"--results {tmp_path}",
        f"sharprecl experiment figure 'my plan.yaml' --scale smoke --results {tmp_path}",
    )
    assert made.document.command == (
        f"sharprecl experiment table 'my plan.yaml' --scale smoke --results {tmp_path} --format markdown"
    )
    # Nobody runs into a file that runs were exported to.
    made = make_section("mine", PLAN, "smoke", made_up_records(PLAN, SKILLS), results=[tmp_path / "runs.jsonl"])
    assert made is not None
    assert made.commands[0] == "sharprecl experiment run mine --scale smoke"
    assert made.commands[-1].endswith("runs.jsonl")


def test_a_plan_without_runs_has_no_section() -> None:
    assert make_section("mine", PLAN, "smoke", Records({}, {})) is None


def test_data_sets_that_cannot_be_had_are_said_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object) -> None:
        raise AssetError("no network")

    said: list[str] = []
    monkeypatch.setattr(page, "make_document", no_network)
    assert make_section("datasets", load_plan("datasets"), "smoke", Records({}, {}), tell=said.append) is None
    assert said == ["datasets is left out: no network"]


def test_only_some_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "figures_of", no_figures)
    records = made_up_records(PLAN, SKILLS, without=lambda job: job.seed == 2)
    made = make_section("mine", PLAN, "smoke", records, seeds=[0, 1, 7], results=[Path("runs.jsonl")])
    assert made is not None
    assert {run.spec.seed for run in made.runs} == {0, 1}
    assert all("2/3" not in entry.marks for sheet in made.document.sheets for row in sheet.rows for entry in row)
    assert made.document.provenance.recipe.seeds == (0, 1)
    assert all(" --seeds 0,1" in command for command in made.commands)
    assert make_section("mine", PLAN, "smoke", records, seeds=[7]) is None


def test_the_seeds_that_all_cells_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "figures_of", no_figures)
    lacking = made_up_records(PLAN, SKILLS, without=lambda job: job.seed == 1 and job.row == "bcl")
    made = make_section("mine", PLAN, "smoke", lacking, seeds=None)
    assert made is not None
    assert made.document.provenance.recipe.seeds == (0, 2)
    rows, columns = len(PLAN.rows_at("smoke")), len(PLAN.columns_at("smoke"))
    left_out = (rows - 1) * columns
    assert f"Finished but not shown: seed 1 ({left_out} runs)." in made.document.caption
    # Where all have all there is nothing to choose, and where no seed is shared nothing is chosen.
    other = {row: seed for seed, row in enumerate(PLAN.rows_at("smoke"))}
    for records in (
        made_up_records(PLAN, SKILLS),
        made_up_records(PLAN, SKILLS, without=lambda job: job.seed != other[job.row]),
    ):
        made = make_section("mine", PLAN, "smoke", records, seeds=None)
        assert made is not None
        assert made.document.provenance.recipe.seeds == ()


def test_only_some_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "figures_of", no_figures)
    plan = made_up_plan()
    # Half of a column must not spread its marks, nor its headings, over what is complete.
    records = made_up_records(plan, SKILLS, without=lambda job: job.column == "cr" and job.seed > 0)
    made = make_section("mine", plan, "smoke", records, columns=["trec@50", "ohsumed"], results=[Path("runs.jsonl")])
    assert made is not None
    assert {run.data for run in made.runs} == {"data-trec@50"}
    assert not any("1/3" in entry.marks for sheet in made.document.sheets for row in sheet.rows for entry in row)
    assert made.document.provenance.recipe.columns == ("trec@50",)
    assert made.commands == (
        "sharprecl experiment run mine --scale smoke --columns trec@50",
        "sharprecl experiment figure mine --scale smoke --columns trec@50 --results runs.jsonl",
    )
    assert make_section("mine", plan, "smoke", records, columns=["ohsumed"]) is None
    # A column that the plan leaves out at the scale holds at most the runs of other plans.
    narrow = made_up_plan(at={"smoke": {"columns": ["trec@50"]}})
    both = made_up_records(plan, SKILLS)
    made = make_section("mine", narrow, "smoke", both, columns=["trec@50", "cr"])
    assert made is not None
    assert {run.data for run in made.runs} == {"data-trec@50"}
    assert make_section("mine", narrow, "smoke", both, columns=["cr"]) is None


@pytest.mark.usefixtures("section")
def test_columns_with_other_rows_have_a_command_of_their_own() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS, without=lambda job: (job.column, job.row) == ("cr", "bcl"))
    made = make_section("mine", plan, "smoke", records)
    assert made is not None
    assert made.commands[:-1] == (
        "sharprecl experiment run mine --scale smoke --columns trec@50",
        "sharprecl experiment run mine --scale smoke --rows cross_entropy,sharprecl --columns cr",
    )


@pytest.mark.usefixtures("section")
def test_a_plan_that_nobody_ran_is_told_from_one_whose_runs_another_has_made() -> None:
    def section_of(name: str, plan: Plan, records: Records) -> PageSection:
        made = make_section(name, plan, "smoke", records)
        assert made is not None
        return made

    records = made_up_records(PLAN, SKILLS)
    every = section_of("every", PLAN, records)
    part = section_of("part", made_up_plan(columns=["trec@50"], rows={"bcl": None, "sharprecl": None}), records)
    wider = section_of("wider", made_up_plan(columns=["trec@50"], rows={"bcl": None, "focal": None}), records)
    assert (every.whole, part.whole, wider.whole) == (True, True, False)
    # All runs of the others are those of the largest; one of them is as it was meant to be, the other is a fragment.
    assert borrowed([part, wider, every]) == [wider]
    assert borrowed([wider]) == []
    half = section_of("half", PLAN, made_up_records(PLAN, SKILLS, without=lambda job: job.seed == 2))
    assert borrowed([half, replace(half, plan="again")]) == [replace(half, plan="again")]
