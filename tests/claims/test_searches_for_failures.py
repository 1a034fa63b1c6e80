"""What the search near a met point must have done, and hypotheses that say as much as the conclusion."""

from __future__ import annotations

import time

import attrs
import pytest
from flint import arb

from dpmatrix.claims import Condition, Statement, Truth, observation, observing
from dpmatrix.claims.restatements import ENOUGH, restatements
from dpmatrix.claims.variations import variations
from dpmatrix.exact import ball


@attrs.frozen
class Point:
    """Two numbers."""

    x: object
    y: object = 1


def difference(p):
    """``y - x``."""
    return ball(p.y) - ball(p.x)


def given(margin, says="supposed", **more):
    return Statement("x <= y", difference, (Condition(says, margin, **more),), name="toy.claim")


POINTS = [Point(1, 3), *variations(Point(1, 3), "somewhere", 60)]


@pytest.mark.parametrize(
    ("margin", "same"),
    [
        (lambda p: difference(p) * 2, True),
        (lambda p: difference(p) / 3, True),
        (lambda p: -difference(p), False),
        (lambda p: difference(p) - 1, False),
        (lambda p: difference(p) ** 3, False),
        (lambda p: ball(p.x), False),
        (lambda _: arb(1), False),
    ],
)
def test_a_multiple_of_the_margin_says_as_much_as_the_conclusion(margin, same) -> None:
    assert restatements(given(margin), POINTS) == {"supposed": same}
    assert restatements(given(margin, strict=True), POINTS) == {"supposed": same}


def test_few_points_tell_little() -> None:
    double = given(lambda p: difference(p) * 2)
    above, below = ([Point(0, sign * (1 + k)) for k in range(ENOUGH)] for sign in (1, -1))
    assert restatements(double, above + below) == {"supposed": True}
    assert restatements(double, above[1:] * 3 + below) == {}
    assert restatements(double, above * 3 + below[1:]) == {}
    assert restatements(double, [Point(arb(0, 1), 9)] * 9) == {}, "a wide ball is no number"
    assert restatements(given(lambda p: 1 / ball(p.y).fmpz()), [Point(0, 0)]) == {}, "no value, no answer"


def search(statement, point):
    with observing() as observed:
        assert statement.at(point) is Truth.TRUE
        observed.search([statement])
    return observed


def test_what_was_compared_is_told() -> None:
    seen = search(given(lambda p: 2 * difference(p)), Point(1, 3)).met
    assert next(iter(seen.values())).to_json()["restated"] == {"supposed": True}


def slowly(p):
    """``1 - x``, after a while."""
    began = time.process_time()
    while time.process_time() - began < observation.PATIENCE / 2:
        pass
    return 1 - ball(p.x)


SLOW = Statement("x <= 1", slowly, name="toy.slow")


def test_the_search_asks_at_a_few_points_however_slow(monkeypatch) -> None:
    assert search(SLOW, Point(0)).failed == {SLOW}
    monkeypatch.setattr(observation, "LONG_PATIENCE", 0.0)
    observed = search(SLOW, Point(0))
    assert not observed.failed
    assert observed.met[SLOW].to_json()["hurried"]
