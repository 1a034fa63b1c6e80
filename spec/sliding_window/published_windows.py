"""What the theorems on Wishart noise become: windows as signed sums of dyadic sums that are published once.

Every part of a statement is there: the joint law of all sums of two streams, the windows as signed sums of the exact
ones, and the probability that the noise of a window, or of some window, exceeds zeta.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Condition
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.dyadic_release import (
    DyadicRelease,
    WindowCover,
    deviation,
    signed_cover,
)
from dpmatrix.spec.sliding_window.eigenvalue_laws import triangle_exceeds
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.released_sums import RELEASED, ReleasedStreams, joint_divergence, triangle_of_sum


@attrs.frozen
class PublishedWindows(ReleasedStreams):
    """A stream and its neighbour, which publish their dyadic sums, and the windows of the stream.

    Parameters
    ----------
    window
        W: at time t the window has the rows t - W + 1 to t.
    beta
        Allowed probability of failure.
    bound
        zeta, a bound on the norm of the noise.
    """

    window: int
    beta: Exact
    bound: Exact


def windows(p: PublishedWindows) -> list[WindowCover]:
    """The window at each time, in blocks of 2^h rows."""
    return [WindowCover(max(0, time - p.window), time, p.height) for time in range(1, p.rows.nrows() + 1)]


def is_window(p: PublishedWindows, one: WindowCover) -> bool:
    """Whether the signed sum of the exact dyadic sums is the sum over the window."""
    terms = [(sign, triangle_of_sum(p.rows, part)) for sign, part in signed_cover(one)]
    signed = [sum(sign * triangle[k] for sign, triangle in terms) for k in range(len(terms[0][1]))]
    return signed == triangle_of_sum(p.rows, range(one.begin, one.end))


def noise_of_one(p: PublishedWindows) -> arb:
    """Standard deviation of the noise of one sum, s."""
    return deviation(DyadicRelease(0, p.height, p.epsilon, p.delta))


def some_window_errs(p: PublishedWindows, chosen: list[WindowCover]) -> arb:
    """Enclose the probability that the noise of some of these windows exceeds zeta."""
    counts = [len(signed_cover(one)) for one in chosen]
    each = {q: triangle_exceeds(p.rows.ncols(), noise_of_one(p) * arb(q).sqrt(), p.bound) for q in set(counts)}
    if len(counts) == 1:
        return each[counts[0]]
    return max(each.values(), key=arb.lower).union(sum((each[q] for q in counts), arb(0)).min(arb(1)))


def published_margin(p: PublishedWindows, chosen: list[WindowCover], most: int) -> arb:
    """Least slack of the guarantee, of each window being a sum of at most so many parts, and of the probability."""
    size = max(len(signed_cover(one)) for one in chosen)
    exact = all(is_window(p, one) for one in chosen)
    slack = (ball(p.delta) - joint_divergence(p)).min(arb(most - size) if exact else flag(holds=False))
    return slack.min(ball(p.beta) - some_window_errs(p, chosen))


def last_window_margin(p: PublishedWindows) -> arb:
    """For the window of the last time, of at most 2h + 1 sums."""
    return published_margin(p, windows(p)[-1:], 2 * p.height + 1)


def all_windows_margin(p: PublishedWindows) -> arb:
    """For the windows of all times, each of at most 2h + 1 sums."""
    return published_margin(p, windows(p), 2 * p.height + 1)


def long_sums(height: int) -> int:
    """``2^h + 2h``: sums of a window of at most 4^h rows, in blocks of 2^h; one if h = 0."""
    return (1 << height) + 2 * height


def long_windows_margin(p: PublishedWindows) -> arb:
    """For the windows of all times, which may cross 2^h blocks."""
    return published_margin(p, windows(p), long_sums(p.height))


def _needed(p: PublishedWindows, sums: int, times: int) -> arb:
    """``(16/7) s sqrt(q (d log 3 + log(2 times/beta)))``."""
    exponent = p.rows.ncols() * arb(3).log() + (2 * times / ball(p.beta)).log()
    return 16 * noise_of_one(p) * (sums * exponent).sqrt() / 7


def last_bound_margin(p: PublishedWindows) -> arb:
    """``zeta - (16/7) s sqrt(q (d log 3 + log(2/beta)))``, q the number of sums of the last window."""
    if p.height < 0 or p.window < 1:
        return flag(holds=False)
    return ball(p.bound) - _needed(p, len(signed_cover(windows(p)[-1])), 1)


def all_bound_margin(p: PublishedWindows) -> arb:
    """``zeta - (16/7) s sqrt((2h + 1) (d log 3 + log(2T/beta)))``."""
    return ball(p.bound) - _needed(p, 2 * p.height + 1, p.rows.nrows())


def long_bound_margin(p: PublishedWindows) -> arb:
    """``zeta - (16/7) s sqrt((2^h + 2h) (d log 3 + log(2T/beta)))``."""
    return flag(holds=False) if p.height < 0 else ball(p.bound) - _needed(p, long_sums(p.height), p.rows.nrows())


def short_margin(p: PublishedWindows) -> arb:
    """``2^h - W``."""
    return arb(2) ** p.height - p.window


def long_margin(p: PublishedWindows) -> arb:
    """``4^h - W``."""
    return arb(4) ** p.height - p.window


def _given(*conditions: Condition) -> tuple[Condition, ...]:
    return (*RELEASED.given, whole("window", 1), positive("beta"), below("beta", 1), *conditions)


SHORT = exceeds("W <= 2^h", short_margin, strict=False)
LAST = _given(SHORT, exceeds("zeta >= (16/7) s sqrt(q (d log 3 + log(2/beta)))", last_bound_margin, strict=False))
ALL = _given(SHORT, exceeds("zeta >= (16/7) s sqrt((2h+1) (d log 3 + log(2T/beta)))", all_bound_margin, strict=False))
LONG = _given(
    exceeds("W <= 4^h", long_margin, strict=False),
    exceeds("zeta >= (16/7) s sqrt((2^h+2h) (d log 3 + log(2T/beta)))", long_bound_margin, strict=False),
)

CHANGE = (
    "one row of norm at most 1 replaced by zero, the other rows of any length; release the sums over blocks of 1, 2, "
    "4, ..., 2^h rows with Gaussian noise of s = sqrt(h+1) (z + sqrt(z^2 + 2 eps)) / (2 eps), z = sqrt(2 "
    "log(1/delta)), once, and compute all outputs from them; no factor 1 - eta; the window's start visits every row, "
    "so that without that factor order W sums are kept, which the space of theorem-17 allows and, for large W, that of "
    "theorem-14 and theorem-18 does not (theorem-3 has fewer); "
)
PROMISE = "all sums together, hence all that is computed from them, are (eps, delta)-DP; "
