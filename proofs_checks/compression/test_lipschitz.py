"""`compression`: the class F(L), on exact rational matrices."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.compression import lipschitz
from dpmatrix.spec.compression.covariances import CovariancePair, difference, operator_norm
from dpmatrix.spec.compression.lipschitz import CompressedRows
from proofs_checks.compression.covariance_pairs import (
    NEAR,
    PAIR_OUTSIDE,
    UNIT,
    WIDE,
    drawn_pairs,
    frobenius,
    norm,
    sheared,
    spectrum,
)
from proofs_checks.exact_matrices import diagonal

lipschitz_class = cite("compression.lipschitz-class@9b09654e")

ENTRIES = random.Random(20090119)


THREE = fmpq_mat([[3, 0], [0, 3]])
MOVED = CovariancePair(THREE + 2 * UNIT, THREE + UNIT)


@lipschitz_class.supports(
    "another-norm", grade="derived", region="every p: p squares of eigenvalues; bound at 24 pairs, p <= 4"
)
def test_another_norm_costs_the_root_of_p(statement) -> None:
    """||E||_F^2 is the sum of the squares of the p eigenvalues of E = A - D, each at most ||E||_2^2."""
    bind_formula(
        statement,
        drawn_pairs(ENTRIES),
        lambda p: mpmath.sqrt(p.first.nrows()) * norm(p.first - p.second) - frobenius(p.first - p.second),
    )
    found = [statement.at(p) for p in drawn_pairs(ENTRIES)]
    assert Truth.FALSE not in found
    assert found.count(Truth.TRUE) >= 12, "and equality at others"
    assert statement.margin(MOVED).contains(0), "equality"
    bind_hypotheses(statement, NEAR, {"the covariances are symmetric": PAIR_OUTSIDE["the covariances are symmetric"]})
    assert not statement.strict
    hadamard = fmpq_mat([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    assert hadamard == hadamard.transpose()
    assert hadamard * hadamard == 4 * diagonal([1] * 4), "the eigenvalues are 2 and -2"
    lipschitz_class.tells("its absolute entries sum to {})", sum(abs(entry) for entry in hadamard.entries()))


@lipschitz_class.controls("another-norm", grade="interval", region="1 and 7/5 for sqrt(2) at A = D + I, p = 2")
def test_the_class_depends_on_the_norm(statement) -> None:
    for factor in (fmpq(1), fmpq(7, 5)):

        def smaller(p: CovariancePair, factor=factor) -> arb:
            return arb(factor) * operator_norm(difference(p)) - frobenius_norm(difference(p))

        assert statement.nudged(margin=smaller).at(MOVED) is Truth.FALSE
        assert statement.nudged(margin=smaller).at(CovariancePair(WIDE, UNIT)) is Truth.TRUE, "of rank one"


def least_eigenvalue_slack(p: CovariancePair) -> mpmath.mpf:
    steps = [abs(a - b) for a, b in zip(spectrum(p.first), spectrum(p.second), strict=True)]
    return frobenius(p.first - p.second) - max(steps)


@lipschitz_class.supports(
    grade="derived", region="every p: Weyl's inequality and ||.||_2 <= ||.||_F; bound at 24 pairs, p <= 4"
)
def test_eigenvalues_are_lipschitz_in_the_frobenius_norm(statement) -> None:
    """Weyl: with A = D + E, lambda_i(D) + lambda_p(E) <= lambda_i(A) <= lambda_i(D) + lambda_1(E).

    Both |lambda(E)| are at most the root of the sum of the squares of all eigenvalues of E, which is ||E||_F.
    """
    e11, e12, e22 = sympy.symbols("e11 e12 e22", real=True)
    change = sympy.Matrix([[e11, e12], [e12, e22]])
    first, second = change.eigenvals(multiple=True)
    assert sympy.simplify(first**2 + second**2 - (change.T * change).trace()) == 0
    bind_formula(statement, drawn_pairs(ENTRIES), least_eigenvalue_slack)
    for p in drawn_pairs(ENTRIES):
        assert statement.at(p) is Truth.TRUE
    bind_hypotheses(statement, NEAR, {"the covariances are symmetric": PAIR_OUTSIDE["the covariances are symmetric"]})
    # Without symmetry the double eigenvalue 1 becomes 6 and -4, for a change of 1/4 in one entry.
    skew = {"the covariances are symmetric": CovariancePair(sheared(100), sheared(100, Fraction(1, 4)))}
    bind_hypotheses(statement, NEAR, skew)
    assert statement.at(CovariancePair(UNIT, UNIT)) is Truth.TRUE
    assert not statement.strict


@lipschitz_class.controls(grade="interval", region="L = 9/10 at diag(2, 1), I")
def test_a_smaller_lipschitz_constant_is_noticed(statement) -> None:
    change = CovariancePair(WIDE, UNIT)
    assert statement.at(change) is Truth.TRUE, "equality: only one eigenvalue moves"
    shorter = redefined(statement, lipschitz, "frobenius_norm", lambda m: frobenius_norm(m) * arb(fmpq(9, 10)))
    assert shorter.at(change) is Truth.FALSE


def squared_minors(data: fmpq_mat) -> fmpq:
    """Det X'X by the formula of Cauchy and Binet: the sum of the squared p x p minors."""
    rows, size = data.tolist(), data.ncols()
    return sum((fmpq_mat(list(chosen)).det() ** 2 for chosen in combinations(rows, size)), fmpq(0))


