"""How long a step takes and how much memory, by the settings that change it: MiniLM, texts of 10 to 60 tokens, B = 32.

python benchmarks/training_speed.py settings     # layers kept, trained, attention dropout: a step of each in turn
python benchmarks/training_speed.py kernels      # eager and fused attention, forward and backward, by length
python benchmarks/training_speed.py micro        # whole batches against micro-batches, 32 to 4,096 texts
python benchmarks/training_speed.py processes    # one process with all threads against as many with one
python benchmarks/training_speed.py classes      # 2 to 5,000 classes, batches of 128
python benchmarks/training_speed.py texts        # 1,000 to 10,000,000 rows: reading, tokenising, batching
python benchmarks/training_speed.py equality     # 1, 2 and 4 processes: losses, weights of every method, tiny encoder

Appends dated JSON lines to results/training_speed.jsonl and prints a table.
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.models.bert.modeling_bert import eager_attention_forward

from sharprecl.assets import resolve_encoder
from sharprecl.config import METHODS, method_settings, resolve
from sharprecl.data.batches import ShuffledBatches, collate
from sharprecl.data.tables import TextTable, read_table
from sharprecl.data.tokens import tokenize
from sharprecl.methods.base import Progress
from sharprecl.models import stock
from sharprecl.models.dropout import QuickDropout
from sharprecl.testing import skewed_texts, tiny_encoder
from sharprecl.training import hardware
from sharprecl.training.encoder_task import EncoderTask, LabelledTokens
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.job import TrainingJob
from sharprecl.training.launch import started
from sharprecl.training.optimizer import ScheduledAdamW
from sharprecl.training.processes import ALONE, Processes
from sharprecl.training.session import Prepared, make_task, train

LOG = Path(__file__).parent / "results" / "training_speed.jsonl"
CLASSES, STEPS = 20, 1000
WORDS = (
    "oil prices rose as the bank said that trade in wheat and coffee would fall next year while rates of interest stay"
)
SETTINGS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "attention_dropout 0": {"attention_dropout": 0.0},
    "layers 4": {"layers": 4},
    "layers 3": {"layers": 3},
    "trainable_layers 4": {"trainable_layers": 4},
    "trainable_layers 2": {"trainable_layers": 2},
    "trainable_layers 2, attention_dropout 0": {"trainable_layers": 2, "attention_dropout": 0.0},
}
Line = dict[str, Any]


@dataclass
class Stepper:
    """Takes steps of a training of its own."""

    task: EncoderTask
    number: int = 0

    def __post_init__(self) -> None:
        self.task.train_mode(0)
        self.optimizer = ScheduledAdamW(self.task.parameter_groups(), STEPS, self.task.config.training, True)
        self.batches = self.task.batches(0)

    def __call__(self) -> float:
        """Seconds of one step."""
        began = time.perf_counter()
        batch = self.batches[self.number % len(self.batches)]
        self.task.forward_backward(batch, Progress(self.number, STEPS, 0, 4))
        self.optimizer.step(self.number)
        self.number += 1
        if self.task.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - began


def texts_of(number: int, classes: int = CLASSES) -> tuple[list[str], np.ndarray]:
    """Texts of 10 to 60 words, and their classes."""
    generator = np.random.default_rng(0)
    words = WORDS.split()
    rows = [" ".join(generator.choice(words, generator.integers(10, 60))) for _ in range(number)]
    return rows, np.concatenate([np.arange(classes), generator.integers(0, classes, number - classes)])


def stepper(
    encoder: dict[str, Any],
    batch_size: int,
    micro_batch: int | None = None,
    classes: int = CLASSES,
    device: str = "cpu",
) -> Stepper:
    """MiniLM, or the encoder that is named, with SharpReCL."""
    training = {"batch_size": batch_size, "micro_batch": micro_batch}
    config = resolve({"encoder": {"max_length": 64, **encoder}, "training": training})
    source = resolve_encoder(config.encoder.name)
    tokenizer = stock.load_tokenizer(source)
    rows, label_ids = texts_of(max(320, batch_size, classes), classes)
    labelled = LabelledTokens((tokenize(rows, tokenizer, 64),), label_ids)
    where = torch.device(device)
    precision = hardware.pick_precision("auto", where)
    counts = np.bincount(label_ids, minlength=classes)
    prepared = Prepared(config, tuple(map(str, range(classes))), "mean", precision, counts, labelled, None)
    return Stepper(make_task(prepared, source, tokenizer, where, ALONE))


def settings(repeats: int) -> Iterator[Line]:
    """A step by each setting in turn, over and over."""
    steppers = {name: stepper(encoder, 32) for name, encoder in SETTINGS.items()}
    slow = steppers["PyTorch's dropout"] = stepper({}, 32)
    for module in slow.task.backbone.modules():
        if isinstance(module, QuickDropout):
            module.forward = partial(nn.Dropout.forward, module)  # type: ignore[method-assign]
    seconds: dict[str, list[float]] = {name: [] for name in steppers}
    for repeat in range(repeats + 1):
        for name, step in steppers.items():
            taken = step()
            if repeat:
                seconds[name].append(taken)
    usual = np.median(seconds["as it is"])
    for name, taken in seconds.items():
        yield {
            "setting": name,
            "step_ms": round(1000 * float(np.median(taken))),
            "times": round(usual / np.median(taken), 2),
        }


def kernels(repeats: int) -> Iterator[Line]:
    """Milliseconds of attention over 2,048 tokens of 12 heads."""
    for dtype in (torch.float32, torch.bfloat16):
        for length in (32, 64, 128, 256, 512):
            queries, keys, values = torch.randn(3, 2048 // length, 12, length, 32, dtype=dtype).unbind()
            mask = torch.zeros(len(queries), 1, length, length, dtype=dtype)
            mask[..., -3:] = torch.finfo(dtype).min
            module = SimpleNamespace(num_key_value_groups=1, training=True, is_causal=False)
            taken: dict[str, list[float]] = {"eager": [], "sdpa": []}
            for _ in range(repeats + 1):
                for name, kernel in (("eager", eager_attention_forward), ("sdpa", sdpa_attention_forward)):
                    given = [tensor.detach().requires_grad_() for tensor in (queries, keys, values)]
                    began = time.perf_counter()
                    kernel(module, *given, mask, scaling=32**-0.5, dropout=0.0)[0].sum().backward()
                    taken[name].append(1000 * (time.perf_counter() - began))
            line = {name: round(float(np.median(each[1:])), 1) for name, each in taken.items()}
            yield {"dtype": str(dtype).removeprefix("torch."), "tokens": length, **line}


def measured(repeats: int, batch_size: int, micro_batch: int | None = None, classes: int = CLASSES) -> Line:
    """The quickest of some steps, and the memory that they took, in a process of their own."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned) as pool:
        return pool.submit(_measured, repeats, batch_size, micro_batch, classes).result()


