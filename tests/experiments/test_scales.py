"""The scales: what each stands for, and the caps of each data set."""

import pytest

from sharprecl.config import resolve
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.errors import ConfigError
from sharprecl.experiments.scales import SCALES, Caps, scale_of


def test_the_paper_s_scale_is_as_printed() -> None:
    scale = SCALES["paper"]
    config = resolve(scale.settings)
    assert (config.encoder.name, config.encoder.max_length) == ("bert-base-uncased", 256)
    training = config.training
    assert (training.learning_rate, training.head_learning_rate, training.weight_decay) == (5e-5, 5e-5, 5e-4)
    assert (training.batch_size, training.max_epochs, training.select_on) == (128, 30, "validation")
    assert scale.seeds == 10
    assert config.view == "synonyms"
    assert all(scale.caps_of(name) == Caps(None, None) for name in BENCHMARKS)


def test_the_small_scale_caps_the_large_data_and_leaves_the_rest() -> None:
    scale = SCALES["small"]
    config = resolve(scale.settings)
    assert (config.encoder.name, config.profile, config.training.schedule) == ("minilm", "matched", "linear")
    assert (config.training.learning_rate, config.training.head_learning_rate) == ("auto", "auto")
    assert (config.view, config.encoder.trainable_layers, config.encoder.answer_precision) == ("upper", 2, "auto")
    capped = {name: scale.caps_of(name) for name in BENCHMARKS if scale.caps_of(name) != Caps()}
    assert capped == {"r52": Caps(60), "dblp": Caps(1000, 4000), "biomedical": Caps(150)}
    assert scale.caps_of("tickets.csv") == Caps()


def test_what_is_told_of_the_small_scale_beside_printed_figures_is_so() -> None:
    scale, paper = SCALES["small"], resolve(SCALES["paper"].settings)
    config = resolve(scale.settings)
    for words in (
        f"a text has {config.encoder.max_length} tokens at most (printed: {paper.encoder.max_length})",
        f"(printed: {paper.training.max_epochs};",
    ):
        assert words in scale.unlike_paper
    assert (config.training.max_epochs, config.encoder.trainable_layers) == (4, 2)


def test_smoke_caps_everything() -> None:
    for data in (*BENCHMARKS, "tickets.csv"):
        train, test = SCALES["smoke"].caps_of(data)
        assert train is not None
        assert test is not None
        assert train <= 40
        assert test <= 60


def test_each_scale_asks_for_less_than_the_one_before() -> None:
    sizes = [(scale.seeds, resolve(scale.settings).training.max_epochs) for scale in SCALES.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(SCALES)


def test_no_such_scale() -> None:
    assert scale_of("smoke") is SCALES["smoke"]
    with pytest.raises(ConfigError, match=r"'smal' \(did you mean 'small'\?\); choose one of paper, small, smoke"):
        scale_of("smal")
