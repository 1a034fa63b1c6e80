"""Steps of staircase noise: their sums, their law, their mean square, and the width that makes it least."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import stairs as module
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, Stairs, best_stairs, power_sum
from dpmatrix.randomness.entropy import SeededEntropy

CASES = [
    (1, Fraction(1, 8), Fraction(1, 2)),
    (1, Fraction(1), Fraction(5, 12)),
    (3, Fraction(2), Fraction(1)),
    (6, Fraction(7, 2), Fraction(1, 16)),
    (36, Fraction(1, 8), Fraction(3, 4)),
    (36, Fraction(10), Fraction(1, 32768)),
]
every_case = pytest.mark.parametrize(("power", "epsilon", "width"), CASES)


def weights(power: int, epsilon: Fraction, width: Fraction) -> list[mpmath.mpf]:
    e, g = (mpmath.mpf(value.numerator) / value.denominator for value in (epsilon, width))
    return [mpmath.exp(-e * k) * (k + g) ** power for k in range(int(900 / e) + 60)]


@every_case
def test_sums_are_those_of_their_terms(power: int, epsilon: Fraction, width: Fraction) -> None:
    with mpmath.workdps(60), precision(256):
        found = power_sum(power, epsilon, width)
        expected = arb(mpmath.nstr(mpmath.fsum(weights(power, epsilon, width)), 50))
        assert abs(found / expected - 1) < arb(10) ** -45
        stairs = Stairs(power, epsilon, width)
        for k, weight in list(enumerate(weights(power, epsilon, width)))[:40:7]:
            assert abs(stairs.weight(k) / arb(mpmath.nstr(weight, 50)) - 1) < arb(10) ** -45


@every_case
def test_the_mean_square_is_that_of_uniform_points_of_balls_rounded_up(
    power: int, epsilon: Fraction, width: Fraction
) -> None:
    with mpmath.workdps(60):
        terms = weights(power, epsilon, width)
        g = mpmath.mpf(width.numerator) / width.denominator
        square = mpmath.fsum(term * (k + g) ** 2 for k, term in enumerate(terms)) / mpmath.fsum(terms)
        expected = square * power / (power + 2)
        found = Stairs(power, epsilon, width).mean_square
        excess = mpmath.mpf(found.numerator) / found.denominator / expected - 1
        assert -(mpmath.mpf(10) ** -50) < excess < mpmath.mpf(2) ** -100


@every_case
def test_a_step_is_the_one_whose_share_of_the_sums_holds_the_uniform_variate(
    power: int, epsilon: Fraction, width: Fraction
) -> None:
    stairs = Stairs(power, epsilon, width)
    with mpmath.workdps(40):
        sums = np.array([float(value) for value in np.cumsum(weights(power, epsilon, width))])
        shares = sums / sums[-1]
    found = set()
    for seed in range(60):
        uniform = SeededEntropy(seed).bits(64) / 2.0**64
        expected = int(np.searchsorted(shares, uniform))
        assert stairs.draw(SeededEntropy(seed)) == expected
        found.add(expected)
    if epsilon < 4:
        assert len(found) > 2


class Scripted:
    """Bits that are all zero or all one, as long as they are counted out."""

    description = "scripted"
    private = False

    def __init__(self, bit: int) -> None:
        self.bit, self.given = bit, 0

    def words(self, count: int) -> np.ndarray:
        """Give words."""
        self.given += 64 * count
        return np.full(count, (1 << 64) - 1 if self.bit else 0, dtype=np.uint64)

    def bits(self, count: int) -> int:
        """Give bits."""
        self.given += count
        return (1 << count) - 1 if self.bit else 0


def test_a_variate_next_to_zero_is_the_first_step_and_one_next_to_one_takes_as_many_digits_as_there_are(
    monkeypatch,
) -> None:
    stairs = Stairs(1, Fraction(1), Fraction(1, 2))
    least = Scripted(0)
    assert (stairs.draw(least), least.given) == (0, 64)
    monkeypatch.setattr(module, "MOST_BITS", 512)
    most = Scripted(1)
    with pytest.raises(UndecidedError, match="512 bits"):
        stairs.draw(most)
    assert most.given == 512


class Word(Scripted):
    """One word, and then bits that are all alike."""

    def __init__(self, word: int, bit: int) -> None:
        super().__init__(bit)
        self.word = word

    def words(self, count: int) -> np.ndarray:
        """Give the word."""
        assert count == 1
        return np.array([self.word], dtype=np.uint64)


def test_digits_decide_between_two_steps_next_to_an_edge() -> None:
    power, epsilon, width = CASES[1]
    with mpmath.workdps(80):
        terms = weights(power, epsilon, width)
        word = int(mpmath.floor(terms[0] / mpmath.fsum(terms) * 2**64))
    stairs = Stairs(power, epsilon, width)
    found = [stairs.draw(Word(near, bit)) for near, bit in ((word - 1, 1), (word, 0), (word, 1), (word + 1, 0))]
    assert found == [0, 0, 1, 1]


@pytest.mark.parametrize("width", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_the_step_of_a_norm_is_the_least_whole_number_that_reaches_it(width: Fraction) -> None:
    stairs = Stairs(3, Fraction(1), width)
    for numerator in range(45):
        norm = Fraction(numerator, 12)
        expected = next(k for k in range(10) if norm <= k + width)
        if (norm - width).denominator == 1:
            continue  # the edge of a step is certain only where a ball is exact
        assert stairs.step(arb(numerator) / 12) == expected
    if width in (0, 1):
        for whole in range(4):
            assert stairs.step(arb(whole)) == max(whole - int(width), 0), "an edge belongs to the step below"


@pytest.mark.parametrize("epsilon", [LEAST_EPSILON, Fraction(1), Fraction(2), Fraction(5), Fraction(12)])
@pytest.mark.parametrize("power", [1, 3, 6, 15])
def test_no_other_width_has_a_smaller_mean_square(power: int, epsilon: Fraction) -> None:
    best = best_stairs(power, epsilon)
    assert 0 < best.width <= 1
    assert (1 << 21) % best.width.denominator == 0
    others = [Fraction(k, 512) for k in range(1, 513)]
    others += [best.width + Fraction(k, 1 << 21) for k in range(-8, 9) if 0 < best.width + Fraction(k, 1 << 21) <= 1]
    assert all(Stairs(power, epsilon, width).mean_square >= best.mean_square for width in others)
    smooth = power * (power + 1) / epsilon**2
    assert best.mean_square <= smooth * (1 + Fraction(1, 2**100)), "K-norm noise is a mixture of these"
    worst = max(Stairs(power, epsilon, width).mean_square for width in others)
    assert worst > best.mean_square, "control: the width matters"


def test_below_the_least_epsilon_less_than_a_thousandth_is_gained() -> None:
    for power in (1, 3, 6, 10, 15, 21, 28, 36):
        smooth = power * (power + 1) / LEAST_EPSILON**2
        assert (
            smooth * Fraction(999, 1000)
            < best_stairs(power, LEAST_EPSILON).mean_square
            <= smooth * (1 + Fraction(1, 2**100))
        )


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3), Fraction(8)])
def test_the_best_width_of_one_number_is_that_of_geng_and_viswanath(epsilon: Fraction) -> None:
    """Their closed form for the least variance, with b = exp(-epsilon)."""
    b = float(np.exp(-float(epsilon)))
    root = (b - 2 * b**2 + 2 * b**4 - b**5) ** (1 / 3)
    expected = -b / (1 - b) + root / (2 ** (1 / 3) * (1 - b) ** 2)
    assert abs(float(best_stairs(1, epsilon).width) - expected) < 2.0**-20


@every_case
def test_floating_point_draws_the_same_law(power: int, epsilon: Fraction, width: Fraction) -> None:
    """4000 draws: the mean is within six of its standard deviations, of error probability below 1e-8 a case."""
    drawn = Stairs(power, epsilon, width).simulate(4000, np.random.default_rng(2))
    shares = np.array([float(weight) for weight in weights(power, epsilon, width)])
    shares /= shares.sum()
    steps = np.arange(len(shares))
    mean = (shares * steps).sum()
    deviation = np.sqrt((shares * steps**2).sum() - mean**2)
    assert abs(drawn.mean() - mean) <= 6 * deviation / np.sqrt(len(drawn)) + 0.01
    if deviation > 1:
        assert abs(drawn.mean() - (mean + deviation / 4)) > 6 * deviation / np.sqrt(len(drawn)), "control"
