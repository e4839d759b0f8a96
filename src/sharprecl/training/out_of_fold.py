"""Scores of texts by models that have not learnt from them: one training a fold, before the one that is handed over.

folds/1/checkpoints/, folds/1/history.jsonl   while the first of them is trained
folds/1/scores.npz                            once it is, in their place
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sharprecl.config import RunConfig, outside_code
from sharprecl.data.folds import HELD_OUT, Fold, deal_folds, hold_out_once
from sharprecl.data.messages import plural
from sharprecl.data.tables import TextTable
from sharprecl.data.tokens import tokenize
from sharprecl.errors import CheckpointError, ConfigError
from sharprecl.files import atomic_path, sha256_json
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.hardware import autocast, free_memory
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.inference import predict
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS, FOLDS, HISTORY, SCORES
from sharprecl.training.session import train
from sharprecl.version import __version__

MANY_TEXTS = 2000
"""Above, one more training on four fifths of the texts leaves enough to judge on; below, every text is needed."""

USUAL = 3
_SHARES = {2: "half", 3: "two thirds", 4: "three quarters", 5: "four fifths"}


AfterFold = Callable[[int, Fold, np.ndarray], None]


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of texts that were held out.

    Attributes:
        rows: of the training table, int64 [M], each once.
        s_MC: their scores before any decision, float32.
        folds: what each training learnt from.
        num_alone: classes without a text among them, which could not spare one.
        model_saw: which texts the model that is handed over has learnt from, in words.
    """

    rows: np.ndarray
    s_MC: np.ndarray
    folds: list[Fold]
    num_alone: int
    model_saw: str

    @property
    def sentence(self) -> str:
        """Where the figures come from, for the line under them."""
        number = len(self.folds)
        if number == 1:
            made = f"1 in {HELD_OUT} texts of each class, held out of one more training"
        else:
            share = _SHARES.get(number, f"{number - 1}/{number}")
            made = f"out-of-fold scores of {number} trainings on {share} of the texts each"
        alone = plural(self.num_alone, "class has too few texts to be", "classes have too few texts to be")
        return (
            f"{made}; the model itself has learnt from {self.model_saw}"
            f"{f'; {alone} held out and judged' if self.num_alone else ''}"
        )


def number_of_folds(config: RunConfig, num_texts: int, wanted: bool) -> int:
    """How many trainings on parts of the texts come first; 0 for none, 1 for a single part that is held out.

    Args:
        config: ``training.folds`` decides, if it is a number.
        num_texts: N.
        wanted: whether there is a use for out-of-fold scores.

    Raises:
        ConfigError: folds were asked for where the epoch is chosen on test texts.
    """
    training = config.training
    if not config.method.heeds_setting("training", "folds"):
        return 0
    if training.folds == "auto":
        # Where texts are held out to choose the epoch, these serve.
        return (USUAL if num_texts <= MANY_TEXTS else 1) if wanted and training.select_on == "last" else 0
    if training.folds and training.select_on == "test":
        raise ConfigError("training.folds says nothing where select_on is 'test'; set select_on to last, or folds to 0")
    return training.folds


