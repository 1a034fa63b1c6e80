"""What the repaired Algorithm 2 outputs, and with which probability: Lemma 2 and Corollary 1 as repaired.

The sketches have m rows in place of 4r/eta. For a time t and a stamp s that are fixed in advance, sigma Phi plus the
sum of g_u'a_u over s <= u <= t is (Phi g_s' ... g_t') times (sigma I; A_[s,t]): a Gaussian sketch of m rows of a matrix
of rank d. The algorithm chooses its stamps by looking at the sketches, so the accuracy is asked of all T(T+1)/2 pairs.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.histograms import Histogram, approximate_accuracy_margin, window_gram
from dpmatrix.spec.sliding_window.loewner import flag, precedes_margin, scaled
from dpmatrix.spec.sliding_window.quoted_mechanisms import sketch_floor
from dpmatrix.spec.sliding_window.sketches import SketchSize, failure_bound, quarter_enough_margin
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun, every_approximation_margin, structure


@attrs.frozen
class SketchedRun(StreamRun):
    """A run of the repaired Algorithm 2: ``floor`` is sigma^2, ``approximations`` are the A~'A~ of all pairs (t, s).

    Parameters
    ----------
    size
        m, the number of rows of each sketch; its variates are N(0, 1/m).
    beta
        Allowed probability of failure.
    epsilon, delta
        The promise for which sigma is chosen.
    """

    size: int = 1
    beta: Exact = 1
    epsilon: Exact = 1
    delta: Exact = 1


def pairs(p: SketchedRun) -> int:
    """``T (T + 1) / 2``, the number of times and stamps."""
    return p.rows.nrows() * (p.rows.nrows() + 1) // 2


def failure_slack(p: SketchedRun) -> arb:
    """``beta`` minus the bound on the probability that some sketch is not within 1 +- eta/4."""
    each = SketchSize(p.rows.ncols(), p.size, rational(p.eta) / 4, p.beta)
    return ball(p.beta) - pairs(p) * failure_bound(each)


def _unless_failed(p: SketchedRun, output: arb) -> arb:
    """Slack of the probability, and of the output wherever every sketch is within 1 +- eta/4."""
    accurate, slack = every_approximation_margin(p), failure_slack(p)
    if accurate < 0:
        return slack
    return slack.min(output) if accurate >= 0 else arb("nan")


def output_of(p: SketchedRun) -> Histogram:
    """Data structure after the last row; its first sketch is the output."""
    return structure(p, rational(p.eta) / 2)


def accurate_output(p: SketchedRun) -> arb:
    """Slack of both bounds of Lemma 2 with sigma^2, and of the probability."""
    return _unless_failed(p, approximate_accuracy_margin(output_of(p)))


def doubled_margin(p: Histogram) -> arb:
    """(1 - eta) X <= S~_1 <= (1 + 2 eta) X for X = A_W'A_W + sigma^2 I."""
    inside, eta = window_gram(p), rational(p.eta)
    lower = precedes_margin(scaled(1 - eta, inside), p.approximations[0])
    return lower.min(precedes_margin(p.approximations[0], scaled(1 + 2 * eta, inside)))


def doubled_output(p: SketchedRun) -> arb:
    """Slack of both bounds of Corollary 1 with sigma^2 and 1 + 2 eta, and of the probability."""
    return _unless_failed(p, doubled_margin(output_of(p)))


def enough_rows(p: SketchedRun) -> arb:
    """``m - 384 (d log 9 + log(T (T + 1)/beta)) / eta^2``."""
    each = SketchSize(p.rows.ncols(), p.size, p.eta, ball(p.beta) / pairs(p))
    return quarter_enough_margin(each)


def enough_noise(p: SketchedRun) -> arb:
    """``sigma^2 - w^2`` with the w that Theorem 12 asks for when the sketch has m rows."""
    return ball(p.floor) - square(sketch_floor(p.size, p.epsilon, p.delta))


def sketch_shapes(p: SketchedRun) -> arb:
    """0 when there is one symmetric d x d matrix for every time and stamp."""
    width = p.rows.ncols()
    fits = all((each.nrows(), each.ncols()) == (width, width) for each in p.approximations)
    return flag(fits and len(p.approximations) == pairs(p) and all(m == m.transpose() for m in p.approximations))


SKETCHED = (
    exceeds("one symmetric A~'A~ for every time and stamp", sketch_shapes, strict=False),
    whole("window", 2),
    positive("eta"),
    below("eta", 1),
    positive("beta"),
    below("beta", 1),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    whole("size", 1),
    exceeds("m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2", enough_rows, strict=False),
    exceeds("sigma >= w, the w of Theorem 12 for m rows", enough_noise, strict=False),
)
