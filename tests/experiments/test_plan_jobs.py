"""From a plan to its runs: order, choice, fairness, what language models are told."""

from typing import Any

import pytest

from sharprecl.config import resolve
from sharprecl.data.benchmarks import BENCHMARKS, SOURCES
from sharprecl.errors import ConfigError
from sharprecl.experiments.plan import Plan, task_description
from sharprecl.experiments.plan_file import make_plan
from sharprecl.experiments.sweep import first_jobs
from sharprecl.runs.spec import RunSpec


def _plan(**changes: Any) -> Plan:
    values = {"title": "a plan", "columns": ["trec@50", "cr"], "rows": {"cross_entropy": None, "sharprecl": None}}
    return make_plan("mine", "mine.yaml", {**values, **changes})


def _training(plan: Plan, row: str, scale: str = "small") -> Any:
    return resolve(next(job for job in plan.jobs(scale) if job.row == row).spec.settings).training


def test_one_seed_of_every_cell_comes_first() -> None:
    jobs = _plan(seeds=2).jobs("smoke")
    assert [(job.seed, job.column, job.row) for job in jobs] == [
        (seed, column, row) for seed in (0, 1) for column in ("trec@50", "cr") for row in ("cross_entropy", "sharprecl")
    ]
    assert jobs == _plan(seeds=2).jobs("smoke")


def test_a_run_knows_its_data_caps_and_settings() -> None:
    job = _plan(settings={"view": "synonyms"}).jobs("smoke")[1]
    assert job.spec == RunSpec(
        data="trec",
        ir=50.0,
        train_cap=40,
        test_cap=60,
        settings={
            "profile": "matched",
            "encoder": {"max_length": 16, "trainable_layers": 2},
            "training": {"max_epochs": 1, "batch_size": 32},
            "view": "synonyms",
            "method": {"name": "sharprecl"},
        },
        seed=0,
    )


def test_a_plan_s_part_for_a_scale() -> None:
    part = {"columns": ["cr"], "rows": ["sharprecl"], "seeds": 1, "train_cap": 7, "test_cap": 5}
    plan = _plan(at={"smoke": part}, seeds=4)
    (job,) = plan.jobs("smoke")
    assert (job.row, job.column, job.spec.train_cap, job.spec.test_cap) == ("sharprecl", "cr", 7, 5)
    by_column = _plan(at={"small": {"train_cap": {"cr": 7}}})
    assert {(job.column, job.spec.train_cap) for job in by_column.jobs("small")} == {("cr", 7), ("trec@50", None)}
    assert len(plan.jobs("small")) == 2 * 2 * 4
    assert plan.seeds_at("small") == 4
    assert _plan().seeds_at("paper") == 10


def test_parts_of_a_plan_can_be_run() -> None:
    plan = _plan(at={"smoke": {"columns": ["cr"]}})
    whole = {job.spec.hash for job in plan.jobs("small")}
    jobs = plan.jobs("small", rows=["sharprecl"], columns=["cr"], seeds=[2, 0])
    assert [(job.row, job.column, job.seed) for job in jobs] == [("sharprecl", "cr", 2), ("sharprecl", "cr", 0)]
    assert {job.spec.hash for job in jobs} < whole
    # A column that the plan does without at this scale may be asked for all the same.
    assert {job.column for job in plan.jobs("smoke", columns=["trec@50", "cr"])} == {"trec@50", "cr"}
    with pytest.raises(ConfigError, match=r"columns of mine: there is no 'trec' \(did you mean 'trec@50'\?\)"):
        plan.jobs("small", columns=["trec"])
    with pytest.raises(ConfigError, match="at the scale small, rows of mine: there is no 'bcl'"):
        plan.jobs("small", rows=["bcl"])


def test_rows_that_ask_for_one_run_share_it() -> None:
    same = {"method": "sharprecl", "settings": {"method": {"mu": 0.3}}}
    jobs = _plan(rows={"sharprecl": None, "same": same}).jobs("smoke", columns=["cr"])
    assert len(jobs) == 4
    assert [job.spec.seed for job in first_jobs(jobs).values()] == [0, 1]


def test_a_curve_varies_one_setting() -> None:
    rows = {"k": {"method": "sharprecl", "vary": "method.top_k", "values": [5, 20]}}
    plan = _plan(kind="curve", rows=rows, at={"smoke": {"values": {"k": [20]}}})
    jobs = plan.jobs("small", columns=["cr"], seeds=[0])
    assert [job.x for job in jobs] == [5.0, 20.0]
    assert [resolve(job.spec.settings).method.model_dump()["top_k"] for job in jobs] == [5, 20]
    assert {job.x for job in plan.jobs("smoke")} == {20.0}


