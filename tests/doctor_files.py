"""Files for the doctor: one in good health, and broken ones made from it, fault by known fault."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# fmt: off
TOPICS = {
    "billing": ["invoice", "refund", "payment", "charge", "card", "bank", "price", "tax", "receipt", "amount", "fee"],
    "access": ["login", "password", "account", "reset", "email", "code", "user", "profile", "token", "browser", "sign"],
    "shipping": ["parcel", "delivery", "courier", "address", "box", "truck", "post", "customs", "depot", "driver"],
    "hardware": ["battery", "screen", "cable", "keyboard", "charger", "speaker", "noise", "heat", "button", "camera"],
}
FILLER = [
    "again", "today", "please", "never", "always", "because", "after", "before", "while", "still", "since", "about",
    "around", "maybe", "really", "quite", "often", "almost", "several", "another", "morning", "evening", "monday",
    "friday", "twice", "nobody", "someone", "thing", "place", "answer", "question", "week",
]
# fmt: on

Row = tuple[str, str]


def clean_rows(each: int = 60, seed: int = 0) -> list[Row]:
    """``each`` texts of each of four classes in a random order, no two alike; classes have words of their own."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for label, topic in TOPICS.items():
        for _ in range(each):
            words = [*rng.choice(topic, 5, replace=False).tolist(), *rng.choice(FILLER, 7, replace=False).tolist()]
            rows.append((" ".join(rng.permutation(words).tolist()), label))
    return [rows[place] for place in rng.permutation(len(rows))]


def write(path: Path, rows: Sequence[Row]) -> Path:
    """A CSV with the columns body and queue."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("body", "queue"))
        writer.writerows(rows)
    return path
