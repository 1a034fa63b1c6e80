"""What a release is rounded to, and whether a proposal is kept, is decided for the ideal reals, or not at all.

Noise that is rounded to a neighbour of the nearest multiple, or a proposal that is kept against its probability, has
another law. Numbers of which floats and balls know what is given here have answers of their own, in fractions. Nothing
is statistical.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from audit.released.known_reals import LAST_BITS, Known, Script
from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.randomness.decisions import (
    FIRST_BITS,
    accepted,
    nearest_multiples,
    positive,
    round_to_grid,
    rounded_integers,
)
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import LazyUniforms

U = Fraction(1, 2**53)
HALF = Fraction(1, 2)
SIDES = (-1, 1)
RARE = Fraction(1, 2**30 + 1)


def nearest(value: Fraction) -> int:
    """Return the nearest integer to a number that is not half-way between two."""
    assert value.denominator != 2
    return floor(value + HALF)


def ball(center: float, radius: float = 0.0) -> FloatBalls:
    return FloatBalls(np.array([center]), np.array([radius]))


def one(center: float, radius: float, grid: Fraction) -> tuple[int, bool]:
    """Round one number in floats; the flag says whether it is decided."""
    found, mask = nearest_multiples(ball(center, radius), grid)
    assert (found.dtype, mask.dtype, found.shape, mask.shape) == (np.int64, np.bool_, (1,), (1,))
    assert mask[0] or found[0] == 0
    return int(found[0]), bool(mask[0])


# Floats


@pytest.mark.parametrize("radius", [Fraction(0), Fraction(1, 2**60), Fraction(1, 10), Fraction(1, 3)])
@pytest.mark.parametrize("grid", [Fraction(3, 7), Fraction(1, 2**30), Fraction(10**9 + 7), Fraction(1, 10**25)])
def test_floats_round_every_number_of_a_ball_alike_or_decide_nothing(grid: Fraction, radius: Fraction) -> None:
    """The ends of a ball have the same nearest multiple; a good part is decided, of both signs."""
    generator, decided = random.Random(3), 0
    for bits in (1, 5, 20, 40, 47, 49, 50):
        for _ in range(40):
            center = float(grid * Fraction(generator.randrange(-(2**60), 2**60), 2 ** (60 - bits)))
            width = float(grid * radius * generator.randrange(1, 100) / 50)
            found, certain = one(center, width, grid)
            if certain:
                ends = {nearest((Fraction(center) + sign * Fraction(width)) / grid) for sign in (*SIDES, 0)}
                assert ends == {found}
            decided += certain
    assert decided > 50


@pytest.mark.parametrize("bits", [-40, 0, 20, 40, 46, 47, 48])
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(2**20), Fraction(3, 7), Fraction(1, 10**9)])
@pytest.mark.parametrize("sign", SIDES)
def test_floats_decide_up_to_the_stated_sum(grid: Fraction, bits: int, sign: int) -> None:
    """Radius, three roundings of the centre and the distance to an integer are less than 1/2 - 2**-40 together."""
    per_unit = Fraction(float(1 / grid))
    for place in (Fraction(1, 7), Fraction(-2, 9), Fraction(1, 3), Fraction(0)):
        center = sign * float(grid * (Fraction(2) ** bits * Fraction(97, 89)))
        scaled = Fraction(center * float(per_unit))
        center = float((nearest(scaled + Fraction(1, 2**60)) + place) * grid)
        scaled = Fraction(center * float(per_unit))
        share = HALF - Fraction(1, 2**40) - abs(scaled - nearest(scaled)) - 3 * U * abs(Fraction(center)) * per_unit
        assert share > 0
        for step, certain in ((-1, True), (1, False)):
            width = float((share + step * Fraction(1, 2**46)) / per_unit)
            assert one(center, width, grid) == ((nearest(scaled), True) if certain else (0, False))
    # Here all is exact, and less means less.
    assert one(0.0, 0.5 - 2.0**-40, Fraction(1)) == (0, False)
    assert one(0.0, 0.5 - 2.0**-40 - 2.0**-54, Fraction(1)) == (0, True)


@pytest.mark.parametrize("sign", SIDES)
def test_floats_decide_up_to_the_largest_multiple_and_grid(sign: int) -> None:
    largest, beyond = 2.0**50, 2.0**50 + 1
    assert one(sign * largest, 0.0, Fraction(1)) == (sign * 2**50, True)
    assert one(sign * beyond, 0.0, Fraction(1)) == (0, False)
    for grid in (Fraction(2**900), Fraction(1, 2**900)):
        assert one(sign * float(3 * grid), 0.0, grid) == (3 * sign, True)
    for grid in (2**900 + Fraction(1), 1 / (2**900 + Fraction(1)), Fraction(2**1100), Fraction(1, 2**1100)):
        assert one(sign * float(min(3 * grid, Fraction(2**1000))), 0.0, grid) == (0, False)
        assert one(0.0, 0.0, grid) == (0, False)


@pytest.mark.parametrize("center", [0.0, 0.25, 1e300, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("radius", [0.5, 1e300, np.inf, np.nan])
def test_floats_decide_nothing_of_what_is_too_wide(center: float, radius: float) -> None:
    """And warn of nothing: a warning is an error here."""
    for grid in (Fraction(1), Fraction(1, 2**900)):
        assert one(center, radius, grid) == (0, False)


# Balls


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(7, 4), Fraction(-19, 3), Fraction(10**12, 7), Fraction(5)])
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(3, 7), Fraction(1, 2**70), Fraction(2**1100, 3)])
def test_balls_round_to_the_nearest_multiple(number: Fraction, grid: Fraction) -> None:
    values = [number, -number, HALF * grid + Fraction(1, 2**200), HALF * grid - Fraction(1, 2**200)]
    expected = [nearest(value / grid) for value in values]
    for filtered in (True, False):
        for act in (rounded_integers, round_to_grid):
            known = Known(values, exact=4096)
            found = act(known, grid, filtered=filtered)
            assert found.tolist() == expected
            assert ("floats" in known.log) is filtered
            assert act is rounded_integers or found.dtype == object
            assert found.shape == (4,)


@pytest.mark.parametrize("first_bits", [1, 100, 1000])
def test_each_attempt_asks_for_twice_the_digits_of_what_is_left(first_bits: int) -> None:
    values = [Fraction(1, 3), HALF + Fraction(1, 2**700)]
    for act in (rounded_integers, round_to_grid):
        known = Known(values, exact=1200)
        assert act(known, Fraction(1), first_bits=first_bits).tolist() == [0, 1]
        asked = known.log[1:]
        assert [bits for bits, _ in asked] == [first_bits * 2**place for place in range(len(asked))]
        # A third is told from a half by balls of radius 1/8, and not by those of radius 1/4.
        assert all(entries == ([0, 1] if bits in (first_bits, 2, 4) else [1]) for bits, entries in asked)
        assert asked[-1][0] > 700


def test_what_no_digits_decide_is_an_error_at_the_last_number_of_them() -> None:
    """An atom half-way between two multiples, or at zero, also where the ball of floats touches zero."""
    attempts = [FIRST_BITS * 2**place for place in range(40) if FIRST_BITS * 2**place <= LAST_BITS]
    assert (FIRST_BITS, attempts[-1]) == (128, LAST_BITS)
    cases: list[tuple[Callable[[Any], Any], Known, list[int], list[int]]] = [
        (lambda known: rounded_integers(known, Fraction(1)), Known([Fraction(1, 3), HALF]), [0, 1], [1]),
        (positive, Known([Fraction(1, 3), Fraction(0)]), [0, 1], [1]),
        (positive, Known([Fraction(0)], exact=1), [0], [0]),
        (positive, Known([Fraction(0)], ball(1.0, 1.0)), [0], [0]),
        (positive, Known([Fraction(0)], ball(-1.0, 1.0)), [0], [0]),
    ]
    for act, known, first, rest in cases:
        with pytest.raises(UndecidedError, match=f"entry {rest[0]} is undecided at {LAST_BITS} bits"):
            act(known)
        assert known.log == ["floats", (FIRST_BITS, first), *((bits, rest) for bits in attempts[1:])]


@pytest.mark.parametrize("exact", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**62, -(2**62), 3, 0])
def test_integers_are_those_of_balls_whatever_their_size(exact: int) -> None:
    """Of 64 bits where they fit, and else of Python."""
    for filtered in (True, False):
        known = Known([Fraction(exact), Fraction(1)], exact=1)
        found = rounded_integers(known, Fraction(1), filtered=filtered)
        assert found.tolist() == [exact, 1]
        assert found.dtype == (np.int64 if -(2**63) <= exact < 2**63 else object)


@pytest.mark.parametrize("grid", [Fraction(0), Fraction(-1, 2), Fraction(-3)])
def test_a_grid_that_is_not_positive_is_refused(grid: Fraction) -> None:
    for act in (rounded_integers, round_to_grid):
        for filtered in (True, False):
            with pytest.raises(InvalidParameterError, match="grid"):
                act(Known([Fraction(1)]), grid, filtered=filtered)


@pytest.mark.parametrize("number", [Fraction(1, 10**40), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(10**40)])
def test_the_sign_of_a_number_is_found(number: Fraction) -> None:
    """By floats where their ball does not reach zero, and else by balls."""
    for filtered in (True, False):
        found = positive(Known([number, -number]), filtered=filtered)
        assert found.tolist() == [True, False]
        assert found.dtype == np.bool_
    for sign in SIDES:
        near = float(number)
        decided = Known([sign * number], ball(sign * near, near * (1 - 2.0**-52)))
        assert positive(decided).tolist() == [sign > 0]
        assert decided.log == ["floats"]
        touching = Known([sign * number], ball(sign * near, near))
        assert positive(touching).tolist() == [sign > 0]
        assert len(touching.log) > 1, "balls were asked"
        # Floats whose ball holds numbers of either sign say nothing, wherever their centre is.
        assert positive(Known([sign * number], ball(-sign * near, 3 * near))).tolist() == [sign > 0]


def test_floats_come_first_unless_they_are_not_wanted() -> None:
    values = [Fraction(place, 7) for place in range(-5, 6) if place]
    floats = FloatBalls.of_rationals([fmpq(value.numerator, value.denominator) for value in values], (10,))
    acts: list[Callable[..., Any]] = [
        lambda known, **options: rounded_integers(known, Fraction(1), **options),
        lambda known, **options: round_to_grid(known, Fraction(1), **options),
        positive,
    ]
    for act in acts:
        known = Known(values, floats)
        by_floats = act(known)
        assert known.log == ["floats"]
        by_balls = act(known, filtered=False)
        assert known.log == ["floats", (FIRST_BITS, list(range(10)))]
        assert (by_floats.tolist(), by_floats.dtype) == (by_balls.tolist(), by_balls.dtype)


def test_an_answer_is_never_that_of_another_entry() -> None:
    """Reals that give fewer balls than they are asked for are an error."""
    for act in (lambda known: rounded_integers(known, Fraction(1)), positive):
        with pytest.raises(ValueError, match="zip"):
            act(Known([Fraction(1, 3), Fraction(4)], lost=1))
    with pytest.raises(ValueError, match="zip"):
        accepted(Known([Fraction(1, 3), Fraction(4)], lost=1), SeededEntropy(1), filtered=False)


# Acceptance


@pytest.mark.parametrize("filtered", [True, False])
@pytest.mark.parametrize(
    "probability", [Fraction(1, 3), Fraction(5, 7), Fraction(1, 2**30 + 1), 1 - Fraction(1, 10**9)]
)
def test_a_proposal_is_kept_where_its_uniform_variate_is_below_the_probability(
    probability: Fraction, filtered: bool
) -> None:
    """The words around the probability are told apart, and the one that it lies in by its later digits."""
    cell = floor(probability * 2**64)
    words = [0, cell - 2**12, cell - 1, cell, cell + 1, cell + 2**12, 2**64 - 1]
    for ones in (False, True):
        known = Known([probability] * len(words), exact=1)
        answers = accepted(known, Script(words, ones=ones, calls=100), filtered=filtered)
        assert answers.tolist() == [word < cell or (word == cell and not ones) for word in words]
        assert answers.dtype == np.bool_
        assert ("floats" in known.log) is filtered
    # At a dyadic probability digits decide that come late.
    for word, ones, below in ((2**63 - 1, True, True), (2**63, False, False)):
        source = Script([word], ones=ones, calls=3)
        assert accepted(Known([HALF], exact=1), source, filtered=filtered).tolist() == [below]
        assert source.calls < 0


def test_uniform_variates_are_those_of_the_source_and_what_is_compared_is_refined_too() -> None:
    """Also where the probabilities are random themselves, of the same first digits as the variates for a while."""
    for seed in (5, 6):
        probabilities = LazyUniforms((200,), SeededEntropy(4))
        uniforms = SeededEntropy(seed).words(200).tolist()
        expected = [own < other for own, other in zip(uniforms, probabilities.words().tolist(), strict=True)]
        assert accepted(probabilities, SeededEntropy(seed)).tolist() == expected
        assert accepted(probabilities, SeededEntropy(seed), filtered=False).tolist() == expected
    near = LazyUniforms((1,), Script([12345], ones=True, calls=2))
    assert accepted(near, Script([12345], ones=False, calls=2)).tolist() == [True]
    assert near.digits(0)[1] >= FIRST_BITS
    default = Known([HALF], ball(0.5))
    accepted(default, SeededEntropy(1))
    assert default.log == ["floats"]


def test_certain_events_are_certain() -> None:
    values = [Fraction(0), Fraction(1), Fraction(-1), Fraction(2)] * 100
    for filtered in (True, False):
        answers = accepted(Known(values, exact=1), SeededEntropy(1), filtered=filtered)
        assert answers.tolist() == [False, True, False, True] * 100
