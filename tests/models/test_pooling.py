"""Which pooling ``auto`` means."""

from pathlib import Path

import pytest

from sharprecl.models.pooling import resolve_pooling
from tiny import tiny_encoder


def test_auto_reads_the_checkpoint(tmp_path: Path) -> None:
    sentence = tiny_encoder(tmp_path / "sentence", mean_pooling=True)
    plain = tiny_encoder(tmp_path / "plain")
    assert resolve_pooling("auto", sentence) == "mean"
    assert resolve_pooling("auto", plain) == "native"
    assert resolve_pooling("cls", sentence) == "cls"


@pytest.mark.asset
def test_minilm_is_a_sentence_encoder() -> None:
    from sharprecl.assets import resolve_encoder

    assert resolve_pooling("auto", resolve_encoder("minilm")) == "mean"
