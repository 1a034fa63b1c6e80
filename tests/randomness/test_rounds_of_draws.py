"""The exact samplers one attempt at a time: what an attempt draws, how often it succeeds, and how many there may be."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import pytest

from dpmatrix.errors import EntropyError
from dpmatrix.randomness import discrete
from dpmatrix.randomness.discrete import MOST_ROUNDS
from dpmatrix.randomness.entropy import SeededEntropy


class Told:
    """Gives the numbers that it was told, one for each call, and notes how many bits were asked for."""

    private = False
    description = "what was told"

    def __init__(self, *numbers: int) -> None:
        self.numbers, self.asked = list(numbers), []

    def bits(self, count: int) -> int:
        """Give the next number."""
        self.asked.append(count)
        return self.numbers.pop(0)


def counted(answer: object) -> Callable[..., object]:
    """Return a function that always gives the same answer, up to twice as often as a draw may ask."""
    calls = itertools.count()

    def give(*_: object) -> object:
        assert next(calls) < 2 * MOST_ROUNDS, "there is no end"
        return answer

    return give


@pytest.mark.parametrize("bound", [1, 2, 3, 4, 5, 8, 9, 1000, 2**64, 2**64 + 1])
def test_an_attempt_at_a_uniform_integer_succeeds_more_often_than_not(bound: int) -> None:
    """The words of an attempt are fewer than twice the bound, and each one below the bound is the answer."""
    told = Told(bound - 1)
    assert discrete.uniform_below(bound, told) == bound - 1
    (width,) = told.asked
    assert bound <= 2**width < 2 * bound


@pytest.mark.parametrize("over", [1, 2])
def test_a_uniform_integer_is_drawn_again_as_often_as_it_may_be(over: int) -> None:
    """Three is no integer below three: so many attempts may fail before one succeeds, and not one more."""
    told = Told(*[3] * (MOST_ROUNDS - 1), 2)
    assert discrete.uniform_below(3, told) == 2
    assert told.asked == [2] * MOST_ROUNDS
    told = Told(*[3] * (MOST_ROUNDS - 1 + over), 2)
    with pytest.raises(EntropyError, match=f"what was told gave no bits that end a draw in {MOST_ROUNDS} rounds"):
        discrete.uniform_below(3, told)
    assert told.asked == [2] * MOST_ROUNDS


@pytest.mark.parametrize(
    ("draw", "replaced", "answer"),
    [
        (lambda entropy: discrete.bernoulli_exp(Fraction(1, 2), entropy), "bernoulli", True),
        (lambda entropy: discrete.discrete_laplace(Fraction(3), entropy), "bernoulli_exp", False),
        (lambda entropy: discrete.discrete_laplace(Fraction(3), entropy), "bernoulli_exp", True),
        (lambda entropy: discrete.geometric(Fraction(3), entropy), "discrete_laplace", -1),
    ],
    ids=["exponential", "residue", "quotient", "geometric"],
)
def test_a_draw_whose_attempts_all_fail_is_an_error_of_the_source(monkeypatch, draw, replaced, answer) -> None:
    monkeypatch.setattr(discrete, replaced, counted(answer))
    with pytest.raises(EntropyError, match="seed 5 gave no bits that end a draw"):
        draw(SeededEntropy(5))


def test_a_gaussian_whose_candidates_are_all_refused_is_an_error_of_the_source(monkeypatch) -> None:
    monkeypatch.setattr(discrete, "discrete_laplace", counted(1))
    monkeypatch.setattr(discrete, "bernoulli_exp", counted(False))
    with pytest.raises(EntropyError, match="seed 5 gave no bits that end a draw"):
        discrete.discrete_gaussian(Fraction(3), SeededEntropy(5))


@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(2**80, 7), Fraction(10**6)])
def test_a_gaussian_is_made_of_candidates_of_the_scale_that_is_stated(monkeypatch, variance: Fraction) -> None:
    """The scale is one above the floor of the standard deviation, of which squares of integers tell."""
    asked: list[Fraction] = []
    monkeypatch.setattr(discrete, "discrete_laplace", lambda scale, _: asked.append(scale) or 0)
    discrete.discrete_gaussian(variance, SeededEntropy(1))
    (scale,) = set(asked)
    assert scale.denominator == 1
    assert (scale - 1) ** 2 <= variance < scale**2


@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(2**80, 7)])
@pytest.mark.parametrize("candidate", [0, 1, -1, 3, -7])
def test_a_candidate_is_kept_with_what_it_lacks_of_the_gaussian(monkeypatch, variance, candidate) -> None:
    """The two exponents add up to that of the Gaussian law, and a constant that is the same for every candidate."""
    scale = Fraction(isqrt(variance.numerator // variance.denominator) + 1)
    rates: list[Fraction] = []
    monkeypatch.setattr(discrete, "bernoulli_exp", lambda rate, _: rates.append(rate) or True)
    for value in (candidate, 0):
        monkeypatch.setattr(discrete, "discrete_laplace", lambda *_, value=value: value)
        assert discrete.discrete_gaussian(variance, SeededEntropy(1)) == value
    lacking, of_zero = rates
    assert lacking + abs(candidate) / scale == of_zero + Fraction(candidate**2) / (2 * variance)
    assert lacking >= 0


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7, 3), Fraction(2, 9)])
def test_geometric_variates_are_the_laplace_variates_that_are_not_negative(scale: Fraction) -> None:
    """Both read one stream of bits, of which the second skips what is negative."""
    laplace, geometric = SeededEntropy(8), SeededEntropy(8)
    every = [discrete.discrete_laplace(scale, laplace) for _ in range(400)]
    kept = [value for value in every if value >= 0]
    assert len(kept) < len(every)
    assert [discrete.geometric(scale, geometric) for _ in kept] == kept
    assert 0 in kept


@pytest.mark.parametrize("draw", [discrete.geometric, discrete.discrete_laplace, discrete.discrete_gaussian])
def test_every_bit_of_a_variate_is_of_the_source(draw) -> None:
    """One stream of bits gives one sequence of variates, and another stream another one."""

    def some(seed: int) -> list[int]:
        entropy = SeededEntropy(seed)
        return [draw(Fraction(9), entropy) for _ in range(60)]

    assert some(1) == some(1)
    assert some(1) != some(2)


@pytest.mark.parametrize("draw", [discrete.geometric, discrete.discrete_laplace, discrete.discrete_gaussian])
def test_each_step_of_a_draw_has_the_source(monkeypatch, draw) -> None:
    """No step has a source of its own, whose bits somebody else may know."""
    source, asked = SeededEntropy(3), []
    for name in ("uniform_below", "bernoulli", "bernoulli_exp", "_bernoulli_exp_unit", "discrete_laplace"):
        genuine = getattr(discrete, name)

        def step(number: object, entropy: object, name: str = name, genuine: Callable[..., object] = genuine) -> object:
            assert entropy is source
            asked.append(name)
            return genuine(number, entropy)

        monkeypatch.setattr(discrete, name, step)
    for _ in range(20):
        draw(Fraction(9, 2), source)
    assert {"uniform_below", "bernoulli", "bernoulli_exp", "_bernoulli_exp_unit"} <= set(asked)
