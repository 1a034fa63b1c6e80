"""What the best of all audits could certify: the Neyman-Pearson events of the true law, at a number of outputs.

Whoever counts an event on samples and bounds its two probabilities does best, for every probability under P, with the
event that the privacy loss exceeds a threshold. Where its law is known, the bounds for all thresholds can be computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from attrs import frozen
from scipy.special import betaincinv
from scipy.stats import binom

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.exact import Exact, fraction

_STEPS = 100
_LUCK = 0.01


@frozen(eq=False)
class LossLaw:
    """The law under P of the privacy loss log(dP/dQ) on a grid.

    Attributes
    ----------
    losses, probabilities
        Shape (k,) each, the losses in growing order.
    """

    losses: FloatArray
    probabilities: FloatArray


def laplace_losses(shifts: Iterable[float], steps: int = _STEPS) -> LossLaw:
    """Return the law of the loss for independent Laplace noise of scale one on entries that move by equal shifts.

    The loss of every entry is rounded up, to a grid of ``2 steps`` cells between minus the shift and the shift, so that
    what is computed from the law is at least what is true; all shifts are the same number.

    Parameters
    ----------
    shifts
        Of the entries, positive and equal.
    steps
        Half the number of cells.
    """
    moved = tuple(shifts)
    shift = moved[0]
    width = shift / steps
    # The loss is 2 z - s for noise z between 0 and the shift s, -s below and s above, and z has density exp(z - s) / 2.
    ends = np.arange(-steps, steps + 1) * width
    below = np.exp((ends - shift) / 2) / 2
    cells = np.concatenate([below[:1], np.diff(below)])
    cells[-1] += 0.5
    total = np.ones(1)
    for _ in moved:
        total = np.convolve(total, cells)
    losses = np.asarray((np.arange(len(total)) - steps * len(moved)) * width, dtype=np.float64)
    return LossLaw(losses, total)


def most_certifiable(law: LossLaw, samples: int, failure_probability: Exact) -> float:
    """Bound what samples can certify of epsilon at delta = 0, whatever threshold the event has.

    For each event both counts are taken at their lucky quantile: with probability 0.99 an audit by that event certifies
    no more. In floating point.

    Parameters
    ----------
    law
        Of the privacy loss.
    samples
        On each of the two data sets.
    failure_probability
        Of the audit, all of it spent on one look.
    """
    likelier = np.minimum(np.cumsum(law.probabilities[::-1]), 1.0)
    rarer = np.minimum(np.cumsum((law.probabilities * np.exp(-law.losses))[::-1]), 1.0)
    hits = binom.ppf(1 - _LUCK / 2, samples, likelier)
    other_hits = binom.ppf(_LUCK / 2, samples, rarer)
    level = float(fraction(failure_probability)) / 2
    with np.errstate(all="ignore"):
        lower = np.where(hits > 0, betaincinv(hits, samples - hits + 1, level), 0.0)
        upper = np.where(other_hits < samples, betaincinv(other_hits + 1, samples - other_hits, 1 - level), 1.0)
        bounds = np.log(lower / upper)
    found = float(np.nanmax(bounds))
    return found if math.isfinite(found) else 0.0
