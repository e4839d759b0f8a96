"""Loading transformers' models without its talk."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back transformers' load report and bars, since a new classifier head is meant to be new here, and the Hub's
    line for every retry: where it cannot be reached, our one sentence says so.
    """
    from huggingface_hub.utils import logging as hub_logging
    from transformers.utils import logging as hf_logging

    verbosity, bars = hf_logging.get_verbosity(), hf_logging.is_progress_bar_enabled()
    hub_verbosity = hub_logging.get_verbosity()
    hf_logging.set_verbosity(logging.CRITICAL)
    hub_logging.set_verbosity(logging.CRITICAL)
    hf_logging.disable_progress_bar()
    try:
        yield
    finally:
        hf_logging.set_verbosity(verbosity)
        hub_logging.set_verbosity(hub_verbosity)
        if bars:
            hf_logging.enable_progress_bar()
