"""Definitions 3 to 5 of `wishart`: what each says, and what the last one leaves open."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.conditions import at_least
from dpmatrix.spec.wishart import definitions
from dpmatrix.spec.wishart.definitions import DataSetPair, LawPair, is_private
from dpmatrix.spec.wishart.sensitivity import RecordPair
from dpmatrix.tracing import bind_expression

definition_3 = cite("wishart.definition-3@d2118705")
definition_4 = cite("wishart.definition-4@33c87150")
definition_5 = cite("wishart.definition-5@fba03cdb")

ZERO = fmpq_mat(2, 1, [0, 0])
HALVES = fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])
TWO_COLUMNS = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
ONE_COLUMN = "two data sets of one shape differ in exactly one column"


@definition_3.supports(
    grade="derived",
    region="every data set with d, n <= 3, symbolically; every d, n, since XX' is the sum of its columns' squares",
)
def test_replacing_a_column_changes_the_gram_matrix_by_two_outer_products(statement) -> None:
    for d, n in product((1, 2, 3), repeat=2):
        left, right = (sympy.MatrixSymbol(name, d, n).as_explicit().as_mutable() for name in "XY")
        for j in range(n):
            other = left.copy()
            other[:, j] = right[:, j]
            change = left * left.T - other * other.T
            outer = left[:, j] * left[:, j].T - right[:, j] * right[:, j].T
            assert (change - outer).expand() == sympy.zeros(d, d)
    pairs = []
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        pairs.append(DataSetPair(data, other))
        assert statement.at(pairs[-1]) is Truth.TRUE
    bind(statement, ((p, 0) for p in pairs))
    assert statement.conclusion(TWO_COLUMNS) is Truth.FALSE
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {ONE_COLUMN: TWO_COLUMNS})
    for wider in (fmpq_mat(1, 2, [1, 1]), fmpq_mat(2, 1, [1, 1])):
        assert statement.applies(DataSetPair(fmpq_mat(1, 1, [0]), wider)) is Truth.FALSE, "another shape"
    assert statement.applies(DataSetPair(ZERO, ZERO)) is Truth.FALSE, "no column differs"


@definition_3.controls(grade="symbolic", region="two columns differ; one entry of the matrix in place of one record")
def test_other_relations_are_noticed(statement) -> None:
    anything = statement.without(ONE_COLUMN)
    assert anything.at(TWO_COLUMNS) is Truth.FALSE
    left_over = DataSetPair(fmpq_mat(2, 2, [0, 0, 0, 0]), fmpq_mat(2, 2, [1, 0, 0, 2]))
    assert anything.at(left_over) is Truth.FALSE, "one entry of four is left over, and the largest counts"
    assert anything.margin(left_over) == -4
    assert statement.applies(DataSetPair(ZERO, HALVES)) is Truth.TRUE, "a replaced record changes up to d entries"


LAWS = (
    ((fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)), (fmpq(1, 6), fmpq(1, 3), fmpq(1, 2))),
    ((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4))),
    ((fmpq(1),), (fmpq(1),)),
    ((fmpq(0), fmpq(2, 5), fmpq(3, 5), fmpq(0)), (fmpq(1, 4), fmpq(1, 4), fmpq(1, 4), fmpq(1, 4))),
)


def law_pairs() -> list[LawPair]:
    """Pairs of laws with deltas little below, at and above the divergence."""
    found = []
    for (first, second), exponential in product(LAWS, (fmpq(1), fmpq(3, 2), fmpq(4))):
        divergence = sum((max(fmpq(0), a - exponential * c) for a, c in zip(first, second, strict=True)), fmpq(0))
        deltas = (divergence * fmpq(19, 20), divergence, (1 + divergence) / 2)
        found += [LawPair(first, second, exponential, delta) for delta in deltas]
    return found


@definition_4.supports(
    grade="derived",
    region="every pair of laws on finitely many outcomes, by the docstring; 36 pairs, all their events",
)
def test_the_condition_is_a_bound_of_the_divergence(statement) -> None:
    """P(S) - E Q(S) is a sum over S of p - E q; the S of the outcomes with p > E q has the largest one."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0, "x <= max(0, x)"
    points = law_pairs()
    assert all(statement.at(point) is Truth.TRUE for point in points)
    for below, attained, above in zip(points[::3], points[1::3], points[2::3], strict=True):
        assert is_private(attained)
        assert is_private(above)
        assert is_private(below) == (below.delta == attained.delta), "the divergence is attained"
    bind(statement, ((p, 0) for p in points))
    law = "P and Q are probability laws on the same outcomes"
    bind_hypotheses(statement, points[0], {law: attrs.evolve(points[0], first=points[0].first[:2])})
    half, little = fmpq(1, 2), fmpq(1, 20)
    for weights in ((fmpq(3, 2), -half, fmpq(0)), (fmpq(1), fmpq(1), fmpq(0)), (half, half + little, -little)):
        assert statement.applies(attrs.evolve(points[0], second=weights)) is Truth.FALSE
    assert statement.applies(attrs.evolve(points[0], first=(fmpq(1), fmpq(0)))) is Truth.FALSE, "two outcomes of three"


