"""Certificates over boxes: never TRUE by vacuity, never FALSE without a sub-box that refutes."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.claims import Condition, Statement, Truth, certify, interval
from dpmatrix.exact import Real, ball, square


@attrs.frozen
class Point:
    """What the statements speak about."""

    x: Real
    y: Real = 0


def distance(p):
    """``x^2 + y^2 - x y + 1/100``, positive everywhere, and not seen to be so in one piece."""
    x, y = ball(p.x), ball(p.y)
    return square(x) + square(y) - x * y + ball(Fraction(1, 100))


def right_of_one(p):
    return ball(p.x) - 1


def right_of_a_half(p):
    return ball(p.x) - ball(Fraction(1, 2))


def on_the_diagonal(p):
    return -abs(ball(p.x) - ball(p.y))


def never(p):
    return -1 - square(ball(p.x))


def nowhere(p):
    """Never true, and not seen to be false on a box that is as wide as the gap."""
    return -abs(ball(p.x)) - abs(ball(p.x) - 1)


def one(p):
    return arb(1)


BOX = Point(interval(-1, 2), interval(-1, 2))
EVERYWHERE = Statement("", distance)


def test_true_over_a_box_that_one_evaluation_does_not_decide() -> None:
    assert EVERYWHERE.conclusion(BOX) is Truth.UNDECIDED
    certificate = certify(EVERYWHERE, BOX)
    assert certificate.answer is Truth.TRUE
    assert certificate.proved > 1
    assert certificate.excluded == 0


def test_false_comes_with_a_sub_box_that_refutes() -> None:
    statement = Statement("", distance, given=(Condition("x >= 1", right_of_one),)).nudged(lambda margin: margin - 1)
    certificate = certify(statement, BOX)
    assert certificate.answer is Truth.FALSE
    assert statement.at(certificate.witness) is Truth.FALSE


def test_a_hypothesis_cuts_the_box() -> None:
    statement = Statement("x >= 1/2", right_of_a_half)
    assert certify(statement, BOX).answer is Truth.FALSE
    inside = attrs.evolve(statement, given=(Condition("x >= 1", right_of_one),))
    certificate = certify(inside, BOX)
    assert certificate.answer is Truth.TRUE
    assert certificate.excluded > 0


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_undecided_when_the_budget_runs_out(budget) -> None:
    certificate = certify(EVERYWHERE, BOX, budget=budget)
    assert certificate.answer is Truth.UNDECIDED
    assert certificate.witness is not None


@pytest.mark.parametrize("margin", [distance, one], ids=["needs-splitting", "constant"])
def test_an_empty_domain_proves_nothing(margin) -> None:
    excluded = Statement("", margin, given=(Condition("never", never),))
    assert certify(excluded, BOX).answer is Truth.UNDECIDED
    unseen = Statement("", margin, given=(Condition("|x| + |x - 1| <= 0", nowhere),))
    assert unseen.applies(Point(interval(Fraction(1, 4), Fraction(1, 3)))) is Truth.FALSE
    assert certify(unseen, Point(interval(-1, 2), interval(-1, 2)), budget=50).answer is not Truth.TRUE


def test_a_domain_without_interior_needs_a_point_of_it() -> None:
    """On the diagonal no box is inside; the centre of a square is, and of a lopsided box is not."""
    statement = Statement("", one, given=(Condition("x = y", on_the_diagonal),))
    assert certify(statement, Point(interval(0, 1), interval(0, 1))).answer is Truth.TRUE
    assert certify(statement, Point(interval(0, 1), interval(0, 2))).answer is Truth.UNDECIDED


@pytest.mark.parametrize(("x", "answer"), [(2, Truth.TRUE), (Fraction(1, 2), Truth.FALSE)])
def test_a_point_is_a_box(x, answer) -> None:
    certificate = certify(Statement("x >= 1", right_of_one), Point(x))
    assert certificate.answer is answer


@pytest.mark.parametrize("x", [arb("nan"), arb("0 +/- inf")])
def test_a_box_without_ends_is_not_decided(x) -> None:
    assert certify(Statement("x >= 1", right_of_one), Point(x), budget=100).answer is Truth.UNDECIDED


@settings(max_examples=50)
@given(
    constant=st.fractions(min_value=-1, max_value=1, max_denominator=8),
    spots=st.lists(
        st.tuples(*[st.fractions(min_value=-1, max_value=2, max_denominator=64)] * 2), min_size=5, max_size=5
    ),
)
def test_certificates_agree_with_points(constant: Fraction, spots: list[tuple[Fraction, Fraction]]) -> None:
    statement = EVERYWHERE.nudged(lambda margin: margin - ball(constant))
    certificate = certify(statement, BOX, budget=300)
    for x, y in spots:
        true = x * x + y * y - x * y + Fraction(1, 100) - constant >= 0
        assert statement.at(Point(x, y)) is (Truth.TRUE if true else Truth.FALSE)
        assert true or certificate.answer is not Truth.TRUE
    if certificate.answer is Truth.FALSE:
        assert constant > Fraction(1, 100), "the minimum is 1/100, at the origin"


@given(st.fractions(min_value=-5, max_value=5), st.fractions(min_value=0, max_value=5))
def test_intervals_hold_both_ends(low: Fraction, width: Fraction) -> None:
    enclosure = interval(low, low + width)
    assert enclosure.overlaps(ball(low))
    assert enclosure.overlaps(ball(low + width))
    assert enclosure.rad() <= ball(width) / 2 + ball(Fraction(1, 2**20)) * (1 + abs(ball(low)) + ball(width))
