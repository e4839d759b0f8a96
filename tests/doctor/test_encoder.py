"""The encoder as a reader: found where it was named, done without where it was not and cannot be had."""

import pytest

from sharprecl.doctor import encoder
from sharprecl.errors import AssetError
from tiny import tiny_encoder


def test_a_folder_gives_its_tokenizer_and_its_longest_text(tmp_path) -> None:
    found = encoder.open_encoder(tiny_encoder(tmp_path / "bert"), lambda sentence: None)
    assert (found.name, found.longest, found.why_not) == (str(tmp_path / "bert"), 96, "")
    assert found.tokenizer("refund the invoice")["input_ids"][0] == 2
    roberta = encoder.open_encoder(tiny_encoder(tmp_path / "roberta", "roberta"), lambda sentence: None)
    assert roberta.longest == 95, "its table of 96 positions begins behind the padding row 0"


def test_a_missing_default_encoder_is_done_without_and_a_named_one_is_not(monkeypatch) -> None:
    def missing(name: str, say) -> str:
        raise AssetError(f"{name} cannot be fetched")

    monkeypatch.setattr(encoder, "resolve_encoder", missing)
    found = encoder.open_encoder(None, lambda sentence: None)
    assert (found.name, found.tokenizer, found.why_not) == ("", None, "minilm cannot be fetched")
    with pytest.raises(AssetError):
        encoder.open_encoder("minilm", lambda sentence: None)
