"""A run as a folder. It is finished when ``metrics.json`` is there, which is written last.

Every run has these:

config.yaml        every setting as resolved
environment.json   versions, machine, times, memory: what may differ between equal runs
history.jsonl      loss terms and validation figures
scores.npz         scores of the texts that it was judged on: any other decision can be judged on them
metrics.json       the figures
checkpoints/       from which a run that was cut off goes on
run.lock           held by the process that is at work in the folder

A run of an experiment, whose folder is named by its key, also has these; what ``sharprecl train`` adds tells
``runs/train.py``:

spec.json          what was asked for, and the hashes of data and code
answers.json       the predicted class id of every test text
features.npz       float16 features of the test texts, where they were asked for
error.txt          why the run failed; then only spec.json is beside it
output.txt         what libraries print while the run is made
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from filelock import FileLock, Timeout

from sharprecl.errors import ConfigError, DataError
from sharprecl.files import atomic_path, write_json, write_text
from sharprecl.runs.record import Failure, RunRecord
from sharprecl.runs.spec import RunId
from sharprecl.training.names import CHECKPOINTS, HISTORY, SCORES

CONFIG, ENVIRONMENT, METRICS = "config.yaml", "environment.json", "metrics.json"
SPEC, ANSWERS, FEATURES, ERROR, OUTPUT, LOCK = (
    "spec.json", "answers.json", "features.npz", "error.txt", "output.txt", "run.lock",
)  # fmt: skip

State = Literal["finished", "failed", "begun"]

# Fields of their own, not of the environment: a package must not be able to take their names.
_SPENT = {"seconds", "peak_memory_bytes"}
_FIGURES = {"metrics", "f1", "selected_on", "steps", "tokens", "notes"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # A tenth of the time, where PyYAML was built with it.


class BusyError(ConfigError):
    """Another process is at work in a run's folder."""


@dataclass(frozen=True)
class RunFolder:
    """Where one run lives."""

    path: Path

    @property
    def key(self) -> str:
        """The key of an experiment's run: the folder's name."""
        return self.path.name

    @property
    def state(self) -> State:
        """How far the run came. What has no figures and no error was begun."""
        if (self.path / METRICS).is_file():
            return "finished"
        return "failed" if (self.path / ERROR).is_file() else "begun"

    @property
    def stamp(self) -> str:
        """Changes when a file of the record does."""
        parts = []
        for name in (SPEC, CONFIG, ENVIRONMENT, ANSWERS, METRICS, ERROR):
            try:
                found = (self.path / name).stat()
            except FileNotFoundError:
                parts.append("-")
            else:
                parts.append(f"{found.st_mtime_ns}:{found.st_size}")
        return " ".join(parts)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other process out. The lock dies with the process that holds it.

        Raises:
            BusyError: one is at work in the folder.
        """
        lock = FileLock(self.path / LOCK, timeout=0)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout as error:
            raise BusyError(
                f"another process is training into {self.path}; wait for it, or choose another --output"
            ) from error
        except OSError:
            # A folder that cannot be written gets its sentence from whoever writes.
            yield
            return
        try:
            yield
        finally:
            (self.path / LOCK).unlink(missing_ok=True)
            lock.release()

    def is_busy(self) -> bool:
        """Whether a process is at work in the folder."""
        try:
            with self.alone():
                return False
        except BusyError:
            return True

    def begin(self, run: RunId) -> None:
        """Say what the run is, and forget how an earlier attempt ended."""
        write_json(self.path / SPEC, {"spec": run.spec.to_json(), "data": run.data, "code": run.code})
        for name in (ERROR, METRICS):
            (self.path / name).unlink(missing_ok=True)

    def finish(
        self,
        record: RunRecord,
        history: str = "",
        features: np.ndarray | None = None,
        scores: np.ndarray | None = None,
    ) -> None:
        """Write a finished run.

        Args:
            record: the run.
            history: text of ``history.jsonl``; empty where it is not known, in a run that came from another machine.
            features: float16 ``[N, H]``.
            scores: float32 ``[N, C]``; None where they are not known, as the history.
        """
        values = record.to_json()
        self.begin(record)
        write_text(self.path / CONFIG, yaml.safe_dump(values["config"], sort_keys=False, allow_unicode=True))
        spent = {name: values[name] for name in _SPENT}
        write_json(self.path / ENVIRONMENT, {**spent, "environment": values["environment"]})
        if history:
            write_text(self.path / HISTORY, history)
        if features is not None:
            write_arrays(self.path / FEATURES, features=features)
        if scores is not None:
            write_arrays(self.path / SCORES, scores=scores)
        write_text(self.path / ANSWERS, json.dumps(values["answers"]) + "\n")
        write_json(self.path / METRICS, {name: values[name] for name in _FIGURES})
        self.tidy()

    def tidy(self) -> None:
        """Take away what only a run at work needs."""
        shutil.rmtree(self.path / CHECKPOINTS, ignore_errors=True)
        (self.path / OUTPUT).unlink(missing_ok=True)

    def fail(self, failure: Failure) -> None:
        """Write why a run failed. Its checkpoints stay: if the cause lay outside, it goes on from them."""
        self.begin(failure)
        write_text(self.path / ERROR, failure.text)

    def identity(self) -> RunId:
        """What the run is.

        Raises:
            DataError: that was not written yet, or is damaged.
        """
        with self._readable():
            return RunId.from_json(_json(self.path / SPEC))

    def record(self) -> RunRecord:
        """Read a finished run.

        Raises:
            DataError: a file is missing or damaged.
        """
        with self._readable():
            return RunRecord.from_json(
                {
                    "key": self.key,
                    "config": yaml.load((self.path / CONFIG).read_text(encoding="utf-8"), _LOADER),
                    "answers": _json(self.path / ANSWERS),
                    **_json(self.path / SPEC),
                    **_json(self.path / ENVIRONMENT),
                    **_json(self.path / METRICS),
                }
            )

    def failure(self) -> Failure:
        """Read a failed run.

        Raises:
            DataError: a file is missing or damaged.
        """
        with self._readable():
            return Failure.from_json({**_json(self.path / SPEC), "text": (self.path / ERROR).read_text("utf-8")})

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, TypeError, yaml.YAMLError) as error:
            raise DataError(
                f"the run in {self.path} cannot be read ({error!r}); delete the folder and run it again"
            ) from error

    def features(self) -> np.ndarray | None:
        """Features of the test texts, float16 ``[N, H]``; None where they were not kept."""
        return _array(self.path / FEATURES, "features")

    def scores(self) -> np.ndarray | None:
        """Scores of the test texts, float32 ``[N, C]``; None where they were not kept."""
        return _array(self.path / SCORES, "scores")

    def history(self) -> str:
        """The text of ``history.jsonl``; empty where there is none."""
        path = self.path / HISTORY
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def write_arrays(path: Path, **arrays: np.ndarray) -> None:
    """Write a compressed ``.npz`` file, atomically."""
    named: dict[str, Any] = arrays
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **named)


def _array(path: Path, name: str) -> np.ndarray | None:
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as saved:
        return np.asarray(saved[name])


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
