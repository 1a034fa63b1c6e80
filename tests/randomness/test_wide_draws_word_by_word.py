"""Wide laws read word by word: slow and exact decisions about the same words give the same integers."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.errors import EntropyError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_wide
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.fast_rectangles import CHUNK, RectangleSampler
from dpmatrix.randomness.fast_tables import Weight
from dpmatrix.randomness.fast_wide import (
    WideSampler,
    gaussian_sampler,
    laplace_sampler,
    wide_gaussian,
    wide_laplace,
)

LANE = 16
SIGN = 47


def reading(sampler: WideSampler, count: int, entropy: Entropy) -> list[int]:
    """Draw as the module says it, one proposal at a time and with balls alone, from the same words and digits."""
    width = 1 << sampler.residue_bits
    linear, quadratic = sampler.weight.linear, sampler.weight.quadratic
    one_sided = Weight(linear * width, quadratic * width**2, two_sided=False)
    quotients = RectangleSampler(one_sided, sampler.layout)

    def proposals(size: int) -> list[int | None]:
        found: list[int | None] = []
        asked = quotients.draw((size,), entropy).tolist()
        words = entropy.words(size).tolist()
        first = min(sampler.residue_bits, SIGN)
        residues = [word & (1 << first) - 1 for word in words]
        for start in range(first, sampler.residue_bits, 64):
            bits = min(64, sampler.residue_bits - start)
            more = entropy.words(size).tolist()
            residues = [(old << bits) + (word >> 64 - bits) for old, word in zip(residues, more, strict=True)]
        for quotient, word, residue in zip(asked, words, residues, strict=True):
            # The exponent of the residue's place less that of the quotient's, from the definition of the law.
            x = residue * (linear + quadratic * (2 * quotient * width + residue))
            negative = word >> SIGN & 1
            magnitude = quotient * width + residue
            kept = is_below(x, word >> 64 - LANE, LANE, entropy) and not (negative and magnitude == 0)
            found.append((-magnitude if negative else magnitude) if kept else None)
        return found

    def is_below(x: Fraction, known: int, bits: int, entropy: Entropy) -> bool:
        if x == 0:
            return True
        with precision(200):
            edge = (-arb(fmpq(x.numerator, x.denominator))).exp()
            while True:
                if arb(known + 1) / 2**bits <= edge:
                    return True
                if arb(known) / 2**bits >= edge:
                    return False
                # So many digits are asked for at a time.
                known, bits = known << 64 | entropy.bits(64), bits + 64

    drawn: list[int] = []
    for start in range(0, count, CHUNK):
        part = proposals(min(CHUNK, count - start))
        while None in part:
            places = [place for place, value in enumerate(part) if value is None]
            for place, value in zip(places, proposals(len(places)), strict=True):
                part[place] = value
        drawn += [value for value in part if value is not None]
    return drawn


CASES = {
    "Laplace 33/8": (laplace_sampler, Fraction(33, 8), 2),
    "Laplace 7/2, no residue": (laplace_sampler, Fraction(7, 2), 0),
    "Laplace 2**20": (laplace_sampler, Fraction(2**20), 3),
    "Laplace, one word and a part": (laplace_sampler, Fraction(2**75), 70),
    "Laplace, three words": (laplace_sampler, Fraction(2**180, 7), 48 + 64 + 40),
    "Gaussian 40": (gaussian_sampler, Fraction(40), 2),
    "Gaussian 2**30 / 7": (gaussian_sampler, Fraction(2**30, 7), 3),
    "Gaussian, a word and a part": (gaussian_sampler, Fraction(2**150), 70),
}


@pytest.mark.parametrize("name", CASES)
def test_slow_and_exact_decisions_about_the_same_words_give_the_same_integers(name: str) -> None:
    """Four of the laws are narrow: there the lane leaves many proposals to the exact decision."""
    make, parameter, bits = CASES[name]
    sampler = make.__wrapped__(parameter, bits)
    for seed, count in ((1, 500), (2, 1)):
        fast, slow = SeededEntropy(seed), SeededEntropy(seed)
        assert sampler.draw(count, fast).tolist() == reading(sampler, count, slow)
        # Both have read the same words and digits, and no more.
        assert fast.bits(64) == slow.bits(64)


def test_chunks_are_read_one_after_the_other() -> None:
    sampler = laplace_sampler(Fraction(2**41), 10)
    fast, slow = SeededEntropy(3), SeededEntropy(3)
    drawn = sampler.draw(CHUNK + 2, fast)
    assert drawn.shape == (CHUNK + 2,)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == reading(sampler, CHUNK + 2, slow)
    assert sampler.draw(0, fast).dtype == np.int64


def test_control_another_sampler_reads_the_same_words_otherwise() -> None:
    make, parameter, bits = CASES["Gaussian 40"]
    fast, slow = SeededEntropy(1), SeededEntropy(1)
    assert make(parameter, bits).draw(500, fast).tolist() != reading(make(parameter + 5, bits), 500, slow)


@pytest.mark.parametrize(("scale", "certain"), [(Fraction(2**22), True), (Fraction(2**22) - Fraction(1, 9), False)])
def test_a_laplace_law_is_certain_everywhere_or_nowhere(scale: Fraction, certain: bool) -> None:
    """With 2**6 residues the bound on x is 2**6 / scale, whatever the quotient is, and 2**-16 is allowed."""
    assert (Fraction(2**6) / scale <= Fraction(1, 2**16)) is certain
    sampler = laplace_sampler.__wrapped__(scale, 6)
    assert sampler.certain == 2**63 - 1 if certain else sampler.certain < 0


@pytest.mark.parametrize("quotients", [(0, 1), (1, 0), (1, 1), (0, 0)])
def test_each_quotient_is_asked_about_by_itself(monkeypatch, quotients: tuple[int, int]) -> None:
    """The last certain quotient and the next one, in one draw."""
    sampler = gaussian_sampler.__wrapped__(Fraction(2**80, 9), 6)
    given = np.array([sampler.certain + more for more in quotients])
    asked: list[int] = []

    class Given:
        def draw(self, shape: tuple[int, ...], _: Entropy) -> np.ndarray:
            assert shape == given.shape
            return given

    def is_below(threshold, lane: int, bits: int, entropy: Entropy) -> bool:
        asked.append(lane)
        assert bits == LANE
        assert entropy is source
        return True

    source = SeededEntropy(4)
    object.__setattr__(sampler, "quotients", Given())
    monkeypatch.setattr(fast_wide, "is_below", is_below)
    sampler._attempt(2, source)
    lanes = [word >> 64 - LANE for word in SeededEntropy(4).words(2).tolist()]
    assert 2**LANE - 1 not in lanes
    assert asked == [lane for lane, more in zip(lanes, quotients, strict=True) if more]


@pytest.mark.parametrize("width", [Fraction(1), Fraction(2**30), Fraction(2**31) - 1, Fraction(2**90, 1001), 10**40])
@pytest.mark.parametrize(
    ("draw", "maker", "power"), [(wide_laplace, "laplace_sampler", 1), (wide_gaussian, "gaussian_sampler", 2)]
)
def test_quotients_have_the_scale_that_is_stated(monkeypatch, draw, maker: str, power: int, width) -> None:
    """From 2**30 up to 2**31, or that of the law where it is smaller; which law it is, does not change."""
    made, genuine = [], getattr(fast_wide, maker)
    monkeypatch.setattr(fast_wide, maker, lambda *given: made.append((given, genuine(*given))) or made[-1][1])
    drawn = draw(Fraction(width) ** power, 3, SeededEntropy(6))
    (((parameter, bits), sampler),) = made
    assert parameter == Fraction(width) ** power
    assert 2**30 <= width / 2**bits < 2**31 if bits else width < 2**31
    assert sampler.residue_bits == bits
    expected = (1 / parameter, 0) if power == 1 else (0, 1 / (2 * parameter))
    assert (sampler.weight.linear, sampler.weight.quadratic, sampler.weight.two_sided) == (*expected, True)
    # The words come from the source, and are those that the sampler asks for.
    assert drawn.tolist() == sampler.draw(3, SeededEntropy(6)).tolist()
    assert drawn.tolist() != sampler.draw(3, SeededEntropy(7)).tolist()


@pytest.mark.parametrize("bits", [0, 10, 80])
def test_blocks_of_quotients_are_as_long_as_the_tables_allow(bits: int) -> None:
    """An eighth of the scale, or a sixteenth of the deviation, rounded down to a power of two."""
    width = Fraction(2**31 * 1000 + 1, 1001) * 2**bits
    for sampler, share in (
        (laplace_sampler.__wrapped__(width, bits), 8),
        (gaussian_sampler.__wrapped__(width**2, bits), 16),
    ):
        longest = isqrt((width**2 / 4**bits).__floor__()) // share
        assert 2**sampler.layout.block_bits <= longest < 2 ** (sampler.layout.block_bits + 1)


def test_what_follows_from_the_law_is_not_given() -> None:
    sampler = laplace_sampler(Fraction(2**40), 8)
    for name in ("quotients", "certain"):
        with pytest.raises(TypeError, match=name):
            WideSampler(sampler.weight, sampler.layout, 8, **{name: getattr(sampler, name)})


@pytest.mark.parametrize("divisor", range(1, 13))
def test_a_gaussian_law_is_certain_up_to_the_last_quotient_that_its_bound_allows(divisor: int) -> None:
    sampler = gaussian_sampler.__wrapped__(Fraction(2**80, divisor), 6)
    bounds = [
        (2 * quotient + 1) * 64**2 * sampler.weight.quadratic for quotient in (sampler.certain, sampler.certain + 1)
    ]
    assert bounds[0] <= Fraction(1, 2**16) < bounds[1]


@pytest.mark.parametrize("more", [1, 2**64 - 1])
def test_a_lane_of_ones_is_asked_about_whatever_follows_in_its_word(monkeypatch, more: int) -> None:
    """The rest of the word is zero, and the residue is not: its lowest digits stand in the next word."""
    sampler = laplace_sampler.__wrapped__(Fraction(2**101), 70)
    words = iter([[(2**16 - 1) << 48], [more]])
    asked: list[int] = []
    monkeypatch.setattr(fast_wide, "take_words", lambda *_: np.array(next(words), np.uint64))
    monkeypatch.setattr(fast_wide, "is_below", lambda _, lane, *__: asked.append(lane) or False)
    sampler_of_zero = type("Zero", (), {"draw": lambda *_: np.zeros(1, np.int64)})()
    object.__setattr__(sampler, "quotients", sampler_of_zero)
    values, refused = sampler._attempt(1, SeededEntropy(1))
    assert values.tolist() == [more >> 64 - 23]
    assert asked == [2**16 - 1]
    assert refused.tolist() == [0]


@pytest.mark.parametrize("draw", [wide_laplace, wide_gaussian])
def test_a_draw_that_another_process_began_is_not_finished(monkeypatch, draw) -> None:
    monkeypatch.setattr(fast_wide, "process_identity", lambda: (0, 99))
    with pytest.raises(EntropyError, match="forked"):
        draw(Fraction(2**90), 2, SeededEntropy(1))
