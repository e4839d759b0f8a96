"""A method as a loss for any training loop: plain PyTorch, the Trainer of transformers, sentence-transformers."""

from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from torch import Tensor, nn

from sharprecl.config import method_settings, refusals
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch, LossTerms, Progress
from sharprecl.methods.registry import method_class
from sharprecl.models.features import Features


class MethodLoss(nn.Module):
    """The loss of a method on whatever a linear classifier last saw::

        loss = MethodLoss("sharprecl", model.classifier, class_counts, total_steps=1000)
        optimizer = torch.optim.AdamW([*model.parameters(), *loss.parameters()])
        ...
        model(**batch)
        loss(labels).backward()

    The classifier's input are the features, its rows the classes. Side modules such as projection heads are this
    module's parameters: give them to the optimiser, and throw them away after training.

    Attributes:
        terms: the parts of the last loss by name, for logging.
        step: how many losses with gradients there were.
    """

    step: Tensor

    def __init__(
        self,
        method: str,
        classifier: nn.Linear,
        class_counts: Any,
        *,
        total_steps: int,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """Build the method's side modules.

        Args:
            method: a name of ``sharprecl methods``, or ``module:Class``.
            classifier: the model's last layer, H to C; called once a step, for two views on all rows at once.
            class_counts: training texts of each class, [C].
            total_steps: losses with gradients that training will ask for; what follows a schedule follows this.
            seed: of the side modules' weights and of all draws.
            settings: the method's own, as in ``temperature=0.7``.

        Raises:
            ConfigError: the method needs more than a loss, or its settings or the classifier do not fit.
        """
        super().__init__()
        section = method_settings(method)
        if section.more_than_a_loss:
            raise ConfigError(f"{method} is more than a loss: {section.more_than_a_loss}; train it with TextClassifier")
        counts_C = np.asarray(class_counts, dtype=np.int64)
        if classifier.out_features != len(counts_C):
            raise ConfigError(
                f"the classifier has {classifier.out_features} classes and class_counts {len(counts_C)}; give the "
                f"number of training texts of every class, in the order of the classifier's rows"
            )
        if total_steps < 1:
            raise ConfigError(f"total_steps is {total_steps}; give the number of training steps")
        try:
            config = section(**settings)
        except ValidationError as error:
            raise ConfigError(refusals(error)) from error
        self.method = method_class(method).build(_Shape(classifier), counts_C, config, seed)
        if self.method.wants_features:
            raise ConfigError(f"these settings make {method} more than a loss; train it with TextClassifier")
        self.terms: LossTerms = {}
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))
        self._total_steps = total_steps
        # In a tuple, since the classifier is the model's and not this module's.
        self._classifier = (classifier,)
        self._seen: tuple[Tensor, Tensor] | None = None
        classifier.register_forward_hook(self._see)

    def forward(self, labels: Tensor) -> Tensor:
        """The loss of the classifier's last call, a scalar.

        Args:
            labels: class ids [B]. The classifier saw V B rows: the first views of all texts, then the second ones.

        Raises:
            ConfigError: the classifier was not called since the last loss, or on another number of rows.
        """
        if self._seen is None:
            raise ConfigError("the classifier was not called since the last loss; call the model first, then the loss")
        (x_NH, s_NC), self._seen = self._seen, None
        n_views, left = divmod(len(x_NH), max(len(labels), 1))
        if left or not n_views:
            raise ConfigError(
                f"the classifier saw {len(x_NH)} rows for {len(labels)} labels; call the model once a step, with all "
                f"views of all texts"
            )
        (classifier,) = self._classifier
        features = Features(x_NH, s_NC, classifier.weight, b_C=classifier.bias)
        step = min(int(self.step), self._total_steps)
        progress = Progress(step, self._total_steps, step, self._total_steps)
        terms: LossTerms = self.method(Batch(labels, n_views), features, progress)
        self.terms = {name: term.detach() for name, term in terms.items()}
        if torch.is_grad_enabled():
            self.step += 1
        return terms["total"]

    def finalize(self) -> None:
        """Write into the classifier what the method answers with; call it once, after training."""
        (classifier,) = self._classifier
        self.method.finalize(classifier)

    def _see(self, classifier: nn.Module, inputs: tuple[Tensor, ...], s_NC: Tensor) -> None:
        del classifier
        self._seen = inputs[0], s_NC


class _Shape:
    """What a method asks of a backbone when it is built."""

    def __init__(self, classifier: nn.Linear) -> None:
        self.feature_dim, self.num_classes = classifier.in_features, classifier.out_features
