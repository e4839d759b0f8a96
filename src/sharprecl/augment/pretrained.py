"""Models and tokenizers that an augmenter loads: told from others by content, and one sentence where they fail."""

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from sharprecl.errors import AssetError, MissingExtraError
from sharprecl.files import sha256_file
from sharprecl.quiet import quiet


def identity(source: str) -> str:
    """Tells one model from another: a folder by its files' content, wherever it stands; a Hugging Face id by itself."""
    folder = Path(source)
    if not folder.is_dir():
        return source
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(f"{path.name}\0{sha256_file(path)}\0".encode())
    return digest.hexdigest()[:16]


@contextmanager
def loading(source: str, what: str) -> Iterator[None]:
    """Load something of transformers within: quietly, and with one sentence of ours where it fails.

    Raises:
        AssetError: there is no such thing, it cannot be reached, or its files are damaged.
        MissingExtraError: its tokenizer needs a package that is not installed.
    """
    from safetensors import SafetensorError

    try:
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except ImportError as error:
        raise MissingExtraError(
            f"the {what} {source!r} needs a package that is not installed ({_first_line(error)}); "
            "run: pip install 'sharprecl[augment]'"
        ) from error
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError, UnpicklingError) as error:
        raise AssetError(
            f"the {what} {source!r} could not be loaded ({_first_line(error)}); check the spelling and the network, "
            "or name a local folder with a whole copy of it"
        ) from error


def check_whole(report: Any, source: str, what: str) -> None:
    """Refuse a model whose loading report tells of weights that were left at random values.

    Raises:
        AssetError: there are some.
    """
    lost = set(report["missing_keys"]) | {name for name, *_ in report["mismatched_keys"]}
    if lost:
        raise AssetError(
            f"{source!r} is no whole {what}, for it lacks {len(lost)} weights (the first is {min(lost)!r}); it was "
            f"probably trained for something else: name a {what}"
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
