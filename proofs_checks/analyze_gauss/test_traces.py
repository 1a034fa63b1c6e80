"""The slide on the trace, property by property."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss import traces
from dpmatrix.spec.analyze_gauss.traces import TracePoint
from proofs_checks.analyze_gauss.drawn_matrices import drawn, similar, unit
from proofs_checks.exact_matrices import diagonal

trace_properties = cite("analyze-gauss.trace-properties@dd40c672")

DRAWS = random.Random(20140531)


def idempotent(order: int, rank: int) -> fmpq_mat:
    return similar(DRAWS, diagonal([int(i < rank) for i in range(order)])).matrix


def trace_point(order: int = 3) -> TracePoint:
    return TracePoint(
        drawn(DRAWS, order, order),
        drawn(DRAWS, order, order),
        Fraction(DRAWS.randint(-9, 9), 7),
        drawn(DRAWS, order, 2),
        drawn(DRAWS, 2, 4),
        drawn(DRAWS, 4, order),
        tuple(drawn(DRAWS, order, order) for _ in range(4)),
        idempotent(order, DRAWS.randint(0, order)),
    )


TRACES = [trace_point(order) for order in (1, 2, 3, 4) for _ in range(6)]
ILL_SHAPED = {
    "the shapes fit": attrs.evolve(TRACES[-1], left=drawn(DRAWS, 4, 3)),
}
ILL_SHAPES = [
    attrs.evolve(TRACES[-1], second=drawn(DRAWS, 4, 3)),
    attrs.evolve(TRACES[-1], right=drawn(DRAWS, 4, 3)),
    attrs.evolve(TRACES[-1], curve=(drawn(DRAWS, 3, 3),)),
    attrs.evolve(TRACES[-1], idempotent=unit(3)),
    attrs.evolve(TRACES[-1], first=drawn(DRAWS, 4, 3)),
]
NOT_IDEMPOTENT = {"P = P^2": attrs.evolve(TRACES[-1], idempotent=2 * unit(4))}
BULLETS = ("sum", "scalar", "product", "cyclic", "transpose", "differential", "idempotent")
TRACE = "analyze-gauss.trace-properties"


def symbols(name: str, rows: int, columns: int) -> sympy.Matrix:
    return sympy.Matrix(rows, columns, sympy.symbols(f"{name}:{rows * columns}"))


def check_trace_algebra() -> None:
    """Check the seven identities with symbolic entries."""
    c, t = sympy.symbols("c t")
    for n, m, k in ((1, 2, 1), (2, 3, 2), (3, 2, 2)):
        a, b = symbols("a", n, n), symbols("b", n, n)
        left, middle, right = symbols("l", n, m), symbols("m", m, k), symbols("r", k, n)
        assert sympy.expand((a + b).trace() - a.trace() - b.trace()) == 0
        assert sympy.expand((c * a).trace() - c * a.trace()) == 0
        other = middle * right
        assert sympy.expand((left * other).trace() - (other * left).trace()) == 0
        assert sympy.expand((left * middle * right).trace() - (right * left * middle).trace()) == 0
        assert sympy.expand(a.trace() - a.T.trace()) == 0
        curve = a + t * b + t**2 * a * b
        assert sympy.expand(sympy.diff(curve.trace(), t) - sympy.diff(curve, t).trace()) == 0


@trace_properties.supports(
    grade="derived",
    region="every shape by the docstring's index sums; symbolic entries for n <= 3; exact at 24 points, n <= 4",
)
@trace_properties.supports("sum", grade="derived", region="every n, as the whole")
@trace_properties.supports("scalar", grade="derived", region="every n, as the whole")
@trace_properties.supports("product", grade="derived", region="every shape, as the whole")
@trace_properties.supports("cyclic", grade="derived", region="every shape, as the whole")
@trace_properties.supports("transpose", grade="derived", region="every n, as the whole")
@trace_properties.supports(
    "differential",
    grade="derived",
    region="every polynomial curve, by linearity; of degree two symbolically for n <= 3",
)
@trace_properties.supports("idempotent", grade="derived", region="every n, as the whole")
def test_trace_bullets(statements) -> None:
    """sum_i (a_ii + b_ii), c sum_i a_ii and sum_i a_ii' are linear in the entries, and the transpose has the same ones.
    tr(AB) = sum_ij a_ij b_ji = tr(BA); with AB in place of A and C in place of B this is tr(ABC) = tr(CAB). A P of rank
    r is UV with U of r independent columns and V of r independent rows; P^2 = P says U(VU - I)V = 0, and U can be
    cancelled from the left and V from the right, so VU = I_r and tr P = tr(UV) = tr(VU) = r.
    """  # noqa: D205
    check_trace_algebra()
    for p in TRACES:
        rank = p.idempotent.rank()
        if rank:
            reduced, _ = p.idempotent.rref()
            rows = fmpq_mat(reduced.tolist()[:rank])
            columns = p.idempotent * rows.transpose() * (rows * rows.transpose()).inv()
            assert columns * rows == p.idempotent
            assert rows * columns == unit(rank)
    for statement in statements.values():
        assert all(statement.at(p) is Truth.TRUE for p in TRACES)
        bind(statement, [(p, 0) for p in TRACES])
        assert all(statement.applies(p) is Truth.FALSE for p in ILL_SHAPES)
    for bullet in BULLETS[:-1]:
        bind_hypotheses(statements[f"{TRACE}/{bullet}"], TRACES[-1], ILL_SHAPED)
    for name in (TRACE, f"{TRACE}/idempotent"):
        bind_hypotheses(statements[name], TRACES[-1], ILL_SHAPED | NOT_IDEMPOTENT)


@trace_properties.controls(grade="symbolic", region="P = 2I; a permutation that is not cyclic; a corner for the trace")
@trace_properties.controls("sum", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("scalar", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("product", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("cyclic", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("transpose", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("differential", grade="symbolic", region="n = 4: a function of a corner for the trace")
@trace_properties.controls("idempotent", grade="symbolic", region="n = 4: a function of a corner for the trace")
def test_trace_bullets_can_fail(statements) -> None:
    def corner(matrix: fmpq_mat) -> fmpq:
        """Neither linear nor the same for a transpose or the other order of a product."""
        return matrix[0, matrix.ncols() - 1] ** 2 + 1

    p = TRACES[-1]
    other = p.middle * p.right
    diagonals = [sum(m[i, i] for i in range(m.nrows())) for m in p.curve]
    distances = {
        "sum": corner(p.first + p.second) - corner(p.first) - corner(p.second),
        "scalar": corner(rational(p.scalar) * p.first) - rational(p.scalar) * corner(p.first),
        "product": corner(p.left * other) - corner(other * p.left),
        "cyclic": corner(p.left * p.middle * p.right) - corner(p.right * p.left * p.middle),
        "transpose": corner(p.first) - corner(p.first.transpose()),
        "differential": sum(k * abs(corner(m) - x) for k, (m, x) in enumerate(zip(p.curve, diagonals, strict=True))),
        "idempotent": corner(p.idempotent) - p.idempotent.rank(),
    }
    for name, distance in distances.items():
        changed = redefined(statements[f"{TRACE}/{name}"], traces, "trace", corner)
        assert changed.at(p) is Truth.FALSE, name
        assert abs(changed.formula(p) + abs(distance)) < arb(2) ** -30 * (1 + abs(distance)), name
    assert redefined(statements[TRACE], traces, "trace", corner).at(p) is Truth.FALSE
    statement = statements[TRACE]
    point = NOT_IDEMPOTENT["P = P^2"]
    assert statement.without("P = P^2").at(point) is Truth.FALSE
    bind(statement, [(point, -4)], least=1)
    first, second = fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[0, 0], [1, 0]])
    third = fmpq_mat([[1, 0], [0, 0]])

    def trace(matrix: fmpq_mat) -> fmpq:
        return matrix[0, 0] + matrix[1, 1]

    assert trace(first * second * third) != trace(first * third * second)
