"""What else a sensible person would run, on the same texts: TF-IDF, the frozen encoder, Transformers' Trainer, SetFit,
and the loop of the paper's published code.

The columns of benchmarks/judged.yaml, and 150 queues of made-up tickets. One row after another, each in a process of
its own. Seconds are those that its threads computed, so that other work on the machine lengthens no row. The Trainer
has our batch size, learning rate, epochs and precision, and once more only its own. SetFit is as it comes, but its
usual epoch is every pair of training texts, which takes days: it has as many steps as fit into SharpReCL's seconds, by
the clock of its first 20. The published loop is timed over our epochs; its own 30 take an hour of a core on TREC.

    pip install setfit
    SHARPRECL_MIRROR=... python benchmarks/peers.py [--columns trec@50 --seeds 0 1 2]
    python benchmarks/peers.py --show
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import torch

from made_up_tickets import tickets
from published_loop import published_loop
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
        # Its setting max_length is for a trained head alone.
        model.model_body.max_seq_length = LENGTH
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

    began = time.process_time()
    trained(TIMED)
    model = trained(max(TIMED + 1, round(seconds * TIMED / (time.process_time() - began))))
    return np.asarray(model.predict(list(test.texts), use_labels=False))


def judged(train: TextTable, test: TextTable, given: np.ndarray) -> Evaluation:
    return evaluate(test.label_ids, given, train.class_counts, train.label_names)


Row = Callable[[TextTable, TextTable, int, float], np.ndarray]
FLOORS: dict[str, Callable[[TextTable, TextTable, int], Evaluation]] = {"TF-IDF + logistic regression": tfidf_reference}
ROWS: dict[str, tuple[int | None, Row]] = {
    "SharpReCL": (EPOCHS, lambda train, test, seed, _: ours("sharprecl", train, test, seed)),
    "cross-entropy": (EPOCHS, lambda train, test, seed, _: ours("cross_entropy", train, test, seed)),
    "SharpReCL, two trainable layers": (
        EPOCHS,
        lambda train, test, seed, _: ours("sharprecl", train, test, seed, trainable_layers=2),
    ),
    "cross-entropy, two trainable layers": (
        EPOCHS,
        lambda train, test, seed, _: ours("cross_entropy", train, test, seed, trainable_layers=2),
    ),
    "frozen + logistic regression": (1, lambda train, test, seed, _: ours("frozen", train, test, seed)),
    "Transformers' Trainer": (EPOCHS, lambda train, test, seed, _: hf_trainer(train, test, seed, **TUNED)),
    "the same, grouped by length": (
        EPOCHS,
        lambda train, test, seed, _: hf_trainer(train, test, seed, **TUNED, train_sampling_strategy="group_by_length"),
    ),
    "Transformers' Trainer as it comes": (3, lambda train, test, seed, _: hf_trainer(train, test, seed)),
    "SetFit": (None, setfit),
    "published loop": (EPOCHS, lambda train, test, seed, _: published_loop(train, test, seed, EPOCHS, LENGTH)),
}
"""Every row's epochs, and how it answers the test texts."""


def column_of(name: str) -> tuple[TextTable, TextTable]:
    """Training and test texts."""
    if name == "tickets":
        return tickets(seed=0)
    plan = load_plan(HERE / "judged.yaml")
    data = prepare(plan.jobs("small", columns=[name], rows=["sharprecl"], seeds=[0])[0].spec)
    return data.train, data.test


def made(row: str, column: str, seed: int, seconds: float, threads: int) -> dict[str, Any]:
    """One row: its figures, seconds of computing from texts to answers, and the process's largest memory."""
    torch.set_num_threads(threads)
    train, test = column_of(column)
    began = time.process_time()
    if row in FLOORS:
        epochs, found = None, FLOORS[row](train, test, seed)
    else:
        epochs, answers = ROWS[row]
        found = judged(train, test, answers(train, test, seed, seconds))
    took = time.process_time() - began
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **dict(zip(("row", "column", "seed"), (row, column, seed), strict=True)),
        **{name: round(100 * getattr(found, name), 2) for name in ("macro_f1", "balanced_accuracy", "accuracy")},
        "seconds": round(took, 1),
        "texts_per_second": epochs and round(epochs * len(train) / took, 1),
        "peak_mb": round(hardware.peak_memory_bytes(torch.device("cpu")) / 1e6),
        "versions": {name: metadata.version(name) for name in ("torch", "transformers", "setfit")},
        "threads": threads,
    }


def run(column: str, seed: int, threads: int, only: list[str] | None = None) -> None:
    """Every row of a column that is not logged yet. SharpReCL first: its seconds are SetFit's."""
    done = {key(record): record for record in logged()}
    for row in [*ROWS, *FLOORS]:
        if (row, column, seed) in done or (only and row not in only):
            continue
        seconds = done[("SharpReCL", column, seed)]["seconds"] if row == "SetFit" else 0.0
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            record = pool.submit(made, row, column, seed, seconds, threads).result()
        done[key(record)] = record
        with LOG.open("a", encoding="utf-8") as log:
            log.write(json.dumps(record) + "\n")
        print(record, flush=True)


def logged() -> list[dict[str, Any]]:
    """All rows so far."""
    return [json.loads(line) for line in LOG.read_text().splitlines()] if LOG.exists() else []


def key(record: dict[str, Any]) -> tuple[str, str, int]:
    return record["row"], record["column"], record["seed"]


def show() -> None:
    """A markdown table a column: macro-F1 over the seeds, seconds, training texts a second of them, and memory."""
    for column in dict.fromkeys(record["column"] for record in logged()):
        rows: dict[str, list[dict[str, Any]]] = {}
        for record in logged():
            if record["column"] == column:
                rows.setdefault(record["row"], []).append(record)
        shown = []
        for row, records in rows.items():
            f1s = [record["macro_f1"] for record in records]
            spread = f" ± {stdev(f1s):.1f}" if len(f1s) > 1 else ""
            speeds = [record["texts_per_second"] for record in records]
            shown.append(
                [
                    row,
                    f"{mean(f1s):.1f}{spread}",
                    f"{mean(record['seconds'] for record in records):.0f}",
                    f"{mean(speeds):.0f}" if all(speeds) else "",
                    f"{max(record['peak_mb'] for record in records) / 1000:.1f}",
                ]
            )
        print(table([column, "macro-F1", "seconds", "texts a second", "GB"], shown), end="\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", default=["trec@50", "r52/60", "tickets"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rows", nargs="+", help="only these")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        show()
        return
    for seed in options.seeds:
        for column in options.columns:
            run(column, seed, options.threads, options.rows)


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
