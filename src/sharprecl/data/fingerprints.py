"""The training texts as numbers, kept beside a model so that later test texts can be looked up without the texts.

Eight bytes a text. They tell whether a given text was trained on, and nothing else about it.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sharprecl.data.leaks import normalised
from sharprecl.data.tables import TextTable
from sharprecl.files import atomic_path

SEEN = "training.seen"
"""How the file is called in a run's folder."""


def fingerprints(texts: Sequence[str]) -> np.ndarray:
    """A number a text, uint64 ``[N]``; equal for texts that differ in case, punctuation and spacing only."""
    digests = b"".join(hashlib.blake2b(normalised(text).encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8")


def write_fingerprints(path: Path, table: TextTable) -> None:
    """Keep the different fingerprints of a table's texts, sorted."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(np.unique(fingerprints(table.texts)).tobytes())


def add_fingerprints(path: Path, table: TextTable) -> None:
    """Put those of a table's texts to the ones that a file holds."""
    known = np.frombuffer(path.read_bytes(), dtype="<u8")
    with atomic_path(path) as temporary:
        temporary.write_bytes(np.union1d(known, fingerprints(table.texts)).tobytes())


def seen_rows(path: Path, table: TextTable) -> np.ndarray:
    """The rows of a table, from 0, whose text is among those of the file; a file that is not there knows none.

    With N texts there, one row in 2^64 / N is named by mistake.
    """
    if not path.exists():
        return np.empty(0, dtype=np.int64)
    known = np.frombuffer(path.read_bytes(), dtype="<u8")
    return np.flatnonzero(np.isin(fingerprints(table.texts), known))
