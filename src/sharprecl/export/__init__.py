"""A trained classifier on disk: a stock Hugging Face model wherever the method allows, and a card beside it.

    out/model/          config.json, model.safetensors, tokenizer: any Hugging Face tool loads it
    out/sharprecl.json  the card: label kinds, class counts, settings, what ``TextClassifier.load`` and reports want

Where the architecture cannot express the pooling or the method's answers, the weights go to ``out/opened/`` instead:
that folder must not be mistaken for a stock model, whose own head would answer differently. What a language model
gained goes to ``out/adapter/``. ``EncoderPredictor``, which needs PyTorch, is in ``export.encoder``.
"""

from sharprecl.export.card import Card, read_card

__all__ = ["Card", "read_card"]
