"""A draw whose source gives no bits that end it is an error, after a thousand attempts, and so is a draw of no law.

A source of constants, or one that repeats itself, would otherwise keep a release waiting for ever. Each source here
gives numbers with which an attempt fails, as often as it is told, and then others with which one succeeds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness.discrete import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    uniform_below,
)
from dpmatrix.randomness.entropy import SeededEntropy

MOST = 1000
"""So many attempts a source has to end a draw."""


class Cycle:
    """A source that gives numbers again and again, where it is asked for bits at all, and then others."""

    private, description = False, "a cycle"

    def __init__(self, numbers: list[int], times: int, then: list[int]) -> None:
        self.numbers = itertools.chain(itertools.chain.from_iterable(itertools.repeat(numbers, times)), then)

    def bits(self, count: int) -> int:
        """Give the next number; that of no bits is zero."""
        return next(self.numbers) if count else 0


ENDLESS: dict[str, tuple[Callable[[Any], Any], list[int], list[int], Any]] = {
    "uniform": (lambda source: uniform_below(3, source), [3], [2], 2),
    "exponential": (lambda source: bernoulli_exp(Fraction(1, 2), source), [0], [1] * 5, False),
    "minus-zero": (lambda source: discrete_laplace(Fraction(1), source), [1, 1], [1, 0], 0),
    "refused-residue": (lambda source: discrete_laplace(Fraction(2), source), [1, 0, 3], [0, 1, 0], 0),
    "quotient": (lambda source: discrete_laplace(Fraction(1), source), [0, 1], [1, 0], 999),
    "geometric": (lambda source: geometric(Fraction(1), source), [0, 1, 1, 1], [1, 0], 0),
    "gaussian": (lambda source: discrete_gaussian(Fraction(1), source), [0, 1, 0, 0, 15], [0, 1, 0, 1], 0),
}
"""A draw, numbers with which an attempt fails or goes on, those with which it ends, and the value then."""


ATTEMPTS = ["uniform", "minus-zero", "refused-residue", "geometric", "gaussian"]


@pytest.mark.parametrize("name", ATTEMPTS)
def test_the_last_of_a_thousand_attempts_may_end_a_draw(name: str) -> None:
    draw, failing, ending, value = ENDLESS[name]
    assert draw(Cycle(failing, MOST - 1, ending)) == value


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_thousand_attempts_that_fail_are_an_error(name: str) -> None:
    """The error names the source whose bits did not end the draw."""
    draw, failing, ending, _ = ENDLESS[name]
    with pytest.raises(EntropyError, match="a cycle gave no bits that end a draw in 1000 rounds"):
        draw(Cycle(failing, MOST, ending))


def test_a_quotient_is_counted_to_a_thousand_and_no_further() -> None:
    draw, failing, ending, _ = ENDLESS["quotient"]
    assert draw(Cycle(failing, MOST, ending)) == MOST
    with pytest.raises(EntropyError, match="a cycle gave no bits that end a draw in 1000 rounds"):
        draw(Cycle(failing, MOST + 1, ending))


def test_the_trials_of_an_exponential_are_counted_to_a_thousand_and_no_further() -> None:
    """The thousandth one fails, which makes the whole one fail, or it succeeds."""
    draw, failing, _, _ = ENDLESS["exponential"]
    assert draw(Cycle(failing, MOST - 1, [2**10])) is False
    with pytest.raises(EntropyError, match="a cycle gave no bits that end a draw in 1000 rounds"):
        draw(Cycle(failing, MOST, [2**10]))


@pytest.mark.parametrize(("bound", "given"), [(3, 4), (4, 4), (1, 1), (5, 8), (5, -1)])
def test_a_source_of_more_bits_than_it_was_asked_for_is_refused(bound: int, given: int) -> None:
    class Wrong(Cycle):
        def bits(self, count: int) -> int:  # noqa: ARG002
            return given

    with pytest.raises(EntropyError, match="a cycle gave more than"):
        uniform_below(bound, Wrong([], 0, []))


@pytest.mark.parametrize(
    ("draw", "parameter"),
    [
        (lambda source: uniform_below(0, source), "bound"),
        (lambda source: uniform_below(-1, source), "bound"),
        (lambda source: bernoulli(Fraction(-1, 9), source), "probability"),
        (lambda source: bernoulli(Fraction(10, 9), source), "probability"),
        (lambda source: bernoulli_exp(Fraction(-1, 9), source), "rate"),
        (lambda source: discrete_laplace(Fraction(0), source), "scale"),
        (lambda source: discrete_laplace(Fraction(-1, 9), source), "scale"),
        (lambda source: geometric(Fraction(0), source), "scale"),
        (lambda source: discrete_gaussian(Fraction(0), source), "variance"),
        (lambda source: discrete_gaussian(Fraction(-1, 9), source), "variance"),
    ],
)
def test_what_is_no_law_is_not_drawn(draw: Callable[[Any], object], parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        draw(SeededEntropy(1))
    assert caught.value.parameter == parameter
