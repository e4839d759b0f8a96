"""A class added by prototype, without training: its recall and that of the old classes, before and after.

Three classes of Ohsumed, a large, a medium and a rare one, are left out of training in turn and added from 5, 10 and 20
of their texts, five draws each. Judged on the test texts; beside it the training on all 23 classes.

    python benchmarks/add_class.py --train --to results/add_class     # four models, and what they make of all texts
    python benchmarks/add_class.py --from results/add_class           # adds the classes, writes results/add_class.jsonl
    python benchmarks/add_class.py --show                             # the table
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recipe_report import table
from sharprecl import TextClassifier
from sharprecl.adaptation.add_class import Scored, add_classes
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.tables import TextTable
from sharprecl.runs.folder import write_arrays

LOG = Path(__file__).parent / "results" / "add_class.jsonl"
CLASSES = {"C14": "large", "C12": "medium", "C07": "rare"}
NUMBERS, DRAWS, REMEMBERED = (5, 10, 20), 5, 500
SETTINGS = {"encoder": {"max_length": 64}, "training": {"max_epochs": 4, "batch_size": 32, "folds": 0}}


def train(to: Path) -> None:
    """Train what is not there yet, and keep scores and features of all texts."""
    data = load_benchmark("ohsumed")
    for name in (*CLASSES, ""):
        folder = to / (f"without-{name}" if name else "all")
        if not (folder / "sharprecl.json").exists():
            labels = [data.train.label_names[label_id] for label_id in data.train.label_ids]
            rows = [row for row, label in enumerate(labels) if label != name]
            fitted = TextClassifier(config=SETTINGS, random_state=0)
            fitted.fit([data.train.texts[row] for row in rows], [labels[row] for row in rows]).save(folder)
        if not (folder / "texts.npz").exists():
            fitted = TextClassifier.load(folder)
            parts = {part: fitted.scores_and_embeddings(getattr(data, part).texts) for part in ("train", "test")}
            write_arrays(
                folder / "texts.npz", **{f"{part}_{i}": a for part, two in parts.items() for i, a in enumerate(two)}
            )
        print(folder, flush=True)


def scored(folder: Path, part: str, texts: TextTable, names: list[str]) -> Scored:
    """What was kept of all texts; ids in the order of ``names``."""
    with np.load(folder / "texts.npz") as kept:
        s_NC, x_NH = (kept[f"{part}_{i}"].astype(np.float64) for i in (0, 1))
    place = np.array([names.index(name) for name in texts.label_names])
    return Scored(s_NC, x_NH, place[texts.label_ids])


def measure(source: Path) -> list[dict[str, Any]]:
    """One line an addition, in percent; the first of each class is the training on all texts."""
    data, lines = load_benchmark("ohsumed"), []
    today = datetime.now(UTC).date().isoformat()
    for name, size in CLASSES.items():
        folder = source / f"without-{name}"
        if not (folder / "texts.npz").exists():
            continue
        classifier = TextClassifier.load(folder)
        names = [str(label) for label in classifier.classes_] + [name]
        train, test = (scored(folder, part, getattr(data, part), names) for part in ("train", "test"))
        C, common = len(names) - 1, {"date": today, "class": name, "size": size}
        if (source / "all" / "texts.npz").exists():
            whole = scored(source / "all", "test", data.test, list(data.test.label_names))
            right = [(whole.s_NC.argmax(1) == whole.y_N)[test.y_N == c].mean() for c in range(C + 1)]
            number = int((train.y_N == C).sum())
            found = {"new": right[C], "old_before": None, "old_after": np.mean(right[:C])}
            lines.append(common | {"texts": number, "draw": None} | _percent(found))
        for number in NUMBERS:
            for draw in range(DRAWS):
                rng = np.random.default_rng([draw, number])
                new = rng.permutation(np.flatnonzero(train.y_N == C))[:number]
                old = rng.permutation(np.flatnonzero(train.y_N < C))[:REMEMBERED]
                added = add_classes(classifier, [name], train.select(new), train.select(old), test)
                before, after = added.recall
                (row,) = added.new
                taken = sum(row.given_to_new for row in added.old) / sum(row.texts for row in added.old)
                found = {
                    "new": row.judged_found / row.judged_texts,
                    "left_out": row.found_left_out / row.texts,
                    "old_before": before,
                    "old_after": after,
                    "taken": taken,
                }
                lines.append(common | {"texts": number, "draw": draw} | _percent(found))
    return lines


def _percent(shares: dict[str, float | None]) -> dict[str, float | None]:
    return {name: None if share is None else round(100 * float(share), 2) for name, share in shares.items()}


def show(lines: list[dict[str, Any]]) -> str:
    """Means over draws, with the standard deviation of the new class's recall."""
    rows = []
    for name, size in CLASSES.items():
        for number in sorted({line["texts"] for line in lines if line["class"] == name}):
            some = [line for line in lines if (line["class"], line["texts"]) == (name, number)]

            def mean(key: str, some: list[dict[str, Any]] = some) -> str:
                values = [line[key] for line in some if line.get(key) is not None]
                return f"{np.mean(values):.1f}" if values else ""

            spread = f" ± {np.std([line['new'] for line in some]):.1f}" if len(some) > 1 else ""
            how = "trained on all" if some[0]["draw"] is None else "added"
            rows.append(
                [f"{name} ({size})", how, str(number), mean("new") + spread, mean("left_out"), mean("old_before"),
                 mean("old_after"), mean("taken")]
            )  # fmt: skip
    head = ["class", "how", "texts", "recall of the new class", "left-one-out", "old before", "old after", "taken"]
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--to", type=Path, default=Path("results/add_class"))
    parser.add_argument("--from", dest="source", type=Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.train:
        train(given.to)
    if given.source:
        LOG.write_text("".join(json.dumps(line) + "\n" for line in measure(given.source)), encoding="utf-8")
    if given.show or given.source:
        print(show([json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]))


if __name__ == "__main__":
    main()
