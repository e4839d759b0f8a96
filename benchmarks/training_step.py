"""What share of a training step the loss and its rebalancing take: MiniLM, B = 128 (two views), C = 52.

In alternation: the encoder's forward and backward with a trivial loss, and SharpReCL's loss alone, forward and backward
from fixed features. Prints a table and appends dated JSON lines to results/training_step.jsonl.

    python benchmarks/training_step.py --tokens 16 64 --repeats 5
"""

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

import numpy as np
import torch

from sharprecl.assets import resolve_encoder
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.methods.base import Batch, Features, Progress
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.backbone import Backbone, open_backbone

BATCH, CLASSES = 128, 52


def encoder_step(backbone: Backbone, ids_NT: torch.Tensor) -> float:
    """Seconds of a forward and backward without any of the method's work."""
    started = time.perf_counter()
    with torch.autocast("cpu", torch.bfloat16):
        features = backbone(ids_NT, torch.ones_like(ids_NT))
    features.s_NC.sum().backward()
    return time.perf_counter() - started


def loss_step(method: SharpReCL, backbone: Backbone, x_NH: torch.Tensor, y_B: torch.Tensor) -> float:
    """Seconds of the loss and its backward to features and heads."""
    started = time.perf_counter()
    x_NH = x_NH.detach().requires_grad_()
    features = Features(x_NH, backbone.classifier(x_NH), backbone.classifier.weight)
    method.loss(Batch(y_B, 2), features, Progress(50, 100, 0, 1))["total"].backward()
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", nargs="+", type=int, default=[16, 64])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    torch.manual_seed(0)
    backbone = open_backbone(resolve_encoder("minilm"), tuple(map(str, range(CLASSES))), "mean").train()
    method = SharpReCL.build(backbone, np.full(CLASSES, 20), SharpReCLConfig(), 0)
    y_B = torch.randint(CLASSES, (BATCH,))
    output = Path(__file__).parent / "results" / "training_step.jsonl"
    print(f"{'tokens':>6} {'encoder s':>10} {'loss ms':>8} {'share %':>8}")
    for tokens in options.tokens:
        ids_NT = torch.randint(1000, 20000, (2 * BATCH, tokens))
        x_NH = torch.randn(2 * BATCH, backbone.feature_dim)
        pairs = []
        for repeat in range(options.repeats + 1):
            pair = encoder_step(backbone, ids_NT), loss_step(method, backbone, x_NH, y_B)
            if repeat:  # the first one warms up
                pairs.append(pair)
        encoder, loss = (statistics.median(column) for column in zip(*pairs, strict=True))
        share = statistics.median(loss / (loss + encoder) for encoder, loss in pairs)
        print(f"{tokens:6} {encoder:10.3f} {1000 * loss:8.2f} {100 * share:8.2f}")
        line = {
            "date": time.strftime("%Y-%m-%d"),
            "tokens": tokens,
            "batch": BATCH,
            "classes": CLASSES,
            "encoder_seconds": encoder,
            "loss_seconds": loss,
            "loss_share": share,
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
            "python": platform.python_version(),
        }
        with output.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
