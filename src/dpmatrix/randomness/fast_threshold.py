"""Whether a uniform real lies below a computable number, decided from its first digits, and from more if needed."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import Entropy

GUARD_BITS = 64
MOST_BITS = 1 << 14
_ATTEMPTS = 100


@frozen
class Threshold:
    """The number ``factor * exp(-exponent) / (1 - exp(-decay))``; without ``decay``, its denominator is one.

    Parameters
    ----------
    factor
        A rational, at least 0.
    exponent
        A rational.
    decay
        A positive rational, or None.
    """

    factor: Fraction
    exponent: Fraction = Fraction(0)
    decay: Fraction | None = None

    def bracket(self, bits: int) -> tuple[int, int]:
        """Enclose ``2**bits`` times the number between integers, certified by ball arithmetic.

        They are one or two apart, unless other threads lower the precision again and again.
        """
        if self.exponent == 0 and self.decay is None:
            scaled = self.factor * 2**bits
            return scaled.numerator // scaled.denominator, -(-scaled.numerator // scaled.denominator)
        lower, upper = self._computed(bits)
        # The precision is one number for all threads: what another one made wide is computed again.
        for _ in range(_ATTEMPTS):
            if upper - lower <= 2:
                break
            lower, upper = self._computed(bits)
        return lower, upper

    def _computed(self, bits: int) -> tuple[int, int]:
        with precision(bits + GUARD_BITS):
            value = arb(_rational(self.factor)) * arb(_rational(-self.exponent)).exp()
            if self.decay is not None:
                # Not 1 - exp(.): that would cancel for a small decay.
                value /= -arb(_rational(-self.decay)).expm1()
            value *= arb((1, bits))
            lower, upper = value.lower(), value.upper()
        # The number is not negative, however its ball was rounded.
        return max(0, _floor(lower)), -_floor(upper, sign=-1)


def is_below(threshold: Threshold, known: int, bits: int, entropy: Entropy) -> bool:
    """Decide whether a uniform real lies below a threshold.

    The real is in the cell ``[known, known + 1] / 2**bits``. When the cell lies on one side of the threshold's bracket
    the question is decided for every continuation of the digits; otherwise `GUARD_BITS` fresh digits are appended. So
    the answer is that of the ideal real number, True with the threshold as its probability, whatever the cell at
    which the question was decided.

    Raises
    ------
    UndecidedError
        If `MOST_BITS` digits do not decide, which has probability below ``2**(66 - MOST_BITS)``: the bracket of the
        threshold and the real's cell overlap after that many digits.
    """
    while bits <= MOST_BITS:
        lower, upper = threshold.bracket(bits + GUARD_BITS)
        if (known + 1) << GUARD_BITS <= lower:
            return True
        if known << GUARD_BITS >= upper:
            return False
        known = known << GUARD_BITS | entropy.bits(GUARD_BITS)
        bits += GUARD_BITS
    raise UndecidedError(f"a uniform real is not told from a threshold at {bits - GUARD_BITS} bits")


def _floor(value: arb, sign: int = 1) -> int:
    """Round a float of any length, or its negative, down; a tiny one is not written out."""
    mantissa, exponent = (int(part) for part in value.man_exp())
    mantissa *= sign
    return mantissa << exponent if exponent >= 0 else mantissa >> min(-exponent, mantissa.bit_length())


def _rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