def _measured(repeats: int, batch_size: int, micro_batch: int | None, classes: int) -> Line:
    step = stepper({}, batch_size, micro_batch, classes)
    step()
    hardware.reset_peak_memory(step.task.device)
    taken = min(step() for _ in range(repeats))
    return {"step_ms": round(1000 * taken), "peak_mb": round(hardware.peak_memory_bytes(step.task.device) / 1e6)}


def micro(repeats: int) -> Iterator[Line]:
    """Whole batches, as long as they fit, and micro-batches of 32 texts."""
    for batch_size, kinds in {32: (None,), 128: (None, 32), 512: (None, 32), 1024: (None, 32), 4096: (32,)}.items():
        for micro_batch in kinds:
            yield {"batch": batch_size, "micro_batch": micro_batch} | measured(repeats, batch_size, micro_batch)


def classes(repeats: int) -> Iterator[Line]:
    """Steps with ever more classes."""
    for number in (2, 20, 200, 1000, 5000):
        yield {"classes": number} | measured(repeats, 128, classes=number)


def texts(repeats: int) -> Iterator[Line]:
    """Microseconds a row of a CSV takes to be read, tokenised and put into batches."""
    del repeats
    tokenizer = stock.load_tokenizer(resolve_encoder("minilm"))
    for number in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        rows, label_ids = texts_of(min(number, 10_000))
        times = number // len(rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            with path.open("w", encoding="utf-8") as stream:
                stream.write("text,label\n")
                for repeat in range(times):
                    stream.writelines(f"{repeat} {row},{label}\n" for row, label in zip(rows, label_ids, strict=True))
            hardware.reset_peak_memory(torch.device("cpu"))
            moments = [time.perf_counter()]
            table = read_table(path)
            moments.append(time.perf_counter())
            tokens = tokenize(table.texts, tokenizer, 64)
            moments.append(time.perf_counter())
            for index in ShuffledBatches(len(table), 128, 0).epoch(0):
                collate(tokens, index, 0)
            moments.append(time.perf_counter())
        steps = [f"{1e6 * seconds / number:.0f}" for seconds in np.diff(moments)]
        yield {
            "rows": number,
            **dict(zip(("read_us", "tokenise_us", "batch_us"), map(int, steps), strict=True)),
            "peak_mb": round(hardware.peak_memory_bytes(torch.device("cpu")) / 1e6),
        }


