"""Do SharpReCL's prototypes tell the classes apart, and from which step on? Hard-mixup mines by them.

The prototype head reads rows of the classifier, which begin small (standard deviation 0.02), so that at first the
head's biases decide and all prototypes point in nearly the same direction. For the first training steps on TREC at
ratio 50, with the settings of the scale ``small``:

- cosine: between two prototypes, the mean over all pairs. 1 is no spread; -1 / (C - 1) is the most there can be;
- own: share of the texts whose most similar prototype is their own class's, the mean over the classes in the batch;
- shared: of the K texts of third classes that are most similar to one prototype (half of them, where there are fewer
  than 2 K), the share that is so for another prototype too, the mean over all pairs of classes.

    SHARPRECL_MIRROR=.../originals python benchmarks/prototype_spread.py --rows "as it is" "layer-normed rows"
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl import TextClassifier
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import imbalanced_subset
from sharprecl.experiments.scales import scale_of
from sharprecl.methods import sharprecl as method

RESULTS = Path(__file__).parent / "results" / "prototype_spread.jsonl"
ROWS: dict[str, Callable[[Tensor], Tensor]] = {
    "as it is": lambda w_CH: w_CH,
    "layer-normed rows": lambda w_CH: F.layer_norm(w_CH, w_CH.shape[1:]),
}


class EnoughError(Exception):
    """Ends a training from within."""


def spread(g_MM: Tensor, y_M: Tensor, num_classes: int, top_k: int) -> dict[str, float]:
    """The three figures of the module's docstring."""
    g_CN, y_N = g_MM[-num_classes:, :-num_classes], y_M[:-num_classes]
    between_CC = g_MM[-num_classes:, -num_classes:]
    apart = ~torch.eye(num_classes, dtype=torch.bool)
    right_N = (g_CN.argmax(0) == y_N).double()
    shared = []
    for a in range(num_classes):
        for b in range(a):
            third = g_CN[:, (y_N != a) & (y_N != b)]
            k = min(top_k, third.shape[1] // 2)
            if k:
                first, second = (set(third[c].topk(k).indices.tolist()) for c in (a, b))
                shared.append(len(first & second) / k)
    return {
        "cosine": between_CC[apart].mean().item(),
        "own": sum(right_N[y_N == c].mean().item() for c in y_N.unique()) / len(y_N.unique()),
        "shared": sum(shared) / len(shared),
    }


def watch(row: str, seed: int, steps: int) -> list[dict[str, float]]:
    """Train, and take the figures at the head of every step."""
    table = imbalanced_subset(load_benchmark("trec").train, 50)
    config = {**scale_of("small").settings, "method": {"name": "sharprecl"}, "view": "synonyms"}
    taken: list[dict[str, float]] = []
    build, plan = method.SharpReCL.build.__func__, method.plan_synthetic

    def built(cls: type, *arguments: Any) -> Any:
        made = build(cls, *arguments)
        made.prototype_head.register_forward_pre_hook(lambda _, inputs: (ROWS[row](inputs[0]),))
        return made

    def planned(g_MM: Tensor, y_M: Tensor, num_classes: int, n_pos: int, n_neg: int, top_k: int, *rest: Any) -> Any:
        taken.append(spread(g_MM.detach(), y_M, num_classes, top_k))
        if len(taken) == steps:
            raise EnoughError
        return plan(g_MM, y_M, num_classes, n_pos, n_neg, top_k, *rest)

    method.SharpReCL.build = classmethod(built)
    method.plan_synthetic = planned
    try:
        TextClassifier(config=config, random_state=seed).fit(table)
    except EnoughError:
        pass
    finally:
        method.SharpReCL.build = classmethod(build)
        method.plan_synthetic = plan
    return taken


def main() -> None:
    """Print and keep a line for some of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--steps", type=int, default=73)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    for seed in options.seeds:
        for row in options.rows:
            for step, found in enumerate(watch(row, seed, options.steps)):
                if step in (0, 2, 5, 10, 15) or step % 20 == 0 or step % 36 == 0:
                    line = {"date": time.strftime("%Y-%m-%d"), "row": row, "seed": seed, "step": step, **found}
                    with options.output.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(line) + "\n")
                    words = "  ".join(f"{name} {value:6.3f}" for name, value in found.items())
                    print(f"{row:18} seed {seed}  step {step:3}  {words}", flush=True)


if __name__ == "__main__":
    main()
