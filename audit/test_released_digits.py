"""Whether a uniform real lies below a threshold is decided as for the ideal real, and so are laws made of such answers.

A decision that the first digits do not allow, or one digit that is used twice, would make noise of another law. What
is decided is held against integers of 400 digits that mpmath computes. The items on laws draw from fixed seeds, so that
no luck is left; each frequency is within seven of its standard deviations, beyond which a normal one is with
probability below 1e-11.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.errors import UndecidedError
from dpmatrix.randomness import fast_bernoulli
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_bernoulli import below_threshold, bernoulli, bernoulli_exp, decide_lanes
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace, geometric
from dpmatrix.randomness.fast_threshold import Threshold, is_below
from dpmatrix.randomness.fast_tiny import tiny_gaussian, tiny_laplace

DIGITS = 1200
"""Binary digits to which a threshold is known here."""

THRESHOLDS = {
    "nothing": Threshold(Fraction(0)),
    "all": Threshold(Fraction(1)),
    "a-half": Threshold(Fraction(1, 2)),
    "a-third": Threshold(Fraction(1, 3)),
    "a-lane": Threshold(Fraction(1, 2**16)),
    "nearly-nothing": Threshold(Fraction(1, 3 * 2**70)),
    "nearly-all": Threshold(1 - Fraction(1, 3 * 2**70)),
    "a-root": Threshold(Fraction(1), Fraction(1, 2)),
    "an-exponential": Threshold(Fraction(2, 7), Fraction(9, 4)),
    "a-small-exponent": Threshold(Fraction(1), Fraction(1, 10**30)),
    "a-large-exponent": Threshold(Fraction(1), Fraction(60)),
    "of-a-tail": Threshold(Fraction(1, 11), Fraction(1, 3), Fraction(1, 9)),
    "of-a-flat-tail": Threshold(Fraction(1, 20), Fraction(0), Fraction(1, 9)),
    "of-a-slow-tail": Threshold(Fraction(1, 10**12), Fraction(1, 3), Fraction(1, 10**9)),
}


def exactly(threshold: Threshold) -> int:
    """Return a threshold in units of 2**-DIGITS, rounded down."""
    with mpmath.workprec(2 * DIGITS):
        parts = (threshold.factor, threshold.exponent, threshold.decay or Fraction(0))
        factor, exponent, decay = (mpmath.mpf(part.numerator) / part.denominator for part in parts)
        value = factor * mpmath.exp(-exponent)
        if decay:
            value /= 1 - mpmath.exp(-decay)
        return int(mpmath.floor(value * 2**DIGITS))


class Digits:
    """A source that gives the digits of one real after the other, and remembers how many it gave."""

    private, description = False, "digits"

    def __init__(self, real: int, used: int, digits: int = DIGITS) -> None:
        self.real, self.used, self.digits = real, used, digits

    def bits(self, count: int) -> int:
        """Give the next digits of the real, which has so many."""
        self.used += count
        assert self.used <= self.digits
        return (self.real >> (self.digits - self.used)) & ((1 << count) - 1)

    def words(self, count: int) -> Any:
        """Give none."""
        raise NotImplementedError(count)


class Zeros(Digits):
    """Zeros without end."""

    def bits(self, count: int) -> int:  # noqa: ARG002
        """Give some."""
        return 0


class Ones(Digits):
    """Ones without end."""

    def bits(self, count: int) -> int:
        """Give some."""
        return (1 << count) - 1


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_bracket_holds_its_threshold_and_little_more(name: str) -> None:
    threshold = THRESHOLDS[name]
    value = exactly(threshold)
    for bits in (1, 8, 16, 53, 64, 128, 1000):
        low, high = threshold.bracket(bits)
        scale = 1 << (DIGITS - bits)
        # The threshold lies between value and value + 1, or is value where it is a dyadic rational.
        assert 0 <= low * scale <= value
        assert high * scale >= value
        assert high - low <= 2


@pytest.mark.parametrize("name", THRESHOLDS)
@pytest.mark.parametrize("bits", [1, 8, 16, 37, 64])
def test_a_real_is_below_a_threshold_or_not(name: str, bits: int) -> None:
    """It is as near to it as 2**-2 to 2**-1000 on either side; its first digits are known, and the others come."""
    threshold = THRESHOLDS[name]
    value = exactly(threshold)
    for near in (2, 7, 8, 17, 60, 64, 65, 70, 100, 127, 128, 129, 200, 500, 1000):
        for real, below in ((value - (1 << (DIGITS - near)), True), (value + (1 << (DIGITS - near)), False)):
            if not 0 <= real < 1 << DIGITS:
                continue
            source = Digits(real, bits)
            known = real >> (DIGITS - bits)
            assert is_below(threshold, known, bits, source) is below
            assert source.used <= max(bits, near + 67 + 64)


def test_a_real_that_is_not_told_from_a_threshold_is_an_error() -> None:
    """It is the threshold itself, of which no digits decide."""
    with mpmath.workprec(20_000):
        whole = int(mpmath.floor(mpmath.exp(-1) * 2**17_000))
    with pytest.raises(UndecidedError):
        is_below(Threshold(Fraction(1), Fraction(1)), whole >> (17_000 - 64), 64, Digits(whole, 64, 17_000))


@pytest.mark.parametrize("name", THRESHOLDS)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_every_lane_is_decided_as_its_real_is(name: str, bits: int) -> None:
    """The first, the last and those around, followed by zeros or by ones: the two reals at the ends of their cells."""
    threshold, most = THRESHOLDS[name], (1 << bits) - 1
    value = exactly(threshold)
    middle = value >> (DIGITS - bits)
    chosen = {0, 1, most - 1, most, *(min(max(middle + step, 0), most) for step in range(-20, 20))}
    lanes: np.ndarray = np.array(sorted(chosen), dtype=f"u{bits // 8}")
    dyadic = threshold.exponent == 0 and threshold.decay is None and threshold.factor * 2**bits % 1 == 0
    scale = 1 << (DIGITS - bits)
    zeros = [int(lane) * scale < value + (not dyadic) for lane in lanes]
    ones = [(int(lane) + 1) * scale <= value for lane in lanes]
    assert decide_lanes(lanes, threshold, Zeros(0, 0)).tolist() == zeros
    assert decide_lanes(lanes, threshold, Ones(0, 0)).tolist() == ones
    assert sum(zeros) - sum(ones) <= 1


class Counted(SeededEntropy):
    """Bits of a seed, of which it is known who got them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.given: list[Any] = []

    def words(self, count: int) -> Any:
        """Give words."""
        self.given.append(super().words(count))
        return self.given[-1].copy()


