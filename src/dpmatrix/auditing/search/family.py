"""Numbers that are read off outputs together.

Nothing here needs to be accurate for an audit to be valid: any deterministic function of the output defines an event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray

Evaluation: TypeAlias = Callable[[FloatArray], FloatArray]
RowEvaluation: TypeAlias = Callable[[FloatArray, Sequence[int]], FloatArray]


@frozen
class FeatureFamily:
    """Named numbers that are computed together.

    Attributes
    ----------
    names
        What each number is, in words; k of them.
    compute
        Maps a batch of b finite outputs to an array of shape (k, b).
    compute_rows
        Computes some of the rows, shape (rows, b), where that is less work than to compute all.
    takes_all
        Whether ``compute`` is for outputs that are not finite as well.
    """

    names: tuple[str, ...]
    compute: Evaluation
    compute_rows: RowEvaluation | None = None
    takes_all: bool = False

    def evaluate(self, batch: FloatArray, rows: Sequence[int] | None = None) -> FloatArray:
        """Return all numbers, shape (k, b), or some of them, without NaN.

        They are minus infinity for an output that is not finite or has no such number.
        """
        if self.takes_all:
            return self.compute(batch)
        finite = np.isfinite(batch).reshape(len(batch), -1).all(axis=1)
        inner = batch if finite.all() else np.where(finite.reshape(-1, *[1] * (batch.ndim - 1)), batch, 0.0)
        with np.errstate(all="ignore"):
            if rows is not None and self.compute_rows is not None:
                values = np.array(self.compute_rows(inner, rows), dtype=np.float64)
            else:
                values = np.array(self.compute(inner), dtype=np.float64).reshape(len(self.names), len(batch))
                values = values if rows is None else values[list(rows)]
        values[np.isnan(values) | ~finite] = -np.inf
        return values
