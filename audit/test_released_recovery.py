"""Subspace recovery as it releases: its noise from what is public, and its integers from known bits.

The scale of the gap's noise, the bracket and the variance are computed here anew, by other formulas with other digits,
for both relations, coarse projectors and fine ones. From known bits a release is the known gap and the known projector
and the numbers of the samplers, one after the other. Nothing is statistical.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from audit.released.settings import ADDED, REPLACED
from audit.released.subjects import SecretSeed
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import PrivateSubspaceRecovery
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise

RELATIONS = (REPLACED, ADDED)
UNITS = 2**20
"""Units of the published gap in one."""


def label(value: Any) -> str:
    """Name a relation or a number."""
    return str(getattr(value, "value", value)).replace("/", "-")


def built(epsilon: Any, adjacency: Adjacency, delta: Any, **more: Any) -> PrivateSubspaceRecovery:
    return PrivateSubspaceRecovery(epsilon, adjacency, **{"rank": 1, "delta": delta, **more})


def changes(adjacency: Adjacency) -> int:
    """Return by how much a gap changes at most, in units of the squared norm bound."""
    return 2 if adjacency is REPLACED else 1


def turned(adjacency: Adjacency, bracket: Fraction) -> mpmath.mpf:
    """Return how far a projector moves at most where the gap is two above the bracket, by half an angle."""
    sine = mpmath.mpf(changes(adjacency)) / (2 + mpmath.mpf(bracket.numerator) / bracket.denominator)
    return mpmath.sqrt(2) * mpmath.sin(mpmath.asin(sine) / 2)


@pytest.mark.parametrize("adjacency", RELATIONS, ids=label)
@pytest.mark.parametrize("epsilon", [Fraction(1, 7), Fraction(1), Fraction(40)], ids=label)
def test_the_gap_and_what_is_taken_off_it_are_those_of_the_proof(epsilon: Fraction, adjacency: Adjacency) -> None:
    """An integer near the gap has half of epsilon for each unit; its noise is beyond K with probability delta / 2."""
    for delta in (Fraction(1, 10**9), Fraction(1, 1000), Fraction(49, 100)):
        mechanism = built(epsilon, adjacency, delta)
        assert mechanism.guarantee == PrivacyGuarantee(2 * epsilon, 2 * delta, adjacency)
        scale = mechanism.gap_scale
        loss = Fraction(changes(adjacency) * UNITS + 2) / scale
        assert loss <= epsilon * changes(adjacency) / 2
        assert Fraction(UNITS + 2) / scale == epsilon / 2, "the least that does for one unit"
        with mpmath.workdps(60):
            log = mpmath.log(mpmath.mpf(delta.denominator) / delta.numerator)
            most = int(mpmath.ceil(log * scale.numerator / scale.denominator))
            beyond = mpmath.exp(-mpmath.mpf(most + 1) * scale.denominator / scale.numerator)
            assert beyond / (1 + mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)) < delta.numerator / (
                2 * mpmath.mpf(delta.denominator)
            )
        for noisy in (most - 7, most + 2 * UNITS + 1, most + 2 * UNITS + 2, most + 90 * UNITS):
            # The exact gap is more than noisy - K - 1 units, of which two are left for the next data set.
            bracket = mechanism.bracket(noisy)
            assert bracket == Fraction(noisy - most - 1, UNITS) - 2
            assert (mechanism.noise_variance(bracket, 2) is None) is (bracket <= 0)


@pytest.mark.parametrize("adjacency", RELATIONS, ids=label)
@pytest.mark.parametrize("calibration", ["tight", "printed"])
@pytest.mark.parametrize("bits", [0, 3, 24, 70])
def test_the_noise_of_a_projector_is_certified_for_its_turn_and_for_rounding(
    bits: int, calibration: str, adjacency: Adjacency
) -> None:
    """With the rest of epsilon and delta; the control is the noise for eleven tenths of epsilon."""
    for dimension, bracket, delta in (
        (2, Fraction(1, UNITS), Fraction(1, 10**9)),
        (3, Fraction(1, 5), Fraction(1, 4)),
        (2, Fraction(30), Fraction(9, 20)),
        (5, Fraction(400), Fraction(1, 10**6)),
    ):
        for epsilon in (Fraction(6),) if dimension == 2 else (Fraction(1, 2),):
            mechanism = built(epsilon, adjacency, delta, projector_bits=bits, calibration=calibration)
            louder = built(epsilon * Fraction(11, 10), adjacency, delta, projector_bits=bits)
            with mpmath.workdps(80):
                units = turned(adjacency, bracket) * mpmath.mpf(2) ** bits + 2 * dimension
                square = int(mpmath.floor(units * units))
            promise = PrivacyGuarantee(epsilon, delta * Fraction(3, 2), adjacency)
            coordinates = dimension * (dimension + 1) // 2

            kept = [
                variance is not None and meets(DiscreteGaussianProfile(square, variance, coordinates), promise)
                for variance in (one.noise_variance(bracket, dimension) for one in (mechanism, louder))
            ]
            withheld = calibration == "printed" and mechanism.noise_variance(bracket, dimension) is None
            assert kept[0] or withheld
            assert not kept[1], "control"


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_on_the_coarsest_lattice_every_entry_of_a_projector_counts(dimension: int) -> None:
    """There so little noise is enough that its certificate depends on how many entries have some."""
    for adjacency, epsilon in ((REPLACED, 160), (ADDED, 400)):
        promise = PrivacyGuarantee(epsilon, Fraction(3, 8), adjacency)
        entries = dimension * (dimension + 1) // 2
        for bracket in (Fraction(1), Fraction(60)):
            variance = built(epsilon, adjacency, Fraction(1, 4), projector_bits=0).noise_variance(bracket, dimension)
            square = int(mpmath.floor((turned(adjacency, bracket) + 2 * dimension) ** 2))
            assert variance is not None
            assert meets(DiscreteGaussianProfile(square, variance, entries), promise)
            assert not meets(DiscreteGaussianProfile(square, variance, 8 * entries), promise), "control"


@pytest.mark.parametrize("adjacency", RELATIONS, ids=label)
@pytest.mark.parametrize(
    ("bound", "bits"),
    [(Fraction(1), 24), (Fraction(4, 3), 65), (Fraction(1, 3), 66), (Fraction(3), 110), (Fraction(1), 0)],
    ids=["1", "4-thirds-65", "a-third-66", "3-110", "1-0"],
)
def test_a_release_is_gap_and_projector_and_the_numbers_of_the_samplers(
    bound: Fraction, bits: int, adjacency: Adjacency
) -> None:
    """Of equal records along one axis, as long as the bound and longer: their gap is their number."""
    mechanism = built(1, adjacency, Fraction(1, 100), norm_bound=bound, projector_bits=bits)
    for count, dimension, longer in ((30, 2, 1.0), (41, 3, 2.5), (0, 2, 1.0), (3, 2, 1.0)):
        rows = max(count, 1) if adjacency is REPLACED else count
        data = np.zeros((rows, dimension))
        data[: max(count, 0), 1] = float(bound) * longer * (1 if count else 0)
        for seed in (count + 1,):
            found = mechanism.release(data, entropy=SecretSeed(seed))
            source = SeededEntropy(seed)
            noise = discrete_laplace_noise(mechanism.gap_scale, 1, source)[0]
            # Clipping and truncation shorten a record by less than 2**-18 of its squared norm.
            assert -1 <= count * UNITS - (found.gap * UNITS - noise) <= 4 * count + 1
            assert found.guarantee == mechanism.guarantee
            variance = mechanism.noise_variance(mechanism.bracket(int(found.gap * UNITS)), dimension)
            assert (variance is None) is (found.projector is None)
            assert (variance is None) is (count < 20), "control"
            if variance is None or found.projector is None:
                continue
            upper = np.triu_indices(dimension)
            expected = np.zeros((dimension, dimension), dtype=object)
            expected[1, 1] = 2**bits
            drawn = discrete_gaussian_noise(variance, len(upper[0]), source)
            for i, j, number in zip(*upper, drawn, strict=True):
                expected[i, j] += number
                expected[j, i] = expected[i, j]
            assert found.projector.integers.tolist() == expected.tolist()
            assert found.projector.grid == Fraction(1, 2**bits)
            assert found.projector.guarantee == mechanism.guarantee
            assert found.projector.entropy == SecretSeed(seed).description
            known = mechanism.release(data, entropy=SeededEntropy(seed))
            assert (known.gap, known.guarantee) == (found.gap, None)
            assert known.projector is not None
            assert known.projector.guarantee is None


@pytest.mark.parametrize("adjacency", RELATIONS, ids=label)
def test_a_projector_of_two_directions_is_that_of_the_data(adjacency: Adjacency) -> None:
    """With the same noise as another one, from the same bits: the difference is that of the projectors."""
    mechanism = built(1, adjacency, Fraction(1, 100), rank=2)
    one, other = np.zeros((80, 3)), np.zeros((80, 3))
    one[:40, 0] = one[40:, 1] = other[:40, 1] = other[40:, 2] = 1.0
    first, second = (mechanism.release(data, entropy=SeededEntropy(4)) for data in (one, other))
    assert first.gap == second.gap
    assert first.projector is not None
    assert second.projector is not None
    moved = first.projector.integers - second.projector.integers
    assert moved.tolist() == np.diag([2**24, 0, -(2**24)]).tolist()


def test_parameters_that_leave_no_gap_or_promise_nothing_are_refused() -> None:
    for delta in (0, -1, Fraction(1, 2), Fraction(3, 5), 1):
        with pytest.raises(InvalidParameterError):
            built(1, ADDED, delta)
    for rank in (0, -1, True, 1.0, "1", None):
        with pytest.raises(InvalidParameterError):
            built(1, ADDED, Fraction(1, 10), rank=rank)
    for bits in (-1, 513, True, np.int64(40), 24.0):
        with pytest.raises(InvalidParameterError):
            built(1, ADDED, Fraction(1, 10), projector_bits=bits)
    for rank in (2, 3):
        with pytest.raises(InvalidParameterError, match="rank"):
            built(1, ADDED, Fraction(1, 10), rank=rank).release(np.eye(2))
    assert math.isfinite(built(1, ADDED, Fraction(49, 100)).release(np.eye(2)).gap), "control"
