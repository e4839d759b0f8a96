"""What a run is to do: everything that decides its result, beside the code."""

from typing import Any, Self

from pydantic import ConfigDict, SerializerFunctionWrapHandler, TypeAdapter, model_serializer
from pydantic.dataclasses import dataclass

from sharprecl.data.dialect import Dialect
from sharprecl.files import sha256_json

STRICT = ConfigDict(extra="forbid")
WORDS = "tfidf"
"""In the place of a method: the floor below all of them, which has no settings and no seeds."""
FLOOR = "TF-IDF + logistic regression"
"""How tables call it."""


class Stored:
    """Base of what is written to the disk, and sent from one process to another, as JSON."""

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        values: dict[str, Any] = TypeAdapter(type(self)).dump_python(self, mode="json")
        return values

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """The inverse of ``to_json``.

        Raises:
            ValueError: a value is missing, unknown or of another type.
        """
        return TypeAdapter(cls).validate_python(values)


@dataclass(frozen=True, config=STRICT)
class RunSpec(Stored):
    """What was asked for.

    Attributes:
        data: a benchmark's name, or the path of a file for ``compare``.
        ir: imbalance ratio that the training texts are thinned to; None leaves them.
        train_cap, test_cap: most training texts a class and most test texts (stratified); None leaves all.
        settings: as ``profiles.resolve`` takes them, method and encoder included, the seed left out.
        seed: of the training.
        embeddings: whether the test texts' features are kept, for the figure of embeddings.
        text_column, label_column: of a file.
        test: a file with test texts; None takes the benchmark's own, or holds out a part of the file.
        encoding, separator, sheet: of a file and its test texts, where they are not to be recognised.
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
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_recognised(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Runs had no such values once, and keep their hash."""
        values: dict[str, Any] = dump(self)
        for name in ("encoding", "separator", "sheet"):
            if values.get(name, "") is None:
                del values[name]
        return values

    @property
    def dialect(self) -> Dialect:
        """How the files are written."""
        return Dialect(self.encoding, self.separator, self.sheet)

    @property
    def hash(self) -> str:
        """Hex SHA-256: two specs of one hash ask for the same run."""
        return sha256_json(self.to_json())


@dataclass(frozen=True, config=STRICT)
class RunId(Stored):
    """What a run is: what was asked for, the hash of its ``DataRecord`` and the hash of the code that trains."""

    spec: RunSpec
    data: str
    code: str


def run_key(spec: RunSpec, data_hash: str, code: str) -> str:
    """The name of a run's folder: hex SHA-256 over the hashes of spec, data and code."""
    return sha256_json([spec.hash, data_hash, code])
