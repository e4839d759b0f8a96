"""SharpReCL: text classification when some classes are rare.

The public names are loaded when first used, so that ``import sharprecl`` and ``sharprecl --help`` do not wait for
PyTorch.
"""

import importlib
from typing import TYPE_CHECKING, Any

from sharprecl.version import __version__

_HOME = {
    "TextClassifier": "sharprecl.classifier",
    "TextTable": "sharprecl.data.tables",
    "read_table": "sharprecl.data.tables",
    "Benchmark": "sharprecl.data.benchmarks",
    "load_benchmark": "sharprecl.data.benchmarks",
    "imbalanced_subset": "sharprecl.data.imbalance",
    "Evaluation": "sharprecl.evaluation.judge",
    "evaluate": "sharprecl.evaluation.judge",
    "RunConfig": "sharprecl.config",
    "MethodLoss": "sharprecl.methods.as_loss",
    "SharpReCLError": "sharprecl.errors",
}
__all__ = [
    "Benchmark",
    "Evaluation",
    "MethodLoss",
    "RunConfig",
    "SharpReCLError",
    "TextClassifier",
    "TextTable",
    "__version__",
    "evaluate",
    "imbalanced_subset",
    "load_benchmark",
    "read_table",
]

if TYPE_CHECKING:
    from sharprecl.classifier import TextClassifier
    from sharprecl.config import RunConfig
    from sharprecl.data.benchmarks import Benchmark, load_benchmark
    from sharprecl.data.imbalance import imbalanced_subset
    from sharprecl.data.tables import TextTable, read_table
    from sharprecl.errors import SharpReCLError
    from sharprecl.evaluation.judge import Evaluation, evaluate
    from sharprecl.methods.as_loss import MethodLoss


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'sharprecl' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
