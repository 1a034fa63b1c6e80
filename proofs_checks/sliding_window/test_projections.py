"""Lemma 7 of `sliding-window`: projection costs under perturbation, and what errors in the span of A'A change."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.projection_cross_terms import CrossTerm
from dpmatrix.spec.sliding_window.projections import CostPoint, kept_margin

lemma_7 = cite("sliding-window.lemma-7@6a11d178")

QUARTER = Fraction(1, 4)
AXES = [diagonal([int(i == j) for j in range(3)]) for i in range(3)]
NOTHING = fmpq_mat(3, 3)
TILT = fmpq_mat([[fmpq(9, 25), fmpq(12, 25), 0], [fmpq(12, 25), fmpq(16, 25), 0], [0, 0, 0]])
UNIT = (fmpq(1), fmpq(1), fmpq(1))
HALVED = CostPoint(UNIT, NOTHING, fmpq(-1, 2) * identity(3), AXES[0], 0, QUARTER, 0)


def cost(values, first, second, axis=0, eta_1=QUARTER, eta_2=QUARTER, prime=QUARTER) -> CostPoint:
    """Everything diagonal, P an axis."""
    return CostPoint(
        tuple(map(fmpq, values)),
        diagonal([rational(each) for each in first]),
        diagonal([rational(each) for each in second]),
        AXES[axis],
        eta_1,
        eta_2,
        prime,
    )


COSTS = [
    cost(values, (Fraction(a, 4), 0, Fraction(-a, 5)), (Fraction(b, 3), Fraction(b, 7), Fraction(-1, 6)), axis)
    for values, a, b, axis in product(((3, 2, 1), (5, 1, 1)), (-1, 1), (-1, 0, 1), (0, 1, 2))
]
PLAIN = cost((2, 2, 1), (0, 0, 0), (0, 0, 0))
FALLS = "A'A = diag(values), decreasing, not negative"
SEMIDEFINITE = "A~'A~ is positive semidefinite, E_1 and E_2 symmetric"
GROWING = cost((0, 0, 4), (0, 0, 0), (1, 0, 0), axis=2)
"""The least eigenvalues come first, so that the tail is 4 and P costs nothing."""
SHEARED = CostPoint(UNIT, fmpq_mat([[0, 9, 0], [0, 0, 0], [0, 0, 0]]), NOTHING, TILT, QUARTER, QUARTER, QUARTER)
"""Eigenvalues tell nothing of a nilpotent E_1."""
COMMON_OUTSIDE = {
    "P is an orthogonal projection": attrs.evolve(PLAIN, projection=fmpq(51, 50) * AXES[0]),
    FALLS: GROWING,
    SEMIDEFINITE: SHEARED,
    "eta_1 >= 0": attrs.evolve(PLAIN, eta_1=Fraction(-1, 50)),
    "eta_2 >= 0": attrs.evolve(PLAIN, eta_2=Fraction(-1, 50)),
    "eta_2_prime >= 0": attrs.evolve(PLAIN, eta_2_prime=Fraction(-1, 50)),
    "-eta_1 A'A <= E_1 <= eta_1 A'A": attrs.evolve(PLAIN, first=diagonal([fmpq(26, 50), 0, 0])),
    "Tr E_2 <= eta_2' |A - [A]_k|_F^2": attrs.evolve(PLAIN, second=fmpq(26, 100) * identity(3)),
}
LARGEST = "the k largest |lambda_i(E_2)| sum to at most eta_2 |A - [A]_k|_F^2"
FALLING = attrs.evolve(PLAIN, second=diagonal([fmpq(-38, 50), 0, 0]))
LAST = CostPoint(UNIT, NOTHING, diagonal([0, 0, fmpq(-1, 2)]), AXES[2], 0, 0, 0)
"""lambda(E_2) = (0, 0, -1/2), and every eta is 0."""


def by_hand(p: CostPoint, constant):
    """Slack of the two inequalities for diagonal matrices and an axis, written out."""
    axis = next(i for i in range(3) if p.projection[i, i] == 1)
    rest = [i for i in range(3) if i != axis]
    before = sum(p.values[i] for i in rest)
    after = before + sum(p.first[i, i] + p.second[i, i] for i in rest)
    eta = rational(p.eta_1) + rational(p.eta_2) + rational(p.eta_2_prime)
    total = after + constant(sum((p.second[i, i] for i in range(3)), fmpq(0)))
    return min(total - (1 - eta) * before, (1 + eta) * before - total)


def check_parts(statement) -> None:
    edge = cost((2, 2, 1), (HALF_, HALF_, QUARTER), (Fraction(3, 4), 0, 0))
    low = cost((2, 2, 1), (-HALF_, -HALF_, -QUARTER), (Fraction(-3, 4), 0, 0))
    for inside in (
        PLAIN,
        edge,
        low,
        attrs.evolve(PLAIN, projection=TILT),
        cost((3, 2, 1), (HALF_, 0, 0), (Fraction(-13, 4), 0, 0), eta_2=2),  # 3 + 1/2 - 13/4 is left of 3
        cost((0, 0, 0), (0, 0, 0), (0, 0, 0), 0, 0, 0, 0),
    ):
        bind_hypotheses(statement, inside, COMMON_OUTSIDE | {LARGEST: FALLING})
    (falls,) = (condition for condition in statement.given if condition.says == FALLS)
    assert falls.at(attrs.evolve(PLAIN, values=(fmpq(2), fmpq(1), fmpq(-1, 50)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, values=(fmpq(2), fmpq(2), fmpq(51, 25)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, second=diagonal([-3, 0, 0]))) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, first=diagonal([0, 0, fmpq(-26, 100)]))) is Truth.FALSE
    skew = fmpq_mat([[0, fmpq(1, 50), 0], [0, 0, 0], [0, 0, 0]])
    assert statement.applies(attrs.evolve(PLAIN, first=skew)) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, second=skew)) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, projection=AXES[0] + skew)) is Truth.FALSE
    two = attrs.evolve(PLAIN, projection=AXES[0] + AXES[1], second=diagonal([fmpq(1, 8), fmpq(-1, 8), 0]))
    assert statement.applies(two) is Truth.TRUE, "k = 2: the tail is 1, and 1/8 + 1/8 = 1/4 of it"
    last = statement.applies(attrs.evolve(two, second=diagonal([fmpq(1, 8), 0, fmpq(-7, 50)])))
    assert last is Truth.FALSE, "7/50 and 1/8 are largest"
    assert statement.applies(attrs.evolve(two, second=diagonal([fmpq(1, 8), fmpq(7, 50), fmpq(-1, 8)]))) is Truth.FALSE
    assert not statement.strict


HALF_ = Fraction(1, 2)


@lemma_7.refutes(grade="symbolic", region="A'A = I_3, E_2 = -I/2, k = 1, eta = 1/4")
def test_the_printed_constant_does_not_give_the_trace_back(statement) -> None:
    assert statement.at(HALVED) is Truth.FALSE
    assert statement.margin(HALVED).overlaps(-arb(1) / 2)
    bind(statement, ((p, by_hand(p, lambda _: fmpq(0))) for p in COSTS))
    check_parts(statement)


@lemma_7.supports_repair(
    grade="derived",
    region="every d, k, A and P, with E_3 = E_4 = 0: three bounds in the docstring; their sum symbolically, d = 3",
)
def test_the_mended_constant_keeps_the_costs(statement) -> None:
    """Y + c - x = Tr((I - P)E_1) + max(0, Tr E_2) - Tr(P E_2), x the cost of P.

    The first is within eta_1 x, since (I - P) +- of -eta_1 A'A <= E_1 <= eta_1 A'A has traces of one sign; the second
    is in [0, eta_2' tail]; |Tr(P E_2)| <= sum l_i p_i with p_i in [0, 1] of sum k, at most the k largest |l_i|, by
    Definition 2 as mended. The tail is at most x, by the same.
    """
    q = sympy.Matrix(3, 3, lambda i, j: sympy.Symbol(f"q{min(i, j)}{max(i, j)}"))
    a, e, f = (sympy.Matrix(3, 3, sympy.symbols(f"{letter}0:9")) for letter in "aef")
    rest, c = sympy.eye(3) - q, sympy.Symbol("c")
    difference = (rest * (a + e + f)).trace() + c - (rest * a).trace()
    assert sympy.expand(difference - ((rest * e).trace() + f.trace() + c - (q * f).trace())) == 0
    for t in (sympy.Symbol("t", nonnegative=True), sympy.Symbol("t", negative=True)):
        assert sympy.Max(0, t) == t - sympy.Min(0, t)
    bind(statement, ((p, by_hand(p, lambda total: -min(fmpq(0), total))) for p in COSTS))
    for p in (HALVED, PLAIN, attrs.evolve(PLAIN, projection=TILT, second=diagonal([fmpq(-7, 10), fmpq(1, 5), 0]))):
        assert statement.at(p) is Truth.TRUE
    for p in COSTS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.conclusion(p) is Truth.TRUE
    check_parts(statement)


@lemma_7.controls("+repair", grade="symbolic", region="E_2 too large, in the first or in the last eigenvalue; c = 0")
def test_a_larger_error_is_noticed(statement) -> None:
    large = cost((2, 2, 1), (0, 0, 0), (2, -2, 0), axis=0, eta_1=0, prime=0)
    for p in (large, LAST):
        assert statement.applies(p) is Truth.FALSE
        assert statement.without(LARGEST).at(p) is Truth.FALSE
    for says, p in ((FALLS, GROWING), (SEMIDEFINITE, SHEARED)):
        assert statement.applies(p) is Truth.FALSE
        assert statement.without(says).at(p) is Truth.FALSE
    (semidefinite,) = (condition for condition in statement.given if condition.says == SEMIDEFINITE)
    assert semidefinite.at(attrs.evolve(LAST, second=diagonal([0, 0, fmpq(-2)]))) is Truth.FALSE, "symmetric only"
    halved = attrs.evolve(HALVED, eta_2=Fraction(1, 4))
    assert statement.at(halved) is Truth.TRUE
    without_constant = statement.nudged(margin=lambda p: kept_margin(p, fmpq(0)))
    assert without_constant.at(halved) is Truth.FALSE, "c = 0"


VALUES = (fmpq(4), fmpq(1), fmpq(0))
COLUMNS = fmpq_mat([[0, fmpq(1, 4), fmpq(1, 5)], [fmpq(1, 5), fmpq(1, 4), fmpq(1, 4)], [0, 0, 0]])
"""Columns in the span of the first two axes; Tr(E'(A'A)^+ E) = 0.190625, below 1/4."""
BASE = CrossTerm(VALUES, COLUMNS, AXES[0], Fraction(1, 2), Fraction(1, 2))
OUTSIDE = {
    "P is an orthogonal projection": attrs.evolve(BASE, projection=fmpq(51, 50) * AXES[0]),
    FALLS: attrs.evolve(BASE, values=(fmpq(1), fmpq(4), fmpq(0))),
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


def narrow(last: fmpq) -> CrossTerm:
    """Give a last eigenvalue of 1/20, and an error along its direction."""
    along = fmpq_mat([[0, 0, 0], [0, 0, 0], [0, last, 0]])
    return attrs.evolve(BASE, values=(fmpq(4), fmpq(1), fmpq(1, 20)), error=COLUMNS + along)


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


def change_by_hand(p: CrossTerm) -> Fraction:
    """Return share times the cost minus the change, entry by entry."""

    def number(value):
        return Fraction(int(value.p), int(value.q))

    places = range(3)
    rest = [[int(i == j) - number(p.projection[i, j]) for j in places] for i in places]
    cost = sum(rest[i][i] * number(p.values[i]) for i in places)
    change = sum(rest[i][j] * number(p.error[j, i]) for i, j in product(places, places))
    return Fraction(p.share) * cost - abs(change)


def check(statement, more, insides) -> None:
    bind(statement, ((p, change_by_hand(p)) for p in points()))
    bind(statement, ((turned(p), change_by_hand(turned(p))) for p in points()))
    for inside in insides:
        bind_hypotheses(statement, inside, OUTSIDE | more)
    skew = fmpq_mat([[1, fmpq(1, 50), 0], [0, 0, 0], [0, 0, 0]])
    assert statement.applies(attrs.evolve(insides[0], projection=skew)) is Truth.FALSE
    for last in (fmpq(-1, 50), fmpq(2)):
        assert statement.applies(attrs.evolve(insides[0], values=(fmpq(4), fmpq(1), last))) is Truth.FALSE
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
    check(third, SAME | BY_COLUMNS | IN_COLUMNS, (BASE, edge, ZERO, narrow(fmpq(1, 50))))
    check(fourth, SAME | BY_ROWS | IN_ROWS, (turned(BASE), edge, ZERO, turned(narrow(fmpq(1, 50)))))
    assert third.applies(narrow(fmpq(1, 5))) is Truth.FALSE, "(1/5)^2 over an eigenvalue 1/20 is 4/5"
    assert fourth.applies(turned(narrow(fmpq(1, 5)))) is Truth.FALSE
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
