"""What a run is, and what it leaves: plain values that tables, figures and checks are made of.

Nothing here knows of plans: one run may stand in several tables. All shares lie in 0 to 1, rows count from 0.
"""

from dataclasses import asdict, dataclass
from typing import Any

from sharprecl.files import sha256_json


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides a run's result, beside the code.

    Attributes:
        data: a benchmark's name, or the path of a file for ``compare``.
        ir: imbalance ratio that the training texts are thinned to; None leaves them.
        train_cap, test_cap: most training texts a class and most test texts (stratified); None leaves all.
        settings: as ``profiles.resolve`` takes them, method and encoder included, the seed left out.
        seed: of the training.
        embeddings: whether the test texts' features are kept, for the figure of embeddings.
        text_column, label_column: of a file.
        test: a file with test texts; None takes the benchmark's own, or holds out a part of the file.
        encoding: of a file and its test texts, where they are text files.
    """

    data: str
    ir: float | None
    train_cap: int | None
    test_cap: int | None
    settings: dict[str, Any]
    seed: int
    embeddings: bool = False
    text_column: str = "text"
    label_column: str = "label"
    test: str | None = None
    encoding: str = "utf-8"

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values. The usual encoding is left out: runs had no such value once, and keep their hash."""
        values = asdict(self)
        if self.encoding == "utf-8":
            del values["encoding"]
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RunSpec":
        """The inverse of ``to_json``."""
        return cls(**values)

    @property
    def hash(self) -> str:
        """Hex SHA-256: two specs of one hash ask for the same run."""
        return sha256_json(self.to_json())


@dataclass(frozen=True)
class DataRecord:
    """What a group of runs was trained and judged on.

    Attributes:
        hash: hex SHA-256 over both tables' content hashes. Several specs may come to the same texts, so where they
            come from stands in the specs alone.
        achieved_ir: what the training texts really have.
        label_names: C names in the order of the ids.
        train_counts: training texts of each class.
        gold: the true class id of every test text.
        leaks: test texts that also stand in training.
    """

    hash: str
    achieved_ir: float
    label_names: tuple[str, ...]
    train_counts: tuple[int, ...]
    gold: tuple[int, ...]
    leaks: int

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "DataRecord":
        """The inverse of ``to_json``."""
        lists = {name: tuple(values[name]) for name in ("label_names", "train_counts", "gold")}
        return cls(**{**values, **lists})


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes:
        key: names its folder: hex SHA-256 over the spec's, the data's and the code's hash.
        spec: what was asked for.
        data: the hash of its ``DataRecord``.
        code: hash of the code that trains, see ``code_hash``.
        config: every setting as resolved.
        answers: the predicted class id of every test text, -1 for none.
        metrics: ``accuracy``, ``macro_f1``, ``balanced_accuracy``, and ``head``, ``medium``, ``tail`` (None where the
            band has nothing).
        f1: F1 of each class, in the order of the ids.
        selected_on: ``validation``, ``last`` or ``test``.
        steps: optimiser steps; ``tokens``: tokens that the encoder read in training, padding not counted.
        seconds: of training; ``peak_memory_bytes``: of the process or the card.
        environment: versions, machine, device, precision, date: what may differ between equal runs.
        notes: sentences of the run for people.
    """

    key: str
    spec: RunSpec
    data: str
    code: str
    config: dict[str, Any]
    answers: tuple[int, ...]
    metrics: dict[str, float | None]
    f1: tuple[float, ...]
    selected_on: str
    steps: int
    tokens: int
    seconds: float
    peak_memory_bytes: int
    environment: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def model(self) -> str:
        """The name of the encoder, or of the language model, that was trained."""
        return str(self.config["method"].get("model") or self.config["encoder"]["name"])

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "spec": self.spec.to_json()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RunRecord":
        """The inverse of ``to_json``."""
        lists = {name: tuple(values[name]) for name in ("answers", "f1", "notes")}
        return cls(**{**values, **lists, "spec": RunSpec.from_json(values["spec"])})


def run_key(spec: RunSpec, data_hash: str, code: str) -> str:
    """The name of a run's folder."""
    return sha256_json([spec.hash, data_hash, code])
