"""Many files at once: which they are, and where what is made of each is written."""

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sharprecl.cli.outputs import check_apart
from sharprecl.cli.tables import is_benchmark
from sharprecl.data.finished import FinishedShards
from sharprecl.data.rawfile import ENDINGS
from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.errors import ConfigError

_OURS = (f".{SET_ASIDE}", ".part", ".part.json", ".part.lock", ".part.made")
"""How names end that stand beside an output."""


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
