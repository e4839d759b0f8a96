"""Plans: the shipped ones, the files of users, and what is refused in them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sharprecl.config import METHODS, RunConfig, resolve
from sharprecl.config.sharprecl import ABLATIONS
from sharprecl.data.benchmarks import BENCHMARKS, SOURCES
from sharprecl.errors import ConfigError
from sharprecl.experiments.fairness import texts_read
from sharprecl.experiments.plan import Job, Plan
from sharprecl.experiments.plan_file import SHIPPED, load_plan, make_plan
from sharprecl.experiments.scales import SCALES
from sharprecl.experiments.sweep import first_jobs
from sharprecl.runs.spec import RunSpec

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"
EVERYWHERE = [(name, scale) for name in SHIPPED for scale in SCALES]
AT_50 = ["r52", "ohsumed", "trec@50", "dblp@50", "biomedical@50", "cr@50"]


def _plan(**changes: Any) -> Plan:
    values = {"title": "a plan", "columns": ["trec@50", "cr"], "rows": {"cross_entropy": None, "sharprecl": {}}}
    return make_plan("mine", "mine.yaml", {**values, **changes})


def _specs(name: str, scale: str, row: str, column: str) -> set[str]:
    return {job.spec.hash for job in load_plan(name).jobs(scale) if (job.row, job.column) == (row, column)}


def _configs(jobs: list[Job]) -> dict[str, RunConfig]:
    settings = {json.dumps(job.spec.settings): job for job in jobs}
    return {f"{job.row}, {job.column}, {job.x}": resolve(job.spec.settings) for job in settings.values()}


@pytest.mark.parametrize(("name", "scale"), EVERYWHERE)
def test_every_run_of_every_plan_has_settings_that_fit(name: str, scale: str) -> None:
    jobs = load_plan(name).jobs(scale)
    places = [(job.row, job.column, job.x, job.seed) for job in jobs]
    assert len(set(places)) == len(places)
    for config in _configs(jobs).values():
        assert config.profile == ("default" if config.method.name == "llm_lora" else SCALES[scale].settings["profile"])
    for job in jobs:
        assert RunSpec.from_json(json.loads(json.dumps(job.spec.to_json()))) == job.spec
        assert "seed" not in job.spec.settings
        assert job.spec.embeddings == (name == "embedding")


@pytest.mark.parametrize(("name", "scale"), EVERYWHERE)
def test_all_encoders_of_a_plan_train_alike(name: str, scale: str) -> None:
    every = _configs(load_plan(name).jobs(scale)).values()
    # "frozen" trains no encoder.
    configs = [config for config in every if texts_read(config.method.name) and config.method.name != "frozen"]
    assert len({config.training.model_dump_json() for config in configs}) <= 1
    assert len({config.encoder.max_length for config in configs}) <= 1
    assert {config.training.patience for config in configs} <= {None}
    if name != "augmentation":
        assert {config.view for config in configs} <= {"synonyms" if scale == "paper" else "upper"}


def test_the_main_table_has_the_paper_s_rows_and_columns() -> None:
    plan = load_plan("main")
    named = {row.paper: name for name, row in plan.rows.items() if row.paper}
    assert list(named) == [
        "BERT", "RoBERTa", "BERT+Dice", "BERT+Focal", "SimCSE", "SCLCE",
        "SPCL", "DualCL", "Hybrid-SC", "BCL", "TSC", "Ours",
    ]  # fmt: skip
    assert [name for name, row in plan.rows.items() if row.beyond] == list(plan.rows)[13:]
    # Both are the paper's: the package's default at the smaller scales, and what was printed.
    assert plan.rows["sharprecl"].paper == plan.rows["as printed"].paper == "Ours"
    assert plan.rows["as printed"].scales == ("small", "smoke")
    encoders = {row.method for row in plan.rows.values()}
    assert encoders == set(METHODS) - {"frozen", "llm_lora", "openai_finetune"}
    assert len(plan.columns) == 18
    assert [name for name in plan.columns if "@" not in name] == [name for name in BENCHMARKS if SOURCES[name].table_1]
    assert plan.compared == "sharprecl"
    jobs = plan.jobs("paper")
    assert len(first_jobs(jobs)) == 18 * 18 * 10
    assert {job.spec.settings["encoder"]["name"] for job in jobs if job.row == "roberta"} == {"roberta-base"}
    assert "roberta" not in plan.rows_at("small")


def test_the_other_plans_are_the_paper_s() -> None:
    ablation = load_plan("ablation")
    assert list(ablation.rows) == ["sharprecl", *(f"without {part}" for part in ABLATIONS)]
    for plan in map(load_plan, ("llm", "ablation", "sensitivity", "top_k", "augmentation")):
        # Table A.1 alone is of the original data.
        columns = [column.split("@")[0] for column in AT_50] if plan.name == "augmentation" else AT_50
        assert list(plan.columns) == columns
        assert plan.columns_at("paper") == tuple(columns)
    sensitivity, top_k = load_plan("sensitivity"), load_plan("top_k")
    assert sensitivity.vary == {"mu": "method.mu", "tau": "method.temperature"}
    assert top_k.vary == {"top_k": "method.top_k"}
    assert {job.x for job in top_k.jobs("paper")} == {10.0, 20.0, 30.0, 40.0, 50.0}
    assert [(row.paper, row.method) for row in load_plan("embedding").rows.values()] == [
        ("SCLCE", "scl_ce"),
        ("SPCL", "spcl"),
        ("Ours", "sharprecl"),
    ]
    assert [row.settings["view"] for row in load_plan("augmentation").rows.values()] == [
        "synonyms",
        "back_translation",
        "contextual",
        "noise",
    ]
    assert load_plan("llm").rows_at("paper") == ("bloom", "llama2", "llama3", "sharprecl")
    assert load_plan("datasets").jobs("paper") == []
    assert all(load_plan(name).vary == {} for name in ("main", "datasets", "embedding"))


@pytest.mark.parametrize("scale", SCALES)
def test_what_plans_have_in_common_is_one_run(scale: str) -> None:
    # The paper's analyses are made with the method as printed, which at the scale paper is what its profile trains.
    printed = "sharprecl" if scale == "paper" else "as printed"
    whole = _specs("main", scale, printed, "trec@50")
    assert len(whole) == SCALES[scale].seeds  # type: ignore[index]
    assert _specs("ablation", scale, "sharprecl", "trec@50") == whole
    for name, row, x in [("sensitivity", "mu", 1.0), ("sensitivity", "tau", 0.3), ("top_k", "top_k", 20.0)]:
        jobs = [job for job in load_plan(name).jobs(scale) if (job.row, job.column, job.x) == (row, "trec@50", x)]
        assert jobs
        assert {job.spec.hash for job in jobs} <= whole
    if scale == "paper":
        assert _specs("augmentation", scale, "synonyms", "trec") == _specs("main", scale, "sharprecl", "trec")
        assert not _specs("augmentation", scale, "noise", "trec") & _specs("main", scale, "sharprecl", "trec")
    else:
        assert _specs("default_ablation", scale, "sharprecl", "trec@50") == _specs(
            "main", scale, "sharprecl", "trec@50"
        )
    assert not _specs("ablation", scale, "without MI", "trec@50") & whole
    assert not _specs("ablation", scale, "without delta_CL", "trec@50") & whole


def test_embeddings_are_runs_of_their_own() -> None:
    assert _specs("embedding", "small", "sharprecl", "trec@50").isdisjoint(
        _specs("main", "small", "sharprecl", "trec@50")
    )


def test_a_plan_is_its_file_or_a_shipped_one_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = load_plan("main")
    assert load_plan("plans/main.yaml") == load_plan(Path("plans") / "main.yaml") == shipped
    assert Path(shipped.origin).parent.name == "plans"
    assert "experiments" in shipped.origin
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "main.yaml").write_text("title: mine\ncolumns: [cr]\nrows: {bcl: , dice: }\n")
    mine = load_plan("plans/main.yaml")
    assert (mine.title, mine.name, mine.origin, mine.compared) == ("mine", "main", "plans/main.yaml", None)
    assert load_plan("main") == shipped
    for path in ("main.yaml", "elsewhere/main.yaml", "elsewhere/plans/main.yaml", "plans/other.yaml", "plans"):
        with pytest.raises(ConfigError, match=f"there is no plan '{path}'"):
            load_plan(path)
    with pytest.raises(ConfigError, match=r"no plan 'ablations' \(did you mean 'ablation'\?\); the shipped ones are"):
        load_plan("ablations")


def test_the_page_counts_the_runs() -> None:
    page = PAGE.read_text(encoding="utf-8")
    every: dict[str, list[Job]] = {scale: [] for scale in SCALES}
    for name in SHIPPED:
        plan = load_plan(name)
        counts = []
        for scale in SCALES:
            jobs = plan.jobs(scale)
            every[scale] += jobs
            counts.append(str(len(first_jobs(jobs))))
        cells = [f"`{name}`", plan.paper, str(len(plan.rows)), str(len(plan.columns)), *counts]
        assert f"| {' | '.join(cells)} |" in page
    assert f"| together | | | | {' | '.join(str(len(first_jobs(jobs))) for jobs in every.values())} |" in page


def test_the_page_s_plan_can_be_read_and_names_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    plan = make_plan("mine", "mine.yaml", yaml.safe_load(text))
    assert list(plan.rows) == ["cross_entropy", "bcl warmer", "sharprecl"]
    assert {job.column for job in plan.jobs("smoke")} == {"trec@50"}
    section = page.split("## A plan of your own")[1].split("\n## ")[0]
    documented = set(re.findall(r"^\| `([a-z_]+)` \| (?!in the paper)", section, re.M))
    assert documented == set(Plan.model_fields) - {"name", "origin"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row": {}}, r"mine\.yaml: row: a plan has no such key; see docs/experiments\.md"),
        ({"title": None}, "mine.yaml: title: Input should be a valid string"),
        ({"rows": {}}, "a plan needs columns, and rows too unless its kind is datasets"),
        ({"kind": "datasets"}, "a plan needs columns, and rows too unless its kind is datasets"),
        ({"columns": []}, "a plan needs columns"),
        ({"columns": ["trec", {"data": "trec"}]}, "columns: 'trec' stands twice"),
        (
            {"columns": [{"data": "a/x.csv"}, {"data": "b/x.csv"}]},
            "columns: 'x' stands twice; give columns names of their own",
        ),
        ({"columns": {"mine": {"data": "trex"}}}, r"columns.mine: 'trex' is neither a file nor a benchmark"),
        ({"columns": {"mine": {"data": "x.csv", "txt": "t"}}}, r"columns.mine.txt: a plan has no such key"),
        ({"columns": {"a,b": "trec"}}, "'a,b': names of rows and columns stand in lists with commas"),
        ({"columns": ["trex@50"]}, r"'trex' is neither a file nor a benchmark \(did you mean 'trec'\?\)"),
        ({"columns": [{"data": "trec", "cap": 0}]}, r"cap: Input should be greater than or equal to 1"),
        ({"columns": ["trec@half"]}, "'trec@half': ir: Input should be a valid number"),
        ({"columns": ["trec@0.5"]}, "greater than or equal to 1"),
        ({"rows": {"sharpreclx": None}}, r"rows\.sharpreclx\.method: there is no method.*did you mean 'sharprecl'"),
        ({"rows": {"auto": None}}, r"rows\.auto\.method: 'auto' is chosen by the labels"),
        ({"rows": {"bcl": {"set": {}}}}, r"rows\.bcl\.set: a plan has no such key"),
        ({"rows": {"bcl": {"settings": {"training": {}}}}}, r"rows\.bcl\.settings: 'training' must be equal"),
        ({"rows": {"bcl": {"settings": {"method": {"name": "tsc"}}}}}, "write 'method: bcl' beside the settings"),
        ({"rows": {"bcl": {"settings": {"method": "tsc"}}}}, "write 'method: bcl' beside the settings"),
        ({"rows": {"bcl": {"settings": {"method": 5}}}}, "write 'method: bcl' beside the settings"),
        ({"rows": 5}, "rows: Input should be a valid"),
        ({"settings": {"method": "bcl"}}, r"settings\.method: these are settings of every row"),
        ({"settings": {"method": {"name": "bcl"}}}, r"settings\.method: these are settings of every row"),
        ({"rows": {"bcl": {"vary": "method.temperature"}}}, "give both or neither"),
        ({"rows": {"bcl": {"vary": "seed", "values": [1, 2]}}}, "'seed' cannot be varied"),
        ({"rows": {"bcl": {"vary": "method.temperature", "values": [1, 2]}}}, "none of a table does"),
        ({"kind": "curve"}, "each row of a curve varies a setting"),
        ({"settings": {"seed": 3}}, r"settings\.seed: a plan runs several of them"),
        ({"compared": "bcl"}, "compared: there is no 'bcl'.*there are cross_entropy, sharprecl"),
        ({"at": {"tiny": {}}}, r"at\.tiny.*Input should be 'paper', 'small' or 'smoke'"),
        ({"at": {"small": {"columns": ["trec"]}}}, r"at\.small\.columns: there is no 'trec' \(did you mean"),
        ({"at": {"small": {"train_cap": {"trec": 7}}}}, r"at\.small\.train_cap: there is no 'trec'"),
        ({"at": {"small": {"rows": ["bcl"]}}}, r"at\.small\.rows: there is no 'bcl'"),
        ({"at": {"small": {"values": {"sharprecl": [1]}}}}, r"at\.small\.values: there is no 'sharprecl'"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        _plan(**changes)


def test_a_column_s_cap_stands_in_its_name_and_above_the_scale_s() -> None:
    columns = ["r52", {"data": "r52", "cap": 20}, {"data": "dblp", "ir": 50, "cap": 500}, "trec@50"]
    jobs = _plan(columns=columns).jobs("small", rows=["sharprecl"], seeds=[0])
    caps = {job.column: (job.spec.train_cap, job.spec.test_cap) for job in jobs}
    assert caps == {"r52": (60, None), "r52/20": (20, None), "dblp/500@50": (500, 4000), "trec@50": (None, None)}


@pytest.mark.parametrize(
    ("scale", "view", "epochs"),
    [("paper", {}, 8), ("small", {}, 4), ("small", {"view": "synonyms"}, 8), ("paper", {"view": "upper"}, 4)],
)
def test_equal_tokens_count_the_view_that_is_trained(scale: str, view: dict[str, str], epochs: int) -> None:
    plan = _plan(equal="tokens", settings={**view, "training": {"max_epochs": 4}})
    found = {job.row: resolve(job.spec.settings).training.max_epochs for job in plan.jobs(scale, seeds=[0])}
    assert found == {"cross_entropy": epochs, "sharprecl": 4}


def test_a_plan_is_read_without_pytorch() -> None:
    code = (
        "import sys; from sharprecl.experiments import plan_file; plan_file.load_plan('main'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
