"""Tables checked against the runs that they were made from: each is made again and compared letter for letter."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from sharprecl.errors import ConfigError, DataError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import make_document
from sharprecl.experiments.formats import FORMATS, write_document
from sharprecl.experiments.plan import load_plan
from sharprecl.experiments.recipe import Recipe, read_provenance
from sharprecl.experiments.sheets import Document

_SHOWN = 5  # differing lines that are told


def check_tables(paths: list[Path], records: Records) -> tuple[str, ...]:
    """Make tables again from runs, and say in a sentence each what their files have otherwise.

    Args:
        paths: files that ``experiment table --to`` wrote.
        records: the runs, with figures as ``check_records`` computed them anew.
    """
    made: dict[Recipe, Document] = {}
    faults: list[str] = []
    for path in paths:
        try:
            faults += _check_table(path, records, made)
        except (ConfigError, DataError, OSError, ValueError) as error:
            faults.append(f"{path}: cannot be made again, {error}")
    return tuple(faults)


def _check_table(path: Path, records: Records, made: dict[Recipe, Document]) -> Iterator[str]:
    # Newlines as they are, for the comparison is letter for letter.
    text = path.read_bytes().decode("utf-8")
    provenance = read_provenance(text, str(path))
    if provenance.format not in FORMATS:
        yield f"{path}: there is no format {provenance.format!r}"
        return
    recipe = provenance.recipe
    if recipe not in made:
        made[recipe] = make_document(load_plan(recipe.plan), records, recipe)
    document = made[recipe].as_format(provenance.format)
    anew = write_document(document)
    if anew == text:
        return
    if document.provenance.runs != provenance.runs:
        yield f"{path}: it was made from other runs, or answers were changed since, or runs are missing or were added"
    yield from _differing(path, text, anew)


def _differing(path: Path, text: str, anew: str) -> Iterator[str]:
    old, new = text.split("\n"), anew.split("\n")
    shown = 0
    for kind, first, last, start, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal" or any("sharprecl-table: " in line for line in old[first:last]):
            continue
        shown += 1
        if shown > _SHOWN:
            yield f"{path}: and more lines"
            return
        says, gives = ("; ".join(lines).strip() or "nothing" for lines in (old[first:last], new[start:stop]))
        yield f"{path}, line {first + 1}: it says {says[:200]!r}, but the runs give {gives[:200]!r}"
    if not shown and text != anew:
        yield f"{path}: what it says of how it was made is not what the runs give"
