"""The base of every method's settings, and what is known of a method without running it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sharprecl.config.base import Frozen
from sharprecl.config.space import Space

Views = Literal["none", "one", "two", "same"]
"""Rows of features a text: one; two, the second from ``view``; the same text twice (dropout differs); or none, where no
encoder of ours reads the texts."""


class MethodConfig(Frozen):
    """Base of every method's section; ``name`` says which one it is."""

    implementation: ClassVar[str]
    """Where the method's class is, as ``module:Class``; imported only when a run begins. Of a method from outside this
    is known already, from its name."""
    backend: ClassVar[str] = "sharprecl.export.encoder:EncoderBackend"
    """What trains it and reads it back, a ``sharprecl.export.predictor.Backend``, as ``module:Class``."""
    official: ClassVar[Mapping[str, Any]] = {}
    """Settings of the source's own experiments, merged in by the profile ``official``; empty where it has none."""
    search: ClassVar[Space] = {}
    """What 'sharprecl tune' tries of these settings, by their names; few enough for some forty trials. Not how far the
    prior is compensated: held-out folds are as skewed as the training texts and always ask for less."""
    views: ClassVar[Views] = "one"
    trains_encoder: ClassVar[bool] = True
    """Whether steps on a loss train the encoder; if not, it reads every text once, or there is none."""
    ignores: ClassVar[tuple[str, ...]] = ()
    """Sections of the configuration that change nothing; a setting in them that is not at its default is refused."""
    heeds: ClassVar[tuple[str, ...]] = ()
    """Settings in these sections that count all the same."""
    ignores_because: ClassVar[str] = ""
    more_than_a_loss: ClassVar[str] = ""
    """Why ``MethodLoss`` cannot be this method; empty where it can."""
    no_weights_because: ClassVar[str] = ""
    """Why texts cannot have weights; empty where they can."""
    permissions: ClassVar[frozenset[str]] = frozenset()
    """Fields that allow something for one run and decide nothing: they are never written down, nor taken over."""

    name: str = Field("", description="the method's name")

    @classmethod
    def heeds_setting(cls, section: str, name: str = "") -> bool:
        """Whether a setting of a section, or the whole section, changes anything for this method."""
        return section not in cls.ignores or name in cls.heeds
