"""``sharprecl.json``: what a saved classifier says about itself. Read without PyTorch."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharprecl.errors import AssetError
from sharprecl.version import __version__

FORMAT = 1
FILE = "sharprecl.json"


@dataclass(frozen=True)
class Card:
    """What a saved classifier says about itself."""

    label_names: list[str]
    label_type: str
    class_counts: list[int]
    max_length: int
    pooling: str
    config: dict[str, Any]
    text_column: str = "text"
    label_column: str = "label"
    not_stock_because: str = ""
    format: int = FORMAT
    version: str = __version__


def read_card(folder: Path) -> Card:
    """Read only the page about a saved classifier.

    Raises:
        AssetError: there is none, or it is of a newer version.
    """
    try:
        values = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise AssetError(
            f"{folder} holds no trained classifier (no {FILE}); give the --output folder of 'sharprecl train', "
            f"and if that training was cut off, finish it with --resume"
        ) from error
    if values.get("format") != FORMAT:
        raise AssetError(
            f"{folder} was saved by sharprecl {values.get('version')} in another format; "
            f"install that version, or train again"
        )
    return Card(**values)
