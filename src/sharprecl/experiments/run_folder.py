"""A run as a folder, named by its key. It is finished when ``metrics.json`` is there, which is written last.

spec.json          what was asked for, and the hashes of data and code
config.yaml        every setting as resolved
environment.json   versions, machine, times, memory: what may differ between equal runs
history.jsonl      loss terms and validation figures
answers.json       the predicted class id of every test text
scores.npz         float32 scores of the test texts; answers follow from them, and so does any other decision
features.npz       float16 features of the test texts, where they were asked for
metrics.json       the figures
error.txt          why the run failed, in place of all that stands above but spec.json
checkpoints/       from which a run that was cut off goes on
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from filelock import FileLock, Timeout

from sharprecl.errors import DataError
from sharprecl.experiments.records import RunRecord, RunSpec
from sharprecl.files import atomic_path, write_json, write_text
from sharprecl.training.names import CHECKPOINTS, HISTORY

SPEC, CONFIG, ENVIRONMENT = "spec.json", "config.yaml", "environment.json"
ANSWERS, METRICS, ERROR = "answers.json", "metrics.json", "error.txt"
OUTPUT, LOCK = "output.txt", "run.lock"

State = Literal["finished", "failed", "begun"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # A tenth of the time, where PyYAML was built with it.


class BusyError(Exception):
    """Another process is at work in a run's folder."""


@dataclass(frozen=True)
class Failure:
    """A run that failed: what was asked for, and the traceback."""

    spec: RunSpec
    data: str
    code: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "spec": self.spec.to_json()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Failure":
        """The inverse of ``to_json``."""
        return cls(**{**values, "spec": RunSpec.from_json(values["spec"])})

    @property
    def sentence(self) -> str:
        """The last line of the traceback, without the name of the exception's module."""
        lines = self.text.strip().splitlines() or ["unknown"]
        return lines[-1]


@dataclass(frozen=True)
class RunFolder:
    """Where one run lives."""

    path: Path

    @property
    def key(self) -> str:
        """The run's key: the folder's name."""
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
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout as error:
            raise BusyError from error
        try:
            yield
        finally:
            (self.path / LOCK).unlink(missing_ok=True)
            lock.release()

    def is_busy(self) -> bool:
        """Whether a process is at work in the folder."""
        lock = FileLock(self.path / LOCK, timeout=0)
        try:
            with lock:
                return False
        except Timeout:
            return True

    def begin(self, spec: RunSpec, data: str, code: str) -> None:
        """Say what the run is, and forget how an earlier attempt ended."""
        write_json(self.path / SPEC, {"spec": spec.to_json(), "data": data, "code": code})
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
        self.begin(record.spec, record.data, record.code)
        write_text(self.path / CONFIG, yaml.safe_dump(record.config, sort_keys=False, allow_unicode=True))
        # Fields of their own, not of the environment: a package must not be able to take their names.
        spent = {"seconds": record.seconds, "peak_memory_bytes": record.peak_memory_bytes}
        write_json(self.path / ENVIRONMENT, {**spent, "environment": record.environment})
        if history:
            write_text(self.path / HISTORY, history)
        for name, array in (("features", features), ("scores", scores)):
            if array is not None:
                with atomic_path(self.path / f"{name}.npz") as temporary, temporary.open("wb") as stream:
                    named: dict[str, Any] = {name: array}
                    np.savez_compressed(stream, **named)
        write_text(self.path / ANSWERS, json.dumps(list(record.answers)) + "\n")
        figures = {
            "metrics": record.metrics,
            "f1": list(record.f1),
            "selected_on": record.selected_on,
            "steps": record.steps,
            "tokens": record.tokens,
            "notes": list(record.notes),
        }
        write_json(self.path / METRICS, figures)
        self.tidy()

    def tidy(self) -> None:
        """Take away what only a run at work needs."""
        shutil.rmtree(self.path / CHECKPOINTS, ignore_errors=True)
        (self.path / OUTPUT).unlink(missing_ok=True)

    def fail(self, failure: Failure) -> None:
        """Write why a run failed. Its checkpoints stay: if the cause lay outside, it goes on from them."""
        self.begin(failure.spec, failure.data, failure.code)
        write_text(self.path / ERROR, failure.text)

    def record(self) -> RunRecord:
        """Read a finished run.

        Raises:
            DataError: a file is missing or damaged.
        """
        try:
            asked, spent = _json(self.path / SPEC), _json(self.path / ENVIRONMENT)
            config = dict(yaml.load((self.path / CONFIG).read_text(encoding="utf-8"), _LOADER))
            values = {"key": self.key, "config": config, "answers": _json(self.path / ANSWERS), **asked, **spent}
            return RunRecord.from_json({**values, **_json(self.path / METRICS)})
        except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
            raise self._unreadable(error) from error

    def asked(self) -> tuple[RunSpec, str, str]:
        """What the run is: its spec, the hash of its data and that of its code.

        Raises:
            DataError: that was not written yet, or is damaged.
        """
        try:
            asked = _json(self.path / SPEC)
            return RunSpec.from_json(asked["spec"]), asked["data"], asked["code"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise self._unreadable(error) from error

    def failure(self) -> Failure:
        """Read a failed run.

        Raises:
            DataError: a file is missing or damaged.
        """
        try:
            return Failure(*self.asked(), (self.path / ERROR).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> DataError:
        return DataError(f"the run in {self.path} cannot be read ({error!r}); delete the folder and run it again")

    def features(self) -> np.ndarray | None:
        """Features of the test texts, float16 ``[N, H]``; None where they were not kept."""
        return self._array("features")

    def scores(self) -> np.ndarray | None:
        """Scores of the test texts, float32 ``[N, C]``; None where they were not kept."""
        return self._array("scores")

    def _array(self, name: str) -> np.ndarray | None:
        path = self.path / f"{name}.npz"
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as saved:
            return np.asarray(saved[name])

    def history(self) -> str:
        """The text of ``history.jsonl``; empty where there is none."""
        path = self.path / HISTORY
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
