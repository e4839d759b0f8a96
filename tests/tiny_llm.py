"""A random LLaMA of two small layers with a word-level tokenizer, as a folder on disk."""

from pathlib import Path

import numpy as np
import torch
import transformers as tf
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from sharprecl.data.tables import TextTable
from sharprecl.llm.encoding import Encoder
from sharprecl.llm.prompts import Prompt
from tiny import CONFIGS, WORDS

FRAME = (
    "You are a text classifier Answer with exactly one label from the list and nothing else Task : topic . Labels ; "
    "Text Label account shipping late class 7 human"
)
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<|user|>", "<|system|>", "<|assistant|>"]
TEMPLATE = (
    "<s>{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def word_tokenizer(template: str | None = TEMPLATE) -> tf.PreTrainedTokenizerFast:
    """Knows the words of the prompt and of ``tiny.WORDS``; begins a text with ``<s>``, has nothing to pad with."""
    vocabulary = {word: index for index, word in enumerate(dict.fromkeys([*SPECIAL, *FRAME.split(), *WORDS]))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 2)])
    made = tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=SPECIAL[4:],
    )
    made.chat_template = template
    return made


def tiny_llama(seed: int = 7, kind: str = "llama") -> tf.PreTrainedModel:
    """Random weights, large enough that logits differ; the same at every call."""
    maker, sizes = (
        CONFIGS[kind] if kind == "llama" else (tf.BloomConfig, {"hidden_size": 32, "n_layer": 2, "n_head": 4})
    )
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "vocab_size": len(word_tokenizer())}
    longer = {"max_position_embeddings": 256, "initializer_range": 0.2}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return tf.AutoModelForCausalLM.from_config(maker(**{**sizes, **special, **longer})).eval()


def tiny_llama_folder(folder: Path, template: str | None = TEMPLATE) -> str:
    """The model and its tokenizer on disk."""
    tiny_llama().save_pretrained(folder)
    word_tokenizer(template).save_pretrained(folder)
    return str(folder)


def encoder(
    words: tuple[str, ...], form: str = "chat", longest: int = 256, max_words: int = 50, template: str = TEMPLATE
) -> Encoder:
    """An encoder for the tiny model."""
    tokenizer = word_tokenizer(template)
    tokenizer.pad_token = tokenizer.eos_token
    return Encoder(Prompt("topic", words, max_words), tokenizer, form, longest)


def table(texts: int = 24, names: tuple[str, ...] = ("refund", "late parcel", "broken")) -> TextTable:
    """Short texts of unlike lengths that name their label."""
    rng = np.random.Generator(np.random.PCG64(3))
    label_ids = np.arange(texts) % len(names)
    rows = [" ".join([*rng.choice(WORDS[20:], size=int(rng.integers(1, 9))), names[label]]) for label in label_ids]
    return TextTable(tuple(rows), label_ids.astype(np.int64), names, "tiny")
