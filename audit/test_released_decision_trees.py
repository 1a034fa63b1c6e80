"""Exact draws of integers are what all fair bits together make of them, to the last rational number.

A source replays every string of bits that a draw may read, so that the probability of each value is a sum of powers of
a half and a remainder that is not yet decided; the law must lie between the two. Then bits of a seed are read once more
as the algorithms are printed, and each draw must be the same to the last bit. Nothing is statistical.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpmatrix.randomness.discrete import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    uniform_below,
)
from dpmatrix.randomness.entropy import SeededEntropy


class MoreBitsError(Exception):
    """A draw reads more bits than there are."""


class Script:
    """A source of a known string of bits."""

    private, description = False, "a script"

    def __init__(self, word: int, length: int) -> None:
        self.word, self.left, self.missing = word, length, 0

    def bits(self, count: int) -> int:
        """Give the next bits, or say how many are missing."""
        if count > self.left:
            self.missing = count - self.left
            raise MoreBitsError
        self.left -= count
        return self.word >> self.left & (1 << count) - 1


def masses(draw: Callable[[Any], Hashable], slack: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """Return what bit strings decide, the shortest first, and how much is left open, until that is little enough."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    waiting, beyond, strings = [(0, 0)], Fraction(1), 0
    while beyond > slack:
        length, word = heapq.heappop(waiting)
        script, strings = Script(word, length), strings + 1
        assert strings < 20_000, "the draw reads too many bits"
        try:
            value = draw(script)
        except MoreBitsError:
            for more in range(1 << script.missing):
                heapq.heappush(waiting, (length + script.missing, word << script.missing | more))
        else:
            assert script.left == 0, "every bit was read"
            found[value] += Fraction(1, 1 << length)
            beyond -= Fraction(1, 1 << length)
    assert sum(found.values()) + beyond == 1
    return found, beyond


def lies(probability: Any, mass: Fraction, beyond: Fraction) -> bool:
    """Return whether a number of many digits lies between two rationals."""
    tiny = mpmath.mpf(2) ** -150
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (mass, mass + beyond))
    return bool(low - tiny <= probability <= high + tiny)


def law(exponent: Callable[[int], Fraction], least: int, value: int) -> Any:
    """Return the probability of an integer whose weights are exponentials of rationals."""
    weights = (mpmath.exp(-mpmath.mpf(exponent(k).numerator) / exponent(k).denominator) for k in range(least, 400))
    here = exponent(value)
    return mpmath.exp(-mpmath.mpf(here.numerator) / here.denominator) / mpmath.fsum(weights)


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workprec(200):
        yield


# All strings of bits


@pytest.mark.parametrize("bound", [*range(1, 13), 16, 17, 31])
def test_every_integer_below_a_bound_has_the_same_share(bound: int) -> None:
    """Of two attempts, each of which has no more bits than the bound needs."""
    width = next(bits for bits in range(6) if 2**bits >= bound)
    left = 1 - Fraction(bound, 2**width)
    found, beyond = masses(lambda source: uniform_below(bound, source), left**2)
    assert beyond == left**2
    assert found == dict.fromkeys(range(bound), (1 - beyond) / bound)


@pytest.mark.parametrize("probability", [Fraction(k, 7) for k in range(8)] + [Fraction(3, 8), Fraction(1, 2)])
def test_a_coin_falls_as_often_as_it_should(probability: Fraction) -> None:
    """Of three attempts, each of which has at most three bits."""
    left = Fraction(1, 8) if probability.denominator == 7 else Fraction(0)
    found, beyond = masses(lambda source: bernoulli(probability, source), left**3)
    assert beyond == left**3
    assert found.get(True, 0) == probability * (1 - beyond)
    assert found.get(False, 0) == (1 - probability) * (1 - beyond)


@pytest.mark.parametrize(
    "rate", [Fraction(k, 4) for k in range(8)] + [Fraction(1, 3), Fraction(7, 3), Fraction(1, 100), Fraction(3)]
)
def test_a_coin_of_an_exponential_falls_as_often_as_it_should(rate: Fraction) -> None:
    found, beyond = masses(
        lambda source: bernoulli_exp(rate, source), Fraction(1, 4) if rate < Fraction(1, 4) else Fraction(1, 12)
    )
    assert lies(mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator), found.get(True, Fraction(0)), beyond)


