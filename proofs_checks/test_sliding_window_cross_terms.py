"""Conditions 3 and 4 of Lemma 7 of `sliding-window`: what errors in the span of A'A change in the cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.projection_cross_terms import CrossTerm
from dpmatrix.spec.wishart.spectra import diagonal

lemma_7 = cite("sliding-window.lemma-7@17ae8dac")


TILT = fmpq_mat([[fmpq(9, 25), fmpq(12, 25), 0], [fmpq(12, 25), fmpq(16, 25), 0], [0, 0, 0]])
AXES = [diagonal([int(i == j) for j in range(3)]) for i in range(3)]
VALUES = (fmpq(4), fmpq(1), fmpq(0))
COLUMNS = fmpq_mat([[0, fmpq(1, 4), fmpq(1, 5)], [fmpq(1, 5), fmpq(1, 4), fmpq(1, 4)], [0, 0, 0]])
"""Columns in the span of the first two axes; Tr(E'(A'A)^+ E) = 0.190625, below 1/4."""
BASE = CrossTerm(VALUES, COLUMNS, AXES[0], Fraction(1, 2), Fraction(1, 2))
OUTSIDE = {
    "P is an orthogonal projection": attrs.evolve(BASE, projection=fmpq(51, 50) * AXES[0]),
    "A'A = diag(values), decreasing, not negative": attrs.evolve(BASE, values=(fmpq(1), fmpq(4), fmpq(0))),
    "bound >= 0": attrs.evolve(BASE, bound=Fraction(-1, 2), share=Fraction(-1, 2)),
    "share >= 0": attrs.evolve(BASE, share=Fraction(-1, 50)),
}
SAME = {"the share is that of the bound": attrs.evolve(BASE, share=Fraction(51, 100))}
SPAN = fmpq_mat([[0, 0, 0], [0, 0, 0], [fmpq(1, 50), fmpq(1, 50), 0]])
LARGE = fmpq(51, 100) * fmpq_mat([[0, 0, 0], [0, 1, 0], [0, 0, 0]])
BY_COLUMNS = {"Tr(E'(A'A)^+ E) <= eta_3^2 |A - [A]_k|_F^2": attrs.evolve(BASE, error=LARGE)}
BY_ROWS = {"Tr(E (A'A)^+ E') <= eta_4^2 |A - [A]_k|_F^2": attrs.evolve(BASE, error=LARGE)}
IN_COLUMNS = {"columns of E lie in the span of A'A": attrs.evolve(BASE, error=SPAN)}
IN_ROWS = {"rows of E lie in the span of A'A": attrs.evolve(BASE, error=SPAN.transpose())}


def turned(p: CrossTerm) -> CrossTerm:
    return attrs.evolve(p, error=p.error.transpose())


def points():
    """Errors of both kinds under three projections; the last one is not an axis."""
    for projection, scale, share, values in product(
        (AXES[0], AXES[1], TILT, AXES[0] + AXES[1]),
        (1, -2, Fraction(1, 3)),
        (Fraction(1, 2), 2),
        (VALUES, (fmpq(9), fmpq(2), fmpq(1))),
    ):
        factor = fmpq(Fraction(scale).numerator, Fraction(scale).denominator)
        yield CrossTerm(values, factor * COLUMNS, projection, share, share)


def by_hand(p: CrossTerm) -> Fraction:
    """Return share times the cost minus the change, entry by entry."""

    def number(value):
        return Fraction(int(value.p), int(value.q))

    places = range(3)
    rest = [[int(i == j) - number(p.projection[i, j]) for j in places] for i in places]
    cost = sum(rest[i][i] * number(p.values[i]) for i in places)
    change = sum(rest[i][j] * number(p.error[j, i]) for i, j in product(places, places))
    return Fraction(p.share) * cost - abs(change)


def check(statement, more, insides) -> None:
    bind(statement, ((p, by_hand(p)) for p in points()))
    bind(statement, ((turned(p), by_hand(turned(p))) for p in points()))
    for inside in insides:
        bind_hypotheses(statement, inside, OUTSIDE | more)
    skew = fmpq_mat([[1, fmpq(1, 50), 0], [0, 0, 0], [0, 0, 0]])
    assert statement.applies(attrs.evolve(insides[0], projection=skew)) is Truth.FALSE
    assert statement.applies(attrs.evolve(insides[0], values=(fmpq(4), fmpq(1), fmpq(-1, 50)))) is Truth.FALSE
    assert not statement.strict


ZERO = attrs.evolve(BASE, error=fmpq_mat(3, 3), values=(fmpq(0),) * 3, bound=0, share=0)


@lemma_7.supports(
    "third-part",
    grade="derived",
    region="every d, k, A, P: Cauchy-Schwarz (docstring), its identity for symbolic 2 x 2 matrices",
)
@lemma_7.supports(
    "fourth-part-transposed",
    grade="derived",
    region="every d, k, A, P: Cauchy-Schwarz as for third-part, with E', since Tr((I - P)E) = Tr((I - P)E')",
)
def test_cross_terms_cost_their_share(statements) -> None:
    """With C = A'A, Y = I - P and E in the column span, Tr(YE) is the inner product of C^(1/2) Y and (C^+)^(1/2) E.

    Their squared norms are Tr(YCY) = Tr(YC), the cost, and Tr(E'C^+E) <= eta_3^2 tail, and the tail is at most the
    cost, as `definition-2` has it: |Tr(YE)| <= eta_3 cost.
    """
    third, fourth = (statements[f"sliding-window.lemma-7/{name}"] for name in ("third-part", "fourth-part-transposed"))
    c = sympy.symbols("c0:2", positive=True)
    y = sympy.Matrix(2, 2, lambda i, j: sympy.Symbol(f"y{min(i, j)}{max(i, j)}"))
    e = sympy.Matrix(2, 2, sympy.symbols("e0:4"))
    one = [sympy.sqrt(c[i]) * y[i, j] for i, j in product(range(2), repeat=2)]
    other = [e[i, j] / sympy.sqrt(c[i]) for i, j in product(range(2), repeat=2)]
    assert sympy.simplify(sum(a * b for a, b in zip(one, other, strict=True)) - (y * e).trace()) == 0
    assert sympy.simplify(sum(a**2 for a in one) - (y * sympy.diag(*c) * y).trace()) == 0
    assert sympy.simplify(sum(b**2 for b in other) - (e.T * sympy.diag(*c).inv() * e).trace()) == 0
    u, v = sympy.symbols("u0:4"), sympy.symbols("v0:4")
    pairs = [(i, j) for i in range(4) for j in range(i)]
    lagrange = sum((u[i] * v[j] - u[j] * v[i]) ** 2 for i, j in pairs)
    slack = sum(a**2 for a in u) * sum(b**2 for b in v) - sum(a * b for a, b in zip(u, v, strict=True)) ** 2
    assert sympy.expand(slack - lagrange) == 0
    edge = attrs.evolve(BASE, error=fmpq(1, 2) * AXES[1])
    for statement, kind in ((third, lambda p: p), (fourth, turned)):
        checked = [kind(p) for p in (*points(), edge, BASE, ZERO) if statement.applies(kind(p)) is Truth.TRUE]
        assert len(checked) >= 10
        assert all(statement.at(p) is Truth.TRUE for p in checked)
        assert statement.margin(edge) == 0, "attained: 1/2 of the cost 1"
    check(third, SAME | BY_COLUMNS | IN_COLUMNS, (BASE, edge, ZERO))
    check(fourth, SAME | BY_ROWS | IN_ROWS, (turned(BASE), edge, ZERO))
    assert third.applies(turned(BASE)) is Truth.FALSE
    assert fourth.applies(BASE) is Truth.FALSE
    assert third.applies(attrs.evolve(BASE, error=fmpq(6, 5) * COLUMNS)) is Truth.FALSE, "1.44 * 0.190625 > 1/4"
    assert third.applies(attrs.evolve(BASE, error=fmpq(11, 10) * COLUMNS)) is Truth.TRUE


@lemma_7.refutes(
    "fourth-part", grade="symbolic", region="A'A = diag(4, 1, 0), E_4 = e_2 e_2'/2, eta_3 = 1/2, eta_4 = 0 and 1/4"
)
def test_the_fourth_parameter_bounds_nothing(statement) -> None:
    for share in (0, Fraction(1, 4)):
        free = attrs.evolve(BASE, error=fmpq(1, 2) * AXES[1], share=share)
        assert statement.at(free) is Truth.FALSE
    edge = attrs.evolve(BASE, error=fmpq(1, 2) * AXES[1])
    assert statement.at(edge) is Truth.TRUE
    check(statement, BY_COLUMNS | IN_ROWS, (edge, ZERO, attrs.evolve(edge, share=0)))
