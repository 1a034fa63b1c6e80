r"""Hockey-stick divergences between a chi-square variable and its translate.

Everything is in units where the variable is Gamma(k/2) with density proportional to :math:`t^{k/2-1}e^{-t}`: absent is
Gamma(k/2), present is x + Gamma(k/2), k > 0. With :math:`p = k/2 - 1` the log-ratio of present to absent is
:math:`x + p\log((t - x)/t)` on t > x; on t < x only absent has mass. For p > 0 it increases with t and stays below x.
For p < 0 it falls from infinity to x.

All divergences increase with x: by the envelope argument the threshold contributes nothing to the derivative. What
remains is, for p >= 0, e^epsilon or 1 times the density of Gamma(k/2) at the threshold minus x; for p < 0 it is that
density at x times e^epsilon, less its smaller value at the threshold. They decrease with k, since adding an
independent Gamma(j/2) to both sides is post-processing, and with epsilon by definition.
"""

from __future__ import annotations

from flint import arb, fmpq

from dpmatrix.privacy.profiles.enclosure import certified
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail


def present_against_absent(epsilon: fmpq, shift: fmpq, degrees: fmpq) -> arb:
    """Return sup over E of P(E) - e^epsilon Q(E), P = shift + Gamma(degrees/2), Q = Gamma(degrees/2).

    For p > 0 the event is t > x/(1 - e^-g) with p g = x - epsilon, and impossible once epsilon >= x. For p < 0 it is x
    < t < x/(1 - e^-g) with the same g if epsilon > x, and all of t > x otherwise.

    Parameters
    ----------
    epsilon
        At least zero.
    shift
        The translation x, at least zero.
    degrees
        Degrees of freedom k, positive.
    """
    if shift == 0:
        return arb(0)
    if degrees < 2:
        return _present_with_a_pole(epsilon, shift, degrees / 2)
    if epsilon >= shift:
        return arb(0)
    if degrees == 2:
        return certified(lambda: -arb(epsilon - shift).expm1(), "a chi-square profile")
    half = degrees / 2
    gap = (shift - epsilon) / (half - 1)

    def evaluate() -> arb:
        beyond = arb(shift) / arb(gap).expm1()
        inside, outside = upper_tail(beyond, arb(half)), upper_tail(beyond + shift, arb(half))
        return inside - arb(epsilon).exp() * outside

    return certified(evaluate, "a chi-square profile")


def absent_against_present(epsilon: fmpq, shift: fmpq, degrees: fmpq) -> arb:
    """Return sup over E of Q(E) - e^epsilon P(E), P = shift + Gamma(degrees/2), Q = Gamma(degrees/2).

    For p > 0 the event is t < x/(1 - e^-h) with p h = x + epsilon: all that present cannot reach, and a little more.
    For p <= 0 it is t < x, since beyond it the ratio stays below one. Parameters as in `present_against_absent`.
    """
    if shift == 0:
        return arb(0)
    if degrees <= 2:
        return outside_support(shift, degrees)
    half = degrees / 2
    gap = (shift + epsilon) / (half - 1)

    def evaluate() -> arb:
        beyond = arb(shift) / arb(gap).expm1()
        inside, outside = lower_tail(beyond + shift, arb(half)), lower_tail(beyond, arb(half))
        return inside - arb(epsilon).exp() * outside

    return certified(evaluate, "a chi-square profile")


def _present_with_a_pole(epsilon: fmpq, shift: fmpq, half: fmpq) -> arb:
    """Return the divergence of present from absent where the density has a pole: half = k/2 below one."""
    power = arb(epsilon).exp
    if epsilon <= shift:
        return certified(lambda: 1 - power() * upper_tail(arb(shift), arb(half)), "a chi-square profile")
    gap = (epsilon - shift) / (1 - half)

    def evaluate() -> arb:
        beyond = arb(shift) / arb(gap).expm1()
        between = lower_tail(beyond + shift, arb(half)) - lower_tail(arb(shift), arb(half))
        return lower_tail(beyond, arb(half)) - power() * between

    return certified(evaluate, "a chi-square profile")


def outside_support(shift: fmpq, degrees: fmpq) -> arb:
    """Return the probability that Gamma(degrees/2) is below the shift, for any degrees > 0 and shift >= 0."""
    if shift == 0:
        return arb(0)
    if degrees == 2:
        return certified(lambda: -arb(-shift).expm1(), "a chi-square probability")
    return certified(lambda: lower_tail(arb(shift), arb(degrees / 2)), "a chi-square probability")
