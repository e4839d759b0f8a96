"""Runs the command line and kills this process with SIGKILL at a named point: ``interrupted.py POINT N ARGUMENTS``.

The N-th passing of the point kills. ``never`` lets the command run to its end.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sharprecl.training import checkpoint, session, trainer


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(owner: Any, name: str, passing: int, *, after: bool) -> None:
    """Die before or after the given call of a function."""
    original = getattr(owner, name)
    calls = 0

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == passing and not after:
            die()
        result = original(*args, **kwargs)
        if calls == passing and after:
            die()
        return result

    setattr(owner, name, wrapper)


def at_write(passing: int, before: Callable[[], None], after: Callable[[Path], None]) -> None:
    """Do something around the N-th file of a checkpoint."""
    original = checkpoint._write
    calls = 0

    def wrapper(path: Path, value: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == passing:
            before()
        original(path, value)
        if calls == passing:
            after(path)

    checkpoint._write = wrapper


def halve_and_die(path: Path) -> None:
    """Die when half of a checkpoint's state is on the disk."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    die()


def fill_the_disk() -> None:
    """From now on the kernel refuses files of over 1,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def main() -> None:
    point, passing = sys.argv[1], int(sys.argv[2])
    sys.argv = ["sharprecl", *sys.argv[3:]]
    if point == "mid_epoch":
        kill_at(trainer.Trainer, "_step", passing, after=False)
    elif point == "epoch_edge":
        kill_at(trainer.Trainer, "_validate", passing, after=True)
    elif point == "half_checkpoint":
        at_write(passing, before=lambda: None, after=halve_and_die)
    elif point == "full_disk":
        at_write(passing, before=fill_the_disk, after=lambda path: None)
    elif point == "before_judging":
        kill_at(session, "train", passing, after=True)
        from sharprecl import classifier
        from sharprecl.training import out_of_fold

        classifier.train = out_of_fold.train = session.train
    from sharprecl.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
