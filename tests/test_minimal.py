"""The one-screen version and the library compute the same loss from the same weights and the same draws."""

import ast
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.features import Features

SCRIPT = Path(__file__).parents[1] / "examples" / "minimal.py"
COUNTS = [40, 12, 3, 1]


def load():
    spec = importlib.util.spec_from_file_location("minimal", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("step", [0, 4, 9])
@pytest.mark.parametrize("labels", [[0, 1, 2, 0, 0, 3, 1], [0, 0, 1]])
def test_equals_the_library_in_loss_and_gradient(labels, step):
    mine = load().SharpReCL(8, COUNTS).double()
    library = SharpReCL.build(
        SimpleNamespace(feature_dim=8, num_classes=4), np.array(COUNTS), SharpReCLConfig(), seed=0
    ).double()
    for head in ("feature_head", "prototype_head"):
        weights = [p.detach() for p in getattr(library, head).parameters()]
        torch.nn.utils.vector_to_parameters(torch.cat([w.flatten() for w in weights]), getattr(mine, head).parameters())
    mine.generator.set_state(library.draws.generator.get_state())
    mine.mixing.set_state(library.mixing.generator.get_state())
    x_NH = torch.randn(2 * len(labels), 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    x_NH.requires_grad_()
    w_CH = mine.classifier.weight
    y_B = torch.tensor(labels)
    features = Features(x_NH, mine.classifier(x_NH), w_CH, b_C=mine.classifier.bias)
    theirs = library.loss(Batch(y_B, 2), features, Progress(step, 10, step // 5, 2))["total"]
    ours = mine.loss(x_NH, y_B, done=step / 10)
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-6)
    grads = [torch.autograd.grad(loss, [x_NH, w_CH]) for loss in (ours, theirs)]
    for one, other in zip(*grads, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)


def test_fits_one_screen_and_imports_only_torch_and_transformers():
    source = SCRIPT.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 150
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.partition(".")[0])
    assert imported == {"math", "torch", "transformers"}


def test_trains_a_tiny_encoder(capsys):
    torch.manual_seed(0)
    tiny = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)

    def tokenizer(texts, **_settings):
        ids = torch.tensor([[1, *(2 + ord(letter) - ord("a") for letter in text)] for text in texts])
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}

    texts, labels = ["aba", "abb", "bab", "bba", "aab", "aaa", "xyz", "zyx"], [0] * 6 + [1] * 2
    minimal = load()
    encoder, classifier = minimal.train(BertModel(tiny), tokenizer, texts, labels, epochs=30, batch_size=4, lr=3e-3)
    losses = [float(line.rpartition(" ")[2]) for line in capsys.readouterr().out.splitlines()]
    assert len(losses) == 30
    assert losses[-1] < losses[0]
    assert minimal.predict(encoder, classifier, tokenizer, texts) == labels