class Silent(Callback):
    """Keeps the loss of every step, and when it ended."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.times: list[float] = []

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        del speed
        if record["kind"] == "step":
            self.losses.append(record["loss"]["total"])
            self.times.append(time.perf_counter())


def run(table: TextTable, wanted: dict[str, Any], processes: Processes) -> tuple[Silent, dict[str, torch.Tensor]]:
    """A training's losses and weights."""
    heard = Silent()
    return heard, train(TrainingJob(table, resolve(wanted), heard, processes=processes)).backbone.state_dict()


def processes(repeats: int) -> Iterator[Line]:
    """Seconds a step, the same batches."""
    rows, label_ids = texts_of(320)
    table = read_table((rows, [str(label) for label in label_ids]))
    wanted = {"encoder": {"max_length": 64}, "training": {"batch_size": 64, "max_epochs": max(2, repeats // 5)}}
    usual = None
    for number in (1, os.cpu_count() or 1):
        with started(number, "cpu") as together:
            heard, _ = run(table, wanted, together)
        taken = float(np.median(np.diff(heard.times)))
        usual = usual or taken
        yield {"processes": number, "step_ms": round(1000 * taken), "times": round(usual / taken, 2)}


def equality(repeats: int) -> Iterator[Line]:
    """Largest difference of the losses of 20 steps (relative) and of the weights after them, against one process."""
    del repeats
    rows, labels = skewed_texts()
    table = read_table((rows[:55], labels[:55]))
    methods = [name for name in METHODS if method_settings(name).trains_encoder]
    with tempfile.TemporaryDirectory() as folder:
        encoder = tiny_encoder(Path(folder), mean_pooling=True)
        path = Path(folder) / "config.json"
        off = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        path.write_text(json.dumps({**json.loads(path.read_text()), **off}))
        made: dict[tuple[str, int], tuple[Silent, dict[str, torch.Tensor]]] = {}
        for number in (1, 2, 4):
            with started(number, "cpu") as together:
                for method in methods:
                    wanted = {
                        "encoder": {"name": encoder, "max_length": 32},
                        "method": {"name": method},
                        "training": {"max_epochs": 5, "batch_size": 16, "precision": "fp32"},
                    }
                    made[method, number] = run(table, wanted, together)
    for method in methods:
        alone, weights = made[method, 1]
        line: Line = {"method": method, "steps": len(alone.losses)}
        for number in (2, 4):
            heard, other = made[method, number]
            apart = np.abs(np.array(heard.losses) - alone.losses) / np.abs(alone.losses)
            far = max(float((weights[name].double() - other[name].double()).abs().max()) for name in weights)
            line |= {f"loss, {number}": float(f"{apart.max():.1e}"), f"weights, {number}": float(f"{far:.1e}")}
        yield line


PARTS: dict[str, Callable[[int], Iterator[Line]]] = {
    part.__name__: part for part in (settings, kernels, micro, processes, classes, texts, equality)
}


def append(log: Path, common: Line, lines: Iterator[Line]) -> None:
    """Print lines as a table while they come, and keep them with what they have in common, dated."""
    common = {"date": datetime.now(UTC).date().isoformat(), **common}
    print(", ".join(map(str, common.values())))
    with log.open("a", encoding="utf-8") as stream:
        for number, line in enumerate(lines):
            if not number:
                print("| " + " | ".join(line) + " |", "|---" * len(line) + "|", sep="\n")
            print("| " + " | ".join(map(str, line.values())) + " |", flush=True)
            stream.write(json.dumps({**common, **line}) + "\n")


def main() -> None:
    """Measure, print, append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--repeats", type=int, default=8)
    given = parser.parse_args()
    precision = hardware.pick_precision("auto", torch.device("cpu"))
    common = {"part": given.part, "threads": torch.get_num_threads(), "precision": precision}
    append(LOG, common, PARTS[given.part](given.repeats))


if __name__ == "__main__":
    main()
