"""What the repaired Algorithm 2 outputs, and with which probability: Lemma 2 and Corollary 1 as repaired.

The sketches have m rows in place of 4r/eta. For a time t and a stamp s that are fixed in advance, sigma Phi plus the
sum of g_u'a_u over s <= u <= t is (Phi g_s' ... g_t') times (sigma I; A_[s,t]): a Gaussian sketch of m rows of a matrix
of rank d. The algorithm chooses its stamps by looking at the sketches, so the accuracy is asked of all T(T+1)/2 pairs.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, ball, rational
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.approximate_update import APPROXIMATIONS, NEAR_SHAPES
from dpmatrix.spec.sliding_window.histograms import Histogram, approximate_accuracy_margin, window_gram
from dpmatrix.spec.sliding_window.loewner import precedes_margin, scaled
from dpmatrix.spec.sliding_window.sketches import SketchSize, failure_bound, quarter_enough_margin
from dpmatrix.spec.sliding_window.update_lemmas import RUN, StreamRun, structure


def output_of(p: StreamRun) -> Histogram:
    """Data structure after the last row; its first sketch is the output."""
    return structure(p, rational(p.eta) / 2)


def accurate_output(p: StreamRun) -> arb:
    """Slack of both bounds of Lemma 2, with the floor sigma^2."""
    return approximate_accuracy_margin(output_of(p))


def doubled_margin(p: Histogram) -> arb:
    """(1 - eta) X <= S~_1 <= (1 + 2 eta) X for X = A_W'A_W + sigma^2 I."""
    inside, eta = window_gram(p), rational(p.eta)
    lower = precedes_margin(scaled(1 - eta, inside), p.approximations[0])
    return lower.min(precedes_margin(p.approximations[0], scaled(1 + 2 * eta, inside)))


def doubled_output(p: StreamRun) -> arb:
    """Slack of both bounds of Corollary 1 with sigma^2 and 1 + 2 eta."""
    return doubled_margin(output_of(p))


ON_THE_EVENT = (*RUN, at_least("floor", 0), NEAR_SHAPES, APPROXIMATIONS)


@attrs.frozen
class ManySketches:
    """The sketches of all times and stamps of a stream.

    Parameters
    ----------
    dimension, total
        d and T.
    size
        m, the number of rows of each sketch; its variates are N(0, 1/m).
    eta, beta
        Accuracy, and allowed probability of failure.
    """

    dimension: int
    total: int
    size: int
    eta: Exact
    beta: Exact


def pairs(p: ManySketches) -> int:
    """``T (T + 1) / 2``, the number of times and stamps."""
    return p.total * (p.total + 1) // 2


def outside(size: int, distortion: arb) -> arb:
    """Probability that chi^2_m / m is not within 1 +- distortion, for a distortion below 1."""
    half = arb(size) / 2
    return lower_tail(half * (1 - distortion), half) + upper_tail(half * (1 + distortion), half)


def all_within(p: ManySketches) -> arb:
    """Probability that every sketch is within 1 +- eta/4 of its matrix: exact for d = T = 1, else enclosed.

    One sketch is G'G for m x d independent N(0, 1/m) in the basis where its matrix is I. If |G'G - I| > a then some
    entry is beyond a/d. An entry off the diagonal is half the difference of two |Gu|^2, u = (e_i +- e_j)/sqrt 2, so
    one of d^2 vectors u of norm 1 has | |Gu|^2 - 1| > a/d, and |Gu|^2 is chi^2_m / m. From above: u = e_1 alone.
    """
    quarter = ball(p.eta) / 4
    most = 1 - outside(p.size, quarter)
    count = pairs(p) * p.dimension**2
    return (1 - count * outside(p.size, quarter / p.dimension)).max(arb(0)).union(most)


def success_asked(p: ManySketches) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.beta)


def union_slack(p: ManySketches) -> arb:
    """``beta`` minus the union over all times and stamps of the bound of Theorem 9 as repaired."""
    return ball(p.beta) - pairs(p) * failure_bound(SketchSize(p.dimension, p.size, rational(p.eta) / 4, p.beta))


def enough_rows(p: ManySketches) -> arb:
    """``m - 2 (d log 3 + log(T (T + 1)/beta)) / (x - log(1 + x))``, x = 7 eta/32."""
    return quarter_enough_margin(SketchSize(p.dimension, p.size, p.eta, ball(p.beta) / pairs(p)))


ENOUGH_ROWS = (
    whole("dimension", 1),
    whole("total", 1),
    whole("size", 1),
    positive("eta"),
    below("eta", 1),
    positive("beta"),
    below("beta", 1),
    exceeds("m >= 2 (d log 3 + log(T(T+1)/beta))/(x - log(1+x)), x = 7 eta/32", enough_rows, strict=False),
)
