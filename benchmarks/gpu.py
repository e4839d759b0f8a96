"""What a GPU gains, each part in under ten minutes; without one, the same parts with a tiny encoder show that they run.

    python benchmarks/gpu.py epochs      # a step in Gram space and by a loop over the classes: time, memory, an epoch
    python benchmarks/gpu.py sharing     # 1, 4 and 16 trainings side by side on one card
    python benchmarks/gpu.py compiled    # a step with torch.compile and without
    python benchmarks/gpu.py micro       # whole batches against micro-batches
    python benchmarks/gpu.py processes   # a training by one card and by two; with one card, the refusal
    python benchmarks/gpu.py resumed     # a training cut off twice, each time ending with the same bytes

--encoders takes names and folders: an encoder of base size beside MiniLM. Appends dated lines to results/gpu.jsonl.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from rebalancing import ORACLE
from sharprecl.config import merge, resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError
from sharprecl.methods import sharprecl as method
from sharprecl.testing import tiny_encoder
from sharprecl.training import hardware
from sharprecl.training.checkpoint import CheckpointFolder
from sharprecl.training.job import TrainingJob
from sharprecl.training.launch import started
from sharprecl.training.session import train
from training_speed import Line, Silent, Stepper, append, run, stepper, texts_of

LOG = Path(__file__).parent / "results" / "gpu.jsonl"
ON_CARD = torch.cuda.is_available()
DEVICE = torch.device("cuda" if ON_CARD else "cpu")
# Sixteen tiny trainings on two cores prove nothing that four do not.
ALONGSIDE = (1, 4, 16) if ON_CARD else (1, 4)


def steps_of(step: Stepper, number: int) -> Line:
    """Median time of some steps behind the first three, and the memory that they took."""
    for _ in range(3):
        step()
    hardware.reset_peak_memory(DEVICE)
    taken = np.median([step() for _ in range(number)])
    return {"step_ms": round(1000 * taken, 1), "peak_mb": round(hardware.peak_memory_bytes(DEVICE) / 1e6)}


def by_class(self: method.SharpReCL, batch: Any, x_NH: Tensor, w_CH: Tensor, progress: Any) -> Tensor:
    """The contrast by the tests' loop over the classes."""
    config, num_classes = self.config, len(w_CH)
    x_MD = torch.cat([self.feature_head(x_NH), self.prototype_head(w_CH)])
    y_M = torch.cat([batch.y_N, torch.arange(num_classes, device=DEVICE)])
    u_3CS = torch.rand(3, num_classes, config.n_pos + config.n_neg, dtype=torch.float64, device=DEVICE)
    ratio = method.mixup_ratio(self._done(progress), config.ratio_start, config.ratio_end)
    shape = (config.n_pos, config.top_k, ratio, config.temperature, config.positives)
    return (self.weight_C[y_M] * ORACLE(x_MD, y_M, num_classes, u_3CS, *shape)).mean()


def epochs(encoder: str) -> Iterator[Line]:
    """A step of 128 texts, and an epoch of 10,000."""
    for classes in (6, 52, 200):
        for way in ("Gram space", "class loop"):
            contrast = by_class if way == "class loop" else method.SharpReCL._contrastive
            with patch.object(method.SharpReCL, "_contrastive", contrast):
                line = steps_of(stepper({"name": encoder}, 128, classes=classes, device=DEVICE.type), 10)
            yield {"classes": classes, "way": way, **line, "epoch_s": round(line["step_ms"] * 10_000 / 128 / 1000, 1)}


def table_of(number: int) -> TextTable:
    rows, label_ids = texts_of(number)
    return read_table((rows, [str(label) for label in label_ids]))


def wanted(encoder: str, epochs: int) -> dict[str, Any]:
    return {"encoder": {"name": encoder, "max_length": 64}, "training": {"batch_size": 32, "max_epochs": epochs}}


def one_training(encoder: str) -> None:
    train(TrainingJob(table_of(640), resolve(wanted(encoder, 4)), device=DEVICE.type))