@pytest.mark.parametrize("lane_bits", [8, 16, 32, 64])
def test_every_entry_of_an_array_has_a_lane_of_its_own(monkeypatch: pytest.MonkeyPatch, lane_bits: int) -> None:
    """In chunks of eight words and a rest; three eighths is a threshold that the first digits tell."""
    monkeypatch.setattr(fast_bernoulli, "CHUNK", 8)
    for size in (0, 1, 7, 64, 65, 200, 515):
        source = Counted(size)
        found = below_threshold(Threshold(Fraction(3, 8)), size, source, lane_bits)
        lanes = [lane for words in source.given for lane in words.view(f"u{lane_bits // 8}").tolist()]
        assert found.tolist() == [8 * lane < 3 << lane_bits for lane in lanes[:size]]
        assert sum(map(len, source.given)) == -(-size * lane_bits // 64), "no word is drawn for nothing"
    assert bernoulli(Fraction(1, 2), (3, 5), SeededEntropy(1)).shape == (3, 5)
    assert bernoulli(1, 99, SeededEntropy(1)).all()
    assert not bernoulli(0, 99, SeededEntropy(1)).any()
    assert bernoulli_exp(0, 99, SeededEntropy(1)).all()


# Laws


def sevenfold(found: np.ndarray, weight: Callable[[int], float], least: int) -> None:
    """Compare frequencies with a law of integers from the least one on."""
    weights = {value: weight(value) for value in range(least, 2000)}
    total, left = sum(weights.values()), 1.0
    count = len(found)
    seen = 0
    for value, weighed in weights.items():
        share = weighed / total
        if count * share < 40:
            continue
        left -= share
        here = int((found == value).sum())
        seen += here
        assert abs(here - count * share) < 7 * math.sqrt(count * share * (1 - share))
    assert abs(count - seen - count * left) < 7 * math.sqrt(count * left) + 7


COUNT, FEW = 8000, 1500
LAWS: dict[str, tuple[Callable[[Any], Any], Callable[[int], float], int]] = {
    "tiny-laplace": (lambda e: tiny_laplace(Fraction(4, 5), FEW, e), lambda k: math.exp(-abs(k) / 0.8), -2000),
    "tinier-laplace": (lambda e: tiny_laplace(Fraction(1, 5), FEW, e), lambda k: math.exp(-abs(k) / 0.2), -2000),
    "tiny-gaussian": (lambda e: tiny_gaussian(Fraction(3, 5), FEW, e), lambda k: math.exp(-(k**2) / 1.2), -2000),
    "tinier-gaussian": (lambda e: tiny_gaussian(Fraction(1, 5), FEW, e), lambda k: math.exp(-(k**2) / 0.4), -2000),
    "geometric": (lambda e: geometric(Fraction(9, 4), COUNT, e), lambda k: math.exp(-k / 2.25), 0),
    "laplace": (lambda e: discrete_laplace(Fraction(9, 4), COUNT, e), lambda k: math.exp(-abs(k) / 2.25), -2000),
    "wider-laplace": (lambda e: discrete_laplace(Fraction(40), COUNT, e), lambda k: math.exp(-abs(k) / 40), -2000),
    "gaussian": (lambda e: discrete_gaussian(Fraction(9, 4), COUNT, e), lambda k: math.exp(-(k**2) / 4.5), -2000),
    "wider-gaussian": (lambda e: discrete_gaussian(Fraction(900), COUNT, e), lambda k: math.exp(-(k**2) / 1800), -2000),
    "root": (lambda e: bernoulli_exp(Fraction(1, 2), COUNT, e), lambda k: (math.exp(0.5) - 1, 1, 0)[min(k, 2)], 0),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_what_it_is_called(name: str) -> None:
    draw, weight, least = LAWS[name]
    sevenfold(np.asarray(draw(SeededEntropy(6))).astype(int), weight, least)
