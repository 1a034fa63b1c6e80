"""Families of lines are what they are said to be, and as large as Lemmas 11 and 18 of `near-optimal` guarantee."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.sphere_packings import (
    certified,
    greedy_packing,
    largest_square,
    orthonormal_packing,
    random_packing,
)
from dpmatrix.spec.near_optimal.packing import Draws, condition_28, kept
from dpmatrix.spec.near_optimal.packing_number import Lines, packing_share, simple_count


@pytest.mark.parametrize(("dimension", "phi", "draws"), [(8, "0.93", 100), (20, "0.75", 150), (40, "0.6", 300)])
def test_random_packing_keeps_its_guarantee(dimension, phi, draws):
    """The share 1/2 is lost with a probability of at most exp(-N log 2/2 + N (N-1) psi), below 1e-9."""
    phi = Fraction(phi)
    promise = Draws(dimension, phi, draws, Fraction(1, 2))
    assert math.exp(-float(condition_28(promise))) < 1e-9
    packing = random_packing(dimension, phi, draws, np.random.default_rng(11))
    assert len(packing) >= kept(promise)
    assert packing.largest_square <= phi * phi
    vectors = packing.vectors
    cosines = np.abs(np.triu(vectors @ vectors.T, 1)).max()
    assert cosines == pytest.approx(math.sqrt(packing.largest_square), abs=1e-9)


@pytest.mark.parametrize(("dimension", "phi"), [(2, "0.9"), (3, "0.8"), (6, "0.7"), (12, "0.55")])
def test_greedy_packing_exceeds_the_simple_count(dimension, phi):
    lines = Lines(dimension, Fraction(phi))
    size = max(2, math.ceil(float(simple_count(lines))))
    packing = greedy_packing(dimension, lines.phi, size, np.random.default_rng(3))
    assert len(packing) == size
    assert size <= 1 / float(packing_share(lines))


def test_a_certificate_is_exact():
    """Cosines of 3/5 and of a hair more: floats would not tell them apart, integers do."""
    assert largest_square(np.array([[5, 0], [3, 4]])) == Fraction(9, 25)
    hair = np.array([[10**8, 0], [6 * 10**7 + 1, 8 * 10**7]])
    assert certified(np.array([[5, 0], [3, 4]]), Fraction(3, 5)).largest_square == Fraction(9, 25)
    with pytest.raises(InvalidParameterError, match="squared cosine"):
        certified(hair, Fraction(3, 5))


def test_small_families_and_refusals():
    assert orthonormal_packing(5).largest_square == 0
    assert largest_square(np.array([[1, 2]])) == 0
    generator = np.random.default_rng(0)
    with pytest.raises(InvalidParameterError, match="not positive"):
        random_packing(0, Fraction(1, 2), 5, generator)
    for phi in (Fraction(0), Fraction(1)):
        with pytest.raises(InvalidParameterError, match="between 0 and 1"):
            greedy_packing(3, phi, 5, generator)
    with pytest.raises(InvalidParameterError, match="2 of 4 members"):
        greedy_packing(2, Fraction(49, 100), 4, generator, most=200)
