"""Which trials are made, what is chosen, and what survives a kill."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sharprecl.config import Range, read_yaml, resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, DivergedError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.runs.claim import SEARCH
from sharprecl.runs.folder import BusyError, RunFolder
from sharprecl.scale import search as module
from sharprecl.scale.asked import TRIALS, Search
from sharprecl.scale.fresh import SETTINGS
from sharprecl.scale.page import write_page
from sharprecl.scale.search import FRESH, JOURNAL, SPACE, Found, search
from sharprecl.scale.space import read_space, rounded
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder

FOLDS = 3
SPACE_OF_FROZEN = {"method.C": Range(1e-4, 1, log=True), "method.balanced": (True, False)}


@pytest.fixture(scope="module")
def table() -> TextTable:
    return read_table(skewed_texts())


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(table: TextTable, encoder: str, output: Path, trials: int = 6, **changes: Any) -> Search:
    """The method that trains in no time: it has a space too."""
    wanted = {"encoder": {"name": encoder, "max_length": 16}, "method": {"name": "frozen"}}
    asked = Search(table, {**wanted, "training": {"folds": FOLDS}}, SPACE_OF_FROZEN, output, trials, device="cpu")
    return replace(asked, **changes)


class Stub:
    """Judges settings without training: ``wrong`` says how many of the texts get another class."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Trial], int]) -> None:
        self.wrong = wrong
        self.asked: list[Trial] = []
        monkeypatch.setattr(module, "run_trial", self)

    def __call__(self, trial: Trial, watching: Callback, after_fold: Any = lambda *_: None) -> Evaluation:
        self.asked.append(trial)
        number = self.wrong(trial)
        gold = trial.table.label_ids
        given = np.where(np.arange(len(gold)) < number, (gold + 1) % trial.table.num_classes, gold)
        evaluation = evaluate(gold, given, trial.table.class_counts, trial.table.label_names)
        for fold in range(FOLDS):
            after_fold(fold, {label: row.f1 for label, row in enumerate(evaluation.classes)})
        return evaluation


def far_from(best: float) -> Callable[[Trial], int]:
    """Fewer mistakes, the nearer C is to a value."""
    return lambda trial: 3 + int(8 * abs(np.log10(trial.config.method.C / best)))  # type: ignore[attr-defined]


def made(found: Found) -> list[Any]:
    return [(trial.place, dict(trial.values), trial.macro_f1) for trial in found.tried]


