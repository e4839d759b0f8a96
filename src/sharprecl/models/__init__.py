"""Encoders: a stock Hugging Face classifier, opened at its last linear layer, and what is read from it.

``open_backbone`` loads one with a fresh head; a ``Backbone`` gives ``Features`` (features, logits, class weights) of a
batch. Projection heads are for contrastive losses. What depends on the inside of transformers is in ``models.stock``.
"""

from sharprecl.models.backbone import Backbone, open_backbone
from sharprecl.models.features import Features, Reading
from sharprecl.models.heads import ProjectionHead

__all__ = ["Backbone", "Features", "ProjectionHead", "Reading", "open_backbone"]
