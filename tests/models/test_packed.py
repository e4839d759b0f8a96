"""Several texts in a row read as they would alone."""

import numpy as np
import pytest
import torch
import transformers as tf

from sharprecl.data.batches import collate
from sharprecl.data.packing import lay_out
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone
from sharprecl.models.packed import own_attention, own_positions
from tiny import CONFIGS, tiny_config

TEXT_RT = torch.tensor([[0, 0, 0, 1, 1, -1], [2, 2, 2, 2, 2, 2]])


def test_positions_count_from_each_text_s_start():
    assert own_positions(TEXT_RT)[0, :5].tolist() == [0, 1, 2, 0, 1]
    assert own_positions(TEXT_RT)[1].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_text_attends_to_itself_alone():
    mask = own_attention(TEXT_RT, torch.float32)[0, 0]
    assert (mask[:3, :3] == 0).all()
    assert (mask[3:5, 3:5] == 0).all()
    assert (mask[:3, 3:] < -1e30).all()
    assert (mask[5, :5] < -1e30).all()
    assert mask[5, 5] == 0


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("pooling", ["mean", "cls", "native"])
@pytest.mark.parametrize("upper", [False, True])
def test_features_are_those_of_the_texts_alone(kind, pooling, upper):
    torch.manual_seed(0)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(kind, num_labels=5))
    backbone = Backbone(model, pooling).eval()
    length_N = np.array([9, 4, 17, 4, 30, 2, 11])
    ids = np.random.default_rng(0).integers(5, 40, length_N.sum()).astype(np.int32)
    tokens, everything = TokenizedTexts(ids, np.cumsum([0, *length_N])), np.arange(7)
    with torch.no_grad():
        alone = backbone(**collate(tokens, everything, 0))
        if upper:
            assert backbone.repeat_upper() == 0.5
        assert backbone.packs == (kind in ("bert", "roberta") and pooling != "native")
        found = 0
        for sheet in lay_out([(tokens, everything)], 0, backbone.packs):
            features = backbone.forward_views(sheet.input_ids, sheet.text_RT)
            found += len(sheet.rows)
            for name in ("x_NH", "s_NC"):
                wanted = getattr(alone, name)[sheet.rows].repeat(2 if upper else 1, 1)
                torch.testing.assert_close(getattr(features, name), wanted, rtol=1e-4, atol=1e-5)
    assert found == 7


def test_the_second_view_differs_by_the_dropout_of_the_upper_layers_alone():
    torch.manual_seed(0)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config("bert", num_labels=3))
    backbone = Backbone(model, "mean").train()
    backbone.repeat_upper()
    texts = torch.tensor([[0] * 6])
    ids = torch.tensor([[2, 7, 8, 9, 10, 3]])
    one, two = backbone.forward_views(ids, texts).x_NH
    assert not torch.equal(one, two)
    for module in stock.layers(model)[-1].modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    stock.layers(model)[-1].attention.self.dropout.p = 0.0
    one, two = backbone.forward_views(ids, texts).x_NH
    torch.testing.assert_close(one, two)
