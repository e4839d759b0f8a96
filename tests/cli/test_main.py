"""What every command has in common: how it ends where the machine says no."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sharprecl.cli.main import main


@pytest.mark.parametrize("refused", [NotADirectoryError, IsADirectoryError, FileExistsError])
def test_a_place_that_cannot_be_used_is_one_sentence(
    refused: type[OSError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = {NotADirectoryError: errno.ENOTDIR, IsADirectoryError: errno.EISDIR}.get(refused, errno.EEXIST)

    def fail() -> None:
        raise refused(number, os.strerror(number), "here/there")

    monkeypatch.setattr("sharprecl.cli.main.app", fail)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("sharprecl: cannot use here/there (")


def test_a_console_of_few_characters_gets_their_numbers(tmp_path: Path) -> None:
    """Windows gives a redirected command one of 256; the table of a comparison would be lost after hours."""
    rows = [f"the cafe is open {n},{'rare' if n < 2 else 'common'}\n" for n in range(40)]
    (tmp_path / "x.csv").write_text("text,label\n" + "".join(rows))
    outputs = {}
    for encoding in ("utf-8", "ascii"):
        done = subprocess.run(
            [sys.executable, "-m", "sharprecl", "doctor", "x.csv"],
            cwd=tmp_path, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs[encoding] = done.stdout.decode(encoding)
    assert not outputs["utf-8"].isascii()
    assert "\\u" in outputs["ascii"] or "\\x" in outputs["ascii"]


@pytest.mark.parametrize(
    ("given", "spins"),
    [({}, "3000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "ACTIVE"}, None)],
)
def test_waiting_threads_soon_sleep_unless_the_user_says_how_they_wait(
    given: dict[str, str], spins: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two trainings on the same cores keep each other waiting: benchmarks/busy_cores.py."""
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")  # so that it is put back, whatever main sets
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found: list[str | None] = []
    monkeypatch.setattr("sharprecl.cli.main.app", lambda: found.append(os.environ.get("GOMP_SPINCOUNT")))
    main()
    assert found == [spins]
