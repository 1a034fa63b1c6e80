"""Which outputs a centre can give at all, for a sampler that is known: the attack of Mironov (2012).

A generator of k-bit uniforms has ``2**k`` values, and a noise made of one of them has no more. Whether an output is
among the values of a centre is found by bisection, since inverse distribution functions and rounded additions are
monotone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.representation.bits import IntegerArray
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer

NoiseAt: TypeAlias = Callable[[IntegerArray], FloatArray]

_MOST_BITS = 62


def reachable(outputs: FloatArray, centre: float, noise_at: NoiseAt, *, grid_bits: int = 53) -> NDArray[np.bool_]:
    """Tell which outputs ``centre + noise_at(k)``, in floating point, gives for some k in ``[0, 2**grid_bits)``.

    Any function of an output defines an event, so an audit of "reachable from the data" by `delta_lower_bound` is valid
    even if ``noise_at`` is not the sampler's; it is only of no use then.

    Parameters
    ----------
    outputs
        Shape (b,), finite.
    centre
        Finite.
    noise_at
        Maps integers of shape (b,) to the noise that the sampler makes of them, shape (b,); non-decreasing, as an
        inverse distribution function at ``k / 2**grid_bits`` is.
    grid_bits
        Bits of the generator's uniforms, from 1 to 62.

    Returns
    -------
    ndarray of bool
        Shape (b,).

    Raises
    ------
    InvalidParameterError
        If the outputs are not a finite vector, the centre is not finite, or ``grid_bits`` is out of its range.
    """
    points = np.asarray(outputs, dtype=np.float64)
    if points.ndim != 1 or not np.all(np.isfinite(points)):
        raise InvalidParameterError("outputs", "they are not a finite vector", "pass shape (b,)")
    if not np.isfinite(centre):
        raise InvalidParameterError("centre", f"{centre!r} is not finite", "pass a finite number")
    if positive_integer(grid_bits, "grid_bits") > _MOST_BITS:
        raise InvalidParameterError("grid_bits", f"{grid_bits} bits do not fit", "pass at most 62")
    last = (1 << grid_bits) - 1
    low = np.zeros(points.shape, dtype=np.int64)
    high = np.full(points.shape, last, dtype=np.int64)
    # The least k whose output is not below the point; the last k where there is none.
    for _ in range(grid_bits):
        middle = low + (high - low) // 2
        below = centre + noise_at(middle) < points
        low, high = np.where(below, np.minimum(middle + 1, high), low), np.where(below, high, middle)
    return np.asarray(centre + noise_at(low) == points)
