"""Texts a second of a trained classifier in every form that it can answer in, side by side, and what each form changes.

The forms take turns, round after round, in one process; the best round counts, so that other work on the machine
slows all alike. A form's answers are compared with those of torch in float32, and its answers to texts alone with
those to the same texts in batches. Beside what ``sharprecl export`` writes stand the variants of int8 that it could
write. Appends dated lines to results/serving_speed.jsonl.

    python benchmarks/serving_speed.py runs/r52 r52 --threads 1
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import transformers as tf
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

from sharprecl import TextClassifier
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.decision import softmax
from sharprecl.export.card import read_card
from sharprecl.export.encoder import EncoderPredictor
from sharprecl.export.onnx import onnx_graph
from sharprecl.export.onnx_folder import export_float32
from sharprecl.export.onnx_predictor import OnnxPredictor
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone
from sharprecl.quiet import quiet

RESULTS = Path(__file__).parent / "results" / "serving_speed.jsonl"
Answer = Callable[[list[str]], np.ndarray]


def before(run: Path) -> Answer:
    """What ``predict`` did until pooling left the folded layer: the stock model as it is."""
    card, folder = read_card(run), str(run / "model")
    backbone = Backbone(stock.load_classifier(folder), "native").eval()
    predictor = EncoderPredictor(backbone, stock.load_tokenizer(folder), card.max_length, "native")
    return lambda texts: predictor.scores(texts)[0]


def pipeline(run: Path, batch_size: int) -> Answer:
    """A stock pipeline; it gives probabilities, whose logarithms are scores."""
    with quiet():
        classify = tf.pipeline("text-classification", str(run / "model"), device="cpu", batch_size=batch_size)
    names = read_card(run).label_names

    def scores(texts: list[str]) -> np.ndarray:
        found = [{row["label"]: row["score"] for row in rows} for rows in classify(texts, truncation=True, top_k=None)]
        return np.log([[max(row[name], 1e-30) for name in names] for row in found])

    return scores


def in_bf16(classifier: TextClassifier) -> Answer:
    """Under PyTorch's autocast."""

    def scores(texts: list[str]) -> np.ndarray:
        with torch.autocast("cpu", torch.bfloat16):
            return classifier.scores(texts)

    return scores


def variants(run: Path, folder: Path) -> dict[str, Answer]:
    """Other forms of int8: dynamic in batches, and weights by blocks with (4) or without (1) int8 activations."""
    predictor, card = TextClassifier.load(run, "cpu")._predictor, read_card(run)
    graph = onnx_graph(predictor.backbone, predictor.decision)
    paths = {"dynamic int8 in batches": folder / "dynamic.onnx"}
    kinds = {"op_types_to_quantize": ["MatMul"], "per_channel": True, "reduce_range": True}
    quantize_dynamic(graph, paths["dynamic int8 in batches"], weight_type=QuantType.QInt8, **kinds)
    for block, level in ((32, 4), (64, 4), (128, 4), (32, 1)):
        copy = onnx.ModelProto()
        copy.CopyFrom(graph)
        quantiser = MatMulNBitsQuantizer(copy, bits=8, block_size=block, is_symmetric=True, accuracy_level=level)
        quantiser.process()
        name = f"MatMulNBits, blocks of {block}, level {level}"
        paths[name] = folder / f"{block}-{level}.onnx"
        quantiser.model.save_model_to_file(str(paths[name]))
    found = {name: OnnxPredictor(path, predictor.tokenizer, card) for name, path in paths.items()}
    return {name: lambda texts, p=p: p.scores(texts)[0] for name, p in found.items()}


def measure(forms: dict[str, Answer], texts: list[str], rounds: int) -> list[dict[str, Any]]:
    """Best seconds of each form, and how its answers differ from the first exact form's and from its own alone."""
    seconds, cpu, scores = ({name: [] for name in forms} for _ in range(3))
    for _ in range(rounds + 1):  # the first warms up
        for name, answer in forms.items():
            began, worked = time.perf_counter(), time.process_time()
            scores[name] = answer(texts)
            seconds[name].append(time.perf_counter() - began)
            cpu[name].append(time.process_time() - worked)
    first = next(iter(forms))
    rows = []
    for name, answer in forms.items():
        alone = np.concatenate([answer([text]) for text in texts[:100]])
        beside = scores[name][: len(alone)]
        rows.append(
            {
                "form": name,
                "texts_a_second": round(len(texts) / min(seconds[name][1:]), 1),
                "texts_a_cpu_second": round(len(texts) / min(cpu[name][1:]), 1),
                "times": round(min(seconds[first][1:]) / min(seconds[name][1:]), 2),
                "same_answers": float((scores[name].argmax(1) == scores[first].argmax(1)).mean()),
                "largest_difference": float(abs(softmax(scores[name]) - softmax(scores[first])).max()),
                "alone_and_beside": float(abs(softmax(alone) - softmax(beside)).max()),
            }
        )
    return rows


def main() -> None:
    """Measure one run on one data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="with a stock model and its int8 export in RUN/int8")
    parser.add_argument("data", help="a benchmark, whose test texts are taken")
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--variants", action="store_true", help="also the forms of int8 that were not chosen")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    texts = list(load_benchmark(given.data).test.texts[: given.texts])
    with tempfile.TemporaryDirectory() as name:
        folder, classifier = Path(name), TextClassifier.load(given.run, "cpu")
        export_float32(folder / "onnx", classifier._predictor, read_card(given.run))
        forms: dict[str, Answer] = {
            "torch with the folded layer (predict before)": before(given.run),
            "stock pipeline, one by one": pipeline(given.run, 1),
            "stock pipeline, batches of 32": pipeline(given.run, 32),
            "torch (predict now)": classifier.scores,
            "torch bf16": in_bf16(classifier),
            "ONNX float32": TextClassifier.load(folder / "onnx").scores,
            "ONNX int8, text by text": TextClassifier.load(given.run / "int8").scores,
            **(variants(given.run, folder) if given.variants else {}),
        }
        rows = measure(forms, texts, given.rounds)
    place = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"), "run": given.run.name, "data": given.data,
        "texts": len(texts), "max_length": read_card(given.run).max_length, "threads": given.threads,
        "load": os.getloadavg()[0],
    }  # fmt: skip
    with RESULTS.open("a", encoding="utf-8") as stream:
        for row in rows:
            print(f"{row['form']:46} {row['texts_a_second']:7.1f} a second, {row['times']:5.2f} times, "
                  f"{100 * row['same_answers']:6.2f} % the same, {row['largest_difference']:.1e}, "
                  f"alone {row['alone_and_beside']:.1e}")  # fmt: skip
            stream.write(json.dumps({**place, **row}) + "\n")


if __name__ == "__main__":
    main()
