"""Public numbers of a window that make no sense are refused before noise is drawn; the defaults are what they are.

Nothing is statistical.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from audit.released.windows import GUARANTEE
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy

GOOD: dict[str, Any] = {"dimension": 2, "window": 12, "guarantee": GUARANTEE, "leaf": 3, "coordinate_bits": 8}
BAD: list[tuple[str, Any]] = [
    *(("dimension", bad) for bad in (0, -1, True, 2.5)),
    *(("window", bad) for bad in (0, -12, True, 12.0, 13)),
    *(("leaf", bad) for bad in (0, -3, True, 3.0, 5, 24)),
    *(("coordinate_bits", bad) for bad in (-1, 513, True, 8.0, np.int64(40))),
    *(("eta", bad) for bad in (0, 1, -1, Fraction(5, 4), 2)),
    *(("tolerance", bad) for bad in (-1, Fraction(-1, 10**9))),
    *(("over_norm", bad) for bad in ("keep", "", None)),
    ("guarantee", PrivacyGuarantee(1, 0, Adjacency.ADD_REMOVE_ONE)),
]


@pytest.mark.parametrize(("name", "bad"), BAD, ids=str)
def test_a_public_number_of_a_window_that_makes_no_sense_is_refused(name: str, bad: Any) -> None:
    taken = WindowParameters(**GOOD)
    assert taken.squared_sensitivity == 3 * 16**8, "control"
    with pytest.raises(InvalidParameterError):
        evolve(taken, **{name: bad})


def test_what_is_taken_is_taken_exactly() -> None:
    """Zero tolerance, numbers at the ends of their ranges, and floats as the numbers that they are."""
    taken = WindowParameters(**GOOD | {"eta": 0.125, "tolerance": 0, "coordinate_bits": 0, "over_norm": "reject"})
    assert (taken.eta, taken.tolerance, taken.coordinate_bits, taken.over_norm) == (Fraction(1, 8), 0, 0, "reject")
    assert {type(taken.eta), type(taken.tolerance)} == {Fraction}
    window = SlidingWindowGram(taken)
    with pytest.raises(InvalidParameterError):
        window.add([[1.0, 1.0]])
    assert SlidingWindowGram(WindowParameters(2, 12, GUARANTEE)).parameters.over_norm == "clip"


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("leaf", [1, 3])
def test_a_block_is_the_least_power_of_two_that_holds_the_window(leaves: int, leaf: int) -> None:
    """A row enters one sum for each power up to that of the block, and the noise is for so many."""
    parameters = WindowParameters(2, leaves * leaf, GUARANTEE, leaf=leaf, coordinate_bits=8)
    powers = [size for size in range(6) if size == 0 or 2 ** (size - 1) < leaves]
    assert parameters.leaves == leaves
    assert parameters.height == max(powers)
    assert parameters.squared_sensitivity == len(powers) * 16**8
    window = SlidingWindowGram(parameters, entropy=SeededEntropy(1))
    assert len(window.memory) == 3 * (2 + 2 * len(powers))


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("bits", [0, 8])
def test_the_noise_hides_a_row_in_all_its_sums(adjacency: Adjacency, bits: int) -> None:
    """On the coarsest lattice the number of entries counts; the controls are for a larger epsilon by a tenth."""
    for dimension, window, sums in ((1, 1, 1), (1, 8, 4), (2, 1, 1), (2, 8, 4), (3, 5, 4)):
        promise = PrivacyGuarantee(2, Fraction(1, 100), adjacency)
        parameters = WindowParameters(dimension, window, promise, coordinate_bits=bits)
        changes = 2 if adjacency is Adjacency.REPLACE_ONE and dimension > 1 else 1
        square, coordinates = sums * changes * 16**bits, sums * dimension * (dimension + 1) // 2
        assert parameters.squared_sensitivity == square
        assert meets(DiscreteGaussianProfile(square, parameters.variance, coordinates), promise)
        assert meets(parameters.profile, promise)
        louder = WindowParameters(dimension, window, evolve(promise, epsilon=Fraction(22, 10)), coordinate_bits=bits)
        assert not meets(DiscreteGaussianProfile(square, louder.variance, coordinates), promise), "control"
