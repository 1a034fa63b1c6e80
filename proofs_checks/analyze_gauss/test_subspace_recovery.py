"""The lines of Algorithm 2: the noise where a gap can be closed, and rows taken for columns."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.subspace_recovery import NoisyGap, RecoveryRun, RowsOrColumns
from proofs_checks.exact_matrices import diagonal, rotation

algorithm_2 = cite("analyze-gauss.algorithm-2@f8a9d972")

DRAWS = random.Random(20140605)
NAME = "analyze-gauss.algorithm-2"
SMALL = Fraction(1, 10**6)
CLOSED = NoisyGap(1, SMALL, 0, 0)
NOISY = [
    NoisyGap(epsilon, delta, Fraction(1, 2), noisy)
    for epsilon, delta, noisy in product((Fraction(1, 2), 1), (SMALL, Fraction(1, 10)), (-3, 0, 2, 11, 80))
] + [NoisyGap(3, Fraction(1, 9), 0, noisy) for noisy in (1, 2)]


@algorithm_2.refutes(grade="interval", region="epsilon = 1, delta = 1e-6, gap and noisy gap 0: Delta/29.6")
def test_a_gap_that_can_be_closed_gets_little_noise(statement) -> None:
    assert statement.at(CLOSED) is Truth.FALSE
    near = attrs.evolve(CLOSED, noisy_gap=29)
    assert statement.at(near) is Truth.TRUE, "the bracket is -0.63"
    with mpmath.workdps(80):
        values = []
        for p in NOISY:
            level = mpmath.log(1 / real(p.delta))
            size = (1 + mpmath.sqrt(2 * level)) / real(p.epsilon)
            printed = size / abs(real(p.noisy_gap) - 2 * (1 + level / real(p.epsilon)))
            values.append((p, mpmath.nstr(printed - size * mpmath.sqrt(2), 60)))
        bind(statement, values)
    bind_hypotheses(
        statement,
        CLOSED,
        {
            "epsilon > 0": attrs.evolve(CLOSED, epsilon=0),
            "delta > 0": attrs.evolve(CLOSED, delta=0),
            "delta < 1": attrs.evolve(CLOSED, delta=1),
            "gap >= 0": attrs.evolve(CLOSED, gap=-1),
            "gap < 1": attrs.evolve(CLOSED, gap=1),
        },
    )


SHAPES = [(order, k) for order in (1, 2, 3, 4) for k in range(1, order + 1)]
FRAMES = [RowsOrColumns(rotation(DRAWS, order, 5), k) for order, k in SHAPES for _ in range(3)]
PLANE = RowsOrColumns(diagonal([1, 1]), 1)
OUTSIDE = {
    "the eigenvectors are orthonormal": RowsOrColumns(diagonal([1, 2]), 1),
    "1 <= k <= n": RowsOrColumns(diagonal([1, 1]), 3),
}


@algorithm_2.refutes("row-matrix", grade="symbolic", region="n = 2, k = 1: the output is (1)")
@algorithm_2.supports("column-matrix", grade="derived", region="every n and k: (VV')^2 = V(V'V)V'; 30 points")
def test_rows_give_the_identity_and_columns_the_projector(statements) -> None:
    """V'V = I_k for orthonormal columns, so as rows the product is I_k; VV' is idempotent with trace tr(V'V) = k."""
    rows, columns = statements[f"{NAME}/row-matrix"], statements[f"{NAME}/column-matrix"]
    assert rows.at(PLANE) is Truth.FALSE
    cosine = sympy.Symbol("c", positive=True)
    vector = sympy.Matrix([cosine, sympy.sqrt(1 - cosine**2)])
    projector = vector * vector.T
    assert sympy.simplify(projector**2 - projector) == sympy.zeros(2)
    assert sympy.simplify(projector.trace()) == 1
    for p in FRAMES:
        assert columns.at(p) is Truth.TRUE
        assert rows.at(p) is (Truth.TRUE if p.k == p.frame.nrows() else Truth.FALSE)
    bind(columns, [(p, 0) for p in FRAMES])
    bind(rows, [(p, p.k - p.frame.nrows()) for p in FRAMES])
    for statement in (rows, columns):
        bind_hypotheses(statement, PLANE, OUTSIDE)
        assert statement.applies(RowsOrColumns(diagonal([1, 1]), 0)) is Truth.FALSE


RUNS = [
    RecoveryRun(epsilon, delta, gap, adjacency, variance, 4, Fraction(1, 1024))
    for epsilon, delta, gap, adjacency, variance in product(
        (1, 2), (SMALL, Fraction(1, 10)), (60, 90), tuple(Adjacency), (Fraction(1, 10), None)
    )
]


@algorithm_2.controls("+repair", grade="symbolic", region="32 invented runs: when and how much")
def test_the_least_variance_of_a_recovery(statement) -> None:
    with mpmath.workdps(80):
        values = []
        for p in RUNS:
            level = mpmath.log(1 / real(p.delta))
            above = p.gap - 2 * (1 + level / real(p.epsilon))
            factor = 2 if p.adjacency is Adjacency.REPLACE_ONE else 1
            least = factor * (1 + mpmath.sqrt(2 * level)) / real(p.epsilon) / above
            kept = mpmath.mpf(1) / 1024 - above
            scale = 4 - 2 / mpmath.mpf(p.epsilon)
            value = kept if p.variance is None else min(above, real(p.variance) - least**2, scale)
            values.append((p, mpmath.nstr(value, 60)))
        bind(statement.elsewhere(), [*values, *values], least=32)
    inside = attrs.evolve(RUNS[0], variance=1)
    assert statement.at(inside) is Truth.TRUE
    assert statement.at(attrs.evolve(inside, gap_scale=2)) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(inside, gap_scale=Fraction(199, 100))) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(inside, gap=20)) is Truth.FALSE
    assert statement.at(attrs.evolve(inside, gap=20, variance=None)) is Truth.TRUE
    bind_hypotheses(
        statement,
        inside,
        {
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "delta > 0": attrs.evolve(inside, delta=0),
            "delta < 1": attrs.evolve(inside, delta=1),
            "the rounding is at most 1/1000": attrs.evolve(inside, rounding=Fraction(1, 900)),
        },
    )
    assert statement.applies(attrs.evolve(inside, rounding=Fraction(1, 1000))) is not Truth.FALSE
