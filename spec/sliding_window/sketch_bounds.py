"""Steps of Lemma 2, Corollary 1 and Theorem 4 as margins: one run, one direction, one set of parameters."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail
from dpmatrix.spec.common.conditions import at_least, below, equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement, identity
from dpmatrix.spec.sliding_window.loewner import between, flag, gram, precedes_margin, squared_norm
from dpmatrix.spec.sliding_window.sketch_privacy import floor
from dpmatrix.spec.sliding_window.sketched_stream import PRINTED, REPAIRED, SketchedStream, history
from dpmatrix.spec.sliding_window.window_direction import WindowDirection, sandwich


@attrs.frozen
class OneRowSketch:
    """A run of Algorithm 2 on one row with the variates that it draws, seen along u.

    Parameters
    ----------
    base, coin, row
        Phi (m x d), g (1 x m) and a_1 (1 x d).
    direction
        u, d x 1.
    rank, eta, epsilon, delta
        Parameters of the algorithm; m = 4r/eta.
    """

    base: fmpq_mat
    coin: fmpq_mat
    row: fmpq_mat
    direction: fmpq_mat
    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact


def sketched(p: OneRowSketch) -> arb:
    """``|A~ u|^2`` for A~ = sigma Phi + g'a."""
    drawn, added = p.base * p.direction, p.coin.transpose() * (p.row * p.direction)
    sigma = floor(p.rank, p.epsilon, p.delta)
    return sum(
        ((sigma * arb(drawn[k, 0]) + arb(added[k, 0])) ** 2 for k in range(drawn.nrows())),
        arb(0),
    )


def length(p: OneRowSketch) -> arb:
    """``|u|^2``."""
    return arb(squared_norm(p.direction))


def semidefinite(p: OneRowSketch) -> arb:
    """``u'(A~'A~ - sigma^2 I)u``."""
    return sketched(p) - floor(p.rank, p.epsilon, p.delta) ** 2 * length(p)


def drawn_shapes(p: OneRowSketch) -> arb:
    """0 when Phi has 4r/eta rows and the shapes fit."""
    size, width = p.base.nrows(), p.base.ncols()
    fits = p.eta != 0 and size == 4 * p.rank / rational(p.eta) and (p.coin.nrows(), p.coin.ncols()) == (1, size)
    fits = fits and (p.row.nrows(), p.row.ncols()) == (1, width)
    return flag(fits and (p.direction.nrows(), p.direction.ncols()) == (width, 1))


DRAWN = (
    whole("rank", 1),
    positive("eta"),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    exceeds("Phi has 4r/eta rows, and the shapes fit", drawn_shapes, strict=False),
)


@attrs.frozen
class SketchDirection(WindowDirection):
    """A direction of the proof of Lemma 2: the matrices that are stored are sketches with the ridge sigma^2."""

    ridge: Real


def _within(noisy: Real, exact: Real, p: SketchDirection) -> arb:
    ridged, quarter = ball(exact) + ball(p.ridge), ball(p.eta) / 4
    return (ball(noisy) - (1 - quarter) * ridged).min((1 + quarter) * ridged - ball(noisy))


def event_9(p: SketchDirection) -> arb:
    """(9): both sketches are within 1 +- eta/4 of K + sigma^2."""
    return _within(p.noisy_first, p.first, p).min(_within(p.noisy_second, p.second, p))


def histogram_8(p: SketchDirection) -> arb:
    """(8): u'K^(2)u - (1 - eta) u'K^(1)u."""
    return ball(p.second) + ball(p.ridge) - (1 - ball(p.eta)) * (ball(p.first) + ball(p.ridge))


ORDER_7 = exceeds("(7) u'K(2)u <= |A_W u|^2 <= u'K(1)u", sandwich, strict=False)
CLOSE_8 = exceeds("(8) (1 - eta) u'K^(1)u <= u'K^(2)u", histogram_8, strict=False)
WITHIN_9 = exceeds("(9) K~(1), K~(2) within 1 +- eta/4 of K^(1), K^(2)", event_9, strict=False)
ETA = (at_least("eta", 0), below("eta", 1))


def bound_10(p: SketchDirection) -> arb:
    """(10): u'K~(1)u - (1 - eta/4)(u'K(1)u + sigma^2)."""
    return ball(p.noisy_first) - (1 - ball(p.eta) / 4) * (ball(p.first) + ball(p.ridge))


def bound_11(p: SketchDirection) -> arb:
    """(11): u'K~(1)u - (1 - eta/4)(|A_W u|^2 + sigma^2)."""
    return ball(p.noisy_first) - (1 - ball(p.eta) / 4) * (ball(p.window) + ball(p.ridge))


