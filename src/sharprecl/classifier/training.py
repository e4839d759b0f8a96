"""A training and the decision learnt after it, whatever the method."""

from dataclasses import dataclass

from sharprecl.config import MethodConfig
from sharprecl.decision import Learned, check_prior, learn
from sharprecl.errors import ConfigError
from sharprecl.export.predictor import Backend, Fitted
from sharprecl.methods.registry import load_object
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS
from sharprecl.training.out_of_fold import OutOfFold, number_of_folds, remove_folds
from sharprecl.training.out_of_fold import out_of_fold as score_out_of_fold


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training gave: a model, its decision, and scores of folds, if there were any, before that decision."""

    fitted: Fitted
    learned: Learned
    out_of_fold: OutOfFold | None


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
    check_prior(config.decision, config.method.name, table.label_names, table.natural_counts, known_C is not None)
    number = number_of_folds(config, len(table), out_of_fold or config.decision.calibrate)
    found = score_out_of_fold(job, number) if number else None
    fitted = backend.fit(job)
    held_out, rows = None, fitted.validation
    if found is not None:
        rows = found.rows
        held_out = found.s_MC, table.label_ids[rows]
    elif config.decision.calibrate and len(rows):
        held = table.select(rows)
        held_out = fitted.predictor.scores(held.texts)[0], held.label_ids
    weight_N = None if table.weights is None else table.weights[rows]
    learned = learn(config.decision, table.label_names, table.natural_counts, known_C, held_out, weight_N)
    for note in learned.notes:
        job.callback.on_message(f"note: {note}")
    fitted.predictor.decide(learned.decision)
    if job.output is not None and not keep_checkpoints:
        remove_checkpoints(job.output / CHECKPOINTS)
        remove_folds(job.output)
    return Trained(fitted, learned, found)


def backend_of(settings: MethodConfig) -> type[Backend]:
    """What trains a method."""
    backend: type[Backend] = load_object(settings.backend)
    return backend
