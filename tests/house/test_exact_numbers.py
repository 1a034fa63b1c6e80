"""What every room reads its parameters with: numbers as they are, or a refusal that names the parameter."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpz

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, positive_integer, whole_number


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), fmpz(3)])
def test_integers_of_every_kind_are_read(value):
    for read in (whole_number, positive_integer):
        assert read(value, "records") == 3
        assert type(read(value, "records")) is int


@pytest.mark.parametrize("value", [True, 3.0, "3", None, Fraction(3), fmpq(3), np.float64(3), np.array([3]), -1])
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(InvalidParameterError, match=r"^records: .*pass an integer of at least 0"):
        whole_number(value, "records")


def test_the_least_is_allowed_and_one_less_is_not():
    assert whole_number(0, "records") == 0
    assert whole_number(-2, "records", least=-2) == -2
    with pytest.raises(InvalidParameterError, match="at least 1"):
        positive_integer(0, "rank")
    with pytest.raises(InvalidParameterError, match="at least -2"):
        whole_number(-3, "records", least=-2)


@pytest.mark.parametrize(
    ("value", "exact"),
    [(0.1, Fraction(0.1)), (np.float32(0.1), Fraction(float(np.float32(0.1)))), (fmpq(1, 10), Fraction(1, 10))],
)
def test_fractions_are_exact(value, exact):
    assert fraction(value) == exact
    assert fraction(2**1100) == 2**1100
