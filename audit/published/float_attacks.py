"""Attacks on noise in floating point before there were auditors of it, and a mechanism against one of them.

Mironov (2012): Laplace noise by the textbook's formula cannot take all values, and which it can tells the number. His
snapping mechanism rounds the sum to a grid that is as wide as the noise. Jin, McMurtry, Rubinstein and Ohrimenko
(2022): samplers that make two normal numbers at once. Haney, Desfontaines, Hartman, Shrestha and Hay (2022): noise that
takes all floats, so that nothing is wrong but the last addition.

Claims are epsilon 1, and delta 0.001 of normal noise of the classic deviation, on the numbers 0 and 1.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.peers.claims import classic
from audit.published import float_noise, words
from audit.published.delta_siege import CLASSIC, DELTA, EPSILON, INPUTS
from audit.published.mechanisms import first_columns
from audit.published.record import FloatArray, Published, Truth, answers
from audit.published.words import finer
from dpmatrix.auditing import Target

BITS, DOUBLE = 32, 53
BOUND = 32
PAIRS = (answers("0 and 1, twice", [0.0, 0.0], [1.0, 1.0]),)
NUMBER = "one number, which a change of the data moves by at most 1"
BOTH = math.sqrt(2) * CLASSIC


def snapping(scale: float, bound: int) -> Target:
    """Clip the number, add textbook noise, round to an integer, and clip again; the scale is between 1/2 and 1."""
    noise = float_noise.laplace(scale, DOUBLE)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        number = min(max(float(data[0, 0]), -bound), bound)
        return np.asarray(np.clip(np.rint(number + noise(size, generator)), -bound, bound), dtype=np.float64)

    return target


def snapped_law(number: float, scale: float, bound: int) -> dict[float, float]:
    """Return the law of snapping over the real numbers: the mass of Laplace noise in every cell of the grid."""

    def below(edge: float) -> float:
        far = (edge - number) / scale
        return math.exp(far) / 2 if far < 0 else 1 - math.exp(-far) / 2

    def above(edge: float) -> float:
        return below(2 * number - edge)

    def cell(place: int) -> float:
        if place == -bound:
            return below(place + 0.5)
        if place == bound:
            return above(place - 0.5)
        # From the side on which there is no cancellation.
        side = below if place <= number else above
        return abs(side(place + 0.5) - side(place - 0.5))

    return {float(place): cell(place) for place in range(-bound, bound + 1)}


def _snapped() -> Truth:
    laws = [snapped_law(number, 1 / EPSILON, BOUND) for number in (0.0, 1.0)]
    loss = max(abs(math.log(mass / laws[1][place])) for place, mass in laws[0].items())
    return Truth(loss, exact=True, how="closed form of the law on the grid, noise taken for real numbers")


_number = partial(
    Published,
    epsilon=EPSILON,
    domain=NUMBER,
    inputs=INPUTS,
    low_bits=True,
)
_fault = "noise and sum are floats of double precision"
_added = float_noise.added

RECORDS = (
    _number(
        name="mironov/laplace",
        source="Mironov 2012, section 3: the textbook sampler",
        summary="Laplace noise by inversion, from a uniform number of 53 bits and a sign",
        fault=_fault,
        mechanism=_added(float_noise.laplace(1 / EPSILON, DOUBLE)),
        truth=lambda: finer(words.laplace(1 / EPSILON, DOUBLE), 0.0),
    ),
    _number(
        name="mironov/snapping",
        source="Mironov 2012, section 5: the snapping mechanism, whose epsilon is a little more than 1 over the scale",
        summary="the sum of a number and textbook noise, rounded to an integer and clipped to 32",
        epsilon=EPSILON * (1 + BOUND * 2.0**-49),
        mechanism=snapping(1 / EPSILON, BOUND),
        truth=_snapped,
    ),
    _number(
        name="jin/gaussian-box-muller-both",
        source="Jin et al. 2022; of Delta-Siege the option return_s2",
        summary="two numbers with the two normal numbers of Box and Muller",
        delta=DELTA,
        domain="two numbers, each of which a change of the data moves by at most 1",
        inputs=PAIRS,
        fault=_fault,
        mechanism=_added(float_noise.box_muller(BOTH, BITS, both=True)),
        noise_claims=lambda: classic(CLASSIC),
        compact=first_columns(1),
        truth=lambda: finer(words.box_muller(BOTH, BITS), DELTA),
    ),
    _number(
        name="haney/laplace-all-floats",
        source="Haney et al. 2022: what is left where noise is sampled in full precision",
        summary="Laplace noise from uniform numbers with all floats between 0 and 1/2",
        fault="noise and sum are floats, of which the sum is rounded",
        mechanism=_added(float_noise.dense_laplace(1 / EPSILON)),
        truth=lambda: finer(words.dense_laplace(1 / EPSILON), 0.0),
    ),
)
