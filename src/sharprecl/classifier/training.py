"""A training and the decision learnt after it, whatever the method."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from sharprecl.config import MethodConfig, RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.decision import HeldOut, Learned, check_decision, learn
from sharprecl.errors import ConfigError
from sharprecl.export.predictor import Backend, Fitted
from sharprecl.methods.registry import load_object
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.job import TrainingJob
from sharprecl.training.launch import check_launcher, check_number, launched, started
from sharprecl.training.names import CHECKPOINTS
from sharprecl.training.out_of_fold import OutOfFold, number_of_folds, remove_folds
from sharprecl.training.out_of_fold import out_of_fold as score_out_of_fold
from sharprecl.training.processes import ALONE, Processes


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training gave: a model, its decision, and scores of folds and held-out texts before that decision."""

    fitted: Fitted
    learned: Learned
    out_of_fold: OutOfFold | None
    held_out: HeldOut | None
    known_C: np.ndarray | None


def train(job: TrainingJob, *, out_of_fold: bool, keep_checkpoints: bool) -> Trained:
    """Train on folds where they are wanted, then on all texts, and learn the decision from what was held out.

    Args:
        job: the training.
        out_of_fold: whether there is a use for out-of-fold scores.
        keep_checkpoints: leave them and the scores of folds in the job's folder.

    Raises:
        SharpReCLError: what is wrong with settings, assets or disk.
    """
    table, config = job.table, job.config
    if table.weights is not None and (why := config.method.no_weights_because):
        raise ConfigError(
            f"{config.method.name} takes no weights, for {why}; leave them out, or repeat texts in the data"
        )
    backend = backend_of(config.method)
    known_C = backend.answered_prior(table.weighted_counts, config.method)
    check_decision(config.decision, config.method.name, table.label_names, table.natural_counts, known_C is not None)
    number = number_of_folds(config, len(table), out_of_fold or config.decision.learns)
    found = score_out_of_fold(job, number) if number else None
    fitted = backend.fit(job)
    held_out = _held_out(fitted, found, table) if config.method.heeds_setting("decision") else None
    learned = learn(config.decision, table.label_names, table.natural_counts, known_C, held_out)
    for note in learned.notes:
        job.callback.on_message(f"note: {note}")
    fitted.predictor.decide(learned.decision)
    if job.output is not None and not keep_checkpoints:
        remove_checkpoints(job.output / CHECKPOINTS)
        remove_folds(job.output)
    return Trained(fitted, learned, found, held_out, known_C)


@contextmanager
def processes_for(config: RunConfig, num_texts: int, number: int, device: str) -> Iterator[Processes]:
    """The processes that train together.

    Raises:
        ConfigError: the method, the batches or the machine do not allow so many.
    """
    # What takes no steps is fitted beside a launched training too, as what it has to beat.
    if number == 1 and (launched() == 1 or not config.method.trains_encoder):
        yield ALONE
        return
    check_launcher()
    if not config.method.trains_encoder:
        raise ConfigError(f"{config.method.name} is not trained by several processes; leave --processes out")
    check_number(max(number, launched()), config.training, num_texts)
    with started(number, device) as processes:
        yield processes


def _held_out(fitted: Fitted, found: OutOfFold | None, table: TextTable) -> HeldOut | None:
    rows = fitted.validation if found is None else found.rows
    if not len(rows):
        return None
    s_MC = fitted.predictor.scores(table.select(rows).texts)[0] if found is None else found.s_MC
    weight_M = np.ones(len(rows)) if table.weights is None else table.weights[rows]
    return HeldOut(s_MC, table.label_ids[rows], weight_M)


def backend_of(settings: MethodConfig) -> type[Backend]:
    """What trains a method."""
    backend: type[Backend] = load_object(settings.backend)
    return backend
