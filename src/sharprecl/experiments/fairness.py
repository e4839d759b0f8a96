"""What makes the runs of a plan comparable: as many steps for each, or as many texts read by each encoder."""

from sharprecl.config import RunConfig, Settings, method_settings
from sharprecl.errors import ConfigError
from sharprecl.runs.spec import WORDS

_VIEWS = {"none": 0, "one": 1, "two": 2, "same": 2}


def texts_read(method: str, view: str = "") -> int:
    """How often a method's encoder reads as many texts as there are, each epoch; 0 where no encoder does.

    A second view from the upper layers, a sixth of a text, counts as none.

    Raises:
        ConfigError: there is no such method.
    """
    if method == WORDS:
        return 0
    views = method_settings(method).views
    return 1 if views == "two" and view == "upper" else _VIEWS[views]


def only_heeded(method: str, settings: Settings) -> Settings:
    """Settings common to a plan, without those that say nothing to a method that takes no training steps.

    Where the others choose the epoch on test texts, and so train on all texts, it has all of them too.
    """
    kind = method_settings(method)
    kept = {key: value for key, value in settings.items() if key not in kind.ignores}
    for section in kind.ignores:
        heeded = {key: value for key, value in settings.get(section, {}).items() if key in kind.heeds}
        kept[section] = {key: "last" if value == "test" else value for key, value in heeded.items()}
    return kept


def check_fair(config: RunConfig) -> None:
    """See that an encoder's run makes as many steps as all others of its plan.

    Raises:
        ConfigError: it could stop early, or trains by settings of its method's own.
    """
    if config.profile == "official":
        raise ConfigError("profile: 'official' trains each method its own way; use matched, or paper")
    if config.training.patience is not None:
        raise ConfigError(
            "training.patience: a run that stops early makes fewer steps than others; set it to null, "
            "or take the profile matched"
        )


def longer(config: RunConfig, times: int) -> RunConfig:
    """The same run over so many times the epochs.

    Raises:
        ConfigError: how many there are is left to the number of texts.
    """
    epochs = config.training.max_epochs
    if epochs == "auto":
        raise ConfigError("equal tokens need a number of epochs to multiply; set training.max_epochs in settings")
    training = config.training.model_copy(update={"max_epochs": epochs * times})
    return config.model_copy(update={"training": training})
