"""The nearest positive semidefinite matrix, exactly symmetric, of one matrix and of stacks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.projection import project_psd


def test_numbers_of_any_type_are_read_as_floats() -> None:
    assert project_psd(np.array([[Fraction(1, 2), 0], [0, -1]], dtype=object)).tolist() == [[0.5, 0], [0, 0]]


@pytest.mark.parametrize("shape", [(3,), (3, 2), (5, 3, 2), (5, 2, 3), (2, 2, 3, 2)])
def test_what_is_not_square_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidParameterError, match="square"):
        project_psd(np.zeros(shape))


@pytest.mark.parametrize("stack", [(), (20,), (4, 5)])
def test_projections_are_symmetric_to_the_last_bit(stack: tuple[int, ...]) -> None:
    values = np.random.default_rng(4).standard_normal((*stack, 7, 7))
    values = values + np.swapaxes(values, -1, -2)
    found = project_psd(values)
    assert np.array_equal(found, np.swapaxes(found, -1, -2))
    assert np.linalg.eigvalsh(found).min() > -1e-12
    # What is left is negative semidefinite and orthogonal to the projection, so nothing is nearer.
    assert np.linalg.eigvalsh(values - found).max() < 1e-12
    assert np.abs(np.sum(found * (values - found), axis=(-1, -2))).max() < 1e-10
