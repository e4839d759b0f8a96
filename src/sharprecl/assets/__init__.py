"""Named encoders, data sets and lexicons, and pinned files of repositories: fetched once, kept in a cache folder."""

from sharprecl.assets.cache import cache_dir
from sharprecl.assets.catalogue import ASSETS, ENCODERS, Asset
from sharprecl.assets.fetch import fetch
from sharprecl.assets.named import local_or_hub, r52_files, resolve_encoder, wordnet_dir
from sharprecl.assets.remote import RemoteFile, fetch_files

__all__ = [
    "ASSETS",
    "ENCODERS",
    "Asset",
    "RemoteFile",
    "cache_dir",
    "fetch",
    "fetch_files",
    "local_or_hub",
    "r52_files",
    "resolve_encoder",
    "wordnet_dir",
]
