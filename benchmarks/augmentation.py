"""Second views of real titles: speed of the four augmenters, how much they change beside the authors' ``aug_text``.

    SHARPRECL_MIRROR=folder python benchmarks/augmentation.py    # measure; some five minutes on a calm machine
    python benchmarks/augmentation.py --table                    # docs/augmentation.md's tables of the last results

Prints one line a data set and appends it, dated, to ``results/augmentation.jsonl`` beside this file. Times are CPU
seconds of one core. ``cold`` starts with a loaded lexicon that has not been asked for any word of the texts.

The models of ``contextual`` are random ones of real sizes: the time is that of trained ones, the words are nonsense.
"""

import json
import os
import platform
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import BertWordPieceTokenizer

from sharprecl.assets import resolve_encoder
from sharprecl.augment.base import Augmenter
from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.augment.registry import make_augmenter
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.data.tokens import tokenize

RESULTS = Path(__file__).parent / "results" / "augmentation.jsonl"
DATA = ("TREC", "ohsumed")
SIZES = {  # layers, hidden units, heads, words in the vocabulary, titles to time
    "tiny": (2, 64, 2, 30522, 2000),
    "MiniLM-L6": (6, 384, 12, 30522, 400),
    "roberta-base": (12, 768, 12, 50265, 100),
}
TRANSLATED = 500
"""Titles to time back translation with: every eleventh or seventh."""


def words(text: str) -> list[str]:
    """Lower-case words, without punctuation."""
    return re.findall(r"\w+", text.lower())


def changes(texts: Sequence[str], others: Sequence[str]) -> dict[str, float]:
    """Shares of words that are gone and new (as multisets), and of texts that stayed, up to case and punctuation."""
    pairs = [(words(a), words(b)) for a, b in zip(texts, others, strict=True)]
    total = sum(len(a) for a, _ in pairs)
    gone = sum(sum((Counter(a) - Counter(b)).values()) for a, b in pairs)
    new = sum(sum((Counter(b) - Counter(a)).values()) for a, b in pairs)
    return {
        "words_changed": round(gone / total, 4),
        "words_new": round(new / total, 4),
        "texts_unchanged": round(float(np.mean([a == b for a, b in pairs])), 4),
    }


def waste(texts: list[str], others: list[str], tokenizer: Any) -> dict[str, float]:
    """Padding where the two views of a text are padded to one length: the part that no order of the texts avoids."""
    views = [tokenize(some, tokenizer, 128) for some in (texts, others)]
    length_VN = np.stack([view.lengths for view in views])
    return {"padding_of_pairs": round(1 - length_VN.sum() / (2 * length_VN.max(axis=0)).sum(), 4)}


def timed(augmenter: Augmenter, texts: list[str]) -> tuple[list[str], float]:
    """The second views, and texts a CPU second."""
    began = time.process_time()
    made = augmenter.augment(texts, 0)
    return made, round(len(texts) / (time.process_time() - began), 1)


def fill_mask_model(folder: Path, texts: list[str], size: str) -> str:
    """Save a random BERT whose word pieces are those of ``texts``; return the folder."""
    layers, hidden, heads, vocabulary, _ = SIZES[size]
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train_from_iterator(texts, vocab_size=vocabulary, min_frequency=1, show_progress=False)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **names).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
    )
    torch.manual_seed(0)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return str(folder)


def synonyms(texts: list[str], labels: set[str]) -> dict[str, Any]:
    """Speed with an index that was just read, and with one that knows the words."""
    began = time.process_time()
    lexicon = WordNetLexicon()
    lexicon.synonyms("warm")
    load = time.process_time() - began
    augmenter = SynonymAugmenter(protected=labels, lexicon=lexicon)
    made, cold = timed(augmenter, texts)
    _, warm = timed(augmenter, texts)
    tokenizer = transformers.AutoTokenizer.from_pretrained(resolve_encoder("minilm"))
    figures = {"load_seconds": round(load, 2), "titles_per_second_cold": cold, "titles_per_second": warm}
    return figures | changes(texts, made) | waste(texts, made, tokenizer)


