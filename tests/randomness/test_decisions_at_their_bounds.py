"""Decisions at their bounds: how far floats are trusted, what they leave to balls, and when balls end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from numpy.typing import NDArray

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import decisions
from dpmatrix.randomness.decisions import FIRST_BITS, accepted, nearest_multiples, positive, rounded_integers
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import LazyReals, LazyUniforms


class Noted:
    """Random reals that note what they are asked for."""

    def __init__(self, reals: LazyReals) -> None:
        self.reals, self.shape = reals, reals.shape
        self.calls: list[tuple[Any, ...]] = []

    def approximate(self) -> FloatBalls:
        """Enclose in floats."""
        self.calls.append(("approximate",))
        return self.reals.approximate()

    def refine(self, bits: int, entries: Sequence[int]) -> None:
        """Draw digits."""
        self.calls.append(("refine", bits, list(entries)))
        self.reals.refine(bits, entries)

    def enclose(self, entries: Sequence[int]) -> list[arb]:
        """Enclose in balls."""
        return self.reals.enclose(entries)


class Numbers:
    """Numbers in balls whose radius is a power of two, known to floats with the radii that are given."""

    def __init__(self, values: Sequence[Fraction], balls: FloatBalls, narrow: int = 0) -> None:
        self.values, self.balls, self.narrow = values, balls, narrow
        self.shape = balls.shape
        self.bits = 0

    def approximate(self) -> FloatBalls:
        """Give what floats know."""
        return self.balls

    def refine(self, bits: int, _: Sequence[int]) -> None:
        """Know so many digits."""
        self.bits = bits

    def enclose(self, entries: Sequence[int]) -> list[arb]:
        """Enclose to as many digits as are known, or exactly once there are enough."""
        radius = arb((1, -self.bits)) if not self.narrow or self.bits < self.narrow else arb(0)
        return [
            arb(arb(fmpq(self.values[index].numerator, self.values[index].denominator)), radius) for index in entries
        ]


def unknown(*values: Fraction, narrow: int = 0) -> Numbers:
    """Return numbers of which floats know nothing."""
    return Numbers(values, FloatBalls.unknown((len(values),)), narrow)


def nearest(value: Fraction) -> int:
    """Return the nearest integer to a number that is not half-way between two."""
    assert value.denominator != 2
    return floor(value + Fraction(1, 2))


def test_multiples_near_the_largest_are_decided_rightly_or_not_at_all() -> None:
    """Exact floats over grids that no float divides by: two roundings move the quotient by up to a quarter.

    The seed is fixed, so that the counts are.
    """
    generator = random.Random(5)
    wrong = decided = careless = 0
    for _ in range(3000):
        grid = Fraction(generator.randrange(2**40, 2**41), 2**40) * Fraction(3, 7)
        center = float(grid * Fraction(generator.randrange(2**53, 2**55), 2**5))
        balls = FloatBalls.exactly(np.array([center]))
        found, mask = nearest_multiples(balls, grid)
        expected = nearest(Fraction(center) / grid)
        decided += int(mask[0])
        wrong += bool(mask[0] and found[0] != expected)
        careless += int(np.rint(center * float(1 / grid)) != expected)
    assert wrong == 0
    # Controls: floats alone are wrong at times, and a good part is decided.
    assert careless > 0
    assert decided > 500


def ends_within_half() -> tuple[Fraction, float]:
    """Find a grid and a radius that reaches beyond a half of the grid though its float quotient does not."""
    generator = random.Random(6)
    while True:
        grid = Fraction(generator.randrange(2**20, 2**21), 2**20 + 7)
        radius = float(grid / 2)
        for step in (0, 1, 2):
            found = radius + step * np.spacing(radius)
            if float(found) * float(1 / grid) < 0.5 < Fraction(float(found)) / grid:
                return grid, float(found)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_radius_that_reaches_a_half_by_less_than_a_rounding_decides_nothing(sign: int) -> None:
    """The end of the ball is nearer to the next multiple, though its quotient in floats is below one half."""
    grid, radius = ends_within_half()
    end = Fraction(radius) / grid
    assert nearest(end) == 1
    balls = FloatBalls(np.zeros(1), np.array([radius]))
    _, mask = nearest_multiples(balls, grid)
    assert not mask[0]
    found = rounded_integers(Numbers([sign * Fraction(radius)], balls, narrow=200), grid)
    assert found.tolist() == [sign]


@pytest.mark.parametrize("grid", [Fraction(2**900), Fraction(1, 2**900), Fraction(1), Fraction(10**9), Fraction(1, 7)])
def test_floats_decide_at_every_grid_within_their_bounds(grid: Fraction) -> None:
    values = np.array([float(grid * factor) for factor in (0, 1, Fraction(9, 4), -3)])
    found, mask = nearest_multiples(FloatBalls.exactly(values), grid)
    assert mask.tolist() == [True] * 4
    assert found.tolist() == [0, 1, 2, -3]
    assert found.dtype == np.int64
    assert mask.dtype == np.bool_


@pytest.mark.parametrize("radius", [np.inf, np.nan, 0.5, 1e300])
@pytest.mark.parametrize("center", [0.0, 0.25, 1e300])
def test_a_radius_that_is_too_wide_decides_nothing(radius: float, center: float) -> None:
    found, mask = nearest_multiples(FloatBalls(np.array([center]), np.array([radius])), Fraction(1))
    assert (found.tolist(), mask.tolist()) == ([0], [False])


@pytest.mark.parametrize("center", [1e300, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("radius", [0.0, np.inf])
def test_what_overflows_decides_nothing_and_warns_of_nothing(center: float, radius: float) -> None:
    """Quotients beyond the floats: pytest turns a warning into an error."""
    balls = FloatBalls(np.array([center]), np.array([radius]))
    assert nearest_multiples(balls, Fraction(1, 2**900))[1].tolist() == [False]
    assert nearest_multiples(balls, Fraction(1))[1].tolist() == [False]


@pytest.mark.parametrize("grid", [Fraction(2**950), Fraction(1, 2**950)])
def test_what_is_left_undecided_at_once_has_the_same_types(grid: Fraction) -> None:
    found, mask = nearest_multiples(FloatBalls.exactly(np.zeros((2, 3))), grid)
    assert (found.dtype, mask.dtype, found.shape, mask.shape) == (np.int64, np.bool_, (2, 3), (2, 3))
    assert not mask.any()
    assert not found.any()


def test_floats_decide_by_default_and_are_not_asked_where_they_are_not_wanted() -> None:
    """In a grid of a thousandth, all 200 uniforms are decided without a ball."""
    grid = Fraction(1, 1000)
    for act in (
        lambda reals, **options: rounded_integers(reals, grid, **options),
        lambda reals, **options: decisions.round_to_grid(reals, grid, **options),
        lambda reals, **options: positive(reals, **options),
    ):
        noted = Noted(LazyUniforms((200,), SeededEntropy(1)))
        by_floats = act(noted)
        assert noted.calls == [("approximate",)]
        noted.calls.clear()
        by_balls = act(noted, filtered=False)
        assert noted.calls == [("refine", FIRST_BITS, list(range(200)))]
        assert by_floats.tolist() == by_balls.tolist()
        assert by_floats.dtype == by_balls.dtype


@pytest.mark.parametrize("filtered", [True, False])
def test_acceptance_asks_floats_only_where_they_are_wanted(filtered: bool) -> None:
    noted = Noted(LazyUniforms((50,), SeededEntropy(2)))
    answers = accepted(noted, SeededEntropy(3), filtered=filtered)
    assert answers.dtype == np.bool_
    assert (("approximate",) in noted.calls) is filtered
    assert any(call[0] == "refine" for call in noted.calls) is not filtered
    noted.calls.clear()
    assert accepted(noted, SeededEntropy(3)).tolist() == answers.tolist()
    assert ("approximate",) in noted.calls


@pytest.mark.parametrize("first_bits", [1, 100, 1000])
def test_the_first_attempt_in_balls_has_as_many_digits_as_are_asked_for(first_bits: int) -> None:
    """Only entries that are left are asked about again, with twice as many digits."""
    third, half = Fraction(1, 3), Fraction(1, 2) + Fraction(1, 2**700)
    for act in (rounded_integers, decisions.round_to_grid):
        noted = Noted(unknown(third, half, narrow=1200))
        assert act(noted, Fraction(1), first_bits=first_bits).tolist() == [0, 1]
        asked = [call[1:] for call in noted.calls if call[0] == "refine"]
        assert asked[0] == (first_bits, [0, 1])
        assert [bits for bits, _ in asked] == [first_bits * 2**place for place in range(len(asked))]
        # A third is told from a half by balls of radius 1/8, and not by those of radius 1/4.
        assert all(entries == ([0, 1] if bits in (first_bits, 2, 4) else [1]) for bits, entries in asked)
        assert asked[-1][0] > 700


def test_what_stays_undecided_is_an_error_at_the_last_number_of_digits(monkeypatch) -> None:
    """An atom half-way between two multiples, and one at zero: digits are doubled up to the most, inclusively."""
    monkeypatch.setattr(decisions, "MOST_BITS", 8 * FIRST_BITS)
    for act, number in (
        (lambda reals: rounded_integers(reals, Fraction(1)), Fraction(1, 2)),
        (positive, Fraction(0)),
    ):
        noted = Noted(unknown(Fraction(1, 3), number))
        with pytest.raises(UndecidedError, match=f"entry 1 is undecided at {8 * FIRST_BITS} bits"):
            act(noted)
        asked = [call[1:] for call in noted.calls if call[0] == "refine"]
        assert asked == [(FIRST_BITS, [0, 1]), *((FIRST_BITS * 2**place, [1]) for place in (1, 2, 3))]


def test_the_working_precision_has_as_many_bits_as_there_are_digits(monkeypatch) -> None:
    """A number that is told from a half by its 600th digit alone is rounded by balls that carry so many bits."""
    widths: list[int] = []

    def noted(bits: int) -> Any:
        widths.append(bits)
        return precision(bits)

    monkeypatch.setattr(decisions, "precision", noted)
    number = Fraction(1, 2) + Fraction(1, 2**600)
    assert rounded_integers(unknown(number, 1 - number), Fraction(1)).tolist() == [1, 0]
    assert len(widths) == 4
    assert all(bits > FIRST_BITS * 2**place for place, bits in enumerate(widths))


@pytest.mark.parametrize("number", [Fraction(1, 10**40), Fraction(-1, 10**40), Fraction(2), Fraction(-2), Fraction(1)])
def test_balls_tell_the_sign_of_a_number(number: Fraction) -> None:
    found: NDArray[np.bool_] = positive(unknown(number, -number))
    assert found.tolist() == [number > 0, number < 0]


@pytest.mark.parametrize("center", [1.0, -1.0])
def test_a_float_ball_that_touches_zero_says_nothing_of_the_sign(monkeypatch, center: float) -> None:
    """The number may be zero, and is: no answer is right, and none is given."""
    monkeypatch.setattr(decisions, "MOST_BITS", FIRST_BITS)
    touching = FloatBalls(np.array([center]), np.ones(1))
    with pytest.raises(UndecidedError):
        positive(Numbers([Fraction(0)], touching, narrow=1))
    # Control: of a ball that is narrower by a rounding, floats tell the sign, and balls are not asked.
    apart = FloatBalls(np.array([center]), np.array([1 - 2.0**-53]))
    assert positive(Numbers([Fraction(0)], apart)).tolist() == [center > 0]


@pytest.mark.parametrize("exact", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**62, 0])
def test_integers_of_balls_have_64_bits_where_they_fit(exact: int) -> None:
    found = rounded_integers(unknown(Fraction(exact), Fraction(1), narrow=1), Fraction(1))
    assert found.tolist() == [exact, 1]
    assert found.dtype == (np.int64 if -(2**63) <= exact < 2**63 else object)


def test_the_sources_of_an_acceptance_are_told_apart() -> None:
    """The uniforms are those of the source, entry by entry, whatever the probabilities are made of."""
    probabilities = LazyUniforms((300,), SeededEntropy(4))
    uniforms = SeededEntropy(5).words(300).tolist()
    expected = [uniform < other for uniform, other in zip(uniforms, probabilities.words().tolist(), strict=True)]
    assert accepted(probabilities, SeededEntropy(5)).tolist() == expected
    assert accepted(probabilities, SeededEntropy(6)).tolist() != expected
