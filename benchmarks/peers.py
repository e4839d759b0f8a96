"""What else a sensible person would run, on the same texts: TF-IDF, the frozen encoder, Transformers' Trainer, SetFit.

The columns of benchmarks/judged.yaml. One row after another with as many threads, so that seconds compare within a
column. The Trainer has our batch size, learning rate, epochs and precision, and once more only its own. SetFit is as it
comes, but its usual epoch is every pair of training texts, which takes days: it has as many steps as fit into
SharpReCL's seconds, by the clock of its first 20.

    pip install setfit
    SHARPRECL_MIRROR=... python benchmarks/peers.py [--columns trec@50 --seeds 0 1 2]
    python benchmarks/peers.py --show
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import torch

from recipe_report import table
from sharprecl import TextClassifier
from sharprecl.assets.named import resolve_encoder
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.experiments.plan_file import load_plan
from sharprecl.runs.data import prepare
from sharprecl.runs.judge import tfidf_reference
from sharprecl.training import hardware

HERE = Path(__file__).parent
LOG = HERE / "results" / "peers.jsonl"
LENGTH, BATCH, EPOCHS, RATE = 64, 32, 4, 2e-4
TIMED = 20


def ours(method: str, train: TextTable, test: TextTable, seed: int, **encoder: Any) -> np.ndarray:
    epochs = {} if method == "frozen" else {"training": {"max_epochs": EPOCHS, "batch_size": BATCH}}
    settings = {"seed": seed, "encoder": {"max_length": LENGTH, **encoder}, "method": {"name": method}, **epochs}
    classifier = TextClassifier(config=settings).fit(train)
    return np.asarray(classifier.scores(test.texts).argmax(1))


TUNED: dict[str, Any] = {
    "num_train_epochs": EPOCHS,
    "per_device_train_batch_size": BATCH,
    "learning_rate": RATE,
    "bf16": hardware.pick_precision("auto", torch.device("cpu")) == "bf16",
}
"""Our batches, rate, epochs and precision for the Trainer; without them it is as it comes."""


def hf_trainer(train: TextTable, test: TextTable, seed: int, **settings: Any) -> np.ndarray:
    from datasets import Dataset
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments, set_seed

    set_seed(seed)
    source = resolve_encoder("minilm")
    tokenizer = AutoTokenizer.from_pretrained(source)
    model = AutoModelForSequenceClassification.from_pretrained(source, num_labels=train.num_classes)
    model.config.problem_type = "single_label_classification"

    def encoded(table: TextTable) -> Dataset:
        tokens = tokenizer(list(table.texts), truncation=True, max_length=LENGTH)
        return Dataset.from_dict({**tokens, "labels": table.label_ids.tolist()})

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            seed=seed,
            use_cpu=not torch.cuda.is_available(),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            **settings,
        )
        trainer = Trainer(model, arguments, train_dataset=encoded(train), processing_class=tokenizer)
        trainer.train()
        trainer.args.train_sampling_strategy = "random"  # Grouped by length, answers would come in another order.
        scores = trainer.predict(encoded(test)).predictions
    return np.asarray(scores.argmax(1))


def setfit(train: TextTable, test: TextTable, seed: int, seconds: float) -> np.ndarray:
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    data = Dataset.from_dict({"text": list(train.texts), "label": train.label_ids.tolist()})

    def trained(steps: int) -> SetFitModel:
        model = SetFitModel.from_pretrained(resolve_encoder("minilm"))
        with tempfile.TemporaryDirectory() as folder:
            arguments = TrainingArguments(
                folder, seed=seed, max_length=LENGTH, max_steps=steps, save_strategy="no", report_to="none"
            )
            trainer = Trainer(model, arguments, train_dataset=data)
            if steps == TIMED:
                trainer.train_embeddings(*trainer.dataset_to_parameters(data), args=arguments)
            else:
                trainer.train()
        return model

    began = time.monotonic()
    trained(TIMED)
    model = trained(max(TIMED + 1, round(seconds * TIMED / (time.monotonic() - began))))
    return np.asarray(model.predict(list(test.texts), use_labels=False))


def judged(train: TextTable, test: TextTable, given: np.ndarray) -> Evaluation:
    return evaluate(test.label_ids, given, train.class_counts, train.label_names)


def run(column: str, seed: int, made: set[tuple[str, str, int]], only: list[str] | None = None) -> None:
    """Every row of a column that is not logged yet. SharpReCL first: its seconds are SetFit's."""
    plan = load_plan(HERE / "judged.yaml")
    data = prepare(plan.jobs("small", columns=[column], rows=["sharprecl"], seeds=[0])[0].spec)
    train, test = data.train, data.test
    seconds = next((r["seconds"] for r in logged() if key(r) == ("SharpReCL", column, seed)), 0.0)
    rows: dict[str, Callable[[], Evaluation]] = {
        "SharpReCL": lambda: judged(train, test, ours("sharprecl", train, test, seed)),
        "cross-entropy": lambda: judged(train, test, ours("cross_entropy", train, test, seed)),
        "SharpReCL, two trainable layers": lambda: judged(
            train, test, ours("sharprecl", train, test, seed, trainable_layers=2)
        ),
        "cross-entropy, two trainable layers": lambda: judged(
            train, test, ours("cross_entropy", train, test, seed, trainable_layers=2)
        ),
        "TF-IDF + logistic regression": lambda: tfidf_reference(train, test, seed),
        "frozen + logistic regression": lambda: judged(train, test, ours("frozen", train, test, seed)),
        "Transformers' Trainer": lambda: judged(train, test, hf_trainer(train, test, seed, **TUNED)),
        "the same, grouped by length": lambda: judged(
            train, test, hf_trainer(train, test, seed, **TUNED, train_sampling_strategy="group_by_length")
        ),
        "Transformers' Trainer as it comes": lambda: judged(train, test, hf_trainer(train, test, seed)),
        "SetFit": lambda: judged(train, test, setfit(train, test, seed, seconds)),
    }
    for row, make in rows.items():
        if (row, column, seed) in made or (only and row not in only):
            continue
        hardware.reset_peak_memory(torch.device("cpu"))
        began = time.monotonic()
        found = make()
        took = round(time.monotonic() - began, 1)
        seconds = took if row == "SharpReCL" else seconds
        record = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            **dict(zip(("row", "column", "seed"), (row, column, seed), strict=True)),
            **{name: round(100 * getattr(found, name), 2) for name in ("macro_f1", "balanced_accuracy", "accuracy")},
            "seconds": took,
            "peak_mb": round(hardware.peak_memory_bytes(torch.device("cpu")) / 1e6),
            "versions": {name: metadata.version(name) for name in ("torch", "transformers")},
            "threads": torch.get_num_threads(),
        }
        with LOG.open("a", encoding="utf-8") as log:
            log.write(json.dumps(record) + "\n")
        print(record, flush=True)


