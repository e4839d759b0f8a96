"""Set before PyTorch is imported: tiny models in parallel test processes gain nothing from threads and lose much."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import settings

# The machines are shared: a slow example says nothing about the code.
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")
