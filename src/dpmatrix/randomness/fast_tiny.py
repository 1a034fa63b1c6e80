r"""Discrete laws so narrow that nearly every variate is zero, drawn many at a time, and why they are exact.

*Laplace.* With ``q = exp(-1 / scale)`` let a proposal be a magnitude M >= 0 with ``P(M = m) = (1 - q) q**m`` and a fair
sign, refused where it is "minus zero": as in `discrete.discrete_laplace`. One comparison with q, for all variates
together, tells whether M is zero; if it is not, M - 1 has the law of M again and is drawn by the reference sampler,
which hardly ever happens.

*Gaussian.* With the Laplace law of scale ``2 variance`` for the proposal, ``exp(-(m**2 - m) / (2 variance))`` is the
probability with which a magnitude m is kept: the product is ``exp(-m**2 / (2 variance))`` times the constant of the
proposal. It is one for zero and one.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpmatrix.errors import OutOfRangeError
from dpmatrix.randomness import discrete
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_bernoulli import bernoulli, bernoulli_exp
from dpmatrix.randomness.fast_rectangles import LARGEST, check_same_process
from dpmatrix.randomness.fast_tables import Integers


def tiny_laplace(scale: Fraction, count: int, entropy: Entropy) -> Integers:
    """Draw independent k with probability proportional to ``exp(-|k| / scale)``, for any scale, best for a small one.

    Parameters
    ----------
    scale
        A positive rational.
    count
        How many.
    entropy
        Source of the bits.

    Raises
    ------
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    OutOfRangeError
        If a variate does not fit 64 bits.
    """
    return _draw(scale, Fraction(0), count, entropy)


def tiny_gaussian(variance: Fraction, count: int, entropy: Entropy) -> Integers:
    """Draw independent k with probability proportional to ``exp(-k**2 / (2 variance))``; else as `tiny_laplace`."""
    return _draw(2 * variance, 1 / (2 * variance), count, entropy)


def _draw(scale: Fraction, curvature: Fraction, count: int, entropy: Entropy) -> Integers:
    """Draw k with probability proportional to ``exp(-|k| / scale - curvature (k**2 - |k|))``."""
    identity = process_identity()
    values = np.zeros(count, np.int64)
    left = np.arange(count)
    while len(left):
        negative = bernoulli(Fraction(1, 2), len(left), entropy)
        refused = negative.copy()
        for index in np.flatnonzero(bernoulli_exp(1 / scale, len(left), entropy)):
            magnitude = 1 + discrete.geometric(scale, entropy)
            if magnitude > LARGEST:
                raise OutOfRangeError(f"a variate of magnitude {magnitude} is above {LARGEST}")
            values[left[index]] = -magnitude if negative[index] else magnitude
            refused[index] = not discrete.bernoulli_exp(curvature * (magnitude**2 - magnitude), entropy)
        left = left[refused]
        values[left] = 0
    check_same_process(identity)
    return values
