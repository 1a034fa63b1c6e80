"""Discrete Laplace and discrete Gaussian noise of any rational scale, by the fastest road that is exact there.

Scales from `SMALLEST_SCALE` to `LARGEST_SCALE` are drawn by `fast_discrete`, larger ones by `wide_laplace` or
`wide_gaussian`, and smaller ones by the reference sampler. All three have exactly the same law.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import Exact
from dpmatrix.randomness import discrete, fast_discrete
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_arguments import array_shape, exact_rational
from dpmatrix.randomness.fast_bernoulli import bernoulli
from dpmatrix.randomness.fast_discrete import LARGEST_SCALE, SMALLEST_SCALE
from dpmatrix.randomness.fast_rectangles import check_same_process

QUOTIENT_BITS = 20


def discrete_laplace_noise(scale: Exact, count: int, entropy: Entropy) -> list[int]:
    """Draw independent k with probability proportional to ``exp(-|k| / scale)`` over the integers.

    Parameters
    ----------
    scale
        A positive rational.
    count
        How many, at least zero.
    entropy
        Source of the bits.

    Returns
    -------
    list of int
        Python integers, so that a sum with them cannot wrap.

    Raises
    ------
    InvalidParameterError
        If the scale is not a positive rational, or the count is negative.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    OutOfRangeError
        If a part of a variate does not fit 64 bits: probability below ``exp(-2**22)`` for each, whatever is added to
        the noise.
    """
    exact = exact_rational(scale, "scale")
    if exact <= 0:
        raise InvalidParameterError("scale", f"{exact} is not positive", "pass a positive rational scale")
    (size,) = array_shape(count)
    identity = process_identity()
    if exact > LARGEST_SCALE:
        quotient = exact.numerator // exact.denominator
        values = wide_laplace(exact, size, entropy, quotient.bit_length() - 1 - QUOTIENT_BITS)
    elif exact >= SMALLEST_SCALE:
        values = fast_discrete.discrete_laplace(exact, size, entropy).tolist()
    else:
        values = [discrete.discrete_laplace(exact, entropy) for _ in range(size)]
    check_same_process(identity)
    return values


def discrete_gaussian_noise(variance: Exact, count: int, entropy: Entropy) -> list[int]:
    """Draw independent k with probability proportional to ``exp(-k**2 / (2 variance))`` over the integers.

    Parameters, result and errors are those of `discrete_laplace_noise`, with a variance in place of the scale.
    """
    exact = exact_rational(variance, "variance")
    if exact <= 0:
        raise InvalidParameterError("variance", f"{exact} is not positive", "pass a positive rational variance")
    (size,) = array_shape(count)
    identity = process_identity()
    if exact > LARGEST_SCALE**2:
        values = wide_gaussian(exact, size, entropy)
    elif exact >= SMALLEST_SCALE**2:
        values = fast_discrete.discrete_gaussian(exact, size, entropy).tolist()
    else:
        values = [discrete.discrete_gaussian(exact, entropy) for _ in range(size)]
    check_same_process(identity)
    return values


def wide_gaussian(variance: Fraction, count: int, entropy: Entropy) -> list[int]:
    """Draw discrete Gaussian variates of a large variance as `discrete.discrete_gaussian` does, many at a time.

    Candidates come from `discrete_laplace_noise`; each is kept or refused on its own, and the first ``count`` that are
    kept are independent variates, because how many are drawn together does not depend on their values.

    Parameters
    ----------
    variance
        A positive rational.
    count
        How many.
    entropy
        Source of the bits.
    """
    scale = Fraction(isqrt(variance.numerator // variance.denominator) + 1)
    values: list[int] = []
    while len(values) < count:
        # About three in four are kept.
        candidates = discrete_laplace_noise(scale, 8 + (count - len(values)) * 4 // 3, entropy)
        values += [
            candidate
            for candidate in candidates
            if discrete.bernoulli_exp((abs(candidate) - variance / scale) ** 2 / (2 * variance), entropy)
        ]
    return values[:count]


def wide_laplace(scale: Fraction, count: int, entropy: Entropy, residue_bits: int) -> list[int]:
    """Draw discrete Laplace variates of a large scale t from quotient and residue of the magnitude by w = 2**k.

    *Proof.* Draw Q >= 0 geometric of scale ``t / w``, R uniform in [0, w) and a fair sign, and keep them with
    probability ``exp(-R / t)``, unless the result is "minus zero". The probability of ``Q w + R`` with either sign is
    proportional to ``exp(-Q w / t) exp(-R / t)``, and ``Q w + R`` runs once through the integers >= 0. A refusal
    starts afresh, and any sampler of the law may do that: the reference sampler does.

    The event of probability ``exp(-R / t)`` is that of `discrete.bernoulli_exp`: the first failure, at trial K, of
    trials of probability ``(R/t) / trial`` has an odd K. The first trial succeeds when two independent ones do, of
    probabilities ``w / t`` and ``R / w``; the former is drawn for all variates together and is rare for w far below t.

    Parameters
    ----------
    scale
        t, with ``t / w`` from 1 to `LARGEST_SCALE`.
    count
        How many.
    entropy
        Source of the bits.
    residue_bits
        k, at least zero.
    """
    width = 1 << residue_bits
    quotients = fast_discrete.geometric(scale / width, count, entropy).tolist()
    firsts = bernoulli(width / scale, count, entropy).tolist()
    values = []
    for quotient, first in zip(quotients, firsts, strict=True):
        word = _take_bits(entropy, residue_bits + 1)
        residue, negative = word >> 1, word & 1
        magnitude = quotient * width + residue
        refused = (negative and magnitude == 0) or (first and not _kept(residue, width, scale, entropy))
        signed = -magnitude if negative else magnitude
        values.append(discrete.discrete_laplace(scale, entropy) if refused else signed)
    return values


def _kept(residue: int, width: int, scale: Fraction, entropy: Entropy) -> bool:
    """Go on after the first half of the first trial has succeeded."""
    if not discrete.bernoulli(Fraction(residue, width), entropy):
        return True
    trial = 2
    while discrete.bernoulli(residue / (scale * trial), entropy):
        trial += 1
    return trial % 2 == 1


def _take_bits(entropy: Entropy, count: int) -> int:
    word: object = entropy.bits(count)
    if not isinstance(word, int) or not 0 <= word < 1 << count:
        raise EntropyError(f"{entropy.description} did not give {count} bits")
    return word
