"""False alarms and power of ``sharprecl drift``: R52 without six classes, and texts of its stream or not.

Test texts are cut in two halves at random: 500 of one are remembered, new ones are drawn from the other and mixed with
texts that do not belong there. An alarm is any one of the tests, which share a level of 5 %.

    python benchmarks/drift.py --train --to results/drift    # the model, and what it makes of all texts
    python benchmarks/drift.py --from results/drift          # writes results/drift.jsonl
    python benchmarks/drift.py --show                        # the table
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recipe_report import table
from sharprecl import TextClassifier
from sharprecl.adaptation.drift import FACTS, Stream, find_drift
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.runs.folder import write_arrays

LOG = Path(__file__).parent / "results" / "drift.jsonl"
LEFT_OUT = ("coffee", "trade", "cpi", "tin", "heat", "gold")
SETTINGS = {"encoder": {"max_length": 64}, "training": {"max_epochs": 4, "batch_size": 32, "folds": 0}}
REMEMBERED, SAME, EACH = 500, 200, 15
GERMAN = (
    ("Der Vorstand", "Die Regierung", "Das Unternehmen", "Ein Sprecher", "Die Zentralbank", "Der Minister"),
    ("hat gestern", "wird im Herbst", "hat nach langen Gesprächen", "will noch in diesem Jahr", "hat überraschend"),
    ("die Preise für Getreide erhöht", "den Haushalt gekürzt", "die Übernahme abgelehnt", "neue Zölle angekündigt"),
    ("wie aus Kreisen der Branche verlautete", "teilte die Behörde mit", "obwohl Fachleute davor gewarnt hatten"),
)


def german() -> list[str]:
    """240 different sentences."""
    return [
        f"{who} {when} {what}, {how}."
        for who in GERMAN[0]
        for when in GERMAN[1]
        for what in GERMAN[2]
        for how in GERMAN[3]
    ]


def train(to: Path) -> None:
    """Train the classifier, and keep what it makes of all texts."""
    data = load_benchmark("r52")
    capped = cap_per_class(data.train, 60, seed=0)
    if not (to / "sharprecl.json").exists():
        labels = [capped.label_names[label_id] for label_id in capped.label_ids]
        rows = [row for row, label in enumerate(labels) if label not in LEFT_OUT]
        fitted = TextClassifier(config=SETTINGS, random_state=0)
        fitted.fit([capped.texts[row] for row in rows], [labels[row] for row in rows]).save(to)
    classifier = TextClassifier.load(to)
    kinds = {"r52": data.test.texts, "trec": load_benchmark("trec").test.texts, "german": german()}
    for name, texts in kinds.items():
        write_arrays(to / f"{name}.npz", **vars(Stream.of(classifier, texts)))


def select(stream: Stream, rows: np.ndarray) -> Stream:
    """Some of the texts."""
    return Stream(**{name: value[rows] for name, value in vars(stream).items()})


def joined(one: Stream, other: Stream) -> Stream:
    """The texts of both."""
    return Stream(**{name: np.concatenate([value, vars(other)[name]]) for name, value in vars(one).items()})


def measure(source: Path) -> list[dict[str, Any]]:
    """One line a comparison."""
    classifier, data = TextClassifier.load(source), load_benchmark("r52").test
    streams = {}
    for name in ("r52", "trec", "german"):
        with np.load(source / f"{name}.npz") as kept:
            streams[name] = Stream(**kept)
    unknown_N = np.isin(data.label_ids, [data.label_names.index(name) for name in LEFT_OUT])
    counts_C = np.bincount(data.label_ids)
    lines = []

    def compare(case: str, share: float, number: int, draw: int) -> None:
        rng = np.random.default_rng([draw, number])
        rows = rng.permutation(np.flatnonzero(~unknown_N))
        old, rest = rows[:REMEMBERED], rows[len(rows) // 2 :]
        strange = round(share * number)
        if case == "shares":
            # Drawn towards classes all alike.
            weight = counts_C[data.label_ids[rest]] ** -share
            new = select(streams["r52"], rng.choice(rest, number, replace=False, p=weight / weight.sum()))
        else:
            new = select(streams["r52"], rest[: number - strange])
        if case in ("unknown classes", "trec", "german"):
            other = streams["r52" if case == "unknown classes" else case]
            pool = np.flatnonzero(unknown_N) if case == "unknown classes" else np.arange(len(other))
            new = joined(new, select(other, rng.choice(pool, strange, replace=False)))
        found = find_drift(
            select(streams["r52"], old),
            new,
            num_classes=len(classifier.classes_),
            max_length=classifier.config_.encoder.max_length,
            seen=False,
            origin="R52",
            prior=None,
        )
        alarms = [finding.fact for finding in found.findings if finding.drifts]
        lines.append({"case": case, "share": share, "texts": number, "draw": draw, "alarms": alarms})

    for number in (100, 300, 1000):
        for draw in range(SAME if number == 300 else SAME // 2):
            compare("same", 0.0, number, draw)
    for number in (100, 300):
        for case, share in (
            ("shares", 0.5),
            ("shares", 0.25),
            *((case, share) for case in ("unknown classes", "trec", "german") for share in (0.05, 0.1, 0.3)),
        ):
            for draw in range(EACH):
                compare(case, share, number, draw)
    today = datetime.now(UTC).date().isoformat()
    return [{"date": today, **line} for line in lines]


def show(lines: list[dict[str, Any]]) -> str:
    """How often there was an alarm, and by which tests, in percent."""
    rows = []
    for key in dict.fromkeys((line["case"], line["share"], line["texts"]) for line in lines):
        some = [line for line in lines if (line["case"], line["share"], line["texts"]) == key]
        shares = [np.mean([fact in line["alarms"] for line in some]) for fact in FACTS]
        every = np.mean([bool(line["alarms"]) for line in some])
        rows.append(
            [key[0], f"{key[1]:g}", str(key[2]), str(len(some)), *(f"{100 * share:.0f}" for share in (every, *shares))]
        )
    return table(["texts", "share", "number", "draws", "any alarm", *FACTS], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--to", type=Path, default=Path("results/drift"))
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
