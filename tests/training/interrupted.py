"""Runs commands, each in a fork of this process, and kills it with SIGKILL at a named point.

A line of JSON on the standard input asks for a command: where, which arguments, at which point, at its how many-th
passing; ``never`` lets it run to its end. A line on the standard output answers how it ended and what it printed. All
that a training imports is imported once, before the forks.
"""

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sharprecl.cli.main import main as command
from sharprecl.export import encoder
from sharprecl.training import checkpoint, out_of_fold, session, trainer


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


def arm(point: str, passing: int) -> None:
    """See that this process is killed at a point."""
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
        encoder.train = out_of_fold.train = session.train  # type: ignore[attr-defined]


def run(request: dict[str, Any], out: Any, err: Any) -> int:
    """Run a command in a fork; give its status, negative for a signal."""
    child = os.fork()
    if not child:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        os.chdir(request["folder"])
        sys.argv = ["sharprecl", *request["arguments"]]
        arm(request["point"], request["passing"])
        status = 1
        try:
            command()
        except SystemExit as ended:
            status = int(ended.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    for name in ("cli.train", "runs.train", "runs.judge", "report.page", "report.curves"):
        importlib.import_module(f"sharprecl.{name}")
    for name in ("matplotlib.figure", "torch.utils.tensorboard.writer", "transformers.models.bert.modeling_bert"):
        importlib.import_module(name)
    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            status = run(json.loads(line), out, err)
            out.seek(0)
            err.seek(0)
            print(json.dumps([status, out.read(), err.read()]), flush=True)


if __name__ == "__main__":
    main()
