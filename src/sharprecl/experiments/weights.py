"""Which weights a run began with, since a name does not say: folders are written anew, and repositories move on."""

from pathlib import Path

from sharprecl.assets.catalogue import ENCODERS
from sharprecl.assets.named import resolve_encoder
from sharprecl.files import sha256_file, sha256_json

_FILES = (".safetensors", ".bin", ".json", ".txt", ".model")  # weights, configuration, vocabulary


def weights_of(encoder: str) -> str:
    """The package of a named encoder, the commit of one from the Hub, the SHA-256 over a folder's files.

    Args:
        encoder: as in ``EncoderConfig.name``; one that was loaded before, so that the Hub is not asked again.

    Returns:
        ``unknown`` where the Hub's cache does not say.

    Raises:
        AssetError: there is no such encoder.
    """
    source = resolve_encoder(encoder)
    folder = Path(source)
    if encoder in ENCODERS:
        return folder.name
    if not folder.is_dir():
        from transformers import AutoConfig

        try:
            return str(AutoConfig.from_pretrained(source, local_files_only=True)._commit_hash or "unknown")
        except (OSError, ValueError):
            return "unknown"
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _FILES and path.is_file()]
    return sha256_json([[path.name, sha256_file(path)] for path in files])
