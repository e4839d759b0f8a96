"""Many files at once: which they are, where what is made of each is written, and the way through them."""

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import is_ray
from sharprecl.cli.outputs import check_apart
from sharprecl.cli.progress import Reporter, counter
from sharprecl.cli.shard_progress import ShardReporter
from sharprecl.cli.stream_source import Given
from sharprecl.cli.streams import Done, Work
from sharprecl.cli.tables import is_benchmark
from sharprecl.data.finished import FinishedShards
from sharprecl.data.messages import joined, names_phrase, plural
from sharprecl.data.rawfile import ENDINGS, check_file
from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.errors import ConfigError, DataError, NoRowsError, OutputError, SharpReCLError
from sharprecl.files import sha256_file, sha256_json

if TYPE_CHECKING:
    from sharprecl.scale.ray_pool import RayPool

_OURS = (f".{SET_ASIDE}", ".part", ".part.json", ".part.lock", ".part.made")
"""How names end that stand beside an output."""

_COUNTS = ("rows", "without", "made")
"""What is added over shards, and recorded of each."""


def are_many(data: str) -> bool:
    """Whether DATA means several files: it is a folder, or a pattern such as ``tickets/*.parquet``."""
    path = Path(data)
    return not is_benchmark(data) and (path.is_dir() or (glob.has_magic(data) and not path.exists()))


@dataclass(frozen=True)
class Shard:
    """A file to read, and the one to write."""

    data: Path
    output: Path


Do = Callable[[Shard, bool, Reporter], Done]
"""Does a shard; the second argument says whether to go on with what is there of it."""


class Shards:
    """The files that DATA means, by name, and OUTPUT: a folder, or ``folder/*.parquet``, which tells the format too.

    Args:
        data: a folder or a pattern.
        output: see above.
        endings: the formats that can be written.
        ending: that of all outputs where OUTPUT does not tell; None is that of the file that is read.

    Attributes:
        passed_over: names in the folder that are no tables, of files and of folders.
        lists: the folder of lists of rows without a text.

    Raises:
        ConfigError: there is no file, or OUTPUT cannot take them.
    """

    def __init__(self, data: str, output: str, endings: Sequence[str], ending: str | None = None) -> None:
        self.data, place = data, Path(output)
        if "*" in place.name:
            place, ending = place.parent, place.suffix.lower()
            if Path(output).name.lower() != f"*{ending}" or ending not in endings:
                raise ConfigError(f"--output {output} should end in one of {', '.join(f'*{one}' for one in endings)}")
        elif output == "-" or (place.suffix.lower() in (*ENDINGS, *endings) and not place.is_dir()):
            raise ConfigError(
                f"{data} is many files, so --output is a folder, as in --output answers, or a folder and a format, as "
                f"in --output 'answers/*{endings[0]}'"
            )
        # Not beside the answers, which a pattern such as answers/*.csv shall fit alone.
        self.folder, self.lists = place, place / f"_{Path(SET_ASIDE).stem}"
        paths, self.passed_over = _files(data)
        if not paths:
            raise ConfigError(f"{data} has no file that can be read ({', '.join(ENDINGS)}); name another folder")
        self.every = [Shard(path, place / _name(path, ending)) for path in paths]
        sources: dict[str, Path] = {}
        for shard in self.every:
            if (other := sources.setdefault(shard.output.name, shard.data)) is not shard.data:
                raise ConfigError(f"{other} and {shard.data} would both be written to {shard.output}; rename one")
            if shard.data.absolute().parent.resolve() == place.resolve():
                raise ConfigError(f"{place} holds the files that are read; name another folder as --output")

    def make_absolute(self) -> None:
        """Name files so that they can be found from any folder."""
        self.folder, self.lists = self.folder.absolute(), self.lists.absolute()
        self.every = [Shard(shard.data.absolute(), shard.output.absolute()) for shard in self.every]

    def check(self, *, resume: bool, overwrite: bool) -> None:
        """Refuse what cannot be, before anything is read.

        Raises:
            ConfigError: something is there already, and nobody said that it may be replaced or gone on with.
        """
        FinishedShards(self.folder).check(resume=resume, overwrite=overwrite)
        for shard in [] if resume else self.every:
            check_apart(str(shard.data), shard.output, overwrite)

    def work_through(
        self,
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
        record = FinishedShards(self.folder)
        if self.passed_over:
            say(console, f"note: {names_phrase(self.passed_over)} in {self.data}: no tables by their names, not read")
        done, failed = list[Done](), list[Path]()
        of = {**of, "data": str(Path(self.data).absolute())}
        try:
            if finished := record.open(of, resume=resume, overwrite=overwrite):
                say(console, f"{finished} of {plural(len(self.every), 'shard', 'shards')} recorded as finished")
            with counter(make_console(stderr=True), doing, "texts") as count:
                due = [shard for shard in self.every if not record.recorded(shard.output)]
                reporter = ShardReporter(console, count, [shard.data for shard in due])
                begun = (_Begun(shard, record, resume) for shard in self.every)
                if pool is None:
                    worked = _here(begun, make, reporter)
                else:
                    worked = _in_pool(pool, self.folder, begun, make, reporter)
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
                f"{len(failed)} of {plural(len(self.every), 'shard', 'shards')} could not be done: {names}; mend "
                f"{'it' if len(failed) == 1 else 'them'}, then run the same command with --resume"
            )
        rows, without, made = (sum(getattr(one, name) for one in done) for name in _COUNTS)
        return Done(rows, without, self.lists if self.lists.is_dir() and any(self.lists.iterdir()) else None, made)


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

    return shards.work_through(
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


def _files(data: str) -> tuple[list[Path], list[str]]:
    """The files to read, sorted by name, and the names of others."""
    folder = Path(data)
    found = folder.iterdir() if folder.is_dir() else map(Path, glob.glob(data, recursive=True))
    # What begins so, Spark and others write beside the shards.
    paths = [path for path in found if path.name[0] not in "._" and not path.name.endswith(_OURS)]
    paths.sort(key=lambda path: (path.name, str(path)))
    if not folder.is_dir():
        return [path for path in paths if path.is_file()], []
    tables = [path for path in paths if path.is_file() and path.suffix.lower() in ENDINGS]
    read = {*tables}
    return tables, [f"{path.name}{'/' * path.is_dir()}" for path in paths if path not in read]


def _name(path: Path, ending: str | None) -> str:
    if ending is None:
        ending = ".jsonl" if path.suffix.lower() == ".json" else path.suffix
    return f"{path.stem}{ending}"
