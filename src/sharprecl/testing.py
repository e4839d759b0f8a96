"""For tests of methods: a tiny encoder and skewed texts, made on the spot, and the contract that every method keeps.

def test_contract(tmp_path):
    check_method("my_package.poly1:Poly1", tmp_path, epsilon=2.0)
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as tf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from sharprecl.classifier import TextClassifier
from sharprecl.export.card import Card
from sharprecl.training.history import Callback, Record, TrainingSpeed

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
CONFIGS: dict[str, tuple[Any, dict[str, Any]]] = {
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


def tiny_config(kind: str = "bert", **changes: Any) -> tf.PretrainedConfig:
    """The configuration of a random model of two small layers."""
    maker, sizes = CONFIGS[kind]
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
    return maker(vocab_size=len(WORDS) + 5, **{**sizes, **special, **changes})


def tiny_encoder(folder: Path, kind: str = "bert", mean_pooling: bool = False, **changes: Any) -> str:
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


class Stopping(Callback):
    """Ends a training, as a crash would, when a step is reached."""

    def __init__(self, at: int) -> None:
        self.at = at

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        if record["kind"] == "step" and record["step"] == self.at:
            raise InterruptedError


def check_method(method: str, folder: Path, **settings: Any) -> None:
    """Train a tiny encoder with a method a few times, in seconds, and assert what must hold of every method.

    It learns which words tell the classes; cut off and resumed it makes the very same losses and scores; and what it
    saves answers alike, as a stock model unless the method says why not.

    Args:
        method: as ``--method`` takes it; one that trains by steps.
        folder: an empty one, for encoder and runs.
        settings: of the method.
    """
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    texts, labels = skewed_texts()

    def fit(name: str, epochs: int, callback: Callback | None = None, resume: bool = False) -> TextClassifier:
        training = {
            "max_epochs": epochs, "batch_size": 8, "learning_rate": 2e-3, "head_learning_rate": 5e-3,
            "precision": "fp32", "checkpoint_seconds": 0.0 if name == "cut" else 60.0,
        }  # fmt: skip
        config = {"method": {"name": method, **settings}, "training": training, "view": "dropout"}
        classifier = TextClassifier(encoder, max_length=32, config=config, device="cpu")
        return classifier.fit(texts, labels, output=folder / name, callback=callback, resume=resume)

    learned = fit("learned", 30)
    # The most frequent class alone would give 0.62.
    right = learned.score(*skewed_texts(seed=1))
    assert right > 0.75, f"{method} gives {right:.2f} of new texts their class, little more than chance"
    check_saved(learned, texts, folder / "saved")

    whole = fit("whole", 2)
    assert whole.trained_ is not None
    try:
        fit("cut", 2, Stopping(whole.trained_.outcome.steps // 2))
    except InterruptedError:
        resumed = fit("cut", 2, resume=True)
    histories = [(folder / name / "history.jsonl").read_bytes() for name in ("whole", "cut")]
    same = histories[0] == histories[1] and np.array_equal(whole.scores(texts), resumed.scores(texts))
    assert same, f"{method}, cut off and resumed, ends elsewhere; is all its state in its state_dict?"


def check_saved(classifier: TextClassifier, texts: Sequence[str], folder: Path) -> Card:
    """Save a trained classifier and assert that it answers alike when it is read back, by transformers alone if stock.

    Returns:
        What the saved classifier says about itself.
    """
    scores_NC = classifier.scores(texts)
    card = classifier.save(folder)
    np.testing.assert_allclose(TextClassifier.load(folder, "cpu").scores(texts), scores_NC, rtol=1e-3, atol=1e-4)
    if not card.not_stock_because:
        stock = tf.AutoModelForSequenceClassification.from_pretrained(folder / "model").eval()
        inputs = tf.AutoTokenizer.from_pretrained(folder / "model")(list(texts), padding=True, return_tensors="pt")
        inputs.pop("token_type_ids", None)
        with torch.no_grad():
            logits = stock(**inputs).logits.numpy()
        np.testing.assert_allclose(logits, scores_NC, rtol=1e-3, atol=1e-4)
    return card