def test_with_equal_tokens_one_view_has_twice_the_epochs() -> None:
    rows = dict.fromkeys(("cross_entropy", "dualcl", "simcse", "hybrid_sc", "sharprecl"))
    synonyms = {"view": "synonyms"}
    steps, tokens = _plan(rows=rows, settings=synonyms), _plan(rows=rows, settings=synonyms, equal="tokens")
    epochs = _training(steps, "sharprecl").max_epochs
    assert {_training(steps, row).max_epochs for row in rows} == {epochs}
    assert {row: _training(tokens, row).max_epochs // epochs for row in rows} == {
        "cross_entropy": 2,
        "dualcl": 2,
        "simcse": 1,
        "hybrid_sc": 1,
        "sharprecl": 1,
    }
    # Whatever else is asked for, and also where nobody reads two views.
    alone = tokens.jobs("small", rows=["cross_entropy"])
    assert {resolve(job.spec.settings).training.max_epochs for job in alone} == {2 * epochs}
    one_view = _plan(rows={"cross_entropy": None, "focal": None}, equal="tokens")
    assert _training(one_view, "focal").max_epochs == epochs


def test_a_frozen_encoder_hears_what_is_said_of_encoders_and_nothing_of_steps() -> None:
    rows = dict.fromkeys(("frozen", "cross_entropy", "sharprecl"))
    for scale, pooling in (("small", "auto"), ("paper", "cls")):
        plan = _plan(rows=rows, equal="tokens", settings={"training": {"validation_fraction": 0.2}})
        (job,) = plan.jobs(scale, rows=["frozen"], columns=["cr"], seeds=[0])
        (other,) = plan.jobs(scale, rows=["cross_entropy"], columns=["cr"], seeds=[0])
        config, others = resolve(job.spec.settings), resolve(other.spec.settings)
        assert (config.encoder, config.encoder.pooling) == (others.encoder, pooling)
        assert config.training == resolve({}).training.model_copy(update={"validation_fraction": 0.2})
    # Where the others train on all texts, it does too.
    assert _training(_plan(rows=rows, select_on="test"), "frozen").select_on == "last"


def test_selection_on_test_texts_is_in_every_run() -> None:
    for row in ("cross_entropy", "sharprecl"):
        assert _training(_plan(), row).select_on == "last"
        assert _training(_plan(select_on="test"), row).select_on == "test"
        assert _training(_plan(settings={"profile": "released"}), row).select_on == "test"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"profile": "official"}, "mine, row cross_entropy: profile: 'official' trains each method its own way"),
        ({"profile": "default"}, "row cross_entropy: training.patience: a run that stops early makes fewer steps"),
        ({"training": {"patience": 3}}, "training.patience: a run that stops early"),
        ({"training": {"epochs": 3}}, "mine, row cross_entropy: training.epochs: there is no such setting"),
    ],
)
def test_unfair_and_unknown_settings_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        _plan(settings=settings).jobs("small")


def test_a_row_s_mistake_names_the_row() -> None:
    plan = _plan(rows={"cross_entropy": {"settings": {"method": {"temperature": 1}}}})
    with pytest.raises(ConfigError, match=r"mine, row cross_entropy: method\.temperature: there is no such setting"):
        plan.jobs("small")


def test_language_models_are_told_what_the_data_is_and_nothing_of_the_encoder() -> None:
    rows = {"cross_entropy": None, "llm": {"method": "llm_lora", "settings": {"method": {"epochs": 2}}}}
    plan = _plan(columns=["ohsumed", "cr"], rows=rows, settings={"view": "synonyms"})
    settings = {job.column: job.spec.settings for job in plan.jobs("small") if job.row == "llm"}
    common = {"name": "llm_lora", "epochs": 2}
    assert settings == {
        "ohsumed": {
            "profile": "default",
            "method": {
                **common,
                "task": "disease category of the medical title",
                "label_words": dict(SOURCES["ohsumed"].labels),
            },
        },
        "cr": {"profile": "default", "method": {**common, "task": "sentiment of the customer review"}},
    }
    # A language model reads no views, so it makes nobody train longer.
    assert _training(_plan(rows=rows, equal="tokens"), "cross_entropy") == _training(_plan(), "cross_entropy")


def test_every_benchmark_has_a_task_of_its_own() -> None:
    tasks = [task_description(name)["task"] for name in BENCHMARKS]
    assert len(set(tasks)) == len(BENCHMARKS)
    assert task_description("mine.csv") == {}


def test_a_sweep_spends_no_money() -> None:
    plan = _plan(rows={"cross_entropy": None, "gpt": {"method": "openai_finetune"}})
    with pytest.raises(ConfigError, match="row gpt: a sweep spends no money; train it with 'sharprecl train"):
        plan.jobs("small")
    resting = _plan(rows={"cross_entropy": None, "gpt": {"method": "openai_finetune", "scales": []}})
    assert {job.row for job in resting.jobs("small")} == {"cross_entropy"}
