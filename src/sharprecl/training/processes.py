"""What several processes exchange that train one model together.

The mathematics is that of one process. A batch is the whole training's: each process encodes its share of the texts,
the features are gathered, and every process computes the whole loss on all of them, from equal random states. So
backward gives each process the gradient of its own texts, whole, and gradients are added; no factor is needed. What
is read beside the texts (side modules, the classifier's rows as prototypes) has its whole gradient in every process
and counts once, in the first.

Dropout is drawn by each process for its own texts: in the first as always, in the others from seed, process and step,
so that nothing of it needs to be kept.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from sharprecl.data.batches import Index
from sharprecl.errors import SharpReCLError


class LostProcessError(SharpReCLError):
    """Another process of the training is gone."""


class Processes:
    """The processes of a training, numbered from 0; by default a single one, which exchanges nothing.

    Args:
        rank: the number of this one.
        size: how many there are; with more than one, the default group of ``torch.distributed`` is theirs.
    """

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    @property
    def alone(self) -> bool:
        """Whether there is but one."""
        return self.size == 1

    @property
    def first(self) -> bool:
        """Whether this is the one that writes, prints and counts."""
        return self.rank == 0

    def share(self, value: Any) -> Any:
        """The first process's value, in all of them. It travels by pickle, among processes of one training only."""
        if self.alone:
            return value
        box = [value if self.first else None]
        _exchanged(lambda: dist.broadcast_object_list(box, src=0, device=torch.device("cpu")))
        return box[0]

    def own(self, lengths: Index) -> Index:
        """Which of a batch's texts are this process's, ascending: about as many tokens as the others have."""
        if self.alone:
            return np.arange(len(lengths))
        mine: Index = np.sort(np.argsort(-lengths, kind="stable")[self.rank :: self.size])
        return mine

    def gathered(self, own: Tensor, rows: Tensor, number: int) -> Tensor:
        """All rows [number, ...] of what each process has some rows of, with gradients."""
        return own if self.alone else _Gathered.apply(own, rows, number)  # type: ignore[no-untyped-call]

    def added(self, array: np.ndarray) -> np.ndarray:
        """The sum over the processes."""
        if self.alone:
            return array
        total = torch.from_numpy(array.copy())
        _exchanged(lambda: dist.all_reduce(total))
        return total.numpy()

    def add_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace every gradient by the sum over the processes; a parameter that none has one for keeps none."""
        if self.alone:
            return
        parameters = list(parameters)
        has_P = torch.tensor([parameter.grad is not None for parameter in parameters], dtype=torch.int32)
        _exchanged(lambda: dist.all_reduce(has_P, op=dist.ReduceOp.MAX))
        used = [parameter for parameter, has in zip(parameters, has_P.tolist(), strict=True) if has]
        parts = [p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1) for p in used]
        flat = torch.cat(parts)
        _exchanged(lambda: dist.all_reduce(flat))
        for parameter, gradient in zip(used, torch.split(flat, [len(part) for part in parts]), strict=True):
            parameter.grad = gradient.view_as(parameter)

    def draw(self, seed: int, step: int) -> None:
        """Let what is drawn next for this process's texts differ from what the others draw."""
        if not self.first:
            torch.manual_seed(int(np.random.SeedSequence([seed, step, self.rank]).generate_state(1, np.uint64)[0] >> 1))


ALONE = Processes()


class _Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, own: Tensor, rows: Tensor, number: int) -> Tensor:
        ctx.save_for_backward(rows)
        whole = own.new_zeros(number, *own.shape[1:])
        whole[rows] = own
        # The others' rows are 0 here, so the sum is exact.
        _exchanged(lambda: dist.all_reduce(whole))
        return whole

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None, None]:
        (rows,) = ctx.saved_tensors
        return gradients[0][rows], None, None


def _exchanged(exchange: Callable[[], Any]) -> None:
    try:
        exchange()
    except RuntimeError as error:
        raise LostProcessError(
            f"another process of this training has ended ({str(error).partition(chr(10))[0]}); what it said stands "
            f"above; run the same command with --resume to go on"
        ) from error