FULL = CompressedRows(fmpq_mat([[1, 2], [fmpq(1, 3), -1], [2, fmpq(1, 5)]]), 2)
SINGULAR = {
    "X'X is positive definite": CompressedRows(fmpq_mat([[1, 2], [2, 4], [3, 6]]), 2),
    "m >= p": attrs.evolve(FULL, rows=1),
}


@lipschitz_class.supports(
    "compressed-covariance-is-definite",
    grade="derived",
    region="every n, p, m >= p and X with X'X definite: a polynomial in Phi; the mask X' at 36 databases, p <= 3",
)
def test_with_as_many_rows_as_columns_almost_every_mask_keeps_it_definite(statement) -> None:
    """det((Phi X)' Phi X) is a polynomial in the entries of Phi, and (det X'X)^2 > 0 at the mask of the statement.

    A polynomial that does not vanish everywhere vanishes on a null set, and Phi has a density; where the determinant of
    a Gram matrix is not zero, that matrix is positive definite.
    """
    points = [FULL, *SINGULAR.values()]
    for k in range(1, 13):
        two = fmpq_mat([[1, k], [fmpq(k, 3), 2], [fmpq(1, k), -1]])
        three = fmpq_mat([[1, 0, k], [fmpq(1, k), 2, 1], [0, k, -1], [fmpq(1, 2), 1, fmpq(k, 7)]])
        points += [CompressedRows(fmpq_mat([[k], [1]]), k), CompressedRows(two, 1 + k % 3), CompressedRows(three, 3)]
    met = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert len(met) >= 30
    for p in met:
        assert statement.at(p) is Truth.TRUE
    bind(statement, [(p, squared_minors(p.data) ** 2 if p.rows >= p.data.ncols() else 0) for p in points])
    bind_hypotheses(statement, FULL, SINGULAR)
    more = attrs.evolve(FULL, rows=5)
    bind_hypotheses(statement, more, SINGULAR)
    small = CompressedRows(FULL.data * fmpq(1, 9), 2)
    bind_hypotheses(statement, small, SINGULAR)
    assert statement.strict


@lipschitz_class.controls(
    "compressed-covariance-is-definite", grade="symbolic", region="m = 1 < p = 2; columns that depend on each other"
)
def test_fewer_rows_than_columns_give_a_singular_covariance(statement) -> None:
    for says, point in SINGULAR.items():
        assert statement.without(says).at(point) is Truth.FALSE, says
