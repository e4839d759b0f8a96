"""Do hard samples enlarge the gradients, as the paper derives? Measured while SharpReCL as printed trains.

At some steps the contrastive loss of the batch is taken twice more, with the same vectors and other synthetic samples:
all of them simply sampled, and all of them hard mixtures. For both, the norm of the loss's gradient with respect to
each text's vector on the sphere (what encoder and head receive), a mean over the texts of the batch, and over those of
classes with fewer training texts than the mean class. The training itself is not touched.

    SHARPRECL_MIRROR=.../originals python benchmarks/hard_gradients.py --columns trec@50 cr@50 --seeds 0 1 2
    python benchmarks/hard_gradients.py --show
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from pair_ratio_figures import STYLE
from sharprecl import TextClassifier
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import imbalanced_subset
from sharprecl.experiments.plan_file import load_plan
from sharprecl.losses import reducers
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.methods import sharprecl as method
from sharprecl.rebalance.similarity import synthetic_similarity
from sharprecl.rebalance.synthetic import plan_synthetic
from sharprecl.report.svg import BLUE, ORANGE

RESULTS = Path(__file__).parent / "results" / "hard_gradients.jsonl"
FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "hard_gradients.svg"
SHARES = {"simple": 0.0, "hard": 1.0}
SIGNS = {"simple": ("simply sampled", BLUE), "hard": ("hard-mixup", ORANGE)}
Line = dict[str, Any]


def norms(model: method.SharpReCL, x_MD: Tensor, y_M: Tensor, share: float) -> Tensor:
    """The gradient's norm of each vector, [M], where such a share of the synthetic samples is mixed."""
    config = model.config
    x_MD = x_MD.detach().requires_grad_()
    g_MM = x_MD @ x_MD.T
    draws = torch.Generator().manual_seed(0)
    numbers = (len(model.log_prior_C), config.n_pos, config.n_neg, config.top_k)
    plan = plan_synthetic(g_MM, y_M, *numbers, share, config.mixup_alpha, draws)
    t_MS = synthetic_similarity(g_MM, plan, y_M)
    l_M = prototype_contrastive(g_MM, t_MS, y_M, config.n_pos, config.temperature, config.positives)
    (d_MD,) = torch.autograd.grad(reducers.mean(model.weight_C[y_M] * l_M), x_MD)
    return d_MD.norm(dim=1)


def watch(column: str, seed: int, every: int) -> list[Line]:
    """Train, and measure every so many steps."""
    name, _, ratio = column.partition("@")
    table = imbalanced_subset(load_benchmark(name).train, float(ratio))
    jobs = load_plan("main").jobs("small", rows=["as printed"], columns=[column], seeds=[seed])
    taken: list[Line] = []
    original = method.SharpReCL._contrastive

    def watched(self: method.SharpReCL, batch: Any, x_NH: Tensor, w_CH: Tensor, progress: Any) -> Tensor:
        if progress.step % every == 0:
            with torch.no_grad():
                x_MD = torch.cat([self.feature_head(x_NH), self.prototype_head(w_CH)]).float()
            y_M = torch.cat([batch.y_N, torch.arange(len(w_CH))])
            prior_C = self.log_prior_C.exp()
            rare_N = (prior_C < prior_C.mean())[batch.y_N]
            line: Line = {"step": progress.step}
            for kind, share in SHARES.items():
                with torch.enable_grad(), torch.autocast("cpu", enabled=False):
                    norm_N = norms(self, x_MD, y_M, share)[: len(x_NH)]
                line[kind] = norm_N.mean().item()
                line[f"{kind}_rare"] = norm_N[rare_N].mean().item() if rare_N.any() else float("nan")
            taken.append(line)
        return original(self, batch, x_NH, w_CH, progress)

    method.SharpReCL._contrastive = watched
    try:
        TextClassifier(config=dict(jobs[0].spec.settings), random_state=seed).fit(table)
    finally:
        method.SharpReCL._contrastive = original
    return taken


def by_thirds(column: str, own: list[Line]) -> None:
    """Print means over thirds of the training."""
    for part, chosen in enumerate(np.array_split(sorted({line["step"] for line in own}), 3), 1):
        some = [line for line in own if line["step"] in chosen]
        mean = {
            kind: np.nanmean([line[kind] for line in some]) for kind in ("simple", "hard", "simple_rare", "hard_rare")
        }
        print(
            f"{column} third {part}: simple {mean['simple']:.2e}, hard {mean['hard']:.2e}, ratio "
            f"{mean['hard'] / mean['simple']:.2f}; rare classes {mean['hard_rare'] / mean['simple_rare']:.2f}"
        )


def draw(by_column: dict[str, list[Line]]) -> Figure:
    """The norms over the steps: mean, least and greatest of the seeds."""
    figure = Figure(figsize=(4 * len(by_column), 3))
    panels = figure.subplots(1, len(by_column), squeeze=False)[0]
    for axes, (column, own) in zip(panels, by_column.items(), strict=True):
        steps = sorted({line["step"] for line in own})
        for kind, (label, colour) in SIGNS.items():
            norms_PS = np.array([[line[kind] for line in own if line["step"] == step] for step in steps])
            axes.plot(steps, norms_PS.mean(axis=1), color=colour, label=label)
            axes.fill_between(steps, norms_PS.min(axis=1), norms_PS.max(axis=1), color=colour, alpha=0.2, linewidth=0)
        axes.set_title(column)
        axes.set_xlabel("step")
        axes.set_ylim(0)
    panels[0].set_ylabel("gradient norm of a text's vector")
    panels[0].legend()
    return figure


def main() -> None:
    """Measure and keep, or show what was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", default=["trec@50", "cr@50"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--every", type=int, default=6)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if not options.show:
        for column in options.columns:
            for seed in options.seeds:
                found = watch(column, seed, options.every)
                with RESULTS.open("a", encoding="utf-8") as stream:
                    for line in found:
                        kept = {"date": time.strftime("%Y-%m-%d"), "column": column, "seed": seed, **line}
                        stream.write(json.dumps(kept) + "\n")
    by_column: dict[str, list[Line]] = {}
    for line in map(json.loads, RESULTS.read_text("utf-8").splitlines()):
        by_column.setdefault(line["column"], []).append(line)
    for column, own in by_column.items():
        by_thirds(column, own)
    with matplotlib.rc_context(STYLE):
        draw(by_column).savefig(FIGURE, metadata={"Date": None, "Creator": None}, facecolor="white")


if __name__ == "__main__":
    main()
