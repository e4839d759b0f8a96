"""Synonym views of real titles: speed, how much they change beside the authors' ``aug_text``, and what they pad.

    SHARPRECL_MIRROR=folder python benchmarks/augmentation.py

Prints one line a data set and appends it, dated, to ``results/augmentation.jsonl`` beside this file. Times are CPU
seconds of one core. ``cold`` starts with a loaded lexicon that has not been asked for any word of the texts.
"""

import json
import os
import platform
import re
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from sharprecl.assets import resolve_encoder
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.data.batches import BucketedBatches, padding_waste
from sharprecl.data.tokens import tokenize

RESULTS = Path(__file__).parent / "results" / "augmentation.jsonl"


def words(text: str) -> list[str]:
    """Lower-case words, without punctuation."""
    return re.findall(r"\w+", text.lower())


def changes(texts: list[str], others: list[str]) -> dict[str, float]:
    """Share of words that are gone (as multisets) and of texts that stayed, up to case and punctuation."""
    pairs = [(words(a), words(b)) for a, b in zip(texts, others, strict=True)]
    gone = sum(sum((Counter(a) - Counter(b)).values()) for a, b in pairs)
    return {
        "words_changed": round(gone / sum(len(a) for a, _ in pairs), 4),
        "texts_unchanged": round(float(np.mean([a == b for a, b in pairs])), 4),
    }


def waste(texts: list[str], others: list[str], tokenizer: PreTrainedTokenizerBase) -> dict[str, float]:
    """Padding of both views in one forward, 128 texts a batch, and the part that no batching can avoid."""
    views = [tokenize(some, tokenizer, 128) for some in (texts, others)]
    length_VN = np.stack([view.lengths for view in views])
    batches = BucketedBatches(length_VN, 128, seed=0)
    return {
        "padding_waste": round(padding_waste(views, batches.epoch(0)), 4),
        "padding_of_pairs": round(1 - length_VN.sum() / (2 * length_VN.max(axis=0)).sum(), 4),
        "batches": len(batches),
    }


def measure(name: str, path: Path, tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """All figures of one data set."""
    rows = json.loads(path.read_text("utf-8"))
    texts = [row["text"] for row in rows]
    began = time.process_time()
    lexicon = WordNetLexicon()
    lexicon.synonyms("warm")
    seconds = {"load": time.process_time() - began}
    augmenter = SynonymAugmenter(protected={row["label"] for row in rows}, lexicon=lexicon)
    for state in ("cold", "warm"):
        began = time.process_time()
        made = augmenter.augment(texts, 0)
        seconds[state] = time.process_time() - began
    theirs = [row["aug_text"] for row in rows]
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": name,
        "texts": len(texts),
        "load_seconds": round(seconds["load"], 2),
        "titles_per_second_cold": round(len(texts) / seconds["cold"]),
        "titles_per_second_warm": round(len(texts) / seconds["warm"]),
        "ours": changes(texts, made) | waste(texts, made, tokenizer),
        "authors": changes(texts, theirs) | waste(texts, theirs, tokenizer),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def main() -> None:
    """Measure TREC and Ohsumed."""
    mirror = os.environ.get("SHARPRECL_MIRROR")
    if not mirror:
        sys.exit("set SHARPRECL_MIRROR to the folder that holds the original data files")
    tokenizer = AutoTokenizer.from_pretrained(resolve_encoder("minilm"))
    RESULTS.parent.mkdir(exist_ok=True)
    for name in ("TREC", "ohsumed"):
        result = measure(name, next(Path(mirror).rglob(f"{name}_Train_aug.json")), tokenizer)
        print(json.dumps(result, indent=2))
        with RESULTS.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
