"""Tiny random models that the tests make themselves: fill-mask models and translators."""

import json

import pytest
import torch
import transformers as tf
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import decoders as token_decoders

from sharprecl.testing import CONFIGS

TITLES = [
    "who invented the first electric guitar ?",
    "what city has the largest hotel ?",
    "The King of Spain visited 12 hotels, 3 museums and one castle.",
    "Name a film about volcanoes!",
    "how many people live in a small village near Berlin",
    "gandhi",
    "Effects of aspirin on heart failure in older patients: a study. It lasted ten years.",
    "why do birds sing",
    *(f"the {word} of the {other}" for word in ("colour", "price", "weight") for other in ("house", "river", "dog")),
]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIZES = CONFIGS["bert"][1]


@pytest.fixture(scope="session")
def titles():
    """Texts whose words the tiny models know."""
    return TITLES


def save(model_class, config, folder):
    """Save a random model with weights large enough for clear likes and dislikes."""
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = model_class(config)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.3)
        if model_class is tf.MarianMTModel:
            model.final_logits_bias[0, config.eos_token_id] = 4.0  # else it rambles
    model.save_pretrained(folder)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
    """A BERT with word pieces: whole words, "##" pieces, letters, punctuation, numbers."""
    folder = tmp_path_factory.mktemp("bert")
    words = sorted({word.lower() for title in TITLES for word in title.split() if word.isalpha()})
    pieces = [
        *LETTERS,
        *(f"##{letter}" for letter in LETTERS),
        "##ing",
        "##s",
        *"?.,!:;-0123456789",
        "12",
        "not",
        "1990s",
    ]
    vocabulary = {
        t: i for i, t in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(words + pieces)])
    }
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = token_decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    fast = tf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **{f"{k}_token": v for k, v in names.items()})
    fast.save_pretrained(folder)
    save(tf.BertForMaskedLM, tf.BertConfig(vocab_size=len(vocabulary), **_SIZES), folder)
    return folder


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory):
    """A RoBERTa with byte-level pairs, whose words begin with a marked space."""
    folder = tmp_path_factory.mktemp("roberta")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = token_decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=[*special, AddedToken("<mask>", lstrip=True)],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([f" {title} café" for title in TITLES], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = {"bos": "<s>", "cls": "<s>", "pad": "<pad>", "eos": "</s>", "sep": "</s>", "unk": "<unk>"}
    fast = tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        mask_token=AddedToken("<mask>", lstrip=True),
        **{f"{k}_token": v for k, v in names.items()},
    )
    fast.save_pretrained(folder)
    config = tf.RobertaConfig(vocab_size=tokenizer.get_vocab_size(), pad_token_id=1, **_SIZES)
    save(tf.RobertaForMaskedLM, config, folder)
    return folder


@pytest.fixture(scope="session")
def tiny_marian(tmp_path_factory):
    """A translator from nothing to nothing, with the very tokenizer of the Marian models."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("marian")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TITLES), model_prefix=str(folder / "source"), vocab_size=90, minloglevel=2
    )
    (folder / "source.model").rename(folder / "source.spm")
    (folder / "source.vocab").unlink()
    (folder / "target.spm").write_bytes((folder / "source.spm").read_bytes())
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    pieces = [model.id_to_piece(index) for index in range(model.get_piece_size())]
    vocabulary = ["</s>", "<unk>", *(p for p in pieces if p not in ("</s>", "<unk>", "<s>")), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(vocabulary)}))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "MarianTokenizer"}')
    pad = len(vocabulary) - 1
    layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    config = tf.MarianConfig(
        vocab_size=len(vocabulary),
        d_model=32,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=128,
        pad_token_id=pad,
        eos_token_id=0,
        decoder_start_token_id=pad,
        forced_eos_token_id=0,
        **layers,
    )
    save(tf.MarianMTModel, config, folder)
    return folder
