"""How much of an experiment is run: as printed, on a small machine, or only to see that everything works."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError

ScaleName = Literal["paper", "small", "smoke"]


class Caps(NamedTuple):
    """Most training texts a class, and most test texts; None leaves all."""

    train: int | None = None
    test: int | None = None


_ALL = Caps()


@dataclass(frozen=True)
class Scale:
    """One size of every plan. Its name stands on everything that a run produces.

    Attributes:
        settings: as ``profiles.resolve`` takes them, below those of the plan.
        seeds: how many, counted from 0.
        caps: by the name of a benchmark, and ``usual_caps`` for all other data. Training texts are capped before they
            are thinned to an imbalance ratio, so that a cap does not flatten what the ratio makes steep.
        unlike_paper: what explains differences from printed figures, beside caps, as sentences.
    """

    name: ScaleName
    settings: Mapping[str, Any]
    seeds: int
    caps: Mapping[str, Caps] = field(default_factory=dict)
    usual_caps: Caps = _ALL
    unlike_paper: str = ""

    def caps_of(self, data: str) -> Caps:
        """The caps of a benchmark or a file."""
        return self.caps.get(data, self.usual_caps)


# As printed: AdamW 5e-5 with decay 5e-4, batches of 128, 30 epochs, of which the profile knows; ten runs.
_PAPER = Scale(
    name="paper",
    settings={
        "profile": "paper",
        "view": "synonyms",
        "encoder": {"name": "bert-base-uncased", "max_length": 256},
    },
    seeds=10,
)

# The package's recipe for all rows. The two upper layers of six: two fifths of the time, and no worse where it was
# measured (docs/speed.md). The learning rates follow the encoder's width: 2e-4, and 1e-3 for everything new.
_SMALL = Scale(
    name="small",
    settings={
        "profile": "matched",
        "encoder": {"name": "minilm", "max_length": 64, "trainable_layers": 2, "answer_precision": "auto"},
        "training": {"max_epochs": 4, "batch_size": 32},
    },
    seeds=3,
    caps={"r52": Caps(60), "dblp": Caps(1000, 4000), "biomedical": Caps(150)},
    unlike_paper=(
        "At the scale small the encoder is MiniLM-L6 with two of its six layers trained, a text has 64 tokens at most "
        "(printed: 256), and the last of four epochs is taken (printed: 30; the published code takes the best on test "
        "texts)."
    ),
)

# The figures mean nothing. The fewer classes, the more texts each may have: some rare ones must be left when thinned.
_SMOKE = Scale(
    name="smoke",
    settings={
        "profile": "matched",
        "encoder": {"name": "minilm", "max_length": 16, "trainable_layers": 2},
        "training": {"max_epochs": 1, "batch_size": 32},
    },
    seeds=2,
    caps={"r52": Caps(2, 60), "ohsumed": Caps(4, 60), "biomedical": Caps(4, 60)},
    usual_caps=Caps(40, 60),
    unlike_paper="The scale smoke only shows that everything works; its figures mean nothing.",
)

SCALES: Mapping[ScaleName, Scale] = {scale.name: scale for scale in (_PAPER, _SMALL, _SMOKE)}
"""All scales by name, the largest first."""


def scale_of(name: str) -> Scale:
    """The scale called ``name``.

    Raises:
        ConfigError: there is none.
    """
    for scale in SCALES.values():
        if scale.name == name:
            return scale
    known = get_args(ScaleName)
    raise ConfigError(f"there is no scale {name!r}{closest(name, known)}; choose one of {', '.join(known)}")
