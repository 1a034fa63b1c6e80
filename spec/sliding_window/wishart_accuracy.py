"""The accuracy of Theorem 14: runs of Algorithm 8, the tail of its noise, (35) to (41) in one direction."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.exact import Real, ball
from dpmatrix.spec.conditions import at_least, below, exceeds
from dpmatrix.spec.sliding_window.loewner import between, precedes_margin
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


def eigenvalue_margin(p: Tail) -> arb:
    """``c tau log tau - (sqrt tau + sqrt d + sqrt(2 k log d))^2`` with c = 6 + 6k."""
    tau, d = arb(p.degrees), arb(p.dimension)
    largest = (tau.sqrt() + d.sqrt() + (2 * p.power * d.log()).sqrt()) ** 2
    return (6 + 6 * p.power) * tau * tau.log() - largest


def enough_degrees(p: Tail) -> arb:
    """``tau - max(3, d)``."""
    return arb(p.degrees - max(3, p.dimension))


@attrs.frozen
class Direction:
    """Quadratic forms of the matrices of the proof in one direction u of norm 1.

    Parameters
    ----------
    first, second
        u'K(1)u and u'K(2)u.
    noisy_first, noisy_second
        u'K~(1)u and u'K~(2)u.
    window
        |A_W u|^2.
    eta
        eta in (0, 1).
    error, other_error
        c_1 sigma and c_2 sigma.
    """

    first: Real
    second: Real
    noisy_first: Real
    noisy_second: Real
    window: Real
    eta: Real
    error: Real
    other_error: Real


def sandwich(p: Direction) -> arb:
    """(35): least of |A_W u|^2 - u'K(2)u and u'K(1)u - |A_W u|^2."""
    return (ball(p.window) - ball(p.second)).min(ball(p.first) - ball(p.window))


def histogram(p: Direction) -> arb:
    """(36): u'K~(2)u - (1 - eta) u'K~(1)u."""
    return ball(p.noisy_second) - (1 - ball(p.eta)) * ball(p.noisy_first)


def first_noise(p: Direction) -> arb:
    """(37) for K(1): c_1 sigma minus the absolute error."""
    return ball(p.error) - abs(ball(p.noisy_first) - ball(p.first))


def second_noise(p: Direction) -> arb:
    """(37) for K(2): c_2 sigma minus the absolute error."""
    return ball(p.other_error) - abs(ball(p.noisy_second) - ball(p.second))


def chain_38(p: Direction) -> arb:
    """Ends of (38): |A_W u|^2 + c_2 sigma - (1 - eta)(u'K(1)u - c_1 sigma)."""
    return ball(p.window) + ball(p.other_error) - (1 - ball(p.eta)) * (ball(p.first) - ball(p.error))


def printed_c3(p: Direction) -> arb:
    """``c_3 sigma = c_1 sigma + c_2 sigma / (1 - eta)``."""
    return ball(p.error) + ball(p.other_error) / (1 - ball(p.eta))


def bound_39(p: Direction) -> arb:
    """(39): |A_W u|^2/(1 - eta) + c_3 sigma - u'K(1)u."""
    return ball(p.window) / (1 - ball(p.eta)) + printed_c3(p) - ball(p.first)


def upper_40(p: Direction) -> arb:
    """(40), (41), right: |A_W u|^2/(1 - eta) + c_3 sigma - u'K~(1)u."""
    return ball(p.window) / (1 - ball(p.eta)) + printed_c3(p) - ball(p.noisy_first)


def lower_41(p: Direction) -> arb:
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
