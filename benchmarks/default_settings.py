"""Which defaults does validation data choose? Anchor weight, mu and temperature of SharpReCL, beside two references.

From training files alone: a fifth of the training texts, in their natural distribution, judges; the rest is thinned
(TREC and CR to the exponential profile at imbalance ratio 50, R52 to at most 60 texts a class, as in the demo) and
trains. Test files are never opened.

    SHARPRECL_MIRROR=.../originals python benchmarks/default_settings.py --seeds 0 1 --epochs 10
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl import TextClassifier
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.tables import TextTable, read_table
from sharprecl.evaluation.judge import evaluate

FILES = {
    "trec": "KEAML-JLU/SharpReCL/363d557fe7fa3cd9c395dfb995d74a626b26387a/data/TREC_Train_aug.json",
    "cr": "hiyouga/Dual-Contrastive-Learning/19cb149090f506eff5190bbef126583bad21963b/data/CR_Train.json",
}
CANDIDATES: dict[str, dict[str, Any]] = {
    "cross_entropy": {"method": {"name": "cross_entropy"}},
    "compensation only": {"method": {"mu": 0.0}},
    "compensation only, dropout view": {"method": {"mu": 0.0}, "view": "dropout"},
    "none": {"method": {"anchor_weight": "none"}},
    "neg_log_prior": {"method": {"anchor_weight": "neg_log_prior"}},
    "effective_number": {"method": {"anchor_weight": "effective_number"}},
    "none, mu 0.3": {"method": {"anchor_weight": "none", "mu": 0.3}},
    "none, mu 0.3, dropout view": {"method": {"anchor_weight": "none", "mu": 0.3}, "view": "dropout"},
    "none, mu 0.1": {"method": {"anchor_weight": "none", "mu": 0.1}},
    "none, mu 0.3, tau 0.1": {"method": {"anchor_weight": "none", "mu": 0.3, "temperature": 0.1}},
    "none, mu 0.3, tau 1": {"method": {"anchor_weight": "none", "mu": 0.3, "temperature": 1.0}},
    "neg_log_prior, mu 0.3": {"method": {"anchor_weight": "neg_log_prior", "mu": 0.3}},
}


def load(name: str, ratio: float, seed: int) -> tuple[TextTable, TextTable]:
    """The thinned training part, and the judging part in the natural distribution."""
    if name == "r52":
        table = load_benchmark("r52").train
    else:
        rows = json.loads((Path(os.environ["SHARPRECL_MIRROR"]) / FILES[name]).read_text(encoding="utf-8"))
        table = read_table(([row["text"] for row in rows], [row["label"] for row in rows]))
    rest, judging = stratified_split(table.label_ids, 0.2, seed, text_groups(table.texts))
    train = table.select(rest)
    if name == "r52":
        return cap_per_class(train, 60, seed), table.select(judging)
    counts = train.class_counts
    rng = np.random.Generator(np.random.PCG64(seed))
    kept = []
    for rank, label in enumerate(np.argsort(-counts, kind="stable")):
        target = int(counts.max() * ratio ** (-rank / (len(counts) - 1)))
        members = np.flatnonzero(train.label_ids == label)
        kept += rng.permutation(members)[:target].tolist()
    return train.select(sorted(kept)), table.select(judging)


def main() -> None:
    """Train every candidate and print the figures of the judging part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["r52", *FILES], choices=["r52", *FILES])
    parser.add_argument("--candidates", nargs="+", default=list(CANDIDATES), choices=list(CANDIDATES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--ratio", type=float, default=50.0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "default_settings.jsonl")
    options = parser.parse_args()
    options.output.parent.mkdir(exist_ok=True)
    for seed in options.seeds:
        for data in options.data:
            train, judging = load(data, options.ratio, seed)
            for candidate in options.candidates:
                started = time.monotonic()
                training = {"select_on": "last", "max_epochs": options.epochs}
                config = {**CANDIDATES[candidate], "training": training, "encoder": {"max_length": 64}}
                classifier = TextClassifier(config=config, random_state=seed).fit(train)
                answers = classifier.scores(judging.texts).argmax(1)
                found = evaluate(judging.label_ids, answers, train.class_counts, judging.label_names, n_bootstrap=1)
                line = {
                    "date": time.strftime("%Y-%m-%d"),
                    "data": data,
                    "candidate": candidate,
                    "seed": seed,
                    "epochs": options.epochs,
                    "macro_f1": found.macro_f1,
                    "accuracy": found.accuracy,
                    "seconds": time.monotonic() - started,
                }
                with options.output.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(line) + "\n")
                print(f"{data:5} seed {seed}  {candidate:32} macro-F1 {100 * found.macro_f1:5.1f}  "
                      f"accuracy {100 * found.accuracy:5.1f}  {line['seconds']:.0f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
