"""Lemmas 11 and 12 of `sliding-window`: the planted block and its approximation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.lower_bound_lemmas import BlockPoint, CoefficientPoint, OwnColumn, SpanPoint

lemma_11 = cite("sliding-window.lemma-11@7a5569e3")
lemma_12 = cite("sliding-window.lemma-12@5176d62b")

EXACT = SpanPoint(fmpq_mat([[2, 0], [0, 0]]), fmpq_mat([[2, 0], [1, 0]]), fmpq_mat([[1], [0]]), 2, 1)
SPAN_OUTSIDE = {
    "psi >= 1": attrs.evolve(EXACT, psi=Fraction(49, 50), approximation=EXACT.original),
    "gamma >= 2 Psi^2": attrs.evolve(EXACT, gamma=Fraction(99, 50)),
    "A_11 = gamma": attrs.evolve(EXACT, gamma=Fraction(201, 100)),
    "|A - B|_F^2 <= Psi": attrs.evolve(EXACT, approximation=fmpq_mat([[2, 0], [fmpq(51, 50), 0]])),
    "leading spans the column space of [A]_1": attrs.evolve(EXACT, leading=fmpq_mat([[1], [fmpq(1, 50)]])),
}


@lemma_11.refutes(
    grade="symbolic",
    region="A = (320000, 0; 10, 0), B = (320000, 0; 0, 0), Psi = 400; A = (2, 0; 0, 0), B = (2, 0; 1, 0), Psi = 1",
)
def test_columns_of_an_approximation_span_another_space(statement) -> None:
    gamma = 2 * 400**2
    inside = SpanPoint(
        fmpq_mat([[gamma, 0], [10, 0]]), fmpq_mat([[gamma, 0], [0, 0]]), fmpq_mat([[gamma], [10]]), gamma, 400
    )
    assert statement.at(inside) is Truth.FALSE, "entries 10^1 of Alice, gamma of Bob: |A - B|^2 = 100"
    (false,) = (p for p in (inside,) if statement.conclusion(p) is Truth.FALSE)
    lemma_11.tells("with Alice's entry {} beside", false.approximation[1, 0] + false.original[1, 0])
    lemma_11.tells("(gamma, 0; {}, 0) and (gamma, 0", false.approximation[1, 0] + false.original[1, 0])
    lemma_11.tells("A = (gamma, 0; {}, 0)", false.approximation[1, 0] + false.original[1, 0])
    assert statement.at(EXACT) is Truth.FALSE
    same = attrs.evolve(EXACT, approximation=fmpq_mat([[fmpq(3, 2), 0], [0, 0]]))
    assert statement.at(same) is Truth.TRUE
    assert statement.margin(EXACT) == -1
    assert statement.margin(same) == 0
    three = attrs.evolve(EXACT, original=diagonal([3, 0]), approximation=fmpq_mat([[3, 0], [1, 0]]), gamma=3)
    for inside in (EXACT, same, three):
        bind_hypotheses(statement, inside, SPAN_OUTSIDE)
    second = attrs.evolve(EXACT, leading=fmpq_mat([[0], [1]]))
    assert statement.applies(second) is Truth.FALSE, "an eigenvector for a smaller eigenvalue"
    for entry, half in ((2, Truth.TRUE), (fmpq(199, 100), Truth.FALSE)):
        plane = diagonal([2, entry])
        assert statement.applies(attrs.evolve(second, original=plane, approximation=plane)) is half
    assert not statement.strict


def block(changes, gamma=2, psi=1) -> BlockPoint:
    return BlockPoint(fmpq_mat([[gamma + changes[0], changes[1]], [changes[2], gamma + changes[3]]]), gamma, psi)


BLOCKS = [
    block(tuple(fmpq(each, 3) for each in changes), g, p)
    for changes in product((-1, 0, 1), (-1, 1), (0, 1), (-1, 0))
    for g, p in ((2, 1), (9, 2))
]


@lemma_11.supports_repair(
    grade="derived",
    region="every k and Psi >= 1: Yx = 0 gives gamma |x| = |(Y - gamma I)x| <= sqrt(Psi)|x| < gamma |x| unless x = 0",
)
def test_the_planted_block_keeps_its_rank(statement) -> None:
    psi = sympy.symbols("psi", positive=True)
    assert sympy.factor((2 * psi**2) ** 2 - psi) == psi * sympy.factor(4 * psi**3 - 1), "gamma^2 > Psi for Psi >= 1"
    c, x = sympy.Matrix(2, 2, sympy.symbols("c0:4")), sympy.Matrix(2, 1, sympy.symbols("x0:2"))
    slack = sum(e**2 for e in c) * x.dot(x) - (c * x).dot(c * x)
    squares = (c[0] * x[1] - c[1] * x[0]) ** 2 + (c[2] * x[1] - c[3] * x[0]) ** 2
    assert sympy.expand(slack - squares) == 0, "|Cx| <= |C|_F |x|"
    for p in BLOCKS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.conclusion(p) is Truth.TRUE
    ranks = [BlockPoint(diagonal([a, b, c]), 2, 1) for a, b, c in product((0, 1, 2), repeat=3)]
    bind(statement, ((p, sum(p.block[i, i] != 0 for i in range(3)) - 3) for p in ranks))
    outside = {
        "Y is square": BlockPoint(fmpq_mat([[2, 0]]), 2, 1),
        "psi >= 1": BlockPoint(fmpq_mat([[0]]), Fraction(1, 8), Fraction(1, 4)),
        "gamma >= 2 Psi^2": BlockPoint(fmpq_mat([[0]]), 1, 1),
        "|Y - gamma I|_F^2 <= Psi": block((fmpq(51, 50), 0, 0, 0)),
    }
    for near in (
        BlockPoint(2 * identity(2), 2, Fraction(49, 50)),
        BlockPoint(fmpq(99, 50) * identity(2), Fraction(99, 50), 1),
    ):
        assert statement.applies(near) is Truth.FALSE
    for inside in (block((1, 0, 0, 0)), block((0, 0, -1, 0)), block((fmpq(1, 2),) * 4), block((1, 1, 0, 0), 8, 2)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_11.controls("+repair", grade="symbolic", region="an error larger than gamma^2")
def test_a_large_error_loses_the_rank(statement) -> None:
    lost = block((-2, 0, 0, 0))
    assert statement.applies(lost) is Truth.FALSE
    assert statement.without("|Y - gamma I|_F^2 <= Psi").at(lost) is Truth.FALSE
    small = BlockPoint(diagonal([0, 1]), 1, 1)
    assert statement.without("gamma >= 2 Psi^2").at(small) is Truth.FALSE


def coefficients(first, second=0, psi=2, gamma=8, shift=0) -> CoefficientPoint:
    return CoefficientPoint(
        (rational(gamma) + shift) * identity(2), fmpq_mat([[fmpq(first)], [fmpq(second)]]), gamma, psi
    )


OWN = OwnColumn(8 * identity(2), 8, 2, 1)


@lemma_12.refutes(grade="symbolic", region="Psi = 2, gamma = 8: both columns of the block; Y = (8, 1; 0, 9)")
def test_a_column_of_the_block_has_a_coefficient_one(statement) -> None:
    for each in (OWN, attrs.evolve(OWN, place=2), attrs.evolve(OWN, block=fmpq_mat([[8, 1], [0, 8]]), place=2)):
        assert statement.at(each) is Truth.FALSE
    scaled = [OwnColumn(c * identity(2), c, psi, j) for c, psi, j in product((50, 70), (1, 2, 3, 4, 5), (1, 2))]
    bind(statement, ((p, Fraction(4, p.psi**3) - 1) for p in scaled))
    outside = {
        "Y is square": attrs.evolve(OWN, block=fmpq_mat([[8, 0]])),
        "psi >= 1": OwnColumn(8 * identity(2), 8, Fraction(49, 50), 1),
        "gamma >= 2 Psi^2": OwnColumn(fmpq(399, 50) * identity(2), Fraction(399, 50), 2, 1),
        "|Y - gamma I|_F^2 <= Psi": attrs.evolve(OWN, block=10 * identity(2)),
        "place >= 1, an integer": attrs.evolve(OWN, place=0),
        "place <= k": attrs.evolve(OWN, place=3),
    }
    for inside in (OWN, attrs.evolve(OWN, place=2), attrs.evolve(OWN, block=9 * identity(2)), attrs.evolve(OWN, psi=1)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_12.supports_repair(
    grade="derived",
    region="every k and Psi >= 1: |Y eta| <= sqrt(Psi), |Y eta| >= (gamma - sqrt(Psi))|eta| >= Psi^2|eta|",
)
def test_coefficients_outside_the_block_are_small(statement) -> None:
    """eta_j^2 <= |eta|^2 <= Psi/(gamma - sqrt(Psi))^2 <= Psi/Psi^4, a quarter of what is printed."""
    root = sympy.symbols("root", positive=True)
    assert sympy.factor((2 * root**4 - root) - root**4) == sympy.factor(root * (root**3 - 1)), "root = sqrt(Psi) >= 1"
    assert sympy.simplify(root**2 / (root**4) ** 2 - 1 / (root**2) ** 3) == 0
    edge = coefficients(fmpq(1, 6))
    for p in (edge, coefficients(0), coefficients(fmpq(1, 10), fmpq(1, 10)), coefficients(fmpq(-1, 3), 0, 1, 2)):
        assert statement.at(p) is Truth.TRUE
    values = []
    for i, j, psi in product((-2, 0, 1, 3), (-1, 0, 2), (1, 2, Fraction(7, 2))):
        p = coefficients(fmpq(i, 10), fmpq(j, 7), psi, 50)
        values.append((p, 4 / Fraction(psi) ** 3 - max(Fraction(i, 10) ** 2, Fraction(j, 7) ** 2)))
    bind(statement, values)
    outside = {
        "Y is square": attrs.evolve(edge, block=fmpq_mat([[8, 0]])),
        "psi >= 1": coefficients(0, 0, Fraction(49, 50)),
        "gamma >= 2 Psi^2": coefficients(0, 0, 2, Fraction(399, 50)),
        "the squared error is at most Psi": coefficients(0, 0, shift=fmpq(51, 50)),
    }
    for inside in (edge, coefficients(0, 0, shift=1), coefficients(fmpq(1, 2), 0, 1, 2)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(coefficients(fmpq(51, 100), 0, 1, 2)) is Truth.FALSE
    assert not statement.strict


@lemma_12.controls("+repair", grade="symbolic", region="an error beyond Psi; 1/(4 Psi^3) for 4/Psi^3")
def test_a_large_column_is_noticed(statement) -> None:
    large = coefficients(1)
    assert statement.applies(large) is Truth.FALSE
    assert statement.without("the squared error is at most Psi").at(large) is Truth.FALSE
    tight = coefficients(fmpq(52, 100), 0, 1, 2, fmpq(-1, 10))
    assert statement.at(tight) is Truth.TRUE

    def smaller(p: CoefficientPoint):
        return statement.formula(p) - fmpq(15, 4) / rational(p.psi) ** 3

    assert statement.nudged(margin=smaller).at(tight) is Truth.FALSE