@definition_4.controls(grade="symbolic", region="three outcomes: single outcomes in place of all events; delta < 0")
def test_other_conditions_are_noticed(statement) -> None:
    """Two outcomes of excess 1/4 each have 1/2 together; for delta < 0 the empty event rules every mechanism out."""

    def outcome_by_outcome(p: LawPair) -> bool:
        return all(a <= p.exponential * c + p.delta for a, c in zip(p.first, p.second, strict=True))

    first, second = (fmpq(1, 2), fmpq(1, 2), fmpq(0)), (fmpq(1, 4), fmpq(1, 4), fmpq(1, 2))
    point = LawPair(first, second, fmpq(1), fmpq(1, 3))
    assert statement.at(point) is Truth.TRUE
    assert redefined(statement, definitions, "is_private", outcome_by_outcome).at(point) is Truth.FALSE
    assert not is_private(LawPair((fmpq(1),), (fmpq(1),), fmpq(2), fmpq(-1, 10)))


SAME_OUTCOMES = "P and Q are probability laws on the same outcomes"
BOTH_WAYS = "P(S) <= e^eps Q(S) + delta and Q(S) <= e^eps P(S) + delta"


def least_delta(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """Return the least delta for which both orders of the laws are (log E, delta)-close: the worst of all events."""
    orders = ((first, second), (second, first))
    events = list(product((0, 1), repeat=len(first)))
    return max(
        sum((inside * (a - exponential * b) for inside, a, b in zip(event, one, other, strict=True)), fmpq(0))
        for one, other in orders
        for event in events
    )


def private_pairs() -> list[LawPair]:
    """Pairs of laws with a delta that both orders need, and with a larger one."""
    wide = ((fmpq(1, 5), fmpq(1, 2), fmpq(3, 10), fmpq(0)), (fmpq(1, 4),) * 4)
    found = []
    for (first, second), exponential in product((*LAWS, wide), (fmpq(1), fmpq(3, 2), fmpq(4))):
        needed = least_delta(first, second, exponential)
        found += [LawPair(first, second, exponential, delta) for delta in (needed, (2 + needed) / 3)]
    return found


def randomised_response(exponential: fmpq, delta: fmpq) -> LawPair:
    """One bit, kept with odds E to 1."""
    kept = exponential / (1 + exponential)
    return LawPair((kept, 1 - kept), (1 - kept, kept), exponential, delta)


@definition_4.supports(
    "guess", grade="derived", region="every pair of laws on finitely many outcomes, by the docstring; 30 pairs exactly"
)
def test_a_guess_errs_with_some_probability(statement) -> None:
    """With S = {p > q} a guess errs with probability s/2 at least, s = Q(S) + P(not S) = sum min(p, q).

    Then 1 - P(not S) <= E Q(S) + delta and 1 - Q(S) <= E P(not S) + delta, whose sum is 2 - s <= E s + 2 delta.
    """
    p, q = sympy.symbols("p q", real=True)
    least = (p + q - sympy.Abs(p - q)) / 2
    assert all((sympy.Min(p, q) - least).subs({p: a, q: b}) == 0 for a, b in ((2, 5), (5, 2), (3, 3)))
    values = []
    for point in private_pairs():
        distance = sum((abs(a - b) for a, b in zip(point.first, point.second, strict=True)), fmpq(0)) / 2
        values.append((point, (1 + point.exponential) * (1 - distance) - 2 * (1 - point.delta)))
        assert statement.at(point) is Truth.TRUE
    bind(statement, values)
    for exponential in (fmpq(1), fmpq(3, 2), fmpq(9)):
        attained = randomised_response(exponential, fmpq(0))
        assert statement.at(attained) is Truth.TRUE, "the guess is right with probability E / (1 + E)"
        assert statement.margin(attained) == 0
    check_pair_hypotheses(statement)


def check_pair_hypotheses(statement) -> None:
    """Ask for both hypotheses: at laws that only one of the two orders refuses, and at what is no law."""
    inside = LawPair((fmpq(1, 2), fmpq(1, 2)), (fmpq(1, 4), fmpq(3, 4)), fmpq(3, 2), fmpq(1, 8))
    no_law = attrs.evolve(inside, second=(fmpq(1, 4), fmpq(2, 3)))
    forwards = attrs.evolve(inside, delta=fmpq(1, 9))
    bind_hypotheses(statement, inside, {SAME_OUTCOMES: no_law, BOTH_WAYS: forwards})
    backwards = attrs.evolve(forwards, first=inside.second, second=inside.first)
    bind_hypotheses(statement, inside, {SAME_OUTCOMES: no_law, BOTH_WAYS: backwards})


@definition_4.supports("weaker", grade="derived", region="every pair of laws: 0 <= delta; 24 pairs exactly")
def test_the_relaxed_guarantee_follows_from_the_pure_one(statement) -> None:
    """P(S) <= E Q(S) <= E Q(S) + delta."""
    pairs = [
        randomised_response(exponential, fmpq(0)) for exponential in (fmpq(1), fmpq(3, 2), fmpq(2), fmpq(4), fmpq(9))
    ]
    uneven = (fmpq(1, 3), fmpq(2, 3))
    pairs.append(LawPair(uneven, uneven, fmpq(1), fmpq(0)))
    points = [attrs.evolve(p, delta=delta) for p in pairs for delta in (fmpq(0), fmpq(1, 9), fmpq(2, 5), fmpq(1))]
    for point in points:
        assert statement.at(point) is Truth.TRUE
    bind(statement, ((p, p.delta - least_delta(p.first, p.second, p.exponential)) for p in points))
    inside = randomised_response(fmpq(3), fmpq(1, 9))
    bind_hypotheses(
        statement,
        inside,
        {
            SAME_OUTCOMES: attrs.evolve(inside, first=(fmpq(3, 4), fmpq(1, 3))),
            "P(S) <= e^eps Q(S) and Q(S) <= e^eps P(S)": attrs.evolve(inside, exponential=fmpq(29, 10), delta=fmpq(1)),
            "delta >= 0": attrs.evolve(inside, delta=fmpq(-1, 9)),
        },
    )


BROKEN = "P(p > e^eps q) <= delta and Q(q > e^eps p) <= delta"


def rarely_broken_pairs() -> list[LawPair]:
    """Pairs of laws with the larger probability of a loss above epsilon as delta, and with a larger delta."""
    wide = ((fmpq(1, 5), fmpq(1, 2), fmpq(3, 10), fmpq(0)), (fmpq(1, 4),) * 4)
    found = []
    for (first, second), exponential in product((*LAWS, wide), (fmpq(1, 2), fmpq(1), fmpq(3, 2), fmpq(4))):
        orders = ((first, second), (second, first))
        chances = [sum((a for a, b in zip(*order, strict=True) if a > exponential * b), fmpq(0)) for order in orders]
        found += [LawPair(first, second, exponential, delta) for delta in (max(chances), (2 + max(chances)) / 3)]
    return found


@definition_4.supports(
    "may-break-with-probability-delta",
    grade="derived",
    region="every pair of laws on finitely many outcomes, by the docstring; 40 pairs exactly",
)
@definition_4.controls(
    "may-break-with-probability-delta",
    grade="symbolic",
    region="two outcomes: one order of the laws alone; delta for a loss above 2 epsilon; 20 pairs for the converse",
)
def test_the_bound_may_break_with_probability_delta(statement) -> None:
    """P(S) = P(S, p <= E q) + P(S, p > E q) <= E Q(S) + delta, as E Q is not negative; so with P and Q exchanged.

    The converse: one bit kept with odds E + t to 1 has P(S) - E Q(S) = t/(1 + E + t) for S = {kept}, and p > E q there.
    So delta = t/(1 + E + t) is enough, while the loss exceeds log E with probability (E + t)/(1 + E + t) > delta.
    """
    points, half = rarely_broken_pairs(), fmpq(1, 2)
    assert all(statement.at(point) is Truth.TRUE for point in points)
    bind(statement, ((p, p.delta - least_delta(p.first, p.second, p.exponential)) for p in points))
    attained = LawPair((half / 2, half, half / 2, 0 * half), (0 * half, half, half / 2, half / 2), fmpq(1), half / 2)
    assert statement.at(attained) is Truth.TRUE, "each outcome that breaks the bound is impossible under the other law"
    assert statement.margin(attained) == 0
    inside = LawPair((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), fmpq(3, 2), fmpq(3, 4))
    minus, whole = fmpq(-1), (fmpq(1),)
    outside = {
        SAME_OUTCOMES: attrs.evolve(inside, second=(fmpq(1, 4), fmpq(2, 3))),
        "exponential > 0": LawPair(whole, whole, minus, fmpq(1)),
        BROKEN: attrs.evolve(inside, delta=fmpq(1, 3)),
    }
    bind_hypotheses(statement, inside, outside)
    zero = LawPair(whole, whole, fmpq(0), fmpq(1))
    assert statement.applies(zero) is Truth.FALSE, "e^eps is not 0"
    for tight in points[::2]:
        assert statement.applies(attrs.evolve(tight, delta=tight.delta - fmpq(1, 50))) is Truth.FALSE, "the least delta"
    assert statement.conclusion(outside["exponential > 0"]) is Truth.FALSE
    assert statement.conclusion(outside[BROKEN]) is Truth.FALSE
    backwards = LawPair((fmpq(0), fmpq(1)), (fmpq(1, 4), fmpq(3, 4)), fmpq(4, 3), fmpq(0))
    for one_order in (backwards, attrs.evolve(backwards, first=backwards.second, second=backwards.first)):
        assert statement.applies(one_order) is Truth.FALSE, "of the loss in one order alone"
        assert statement.without(BROKEN).at(one_order) is Truth.FALSE
    twice = randomised_response(fmpq(2), fmpq(0))
    assert not any(a > (fmpq(3, 2) ** 2) * b for a, b in zip(twice.first, twice.second, strict=True))
    assert statement.without(BROKEN).at(attrs.evolve(twice, exponential=fmpq(3, 2))) is Truth.FALSE
    e, t = sympy.symbols("E t", positive=True)
    kept = (e + t) / (1 + e + t)
    assert sympy.simplify(kept - e * (1 - kept) - t / (1 + e + t)) == 0
    assert sympy.simplify((1 - kept) - e * kept - (1 - e**2 - e * t) / (1 + e + t)) == 0, "at most 0 from E = 1 on"
    for exponential, delta in product(
        (fmpq(1), fmpq(3, 2), fmpq(2), fmpq(5), fmpq(30)), (fmpq(1, 10**6), fmpq(1, 1000), fmpq(1, 50), fmpq(1, 40))
    ):
        law = randomised_response(exponential + delta * (1 + exponential) / (1 - delta), delta)
        assert least_delta(law.first, law.second, exponential) == delta
        assert law.first[0] > exponential * law.second[0]
        assert law.first[0] > exponential / (1 + exponential) > delta
        assert statement.applies(attrs.evolve(law, exponential=exponential)) is Truth.FALSE, "private all the same"


@definition_5.refutes(grade="interval", region="orthogonal unit records")
def test_the_spectral_norm_does_not_bound_the_euclidean_change(statement) -> None:
    assert statement.at(RecordPair(1, 1, 0)) is Truth.FALSE
    a, d, s = sympy.symbols("v_squared w_squared inner", real=True)
    formula = (sympy.Abs(a - d) + sympy.sqrt((a + d) ** 2 - 4 * s**2)) / 2 - sympy.sqrt(a**2 + d**2 - 2 * s**2)
    bind_expression(statement, formula)
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert not statement.strict, "a bound may be attained"
    assert statement.at(RecordPair(1, 0, 0)) is Truth.TRUE, "one record alone changes both norms alike"


@definition_5.supports_repair(
    grade="symbolic", region="every |v|^2, |w|^2 in [0, 1] and <v, w>: an identity in these three numbers"
)
def test_the_entrywise_norm_is_at_most_the_root_of_two(statement) -> None:
    """2 - a^2 - b^2 + 2 s^2 = (1 - a^2) + (1 - b^2) + 2 s^2, a sum of non-negative terms for a, b in [0, 1]."""
    a, d, s = sympy.symbols("v_squared w_squared inner", real=True)
    margin = 2 - (a**2 + d**2 - 2 * s**2)
    assert sympy.expand(margin - ((1 - a**2) + (1 - d**2) + 2 * s**2)) == 0
    t = sympy.Symbol("t", nonnegative=True)
    assert sympy.factor((1 - a**2).subs(a, t / (1 + t))).is_nonnegative, "a = t/(1 + t) in [0, 1)"
    assert (1 - a**2).subs(a, 1) == 0
    assert (s**2).is_nonnegative
    bind_expression(statement, margin)
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert statement.at(RecordPair(1, 1, 0)) is Truth.TRUE, "equality is attained"
    for value, answer in ((Fraction(1, 4), Truth.FALSE), (Fraction(1, 2), Truth.TRUE), (1, Truth.TRUE)):
        assert at_least("v_squared", Fraction(1, 2)).at(RecordPair(value, 0, 0)) is answer, "bounds other than zero"


OUTSIDE = {
    "v_squared >= 0": RecordPair(-1, 0, 0),
    "v_squared <= 1": RecordPair(2, 0, 0),
    "w_squared >= 0": RecordPair(0, -1, 0),
    "w_squared <= 1": RecordPair(0, 2, 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), 1),
}


