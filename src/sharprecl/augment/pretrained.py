"""Models of transformers that augmenters run: loaded whole or refused, told apart by content, fed in batches."""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from sharprecl.errors import AssetError, MissingExtraError
from sharprecl.files import sha256_file
from sharprecl.quiet import quiet

TOKENS_A_BATCH = 4096  # of a fill-mask model's, a fifth are masks: 160 MB of scores over RoBERTa's vocabulary


def identity(source: str) -> str:
    """Tells one model from another: a folder by its files' content, wherever it stands; a Hugging Face id by itself."""
    folder = Path(source)
    if not folder.is_dir():
        return source
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(f"{path.name}\0{sha256_file(path)}\0".encode())
    return digest.hexdigest()[:16]


def load_pretrained(auto_class: Any, source: str, what: str) -> tuple[Any, Any]:
    """Load a tokenizer and its model, in float32, on the accelerator where there is one.

    Args:
        auto_class: such as ``AutoModelForMaskedLM``.
        source: a local folder or a Hugging Face id.
        what: how sentences call the model.

    Raises:
        AssetError: there is no such model, it cannot be reached, its files are damaged, or it lacks weights, which
            would be left at random values.
        MissingExtraError: its tokenizer needs a package that is not installed.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoTokenizer

    try:
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer = AutoTokenizer.from_pretrained(source)
            model, report = auto_class.from_pretrained(source, dtype=torch.float32, output_loading_info=True)
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
    if lost := set(report["missing_keys"]) | {name for name, *_ in report["mismatched_keys"]}:
        raise AssetError(
            f"{source!r} is no whole {what}, for it lacks {len(lost)} weights (the first is {min(lost)!r}); it was "
            f"probably trained for something else: name a {what}"
        )
    return tokenizer, model.eval().to("cuda" if torch.cuda.is_available() else "cpu")


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Rows of similar length, long ones first; those of over ``most`` tokens in none."""
    rows = sorted((row for row, length in enumerate(lengths) if length <= most), key=lambda row: lengths[row])
    while rows:
        size = max(1, TOKENS_A_BATCH // lengths[rows[-1]])
        yield rows[-size:]
        del rows[-size:]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
