"""What a user can mend, said in one sentence that guesses the cause and names the cure.

The command line prints the sentence and exits with status 2, without a traceback; Python callers catch
``SharpReCLError`` or one of its kinds.
"""


class SharpReCLError(Exception):
    """Base of every error whose message is written for the person who runs the program."""


class DataError(SharpReCLError, ValueError):
    """The data cannot be used as it is."""


class NoRowsError(DataError):
    """A table has columns and nothing under them."""


class OutputError(DataError):
    """What was made cannot be written: no room, or no right to write there."""


class ConfigError(SharpReCLError, ValueError):
    """The settings contradict themselves, each other or the data."""


class AssetError(SharpReCLError, OSError):
    """A named encoder, data set or lexicon could not be had, or came damaged."""


class CheckpointError(SharpReCLError, OSError):
    """A checkpoint could not be written or does not belong to this run."""


class DivergedError(SharpReCLError):
    """A training's loss is no longer finite."""


class ExportError(SharpReCLError):
    """The trained model cannot be expressed in the asked form."""


class BlankRowsWarning(UserWarning):
    """Rows without a text or a label were passed over."""


class MissingExtraError(SharpReCLError, ImportError):
    """A feature needs packages that the core installation leaves out."""
