"""Outputs as values that are equal or not, and what the bounds of their tests are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray

NATS = 40.0
"""Minus the logarithm of the probability, at most, that one comparison of independent outputs of one law fails."""

FEW_COORDINATES = 16
"""So many coordinates are looked at one by one."""


def columns_of(batch: FloatArray) -> NDArray[np.int64]:
    """Return the bits of the coordinates, shape (m, k); the two zeros are one, and so are all NaN."""
    flat = batch.reshape(len(batch), -1) + 0.0
    return np.ascontiguousarray(np.where(np.isnan(flat), np.nan, flat)).view(np.int64)


def codes_of(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Give every distinct row a number, shape (m,)."""
    return np.asarray(np.unique(columns, axis=0, return_inverse=True)[1], dtype=np.int64).ravel()


def log_factorials(largest: int, shift: float = 0.0) -> FloatArray:
    """Return the logarithms of ``(1 - shift) (2 - shift) ... (n - shift)`` for n from 0 on, without scipy."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1) - shift))])
