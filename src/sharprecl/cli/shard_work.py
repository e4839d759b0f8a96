"""The way through many files: each is done once, here or by a pool, and what cannot be read is named in the end."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import is_ray
from sharprecl.cli.progress import Reporter, counter
from sharprecl.cli.shard_progress import ShardReporter
from sharprecl.cli.shards import Shard, Shards
from sharprecl.cli.stream_source import Given
from sharprecl.cli.streams import Done, Work
from sharprecl.data.finished import FinishedShards
from sharprecl.data.messages import joined, names_phrase, plural
from sharprecl.data.rawfile import check_file
from sharprecl.errors import ConfigError, DataError, NoRowsError, OutputError, SharpReCLError
from sharprecl.files import sha256_file, sha256_json

if TYPE_CHECKING:
    from sharprecl.scale.ray_pool import RayPool

_COUNTS = ("rows", "without", "made")
"""What is added over shards, and recorded of each."""

Do = Callable[[Shard, bool, Reporter], Done]
"""Does a shard; the second argument says whether to go on with what is there of it."""


def pool_on(
    on: str | None,
    shards: Shards | None,
    address: str | None,
    workers: int | None,
    threads: int,
    gpu_share: float | None,
    device: str,
) -> "RayPool | None":
    """Who does the shards; None is this process.

    Raises:
        SharpReCLError: an unknown place, options of another one, no such cluster, or one file only.
    """
    if not is_ray(on, address, gpu_share):
        return None
    if shards is None:
        raise ConfigError("on Ray every worker takes a file at a time; give a folder of files, or leave --on ray out")
    from sharprecl.scale.cluster import Cluster
    from sharprecl.scale.ray_pool import RayPool

    shards.make_absolute()
    return RayPool(Cluster.joined(address, threads, gpu_share, device), workers)


def work_through(
    shards: Shards,
    make: Callable[[], Do],
    of: Mapping[str, str],
    console: Console,
    doing: str,
    *,
    resume: bool,
    overwrite: bool,
    pool: "RayPool | None" = None,
) -> Done:
    """Do every shard that is not finished; those that cannot be read are named in the end.

    Args:
        make: gives what does one.
        of: hashes of what all outputs depend on, by what sentences call it.
        console: where people are told.
        doing: what goes on, for the bar.
        resume: go on where this was cut off.
        overwrite: begin anew.
        pool: who does them; None is this process.

    Raises:
        ConfigError: what is there was made of other things, or another command writes there.
        DataError: some shards cannot be read; all others are done.
        OutputError: there is no room.
    """
    record = FinishedShards(shards.folder)
    if shards.passed_over:
        say(console, f"note: {names_phrase(shards.passed_over)} in {shards.data}: no tables by their names, not read")
    done, failed = list[Done](), list[Path]()
    of = {**of, "data": str(Path(shards.data).absolute())}
    try:
        if finished := record.open(of, resume=resume, overwrite=overwrite):
            say(console, f"{finished} of {plural(len(shards.every), 'shard', 'shards')} recorded as finished")
        with counter(make_console(stderr=True), doing, "texts") as count:
            due = [shard for shard in shards.every if not record.recorded(shard.output)]
            reporter = ShardReporter(console, count, [shard.data for shard in due])
            begun = (_Begun(shard, record, resume) for shard in shards.every)
            if pool is None:
                worked = _here(begun, make, reporter)
            else:
                worked = _in_pool(pool, shards.folder, begun, make, reporter)
            for one in worked:
                if one.done is not None:
                    done.append(one.done)
                else:
                    failed.append(one.shard.data)
                    say(console, f"not done: {one.error}")
        show_notes(console, reporter.gathered)
    finally:
        record.close()
    if failed:
        names = joined([str(path) for path in failed[:100]], len(failed))
        raise DataError(
            f"{len(failed)} of {plural(len(shards.every), 'shard', 'shards')} could not be done: {names}; mend "
            f"{'it' if len(failed) == 1 else 'them'}, then run the same command with --resume"
        )
    rows, without, made = (sum(getattr(one, name) for one in done) for name in _COUNTS)
    return Done(rows, without, shards.lists if shards.lists.is_dir() and any(shards.lists.iterdir()) else None, made)


def answer_all(
    shards: Shards | None, work: Work, given: Given, console: Console, doing: str, pool: "RayPool | None" = None
) -> Done:
    """Do a command's work on one file, or on every shard, with one model or one for each actor of a pool.

    Raises:
        SharpReCLError: see ``work_through``.
    """
    if shards is None:
        return work.do(given, Reporter(console, doing))
    if given.kind is not None:
        raise ConfigError(f"--format is for standard input; how files in {given.data} are written say their endings")
    shards.check(resume=given.resume, overwrite=given.overwrite)

    def of(shard: Shard, resume: bool) -> Given:
        data, output = str(shard.data), str(shard.output)
        return replace(given, data=data, output=output, lists=shards.lists, resume=resume, overwrite=True)

    what = given.what(work.weights, **work.options)
    if work.sample is not None:
        with Reporter(console, doing).checking() as count:
            seen = 0
            for shard in shards.every:
                # The shares are those of all texts: a shard that cannot be read ends the command.
                with suppress(NoRowsError):
                    for block in of(shard, False).rows(work.label, lambda _: None)[0].blocks():
                        work.sample.draw(block.texts)
                        seen += len(block.texts)
                        count(seen, None)
        work.sample.whole = True
        what["sample of texts"] = sha256_json(work.sample.texts)

    def do(shard: Shard, resume: bool, reporter: Reporter) -> Done:
        return work.do(of(shard, resume), reporter)

    return work_through(
        shards,
        lambda: do,
        {name: value for name, value in what.items() if name != "texts"},
        console,
        doing,
        resume=given.resume,
        overwrite=given.overwrite,
        pool=pool,
    )


class _Begun:
    """A shard that is not finished, or what is known of it.

    Attributes:
        resume: whether to go on with what is there of it.
        done: what was made of it; None as long as nothing was.
        error: why nothing can be made of it.
    """

    def __init__(self, shard: Shard, record: FinishedShards, resume: bool) -> None:
        self.shard, self._record = shard, record
        self.done: Done | None = None
        self.error: DataError | None = None
        self.resume, self._texts = False, ""
        with self._told():
            check_file(shard.data)
            self._texts = sha256_file(shard.data)
            if line := record.done(shard.output, self._texts):
                self.done = Done(**{name: line[name] for name in _COUNTS})
            else:
                self.resume = record.begin(shard.output, self._texts) and resume

    @property
    def due(self) -> bool:
        """Whether there is something to do."""
        return self.done is None and self.error is None

    def finish(self, make: Callable[[], Done]) -> None:
        """Note what was made."""
        with self._told():
            done = make()
            self._record.finish(self.shard.output, self._texts, **{name: getattr(done, name) for name in _COUNTS})
            self.done = done

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            raise
        except DataError as error:
            self.error = error


def _here(every: Iterable[_Begun], make: Callable[[], Do], reporter: ShardReporter) -> Iterator[_Begun]:
    """Do one after the other."""
    do = make()
    for one in every:
        reporter.turn_to(one.shard.data)
        if one.due:
            one.finish(partial(_made, one.shard, do, reporter, resume=one.resume))
        yield one


def _in_pool(
    pool: "RayPool", folder: Path, every: Iterable[_Begun], make: Callable[[], Do], reporter: ShardReporter
) -> Iterator[_Begun]:
    """Let a pool do them, several at a time, in any order."""
    due = list[_Begun]()
    for one in every:
        if one.due:
            due.append(one)
        else:
            yield one
    items = [(one.shard, one.resume) for one in due]
    for number, (done, said, notes) in pool.map(partial(_in_actor, make), items, folder):
        one = due[number]
        reporter.turn_to(one.shard.data)
        for line in said:
            say(reporter.console, line)
        reporter.notes(notes)

        def given(done: Done | Exception = done) -> Done:
            if isinstance(done, Exception):
                raise done
            with reporter.working() as count:
                count(done.rows, done.rows)
            return done

        one.finish(given)
        yield one


def _in_actor(make: Callable[[], Do]) -> Callable[[tuple[Shard, bool]], tuple[Done | Exception, list[str], list[str]]]:
    """What does a shard somewhere else: it gives what was made or went wrong, what was said, and notes."""
    do = make()

    def one(item: tuple[Shard, bool]) -> tuple[Done | Exception, list[str], list[str]]:
        shard, resume = item
        said = StringIO()
        reporter = ShardReporter(Console(file=said, soft_wrap=True), lambda done, total: None, [])
        try:
            done: Done | Exception = _made(shard, do, reporter, resume=resume)
        except SharpReCLError as error:
            done = error
        return done, said.getvalue().splitlines(), reporter.gathered

    return one


def _made(shard: Shard, do: Do, reporter: ShardReporter, *, resume: bool) -> Done:
    try:
        return do(shard, resume, reporter)
    except NoRowsError:
        # Spark and others write such shards.
        reporter.notes([f"{shard.data} has no rows, so nothing is written for it"])
        shard.output.unlink(missing_ok=True)
        return Done(0)