def test_trial_0_is_the_defaults_and_all_have_the_same_folds(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = Stub(monkeypatch, far_from(0.1))
    asked = make(table, encoder, tmp_path)
    found = search(asked, Callback())
    trials, fresh = stub.asked[:-6], stub.asked[-6:]
    assert trials[0].config == resolve({**asked.wanted, "seed": 1})
    assert found.tried[0].values == {"method.C": 0.003, "method.balanced": True}
    assert {trial.config.seed for trial in trials} == {1}
    assert len({trial.config.method.C for trial in trials}) == 6  # type: ignore[attr-defined]
    assert [trial.config.seed for trial in fresh] == [0, 0, 2, 2, 3, 3], "other folds than those of the trials"
    for default, best in zip(fresh[::2], fresh[1::2], strict=True):
        seed = default.config.seed
        assert (default.config, best.config) == (
            asked.with_values({}, seed),
            asked.with_values(found.best.values, seed),
        )
    assert fresh[1].config == found.config
    assert rounded(found.best.values["method.C"]) == found.config.method.C  # type: ignore[attr-defined]
    assert not (tmp_path / SEARCH / TRIALS).exists()
    assert read_space(tmp_path / SEARCH / SPACE) == SPACE_OF_FROZEN, "fit to be given back"


def test_a_real_trial_tells_classes_of_folds_and_judges_every_text_once(
    table: TextTable, encoder: str, tmp_path: Path
) -> None:
    told: dict[int, dict[int, float]] = {}
    config = make(table, encoder, tmp_path).config
    evaluation = run_trial(Trial("one", table, config, tmp_path, "cpu"), Callback(), told.__setitem__)
    assert evaluation.n_texts == len(table)
    assert [*told] == [0, 1, 2]
    held = [sum(label in f1_of for f1_of in told.values()) for label in range(table.num_classes)]
    assert held == [min(FOLDS, count) for count in table.class_counts]
    assert all(0 <= f1 <= 1 for f1_of in told.values() for f1 in f1_of.values())


@pytest.mark.parametrize("stops", [1, 4, 13, 14, 15, 19, 20])
def test_a_search_that_was_cut_off_tries_what_it_would_have_tried(
    stops: int, table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen trials, the last four by what the others gave, then six judgements on fresh folds."""
    wrong, trials = far_from(0.1), 14
    Stub(monkeypatch, wrong)
    undisturbed = search(make(table, encoder, tmp_path / "whole", trials), Callback())

    def cut(trial: Trial) -> int:
        if len(stub.asked) == stops:
            raise KeyboardInterrupt
        return wrong(trial)

    asked = make(table, encoder, tmp_path / "cut", trials)
    stub = Stub(monkeypatch, cut)
    with pytest.raises(KeyboardInterrupt):
        search(asked, Callback())
    again = Stub(monkeypatch, wrong)
    resumed = search(asked, Callback())
    assert made(resumed) == made(undisturbed)
    assert (resumed.config, resumed.confirmed) == (undisturbed.config, undisturbed.confirmed)
    expected = max(trials + 7 - stops, 6)  # fresh folds keep their own scores, which the stub does not
    assert len(again.asked) == expected, "no finished trial is made twice"
    third = Stub(monkeypatch, wrong)
    assert made(search(replace(asked, trials=20), Callback())) == made(undisturbed), (
        "the model is being trained already"
    )
    assert third.asked == []


def test_a_journal_whose_last_line_was_cut_is_read(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, journal = make(table, encoder, tmp_path), tmp_path / SEARCH / JOURNAL
    Stub(monkeypatch, far_from(0.1))
    whole = search(asked, Callback())
    lines = journal.read_bytes().splitlines(keepends=True)
    ended = next(place for place, line in enumerate(lines) if b'"ended"' in line)
    journal.write_bytes(b"".join(lines[:ended]) + lines[ended][:9])
    assert made(search(asked, Callback())) == made(whole)
    for line in journal.read_bytes().splitlines():
        json.loads(line)


def test_another_search_in_the_folder_is_refused(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stub(monkeypatch, far_from(0.1))
    asked = make(table, encoder, tmp_path, trials=1)
    search(asked, Callback())
    others = {
        "data": replace(asked, table=read_table(skewed_texts(seed=3))),
        "settings": replace(asked, wanted={**asked.wanted, "seed": 5}),
        "space": replace(asked, space={"method.C": Range(0.001, 1)}),
        "folds": replace(asked, wanted={**asked.wanted, "training": {"folds": 2}}),
    }
    for other in others.values():
        with pytest.raises(ConfigError, match="holds a search with other settings, data or space"):
            search(other, Callback())
    with RunFolder(tmp_path / SEARCH).alone(), pytest.raises(BusyError):
        search(asked, Callback())


def test_no_trial_begins_after_the_time_is_over_but_the_defaults_always(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = Stub(monkeypatch, far_from(0.1))
    found = search(make(table, encoder, tmp_path, minutes=0), Callback())
    assert len(stub.asked) == 1
    assert found.config == found.search.config
    assert "the defaults, and they are kept" in found.sentence


def lucky(default: int, best: int) -> Callable[[Trial], int]:
    """Any settings beat the defaults in the search; on fresh folds so many texts get another class."""

    def wrong(trial: Trial) -> int:
        is_default = trial.config.method.C == 0.003  # type: ignore[attr-defined]
        if trial.config.seed == 1:
            return 12 if is_default else 6
        return default if is_default else best

    return wrong


def test_the_mean_over_deals_decides(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ahead in the first deal, behind in the others."""

    def wrong(trial: Trial) -> int:
        best = {0: 9, 1: 6, 2: 25, 3: 25}[trial.config.seed]
        return 12 if trial.config.method.C == 0.003 else best  # type: ignore[attr-defined]

    Stub(monkeypatch, wrong)
    found = search(make(table, encoder, tmp_path), Callback())
    assert found.confirmed is not None
    first, *others = found.confirmed.gains
    assert first > 0 > max(others)
    assert found.confirmed.difference.difference == pytest.approx(sum(found.confirmed.gains) / 3)
    assert found.confirmed.best - found.confirmed.default == pytest.approx(found.confirmed.difference.difference)
    assert found.config == found.search.config
    again = Stub(monkeypatch, wrong)
    assert search(found.search, Callback()).confirmed == found.confirmed
    assert again.asked == [], "it was kept"


@pytest.mark.parametrize(
    ("default", "best", "words"),
    [
        (6, 9, "fresh folds do not confirm it: \N{MINUS SIGN}"),
        (6, 6, "fresh folds do not confirm it: 0.0"),
        (9, 8, "These texts cannot tell whether that is luck, and the defaults are kept"),
        (50, 0, "The best settings are taken."),
    ],
)
def test_what_luck_promised_is_kept_only_if_fresh_folds_confirm_it(
    default: int, best: int, words: str, table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stub(monkeypatch, lucky(default, best))
    found = search(make(table, encoder, tmp_path), Callback())
    assert found.promised > 0
    assert found.sentence.startswith(f"promised +{100 * found.promised:.1f} points of macro-F1, fresh folds ")
    assert words in found.sentence
    is_taken = words.endswith("are taken.")
    assert (found.config == found.search.config) == (not is_taken)
    settings = resolve(read_yaml(tmp_path / SEARCH / SETTINGS), table.class_counts)
    assert settings == found.search.with_values(found.best.values)
    assert not is_taken or settings == found.config
    write_page(found, tmp_path / "tune.html", "tickets.csv")
    page = (tmp_path / "tune.html").read_text()
    assert words in page
    assert ('<li class="good">' in page) == is_taken


def test_equals_leave_the_defaults(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = Stub(monkeypatch, lambda _: 5)
    found = search(make(table, encoder, tmp_path, trials=12), Callback())
    assert (found.confirmed, found.config) == (None, found.search.config)
    assert found.sentence == "none of 11 other trials was better than the defaults, and they are kept."
    assert len(stub.asked) == 12, "nothing to confirm"
    write_page(found, tmp_path / "tune.html", "tickets.csv")
    assert "nan" not in (tmp_path / "tune.html").read_text()


def test_what_loses_in_most_classes_stops_and_what_runs_away_too(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(trial: Trial) -> int:
        place = int(trial.name.split()[1]) if trial.name.startswith("trial") else 0
        if place == 1:
            raise DivergedError("the loss is no longer finite")
        return {0: 3, 2: 60}.get(place, 2)

    Stub(monkeypatch, wrong)
    found = search(make(table, encoder, tmp_path, trials=4), Callback())
    assert [trial.why for trial in found.tried] == [
        "", "stopped, its loss ran away", "stopped after fold 1, clearly worse", "",
    ]  # fmt: skip
    assert [trial.macro_f1 is None for trial in found.tried] == [False, True, True, False]
    assert found.best.place == 3
    write_page(found, tmp_path / "tune.html", "tickets.csv")
    assert "stopped, its loss ran away" in (tmp_path / "tune.html").read_text()


def test_defaults_that_run_away_are_an_error(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(_: Trial) -> int:
        raise DivergedError("lower training.learning_rate")

    Stub(monkeypatch, wrong)
    with pytest.raises(DivergedError, match=r"lower training\.learning_rate"):
        search(make(table, encoder, tmp_path), Callback())


def test_what_matters_is_said_after_enough_trials(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stub(monkeypatch, far_from(0.1))
    few = search(make(table, encoder, tmp_path / "few"), Callback())
    assert few.importances == {}
    many = search(make(table, encoder, tmp_path / "many", trials=24), Callback())
    assert [*many.importances] == ["method.C", "method.balanced"]
    assert many.importances["method.C"] > 0.8
    for name, found in (("few", few), ("many", many)):
        write_page(found, tmp_path / f"{name}.html", "tickets.csv")
    assert "Too few trials to tell" in (tmp_path / "few.html").read_text()
    page = (tmp_path / "many.html").read_text()
    assert "Which settings matter" in page
    assert "Too few" not in page
    assert f"<td>{rounded(many.best.values['method.C'])}</td>" in page


def test_folds_of_what_is_taken_go_to_the_run(table: TextTable, encoder: str, tmp_path: Path) -> None:
    found = search(make(table, encoder, tmp_path, trials=4), Callback())
    if found.confirmed is None:
        pytest.fail("choose another seed: the defaults were the best, and nothing is tested")
    assert sorted(path.name for path in (tmp_path / "folds").iterdir()) == ["1", "2", "3"]
    assert not (tmp_path / SEARCH / FRESH).exists()
