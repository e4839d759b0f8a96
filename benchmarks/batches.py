"""Random batches whose rows are packed, against padded ones and against batches cut from texts sorted by length.

Two things are wanted of a batch: little padding, and that texts meet whoever chance gives them, whatever their length.
Prints for each data set and batch size the share of padding, how many different texts a rare text (of a class with
under 60) meets in six epochs as a share of what shuffling gives, and the time of a step as a ratio, all ways one after
the other in one run. Appends dated JSON lines beside this file.

    SHARPRECL_MIRROR=... python benchmarks/batches.py [--no-times]
"""

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch

from sharprecl.assets import resolve_encoder
from sharprecl.data.batches import Index, ShuffledBatches
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.data.packing import lay_out
from sharprecl.data.tokens import TokenizedTexts, tokenize
from sharprecl.models import stock
from sharprecl.models.backbone import open_backbone

LOG = Path(__file__).parent / "results" / "batches.jsonl"
EPOCHS, RARE, TIMED = 6, 60, 24


def sorted_batches(lengths: Index, size: int, epoch: int) -> list[Index]:
    """Texts shuffled, sorted by length, cut into full batches."""
    order = np.random.default_rng(epoch).permutation(len(lengths))
    order = order[np.argsort(-lengths[order], kind="stable")]
    return [order[start : start + size] for start in range(0, len(order), size)]


def partners(epochs: list[list[Index]], rows: Index) -> float:
    """Mean number of different texts that these rows meet."""
    met = {row: set() for row in rows.tolist()}
    for batches in epochs:
        for batch in batches:
            for row in set(batch.tolist()) & met.keys():
                met[row].update(batch.tolist())
    return float(np.mean([len(found) - 1 for found in met.values()]))


def padding(tokens: TokenizedTexts, batches: list[Index], packed: bool, mixed: bool) -> float:
    """Share of padding. Batches that are not mixed are padded in one forward."""
    if not packed and not mixed:
        widest = sum(int(tokens.lengths[batch].max()) * len(batch) for batch in batches)
        return 1 - sum(int(tokens.lengths[batch].sum()) for batch in batches) / widest
    sheets = [sheet for batch in batches for sheet in lay_out([(tokens, batch)], 0, packed)]
    return 1 - sum(sheet.tokens for sheet in sheets) / sum(sheet.text_RT.numel() for sheet in sheets)


def seconds(step: Callable[[Index], None], batches: list[Index]) -> float:
    """Time of some steps."""
    began = time.perf_counter()
    for batch in batches:
        step(batch)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-times", action="store_true")
    arguments = parser.parse_args()
    source = resolve_encoder("minilm", print)
    tokenizer = stock.load_tokenizer(source)
    tables = {
        "TREC at 50": (load_benchmark("trec", ir=50).train, 256),
        "Ohsumed": (load_benchmark("ohsumed").train, 256),
        "R52 at 60, 64 tokens": (cap_per_class(load_benchmark("r52").train, 60, 0), 64),
        "R52 at 60, 256 tokens": (cap_per_class(load_benchmark("r52").train, 60, 0), 256),
    }
    for name, (table, max_length) in tables.items():
        tokens = tokenize(table.texts, tokenizer, max_length)
        rare = np.flatnonzero(table.class_counts[table.label_ids] < RARE)
        for size in (32, 64):
            shuffled = ShuffledBatches(len(table), size, 0)
            random = [shuffled.epoch(epoch) for epoch in range(EPOCHS)]
            alike = [sorted_batches(tokens.lengths, size, epoch) for epoch in range(EPOCHS)]
            row = {
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "data": name,
                "batch": size,
                "padding": {
                    "random, one text a row": round(padding(tokens, random[0], False, False), 4),
                    "random, packed": round(padding(tokens, random[0], True, True), 4),
                    "sorted": round(padding(tokens, alike[0], False, False), 4),
                },
                "partners": {"random": round(partners(random, rare), 1), "sorted": round(partners(alike, rare), 1)},
            }
            if not arguments.no_times:
                row["step_time_over_sorted"] = times(source, tokens, random[0], alike[0], table.label_names)
            with LOG.open("a") as log:
                log.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


def times(
    source: str, tokens: TokenizedTexts, random: list[Index], alike: list[Index], names: tuple[str, ...]
) -> dict[str, float]:
    """Median over three rounds of the time of some steps, over that of sorted batches."""
    backbone = open_backbone(source, names, "mean").train()
    optimizer = torch.optim.AdamW(backbone.parameters(), lr=1e-6, fused=True)

    def step(batch: Index, packed: bool) -> None:
        with torch.autocast("cpu", torch.bfloat16):
            for sheet in lay_out([(tokens, batch)], 0, packed):
                features = backbone.forward_views(sheet.input_ids, sheet.text_RT)
                features.s_NC.logsumexp(1).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    rng = np.random.default_rng(0)
    few = [batches[i] for batches in (alike,) for i in rng.permutation(len(alike))[:TIMED]]
    texts = sum(map(len, few))
    rounds = []
    for _ in range(3):
        base = seconds(lambda batch: step(batch, False), few) / texts
        packed = seconds(lambda batch: step(batch, True), random[:TIMED]) / sum(map(len, random[:TIMED]))
        rounds.append(packed / base)
    return {"random, packed": round(float(np.median(rounds)), 3)}


if __name__ == "__main__":
    main()
