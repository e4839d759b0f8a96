"""``TextClassifier``: the whole library behind scikit-learn's face.

``parameters`` are its constructor's, ``given`` takes what is called X and y, ``training`` trains and decides,
``answering`` holds all that a fitted one tells of texts, ``text_classifier`` puts them together.
"""

from sharprecl.classifier.text_classifier import TextClassifier
from sharprecl.classifier.training import backend_of

__all__ = ["TextClassifier", "backend_of"]