def noise(texts: list[str], labels: set[str]) -> dict[str, Any]:
    augmenter = NoiseAugmenter(protected=labels)
    augmenter.lexicon.synonyms("warm")
    _, cold = timed(augmenter, texts)
    made, warm = timed(augmenter, texts)
    return {"titles_per_second_cold": cold, "titles_per_second": warm} | changes(texts, made)


def back_translation(texts: list[str], labels: set[str]) -> dict[str, Any]:
    some = texts[:: len(texts) // TRANSLATED][:TRANSLATED]
    augmenter = make_augmenter(["back_translation"], labels)
    augmenter.augment(some[:2], 0)  # loads the models
    made, speed = timed(augmenter, some)
    return {"titles": len(some), "titles_per_second": speed} | changes(some, made)


def contextual(texts: list[str], labels: set[str]) -> dict[str, Any]:
    """Titles a second by the size of the model, and the new words, which the size does not change."""
    figures: dict[str, Any] = {}
    for size, (*_, count) in SIZES.items():
        some = texts[:: max(1, len(texts) // count)][:count]
        with tempfile.TemporaryDirectory() as folder:
            model = fill_mask_model(Path(folder), texts, size)
            augmenter = make_augmenter(["contextual"], labels, {"contextual": {"model": model}})
            augmenter.augment(some[:2], 0)  # loads the model
            made, figures[f"titles_per_second_{size}"] = timed(augmenter, some)
        if size == "tiny":
            figures |= changes(some, made)
    return figures


def measure(name: str, path: Path) -> dict[str, Any]:
    """All figures of one data set."""
    rows = json.loads(path.read_text("utf-8"))
    texts, theirs = ([row[key] for row in rows] for key in ("text", "aug_text"))
    labels = {row["label"] for row in rows}
    tokenizer = transformers.AutoTokenizer.from_pretrained(resolve_encoder("minilm"))
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": name,
        "texts": len(texts),
        "authors": changes(texts, theirs) | waste(texts, theirs, tokenizer),
        "synonyms": synonyms(texts, labels),
        "noise": noise(texts, labels),
        "back_translation": back_translation(texts, labels),
        "contextual": contextual(texts, labels),
        "load_average": round(os.getloadavg()[0], 1),
        "machine": f"{platform.machine()}, Python {platform.python_version()}, one core",
    }


def table() -> str:
    """The last results as docs/augmentation.md shows them."""
    lines = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    last = [next(line for line in reversed(lines) if line["data"] == name and "contextual" in line) for name in DATA]
    heads = ["TREC", "Ohsumed"]
    rows = [
        "| | " + " | ".join(f"{head}: words removed | added | texts unchanged" for head in heads) + " |",
        "|---|" + "---:|" * 6,
    ]
    for name in ("authors", "synonyms", "back_translation", "contextual", "noise"):
        cells = [f"{line[name][key]:.1%}" for line in last for key in ("words_changed", "words_new", "texts_unchanged")]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    rows += ["", "| titles a second and core | " + " | ".join(heads) + " |", "|---|---:|---:|"]
    for name, line in (
        (name, line) for name in ("synonyms", "noise", "back_translation", "contextual") for line in last[:1]
    ):
        for key in (key for key in line[name] if key.startswith("titles_per_second")):
            title = f"{name} {key.removeprefix('titles_per_second').strip('_')}".strip()
            rows.append(f"| {title} | " + " | ".join(f"{other[name][key]:,.0f}" for other in last) + " |")
    return "\n".join(rows)


def main() -> None:
    """Measure TREC and Ohsumed."""
    if "--table" in sys.argv:
        print(table())
        return
    mirror = os.environ.get("SHARPRECL_MIRROR")
    if not mirror:
        sys.exit("set SHARPRECL_MIRROR to the folder that holds the original data files")
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    RESULTS.parent.mkdir(exist_ok=True)
    for name in DATA:
        result = measure(name, next(Path(mirror).rglob(f"{name}_Train_aug.json")))
        print(json.dumps(result, indent=2))
        with RESULTS.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
