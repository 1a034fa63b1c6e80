"""Numbers that are likelihood ratios of additive noise in every entry, for matrices that need not be symmetric.

For Laplace noise on all entries the likelihood ratio is a difference of l1 distances over all of them, and so it is for
noise on one triangle that was averaged with its transpose, where an entry off the diagonal has half the noise and
counts twice. For Gaussian noise it is the inner product with the change of the statistic.
"""

from __future__ import annotations

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.family import FeatureFamily


def _along(what: str, reference: FloatArray, other: FloatArray) -> FeatureFamily:
    """Compare outputs with two references of their shape, over all entries."""
    first, second = reference.ravel(), other.ravel()
    change = first - second
    triangle = np.triu(reference - other).ravel() if reference.ndim == 2 else np.sign(change)
    directions = np.stack([change, triangle])

    def compute(batch: FloatArray) -> FloatArray:
        flat = batch.reshape(len(batch), -1)
        nearer = np.abs(flat - second).sum(axis=1) - np.abs(flat - first).sum(axis=1)
        return np.concatenate([nearer[None], directions @ flat.T])

    part = "its upper triangle" if reference.ndim == 2 else "its signs"
    return FeatureFamily(
        (
            f"over all entries, the l1 distance to {what} of the neighbour less that to {what} of the data",
            f"the inner product with the change of {what}",
            f"the inner product with the change of {what}, {part} alone",
        ),
        compute,
    )


def _positives(data: FloatArray) -> FloatArray:
    return np.asarray(np.count_nonzero(data > 0, axis=0), dtype=np.float64)


def additive_noise_families(
    pair: NeighbouringPair, output_shape: tuple[int, ...], norm_bound: float = 1.0
) -> tuple[FeatureFamily, ...]:
    """List families for outputs of the dimension of the data; parameters as for `feature_families`.

    Matrices are compared with the second moment; vectors with the sum of the records and with the number of positive
    entries in every coordinate, as counting queries have it. There is nothing for other outputs.
    """
    sizes = set(output_shape)
    if sizes != {pair.data.shape[1]} or len(output_shape) > 2:
        return ()
    both = (pair.data, pair.neighbour)
    if len(output_shape) == 2:
        named = [("X'X", [norm_bound**2 * (data.T @ data) for data in both])]
    else:
        named = [
            ("the sum of the records", [norm_bound * data.sum(axis=0) for data in both]),
            ("the counts of positive entries", [_positives(data) for data in both]),
        ]
    return tuple(_along(what, *values) for what, values in named if not np.array_equal(values[0], values[1]))
