"""Tiny encoders and skewed texts for all tests: those that authors of methods use too."""

from sharprecl.testing import (
    CONFIGS,
    KEYWORDS,
    WORDS,
    skewed_texts,
    tiny_config,
    tiny_encoder,
    tiny_tokenizer,
)

__all__ = ["CONFIGS", "KEYWORDS", "WORDS", "skewed_texts", "tiny_config", "tiny_encoder", "tiny_tokenizer"]
