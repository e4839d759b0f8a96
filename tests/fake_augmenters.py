"""Augmenters that need nothing, in a file of its own so that worker processes can import it."""

import os
import signal
import time

from sharprecl.errors import AssetError


class Turned:
    """Turns a text round behind its seed; takes ``pause`` seconds a text."""

    name = "turned"
    version = 1
    seeded = True

    def __init__(self, pause=0.0):
        self.pause = pause

    def settings(self):
        return {}

    def augment(self, texts, seed):
        time.sleep(self.pause * len(texts))
        return [f"{seed}{text[::-1]}" for text in texts]


class Faulty(Turned):
    """Cannot be had."""

    def augment(self, texts, seed):
        raise AssetError("there is no network; plug it in")


class Doomed(Turned):
    """Is killed from outside, as by a system without memory."""

    def augment(self, texts, seed):
        os.kill(os.getpid(), signal.SIGKILL)
        return list(texts)


class Telling(Turned):
    """Tells in which process it is."""

    def augment(self, texts, seed):
        return [str(os.getpid()) for _ in texts]


def make_turned(names, protected=(), settings=None):
    """In place of ``make_augmenter``; ``PAUSE`` says how slow."""
    return Turned(float(os.environ.get("PAUSE", "0")))
