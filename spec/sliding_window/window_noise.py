"""The noise of a window that is a signed sum of noisy dyadic sums, and what it leaves of A_W'A_W.

The noise of a released sum has independent entries N(0, s^2) on and above the diagonal, s as in `dyadic_release`.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import diagonal, disagreement, identity
from dpmatrix.spec.sliding_window.dyadic_release import (
    DyadicRelease,
    WindowCover,
    deviation,
    signed_cover,
    window_fits,
    window_nonempty,
)
from dpmatrix.spec.sliding_window.eigenvalue_laws import triangle_exceeds
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, precedes_margin, scaled
from dpmatrix.spec.sliding_window.private_window import within_bound


@attrs.frozen
class WindowNoise:
    """The noise of one window, and a bound on its norm.

    Parameters
    ----------
    begin, end, height
        The window is made of the rows ``begin`` to ``end`` (not included), counted from 0, in blocks of 2^height.
    epsilon, delta
        The guarantee for the whole sequence.
    dimension
        d.
    beta
        Allowed probability of failure.
    bound
        zeta.
    """

    begin: int
    end: int
    height: int
    epsilon: Exact
    delta: Exact
    dimension: int
    beta: Exact
    bound: Exact


def entry_variance(p: WindowNoise) -> arb:
    """``q s^2``: the noises of the q sums that make the window are added or subtracted."""
    count = len(signed_cover(WindowCover(p.begin, p.end, p.height)))
    return count * square(deviation(DyadicRelease(p.begin, p.height, p.epsilon, p.delta)))


def noise_within(p: WindowNoise) -> arb:
    """Probability that the noise has norm at most zeta: exact for d = 1, else enclosed by `triangle_exceeds`."""
    return 1 - triangle_exceeds(p.dimension, entry_variance(p).sqrt(), p.bound)


def success_asked(p: WindowNoise) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.beta)


def norm_failure(dimension: int, bound: Exact, variance: arb) -> arb:
    """``2 3^d exp(-49 zeta^2 / (256 v))``: an average over the sphere, where u'Nu has variance at most 2 v."""
    exponent = 49 * square(ball(bound)) / (256 * variance)
    return 2 * arb(3) ** dimension * (-exponent).exp()


def union_slack(p: WindowNoise) -> arb:
    """``beta - 2 3^d exp(-49 zeta^2 / (256 q s^2))``."""
    return ball(p.beta) - norm_failure(p.dimension, p.bound, entry_variance(p))


def bound_margin(p: WindowNoise) -> arb:
    """``zeta - (16/7) s sqrt(q (d log 3 + log(2/beta)))``; -1 when there is no window."""
    if p.height < 0 or p.begin < 0 or p.end <= p.begin:
        return flag(holds=False)
    exponent = p.dimension * arb(3).log() + (2 / ball(p.beta)).log()
    return ball(p.bound) - 16 * (entry_variance(p) * exponent).sqrt() / 7


COVERED = (
    whole("height", 0),
    whole("begin", 0),
    exceeds("the window is not empty", window_nonempty, strict=False),
    exceeds("the window has at most 2^h rows", window_fits, strict=False),
)
WINDOW_NOISE = (
    whole("height", 0),
    whole("begin", 0),
    exceeds("the window is not empty", window_nonempty, strict=False),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    whole("dimension", 1),
    positive("beta"),
    below("beta", 1),
    exceeds("zeta >= (16/7) s sqrt(q (d log 3 + log(2/beta)))", bound_margin, strict=False),
)


def small_noise(then: str) -> Statement:
    """Build the assertion that the noise of the window is small, in words that name what the other steps add."""
    return Statement.of_law(
        "with s = sqrt(h+1) (z + sqrt(z^2 + 2 eps)) / (2 eps), z = sqrt(2 log(1/delta)), and the q sums of the window, "
        "its noise has norm at most zeta = (16/7) s sqrt(q (d log 3 + log(2/beta))) with probability at least 1 - "
        f"beta; then, by the step `on-the-event`, {then}; and, by the step `released`, all sums together are (eps, "
        "delta)-DP",
        noise_within,
        at_least=success_asked,
        given=WINDOW_NOISE,
    )


NOISE = small_noise("A_W'A_W - zeta <= C_+ <= A_W'A_W + 2 zeta and C_+ >= 0")
MOMENT_CHANGE = (
    "one row of norm at most 1 replaced by zero, the other rows of any length; in place of Algorithm 2 the window as a "
    "signed sum of sums over blocks of 1, 2, 4, ..., 2^h rows with Gaussian noise, and C_+, the positive semidefinite "
    "matrix nearest to it; no factor 1 +- eta, and zeta"
)


@attrs.frozen
class NoisyMoment:
    """The window's second moment, its noisy version ``Q diag(spectrum) Q'`` by an exact decomposition, and zeta."""

    window: fmpq_mat
    frame: fmpq_mat
    spectrum: tuple[Exact, ...]
    bound: Exact


def noisy_moment(p: NoisyMoment) -> fmpq_mat:
    """Signed sum of the released sums."""
    return p.frame * diagonal(p.spectrum) * p.frame.transpose()


def positive_part(p: NoisyMoment) -> fmpq_mat:
    """C_+, the positive semidefinite matrix nearest to the noisy moment: negative eigenvalues are replaced by zero."""
    return p.frame * diagonal([max(rational(value), fmpq(0)) for value in p.spectrum]) * p.frame.transpose()


def moment_margin(p: NoisyMoment) -> arb:
    """Least slack of 0 <= C_+ and A_W'A_W - zeta <= C_+ <= A_W'A_W + 2 zeta."""
    output, zeta = positive_part(p), scaled(p.bound, identity(p.window.nrows()))
    lower = precedes_margin(p.window - zeta, output).min(precedes_margin(output - output, output))
    return lower.min(precedes_margin(output, p.window + zeta + zeta))


def moment_shapes(p: NoisyMoment) -> arb:
    """0 when the frame is orthogonal, and A_W'A_W symmetric, positive semidefinite and of its order."""
    order = len(p.spectrum)
    if (p.frame.nrows(), p.frame.ncols()) != (order, order) or not are_symmetric((p.window,), order):
        return flag(holds=False)
    exact = disagreement(p.frame * p.frame.transpose(), identity(order))
    return exact.min(precedes_margin(p.window - p.window, p.window)).min(arb(0))


def noise_margin(p: NoisyMoment) -> arb:
    """Non-negative exactly when the noise has norm at most zeta."""
    if moment_shapes(p) < 0:
        return flag(holds=False)
    return within_bound(noisy_moment(p) - p.window, p.bound)


MOMENT = (
    exceeds("Q is orthogonal and A_W'A_W positive semidefinite, d x d", moment_shapes, strict=False),
    at_least("bound", 0),
    exceeds("the noise has norm at most zeta", noise_margin, strict=False),
)
