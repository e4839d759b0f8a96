"""What a run should remember of the place where it ran."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from sharprecl.version import __version__


def describe_machine() -> dict[str, Any]:
    """Versions and hardware, for the record."""
    import torch

    packages = ("torch", "transformers", "accelerate", "tokenizers", "numpy", "scikit-learn", "polars", "simplemma")
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "sharprecl": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "packages": versions,
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }
