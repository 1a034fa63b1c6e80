"""`compression`: the class F(L), on exact rational matrices."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.compression import lipschitz
from dpmatrix.spec.compression.covariances import CovariancePair
from dpmatrix.spec.compression.lipschitz import CompressedData, ProjectorPoint
from proofs_checks.compression.covariance_pairs import (
    NEAR,
    PAIR_OUTSIDE,
    UNIT,
    WIDE,
    assert_definite,
    drawn_pairs,
    frobenius,
    norm,
    sheared,
    spectrum,
)
from proofs_checks.exact_matrices import diagonal

lipschitz_class = cite("compression.lipschitz-class@9e4ca6a9")

ENTRIES = random.Random(20090119)


@lipschitz_class.refutes(grade="interval", region="A = D + I, D = 3 I, p = 2")
def test_the_class_depends_on_the_norm(statement) -> None:
    three = fmpq_mat([[3, 0], [0, 3]])
    assert statement.at(CovariancePair(three + UNIT, three)) is Truth.FALSE, "1 against sqrt(2)"
    bind_formula(
        statement,
        drawn_pairs(ENTRIES),
        lambda p: norm(p.first - p.second) - frobenius(p.first - p.second),
    )
    assert statement.at(CovariancePair(WIDE, UNIT)) is Truth.TRUE, "of rank one: the norms agree"
    assert_definite(statement)
    assert not statement.strict
    hadamard = fmpq_mat([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    assert hadamard == hadamard.transpose()
    assert hadamard * hadamard == 4 * diagonal([1] * 4), "the eigenvalues are 2 and -2"
    lipschitz_class.tells("its absolute entries sum to {})", sum(abs(entry) for entry in hadamard.entries()))


def least_eigenvalue_slack(p: CovariancePair) -> mpmath.mpf:
    steps = [abs(a - b) for a, b in zip(spectrum(p.first), spectrum(p.second), strict=True)]
    return frobenius(p.first - p.second) - max(steps)


@lipschitz_class.supports_repair(
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


@lipschitz_class.controls("+repair", grade="interval", region="L = 9/10 at diag(2, 1), I")
def test_a_smaller_lipschitz_constant_is_noticed(statement) -> None:
    change = CovariancePair(WIDE, UNIT)
    assert statement.at(change) is Truth.TRUE, "equality: only one eigenvalue moves"
    shorter = redefined(statement, lipschitz, "frobenius_norm", lambda m: frobenius_norm(m) * arb(fmpq(9, 10)))
    assert shorter.at(change) is Truth.FALSE


def swapped(constant) -> ProjectorPoint:
    """diag(1+t, 1-t) and diag(1-t, 1+t) with t = 1/(4 L + 4)."""
    t = 1 / (4 * Fraction(str(constant)) + 4)
    turn = fmpq_mat([[0, 1], [1, 0]])
    return ProjectorPoint((1 + t, 1 - t), UNIT, (1 + t, 1 - t), turn, 1, constant=constant)


def turned(constant, k: int = 1) -> ProjectorPoint:
    """Give a turn by arctan(4/3) with other eigenvalues."""
    frame = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
    return ProjectorPoint((2, 1), UNIT, (Fraction(9, 4), Fraction(1, 2)), frame, k, constant=constant)


@lipschitz_class.refutes(
    "pca-is-an-instance",
    grade="derived",
    region="diag(1+t, 1-t), diag(1-t, 1+t): every L by t = 1/(4L + 4); run from 10^-12 to 10^12",
)
def test_the_projector_has_no_lipschitz_constant(statement) -> None:
    """The projectors differ by sqrt(2), the matrices by 2 sqrt(2) t, and L 2 sqrt(2) t < sqrt(2)/2."""
    statement.refute(swapped)
    with mpmath.workdps(60):
        values = []
        for constant in [Fraction(k, 3) for k in range(1, 12)]:
            matrices = mpmath.matrix([[2, 0], [0, 1]]), mpmath.matrix([[mpmath.mpf(113) / 100, 0], [0, 0]])
            frame = mpmath.matrix([[3, -4], [4, 3]]) / 5
            other = frame * mpmath.diag([mpmath.mpf(9) / 4, mpmath.mpf(1) / 2]) * frame.T
            distance = mpmath.sqrt(sum(x**2 for x in other - matrices[0]))
            values.append((turned(constant), mpmath.nstr(real(constant) * distance - mpmath.sqrt(2) * 4 / 5, 55)))
            t = 1 / (4 * real(constant) + 4)
            values.append((swapped(constant), mpmath.nstr(mpmath.sqrt(2) * (2 * t * real(constant) - 1), 55)))
        bind(statement, values)
    inside = turned(1)
    bind_hypotheses(
        statement,
        inside,
        {
            "k >= 1, an integer": attrs.evolve(inside, k=0),
            "k < d": attrs.evolve(inside, k=2),
            "the eigenvectors are orthonormal": attrs.evolve(inside, frame=WIDE),
            "the eigenvalues are in decreasing order": attrs.evolve(inside, values=(1, 2)),
            "both matrices are positive definite": attrs.evolve(inside, perturbed_values=(1, 0)),
        },
    )
    assert statement.applies(attrs.evolve(inside, values=(1, 0))) is Truth.FALSE
    assert not statement.strict


@lipschitz_class.refutes("compressed-covariance-is-definite", grade="symbolic", region="m = 1, p = 2")
def test_fewer_rows_than_columns_give_a_singular_covariance(statement) -> None:
    assert statement.at(CompressedData(fmpq_mat([[1, 2]]))) is Truth.FALSE
    assert statement.at(CompressedData(UNIT)) is Truth.TRUE
    assert statement.strict
    bind_hypotheses(statement, CompressedData(fmpq_mat([[1, 2]])), {"m >= 1": CompressedData(fmpq_mat(0, 2))})
    for k in range(1, 25):
        two = fmpq_mat([[1, k], [fmpq(k, 3), 2]])
        gram = two.transpose() * two
        least = min(fmpq(1), gram[0, 0] + gram[1, 1], gram.det())
        assert abs(statement.margin(CompressedData(two)) - arb(least)) < arb(2) ** -40
