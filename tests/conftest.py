"""Set before PyTorch is imported: tiny models in parallel test processes gain nothing from threads and lose much."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
