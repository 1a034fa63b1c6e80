"""The lines of Algorithm 2: rows taken for columns, and what a run of the repaired one withholds and adds."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.subspace_recovery import RecoveryRun, RowsOrColumns
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import diagonal, rotation

algorithm_2 = cite("analyze-gauss.algorithm-2@e8530eed")

DRAWS = random.Random(20140605)
NAME = "analyze-gauss.algorithm-2"
SMALL = Fraction(1, 10**6)
SHAPES = [(order, k) for order in (1, 2, 3, 4) for k in range(1, order + 1)]
FRAMES = [RowsOrColumns(rotation(DRAWS, order, 5), k) for order, k in SHAPES for _ in range(3)]
PLANE = RowsOrColumns(diagonal([1, 1]), 1)
OUTSIDE = {
    "the eigenvectors are orthonormal": RowsOrColumns(diagonal([1, 2]), 1),
    "k >= 1, an integer": RowsOrColumns(diagonal([1, 1]), 0),
    "k <= n": RowsOrColumns(diagonal([1, 1]), 3),
}


@algorithm_2.refutes(grade="symbolic", region="n = 2, k = 1: the output is (1)")
@algorithm_2.supports("column-matrix", grade="derived", region="every n and k: (VV')^2 = V(V'V)V'; 30 points")
def test_rows_give_the_identity_and_columns_the_projector(statements) -> None:
    """V'V = I_k for orthonormal columns, so as rows the product is I_k; VV' is idempotent with trace tr(V'V) = k."""
    rows, columns = statements[NAME], statements[f"{NAME}/column-matrix"]
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
    slanted = RowsOrColumns(fmpq_mat([[1, 1], [0, 1]]), 2)
    assert rows.without("the eigenvectors are orthonormal").at(slanted) is Truth.FALSE, "V'V is not VV'"
    free = columns.without("the eigenvectors are orthonormal")
    assert free.at(RowsOrColumns(diagonal([2, 1]), 1)) is Truth.FALSE, "diag(4, 0) is no projector"
    assert free.at(RowsOrColumns(diagonal([1, 0]), 2)) is Truth.FALSE, "diag(1, 0) is one, of rank 1"
    bind(free, [(RowsOrColumns(diagonal([a, 1]), 1), -(a**4 - a**2) - (a**2 - 1)) for a in range(1, 21)])


def slack(fixed) -> sympy.Expr:
    """Least of the slacks of a run: of the gap, the noise on the projector and the noise on the gap."""
    epsilon, delta, gap, variance, scale, rounding = sympy.symbols("epsilon delta gap variance gap_scale rounding")
    level = sympy.log(1 / delta)
    above = gap - 2 * (1 + level / epsilon)
    if "variance" in fixed:  # nothing was released
        return rounding - above
    factor = sympy.sqrt(2) if fixed["adjacency"] is Adjacency.REPLACE_ONE else 1
    root = sympy.sqrt(2 * level)
    size = sympy.Max((1 + root) / epsilon, (root + sympy.sqrt(root**2 + 2 * epsilon)) / (2 * epsilon))
    deviation = factor * size / above
    return sympy.Min(above, variance - deviation**2, scale - 2 / epsilon)


@algorithm_2.controls("+repair", grade="interval", region="invented runs: a gap scale of 199/100; a gap of 20")
def test_the_least_variance_of_a_recovery(statement) -> None:
    bind_expression(statement.elsewhere(), slack)
    inside = RecoveryRun(1, SMALL, 60, Adjacency.ADD_REMOVE_ONE, 1, 4, Fraction(1, 1024))
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
            "the rounding is at most 1/1000, and not negative": attrs.evolve(inside, rounding=Fraction(1001, 10**6)),
        },
    )
    assert statement.applies(attrs.evolve(inside, rounding=Fraction(1, 1000))) is not Truth.FALSE
    assert statement.applies(attrs.evolve(inside, rounding=0)) is Truth.TRUE
