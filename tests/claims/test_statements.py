"""Statements: hypotheses first, growing precision, and what an observer is told."""

from __future__ import annotations

import sys
from fractions import Fraction
from threading import Thread

import attrs
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.claims import (
    Claim,
    Condition,
    OutsideHypothesesError,
    Statement,
    Truth,
    bind,
    certify,
    interval,
    observing,
    redefined,
)
from dpmatrix.exact import Real, ball


@attrs.frozen
class Point:
    """What the statements speak about."""

    x: Real


def itself(p):
    return ball(p.x)


def at_most_three(p):
    return 3 - ball(p.x)


def minus_one(p):
    return arb(-1)


def tiny(p):
    """exp(x) - 1 - x - x^2/2, which cancels for small x."""
    return ball(p.x).exp() - 1 - ball(p.x) - ball(p.x) * ball(p.x) / 2


POSITIVE, BOUNDED = Condition("x > 0", itself, strict=True), Condition("x <= 3", at_most_three)
STATEMENT = Statement("exp x >= 1 + x + x^2/2", tiny, given=(POSITIVE, BOUNDED), name="toy.claim")
fractions = st.fractions(min_value=-5, max_value=5, max_denominator=1000)


@given(fractions)
def test_hypotheses_come_first(x: Fraction) -> None:
    inside = 0 < x <= 3
    assert STATEMENT.applies(Point(x)) is (Truth.TRUE if inside else Truth.FALSE)
    if inside:
        assert STATEMENT.at(Point(x)) is Truth.TRUE
    else:
        with pytest.raises(OutsideHypothesesError, match=r"toy\.claim: hypothesis 'x (> 0|<= 3)' does not hold"):
            STATEMENT.at(Point(x))


@pytest.mark.parametrize("x", [interval(-1, 1), interval(2, 4), arb("nan")])
def test_an_undecided_hypothesis_is_no_hypothesis(x) -> None:
    assert STATEMENT.applies(Point(x)) is Truth.UNDECIDED
    with pytest.raises(OutsideHypothesesError):
        STATEMENT.at(Point(x))


def test_precision_grows_until_the_sign_is_certain() -> None:
    """At 2^-200 the margin is about 2^-602, far below what 64 bits see; the caller's precision is untouched."""
    before = ctx.prec
    assert STATEMENT.at(Point(Fraction(1, 2**200))) is Truth.TRUE
    reverse = STATEMENT.nudged(margin=lambda p: -tiny(p))
    assert reverse.at(Point(Fraction(1, 2**200))) is Truth.FALSE
    assert ctx.prec == before


def test_a_zero_that_no_precision_decides_stays_undecided() -> None:
    def zero(p):
        return ball(p.x).sqrt() * ball(p.x).sqrt() - ball(p.x)

    assert Statement("sqrt(x)^2 >= x", zero).at(Point(2)) is Truth.UNDECIDED


def test_a_margin_that_raises_leaves_the_precision_alone() -> None:
    def broken(p):
        raise ZeroDivisionError

    before = ctx.prec
    with pytest.raises(ZeroDivisionError):
        Statement("", broken).conclusion(Point(1))
    assert ctx.prec == before


def test_without_drops_one_hypothesis() -> None:
    assert STATEMENT.without("x > 0").at(Point(-1)) is Truth.FALSE
    with pytest.raises(KeyError, match="no hypothesis 'x > 1'"):
        STATEMENT.without("x > 1")


def test_nudged_needs_a_change() -> None:
    with pytest.raises(TypeError, match="give a change"):
        STATEMENT.nudged()


@pytest.mark.parametrize("change", [lambda _: arb(-1), lambda margin: -margin, lambda margin: margin - 1 - abs(margin)])
def test_a_change_that_fails_whatever_the_margin_is_shows_nothing(change) -> None:
    with pytest.raises(TypeError, match="shows nothing of it"):
        STATEMENT.nudged(change)


@pytest.mark.parametrize("final", [Statement, Condition, Claim])
def test_there_are_no_variants(final) -> None:
    with pytest.raises(TypeError, match="has no variants"):
        type("Eager", (final,), {})


def test_a_strict_statement_is_not_met_by_an_equality() -> None:
    def zero(p):
        return ball(p.x).sqrt() * ball(p.x).sqrt() - ball(p.x)

    equal, strict = Statement("", zero), Statement("", zero, strict=True)
    wide = Statement("x - x >= 2^-40", lambda p: ball(p.x) - ball(p.x) - arb(2) ** -40)
    with observing() as observed:
        for statement in (equal, strict):
            assert statement.at(Point(2)) is Truth.UNDECIDED
        assert wide.at(Point(arb(0, 2**-36))) is Truth.UNDECIDED
    assert {*observed.met} == {equal}


def test_a_margin_that_changes_its_mind_is_not_met() -> None:
    """By a count of its calls, and by the precision; nor is one that asks for nothing."""
    calls = []

    def counted(p):
        calls.append(p)
        return arb(len(calls))

    def precise(p):
        return ball(p.x) if ctx.prec < 100 else -ball(p.x)

    with observing() as observed:
        for margin in (counted, precise, lambda _: arb("inf")):
            assert Statement("", margin).at(Point(1)) is Truth.TRUE
    assert not observed.met
    assert STATEMENT.nudged(margin=minus_one).at(Point(1)) is Truth.FALSE