def out_of_fold(job: TrainingJob, number: int, after_fold: AfterFold = lambda *_: None) -> OutOfFold | None:
    """Train once a fold, by the very settings of the training to come, and score what was held out.

    Args:
        job: the training to come.
        number: from ``number_of_folds``, at least 1.
        after_fold: is told of every fold's place and scores; what it raises ends the work.

    Returns:
        None where no class has two texts.

    Raises:
        SharpReCLError: data, settings, assets or disk do not allow it, or what is to be resumed is another run.
    """
    table, config, callback, output = job.table, job.config, job.callback, job.output
    if output is not None and not job.resume:
        remove_folds(output)
    folds = hold_out_once(table, config.seed) if number == 1 else deal_folds(table, number, config.seed)
    if not folds:
        callback.on_message("note: no class has two different texts, so nothing can be held out to judge on")
        return None
    folders = [None if output is None else output / FOLDS / str(place + 1) for place in range(len(folds))]
    identities = [_identity(table, config, fold) for fold in folds]
    done = [
        _read(folder / SCORES, identity) if folder is not None and job.resume else None
        for folder, identity in zip(folders, identities, strict=True)
    ]
    if any(known is None for known in done):
        callback.on_message(
            f"{plural(len(folds), 'training comes', 'trainings come')} before the one on all texts, each to score what "
            f"was held out of it: figures that need no test texts; --folds 0 (training.folds) saves their time"
        )
    s_MC = []
    for place, (fold, folder, known) in enumerate(zip(folds, folders, done, strict=True)):
        name = f"fold {place + 1} of {len(folds)}"
        if known is None:
            callback.on_message(f"{name}: learning from {len(fold.fit)} texts to judge on the other {len(fold.held)}")
            known = _train(job, _OfFold(callback, name), fold, folder)
            if folder is not None:
                _write(folder, known, identities[place])
        s_MC.append(known)
        after_fold(place, fold, known)
    rows = np.concatenate([fold.held for fold in folds])
    alone = int((np.bincount(table.label_ids[rows], minlength=table.num_classes) == 0).sum())
    saw = "all texts" if config.training.select_on == "last" else "all texts but those that chose its epoch"
    return OutOfFold(rows, np.concatenate(s_MC), folds, alone, saw)


def _train(job: TrainingJob, callback: "_OfFold", fold: Fold, folder: Path | None) -> np.ndarray:
    part = replace(job, table=job.table.select(fold.fit), callback=callback, test=None, output=folder)
    try:
        trained = train(part)
    except BaseException:
        callback.whole.on_end()
        raise
    texts = [job.table.texts[row] for row in fold.held]
    tokens = tokenize(texts, trained.tokenizer, job.config.encoder.max_length)
    with autocast(trained.backbone.classifier.weight.device, trained.answer_precision):
        s_NC, _ = predict(trained.backbone, None, tokens, trained.tokenizer.pad_token_id)
    del trained
    free_memory()
    return s_NC


def _identity(table: TextTable, config: RunConfig, fold: Fold) -> str:
    settings = config.kept()
    del settings["training"]["checkpoint_seconds"]
    own = outside_code(config.method.name)
    whole = [__version__, settings, table.content_hash, *([own] if own else [])]
    digest = hashlib.sha256(sha256_json(whole).encode())
    for rows in (fold.fit, fold.held):
        digest.update(rows.astype("<i8").tobytes())
    return digest.hexdigest()


def _write(folder: Path, s_NC: np.ndarray, identity: str) -> None:
    try:
        with atomic_path(folder / SCORES) as temporary, temporary.open("wb") as stream:
            np.savez(stream, scores=s_NC, identity=np.array(identity))
    except OSError as error:
        raise CheckpointError(
            f"could not write to {folder} ({error}); free some space or make the folder writable, then run the same "
            f"command with --resume"
        ) from error
    remove_checkpoints(folder / CHECKPOINTS)
    (folder / HISTORY).unlink(missing_ok=True)


def _read(path: Path, identity: str) -> np.ndarray | None:
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as saved:
        if str(saved["identity"]) != identity:
            raise CheckpointError(
                f"the scores in {path.parent} belong to a run with other settings or other data; start anew in another "
                f"output folder, or repeat the first command to resume it"
            )
        return np.asarray(saved["scores"])


def remove_folds(output: Path) -> None:
    """Take away what out-of-fold trainings left in a run's folder, and nothing else."""
    for folder in (output / FOLDS).glob("[0-9]*"):
        remove_checkpoints(folder / CHECKPOINTS)
        for name in (HISTORY, SCORES):
            (folder / name).unlink(missing_ok=True)
        _remove_empty(folder)
    _remove_empty(output / FOLDS)


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


class _OfFold(Callback):
    """Tells the run's callback of the training of a fold, without the notes, which the whole training will tell, and
    without its end: the run goes on.
    """

    def __init__(self, whole: Callback, name: str) -> None:
        self.whole, self._name = whole, name

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self.whole.on_record({**record, "fold": self._name}, speed)

    def on_message(self, sentence: str) -> None:
        if not sentence.startswith("note: "):
            self.whole.on_message(f"{self._name}: {sentence}")
