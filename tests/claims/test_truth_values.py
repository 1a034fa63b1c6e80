"""Three-valued answers: they never guess, and never pass for a bool."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.claims import Truth, conjunction, decide, interval
from dpmatrix.exact import ball

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNDECIDED
fractions = st.fractions(min_value=-5, max_value=5, max_denominator=2**20)


@pytest.mark.parametrize(
    ("margin", "weak", "strict"),
    [
        (arb(1), T, T),
        (arb(-1), F, F),
        (arb(0), T, F),
        (interval(0, 1), U, U),  # 30-bit radii: the ball reaches a little below zero
        (interval(1, 2), T, T),
        (interval(-2, -1), F, F),
        (interval(-1, 1), U, U),
        (arb("nan"), U, U),
        (arb("inf"), T, T),
        (arb("-inf"), F, F),
        (arb("0 +/- inf"), U, U),
    ],
)
def test_decisions(margin, weak, strict) -> None:
    assert decide(margin) is weak
    assert decide(margin, strict=True) is strict


@given(low=fractions, width=st.fractions(min_value=0, max_value=3), place=st.fractions(min_value=0, max_value=1))
def test_a_decision_holds_for_every_number_in_the_ball(low: Fraction, width: Fraction, place: Fraction) -> None:
    number = low + place * width
    enclosure = interval(low, low + width)
    for strict in (False, True):
        truth = (number > 0) if strict else (number >= 0)
        answer = decide(enclosure, strict=strict)
        assert answer is U or answer is (T if truth else F)
        assert decide(ball(Fraction(number.numerator, 1)), strict=strict) is not U, "an exact number is always decided"


def test_conjunction_is_kleenes() -> None:
    table = {(T, T): T, (T, F): F, (T, U): U, (F, T): F, (F, F): F, (F, U): F, (U, T): U, (U, F): F, (U, U): U}
    for pair, answer in table.items():
        assert conjunction(list(pair)) is answer
    assert conjunction([]) is T


@given(st.lists(st.sampled_from([T, F, U])))
def test_conjunction_of_many(answers: list[Truth]) -> None:
    expected = F if F in answers else U if U in answers else T
    assert conjunction(answers) is expected
    assert all(conjunction(list(order)) is expected for order in itertools.islice(itertools.permutations(answers), 20))


@pytest.mark.parametrize("answer", list(Truth))
def test_a_truth_is_not_a_bool(answer) -> None:
    with pytest.raises(TypeError, match="three values"):
        bool(answer)
    with pytest.raises(TypeError):
        assert answer
    with pytest.raises(TypeError):
        all([answer])


def test_a_margin_that_is_no_ball_has_no_sign() -> None:
    for margin in (5e-17, 1, type("Liar", (arb,), {})(1)):
        with pytest.raises(TypeError, match="a margin is a ball"):
            decide(margin)