@pytest.mark.parametrize(
    ("draw", "scale", "slack"),
    [
        (discrete_laplace, Fraction(1), Fraction(1, 4)),
        (discrete_laplace, Fraction(2), Fraction(1, 3)),
        (discrete_laplace, Fraction(1, 2), Fraction(1, 3)),
        (discrete_laplace, Fraction(2, 3), Fraction(1, 2)),
        (geometric, Fraction(1), Fraction(1, 3)),
        (geometric, Fraction(1, 2), Fraction(1, 3)),
    ],
)
def test_an_exponential_law_on_integers_is_made_of_its_bits(
    draw: Callable[..., int], scale: Fraction, slack: Fraction
) -> None:
    """Of two values of one magnitude, neither is likelier than the other."""
    least = 0 if draw is geometric else -399
    found, beyond = masses(lambda source: draw(scale, source), slack)
    assert len(found) > 1
    for value, mass in found.items():
        assert lies(law(lambda k: abs(k) / scale, least, value), mass, beyond)
        assert least == 0 or abs(found[-value] - mass) <= beyond


def test_a_gaussian_law_on_integers_is_made_of_its_bits() -> None:
    found, beyond = masses(lambda source: discrete_gaussian(Fraction(1, 2), source), Fraction(1, 2))
    assert len(found) > 2
    for value, mass in found.items():
        assert lies(law(lambda k: Fraction(k * k), -399, value), mass, beyond)


def test_control_another_law_does_not_lie_between_what_is_decided_and_what_is_open() -> None:
    found, beyond = masses(lambda source: bernoulli_exp(Fraction(1, 2), source), Fraction(1, 50))
    assert not lies(mpmath.exp(-mpmath.mpf(9) / 16), found[True], beyond)
    found, beyond = masses(lambda source: discrete_laplace(Fraction(1), source), Fraction(1, 4))
    assert not lies(law(lambda k: abs(k) / Fraction(1, 4), -399, 0), found[0], beyond)


# The same bits, read as the algorithms are printed


def below(bound: int, source: Any) -> int:
    """Return the first word of just enough bits that is below a bound."""
    bits = math.ceil(math.log2(bound)) if bound < 2**20 else (bound - 1).bit_length()
    return next(word for word in iter(lambda: source.bits(bits), None) if word < bound)


def coin(rate: Fraction, source: Any) -> bool:
    """Return whether the first failure of Bernoulli(rate / k) is at an odd k, for each unit of the rate in turn."""
    units = [Fraction(1)] * math.floor(rate) + [rate - math.floor(rate)]
    for unit in units:
        chances = (unit / k for k in itertools.count(1))
        failure = next(
            k for k, chance in enumerate(chances, 1) if below(chance.denominator, source) >= chance.numerator
        )
        if failure % 2 == 0:
            return False
    return True


def laplace(scale: Fraction, source: Any) -> int:
    """Return the quotient of a geometric variate of scale t by s, with a sign, where the scale is t / s."""
    while True:
        residue = below(scale.numerator, source)
        if not coin(Fraction(residue, scale.numerator), source):
            continue
        whole = next(count for count in itertools.count() if not coin(Fraction(1), source))
        value, sign = (residue + whole * scale.numerator) // scale.denominator, 1 - 2 * source.bits(1)
        if value or sign > 0:
            return sign * value


def one_sided(scale: Fraction, source: Any) -> int:
    """Return the first two-sided variate that is not negative."""
    return next(value for value in iter(lambda: laplace(scale, source), None) if value >= 0)


def gaussian(variance: Fraction, source: Any) -> int:
    """Return the first two-sided variate that a coin keeps; the scale is the least integer above the deviation."""
    scale = Fraction(next(t for t in itertools.count(1) if t * t > variance))
    while True:
        value = laplace(scale, source)
        rate = Fraction(value**2) / (2 * variance) - abs(value) / scale + variance / (2 * scale**2)
        if coin(rate, source):
            return value


READINGS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "uniform": (lambda x, source: uniform_below(x.numerator, source), lambda x, source: below(x.numerator, source)),
    "coin": (
        lambda x, source: bernoulli(x / (1 + x), source),
        lambda x, source: below((x / (1 + x)).denominator, source) < (x / (1 + x)).numerator,
    ),
    "exponential": (bernoulli_exp, coin),
    "laplace": (discrete_laplace, laplace),
    "geometric": (geometric, one_sided),
    "gaussian": (discrete_gaussian, gaussian),
}


@pytest.mark.parametrize(
    "parameter",
    [
        Fraction(1),
        Fraction(4),
        Fraction(8),
        Fraction(7, 3),
        Fraction(2, 9),
        Fraction(1, 3),
        Fraction(999),
        Fraction(5, 4),
    ],
)
@pytest.mark.parametrize("name", READINGS)
def test_a_draw_reads_its_bits_as_its_algorithm_is_printed(name: str, parameter: Fraction) -> None:
    """Value by value, and both have read equally many bits."""
    draw, reading = READINGS[name]
    first, second = SeededEntropy(7), SeededEntropy(7)
    for _ in range(60):
        assert draw(parameter, first) == reading(parameter, second)
    assert first.bits(64) == second.bits(64)
