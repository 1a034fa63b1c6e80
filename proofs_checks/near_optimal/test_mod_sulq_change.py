"""Theorem 5 of `near-optimal`: how much one record changes the second moment."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import mod_sulq_change
from dpmatrix.spec.near_optimal.mod_sulq_change import DensityEntry, Dimension, RecordChange
from dpmatrix.tracing import bind_expression

theorem_5 = cite("near-optimal.theorem-5@6333ff94")

CLAIM = "near-optimal.theorem-5"
FIFTH = Fraction(1, 5)
UNITS = RecordChange(2, (3 * FIFTH, 4 * FIFTH), (0, 1))
SMALL = RecordChange(2, (Fraction(1, 2), Fraction(1, 3)), (0, Fraction(1, 4)))
LONG = {
    "longer x": attrs.evolve(SMALL, x=(1, FIFTH)),
    "longer y": attrs.evolve(SMALL, y=(1, FIFTH)),
}
BALL = "|x| <= 1 and |y| <= 1"
FIVE = [Fraction(k, 7) for k in (-5, -2, 0, 3, 6)]
PAIRS = [
    RecordChange(
        1 + i % 3, tuple(FIVE[(i + j) % 5] for j in range(d)), tuple(FIVE[(2 * i + 3 * j) % 5] for j in range(d))
    )
    for d in (1, 2, 3, 4)
    for i in range(6)
]


def difference(p: RecordChange) -> sympy.Matrix:
    x, y = (sympy.Matrix([sympy.Rational(Fraction(entry)) for entry in vector]) for vector in (p.x, p.y))
    return x * x.T - y * y.T


def upper_sum(matrix: sympy.Matrix, function) -> sympy.Expr:
    """Sum over the upper triangle, from sums over all entries and over the diagonal."""
    return (sum(map(function, matrix)) + sum(function(matrix[i, i]) for i in range(matrix.rows))) / 2


def condition(statement: Statement, says: str) -> Statement:
    """One hypothesis as a statement of its own, so that its formula can be bound."""
    given = next(given for given in statement.given if given.says == says)
    return Statement(says, given.margin, strict=given.strict)


@theorem_5.supports("bound-19", grade="derived", region="every d, |x| = |y| = 1: the docstring; expanded for d <= 4")
@theorem_5.supports(
    "last-term", grade="derived", region="every d, n, |x|, |y| <= 1: the docstring; expanded for d <= 4"
)
def test_squared_change_of_the_triangle_is_at_most_two(statements) -> None:
    """It is |x|^4 + |y|^4 - 2<x,y>^2 less the squares above the diagonal; the identity is expanded for d <= 4."""
    for d in range(1, 5):
        x, y = (sympy.Matrix(sympy.symbols(f"{name}:{d}", real=True)) for name in "xy")
        change = x * x.T - y * y.T
        above = sum(change[i, j] ** 2 for i in range(d) for j in range(i + 1, d))
        full = x.dot(x) ** 2 + y.dot(y) ** 2 - 2 * x.dot(y) ** 2
        assert sympy.expand(upper_sum(change, lambda entry: entry**2) - (full - above)) == 0
    bound, last = statements[f"{CLAIM}/bound-19"], statements[f"{CLAIM}/last-term"]
    squares = [(p, upper_sum(difference(p), lambda entry: entry**2)) for p in PAIRS]
    bind(bound, [(p, (2 - value).evalf(50)) for p, value in squares])
    bind(last, [(p, ((2 - value) / p.records**2).evalf(50)) for p, value in squares])
    for longer in (attrs.evolve(UNITS, x=(1, FIFTH)), attrs.evolve(UNITS, y=(1, FIFTH)), SMALL):
        bind_hypotheses(bound, UNITS, {"|x| = |y| = 1": longer})
    for longer in LONG.values():
        bind_hypotheses(last, SMALL, {BALL: longer, "records >= 1, an integer": attrs.evolve(SMALL, records=0)})
    one = RecordChange(1, (1, 0), (0, 1))
    for statement in (bound, last):
        assert statement.at(one) is Truth.TRUE, "attained"
        assert not statement.strict
    assert last.margin(SMALL) > 0
    norms = [(p, max(abs(sum(Fraction(e) ** 2 for e in v) - 1) for v in (p.x, p.y))) for p in PAIRS]
    bind(condition(bound, "|x| = |y| = 1"), [(p, -value) for p, value in norms])
    bind(condition(last, BALL), [(p, 1 - max(sum(Fraction(e) ** 2 for e in v) for v in (p.x, p.y))) for p in PAIRS])


@theorem_5.supports(
    "attained", grade="derived", region="every d >= 2, as e_1 and e_2 have two entries, 1 and -1; d = 2 to 24 exactly"
)
@theorem_5.supports(
    "l1-change-is-linear", grade="derived", region="every d >= 1: the docstring; the difference is 2(d-1)/d"
)
def test_elementary_and_flat_vectors(statements) -> None:
    """Of the entries on and above the diagonal e_1 e_1' - e_2 e_2' has 1 at (1, 1), -1 at (2, 2), else 0.

    So the squares sum to 2. The flat vector of norm 1 has 1/d in each of the d(d+1)/2 entries: against e_1 one entry
    changes by 1 - 1/d and the others by 1/d, which is (d-1)/2 + 2 (d-1)/d in all.
    """
    d = sympy.symbols("d", positive=True)
    attained, linear = statements[f"{CLAIM}/attained"], statements[f"{CLAIM}/l1-change-is-linear"]
    for k in range(2, 25):
        assert attained.at(Dimension(k)) is Truth.TRUE
    assert attained.conclusion(Dimension(1)) is Truth.FALSE, "there is one elementary vector only"
    change = (1 - 1 / d) + (d * (d + 1) / 2 - 1) / d
    assert sympy.simplify(change - (d - 1) / 2 - 2 * (d - 1) / d) == 0
    for k in (4, 9):
        flat = RecordChange(1, (1, *[0] * (k - 1)), (Fraction(1, int(k**0.5)),) * k)
        assert upper_sum(difference(flat), abs) == change.subs(d, k)
    bind_expression(linear, change - (d - 1) / 2, fields={"dimension": d})
    assert linear.at(Dimension(1)) is Truth.TRUE
    assert not linear.strict
    assert not attained.strict
    bind_hypotheses(attained, Dimension(2), {"dimension >= 2, an integer": Dimension(1)})
    bind_hypotheses(linear, Dimension(1), {"dimension >= 1, an integer": Dimension(0)})


@theorem_5.controls("attained", grade="symbolic", region="d = 2 to 24: vectors of norm 1/d fall short by 2 - 2/d^4")
def test_shorter_vectors_do_not_attain_the_bound(statement) -> None:
    """The entries 1 and -1 of e_1 e_1' - e_2 e_2' become 1/d^2 and -1/d^2."""

    def shorter(dimension: int, place: int) -> tuple[Fraction, ...]:
        return tuple(Fraction(int(i == place), dimension) for i in range(1, dimension + 1))

    other = redefined(statement, mod_sulq_change, "unit_vector", shorter)
    bind(other, [(Dimension(k), Fraction(2, k**4) - 2) for k in range(2, 25)])
    assert other.at(Dimension(2)) is Truth.FALSE


ENTRIES = [
    DensityEntry(k, Fraction(k, 3), Fraction(i, 2), Fraction(j, 5), Fraction(i - j, 7), Fraction(i, 9))
    for i, j, k in product((-3, 1, 5), (-2, 2, 7), (1, 2, 4))
]


@theorem_5.supports("density-ratio", grade="symbolic", region="every entry, n, beta: an identity")
def test_two_forms_of_the_ratio_of_densities_agree(statement) -> None:
    h, r, p, q, n, beta = sympy.symbols("h r p q n beta", positive=True)
    entry, other = (r + p) / n, (r + q) / n
    first = (-((h - entry) ** 2) + (h - other) ** 2) / (2 * beta**2)
    second = (2 / n * (h - entry) * (p - q) + (q - p) ** 2 / n**2) / (2 * beta**2)
    assert sympy.simplify(first - second) == 0
    for point in ENTRIES:
        assert statement.at(point) is Truth.TRUE
    bind_expression(statement, sympy.Integer(0))
    bind_hypotheses(
        statement,
        ENTRIES[0],
        {
            "records >= 1, an integer": attrs.evolve(ENTRIES[0], records=0),
            "deviation > 0": attrs.evolve(ENTRIES[0], deviation=0),
        },
    )
    assert not statement.strict


@theorem_5.controls("density-ratio", grade="symbolic", region="27 entries: without the square of the change, exactly")
def test_the_ratio_of_densities_has_a_square(statement) -> None:
    """What is left out is (yy-xx)^2/(2 n^2 beta^2)."""

    def linear(p: DensityEntry) -> fmpq:
        noise = Fraction(p.released) - Fraction(p.rest + p.product) / p.records
        value = noise * (p.product - p.replaced) / p.records / p.deviation**2
        return fmpq(value.numerator, value.denominator)

    shorter = redefined(statement, mod_sulq_change, "expanded_ratio", linear)
    errors = [(p, -(((p.product - p.replaced) / p.records / p.deviation) ** 2) / 2) for p in ENTRIES]
    bind(shorter, errors)
    assert all(shorter.at(p) is Truth.FALSE for p, error in errors if error)
    assert sum(error != 0 for _, error in errors) >= 20


@theorem_5.supports("maximum", grade="derived", region="every d, |a| <= 1: the docstring; expanded for d <= 4")
@theorem_5.supports("l1-bound", grade="derived", region="every d, |x|, |y| <= 1: the docstring; expanded for d <= 4")
def test_l1_change_is_at_most_the_dimension_and_one(statements) -> None:
    """The sum of a_i a_j is ((sum a)^2 + |a|^2)/2 and d |a|^2 - (sum a)^2 = sum_{i<j} (a_i - a_j)^2, here for d <= 4.

    So the sum is at most (d+1)/2; the change is at most the sums of |x_i x_j| and of |y_i y_j|, each at most that.
    """
    for d in range(1, 5):
        a = sympy.symbols(f"a:{d}", real=True)
        total = sum(a[i] * a[j] for i in range(d) for j in range(i, d))
        norm = sum(entry**2 for entry in a)
        gaps = sum((a[i] - a[j]) ** 2 for i in range(d) for j in range(i + 1, d))
        rest = sympy.Rational(d + 1, 2) - total - (gaps / 2 + sympy.Rational(d + 1, 2) * (1 - norm))
        assert sympy.expand(rest) == 0, "a sum of non-negative terms"
    maximum, l1 = statements[f"{CLAIM}/maximum"], statements[f"{CLAIM}/l1-bound"]
    bind(l1, [(p, (len(p.x) + 1 - upper_sum(difference(p), abs)).evalf(50)) for p in PAIRS])
    sums = [(p, (sum(p.x) ** 2 + sum(e**2 for e in p.x)) / 2) for p in PAIRS]
    bind(maximum, [(p, Fraction(len(p.x) + 1, 2) - value) for p, value in sums])
    for statement in (maximum, l1):
        for longer in LONG.values():
            bind_hypotheses(statement, SMALL, {BALL: longer})
        assert not statement.strict
    assert maximum.at(RecordChange(1, (Fraction(1, 2),) * 4, (0,) * 4)) is Truth.TRUE, "attained"
    assert l1.at(RecordChange(1, (1,), (0,))) is Truth.TRUE
