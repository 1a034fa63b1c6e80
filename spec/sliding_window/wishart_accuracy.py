"""The accuracy of Theorem 14: runs of Algorithm 8, the tail of its noise, (35) to (41) in one direction."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import at_least, below, exceeds
from dpmatrix.spec.sliding_window.eigenvalue_laws import wishart_within
from dpmatrix.spec.sliding_window.loewner import between, precedes_margin
from dpmatrix.spec.sliding_window.window_direction import WindowDirection, sandwich
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, PRINTED, NoisyStream, history


def printed_sandwich(p: NoisyStream) -> arb:
    """(35) for the printed lines: what the first pair sums against A_W'A_W, and that against the second pair."""
    total = p.rows.nrows()
    held = history(p, PRINTED)[-1]
    window = between(p.rows, total - p.window + 1, total)
    margin = precedes_margin(window, held[0].matrix - p.noise[held[0].stamp - 1])
    return margin.min(precedes_margin(held[1].matrix - p.noise[held[1].stamp - 1], window)) if held[1:] else margin


def adjacent_margin(p: NoisyStream) -> arb:
    """(36) with eta = 1/2, for the first two pairs that line 3 as printed leaves."""
    held = history(p, attrs.evolve(MENDED, earliest=PRINTED.earliest))[-1]
    return precedes_margin(fmpq(1, 2) * held[0].matrix, held[1].matrix) if held[1:] else arb(0)


@attrs.frozen
class Tail:
    """Dimension d, degrees tau, and the k of the failure probability d^-k."""

    dimension: int
    degrees: int
    power: int


def noise_bound(p: Tail) -> arb:
    """``c tau log tau`` with c = 6 + 6k."""
    return (6 + 6 * p.power) * p.degrees * arb(p.degrees).log()


def large_eigenvalue(p: Tail) -> arb:
    """Probability that the largest eigenvalue of one Wishart matrix exceeds c tau log tau."""
    return 1 - wishart_within(p.dimension, p.degrees, 0, noise_bound(p))


def rare(p: Tail) -> arb:
    """``d^-k``."""
    return arb(p.dimension) ** -p.power


def enough_degrees(p: Tail) -> arb:
    """``tau - max(3, d)``."""
    return arb(p.degrees - max(3, p.dimension))


@attrs.frozen
class WishartDirection(WindowDirection):
    """A direction of the proof of Theorem 14: the stored matrices err by c_1 sigma and c_2 sigma at most.

    Parameters
    ----------
    error, other_error
        c_1 sigma and c_2 sigma.
    """

    error: Real
    other_error: Real


def histogram(p: WishartDirection) -> arb:
    """(36): u'K~(2)u - (1 - eta) u'K~(1)u."""
    return ball(p.noisy_second) - (1 - ball(p.eta)) * ball(p.noisy_first)


def first_noise(p: WishartDirection) -> arb:
    """(37) for K(1): c_1 sigma minus the absolute error."""
    return ball(p.error) - abs(ball(p.noisy_first) - ball(p.first))


def second_noise(p: WishartDirection) -> arb:
    """(37) for K(2): c_2 sigma minus the absolute error."""
    return ball(p.other_error) - abs(ball(p.noisy_second) - ball(p.second))


def chain_38(p: WishartDirection) -> arb:
    """Ends of (38): |A_W u|^2 + c_2 sigma - (1 - eta)(u'K(1)u - c_1 sigma)."""
    return ball(p.window) + ball(p.other_error) - (1 - ball(p.eta)) * (ball(p.first) - ball(p.error))


def printed_c3(p: WishartDirection) -> arb:
    """``c_3 sigma = c_1 sigma + c_2 sigma / (1 - eta)``."""
    return ball(p.error) + ball(p.other_error) / (1 - ball(p.eta))


def bound_39(p: WishartDirection) -> arb:
    """(39): |A_W u|^2/(1 - eta) + c_3 sigma - u'K(1)u."""
    return ball(p.window) / (1 - ball(p.eta)) + printed_c3(p) - ball(p.first)


def upper_40(p: WishartDirection) -> arb:
    """(40), (41), right: |A_W u|^2/(1 - eta) + c_3 sigma - u'K~(1)u."""
    return ball(p.window) / (1 - ball(p.eta)) + printed_c3(p) - ball(p.noisy_first)


def lower_41(p: WishartDirection) -> arb:
    """(41), left: u'K~(1)u - |A_W u|^2 + c_1 sigma."""
    return ball(p.noisy_first) - ball(p.window) + ball(p.error)


SANDWICH = exceeds("u'K(2)u <= |A_W u|^2 <= u'K(1)u", sandwich, strict=False)
HISTOGRAM = exceeds("(1 - eta) u'K~(1)u <= u'K~(2)u", histogram, strict=False)
NOISES = (
    exceeds("|u'(K~(1) - K(1))u| <= c_1 sigma", first_noise, strict=False),
    exceeds("|u'(K~(2) - K(2))u| <= c_2 sigma", second_noise, strict=False),
)
ETA = (at_least("eta", 0), below("eta", 1))
CHAIN = (SANDWICH, HISTOGRAM, *NOISES, *ETA)
