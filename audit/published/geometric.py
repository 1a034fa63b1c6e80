"""Truncated geometric noise from one uniform integer: GeoSample of Balcer and Vadhan (2018), Algorithm 4.8."""

from __future__ import annotations

import numpy as np

from audit.published.record import FloatArray
from dpmatrix.auditing import Target


def cumulated(count: int, bits: int, persons: int) -> list[int]:
    """Return the integers F(0), ..., F(n), of which F(n) is the number of equally likely integers."""
    more = 2**bits + 1
    total = (2 ** (bits + 1) + 1) * more ** (persons - 1)
    found = []
    for output in range(persons):
        distance = count - output
        if distance > 0:
            found.append(2 ** (bits * distance) * more ** (persons - distance))
        else:
            found.append(total - 2 ** (bits * (1 - distance)) * more ** (persons - 1 + distance))
    return [*found, total]


def geometric_sampler(bits: int, persons: int) -> Target:
    """Release a count between 0 and the number of persons: the first z with F(z) at least a uniform integer."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        steps = cumulated(int(data[0, 0]), bits, persons)
        return np.searchsorted(steps, generator.integers(1, steps[-1] + 1, size=size)).astype(np.float64)

    return target


def geometric_law(row: FloatArray, bits: int, persons: int) -> dict[int, float]:
    """Return the law that the algorithm is to sample: two-sided geometric noise, clamped to 0 and the persons."""
    ratio = 2**bits / (2**bits + 1)
    count = int(row[0])
    inner = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z - count) for z in range(1, persons)}
    return {0: ratio**count / (1 + ratio), **inner, persons: ratio ** (persons - count) / (1 + ratio)}
