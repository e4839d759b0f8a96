"""Set before PyTorch is imported: tiny models in parallel test processes gain nothing from threads and lose much."""

import gc
import os
from collections.abc import Iterator

os.environ["OMP_NUM_THREADS"] = "1"
# Ray's workers are nice to all others (15), so beside busy test processes they would stand still.
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (spelt so by Ray)

import pytest
from hypothesis import settings

from outside import outside as outside  # a fixture

# The machines are shared: a slow example says nothing about the code.
settings.register_profile("shared machine", deadline=None)
# Whether a change may land must not hang on the examples of the day; whoever works on it gets new ones every time.
settings.register_profile("landing", deadline=None, derandomize=True)
# By hand, for what must hold whatever comes.
settings.register_profile("many", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shared machine"))


def pytest_collection_finish() -> None:
    """What imports made stays to the end: no collection of garbage need look at it, a fifth of a second each time."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def unsynced() -> Iterator[None]:
    """Nobody pulls the plug: waiting for the disk, thousands of times, shows nothing. Commands in processes of their
    own still do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
