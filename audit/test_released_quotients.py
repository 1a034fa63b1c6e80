"""Laws too wide for a word are cut into quotients and residues so that what is certain is certain.

A quotient is certain where no residue costs more than the digits that are drawn at once allow; one that is not, but is
taken for it, would keep what should be refused. Nothing is statistical.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from audit.released.wide import MAKERS, Wide
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_wide import WideSampler, gaussian_sampler, laplace_sampler, wide_gaussian, wide_laplace

MOST = 2**63 - 1


# Which quotients are certain


@pytest.mark.parametrize(
    ("scale", "bits"),
    [
        (Fraction(2**22), 6),
        (Fraction(2**40, 3), 6),
        (Fraction(2**40, 3), 13),
        (Fraction(2**30), 0),
        (Fraction(2**17, 5), 1),
        (Fraction(2**8), 0),
        (Fraction(13, 2), 1),
    ],
)
def test_a_quotient_is_certain_where_no_residue_costs_more_than_a_lane(scale: Fraction, bits: int) -> None:
    """The bound on what a residue costs, of the last certain quotient and the next; a Laplace law has none or all."""
    width = 2**bits
    made = gaussian_sampler(scale**2, bits)
    lane, quadratic = Fraction(1, 2**16), 1 / (2 * scale**2)
    bounds = [(2 * quotient + 1) * width**2 * quadratic for quotient in (made.certain, made.certain + 1)]
    assert bounds[0] <= lane < bounds[1]
    made = laplace_sampler(scale, bits)
    assert made.certain == MOST if width / scale <= lane else made.certain < 0


def test_a_quotient_beyond_64_bits_is_not_certain() -> None:
    """A law so wide that the bound allows it."""
    assert gaussian_sampler(Fraction(2**100), 1).certain == MOST


@pytest.mark.parametrize("scale", [Fraction(2**22), Fraction(2**22) - Fraction(1, 9), Fraction(2**22) + Fraction(1, 9)])
def test_a_laplace_law_is_certain_everywhere_or_nowhere(scale: Fraction) -> None:
    """With 2**6 residues the most that one costs is 2**6 / scale."""
    made = laplace_sampler(scale, 6)
    assert (made.certain == MOST) is (scale >= 2**22)
    assert (made.certain < 0) is (scale < 2**22)


@pytest.mark.parametrize("first", [0, 1, 11, 47])
def test_a_magnitude_is_what_it_is_however_large_its_quotient(first: int) -> None:
    """Up to the last one that fits 64 bits with its sign it is an integer of the machine."""
    made = laplace_sampler(Fraction(2 ** (first + 10)), first)
    for quotients in ([0, 1], [2 ** (63 - first) - 1, 3], [2 ** (63 - first), 3], [2**62, 2**62 + 1], [MOST, 0]):
        if max(quotients) > MOST:
            continue
        words = np.array([2**64 - 1, 5], np.uint64)
        found = made._magnitudes(np.array(quotients), words, SeededEntropy(1))
        assert found.tolist() == [
            quotient * 2**first + word % 2**first for quotient, word in zip(quotients, words.tolist(), strict=True)
        ]
        assert (found.dtype == np.dtype(np.int64)) is (max(quotients) < 2 ** (63 - first))


# What a law of some width is cut into


@pytest.mark.parametrize(
    "width",
    [Fraction(1), Fraction(2**30), Fraction(2**31) - 1, Fraction(2**31), Fraction(2**90, 1001), Fraction(10**40)],
)
@pytest.mark.parametrize("name", MAKERS)
def test_quotients_have_a_scale_from_two_to_the_thirty_on(name: str, width: Fraction) -> None:
    """Or that of the law where it is less; the integers are those of a sampler that is made so."""
    bits = next(bits for bits in itertools.count() if width < 2 ** (31 + bits))
    make, weights = MAKERS[name]
    draw, parameter = (wide_laplace, width) if name == "laplace" else (wide_gaussian, width**2)
    longest = isqrt(int(width**2 / 4**bits)) // (8 if name == "laplace" else 16)
    made = make(parameter, bits)
    assert 2**made.layout.block_bits <= max(longest, 1) < 2 ** (made.layout.block_bits + 1)
    reading = Wide(*weights(parameter), bits, max(longest.bit_length() - 1, 0), made.quotients.tables.unit)
    first, second = SeededEntropy(6), SeededEntropy(6)
    assert draw(parameter, 40, first).tolist() == reading.draw(40, second)
    assert first.bits(64) == second.bits(64)


def test_what_follows_from_the_law_is_not_given() -> None:
    made = laplace_sampler(Fraction(2**40), 8)
    for name in ("quotients", "certain"):
        with pytest.raises(TypeError, match=name):
            WideSampler(made.weight, made.layout, 8, **{name: getattr(made, name)})
    assert len({made, WideSampler(made.weight, made.layout, 8)}) == 2
