"""Arrays of Bernoulli variates: digits of a uniform real against brackets of a probability.

A lane of w bits is the cell ``[v, v + 1] / 2**w`` of a uniform real U. With ``low <= 2**w p <= high`` certified, a lane
``v < low`` means U < p and a lane ``v >= high`` means U >= p, for every continuation of the digits. The one or two
lanes in between are continued with fresh digits until `is_below` decides, so that P(True) is p itself.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_arguments import Shape, array_shape, exact_rational
from dpmatrix.randomness.fast_rectangles import CHUNK, check_same_process, take_words
from dpmatrix.randomness.fast_threshold import Threshold, is_below

LANE_BITS = 16


def bernoulli(probability: Fraction | int, shape: Shape, entropy: Entropy) -> npt.NDArray[np.bool_]:
    """Draw an array of independent Booleans that are True with a rational probability.

    Parameters
    ----------
    probability
        A rational in [0, 1].
    shape
        Shape of the array.
    entropy
        Source of the words.

    Raises
    ------
    InvalidParameterError
        If the probability is not a rational in [0, 1], or the shape is not one.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    """
    exact = exact_rational(probability, "probability")
    if not 0 <= exact <= 1:
        raise InvalidParameterError("probability", f"{exact} is outside [0, 1]", "pass a probability")
    return below_threshold(Threshold(exact), shape, entropy)


def bernoulli_exp(rate: Fraction | int, shape: Shape, entropy: Entropy) -> npt.NDArray[np.bool_]:
    """Draw an array of independent Booleans that are True with probability ``exp(-rate)``.

    Parameters
    ----------
    rate
        A rational, at least 0.
    shape
        Shape of the array.
    entropy
        Source of the words.

    Raises
    ------
    InvalidParameterError
        If the rate is not a rational, or negative, or the shape is not one.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    """
    exact = exact_rational(rate, "rate")
    if exact < 0:
        raise InvalidParameterError("rate", f"exp(-({exact})) is not a probability", "pass a rate of at least 0")
    return below_threshold(Threshold(Fraction(1), exact), shape, entropy)


def below_threshold(
    threshold: Threshold, shape: Shape, entropy: Entropy, lane_bits: int = LANE_BITS
) -> npt.NDArray[np.bool_]:
    """Draw an array of Booleans that are True with the probability of a threshold in [0, 1].

    ``lane_bits`` is 8, 16, 32 or 64; it changes the cost, never the law.
    """
    sizes = array_shape(shape)
    identity = process_identity()
    kept = np.empty(prod(sizes), np.bool_)
    per_word = 64 // lane_bits
    for start in range(0, len(kept), per_word * CHUNK):
        part = kept[start : start + per_word * CHUNK]
        words = take_words(entropy, -(-len(part) // per_word))
        lanes = words.view(f"u{lane_bits // 8}")[: len(part)]
        part[:] = decide_lanes(lanes, threshold, entropy)
    check_same_process(identity)
    return kept.reshape(sizes)


def decide_lanes(
    lanes: npt.NDArray[np.unsignedinteger], threshold: Threshold, entropy: Entropy
) -> npt.NDArray[np.bool_]:
    """Decide for each lane whether its uniform real lies below the threshold."""
    bits = 8 * lanes.dtype.itemsize
    low, high = threshold.bracket(bits)
    # A bound that does not fit the lane leaves nothing on its far side.
    most = (1 << bits) - 1
    kept = lanes < lanes.dtype.type(low) if low <= most else np.ones(len(lanes), np.bool_)
    if high > low and low <= most:
        within = ~kept & (lanes < lanes.dtype.type(high)) if high <= most else ~kept
        for index in np.flatnonzero(within):
            kept[index] = is_below(threshold, int(lanes[index]), bits, entropy)
    return kept
