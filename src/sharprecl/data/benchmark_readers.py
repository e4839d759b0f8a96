"""From the files of each benchmark, as they were published, to texts and labels.

Texts are as in the files; nothing is cleaned, so duplicates and contradictions stay. All but R52's are stripped at
both ends.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path

from sharprecl.errors import AssetError

Rows = tuple[list[str], list[str]]
"""Texts and their labels."""

Reader = Callable[..., tuple[Rows, Rows]]
"""Takes the files of one benchmark, gives its training rows and its test rows."""

# The 20,000 titles come without a split, and no public one has the paper's 17,976 and 1,998. These 26 rows (from 0)
# are empty once stop words and words rarer than five are dropped, as TextGCN does it; without them the paper's total
# of 19,974 is left. That its authors did this is a guess. The row numbers and the shuffle below define our split.
# fmt: off
BIOMEDICAL_DROPPED = frozenset((
    2052, 2059, 2379, 4326, 4554, 7018, 10548, 13192, 13309, 13356, 13383, 13464, 13476, 14348, 14396, 14426, 14546,
    14755, 14815, 15150, 15308, 15442, 15488, 15831, 15845, 19430,
))
# fmt: on
_BIOMEDICAL_TRAIN = 17976


def read_json_pair(train: Path, test: Path) -> tuple[Rows, Rows]:
    """Two JSON arrays of objects with ``text`` and ``label``, as SharpReCL's and DualCL's authors published them."""
    return _json(train), _json(test)


def read_line_files(train: Path, train_labels: Path, test: Path, test_labels: Path) -> tuple[Rows, Rows]:
    """DBLP: a text a line and, in files of their own, a label a line. Lines end in CRLF, most texts in a space before
    it; double spaces inside a text stand where punctuation was, and stay."""
    return (_lines(train), _lines(train_labels)), (_lines(test), _lines(test_labels))


def read_biomedical(texts: Path, labels: Path) -> tuple[Rows, Rows]:
    """Biomedical: a title a line, a label a line, sorted by class; and a split of our own.

    What is left without ``BIOMEDICAL_DROPPED`` is shuffled by ``random.Random(0)``; the first 17,976 rows are for
    training, the other 1,998 for the test. Each part keeps the order of the file.
    """
    every_text, every_label = _lines(texts), _lines(labels)
    kept = [row for row in range(len(every_text)) if row not in BIOMEDICAL_DROPPED]
    random.Random(0).shuffle(kept)
    train, test = sorted(kept[:_BIOMEDICAL_TRAIN]), sorted(kept[_BIOMEDICAL_TRAIN:])
    return (
        ([every_text[row] for row in train], [every_label[row] for row in train]),
        ([every_text[row] for row in test], [every_label[row] for row in test]),
    )


def read_tab_pair(train: Path, test: Path) -> tuple[Rows, Rows]:
    """R52: two files in Orange's ``.tab`` format with the columns Category and Text.

    Every text keeps the one space that the file puts at its end: samples are drawn by a hash of the text, and
    the results in ``docs/results.md`` stand on them.

    Raises:
        AssetError: files of another kind; unlike the others these are checked against no hash once unpacked.
    """
    return _tab(train), _tab(test)


def _json(path: Path) -> Rows:
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [row["text"].strip() for row in rows], [row["label"] for row in rows]


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="ascii").splitlines()]


def _tab(path: Path) -> Rows:
    """Three header lines (names, types, roles) and a blank record come first. Nothing is quoted."""
    lines = path.read_text(encoding="ascii").splitlines()
    if lines[:2] != ["Category\tText", "d\tstring"]:
        raise AssetError(f"{path} is not the file of R52; delete its folder and it is fetched anew")
    pairs = [line.split("\t") for line in lines[3:] if line.strip()]
    return [text for _, text in pairs], [label for label, _ in pairs]
