"""The documents' relations between data sets: where they differ, what they share, and how guarantees convert."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.cross_adjacency import ChangedRow, TwoSteps
from dpmatrix.spec.sliding_window.post_processing import excess
from proofs_checks.gaussian_profiles import divergence

adjacency = cite("cross.adjacency@1d78541d")

ZERO, FIRST, SECOND = (0, 0), (1, 0), (0, 1)
ROWS = (
    ZERO,
    FIRST,
    SECOND,
    (Fraction(3, 5), Fraction(4, 5)),
    (Fraction(1, 2), 0),
    (Fraction(51, 50), 0),
    (10, 0),
    (11, 0),
)
PAIRS = [ChangedRow(x, y) for x, y in product(ROWS, repeat=2) if x != y]


def relations(p: ChangedRow) -> list[bool]:
    """Evaluate the relations once more, with norms as sympy computes them."""
    x, y = sympy.Matrix(p.x), sympy.Matrix(p.y)
    unit = bool(x.norm() <= 1 and y.norm() <= 1)
    return [unit, unit and (x.is_zero_matrix or y.is_zero_matrix), True, bool((x - y).norm() <= 1)]


def promised(delta: sympy.Rational, moved: sympy.Expr) -> mpmath.mpf:
    """Give the exact delta at epsilon = 1 of the printed deviation Delta, where the upper triangle moves so far."""
    shift = moved / (1 + sympy.sqrt(2 * sympy.log(1 / delta)))
    with mpmath.workdps(30):
        return mpmath.mpf(sympy.N(divergence(sympy.Integer(1), shift), 30))


@adjacency.refutes(grade="symbolic", region="e_1, e_2; 10 e_1, 11 e_1")
def test_relations_differ(statement) -> None:
    assert statement.at(ChangedRow(FIRST, SECOND)) is Truth.FALSE
    assert statement.at(ChangedRow((10, 0), (11, 0))) is Truth.FALSE
    assert relations(ChangedRow(FIRST, SECOND)) == [True, False, True, False]
    before, after = (sympy.Matrix(row) * sympy.Matrix(row).T for row in ((10, 0), (11, 0)))
    adjacency.tells("moves the second-moment matrix by {}", (after - before).norm(2))
    assert relations(ChangedRow((10, 0), (11, 0))) == [False, False, True, True]
    replaced = sympy.diag(1, 0) - sympy.diag(0, 1)
    deltas = [sympy.Rational(1, 10**digits) for digits in (8, 6)]
    at_8, at_6 = (promised(delta, replaced.norm()) for delta in deltas)
    assert at_8 > deltas[0]
    assert at_6 < deltas[1]
    adjacency.tells("delta = 1e-8 has the exact delta {}, though at delta = 1e-6 it has {}", at_8, at_6)
    assert 2 * promised(deltas[0], 1) < deltas[0], "the same noise hides an added row"
    bind(statement, [(p, Fraction(-int(len(set(relations(p))) > 1))) for p in PAIRS])
    assert statement.at(ChangedRow(ZERO, FIRST)) is Truth.TRUE
    outside = {"the rows differ": ChangedRow(FIRST, FIRST), "the rows have one length": ChangedRow(ZERO, (1,))}
    bind_hypotheses(statement, ChangedRow(ZERO, FIRST), outside)


@adjacency.supports_repair(grade="derived", region="every row: the four definitions read off; 56 pairs by machine")
def test_a_row_present_or_absent_is_in_every_relation(statement) -> None:
    """With y = 0 and |x| <= 1 both norms are at most 1, one is 0, and |x - y| = |x|; the relations are symmetric."""
    bind(statement, [(p, Fraction(sum(relations(p)) - 4)) for p in PAIRS])
    inside = [p for p in PAIRS if statement.applies(p) is Truth.TRUE]
    assert len(inside) == 8
    assert all(statement.at(p) is Truth.TRUE for p in inside)
    bind_hypotheses(
        statement,
        ChangedRow(ZERO, FIRST),
        {
            "the rows have one length": ChangedRow(ZERO, (1,)),
            "one of the rows is zero": ChangedRow(SECOND, FIRST),
            "|x| <= 1 and |y| <= 1": ChangedRow(ZERO, (Fraction(101, 100), 0)),
        },
    )


@adjacency.controls("+repair", grade="symbolic", region="e_1, e_2: neither row is zero; 0, 2 e_1: a long row")
def test_neither_hypothesis_can_go(statement) -> None:
    assert statement.without("one of the rows is zero").at(ChangedRow(FIRST, SECOND)) is Truth.FALSE
    assert statement.without("|x| <= 1 and |y| <= 1").at(ChangedRow(ZERO, (2, 0))) is Truth.FALSE


def randomised_response(exponential: fmpq, delta: fmpq) -> TwoSteps:
    """Two outcomes each way, moved by E twice over, and outcomes of probability delta that give the row away."""
    heavy = exponential * exponential / (1 + exponential * exponential)
    flip = (heavy, 1 - heavy)
    middle = (fmpq(1, 2), fmpq(1, 2))
    rest = 1 - delta
    return TwoSteps(
        (delta, rest * flip[0], rest * flip[1]),
        (fmpq(0), middle[0], middle[1]),
        (fmpq(0), flip[1], flip[0]),
        exponential,
        fmpq(1, 2),
    )


def largest_event(first: tuple[fmpq, ...], second: tuple[fmpq, ...], factor: fmpq) -> fmpq:
    return max(
        sum((a - factor * b for a, b, inside in zip(first, second, event, strict=True) if inside), fmpq(0))
        for event in product((False, True), repeat=len(first))
    )


@adjacency.supports(
    "two-steps", grade="derived", region="every three laws: derivation, its one identity by machine; 24 triples in full"
)
def test_a_replaced_row_is_two_steps(statement) -> None:
    """P(S) <= E Q(S) + delta and Q(S) <= E R(S) + delta give P(S) <= E^2 R(S) + (1 + E) delta, for every event S.

    The first slack plus E times the second is the slack of the conclusion.
    """
    p, q, r, e, d = sympy.symbols("p q r E delta")
    assert sympy.expand((e * q + d - p) + e * (e * r + d - q) - (e**2 * r + (1 + e) * d - p)) == 0
    points = [randomised_response(fmpq(e, 3), fmpq(x, 40)) for e in (3, 4, 5, 7) for x in (0, 1, 2, 3, 5, 8)]
    values = []
    for point in points:
        assert statement.applies(point) is Truth.TRUE
        assert statement.at(point) is Truth.TRUE
        found = largest_event(point.first, point.second, point.exponential**2)
        values.append((point, (1 + point.exponential) * point.delta - found))
    far = TwoSteps((fmpq(9, 10), fmpq(1, 10)), (fmpq(1, 2), fmpq(1, 2)), (fmpq(1, 10), fmpq(9, 10)), fmpq(2), fmpq(1))
    values.append((far, 3 - fmpq(1, 2)))  # 9/10 - 4/10 is left of the first outcome, nothing of the second
    bind(statement, values)
    inside, half = randomised_response(fmpq(2), fmpq(1, 10)), fmpq(1, 2)
    turned = attrs.evolve(inside, exponential=fmpq(-2), delta=fmpq(3))
    assert statement.without("e^eps >= 1").at(turned) is Truth.FALSE, "a factor below 0 turns the second step round"
    assert statement.applies(attrs.evolve(inside, exponential=fmpq(9, 10), delta=fmpq(1))) is Truth.FALSE
    more, negative = (fmpq(1, 100), half, half), (fmpq(-1, 100), half, half + fmpq(1, 100))
    laws = "P, Q and R are probability laws"
    [are_laws] = [condition for condition in statement.given if condition.says == laws]
    for place in ("first", "between", "second"):
        assert are_laws.at(attrs.evolve(inside, **{place: negative})) is Truth.FALSE
    bind_hypotheses(
        statement,
        inside,
        {
            laws: attrs.evolve(inside, between=more),
            "e^eps >= 1": turned,
            "sum max(0, P - E Q) <= delta": attrs.evolve(inside, first=inside.between[::-1], delta=fmpq(2, 5)),
            "sum max(0, Q - E R) <= delta": attrs.evolve(
                inside,
                first=inside.between,
                between=inside.between,
                second=(fmpq(1), fmpq(0), fmpq(0)),
                delta=fmpq(9, 10),
            ),
        },
    )


@adjacency.controls("two-steps", grade="symbolic", region="1 + 9E/10 in place of 1 + E")
def test_delta_grows(statement) -> None:
    """A chain that pays delta and then E delta: P = (3/10, ...), Q = (1/10, ...), R = (0, ...), E = 2, delta = 1/10."""
    chain = TwoSteps((fmpq(3, 10), fmpq(7, 10)), (fmpq(1, 10), fmpq(9, 10)), (fmpq(0), fmpq(1)), fmpq(2), fmpq(1, 10))
    assert statement.margin(chain).contains(0)
    assert statement.at(chain) is Truth.TRUE, "equality"
    less = statement.nudged(
        margin=lambda p: ball((1 + p.exponential * fmpq(9, 10)) * p.delta - excess(p.first, p.second, p.exponential**2))
    )
    assert less.at(chain) is Truth.FALSE
