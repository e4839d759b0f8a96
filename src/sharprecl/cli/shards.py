"""Many files at once: which they are, where what is made of each is written, and the way through them."""

import glob
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from sharprecl.cli.console import make_console, say, show_notes
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
from sharprecl.errors import ConfigError, DataError, NoRowsError, OutputError
from sharprecl.files import sha256_file, sha256_json

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
        do: Callable[[Shard, bool, Reporter], Done],
        of: Mapping[str, str],
        console: Console,
        doing: str,
        *,
        resume: bool,
        overwrite: bool,
    ) -> Done:
        """Do every shard that is not finished; those that cannot be read are named in the end.

        Args:
            do: does one, the second argument says whether to go on with what is there of it.
            of: hashes of what all outputs depend on, by what sentences call it.
            console: where people are told.
            doing: what goes on, for the bar.
            resume: go on where this was cut off.
            overwrite: begin anew.

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
                for shard in self.every:
                    reporter.turn_to(shard.data)
                    try:
                        done.append(_one(shard, record, do, reporter, resume=resume))
                    except OutputError:
                        raise
                    except DataError as error:
                        failed.append(shard.data)
                        say(console, f"not done: {error}")
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


def answer_shards(shards: Shards, work: Work, given: Given, console: Console, doing: str) -> Done:
    """Do a command's work on every shard, with one model.

    Raises:
        SharpReCLError: see ``work_through``.
    """
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
    return shards.work_through(
        lambda shard, resume, reporter: work.do(of(shard, resume), reporter),
        {name: value for name, value in what.items() if name != "texts"},
        console,
        doing,
        resume=given.resume,
        overwrite=given.overwrite,
    )


def _one(
    shard: Shard,
    record: FinishedShards,
    do: Callable[[Shard, bool, Reporter], Done],
    reporter: "ShardReporter",
    *,
    resume: bool,
) -> Done:
    check_file(shard.data)
    texts = sha256_file(shard.data)
    if line := record.done(shard.output, texts):
        return Done(**{name: line[name] for name in _COUNTS})
    begun = record.begin(shard.output, texts)
    try:
        done = do(shard, resume and begun, reporter)
    except NoRowsError:
        # Spark and others write such shards.
        reporter.notes([f"{shard.data} has no rows, so nothing is written for it"])
        shard.output.unlink(missing_ok=True)
        done = Done(0)
    record.finish(shard.output, texts, **{name: getattr(done, name) for name in _COUNTS})
    return done


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