def sharing(encoder: str) -> Iterator[Line]:
    """Wall time of trainings that begin together, start of the processes included, and trainings an hour."""
    spawned = multiprocessing.get_context("spawn")
    for number in ALONGSIDE:
        began = time.perf_counter()
        processes = [spawned.Process(target=one_training, args=(encoder,)) for _ in range(number)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        seconds, failed = time.perf_counter() - began, sum(process.exitcode != 0 for process in processes)
        yield {
            "trainings": number,
            "failed": failed,
            "seconds": round(seconds, 1),
            "an_hour": round(3600 * (number - failed) / seconds),
        }


def compiled(encoder: str) -> Iterator[Line]:
    """The compiled step's first seconds apart: each new shape of a batch may cost some."""
    for way in ("eager", "torch.compile"):
        step = stepper({"name": encoder}, 32, device=DEVICE.type)
        if way == "torch.compile":
            step.task.backbone.model.base_model.compile(dynamic=True)
        began = time.perf_counter()
        step()
        yield {"way": way, "first_s": round(time.perf_counter() - began, 1), **steps_of(step, 20)}


def micro(encoder: str) -> Iterator[Line]:
    for batch_size, micro_batch in ((128, None), (128, 32), (2048, None), (2048, 128)):
        step = stepper({"name": encoder}, batch_size, micro_batch, device=DEVICE.type)
        yield {"batch": batch_size, "micro_batch": micro_batch, **steps_of(step, 3)}


def processes(encoder: str) -> Iterator[Line]:
    for number in (1, 2):
        try:
            with started(number, DEVICE.type) as together:
                heard, _ = run(table_of(640), wanted(encoder, 2), together)
        except ConfigError as error:
            yield {"processes": number, "step_ms": None, "said": str(error)}
        else:
            yield {"processes": number, "step_ms": round(1000 * float(np.median(np.diff(heard.times))), 1), "said": ""}


class CutOff(Exception):
    """What stands for a kill."""


def resumed(encoder: str) -> Iterator[Line]:
    """Weights of a training that was cut off and went on, against those of one that was not; dropout and draws on."""
    table = table_of(160)
    config = resolve(merge(wanted(encoder, 3), {"training": {"checkpoint_seconds": 0.0}}))

    def weights(folder: Path, resume: bool) -> dict[str, Tensor]:
        job = TrainingJob(table, config, Silent(), output=folder, resume=resume, device=DEVICE.type)
        return train(job).backbone.state_dict()

    with tempfile.TemporaryDirectory() as place:
        usual = weights(Path(place) / "usual", False)
        for at in (5, 10):
            folder, save, saved = Path(place) / str(at), CheckpointFolder.save, 0

            def saves_and_dies(*args: Any, last: int = at, save: Callable[..., Any] = save, **kwargs: Any) -> None:
                nonlocal saved
                save(*args, **kwargs)
                saved += 1
                if saved == last:
                    raise CutOff

            try:
                with patch.object(CheckpointFolder, "save", saves_and_dies):
                    weights(folder, False)
            except CutOff:
                pass
            ended = weights(folder, True)
            apart = max(float((usual[name].double() - ended[name].double()).abs().max()) for name in usual)
            yield {"cut_at": at, "same_bytes": all(map(torch.equal, usual.values(), ended.values())), "apart": apart}


PARTS: dict[str, Callable[[str], Iterator[Line]]] = {
    part.__name__: part for part in (epochs, sharing, compiled, micro, processes, resumed)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--encoders", nargs="+", help="names or folders", default=["minilm"] if ON_CARD else ["tiny"])
    given = parser.parse_args()
    device = torch.cuda.get_device_name() if ON_CARD else "cpu"
    with tempfile.TemporaryDirectory() as folder:
        for encoder in given.encoders:
            source = tiny_encoder(Path(folder), mean_pooling=True) if encoder == "tiny" else encoder
            append(LOG, {"part": given.part, "device": device, "encoder": encoder}, PARTS[given.part](source))


if __name__ == "__main__":
    main()
