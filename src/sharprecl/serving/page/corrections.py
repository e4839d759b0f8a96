"""Corrected answers: a file with the columns of the training texts, in which every text has one label."""

import os
import threading
from pathlib import Path

from filelock import FileLock, Timeout

from sharprecl.data.checks import is_unicode
from sharprecl.data.messages import names_phrase
from sharprecl.data.tables import read_rows
from sharprecl.data.writers import write_rows
from sharprecl.errors import ConfigError, DataError

_LOCK_SECONDS = 10


class Corrections:
    """A .csv file of texts and labels that ``sharprecl train`` reads.

    A text that is corrected again gets the newer label: training must not meet one text with two. So the file is
    written anew each time, whole or not at all, under a lock that servers share; what others wrote into it stays.

    Args:
        path: the file; made with the first correction.
        text_column, label_column: its columns.

    Raises:
        ConfigError: the name does not end in .csv, or the place or the file's columns are others'.
        DataError: the file that is there cannot be read.
    """

    def __init__(self, path: Path, text_column: str, label_column: str) -> None:
        if path.suffix.lower() != ".csv":
            raise ConfigError(f"corrections are written as .csv, so {path} cannot hold them; name it {path.stem}.csv")
        place = path if path.exists() else path.absolute().parent
        if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
            raise ConfigError(f"corrections cannot be written to {path}; name a file in a folder that is writable")
        self.path, self._names = path, (text_column, label_column)
        self._threads, self._lock = threading.Lock(), FileLock(path.with_name(f".{path.name}.lock"), _LOCK_SECONDS)
        self._read()

    def save(self, text: str, label: str) -> int:
        """Keep a text with its right label; return how many corrections the file holds.

        Raises:
            DataError: the text is blank or cannot be written, or another program keeps the file or its lock.
        """
        if not text.strip():
            raise DataError("a blank text has no class; type the text first")
        if "\0" in text or not is_unicode(text):
            raise DataError("the text has a NUL or half a character, which no CSV file can hold; take it out")
        try:
            with self._threads, self._lock:
                labels = self._read()
                labels[text] = label
                records = [dict(zip(self._names, row, strict=True)) for row in labels.items()]
                write_rows(records, self._names, self.path)
                return len(labels)
        except Timeout as error:
            raise DataError(f"another program holds {self._lock.lock_file}; end it, and try again") from error

    def _read(self) -> dict[str, str]:
        """Label by text, in the order of the file."""
        if not self.path.exists() or not self.path.stat().st_size:
            return {}
        text_column, label_column = self._names
        rows = read_rows(self.path, text_column)
        if rows.names != self._names:
            raise ConfigError(
                f"{self.path} has the columns {names_phrase(rows.names)}, but corrections have "
                f"{names_phrase(self._names)} and are written anew each time; name a file of its own"
            )
        return {record[text_column]: record[label_column] for record in rows.records}
