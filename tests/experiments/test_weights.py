"""A run remembers with which weights it began."""

from pathlib import Path

import pytest

from sharprecl.assets import named
from sharprecl.errors import AssetError
from sharprecl.experiments.weights import weights_of
from tiny import tiny_encoder


def test_a_folder_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    first, second = (tiny_encoder(tmp_path / name) for name in ("one", "two"))
    found = weights_of(str(first))
    assert len(found) == 64
    assert weights_of(str(second)) == found
    weights = Path(second) / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    assert weights_of(str(second)) != found


def test_a_named_encoder_by_its_package_and_the_hubs_not_at_all_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "fetch", lambda name, progress=None: tmp_path / "minilm-0.1.0")
    assert weights_of("minilm") == "minilm-0.1.0"
    assert weights_of("nobody/has-this-model") == "unknown"
    with pytest.raises(AssetError):
        weights_of("./nowhere")
