"""The training settings under which methods made for images meet a pretrained text encoder."""

from typing import Any

IMAGE_TRAINING: dict[str, Any] = {
    "max_epochs": 30,
    "batch_size": 128,
    "learning_rate": 5e-5,
    "head_learning_rate": 5e-5,
    "weight_decay": 5e-4,
    "patience": None,
}
"""Their own SGD, with rates of 0.05 to 10 over hundreds of epochs, would destroy the encoder. These are AdamW's
rates, batch and epochs of the SharpReCL paper's comparison, in which these methods ran on BERT; warm-up, linear decay
and clipping stay this package's."""
