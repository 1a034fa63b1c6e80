"""Theorem 8 of `near-optimal`: a net of lines, and the bound with whole numbers of points."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, decimals, real
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.private_bound import SampleSize, complement, family_loss, net_loss
from proofs_checks.near_optimal.formulas import printed_complement

theorem_8 = cite("near-optimal.theorem-8@6e3ed63c")

HALF = Fraction(1, 2)
MILLIONTH = Fraction(1, 10**6)


def needed(p) -> mpmath.mpf:
    """Compute the loss on the families from the numbers of points."""
    moved = floor(p.dimension / Fraction(p.epsilon))
    scaled = p.records * Fraction(p.gap)
    loss = (1 - mpmath.sqrt(1 - printed_complement(p.dimension))) / 8
    if moved > scaled:
        return loss
    root = mpmath.sqrt(real(scaled**2 - moved**2)) + real(scaled)
    return loss / (1 + (root / moved) ** 2) if moved else mpmath.mpf(0)


def enough(p) -> mpmath.mpf:
    """Compute the loss of the net: weights e^eps and 1, at most 1/(2 cap(r/2)) lines."""
    radius = mpmath.exp(-real(p.epsilon) / (p.dimension + 1))
    a, half = mpmath.mpf(p.dimension - 1) / 2, mpmath.mpf(1) / 2
    share = mpmath.betainc(a, half, 0, mpmath.sin(radius / 2) ** 2, regularized=True)
    weight = mpmath.exp(real(p.epsilon))
    return 1 - mpmath.cos(radius) * weight / (weight + 1 / share - 1)


def margin(p) -> mpmath.mpf:
    allowed = real(1 - Fraction(p.rho))
    return needed(p) - allowed if needed(p) > allowed else enough(p) - allowed


FALSE = [
    SampleSize(3, n, epsilon, HALF, rho)
    for n, epsilon, rho in ((1, 100, 1 - Fraction(1, 10**9)), (40, 200, 1 - Fraction(1, 10**16)))
] + [SampleSize(4, 2, 150, Fraction(1, 5), 1 - Fraction(1, 10**9))]
POINTS = [
    SampleSize(d, n, epsilon, gap, 1 - Fraction(1, power))
    for (d, power), n, epsilon, gap in product(
        ((3, 10**7), (5, 10**6), (10, 10**4), (100, 2000)), (1, 9, 31), (1, Fraction(2, 7)), (HALF, Fraction(1, 3))
    )
]
DECIDED = [p for p in POINTS if needed(p) > 1 - real(p.rho)]
INSIDE = SampleSize(10, 19, 1, HALF, 1 - Fraction(1, 500))
BOUND_OUTSIDE = {
    "dimension >= 3, an integer": attrs.evolve(INSIDE, dimension=2),
    "records >= 1, an integer": attrs.evolve(INSIDE, records=0),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "gap > 0": attrs.evolve(INSIDE, gap=0),
    "Delta <= 1/2": attrs.evolve(INSIDE, gap=Fraction(51, 100)),
    "rho < 1": attrs.evolve(INSIDE, rho=1),
    "rho >= 1 - (1-phi)/16": attrs.evolve(INSIDE, rho=1 - Fraction(1, 250)),
}
PRINTED_SIZE = "n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho))))"
WHOLE_SIZE = "n < (floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho))))"


def check_sizes(statement: Statement, says: str, moved) -> None:
    bind_hypotheses(statement, INSIDE, BOUND_OUTSIDE | {says: attrs.evolve(INSIDE, records=40)})
    assert statement.applies(attrs.evolve(INSIDE, dimension=3, records=1, rho=1 - MILLIONTH)) is Truth.TRUE
    assert (
        statement.applies(attrs.evolve(INSIDE, records=19, epsilon=Fraction(1, 20), gap=Fraction(1, 20))) is Truth.TRUE
    )
    conditions = {given.says: given for given in statement.given}
    size, utility = conditions[says], conditions["rho >= 1 - (1-phi)/16"]

    def largest(p):
        root = mpmath.sqrt(printed_complement(p.dimension) / (80 * real(1 - p.rho)))
        return real(moved(p) / Fraction(p.gap)) * max(1, root) - p.records

    points = POINTS + [attrs.evolve(p, rho=Fraction(9, 10)) for p in POINTS[:5]]
    bind_formula(Statement(says, size.margin), points, largest)
    bind_formula(
        Statement("", utility.margin), points, lambda p: real(p.rho) - 1 + printed_complement(p.dimension) / 16
    )
    assert size.strict
    assert not utility.strict
    assert not statement.strict


@theorem_8.refutes(
    grade="derived",
    region="d = 3 and 4, epsilon = 100, 150 and 200: less than one point may differ; a net of "
    "lines, private by the docstring",
)
def test_a_net_of_lines_is_better_than_the_printed_bound(statement) -> None:
    """The mechanism is private for any two databases: probabilities e^eps/(e^eps + N - 1) and 1/(e^eps + N - 1).

    Its loss is at most 1 - cos(r) e^eps/(e^eps + N - 1), N at most one over the measure of a double cap of radius r/2.
    """
    assert all(statement.at(p) is Truth.FALSE for p in FALSE)
    bind_formula(statement, DECIDED, margin)
    with precision(600):
        assert net_loss(FALSE[0]) < arb("1e-20")
        theorem_8.tells("the weight of the others loses less than {below}", net_loss(FALSE[0]))
        for p, value in decimals(FALSE, margin):
            assert abs(statement.margin(p) - arb(value)) < arb("1e-40")
        for p, value in decimals([attrs.evolve(q, epsilon=k) for q in FALSE for k in (3, 30)], enough):
            assert abs(net_loss(p) - arb(value)) < arb("1e-60")
    check_sizes(statement, PRINTED_SIZE, lambda p: p.dimension / Fraction(p.epsilon))
    between = attrs.evolve(INSIDE, records=400)
    assert statement.conclusion(between) is Truth.UNDECIDED, "neither bound decides"


@theorem_8.supports_repair(
    grade="derived",
    region="every d >= 3, epsilon > 0, 0 < Delta <= 1/2, rho and n: derivation in the docstring, its "
    "algebra machine-checked",
)
def test_the_bound_with_whole_numbers_of_points(statement) -> None:
    """Let m = floor(d/eps), E the printed 1 - phi, phi' = sqrt(1-E), c' = 1 - phi' = E/(1 + phi') > E/2 (1).

    Lemma 11 in dimension d - 1 gives E^(-(d-2)/2)/8 = 1 + exp(d) lines of R^(d-1) with |<w_i, w_j>| <= phi' (2): K
    databases that differ in m points have m eps <= d <= ln(K-1). Lemma 12 in its sharper form (sum of the misses at
    least K/2) gives a database with loss at least (1/8)(1 - max |<u_i, u_j>|).
    n < m/Delta: the second family, min(m, n) copies of sqrt(n Delta/min(m, n)) w_i, norm at most 1, has u_i = w_i and
    gap Delta: loss >= c'/8 > E/16 >= 1 - rho.
    n >= m/Delta: the first, m <= n Delta <= n/2, has 1 - max >= q c', q = x^2/(x^2 + (1 + sqrt(1-x^2))^2), x = m/(n
    Delta) <= 1, and q >= x^2/4 as the denominator is 2 + 2 sqrt(1-x^2) (3). As n < (m/Delta) sqrt(E/(80 (1-rho))) here,
    1 - rho < E x^2/80 < c' x^2/32 (4). For m = 0 no n is below the bound.
    """
    E, x, d = sympy.symbols("E x d", positive=True)
    root = sympy.sqrt(1 - E)
    assert sympy.simplify((1 - root) - E / (1 + root)) == 0, "(1)"
    choice = sympy.exp(-2 * (sympy.log(8) + sympy.log(1 + sympy.exp(d))) / (d - 2))
    count = (1 - (1 - choice)) ** (-(d - 2) / 2) / 8
    assert sympy.simplify(sympy.expand_log(sympy.log(count * 8), force=True) - sympy.log(8 * (1 + sympy.exp(d)))) == 0
    leg = sympy.sqrt(1 - x**2)
    assert sympy.expand(x**2 + (1 + leg) ** 2 - 2 - 2 * leg) == 0, "(3)"
    assert sympy.Rational(1, 80) < sympy.Rational(1, 2) / 32, "(4)"
    bind_formula(statement, DECIDED, margin)
    held = [p for p in POINTS if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 20
    assert [p for p in held if statement.at(p) is not Truth.TRUE] == []
    check_sizes(statement, WHOLE_SIZE, lambda p: floor(p.dimension / Fraction(p.epsilon)))
    assert statement.applies(FALSE[0]) is Truth.FALSE
    edge = SampleSize(10, 20, 1, HALF, 1 - Fraction(1, 2000))
    halved = 2 * family_loss(edge) - family_loss(attrs.evolve(edge, records=19))
    assert abs(halved) < arb("1e-12"), "at beta = Delta the first family is used, with weight 1/2"
    assert family_loss(attrs.evolve(edge, epsilon=11)) == 0, "no point may differ"
    assert complement(10) < arb("0.0248")


@theorem_8.controls(
    "+repair",
    grade="interval",
    region="d = 3, epsilon = 100: the size with d/eps; d = 10 and 100: undecided beyond the loss of the families",
)
def test_the_bound_without_room_is_undecided(statement) -> None:
    """With 1-rho four times as large, beyond the loss of the families, nothing is proved, and nothing claimed."""
    for d, n in ((10, 60), (100, 500)):
        loss = float(family_loss(SampleSize(d, n, 1, HALF, HALF)))
        close = SampleSize(d, n, 1, HALF, 1 - Fraction(loss * 0.99))
        assert statement.conclusion(close) is Truth.TRUE
        beyond = attrs.evolve(close, rho=1 - Fraction(loss * 1.01))
        assert statement.conclusion(beyond) is Truth.UNDECIDED
        assert statement.applies(beyond) is Truth.FALSE
    assert statement.at(INSIDE) is Truth.TRUE
    assert statement.applies(FALSE[0]) is Truth.FALSE
    assert statement.without(WHOLE_SIZE).at(FALSE[0]) is Truth.FALSE, "below d/eps, and no whole record may differ"
