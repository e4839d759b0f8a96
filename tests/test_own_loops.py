"""The example of three loops that are not ours: each trains a model that tells the classes apart."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tiny import skewed_texts, tiny_encoder

SCRIPT = Path(__file__).parents[1] / "examples" / "own_loops.py"


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("own_loops", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # A tiny model that nobody has trained needs larger steps than a real one, and more of them.
    monkeypatch.setattr(module, "RATE", 1e-3)
    monkeypatch.setattr(module, "EPOCHS", 60)
    torch.manual_seed(0)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True))


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[int]]:
    words, names = skewed_texts()
    known = sorted(set(names))
    return list(words), [known.index(name) for name in names]


def _right(logits: torch.Tensor, labels: list[int]) -> float:
    return float(np.mean(logits.argmax(1).numpy() == np.array(labels)))


def _stock(folder: str):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return AutoModelForSequenceClassification.from_pretrained(folder, num_labels=4), tokenizer


@torch.no_grad()
def _answers(model, tokenizer, texts: list[str]) -> torch.Tensor:
    return model(**tokenizer(texts, padding=True, return_tensors="pt")).logits


def test_plain_pytorch(loops: ModuleType, folder: str, texts) -> None:
    model, tokenizer = _stock(folder)
    trained = loops.plain_pytorch(model, tokenizer, *texts)
    assert _right(_answers(trained, tokenizer, texts[0]), texts[1]) > 0.8


def test_the_trainer_of_transformers(loops: ModuleType, folder: str, texts, tmp_path: Path) -> None:
    model, tokenizer = _stock(folder)
    trained = loops.hugging_face_trainer(model, tokenizer, *texts, str(tmp_path))
    assert _right(_answers(trained, tokenizer, texts[0]), texts[1]) > 0.8


def test_sentence_transformers(loops: ModuleType, folder: str, texts, tmp_path: Path) -> None:
    sentence = pytest.importorskip("sentence_transformers")
    model, classifier = loops.sentence_transformers(
        sentence.SentenceTransformer(folder, device="cpu"), *texts, str(tmp_path)
    )
    logits = classifier(torch.as_tensor(model.encode(texts[0])))
    assert _right(logits, texts[1]) > 0.8