def test_observing_tells_the_statement_from_its_variants() -> None:
    nudged, stripped = STATEMENT.nudged(lambda margin: margin - 100), STATEMENT.without("x > 0")
    with observing() as outer, observing() as observed:
        STATEMENT.applies(Point(1))
        assert not observed.evaluated, "hypotheses alone are not the statement"
        nudged.at(Point(1))
        stripped.at(Point(-1))
        STATEMENT.conclusion(Point(-1))
        assert observed.evaluated == {nudged, stripped, STATEMENT}
        assert observed.failed == {nudged, stripped}, "a conclusion outside the hypotheses refutes nothing"
    assert outer.failed == observed.failed, "an observer inside hides nothing"
    before = set(observed.met)
    STATEMENT.at(Point(1))
    assert {*observed.met} == {*outer.met} == before, "nobody observes any more"


def test_another_thread_is_observed() -> None:
    with observing() as observed:
        thread = Thread(target=FALSE.at, args=(Point(3),))
        thread.start()
        thread.join()
    assert FALSE in observed.failed


def test_an_undecided_box_is_not_met_and_an_equality_is() -> None:
    """A box so wide that the sign is open says nothing, also where the statement is false all over it."""
    wide = Statement("x - x >= 1", lambda p: ball(p.x) - ball(p.x) - 1, given=(POSITIVE,), name="toy.wide")
    equal = Statement(
        "sqrt(x)^2 >= x", lambda p: ball(p.x).sqrt() ** 2 - ball(p.x), given=(POSITIVE,), name="toy.equal"
    )
    with observing() as observed:
        assert wide.at(Point(interval(1, 5))) is Truth.UNDECIDED
        assert equal.at(Point(interval(1, 5))) is Truth.UNDECIDED
        assert not observed.met
        assert equal.at(Point(2)) is Truth.UNDECIDED
    assert {*observed.met} == {equal}


def below_two(p):
    return 2 - ball(p.x)


ONE_RUN = Statement("x <= 2", below_two, instance=True, name="toy.run")
FALSE = Statement("x <= 2", below_two, given=(POSITIVE, BOUNDED), name="toy.false")
DISGUISES = {
    "at": lambda: FALSE.at(Point(3)),
    "conclusion": lambda: FALSE.conclusion(Point(3)),
    "margin": lambda: FALSE.margin(Point(3)),
    "bound": lambda: bind(FALSE, [(Point(3), -1)], least=1),
    "certified": lambda: certify(FALSE, Point(interval(2.5, 3))),
    "nudged by nothing": lambda: FALSE.nudged(lambda margin: margin).at(Point(3)),
    "given as another margin": lambda: FALSE.nudged(margin=below_two).at(Point(3)),
    "without a hypothesis that holds": lambda: FALSE.without("x > 0").at(Point(3)),
    "changed twice": lambda: FALSE.without("x > 0").nudged(lambda margin: 2 * margin).margin(Point(3)),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_failure_under_the_hypotheses_is_seen_however_it_is_asked(disguise) -> None:
    with observing() as observed:
        DISGUISES[disguise]()
    assert FALSE in observed.failed


def test_a_failure_elsewhere_is_no_failure() -> None:
    """Outside the hypotheses, where they are not defined, or where a changed statement fails and the own one holds."""
    undefined = Statement("x <= 2", below_two, given=(Condition("1/x > 0", lambda p: 1 / p.x),), name="toy.undefined")
    with observing() as observed:
        assert FALSE.conclusion(Point(4)) is Truth.FALSE
        assert FALSE.without("x <= 3").at(Point(4)) is Truth.FALSE
        assert FALSE.nudged(lambda margin: margin - 2).at(Point(1)) is Truth.FALSE
        assert undefined.nudged(margin=minus_one).conclusion(Point(0)) is Truth.FALSE
        assert undefined.conclusion(Point(0)) is Truth.TRUE
    assert not {FALSE, undefined} & observed.failed
    assert undefined not in observed.met
    assert {statement.name for statement in observed.failed} == {"toy.false"}


def test_one_run_is_asked_elsewhere() -> None:
    """What other runs do is no failure of the assertion, and shows that the check can fail."""
    with observing() as observed:
        assert ONE_RUN.elsewhere().at(Point(3)) is Truth.FALSE
        assert ONE_RUN.at(Point(1)) is Truth.TRUE
    assert ONE_RUN not in observed.failed
    assert ONE_RUN in observed.met
    assert {statement.name for statement in observed.failed} == {"toy.run"}
    with observing() as observed:
        assert ONE_RUN.at(Point(3)) is Truth.FALSE
    assert ONE_RUN in observed.failed
    with pytest.raises(TypeError, match=r"toy\.false is of every point"):
        FALSE.elsewhere()


def test_a_name_of_a_module_is_redefined_and_stays() -> None:
    module = sys.modules[__name__]
    changed = redefined(STATEMENT, module, "ball", minus_one)
    assert changed.conclusion(Point(1)) is Truth.FALSE
    assert STATEMENT.conclusion(Point(1)) is Truth.TRUE
    assert module.ball is ball
