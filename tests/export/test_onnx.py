"""The graph answers as PyTorch does, alone and beside any other text, by ONNX Runtime and tokenizers alone."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import transformers as tf
from tokenizers import Tokenizer

from sharprecl import TextClassifier
from sharprecl.data.tables import TextTable, read_table
from sharprecl.decision import Decision
from sharprecl.errors import AssetError, ConfigError, ExportError
from sharprecl.export.card import read_card
from sharprecl.export.certificate import Budget
from sharprecl.export.onnx import onnx_graph, weighted_nodes
from sharprecl.export.onnx_folder import export_float32, export_int8
from sharprecl.models.backbone import Backbone
from tiny import WORDS, skewed_texts, tiny_config, tiny_encoder

# Texts as different in length and in size of their vectors as there are: the hard case for scales by tensor.
TEXTS = [*skewed_texts(seed=3)[0][:12], "refund", " ".join(WORDS), "unknown words only", " ".join(["cable"] * 60)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    settings = {"max_epochs": 12, "batch_size": 8, "learning_rate": 2e-3, "max_length": 32, "view": "dropout"}
    TextClassifier(encoder, **settings).fit(*skewed_texts()).save(folder)
    export_float32(folder / "onnx", TextClassifier.load(folder, "cpu")._predictor, read_card(folder))
    return folder


@pytest.fixture(scope="module")
def table(run: Path) -> TextTable:
    return read_table(skewed_texts(seed=1), label_names=read_card(run).label_names)


@pytest.fixture(scope="module")
def small(run: Path, table: TextTable) -> Path:
    predictor = TextClassifier.load(run, "cpu")._predictor
    certificate = export_int8(run / "int8", predictor, read_card(run), table, Budget(), print)
    assert certificate.passed
    return run / "int8"


def by_runtime_alone(folder: Path, texts: list[str]) -> np.ndarray:
    """What deployment.md shows: no torch, no transformers, nothing of ours."""
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    found = Tokenizer.from_file(str(folder / "tokenizer.json")).encode_batch(texts)
    inputs = {
        "input_ids": np.array([text.ids for text in found]),
        "attention_mask": np.array([text.attention_mask for text in found]),
    }
    return session.run(["logits"], {value.name: inputs[value.name] for value in session.get_inputs()})[0]


def softmax(s_NC: np.ndarray) -> np.ndarray:
    return torch.from_numpy(s_NC).double().softmax(1).numpy()


def test_float32_answers_as_the_trained_folder_alone_and_in_any_batch(run: Path) -> None:
    expected = TextClassifier.load(run, "cpu")
    p_NC = softmax(expected.scores(TEXTS))
    for size in (1, 2, 5, len(TEXTS)):
        batches = [TEXTS[start : start + size] for start in range(0, len(TEXTS), size)]
        found = np.concatenate([by_runtime_alone(run / "onnx", batch) for batch in batches])
        assert abs(softmax(found) - p_NC).max() < 1e-5
    loaded = TextClassifier.load(run / "onnx")
    assert abs(loaded.predict_proba(TEXTS) - p_NC).max() < 1e-5
    assert loaded.predict(TEXTS).tolist() == expected.predict(TEXTS).tolist()
    np.testing.assert_allclose(loaded.embed(TEXTS), expected.embed(TEXTS), rtol=1e-4, atol=1e-5)
    names = json.loads((run / "onnx" / "config.json").read_text())["id2label"]
    assert [names[str(c)] for c in range(4)] == expected.classes_.tolist()


def test_int8_gives_a_text_the_same_bits_beside_any_other(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = TextClassifier.load(small)
    alone = np.concatenate([loaded.scores([text]) for text in TEXTS])
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    assert np.array_equal(loaded.scores(TEXTS), alone)
    assert np.array_equal(loaded.scores(TEXTS[::-1]), alone[::-1])
    # Another session may differ in the last bit, by where its memory lies: one session promises equal bits.
    others = np.concatenate([by_runtime_alone(small, [text]) for text in TEXTS])
    np.testing.assert_allclose(others, alone, rtol=0, atol=1e-6)
    with pytest.raises(Exception, match="invalid dimensions"):
        by_runtime_alone(small, TEXTS[:2])


def test_int8_keeps_its_certificate(run: Path, small: Path, table: TextTable) -> None:
    certificate = json.loads((small / "certificate.json").read_text())
    whole, loaded = TextClassifier.load(run, "cpu"), TextClassifier.load(small)
    same = np.mean(whole.predict(table.texts) == loaded.predict(table.texts))
    assert certificate["agreement"] == pytest.approx(same)
    assert certificate["n_texts"] == len(table)
    assert certificate["passed"]
    sizes = [(run / name / "model.onnx").stat().st_size for name in ("onnx", "int8")]
    operations = {node.op_type for node in onnx.load(small / "model.onnx").graph.node}
    assert "MatMulInteger" in operations
    assert sizes[1] < sizes[0]


def test_what_exceeds_the_budget_leaves_no_file(run: Path, table: TextTable, tmp_path: Path) -> None:
    predictor, said = TextClassifier.load(run, "cpu")._predictor, list[str]()
    with pytest.raises(ExportError, match=r"also with \d of \d+ layers in float32 .*macro-F1 loses .*--onnx") as caught:
        # Nothing that may be lost: it must gain.
        export_int8(tmp_path / "int8", predictor, read_card(run), table, Budget(macro_f1=-200.0), said.append)
    assert "\n" not in str(caught.value)
    assert said == ["int8 exceeds the budget; looking for the layers that do the damage"]
    assert not list(tmp_path.iterdir())


def test_the_layer_that_does_the_damage_stays_in_float32(run: Path, tmp_path: Path) -> None:
    predictor = TextClassifier.load(run, "cpu")._predictor
    with torch.no_grad():
        # A word that no text has, so long that all others fall on one of the 256 steps.
        predictor.backbone.model.get_input_embeddings().weight[4] = 1e4
    texts = skewed_texts(seed=1)[0]
    names = read_card(run).label_names
    answers = predictor.scores(texts)[0].argmax(1)
    assert len(set(answers)) > 1
    table = read_table((texts, [names[answer] for answer in answers]), label_names=names)
    certificate = export_int8(tmp_path / "int8", predictor, read_card(run), table, Budget(), print)
    assert certificate.float32_layers == ("bert.embeddings.word_embeddings",)
    assert certificate.attempts == 2
    found = TextClassifier.load(tmp_path / "int8").predict(texts)
    assert np.mean(found == np.array(names)[answers]) == certificate.agreement > 0.95


def test_an_export_is_a_classifiers_folder(run: Path, small: Path, tmp_path: Path) -> None:
    loaded = TextClassifier.load(run / "onnx")
    again = pickle.loads(pickle.dumps(loaded.for_prior("train")))
    assert np.array_equal(again.scores(TEXTS), loaded.scores(TEXTS))
    assert loaded.predict([]).shape == (0,)
    with pytest.raises(ExportError, match="is an ONNX export, which stays as it is"):
        loaded.save(tmp_path)
    with pytest.raises(ConfigError, match="answers on the CPU, not on 'cuda'"):
        TextClassifier.load(small, "cuda")
    with pytest.raises(ExportError, match="only what was trained as an encoder can become ONNX"):
        export_float32(tmp_path / "onnx", loaded._predictor, read_card(run))


def test_only_an_export_is_replaced_and_a_damaged_one_is_told(run: Path, tmp_path: Path) -> None:
    predictor, card = TextClassifier.load(run, "cpu")._predictor, read_card(run)
    with pytest.raises(ConfigError, match="something else than an export"):
        export_float32(tmp_path, predictor, card)
    export_float32(tmp_path / "onnx", predictor, card)
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"cut off")
    with pytest.raises(AssetError, match=r"model\.onnx could not be read .* export the classifier again"):
        TextClassifier.load(tmp_path / "onnx")
    export_float32(tmp_path / "onnx", predictor, card)
    assert TextClassifier.load(tmp_path / "onnx").predict(TEXTS).shape == (len(TEXTS),)
    assert [path.name for path in tmp_path.iterdir()] == ["onnx"]


def test_all_files_are_as_readable_as_any_other(run: Path, small: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    usual = (tmp_path / "other").stat().st_mode
    for folder in (run / "model", run / "onnx", small):
        assert {path.stat().st_mode for path in folder.iterdir()} == {usual}


def test_the_file_tells_nothing_of_the_machine_that_wrote_it(run: Path, small: Path) -> None:
    for folder in (run / "onnx", small):
        content = (folder / "model.onnx").read_bytes()
        assert b".py" not in content
        assert str(Path.home()).encode() not in content


@pytest.mark.parametrize(
    ("kind", "pooling", "reading"),
    [("mpnet", "mean", "cosine"), ("roberta", "native", "linear"), ("llama", "native", "linear")],
)
def test_what_no_stock_model_can_express(kind: str, pooling: Any, reading: Any) -> None:
    torch.manual_seed(0)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(kind, num_labels=5))
    torch.nn.init.normal_(model.get_input_embeddings().weight)
    backbone, decision = Backbone(model, pooling, reading).eval(), Decision(1.7, np.arange(5.0))
    graph = onnx_graph(backbone, decision)
    names = {node.name for node in weighted_nodes(graph)}
    assert any("layer" in name for name in names), names
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    for batch, length in ((1, 1), (1, 9), (7, 24)):
        ids = torch.randint(5, 40, (batch, length))
        mask = (torch.arange(length)[None] < torch.randint(1, length + 1, (batch, 1))).long()
        inputs = {"input_ids": ids * mask, "attention_mask": mask}
        with torch.no_grad():
            expected = decision.apply(backbone(**inputs).s_NC.numpy())
        found = session.run(["logits"], {name: value.numpy() for name, value in inputs.items()})[0]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_weights_beyond_what_a_file_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharprecl.export.onnx._MOST_BYTES", 1000)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config("bert", num_labels=5))
    with pytest.raises(ExportError, match="GB of weights, and an ONNX file holds 2"):
        onnx_graph(Backbone(model, "mean"), Decision.neutral(5))
