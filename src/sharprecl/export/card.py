"""``sharprecl.json``: what a saved classifier says about itself. Read without PyTorch."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from sharprecl.errors import AssetError
from sharprecl.training.names import CHECKPOINTS, HISTORY
from sharprecl.version import __version__

FORMAT = 1
FILE = "sharprecl.json"
STOCK, OPENED, ADAPTER = "model", "opened", "adapter"
"""Where the weights lie: a stock model, one that only this library may read, or what a language model gained."""

WEIGHTS = (STOCK, OPENED, ADAPTER)

EXPORTS = ("onnx", "int8")
"""Where exports of them lie, unless another folder was named."""


@dataclass(frozen=True)
class Card:
    """What a saved classifier says about itself."""

    # A key that this version does not know could change what the others mean.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    label_names: list[str]
    label_type: str
    class_counts: list[int]
    max_length: int
    pooling: str
    config: dict[str, Any]
    text_column: str = "text"
    label_column: str = "label"
    not_stock_because: str = ""
    reading: str = "linear"
    # What is done to the scores where the weights could not take it in.
    temperature: float = 1.0
    shift: list[float] = field(default_factory=list)
    # All that was done to the bare scores, in the weights or behind them, and how scores become answers.
    decided: dict[str, Any] = field(default_factory=dict)
    policy: dict[str, Any] = field(default_factory=dict)
    # The parameter with which it was trained: 'balanced', or the weights of some labels.
    class_weight: str | dict[str, float] | None = None
    # Class shares that the answers are meant for, empty where not known; and texts of each class by their
    # weights, without augmented copies, which say nothing of how frequent a class is.
    prior: list[float] = field(default_factory=list)
    natural_counts: list[int | float] = field(default_factory=list)
    # The class prior of the bare scores, before anything was decided.
    known_prior: list[float] = field(default_factory=list)
    format: int = FORMAT
    version: str = __version__


def is_ours(folder: Path) -> bool:
    """Whether a training or a saved classifier of ours lies in a folder: what else is there may be replaced with it.

    Others have a ``history.jsonl`` or a folder of checkpoints too, so these count by what is in them.
    """
    if (folder / FILE).exists() or any((folder / CHECKPOINTS).glob("step-*/state.pt")):
        return True
    try:
        with (folder / HISTORY).open(encoding="utf-8") as stream:
            line = stream.readline()
    except (OSError, ValueError):
        return False
    # Empty it marks a training that has just begun.
    return not line or '"kind": "' in line


def read_card(folder: Path) -> Card:
    """Read only the card of a saved classifier.

    Raises:
        AssetError: there is none, it is damaged, or it is of another version.
    """
    path = folder / FILE

    def damaged(reason: str) -> AssetError:
        return AssetError(f"{path} is damaged ({reason}); copy the whole run again, or train again")

    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise AssetError(
            f"{folder} holds no trained classifier (no {FILE}); give the --output folder of 'sharprecl train', "
            f"and if that training was cut off, finish it with --resume"
        ) from error
    except ValueError as error:
        raise damaged(f"it is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise damaged("it holds no JSON object")
    if values.get("format") != FORMAT:
        raise AssetError(
            f"{folder} was saved by sharprecl {values.get('version')} in another format; "
            f"install that version, or train again"
        )
    try:
        return TypeAdapter(Card).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise damaged(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def model_folder(folder: Path, card: Card) -> Path:
    """Where the weights of the classifier lie that a card in ``folder`` tells of.

    Raises:
        AssetError: they are not there.
    """
    path = folder / (OPENED if card.not_stock_because else STOCK)
    if not (path / "config.json").is_file():
        raise AssetError(
            f"the model folder {path} is gone or incomplete (no config.json); copy the whole run again, or train again"
        )
    return path
