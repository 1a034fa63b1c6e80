"""Forms of sentences: some constant, nested, one datum, one-sided, law; each with rules of evidence of its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import attrs
import pytest
from flint import arb, fmpq

from dpmatrix.claims import (
    Chosen,
    Condition,
    Form,
    NoFamilyError,
    Range,
    Statement,
    Truth,
    bind,
    observing,
)
from dpmatrix.claims.families import choices
from dpmatrix.exact import Real, ball, rational


@attrs.frozen
class Point:
    """A size, a share of it, and the constant of a bound."""

    x: Real
    share: Real = 1
    constant: Real = 1


def bounded(p):
    """``K x - x - 1 / x``."""
    return ball(p.constant) * ball(p.x) - ball(p.x) - 1 / ball(p.x)


def linear(p):
    """``K x - x^2``."""
    return ball(p.constant) * ball(p.x) - ball(p.x) ** 2


def shared(p):
    """``K share x - x``: K may depend on the share, and on nothing else."""
    return (ball(p.constant) * ball(p.share) - 1) * ball(p.x)


LARGE = Condition("x >= 1", lambda p: ball(p.x) - 1)
POSITIVE = Condition("share > 0", lambda p: ball(p.share), strict=True)
SOME = Statement("x + 1/x = O(x)", bounded, (LARGE,), exists=(Chosen("constant", exhibited=2),), name="toy.some")
NONE = Statement("x^2 = O(x)", linear, (LARGE,), exists=(Chosen("constant"),), name="toy.none")
NESTED = Statement(
    "for every share there is K with x <= K share x",
    shared,
    (LARGE, POSITIVE),
    exists=(Chosen("constant", after=("share",), exhibited=lambda share: 1 / rational(share)),),
    name="toy.nested",
)


def test_forms_are_told() -> None:
    assert Statement("", bounded).forms == (Form.UNIVERSAL,)
    assert SOME.forms == (Form.SOME_CONSTANT,)
    assert NESTED.forms == (Form.NESTED,)
    assert attrs.evolve(SOME, instance=True, one_sided=True).forms == (
        Form.SOME_CONSTANT,
        Form.INSTANCE,
        Form.ONE_SIDED,
    )


def test_other_constants_tell_nothing() -> None:
    """At K = 1 the bound fails and at K = 9 it holds, which is no news: what is asserted is that 2 does."""
    with observing() as observed:
        assert SOME.at(Point(3, constant=1)) is Truth.FALSE
        assert SOME.at(Point(3, constant=9)) is Truth.TRUE
    assert not observed.met
    assert not observed.failed
    with observing() as observed:
        assert SOME.at(Point(3, constant=2)) is Truth.TRUE
        assert SOME.at(SOME.exhibiting(Point(5, constant=7))) is Truth.TRUE
    assert observed.met[SOME].points == 2


def test_a_constant_that_does_not_do_is_refuted_by_one_point() -> None:
    little = attrs.evolve(SOME, exists=(Chosen("constant", exhibited=Fraction(3, 2)),))
    with observing() as observed:
        assert little.conclusion(Point(1, constant=Fraction(3, 2))) is Truth.FALSE
    assert little in observed.failed


def test_another_exhibit_is_a_changed_statement() -> None:
    """The control says that 3/2 does, which fails; nothing is said against 2."""
    changed = SOME.exhibits(constant=Fraction(3, 2))
    with observing() as observed:
        assert changed.at(changed.exhibiting(Point(1))) is Truth.FALSE
    assert observed.failed == {changed}
    assert changed.origin is SOME
    with pytest.raises(KeyError, match="says of"):
        SOME.exhibits(share=1)


def test_a_family_refutes_every_constant() -> None:
    with observing() as observed:
        assert NONE.at(Point(5, constant=1)) is Truth.FALSE
        assert not observed.failed, "one constant is not every constant"
        NONE.refute(lambda constant: Point(2 * constant + 1, constant=constant))
    assert observed.failed == {NONE}


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (lambda constant: Point(2, constant=constant), "does not certainly fail"),
        (lambda constant: Point(2 * constant, constant=constant), "does not certainly fail"),  # x < 1 is outside
        (lambda constant: Point(2 * constant + 1, constant=1), "has other numbers"),
        (lambda constant: Point(rational(10) ** 13, constant=constant), "does not fail"),
        (lambda constant: Point(rational(10) ** 60, constant=constant), "does not fail"),  # K beyond its own number
        (lambda constant: Point(2 * constant + 1 if constant < 10**13 else fmpq(1, 2), constant=constant), "not fail"),
    ],
)
def test_a_family_that_does_not_refute_is_refused(family, words) -> None:
    with observing() as observed, pytest.raises(NoFamilyError, match=words):
        NONE.refute(family)
    assert not observed.failed
    with pytest.raises(NoFamilyError, match="one point refutes it"):
        Statement("", linear, name="toy.plain").refute(family)


def test_a_choice_may_depend_on_what_comes_before_it_and_on_nothing_else() -> None:
    with observing() as observed:
        for share in (Fraction(1, 7), 1, 3):
            point = NESTED.exhibiting(Point(4, share))
            assert NESTED.at(point) is not Truth.FALSE
    assert observed.met[NESTED].points == 3
    assert not observed.failed
    unfounded = attrs.evolve(NESTED, exists=(attrs.evolve(NESTED.exists[0], exhibited=lambda x: x),))
    with pytest.raises(TypeError):
        unfounded.exhibiting(Point(4))
    with pytest.raises(NoFamilyError, match="share comes before the choice"):
        NESTED.refute(lambda constant: Point(4, 1 / ball(constant) / 2, constant))


def test_families_run_all_over_the_ranges() -> None:
    for kind, ends in {Range.POSITIVE: (-12, 12), Range.SHARE: (-12, -0.05), Range.WHOLE: (0, 12)}.items():
        values = sorted(float(ball(one["k"]).log()) / 2.302585092994046 for one in choices([Chosen("k", range=kind)]))
        assert values[0] == pytest.approx(ends[0], abs=0.1)
        assert values[-1] == pytest.approx(ends[1], abs=0.1)
        assert all(next_one - one <= 2.01 for one, next_one in pairwise(values))
    pairs = list(choices([Chosen("a"), Chosen("b", range=Range.WHOLE)]))
    assert len(pairs) >= 16
    assert {len({pair[name] for pair in pairs}) >= 4 for name in "ab"} == {True}


def test_a_one_sided_margin_refutes_and_never_supports() -> None:
    one_sided = attrs.evolve(NONE, exists=(), one_sided=True)
    with observing() as observed:
        assert one_sided.at(Point(1, constant=7)) is Truth.UNDECIDED
        assert one_sided.margin(Point(1, constant=7)) > 0
        assert one_sided.at(Point(1, constant=1)) is Truth.UNDECIDED
        assert not observed.met
        assert one_sided.at(Point(9, constant=1)) is Truth.FALSE
    assert observed.failed == {one_sided}


def test_a_datum_that_the_document_fixes_is_the_only_one() -> None:
    one = Statement("x = 2 in the table", linear, instance=True, data=(Point(2, constant=2),), name="toy.table")
    with observing() as observed:
        one.at(Point(1, constant=2))
        one.at(Point(9, constant=2))
        assert not observed.met
        assert not observed.failed
        one.at(Point(2, constant=2))
    assert {*observed.met} == {one}
    assert one.elsewhere().at(Point(9, constant=2)) is Truth.FALSE


def tail(p):
    """``exp(-x)``, a probability for x >= 0."""
    return (-ball(p.x)).exp()


LAW = Statement.of_law("Pr[E > x] <= 1/(1 + x)", tail, at_most=lambda p: 1 / (1 + ball(p.x)), given=(LARGE,))


def test_a_law_bounds_the_probability_itself() -> None:
    assert LAW.forms == (Form.LAW,)
    assert LAW.at(Point(3)) is Truth.TRUE
    assert LAW.source is tail
    assert (LAW.margin(Point(3)) - (arb(1) / 4 - (-arb(3)).exp())).contains(0)
    reverse = Statement.of_law("", tail, at_least=lambda p: 1 / (1 + ball(p.x)), given=(LARGE,))
    assert reverse.at(Point(3)) is Truth.FALSE
    with pytest.raises(ValueError, match="no probability"):
        LAW.margin(Point(-1))
    divergence = Statement.of_law("", tail, at_most=lambda _: arb(9), probability=False)
    assert divergence.at(Point(-1)) is Truth.TRUE
    for bounds in ({}, {"at_most": tail, "at_least": tail}):
        with pytest.raises(TypeError, match="give one of"):
            Statement.of_law("", tail, **bounds)


class Shifting:
    """Answers the conclusion with small values, and the hypotheses with large ones."""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def x(self) -> int:
        """Another one each time."""
        self.asked += 1
        return 1 + self.asked % 2

    constant, share = 3, 1


class Shifted(Point):
    """A record that computes one of its fields after all."""

    __slots__ = ("hidden",)
    x = property(lambda point: point.hidden, lambda point, value: object.__setattr__(point, "hidden", value))


def test_a_point_that_is_not_plain_data_supports_nothing() -> None:
    plain = attrs.evolve(NONE, exists=())
    with observing() as observed:
        assert plain.conclusion(Shifting()) is Truth.TRUE
        assert plain.at(Shifted(2, constant=3)) is Truth.TRUE
        assert not observed.met
        assert plain.at(Point(2, constant=3)) is Truth.TRUE
    assert observed.met[plain].points == 1


def test_the_search_finds_what_was_not_shown() -> None:
    """x^2 <= 3x holds where it is shown, at x = 2, and fails nearby; the true x^2 <= x^2 + 1 stands every search."""
    false = Statement("x^2 <= 3x", lambda p: 3 * ball(p.x) - ball(p.x) ** 2, (LARGE,), name="toy.false")
    true = Statement("x^2 <= x^2 + 1", lambda _: arb(1), (LARGE,), name="toy.true")
    edge = Statement("x <= 1", lambda p: 1 - ball(p.x), (LARGE,), name="toy.edge")
    with observing() as observed:
        assert {one.at(Point(1)) for one in (false, true, edge)} == {Truth.TRUE}
        assert not observed.failed
        observed.search([false, true, edge])
    assert observed.failed == {false, edge}
    assert observed.met[true].inside == {"x >= 1"}


def test_what_was_seen_is_counted() -> None:
    with observing() as observed:
        bind(NESTED, [(NESTED.exhibiting(Point(x, 2)), 0) for x in range(1, 24)])
    seen = observed.met[NESTED]
    assert (seen.points, observed.compared[NESTED], seen.boxes) == (23, 23, 0)
    assert seen.ranges["x"] == (1.0, 23.0)
