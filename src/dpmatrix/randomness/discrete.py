"""Discrete laws drawn exactly, with integers alone.

Canonne, Kamath and Steinke, *The Discrete Gaussian for Differential Privacy*, 2020, Algorithms 1 to 3. Each function
is a decision tree over fair bits whose leaves carry exactly the stated probabilities; none evaluates an exponential.
All of them stop with probability one, after a random number of bits. A source that makes one of them try `MOST_ROUNDS`
times, which fair bits do with a probability below 10^-100, is refused: constant bits would go on for ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness.entropy import Entropy

MOST_ROUNDS = 1000


def _rounds(entropy: Entropy) -> Iterator[int]:
    """Count attempts from 1.

    Raises
    ------
    EntropyError
        After `MOST_ROUNDS` of them.
    """
    yield from range(1, MOST_ROUNDS + 1)
    raise EntropyError(f"{entropy.description} gave no bits that end a draw in {MOST_ROUNDS} rounds")


def uniform_below(bound: int, entropy: Entropy) -> int:
    """Draw a uniform integer in ``[0, bound)``.

    A word with as many bits as ``bound - 1`` is uniform on its range; conditioned on falling below ``bound`` it is
    uniform there. Each attempt succeeds with probability above one half.

    Raises
    ------
    InvalidParameterError
        If ``bound < 1``.
    EntropyError
        If the source gives more bits than it was asked for, or too many attempts fail.
    """
    if bound < 1:
        raise InvalidParameterError("bound", f"{bound} leaves nothing to draw", "pass a bound of at least 1")
    width = (bound - 1).bit_length()
    attempts = _rounds(entropy)
    while True:
        next(attempts)
        word = entropy.bits(width)
        if word >> width:
            raise EntropyError(f"{entropy.description} gave more than {width} bits")
        if word < bound:
            return word


def bernoulli(probability: Fraction, entropy: Entropy) -> bool:
    """Draw True with the given rational probability: a uniform integer falls below the numerator.

    Raises
    ------
    InvalidParameterError
        If the probability is outside [0, 1].
    """
    if not 0 <= probability <= 1:
        raise InvalidParameterError("probability", f"{probability} is outside [0, 1]", "pass a probability")
    return uniform_below(probability.denominator, entropy) < probability.numerator


def bernoulli_exp(rate: Fraction, entropy: Entropy) -> bool:
    """Draw True with probability ``exp(-rate)``, for a rational ``rate >= 0``.

    For ``rate <= 1``, draw Bernoulli(rate / k) for k = 1, 2, ... up to the first failure, at k = K. Then
    ``P(K > k) = rate**k / k!``, so K is odd with probability ``1 - rate + rate**2/2! - ... = exp(-rate)``.
    A larger rate is a sum of units and a remainder, and the probabilities multiply.

    Raises
    ------
    InvalidParameterError
        If ``rate < 0``.
    EntropyError
        As in `uniform_below`.
    """
    if rate < 0:
        raise InvalidParameterError("rate", f"exp(-({rate})) is not a probability", "pass a rate of at least 0")
    whole, remainder = divmod(rate, 1)
    one = Fraction(1)
    return all(_bernoulli_exp_unit(one, entropy) for _ in range(whole)) and _bernoulli_exp_unit(remainder, entropy)


def _bernoulli_exp_unit(rate: Fraction, entropy: Entropy) -> bool:
    trials = _rounds(entropy)
    trial = next(trials)
    while bernoulli(rate / trial, entropy):
        trial = next(trials)
    return trial % 2 == 1


def discrete_laplace(scale: Fraction, entropy: Entropy) -> int:
    """Draw k with probability proportional to ``exp(-|k| / scale)`` over the integers.

    Write ``scale = t / s``. A uniform residue U below t, kept with probability ``exp(-U/t)``, and a count V of
    successes of probability ``exp(-1)`` make ``X = U + t V`` geometric: ``P(X = x)`` is proportional to ``exp(-x/t)``.
    Then ``Y = X // s`` is geometric with ratio ``exp(-s/t)``, and a fair sign, with "minus zero" drawn again, makes
    it two-sided.

    Raises
    ------
    InvalidParameterError
        If ``scale <= 0``.
    EntropyError
        As in `uniform_below`.
    """
    if scale <= 0:
        raise InvalidParameterError("scale", f"{scale} is not positive", "pass a positive rational scale")
    one, attempts = Fraction(1), _rounds(entropy)
    while True:
        next(attempts)
        residue = uniform_below(scale.numerator, entropy)
        if not bernoulli_exp(Fraction(residue, scale.numerator), entropy):
            continue
        counted = _rounds(entropy)
        quotient = 0
        while bernoulli_exp(one, entropy):
            quotient = next(counted)
        magnitude = (residue + scale.numerator * quotient) // scale.denominator
        negative = entropy.bits(1) == 1
        if negative and magnitude == 0:
            continue
        return -magnitude if negative else magnitude


def geometric(scale: Fraction, entropy: Entropy) -> int:
    """Draw k >= 0 with probability proportional to ``exp(-k / scale)``.

    A discrete Laplace variate, given that it is not negative, has this law.

    Raises
    ------
    InvalidParameterError
        If ``scale <= 0``.
    EntropyError
        As in `uniform_below`.
    """
    attempts = _rounds(entropy)
    while True:
        next(attempts)
        value = discrete_laplace(scale, entropy)
        if value >= 0:
            return value


def discrete_gaussian(variance: Fraction, entropy: Entropy) -> int:
    """Draw k with probability proportional to ``exp(-k**2 / (2 variance))`` over the integers.

    A discrete Laplace variate of scale ``t = floor(sqrt(variance)) + 1`` is kept with probability
    ``exp(-(|k| - variance/t)**2 / (2 variance))``; the product of the two exponents is ``-k**2/(2 variance)`` plus a
    constant.

    Raises
    ------
    InvalidParameterError
        If ``variance <= 0``.
    EntropyError
        As in `uniform_below`.
    """
    if variance <= 0:
        raise InvalidParameterError("variance", f"{variance} is not positive", "pass a positive rational variance")
    scale = Fraction(math.isqrt(variance.numerator // variance.denominator) + 1)
    attempts = _rounds(entropy)
    while True:
        next(attempts)
        candidate = discrete_laplace(scale, entropy)
        if bernoulli_exp((abs(candidate) - variance / scale) ** 2 / (2 * variance), entropy):
            return candidate
