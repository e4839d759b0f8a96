"""Labels in front of every text, for every encoder family that reads both ways."""

from pathlib import Path

import pytest
import torch
import transformers as tf
from tokenizers import processors

from known import CASES, expected
from sharprecl.errors import ConfigError
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone, open_backbone
from sharprecl.models.label_tokens import LabelTokens, add_label_tokens
from tiny import CONFIGS, tiny_config, tiny_encoder, tiny_tokenizer

NAMES = ("refund", "late parcel", "")
BOTH_WAYS = [kind for kind in CONFIGS if kind != "llama"]
COUNTS_ITSELF = {"deberta-v2", "mpnet", "modernbert"}
"""These see the labels where they stand, so the labels' order matters."""


def load(kind: str, names: tuple[str, ...] = NAMES, **changes: object) -> tf.PreTrainedModel:
    torch.manual_seed(0)
    config = tiny_config(kind, num_labels=len(names), **changes)
    return tf.AutoModelForSequenceClassification.from_config(config)


def make(kind: str, names: tuple[str, ...] = NAMES, **changes: object) -> Backbone:
    model = load(kind, names, **changes)
    add_label_tokens(model, tiny_tokenizer(), names)
    return Backbone(model, "cls", "label_tokens").eval()


def tokens(*texts: str) -> dict[str, torch.Tensor]:
    encoded = tiny_tokenizer()(list(texts), padding=True, return_tensors="pt")
    return {name: encoded[name] for name in ("input_ids", "attention_mask")}


