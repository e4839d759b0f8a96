"""Methods from outside the package, written by a test into the folder that it works in."""

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharprecl.config.outside import outside_method, short_names

METHOD = '''"""Twice cross-entropy.

More.
"""

from pydantic import Field

from sharprecl.config import MethodConfig
from sharprecl.methods.classification import LogitLoss


class MineConfig(MethodConfig):
    factor: float = Field(2.0, gt=0)
    kind: str = "plain"


class Mine(LogitLoss):
    Config = MineConfig

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    @classmethod
    def build(cls, backbone, class_counts, config, seed):
        return cls(config.factor)

    def per_text(self, s_NC, y_N):
        return self.factor * super().per_text(s_NC, y_N)
'''

_NUMBERS = itertools.count()


class Outside:
    """A folder for modules, whose names are new to this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"outside{next(_NUMBERS)}"
        self.address = f"{self.name}:Mine"

    def write(self, text: str = METHOD, file: str = "") -> str:
        """Write the module, or a file of a package of its name, and forget what was imported of it; its address."""
        path = self.folder / (f"{self.name}/{file}" if file else f"{self.name}.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.forget()
        return self.address

    def forget(self) -> None:
        """As in a new process. Python trusts a compiled file that is as old and as long as its source."""
        for name in [name for name in sys.modules if name.partition(".")[0] == self.name]:
            del sys.modules[name]
        for cache in self.folder.rglob("__pycache__"):
            for path in cache.iterdir():
                path.unlink()
        outside_method.cache_clear()
        short_names.cache_clear()

    def install(self, package: str, **methods: str) -> None:
        """Leave in the folder what pip would of a package with these methods."""
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {address}\n" for name, address in methods.items()]
        (info / "entry_points.txt").write_text("".join(["[sharprecl.methods]\n", *lines]))
        self.forget()


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    made = Outside(tmp_path)
    made.forget()
    yield made
    monkeypatch.undo()
    made.forget()