@definition_5.controls("+repair", grade="interval", region="orthogonal unit records")
def test_a_smaller_entrywise_bound_is_noticed(statement) -> None:
    """9/5 in place of 2."""
    assert statement.nudged(lambda margin: margin - arb(1) / 5).at(RecordPair(1, 1, 0)) is Truth.FALSE


@definition_5.supports(
    "replaced-record",
    grade="derived",
    region="every |v|^2, |w|^2 in [0, 1] and <v, w>, by the docstring; bound as a formula",
)
def test_a_replaced_record_changes_the_spectral_norm_by_at_most_one(statement) -> None:
    """The root of (a + b)^2 - 4 s^2 is at most a + b, so the norm is at most (|a - b| + a + b)/2 = max(a, b) <= 1."""
    a, d, s = sympy.symbols("v_squared w_squared inner", real=True)
    bind_expression(statement, 1 - (sympy.Abs(a - d) + sympy.sqrt((a + d) ** 2 - 4 * s**2)) / 2)
    assert all((sympy.Abs(a - d) + a + d - 2 * sympy.Max(a, d)).subs({a: x, d: y}) == 0 for x, y in ((1, 3), (3, 1)))
    for attained in (RecordPair(1, 1, 0), RecordPair(1, Fraction(1, 2), 0), RecordPair(0, 1, 0)):
        assert statement.at(attained) is Truth.TRUE
        assert statement.margin(attained).contains(0), "||A - B||_2 = 1"
    for inside in (RecordPair(Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)), RecordPair(1, 1, Fraction(-1, 2))):
        assert statement.margin(inside) > arb(1) / 10
        bind_hypotheses(statement, inside, OUTSIDE)
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    larger = RecordPair(Fraction(11, 10), 0, 0)
    assert statement.conclusion(larger) is Truth.FALSE, "a record of norm above 1"
    assert not statement.strict
