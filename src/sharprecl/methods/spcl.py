"""SPCL: supervised prototypical contrastive learning, with class centres in every comparison and a curriculum.

The method in six steps (Song et al., EMNLP 2022; text classification in place of emotions in conversation):

1.  Before every epoch, the class centres are the means of the features of all training texts, dropout off.
2.  Every class has a pool, at the epoch's start empty but for its centre, of features of the texts seen since. For each
    step a class's centre is the mean of K random ones of its pool; while there are fewer than K, it is the centre of
    step 1. So a rare class, too, is in every comparison. Full pools give up random features.
3.  Loss L_SPCL: every text of the batch is compared with the other texts and with the C centres, see
    ``losses/supervised_prototypical.py``. Losses up to 0.3 (decoupled form: up to 0) are left out of the mean: those
    texts are where they should be.
4.  L = L_SPCL + cross-entropy of the linear layer on the feature without its gradient. The latter only tells, in the
    log, how well classes can be told apart: no gradient of it reaches the encoder, and the layer answers nothing. (The
    clipping of gradients looks at all parameters together, so this layer's norm does shorten the encoder's.)
5.  Curriculum: texts far from their own centre, compared with all centres, are hard. The i-th easiest of n takes part
    with a probability between 1 - e/E and e/E: half of the texts an epoch, easy ones first, hard ones last.
6.  The answer is the class whose centre of step 1 is nearest by cosine.

Mended and decided here: an epoch draws by step 5 twice and puts the two draws behind one another, so it has as many
texts and steps as the epochs of other methods. E is the planned number of epochs, so patience that stops early cuts the
hard part. Text number 0 takes part (the published code's selection never takes it), as does a single text. The draws
are cut into batches of one size. A pool that overflows keeps a uniform subset of old and new; the published code evicts
text by text, which lets older features go a little sooner. After training, the centres of the chosen epoch are written
into the linear layer, unit-length and divided by tau, and the backbone answers by their cosine.
"""

from typing import Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.methods import PrototypicalForm, SPCLConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.supervised_prototypical import supervised_prototypical
from sharprecl.methods.base import (
    Batch,
    EpochDraw,
    GeneratorState,
    LossTerms,
    Method,
    OpenedBackbone,
    Progress,
    write_rows,
)
from sharprecl.methods.class_pools import ClassPools
from sharprecl.models.features import Features
from sharprecl.rebalance.curriculum import difficulty, keep_probability

KEPT_ABOVE: dict[PrototypicalForm, float] = {"coupled": 0.3, "decoupled": 0.0}
"""Only losses above this are in the mean."""

DRAWS_AN_EPOCH = 2
_ROWS_AT_ONCE = 4096  # of the N x C distances; all of them could take gigabytes


class SPCL(Method):
    """See the module's docstring. ``build`` makes one."""

    Config = SPCLConfig
    reading = "cosine"
    wants_features = True
    not_exportable_because = (
        "SPCL answers with the class whose centre is nearest by cosine, and the stock class has no layer that makes "
        "the feature unit-length, on which its probabilities depend"
    )
    centres_CH: Tensor
    difficulty_N: Tensor
    total_epochs: Tensor

    def __init__(self, config: SPCLConfig, class_counts: np.ndarray, width: int, seed: int) -> None:
        super().__init__()
        self.config = config
        self.seed = seed
        seen_C = np.ceil(DRAWS_AN_EPOCH * class_counts).astype(np.int64)
        self.pools = ClassPools(seen_C, config.pool_size, config.pool_draws, width)
        self.register_buffer("centres_CH", torch.zeros(len(class_counts), width))
        self.register_buffer("difficulty_N", torch.zeros(round(class_counts.sum()), dtype=torch.float64))
        self.register_buffer("total_epochs", torch.ones((), dtype=torch.int64))
        self.draws = GeneratorState(seed)

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: SPCLConfig, seed: int) -> Self:
        return cls(config, np.asarray(class_counts), backbone.feature_dim, seed)

    @torch.no_grad()
    def on_features(self, x_NH: Tensor, y_N: Tensor, epoch: int, total_epochs: int) -> None:
        """Steps 1 and 2: new centres, empty pools, and how hard each text is."""
        del epoch
        x_NH = x_NH.to(torch.promote_types(x_NH.dtype, torch.float32))
        w_N = x_NH.new_ones(len(y_N)) if self.weight_N is None else torch.from_numpy(self.weight_N).to(x_NH)
        blocks = [slice(start, start + _ROWS_AT_ONCE) for start in range(0, len(x_NH), _ROWS_AT_ONCE)]
        sum_CH, count_C = torch.zeros_like(self.centres_CH, dtype=x_NH.dtype), w_N.new_zeros(len(self.centres_CH))
        for rows in blocks:
            # Products, since index_add sums in no fixed order on a GPU.
            member_CN = F.one_hot(y_N[rows], len(count_C)).T.to(x_NH) * w_N[rows]
            sum_CH, count_C = sum_CH + member_CN @ x_NH[rows], count_C + member_CN.sum(1)
        self.centres_CH.copy_(sum_CH / count_C.clamp(min=1e-12)[:, None])
        self.pools.restart(self.centres_CH)
        for rows in blocks:
            self.difficulty_N[rows] = difficulty(x_NH[rows], self.centres_CH, y_N[rows])
        self.total_epochs.fill_(total_epochs)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: SPCLConfig) -> None:
        """Not known: cosines to centres are no log-probabilities."""
        del class_counts, config

    def draw(self, label_ids: np.ndarray, epoch: int) -> EpochDraw:
        """Step 5, twice. A function of the seed, the epoch and the centres at its start."""
        p_N = np.full(len(label_ids), 0.5)
        if self.config.curriculum:
            p_N = keep_probability(self.difficulty_N, epoch, int(self.total_epochs)).cpu().numpy()
        rng = np.random.Generator(np.random.PCG64([self.seed, epoch]))
        rows = self.epoch_rows(len(p_N), epoch)
        drawn = [rng.permutation(rows[rng.random(len(rows)) < p_N[rows]]) for _ in range(DRAWS_AN_EPOCH)]
        chosen = np.concatenate(drawn)
        return EpochDraw(chosen if len(chosen) else rng.choice(rows, size=1))

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = ``contrastive`` + ``classification``."""
        del progress
        form, y_N = self.config.form, batch.y_N
        x_NH = features.x_NH
        centres_CH = self.pools.centres(self.centres_CH.to(x_NH.dtype), self.draws.generator)
        l_N = supervised_prototypical(x_NH, centres_CH, y_N, self.config.temperature, form)
        contrastive = reducers.mean_of_valid(l_N, l_N > KEPT_ABOVE[form])
        s_NC = F.linear(x_NH.detach(), features.w_CH)
        classification = reducers.mean(cross_entropy(s_NC, y_N))
        total = contrastive + classification
        self.pools.add(x_NH, y_N, self.draws.generator)
        return {"total": total, "contrastive": contrastive, "classification": classification}

    def logits(self, features: Features) -> Tensor:
        """Step 6: cosines to the centres over tau."""
        return F.normalize(features.x_NH, dim=1) @ self._rows().to(features.x_NH.dtype).T

    def finalize(self, classifier: nn.Linear) -> None:
        write_rows(classifier, self._rows())

    def _rows(self) -> Tensor:
        return F.normalize(self.centres_CH, dim=1) / self.config.temperature
