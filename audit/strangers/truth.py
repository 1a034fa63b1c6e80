"""The exact epsilon of normal noise at a delta, from the distribution function of the normal law."""

from __future__ import annotations

import math


def gaussian_epsilon(sensitivity: float, scale: float, delta: float) -> float:
    """Return the least epsilon at which normal noise of this standard deviation hides a shift, to 1e-12."""
    shift = sensitivity / scale
    low, high = 0.0, 100.0
    while high - low > 1e-12:
        epsilon = (low + high) / 2
        above, below = (math.erfc((epsilon / shift - side * shift / 2) / math.sqrt(2)) / 2 for side in (1, -1))
        low, high = (low, epsilon) if above - math.exp(epsilon) * below <= delta else (epsilon, high)
    return high
