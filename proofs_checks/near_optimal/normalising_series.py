"""The series by which the normaliser of PPCA is enclosed: its values, its remainder and its length."""

from __future__ import annotations

from unittest.mock import patch

import mpmath
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import bingham
from dpmatrix.privacy.bingham import log_bingham_constant
from proofs_checks.exact_matrices import diagonal


def check_series() -> None:
    """On the line E exp(v'Bv) is exp(b); in d dimensions one eigenvalue b gives 1F1(1/2; d/2; b).

    A remainder of 2^-64 exp(-b) is lost in rounding. After three terms of exp(-1) it is negative, and enclosed.
    """
    with precision(64):
        for b in (fmpq(7), fmpq(-1), fmpq(1, 9)):
            for shift in (0, -2, fmpq(1, 3)):
                assert log_bingham_constant(fmpq_mat([[b]]), shift).contains(b)
        assert log_bingham_constant(fmpq_mat(4, 4)) == 0
        assert abs(log_bingham_constant(fmpq_mat([[7]])) - 7) < 1e-14
        spike = log_bingham_constant(diagonal([20, *[0] * 19]))
        with mpmath.workdps(30):
            assert abs(spike - arb(mpmath.nstr(mpmath.log(mpmath.hyp1f1(0.5, 10, 20)), 25))) < 1e-12
        with patch.object(bingham, "_terms", return_value=3):
            assert log_bingham_constant(fmpq_mat([[-1]])).contains(-1)
        ones = fmpq_mat([[1, 1], [1, 1]])
        for matrix, norm in ((diagonal([3, -3]), 3 * arb(2).root(16)), (ones, arb(2))):
            assert abs(bingham._spectral_bound(matrix) - norm) < 1e-15
            assert not bingham._spectral_bound(matrix) < norm
        check_length()
    for wrong in (fmpq_mat(0, 0), fmpq_mat([[0, 1], [0, 0]])):
        with pytest.raises(InvalidParameterError, match="symmetric"):
            log_bingham_constant(wrong)


def check_length() -> None:
    """Check J and the bound of the remainder after J >= 2b terms: twice the first of them, nearly so at J = 2b.

    The least J with 2 b^J / J! below 2^-64 exp(-b) is 22 for b = 1; J grows from 2b + 2 in steps of eight.
    """
    assert bingham._tail(arb(1), 3).overlaps(arb(1) / 3)
    assert bingham._tail(arb(0), 2) == 0
    assert bingham._tail(arb(1) / 16, 2) == arb(1) / 256
    assert bingham._tail(arb(1), 22) < arb(2) ** -64 * arb(-1).exp() < bingham._tail(arb(1), 21)
    rest = sum((arb(100) ** j / arb(j).fac() for j in range(200, 400)), arb(0))
    assert bingham._tail(arb(100), 200) * 19 / 20 < rest < bingham._tail(arb(100), 200)
    for b, length in ((0, 2), (1, 28), (5, 44), (20, 106)):
        target = arb(2) ** -64 * arb(-b).exp()
        assert bingham._terms(arb(b)) == length
        assert bingham._tail(arb(b), length) < target
        assert length == 2 * b + 2 or not bingham._tail(arb(b), length - 8) < target
    assert bingham._terms(arb(5559)) == bingham.MOST_TERMS
    with pytest.raises(InvalidParameterError, match="norm is about"):
        bingham._terms(arb(5563))
