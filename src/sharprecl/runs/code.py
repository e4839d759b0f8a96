"""Which code a result comes from: a hash over the source files that can change one.

They are the packages and files of ``DECIDES``: what prepares texts, trains, answers and counts. What reads, shows or
schedules cannot change a figure and is left out, and so is how settings become a ``RunSpec``, which is in every key.
Versions of PyTorch and other packages are told in a run's environment and are not part of it.
"""

from collections.abc import Iterator
from pathlib import Path

from sharprecl.config import outside_code
from sharprecl.runs.spec import WORDS, RunSpec
from sharprecl.source import hash_sources

DECIDES: tuple[str, ...] = (
    "assets/catalogue.py",
    "assets/named.py",
    "augment",
    "classifier",
    "config",
    "data",
    "decision",
    "evaluation/bands.py",
    "evaluation/judge.py",
    "evaluation/metrics.py",
    "evaluation/references.py",
    "export/encoder.py",
    "export/predictor.py",
    "llm",
    "losses",
    "methods",
    "models",
    "rebalance",
    "runs/data.py",
    "runs/execute.py",
    "runs/record.py",
    "runs/words.py",
    "training",
)
"""Places below the package's folder; of a folder, all Python files."""

_PACKAGE = Path(__file__).parent.parent


def code_hash(package: Path = _PACKAGE) -> str:
    """Hex SHA-256 over the files that decide results, their names included.

    Comments, docstrings and blank lines do not count: a better sentence makes no run stale.

    Args:
        package: the package's folder.
    """
    return hash_sources((file.relative_to(package).as_posix(), file) for file in _files(package))


def run_code(spec: RunSpec, package: str) -> str:
    """The hash of the code that a run is made by: a method from outside adds that of its own files behind a plus.

    Args:
        package: ``code_hash()``.

    Raises:
        ConfigError: the method cannot be had.
    """
    method = spec.settings["method"]["name"]
    own = "" if method == WORDS else outside_code(method)
    return f"{package}+{own}" if own else package


def _files(package: Path) -> Iterator[Path]:
    for place in DECIDES:
        path = package / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]