def logged() -> list[dict[str, Any]]:
    """All rows so far."""
    return [json.loads(line) for line in LOG.read_text().splitlines()] if LOG.exists() else []


def key(record: dict[str, Any]) -> tuple[str, str, int]:
    return record["row"], record["column"], record["seed"]


def show() -> None:
    """A markdown table: macro-F1 over the seeds, and minutes for training and answering."""
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in logged():
        cells.setdefault((record["row"], record["column"]), []).append(record)
    columns = list(dict.fromkeys(column for _, column in cells))
    shown = []
    for row in dict.fromkeys(row for row, _ in cells):
        line = [row]
        for column in columns:
            f1s = [record["macro_f1"] for record in cells.get((row, column), [])]
            spread = f" ± {stdev(f1s):.1f}" if len(f1s) > 1 else ""
            seconds = mean(record["seconds"] for record in cells[row, column]) if f1s else 0
            line.append(f"{mean(f1s):.1f}{spread}, {seconds:.0f} s" if f1s else "")
        shown.append(line)
    print(table(["", *columns], shown))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", default=list(load_plan(HERE / "judged.yaml").columns))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rows", nargs="+", help="only these")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        show()
        return
    torch.set_num_threads(options.threads)
    for seed in options.seeds:
        for column in options.columns:
            run(column, seed, {key(record) for record in logged()}, options.rows)


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
