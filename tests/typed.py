"""The command line as a user types it, within this process."""

import sys
from typing import NamedTuple

import pytest

from sharprecl.cli.main import main


class Printed(NamedTuple):
    """Exit status, standard output, standard error."""

    status: int
    out: str
    err: str


class Shell:
    """Runs ``sharprecl ARGUMENTS``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *before: str) -> None:
        self._monkeypatch, self._capsys, self._before = monkeypatch, capsys, before

    def __call__(self, *arguments: str) -> Printed:
        self._monkeypatch.setattr(sys, "argv", ["sharprecl", *self._before, *arguments])
        status = 0
        try:
            main()
        except SystemExit as left:
            status = int(left.code or 0)
        return Printed(status, *self._capsys.readouterr())
