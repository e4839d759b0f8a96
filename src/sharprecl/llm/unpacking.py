"""A GGUF file as an ordinary model folder beside it in the cache: reading the file takes half a minute, every time."""

import shutil
from collections.abc import Callable
from pathlib import Path

import torch
from filelock import FileLock
from safetensors import SafetensorError

from sharprecl.errors import AssetError
from sharprecl.files import sync
from sharprecl.llm import causal
from sharprecl.quiet import quiet


def unpacked(folder: Path, gguf_file: str, progress: Callable[[str], None]) -> str:
    """The folder with the model and tokenizer of a GGUF file in float32, made at the first call, whole or not at all.

    Args:
        folder: holds the file; the new one stands beside it.
        gguf_file: its name.
        progress: is told, in one line each, what takes time.

    Raises:
        AssetError: the file is damaged, or there is no room.
        MissingExtraError: the package that reads such files is not installed.
    """
    target = folder.with_name(f"{folder.name}-float32")
    if target.is_dir():
        return str(target)
    temporary = folder.with_name(f".{target.name}.tmp")
    try:
        with FileLock(folder.with_name(f".{target.name}.lock")):
            if target.is_dir():  # another process was faster
                return str(target)
            shutil.rmtree(temporary, ignore_errors=True)
            progress(f"unpacking {gguf_file} into {target} (once)")
            _unpack(folder, gguf_file, temporary)
            for path in (*temporary.rglob("*"), temporary):
                sync(path)
            temporary.rename(target)
            sync(target.parent)
    except AssetError:
        raise
    except (OSError, NotImplementedError, SafetensorError) as error:
        raise AssetError(
            f"{gguf_file} cannot be unpacked into {target} ({error}); "
            f"let SHARPRECL_CACHE name a folder that is writable and has room for 4 bytes a weight"
        ) from error
    return str(target)


def _unpack(folder: Path, gguf_file: str, into: Path) -> None:
    tokenizer = causal.load_tokenizer(str(folder), gguf_file)
    model = causal.load_model(str(folder), gguf_file, four_bit=False, device=torch.device("cpu"), bf16=False)
    # The weights in memory are ordinary ones; only the label says otherwise, and such models are not saved.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    with quiet():
        model.save_pretrained(into)
        tokenizer.save_pretrained(into)
