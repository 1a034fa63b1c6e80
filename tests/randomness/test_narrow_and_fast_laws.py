"""Narrow laws step by step, and the bounds, the blocks and the sources of the fast ones."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError, OutOfRangeError
from dpmatrix.randomness import fast_discrete, fast_tiny
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.fast_rectangles import LARGEST
from dpmatrix.randomness.fast_tiny import tiny_gaussian, tiny_laplace


class Steps:
    """Gives scripted answers to the steps of a narrow law, and notes their parameters."""

    def __init__(self, monkeypatch, signs, nonzero, geometric, kept) -> None:
        self.source = SeededEntropy(7)
        self.scales: set[Fraction] = set()
        self.rates: list[Fraction] = []
        answers = {name: iter(found) for name, found in (("s", signs), ("n", nonzero), ("g", geometric), ("k", kept))}

        def sign(probability: Fraction, size: int, entropy: Entropy) -> np.ndarray:
            assert probability == Fraction(1, 2)
            assert entropy is self.source
            found = np.array(next(answers["s"]))
            assert found.shape == (size,)
            return found

        def is_nonzero(rate: Fraction, size: int, entropy: Entropy) -> np.ndarray:
            assert entropy is self.source
            self.scales.add(1 / Fraction(rate))
            found = np.array(next(answers["n"]))
            assert found.shape == (size,)
            return found

        def more(scale: Fraction, entropy: Entropy) -> int:
            assert entropy is self.source
            self.scales.add(scale)
            return next(answers["g"])

        def is_kept(rate: Fraction, entropy: Entropy) -> bool:
            assert entropy is self.source
            self.rates.append(rate)
            return next(answers["k"])

        monkeypatch.setattr(fast_tiny, "bernoulli", sign)
        monkeypatch.setattr(fast_tiny, "bernoulli_exp", is_nonzero)
        monkeypatch.setattr(fast_tiny, "discrete", SimpleNamespace(geometric=more, bernoulli_exp=is_kept))


@pytest.mark.parametrize("parameter", [Fraction(1, 5), Fraction(7, 3), Fraction(1, 10**9)])
@pytest.mark.parametrize(("draw", "power"), [(tiny_laplace, 1), (tiny_gaussian, 2)])
def test_the_steps_of_a_narrow_law_make_up_its_weight(monkeypatch, draw, power: int, parameter: Fraction) -> None:
    """Magnitude m comes with q**m, q = exp(-1 / scale), and is kept with exp(-rate): together the weight of the law."""
    steps = Steps(
        monkeypatch,
        # Of five, "minus zero" and the refused one are drawn again; then it is zero and "minus zero", then three.
        [[True, False, True, False, True], [False, True], [False]],
        [[False, False, True, True, True], [False, False], [True]],
        [0, 4, 2, 2],
        [True, True, False, True],
    )
    found = draw(parameter, 5, steps.source)
    assert found.dtype == np.int64
    assert found.tolist() == [0, 0, -1, 5, 3]
    (scale,) = steps.scales
    magnitudes = [1, 5, 3, 3]
    for magnitude, rate in zip(magnitudes, steps.rates, strict=True):
        assert magnitude / scale + rate == Fraction(magnitude**power) / (power * parameter)
        assert rate >= 0


@pytest.mark.parametrize("negative", [True, False])
def test_a_narrow_variate_has_the_largest_magnitude_and_no_more(monkeypatch, negative: bool) -> None:
    steps = Steps(monkeypatch, [[negative]], [[True]], [LARGEST - 1], [True])
    assert tiny_laplace(Fraction(2), 1, steps.source).tolist() == [-LARGEST if negative else LARGEST]
    steps = Steps(monkeypatch, [[negative]], [[True]], [LARGEST], [True])
    with pytest.raises(OutOfRangeError, match=str(LARGEST + 1)):
        tiny_laplace(Fraction(2), 1, steps.source)


def test_a_refused_variate_leaves_nothing_behind(monkeypatch) -> None:
    """Where a large one was refused, a zero that is drawn then is a zero."""
    steps = Steps(monkeypatch, [[False], [False]], [[True], [False]], [6], [False])
    assert tiny_gaussian(Fraction(2), 1, steps.source).tolist() == [0]


LAWS = {
    "geometric": (fast_discrete.geometric, 1),
    "laplace": (fast_discrete.discrete_laplace, 1),
    "gaussian": (fast_discrete.discrete_gaussian, 2),
}


@pytest.mark.parametrize("name", LAWS)
def test_scales_are_drawn_up_to_their_bounds_and_no_further(name: str) -> None:
    draw, power = LAWS[name]
    for scale in (Fraction(1, 1000), Fraction(2**40)):
        assert draw(scale**power, 3, SeededEntropy(1)).shape == (3,)
    beyond = (Fraction(10, 10_001), Fraction(1, 10**9), 2**40 + Fraction(1, 3), Fraction(3 * 2**39))
    for scale in beyond:
        with pytest.raises(InvalidParameterError, match="out of bounds"):
            draw(scale**power, 3, SeededEntropy(1))


@pytest.mark.parametrize("name", LAWS)
def test_fast_variates_are_made_of_the_source(name: str) -> None:
    draw, power = LAWS[name]
    first, again, other = (draw(Fraction(50) ** power, 200, SeededEntropy(seed)).tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert (min(first) < 0) is (name != "geometric")


@pytest.mark.parametrize("bits", [1, 3, 20])
@pytest.mark.parametrize("below", [0, Fraction(1, 1001), 1])
def test_blocks_are_as_long_as_the_fineness_of_the_law_allows(bits: int, below: Fraction) -> None:
    """An eighth of the scale, or a sixteenth of the deviation, rounded down to a power of two."""
    for make, share, power in ((exponential, 8, 1), (fast_discrete._gaussian_sampler.__wrapped__, 16, 2)):
        width = share * 2**bits - Fraction(below)
        sampler = make(width**power)
        assert sampler.layout.block_bits == (bits - 1 if below else bits)
        expected = (1 / width, 0) if power == 1 else (0, 1 / (2 * width**2))
        assert (sampler.weight.linear, sampler.weight.quadratic) == expected


def exponential(scale: Fraction) -> object:
    """Make a sampler on one side, and see that it is the one that was asked for."""
    both = fast_discrete._exponential_sampler.__wrapped__(scale, two_sided=True)
    one = fast_discrete._exponential_sampler.__wrapped__(scale, two_sided=False)
    assert both.weight.two_sided
    assert not one.weight.two_sided
    assert one.layout == both.layout
    return one


@pytest.mark.parametrize("longest", [0, 1, 2, 3, 4, 7, 8, 2**40 - 1, 2**40])
def test_a_block_is_the_longest_power_of_two(longest: int) -> None:
    bits = fast_discrete.block_bits(longest)
    assert bits >= 0
    assert bits == 0 or 2**bits <= longest
    assert longest < 2 ** (bits + 1)


@pytest.mark.parametrize("draw", [tiny_laplace, tiny_gaussian])
def test_a_narrow_draw_that_another_process_began_is_not_finished(monkeypatch, draw) -> None:
    monkeypatch.setattr(fast_tiny, "process_identity", lambda: (0, 99))
    with pytest.raises(EntropyError, match="forked"):
        draw(Fraction(1, 10**6), 3, SeededEntropy(1))