SHORT, LONG = "card late", "my parcel is late again please help with the refund"


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_vectors_and_scores_are_those_of_the_places_behind_the_first(kind: str) -> None:
    backbone = make(kind)
    inputs = tokens(SHORT)
    ids = inputs["input_ids"][0].tolist()
    places = [0, 0, 0, 0, *range(1, len(ids) + 1)]
    start = {"roberta": 1, "mpnet": 2}.get(kind, 0)  # behind the padding row
    with torch.no_grad():
        features = backbone(**inputs)
        h_TH = backbone.model.base_model(
            input_ids=torch.tensor([[ids[0], 43, 44, 45, 3, *ids[1:]]]),
            attention_mask=torch.ones(1, len(ids) + 4, dtype=torch.int64),
            position_ids=torch.tensor([places]) + start,
        ).last_hidden_state[0]
    torch.testing.assert_close(features.x_NH[0], h_TH[0], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(features.t_NCH[0], h_TH[1:4], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(features.s_NC[0], h_TH[1:4] @ h_TH[0], rtol=1e-4, atol=1e-5)
    assert features.w_CH is backbone.classifier.weight


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_saved_and_loaded_it_scores_the_same(kind: str, tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "encoder", kind)
    torch.manual_seed(0)
    backbone = open_backbone(source, NAMES, "cls", "label_tokens", tiny_tokenizer()).eval()
    with torch.no_grad():
        backbone.model.get_input_embeddings().weight[-3:] += torch.randn(3, 32)  # as training would
    backbone.model.save_pretrained(tmp_path / "saved")
    loaded = Backbone(stock.load_classifier(str(tmp_path / "saved")), "cls", "label_tokens").eval()
    inputs = tokens(SHORT, LONG)
    with torch.no_grad():
        assert torch.equal(loaded(**inputs).s_NC, backbone(**inputs).s_NC)


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_padding_changes_nothing(kind: str) -> None:
    backbone = make(kind)
    with torch.no_grad():
        alone, padded = backbone(**tokens(SHORT)), backbone(**tokens(LONG, SHORT))
    torch.testing.assert_close(alone.s_NC[0], padded.s_NC[1], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(alone.t_NCH[0], padded.t_NCH[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_training_reaches_the_label_tokens_and_not_the_linear_layer(kind: str) -> None:
    backbone = make(kind).train()
    backbone(**tokens(SHORT, LONG)).s_NC.logsumexp(1).sum().backward()
    gradient = backbone.model.get_input_embeddings().weight.grad
    assert gradient.isfinite().all()
    assert (gradient[-3:].abs().sum(1) > 0).all()
    assert backbone.classifier.weight.grad is None


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_scores_depend_on_the_text(kind: str) -> None:
    backbone = make(kind)
    with torch.no_grad():
        one, other = (backbone(**tokens(text)).t_NCH for text in ("card late", "battery broken"))
    assert (one - other).abs().max() > 1e-3


@pytest.mark.parametrize("kind", [kind for kind in BOTH_WAYS if kind not in COUNTS_ITSELF])
def test_the_order_of_the_labels_means_nothing(kind: str) -> None:
    names = ("refund", "parcel", "login")
    backbone, turned = make(kind, names), make(kind, names[::-1])
    with torch.no_grad():
        s_NC, turned_NC = (model(**tokens(SHORT, LONG)).s_NC for model in (backbone, turned))
    torch.testing.assert_close(turned_NC.flip(1), s_NC, rtol=1e-4, atol=1e-5)


def test_known_answer_dualcl_position_ids() -> None:
    inputs = CASES["dualcl_position_ids"]["inputs"]
    names = NAMES[: inputs["num_classes"]]
    label_tokens = make("bert", names)._label_tokens
    assert label_tokens is not None
    positions = label_tokens.positions(inputs["sequence_length"])
    assert positions.tolist() == expected("dualcl_position_ids", "position_ids")
    text = torch.arange(inputs["sequence_length"] - len(names) - 1)[None] + 5
    ids = label_tokens(text, torch.ones_like(text))["input_ids"][0]
    columns = [k for k, token in enumerate(ids.tolist()) if token >= 43]
    assert columns == expected("dualcl_position_ids", "label_token_columns")


def test_the_labels_may_share_the_position_behind_the_first_token(tmp_path: Path) -> None:
    backbone = make("bert", NAMES[:3])
    with torch.no_grad():
        before = backbone(**tokens(SHORT, LONG)).s_NC
        backbone.place_labels(1)
        after = backbone(**tokens(SHORT, LONG)).s_NC
    assert not torch.allclose(before, after)
    assert backbone._label_tokens is not None
    assert backbone._label_tokens.positions(8).tolist() == [0, 1, 1, 1, 2, 3, 4, 5]
    backbone.model.save_pretrained(tmp_path)
    saved = Backbone(stock.load_classifier(str(tmp_path)), "cls", "label_tokens").eval()
    with torch.no_grad():
        torch.testing.assert_close(saved(**tokens(SHORT, LONG)).s_NC, after)


@pytest.mark.parametrize("padding", [0, 1, 5])
def test_roberta_counts_on_from_its_padding_row(padding: int) -> None:
    label_tokens = make("roberta", pad_token_id=padding)._label_tokens
    assert label_tokens is not None
    first = padding + 1
    assert label_tokens.positions(7).tolist() == [first] * 4 + [first + 1, first + 2, first + 3]


@pytest.mark.parametrize("kind", BOTH_WAYS)
def test_a_text_of_the_greatest_length_fits(kind: str) -> None:
    backbone = make(kind)
    most = stock.longest_text(backbone.model)
    assert most is not None
    ids = torch.randint(5, 40, (2, most), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        s_NC = backbone(input_ids=ids, attention_mask=torch.ones_like(ids)).s_NC
    assert s_NC.isfinite().all()


def test_tokens_begin_as_the_mean_of_their_names_pieces() -> None:
    model = load("bert")
    before = model.get_input_embeddings().weight.detach().clone()
    vocabulary = tiny_tokenizer().get_vocab()
    add_label_tokens(model, tiny_tokenizer(), NAMES)
    after = model.get_input_embeddings().weight.detach()
    assert after.shape == (46, 32)
    assert model.config.vocab_size == 46
    assert torch.equal(after[:43], before)
    torch.testing.assert_close(after[43], before[vocabulary["refund"]])
    torch.testing.assert_close(after[44], (before[vocabulary["late"]] + before[vocabulary["parcel"]]) / 2)
    torch.testing.assert_close(after[45], before.mean(0))


def test_labels_of_the_same_pieces_do_not_begin_alike() -> None:
    """Neither unknown names nor the same words in another order; tokens that begin alike part slowly."""
    model = load("bert", ("名", "字", "refund", "late parcel", "parcel late"))
    before = model.get_input_embeddings().weight.detach().clone()
    add_label_tokens(model, tiny_tokenizer(), ("名", "字", "refund", "late parcel", "parcel late"))
    w_CH = model.get_input_embeddings().weight.detach()[-5:]
    vocabulary = tiny_tokenizer().get_vocab()
    unknown, parcel = before[vocabulary["[UNK]"]], before[[vocabulary["late"], vocabulary["parcel"]]].mean(0)
    torch.testing.assert_close(w_CH[2], before[vocabulary["refund"]])
    for first, second, mean in ((0, 1, unknown), (3, 4, parcel)):
        assert (w_CH[first] - w_CH[second]).norm() > 0.02
        for label in (first, second):
            assert 0 < (w_CH[label] - mean).norm() < 0.5


@pytest.mark.parametrize(
    ("frame", "prefix"),
    [("[CLS] $A [SEP]", [43, 44, 45, 3]), ("[CLS] $A", [43, 44, 45]), ("$A", [43, 44, 45])],
    ids=["closed", "opened only", "bare"],
)
def test_a_separator_stands_where_the_tokenizer_closes_texts(frame: str, prefix: list[int], tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    special = [(name, number) for name, number in (("[CLS]", 2), ("[SEP]", 3)) if name in frame]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single=frame, special_tokens=special)
    model = load("bert")
    add_label_tokens(model, tokenizer, NAMES)
    model.save_pretrained(tmp_path)
    ids, mask = torch.tensor([[7, 8, 9], [7, 8, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    for kept in (model, stock.load_classifier(str(tmp_path))):
        inputs = LabelTokens(kept, 3)(ids, mask)
        assert inputs["input_ids"].tolist() == [[7, *prefix, 8, 9], [7, *prefix, 8, 0]]
        assert inputs["attention_mask"].tolist() == [[1] * (len(prefix) + 3), [1] * (len(prefix) + 2) + [0]]


def test_a_thousand_classes_leave_the_text_its_positions() -> None:
    backbone = make("bert", tuple(f"class {number}" for number in range(1000)))
    with torch.no_grad():
        features = backbone(**tokens(SHORT))
    assert features.s_NC.shape == (1, 1000)
    assert features.t_NCH.shape == (1, 1000, 32)
    assert features.s_NC.isfinite().all()


def test_features_are_float32_under_autocast() -> None:
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        features = make("bert")(**tokens(SHORT))
    assert {features.x_NH.dtype, features.s_NC.dtype, features.t_NCH.dtype} == {torch.float32}
    exact = torch.einsum("nh,nch->nc", features.x_NH.double(), features.t_NCH.double())
    torch.testing.assert_close(features.s_NC.double(), exact, rtol=1e-5, atol=1e-5)


def test_an_architecture_that_takes_no_positions_numbers_the_labels_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock, "takes_position_ids", lambda model: False)
    backbone = make("bert")
    assert backbone._label_tokens is not None
    assert set(backbone._label_tokens(**tokens(SHORT))) == {"input_ids", "attention_mask"}
    with torch.no_grad():
        assert backbone(**tokens(SHORT)).s_NC.isfinite().all()


@pytest.mark.parametrize("kind", CONFIGS)
def test_every_family_of_ours_takes_positions(kind: str) -> None:
    assert stock.takes_position_ids(load(kind))
    assert stock.reads_left_to_right(load(kind)) == (kind == "llama")


def test_models_that_read_from_left_to_right_are_refused() -> None:
    with pytest.raises(ConfigError, match="reads from left to right, so labels in front of a text cannot see the text"):
        make("llama")


def test_models_without_label_tokens_are_refused() -> None:
    with pytest.raises(ConfigError, match="has no label tokens"):
        Backbone(load("bert"), "cls", "label_tokens")


def test_other_poolings_are_refused() -> None:
    with pytest.raises(ConfigError, match="their pooling is cls, not mean"):
        Backbone(load("bert"), "mean", "label_tokens")
