"""Tiny encoders and skewed texts, made by the tests themselves: no network, no assets."""

from pathlib import Path

import numpy as np
import torch
import transformers as tf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

# fmt: off
WORDS = [
    "alpha", "beta", "gamma", "delta", "refund", "invoice", "payment", "login", "password", "reset", "crash",
    "error", "screen", "battery", "cable", "order", "late", "parcel", "box", "broken", "the", "a", "of", "to",
    "my", "is", "not", "please", "help", "with", "and", "again", "today", "never", "always", "card", "bank",
    "price",
]
# fmt: on
KEYWORDS = {
    "billing": ["refund", "invoice", "payment", "card", "price"],
    "access": ["login", "password", "reset"],
    "shipping": ["order", "parcel", "late", "box"],
    "hardware": ["battery", "cable", "screen", "broken"],
}

_SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 96,
}
CONFIGS = {
    "bert": (tf.BertConfig, _SIZES),
    "roberta": (tf.RobertaConfig, {**_SIZES, "layer_norm_eps": 1e-5}),
    "mpnet": (tf.MPNetConfig, _SIZES),
    "electra": (tf.ElectraConfig, {**_SIZES, "embedding_size": 32}),
    "deberta-v2": (tf.DebertaV2Config, _SIZES),
    "modernbert": (tf.ModernBertConfig, {**_SIZES, "local_attention": 32}),
    "distilbert": (
        tf.DistilBertConfig,
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "max_position_embeddings": 96},
    ),
    "llama": (tf.LlamaConfig, {**_SIZES, "num_key_value_heads": 2}),
}


def tiny_tokenizer() -> tf.PreTrainedTokenizerFast:
    """A word-level tokenizer over ``WORDS`` with BERT's frame of special tokens."""
    vocabulary = {word: index for index, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def tiny_config(kind: str = "bert", **changes: object) -> tf.PretrainedConfig:
    """The configuration of a random model of two small layers."""
    maker, sizes = CONFIGS[kind]
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
    return maker(vocab_size=len(WORDS) + 5, **{**sizes, **special, **changes})


def tiny_encoder(folder: Path, kind: str = "bert", mean_pooling: bool = False, **changes: object) -> str:
    """Save a random encoder with its tokenizer and return the folder; made twice, it is the same."""
    with torch.random.fork_rng():
        torch.manual_seed(7)
        tf.AutoModel.from_config(tiny_config(kind, **changes)).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    if mean_pooling:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    return str(folder)


def skewed_texts(counts: dict[str, int] | None = None, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts that hold a keyword or two of their class among filler words, in random order."""
    counts = counts or {"billing": 40, "access": 16, "shipping": 7, "hardware": 2}
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for label, count in counts.items():
        for _ in range(count):
            filler = rng.choice(WORDS[15:], size=int(rng.integers(3, 9))).tolist()
            words = [*filler, *rng.choice(KEYWORDS[label], size=2).tolist()]
            rows.append((" ".join(rng.permutation(words).tolist()), label))
    rng.shuffle(rows)
    return [text for text, _ in rows], [label for _, label in rows]