def bound_12(p: SketchDirection) -> arb:
    """(12): (1 + eta/4)(u'K(1)u + sigma^2) - u'K~(1)u."""
    return (1 + ball(p.eta) / 4) * (ball(p.first) + ball(p.ridge)) - ball(p.noisy_first)


def bound_13(p: SketchDirection) -> arb:
    """(13): (1 + eta/4)/(1 - eta) (u'K(2)u + sigma^2) - u'K~(1)u."""
    factor = (1 + ball(p.eta) / 4) / (1 - ball(p.eta))
    return factor * (ball(p.second) + ball(p.ridge)) - ball(p.noisy_first)


def bound_14(p: SketchDirection) -> arb:
    """(14): (1 + eta/4)/(1 - eta) (|A_W u|^2 + sigma^2) - u'K~(1)u."""
    factor = (1 + ball(p.eta) / 4) / (1 - ball(p.eta))
    return factor * (ball(p.window) + ball(p.ridge)) - ball(p.noisy_first)


@attrs.frozen
class ScaleParameters:
    """Parameters r, eta, epsilon, delta and a constant c."""

    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    constant: Exact = 1


def substitution_margin(p: ScaleParameters) -> arb:
    """One c with c r log(1/delta)^2/eps^2 <= sigma^2 for (11) and >= (1 + eta/4)/(1 - eta) sigma^2 for (14)."""
    ridge = floor(p.rank, p.epsilon, p.delta) ** 2
    extra = ball(p.constant) * p.rank * ball(p.delta).log() ** 2 / ball(p.epsilon) ** 2
    eta = ball(p.eta)
    return (ridge - extra).min(extra - (1 + eta / 4) / (1 - eta) * ridge)


def sketch_probability(p: ScaleParameters) -> arb:
    """``Pr(|chi^2_m / m - 1| <= eta/4)`` with m = 4r/eta: (9) in one dimension, without data."""
    rows = 4 * ball(p.rank) / ball(p.eta)
    low, high = (rows * (1 + sign * ball(p.eta) / 4) / 2 for sign in (-1, 1))
    return lower_tail(high, rows / 2) - lower_tail(low, rows / 2)


def factor_margin(p: ScaleParameters) -> arb:
    """``1 + 2 eta - (1 + eta/4)/(1 - eta)``."""
    return 1 + 2 * ball(p.eta) - (1 + ball(p.eta) / 4) / (1 - ball(p.eta))


SCALES = (whole("rank", 1), positive("eta"), below("eta", 1), positive("epsilon"), positive("delta"), below("delta", 1))


@attrs.frozen
class FourthStep:
    """|A_W u|^2 and X = c r log(1/delta)/epsilon^2 in the last display of the proof of Theorem 4, and eta."""

    window: Real
    extra: Real
    eta: Real


def last_display(p: FourthStep) -> arb:
    """(1 - eta)(A'A - X) - X against (1 - eta) A'A - eta X."""
    eta, w, x = ball(p.eta), ball(p.window), ball(p.extra)
    return equality((1 - eta) * (w - x) - x, (1 - eta) * w - eta * x)


def nine_tenths(_: object) -> arb:
    """9/10."""
    return arb(9) / 10


def ridge_identity(p: SketchedStream) -> arb:
    """(6): the Gram matrix of (sigma I; A) against A'A + sigma^2 I."""
    width, sigma = p.rows.ncols(), rational(p.floor)
    stacked = fmpq_mat([*(sigma * identity(width)).tolist(), *p.rows.tolist()])
    return disagreement(gram(stacked), gram(p.rows) + sigma * sigma * identity(width))


def printed_sandwich(p: SketchedStream) -> arb:
    """(7): sums from the first two stamps of the printed lines around A_W'A_W."""
    total = p.rows.nrows()
    window = between(p.rows, total - p.window + 1, total)
    held = history(p, PRINTED)[-1]
    margin = precedes_margin(window, between(p.rows, held[0].stamp, total))
    return margin.min(precedes_margin(between(p.rows, held[1].stamp, total), window)) if held[1:] else margin


def adjacent_histogram(p: SketchedStream) -> arb:
    """(8) with eta = 1/2, for the stamps of the printed expiry."""
    total, width = p.rows.nrows(), p.rows.ncols()
    held = history(p, attrs.evolve(REPAIRED, earliest=PRINTED.earliest))[-1]
    ridge = rational(p.floor) ** 2 * identity(width)
    older, newer = (between(p.rows, pair.stamp, total) + ridge for pair in (held[0], held[-1 if len(held) < 2 else 1]))
    return precedes_margin(older - newer, newer)
