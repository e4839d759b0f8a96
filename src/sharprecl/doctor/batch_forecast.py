"""What a batch of these texts will look like to a contrastive loss."""

from collections.abc import Mapping

import numpy as np

from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.data.batch_statistics import chance_alone, expected_classes, expected_pairs, largest_over_smallest
from sharprecl.doctor.diagnosis import BatchOutlook


def forecast_batches(counts: Mapping[str, int], batch_size: int) -> BatchOutlook:
    """Compute the figures of a batch, exactly: training draws its batches at random.

    Args:
        counts: training texts by class name, largest class first, each at least 1.
        batch_size: texts a batch, at least 1; above the number of texts it means all of them.

    Raises:
        ConfigError: a batch size below 1.
    """
    count_C = np.fromiter(counts.values(), dtype=np.int64)
    two_views = largest_over_smallest(expected_pairs(count_C, batch_size, views=2))
    balanced = largest_over_smallest(expected_pairs(count_C, batch_size, 2, True, SharpReCLConfig().n_pos))
    assert two_views is not None, "with two views every text has a positive"
    assert balanced is not None, "and with prototypes every class has one"
    return BatchOutlook(
        batch_size=batch_size,
        expected_classes=expected_classes(count_C, batch_size),
        alone=dict(zip(counts, chance_alone(count_C, batch_size).tolist(), strict=True)),
        pair_ratio=largest_over_smallest(expected_pairs(count_C, batch_size)),
        two_view_pair_ratio=two_views,
        balanced_pair_ratio=balanced,
        # By construction: in SharpReCL every anchor faces n_pos + n_neg synthetic samples of every class, however rare.
        rebalanced_pair_ratio=1.0,
        classes_with_prototypes=len(counts),
    )
