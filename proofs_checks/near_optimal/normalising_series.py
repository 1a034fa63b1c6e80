"""The series by which the normaliser of PPCA is enclosed: its values, its remainder and its length."""

from __future__ import annotations

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

    The remainder after J >= 2b terms of exp(b) is at most twice the first of them, nearly so at J = 2b for large b. The
    least J with 2 / J! below 2^-64 / e is 22. For B >= 0 the mean is at least 1, so that a remainder of 2^-64 exp(-b)
    is lost in rounding.
    """
    with precision(64):
        for b in (fmpq(7), fmpq(-1), fmpq(1, 9)):
            assert log_bingham_constant(fmpq_mat([[b]])).contains(b)
        assert log_bingham_constant(fmpq_mat(4, 4)) == 0
        assert abs(log_bingham_constant(fmpq_mat([[7]])) - 7) < 1e-14
        spike = log_bingham_constant(diagonal([20, *[0] * 19]))
        with mpmath.workdps(30):
            assert abs(spike - arb(mpmath.nstr(mpmath.log(mpmath.hyp1f1(0.5, 10, 20)), 25))) < 1e-12
        for b in (1, 3):
            above = bingham._spectral_bound(diagonal([b, -b])) - b * arb(2).root(16)
            assert arb(-1) < above * arb(10) ** 15 < arb(1)
        assert bingham._tail(arb(1), 3).overlaps(arb(1) / 3)
        rest = sum((arb(100) ** j / arb(j).fac() for j in range(200, 400)), arb(0))
        assert bingham._tail(arb(100), 200) * 19 / 20 < rest < bingham._tail(arb(100), 200)
        assert [bingham._terms(arb(b)) for b in (0, 1)] == [1, 22]
        assert bingham._terms(arb(5500)) < bingham.MOST_TERMS
        with pytest.raises(InvalidParameterError, match="norm is about"):
            bingham._terms(arb(5600))
    for wrong in (fmpq_mat(0, 0), fmpq_mat([[0, 1], [0, 0]])):
        with pytest.raises(InvalidParameterError, match="symmetric"):
            log_bingham_constant(wrong)
