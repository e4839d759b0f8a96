"""``python -m sharprecl.training.worker RANK NUMBER PORT DEVICE``: a further process of a training."""

import os
import signal
import sys

from sharprecl.errors import SharpReCLError
from sharprecl.training.launch import work

if __name__ == "__main__":
    # Ctrl-C reaches the first process too, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rank, number, port, device = sys.argv[1:]
    try:
        work(int(rank), int(number), int(port), device)
    except SharpReCLError as error:
        sys.exit(f"sharprecl: process {rank}: {error}")
    # Threads of PyTorch's store may still be there, which an orderly end does not survive.
    os._exit(0)
