"""A search on a Ray cluster, trials side by side: Optuna suggests, Ray Tune makes, ASHA stops what falls behind."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from logging import CRITICAL, getLogger
from pathlib import Path
from typing import Any

from sharprecl.errors import DivergedError, SharpReCLError
from sharprecl.evaluation.judge import Evaluation
from sharprecl.runs.claim import RAY, SEARCH
from sharprecl.runs.code import code_hash
from sharprecl.runs.judge import Judged
from sharprecl.runs.run import Run
from sharprecl.scale.asked import Search
from sharprecl.scale.cluster import RETRIES, Cluster, check_worker
from sharprecl.scale.ledger import Begun, Ledger
from sharprecl.scale.ray_train import RayTraining
from sharprecl.scale.search import RAN_AWAY
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback

_HALVED = 2
"""Of so many trials that have judged as many folds, ASHA lets one go on."""
_SCORE, _FOLDS = "macro_f1", "folds"


class RayTrials:
    """Workers of a cluster, each with a trial at a time: ``search.Elsewhere``.

    Args:
        cluster: what each gets.
        workers: how many trials at once; None is as many as there is room for.
    """

    def __init__(self, cluster: Cluster, workers: int | None) -> None:
        self._cluster, self.workers = cluster, workers or cluster.room

    def make(self, asked: Search, ledger: Ledger) -> None:
        """All trials that the ledger lets begin.

        Raises:
            SharpReCLError: data, settings, assets or disk do not allow one, or its worker died again and again.
        """
        from ray import cloudpickle, tune
        from ray.tune.schedulers import ASHAScheduler

        # Ray Tune reads them when it begins: it keeps no logs, and leaves Ctrl-C alone.
        os.environ.update(TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1", TUNE_DISABLE_SIGINT_HANDLER="1")
        getLogger("ray.tune").setLevel(CRITICAL)
        folder = asked.output.absolute() / SEARCH
        task = self._task(folder) | {"search": cloudpickle.dumps(replace(asked, output=asked.output.absolute()))}
        size = {"CPU": self._cluster.threads, "GPU": self._cluster.gpu_share}
        searcher = _searcher(ledger)
        try:
            tune.Tuner(
                tune.with_resources(tune.with_parameters(_try, task=task), size),
                tune_config=tune.TuneConfig(
                    metric=_SCORE,
                    mode="max",
                    search_alg=searcher,
                    scheduler=ASHAScheduler(_FOLDS, max_t=asked.folds, reduction_factor=_HALVED),
                    num_samples=-1,  # until the ledger begins no more
                    max_concurrent_trials=self.workers,
                    reuse_actors=True,
                ),
                run_config=tune.RunConfig(
                    name=RAY,
                    storage_path=str(folder),
                    verbose=0,
                    failure_config=tune.FailureConfig(max_failures=RETRIES),
                ),
            ).fit()
        finally:
            shutil.rmtree(folder / RAY, ignore_errors=True)
        if searcher.failure is not None:
            raise searcher.failure

    def judge(self, trials: Sequence[Trial]) -> list[Evaluation]:
        """Whole trials, side by side.

        Raises:
            SharpReCLError: as ``run_trial`` does, or a worker died again and again.
        """
        ray = self._cluster.ray
        judge = ray.remote(_judge).options(max_retries=RETRIES, **self._cluster.resources)
        assert trials[0].folder is not None
        task = self._task(trials[0].folder.parents[1])  # that of the search: the others come with the trials
        try:
            return [*ray.get([judge.remote(trial, task) for trial in trials])]
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.WorkerCrashedError as error:
            raise _died("a trial on fresh folds") from error

    def train(self, run: Run, watching: Callback) -> Judged:
        """What ``runs.train.train`` does, by one worker."""
        return RayTraining(self._cluster, 1).train(run, watching)

    def _task(self, folder: Path) -> dict[str, Any]:
        """What a worker needs to know beside its trial."""
        return {"folder": str(folder), "threads": self._cluster.threads, "here": os.getcwd(), "code": code_hash()}


def _searcher(ledger: Ledger) -> Any:
    """What Ray Tune asks for settings. Its class is made here, since Ray may not be installed."""
    from ray.tune.search import Searcher

    class OfLedger(Searcher):  # type: ignore[misc]
        failure: SharpReCLError | None = None

        def __init__(self) -> None:
            super().__init__(metric=_SCORE, mode="max")
            self._begun: dict[str, Begun] = {}

        def suggest(self, trial_id: str) -> Any:
            begun = None if self.failure else ledger.begin()
            if begun is None:
                return Searcher.FINISHED
            self._begun[trial_id] = begun
            return {"place": begun.place, "values": dict(begun.values)}

        def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
            for fold, f1_of in result.get("f1s", ()):
                self._begun[trial_id].report(fold, f1_of)

        def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
            begun, result = self._begun.pop(trial_id), result or {}
            if error:
                self.failure = _died(f"trial {begun.place}")
            elif failure := result.get("failure"):
                self.failure = failure
            elif why := result.get("why"):
                ledger.end(begun, None, why)
            elif not result.get("whole"):
                ledger.end(begun, None, f"stopped after fold {result[_FOLDS]}, in the lower half")
            else:
                ledger.end(begun, result[_SCORE])

        def save(self, checkpoint_path: str) -> None:
            """The study's journal has everything."""

        def restore(self, checkpoint_path: str) -> None:
            raise NotImplementedError

        def __reduce__(self) -> Any:
            return dict, ()  # Ray Tune writes down what it is made of, to restore it: nobody will.

    return OfLedger()


def _died(what: str) -> SharpReCLError:
    return SharpReCLError(
        f"a worker died {RETRIES + 1} times over {what}; its memory probably does not suffice: take fewer --workers, "
        f"then run the same command with --resume"
    )


def _set_up(task: dict[str, Any]) -> None:
    import torch

    # The number of threads belongs to the thread that asks for it.
    torch.set_num_threads(task["threads"])
    check_worker(task["folder"], task["code"])
    # Ray has gone elsewhere, and a path of an encoder may be relative.
    with suppress(OSError):
        os.chdir(task["here"])


def _try(config: dict[str, Any], task: dict[str, Any]) -> None:
    """A trial, in a worker. The defaults tell nothing before they are through: they are never to be stopped."""
    from ray import cloudpickle, tune

    place, f1s = config["place"], []

    def after_fold(fold: int, f1_of: dict[int, float]) -> None:
        f1s.append((fold, f1_of))
        if place and fold + 1 < search.folds:
            tune.report({_SCORE: sum(f1_of.values()) / len(f1_of), _FOLDS: fold + 1, "f1s": [*f1s]})

    ended: dict[str, Any] = {_SCORE: 0.0}
    try:
        _set_up(task)
        search: Search = cloudpickle.loads(task["search"])
        ended[_FOLDS] = search.folds
        trial = search.trial(place, config["values"])
        ended |= {_SCORE: trial.score(run_trial(trial, Callback(), after_fold)), "whole": True}
    except DivergedError as error:
        ended |= {"why": RAN_AWAY} if place else {"failure": error}
    except SharpReCLError as error:
        ended["failure"] = error
    tune.report({_FOLDS: 1, **ended, "f1s": f1s})


def _judge(trial: Trial, task: dict[str, Any]) -> Evaluation:
    _set_up(task)
    return run_trial(trial, Callback())
