"""How long the contrastive loss and its rebalancing take: in Gram space, and by a loop over the classes.

Both take the same unit vectors of D-hat and the same settings (n_pos = 10, n_neg = 500, k = 20, ratio 0.75, two
views) and are timed in alternation, forward and backward, from the vectors to their gradient. The loop is the oracle
of the tests: within a class it is one tensor operation a step, so it is the loop that is measured, not Python's
handling of single samples. Prints a table and appends dated JSON lines beside this file.

    python benchmarks/rebalancing.py --repeats 30
"""

import argparse
import importlib.util
import json
import platform
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.rebalance.similarity import synthetic_similarity
from sharprecl.rebalance.synthetic import plan_synthetic

HERE = Path(__file__).parent
N_POS, N_NEG, TOP_K, RATIO, TEMPERATURE = 10, 500, 20, 0.75, 0.3


def load_oracle() -> Callable[..., Tensor]:
    spec = importlib.util.spec_from_file_location("oracles", HERE.parent / "tests" / "oracles.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.sharprecl_by_class


def problem(batch: int, num_classes: int, dim: int) -> tuple[Tensor, Tensor]:
    """Random directions; labels long-tailed, class c as frequent as 1 / (c + 1)."""
    generator = torch.Generator().manual_seed(0)
    frequency = 1 / torch.arange(1, num_classes + 1)
    y_B = torch.multinomial(frequency, batch, replacement=True, generator=generator)
    y_M = torch.cat([y_B, y_B, torch.arange(num_classes)])
    return torch.randn(len(y_M), dim, generator=generator), y_M


def gram(x_MD: Tensor, y_M: Tensor, num_classes: int, generator: torch.Generator) -> Tensor:
    g_MM = x_MD @ x_MD.T
    plan = plan_synthetic(g_MM, y_M, num_classes, N_POS, N_NEG, TOP_K, RATIO, 0.5, generator)
    return prototype_contrastive(g_MM, synthetic_similarity(g_MM, plan, y_M), y_M, N_POS, TEMPERATURE)


def loop(x_MD: Tensor, y_M: Tensor, num_classes: int, generator: torch.Generator) -> Tensor:
    u_3CS = torch.rand(3, num_classes, N_POS + N_NEG, generator=generator, dtype=torch.float64)
    return ORACLE(x_MD, y_M, num_classes, u_3CS, N_POS, TOP_K, RATIO, TEMPERATURE)


ORACLE = load_oracle()


def milliseconds(way: Callable[..., Tensor], raw_MD: Tensor, y_M: Tensor, num_classes: int) -> tuple[float, float]:
    """Time of one forward and backward, and the loss."""
    raw_MD = raw_MD.clone().requires_grad_()
    generator = torch.Generator().manual_seed(1)
    start = time.perf_counter()
    loss = way(F.normalize(raw_MD, dim=1), y_M, num_classes, generator).mean()
    loss.backward()
    return (time.perf_counter() - start) * 1e3, loss.item()


def measure(batch: int, num_classes: int, dim: int, repeats: int, with_loop: bool) -> dict[str, float | None]:
    raw_MD, y_M = problem(batch, num_classes, dim)
    ways = {"gram": gram, "loop": loop} if with_loop else {"gram": gram}
    times: dict[str, list[float]] = {name: [] for name in ways}
    losses = {}
    for turn in range(repeats + 3):
        for name, way in ways.items():
            spent, losses[name] = milliseconds(way, raw_MD, y_M, num_classes)
            if turn >= 3:  # The first turns fill caches and start threads.
                times[name].append(spent)
    if with_loop and abs(losses["gram"] - losses["loop"]) > 1e-4:
        raise SystemExit(f"the two disagree at C = {num_classes}: {losses}")
    median = {name: statistics.median(values) for name, values in times.items()}
    return {
        "classes": num_classes,
        "gram_ms": round(median["gram"], 3),
        "loop_ms": round(median["loop"], 3) if with_loop else None,
        "ratio": round(median["loop"] / median["gram"], 2) if with_loop else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=128, help="texts in a batch")
    parser.add_argument("--dim", type=int, default=100, help="width of the projection")
    parser.add_argument("--repeats", type=int, default=30, help="alternating runs; medians are printed")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "rebalancing.jsonl")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    common = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "batch": args.batch,
        "dim": args.dim,
        "repeats": args.repeats,
        "threads": args.threads,
        "torch": torch.__version__,
        "machine": platform.machine(),
    }
    print(f"B = {args.batch}, {args.threads} threads, medians of {args.repeats} alternating runs, forward + backward")
    print(f"{'C':>5} {'Gram ms':>9} {'loop ms':>9} {'ratio':>7}")
    with args.output.open("a", encoding="utf-8") as stream:
        for num_classes in (2, 6, 23, 52, 1000):
            row = measure(args.batch, num_classes, args.dim, args.repeats, with_loop=num_classes < 1000)
            shown = [f"{row[key]:.2f}" if row[key] is not None else "-" for key in ("gram_ms", "loop_ms", "ratio")]
            print(f"{num_classes:>5} {shown[0]:>9} {shown[1]:>9} {shown[2]:>7}", flush=True)
            stream.write(json.dumps(common | row) + "\n")


if __name__ == "__main__":
    main()
