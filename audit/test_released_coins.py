"""Laws of tiny scales follow from their coins, and no draw that was begun in another process is finished.

Each coin of a draw is turned either way and its probability kept, so that the probability of a variate is known to the
last digits of a float. Nothing is statistical.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError, OutOfRangeError
from dpmatrix.randomness import discrete, fast_rectangles, fast_tiny
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_arguments import array_shape, exact_rational
from dpmatrix.randomness.fast_bernoulli import bernoulli, bernoulli_exp
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace, geometric
from dpmatrix.randomness.fast_tiny import tiny_gaussian, tiny_laplace
from dpmatrix.randomness.integer_noise import gaussian_integers, laplace_integers


class RefusedError(Exception):
    """A proposal was refused: another one would follow."""


class Coins:
    """Coins that fall as they are told; what they ask of the source is asked of the right one."""

    def __init__(self, source: object, negative: bool, large: bool, excess: int, kept: bool) -> None:
        self.source, self.falls, self.excess, self.kept = source, [negative, large], excess, kept
        self.weight, self.rounds = 1.0, 0

    def _fallen(self, probability: float, falls: bool) -> bool:
        self.weight *= probability if falls else 1 - probability
        return falls

    def sign(self, probability: Fraction, count: int, source: object) -> np.ndarray:
        """Fall for the sign: the first coin of a round."""
        assert (count, source) == (1, self.source)
        self.rounds += 1
        if self.rounds > 1:
            raise RefusedError
        return np.array([self._fallen(float(probability), self.falls[0])])

    def size(self, rate: Fraction, count: int, source: object) -> np.ndarray:
        """Fall for whether the magnitude is above zero."""
        assert (count, source) == (1, self.source)
        return np.array([self._fallen(math.exp(-rate), self.falls[1])])

    def more(self, scale: Fraction, source: object) -> int:
        """Fall for how much the magnitude is above one."""
        assert source is self.source
        ratio = math.exp(-1 / scale)
        self.weight *= (1 - ratio) * ratio**self.excess
        return self.excess

    def keep(self, rate: Fraction, source: object) -> bool:
        """Fall for whether the magnitude is kept."""
        assert source is self.source
        return self._fallen(math.exp(-rate), self.kept)


@pytest.mark.parametrize(
    "parameter", [Fraction(1, 2000), Fraction(3, 10), Fraction(7, 3)], ids=["tiny", "small", "one"]
)
@pytest.mark.parametrize(
    ("draw", "exponent"),
    [(tiny_laplace, lambda k: abs(k)), (tiny_gaussian, lambda k: k * k / 2)],
    ids=["laplace", "gaussian"],
)
def test_a_tiny_law_is_that_of_its_coins(
    monkeypatch: pytest.MonkeyPatch, parameter: Fraction, draw: Callable[..., Any], exponent: Callable[[int], float]
) -> None:
    found: dict[int, float] = {}
    for negative, large, excess, kept in itertools.product((False, True), (False, True), range(4), (False, True)):
        if not large and (excess or kept):
            continue  # there is no other coin
        source = SeededEntropy(1)
        coins = Coins(source, negative, large, excess, kept)
        monkeypatch.setattr(fast_tiny, "bernoulli", coins.sign)
        monkeypatch.setattr(fast_tiny, "bernoulli_exp", coins.size)
        monkeypatch.setattr(discrete, "geometric", coins.more)
        monkeypatch.setattr(discrete, "bernoulli_exp", coins.keep)
        try:
            values = draw(parameter, 1, source)
        except RefusedError:
            continue
        assert (values.dtype, values.shape) == (np.dtype(np.int64), (1,))
        found[int(values[0])] = found.get(int(values[0]), 0.0) + coins.weight
    assert sorted(found) == list(range(-4, 5))
    for value, weight in found.items():
        expected = found[0] * math.exp(-exponent(value) / parameter)
        assert weight == pytest.approx(expected, rel=1e-9, abs=0)


# Who may finish a draw, and of what


class Forking(SeededEntropy):
    """A source under which the process is forked, when it gives words or when it gives bits."""

    child: int | None = None
    late = False

    def words(self, count: int) -> Any:
        """Give words, maybe to two processes."""
        found = super().words(count)
        if self.child is None and not self.late:
            self.child = os.fork()
        return found

    def bits(self, count: int) -> int:
        """Give bits, maybe to two processes."""
        found = super().bits(count)
        if self.child is None and self.late:
            self.child = os.fork()
        return found


@pytest.mark.parametrize(
    "draw",
    [
        lambda source: bernoulli(Fraction(1, 3), 5, source),
        lambda source: bernoulli_exp(Fraction(1, 3), 5, source),
        lambda source: tiny_laplace(Fraction(1, 2000), 5, source),
        lambda source: tiny_gaussian(Fraction(1, 10**7), 5, source),
        lambda source: geometric(Fraction(3), 5, source),
        lambda source: laplace_integers(Fraction(3), 5, source),
        lambda source: laplace_integers(Fraction(2**50), 5, source),
        lambda source: gaussian_integers(Fraction(3), 5, source),
        lambda source: gaussian_integers(Fraction(2**100), 5, source),
    ],
    ids=["rational", "root", "tiny-laplace", "tiny-gaussian", "geometric", "laplace", "wide", "gaussian", "wider"],
)
def test_a_child_does_not_finish_the_draw_of_its_parent(draw: Callable[[Any], object]) -> None:
    refused_in_a_child(draw, Forking(1))


@pytest.mark.parametrize("draw", [tiny_laplace, tiny_gaussian], ids=["laplace", "gaussian"])
def test_a_child_does_not_finish_what_one_bit_of_its_parent_began(draw: Callable[..., Any]) -> None:
    source = Forking(1)
    source.late = True
    refused_in_a_child(lambda source: draw(Fraction(1), 50, source), source)


def refused_in_a_child(draw: Callable[[Any], object], source: Forking) -> None:
    """Draw, and make sure that the child which is forked meanwhile has an error."""
    try:
        draw(source)
    except EntropyError:
        if source.child == 0:
            os._exit(7)
        raise
    finally:
        if source.child == 0:
            os._exit(1)
    assert source.child
    assert os.waitstatus_to_exitcode(os.waitpid(source.child, 0)[1]) == 7


def test_a_variate_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, draw in ((fast_tiny, tiny_laplace), (fast_tiny, tiny_gaussian)):
        monkeypatch.setattr(module, "LARGEST", 2)
        with pytest.raises(OutOfRangeError):
            draw(Fraction(5), 200, SeededEntropy(1))
    assert fast_rectangles.LARGEST == 2**63 - 1


def test_parameters_are_rationals_and_shapes_are_integers() -> None:
    for value in (0.1, Fraction(1, 7), 3, 2**80, np.float64(0.3)):
        assert exact_rational(value, "scale") == Fraction(value)
    for wrong in ("1", 1j, float("inf"), float("nan"), None, mpmath.mpf(1)):
        with pytest.raises(InvalidParameterError):
            exact_rational(wrong, "scale")  # type: ignore[arg-type]
    assert [array_shape(shape) for shape in (3, (2, 0), ())] == [(3,), (2, 0), ()]
    for shape in (-1, (2, -1), 1.5, "2", (2, None)):
        with pytest.raises(InvalidParameterError):
            array_shape(shape)  # type: ignore[arg-type]
    for bad in (Fraction(-1, 10**9), 1 + Fraction(1, 10**9), "1"):
        with pytest.raises(InvalidParameterError):
            bernoulli(bad, 3, SeededEntropy(1))  # type: ignore[arg-type]
    for draw in (geometric, discrete_laplace, discrete_gaussian):
        for scale in (0, -1, Fraction(1, 10**7), 2**81):
            with pytest.raises(InvalidParameterError):
                draw(scale, 3, SeededEntropy(1))
    with pytest.raises(InvalidParameterError):
        bernoulli_exp(Fraction(-1, 10**9), 3, SeededEntropy(1))
