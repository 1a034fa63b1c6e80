"""Matrices read as rationals, and the integers of a release."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.mechanisms.second_moment import exact_matrix, trace
from dpmatrix.privacy.adjacency import Adjacency


@pytest.mark.parametrize("entry", ["1/2", 1 + 0j, np.datetime64("2020-01-01"), b"1"])
def test_what_is_no_real_number_is_refused_by_its_type(entry: object) -> None:
    with pytest.raises(InvalidParameterError, match="is not real"):
        exact_matrix(np.array([[entry]]), (1, 1), "output")


def test_the_trace_of_nothing_is_zero() -> None:
    assert trace(fmpq_mat(0, 0)) == 0
    assert trace(fmpq_mat(2, 2, [1, 5, 5, 2])) == 3


@pytest.mark.parametrize("integers", [np.array([[3]]), np.array([[np.int64(3)]], dtype=object), np.array([[3.0]])])
def test_a_release_holds_integers_of_python(integers: np.ndarray) -> None:
    facts = {"grid": Fraction(1), "guarantee": None, "mechanism": "none", "adjacency": Adjacency.REPLACE_ONE}
    assert type(Release(integers=integers, entropy="none", **facts).integers[0, 0]) is int


def test_the_fields_of_a_release_are_named() -> None:
    with pytest.raises(TypeError):
        Release(np.array([[3]]), Fraction(1), None, "none", Adjacency.REPLACE_ONE, "none")  # type: ignore[misc]  # to be refused
