"""Named encoders, data sets and lexicons: where each comes from, its SHA-256, and where it is kept."""

from sharprecl.assets.catalogue import ASSETS, ENCODERS, Asset
from sharprecl.assets.fetch import cache_dir, fetch
from sharprecl.assets.named import local_or_hub, r52_files, resolve_encoder, wordnet_dir

__all__ = [
    "ASSETS",
    "ENCODERS",
    "Asset",
    "cache_dir",
    "fetch",
    "local_or_hub",
    "r52_files",
    "resolve_encoder",
    "wordnet_dir",
]
