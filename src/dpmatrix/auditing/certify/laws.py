"""Whether released numbers follow a stated law: an exact two-sample test against draws of that law by other means.

Under the hypothesis that both samples are independent draws of one law, which of the pooled values were released is a
uniformly random choice of so many of them. So the number of released values at or below a quantile of the pooled values
is hypergeometric, whatever the law is, with or without ties: nothing is asymptotic and nothing is estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy.special import gammaln, logsumexp

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.certify.detectability import POWER
from dpmatrix.auditing.certify.quantiles import binomial_quantile
from dpmatrix.auditing.checks import checked_failure_probability
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction

Features: TypeAlias = Mapping[str, FloatArray]
"""Named statistics, each with its independent values, shape (m,)."""

QUANTILES = tuple(k / 16 for k in range(1, 16))
_ROUNDING = 1e-3
"""The logarithm of a tail is computed to far better than this, and the level is lowered by it."""


@frozen
class LawComparison:
    """What an exact comparison of released values with values of the stated law found.

    Attributes
    ----------
    differs
        Whether the released values do not follow the law; wrong with at most ``failure_probability``.
    feature, quantile
        The statistic and the pooled quantile with the smallest tail probability.
    hits, values
        Released values at or below that quantile, and all of them.
    other_hits, other_values
        The same for the law.
    tail
        Probability of counts as far out, on that side, if the law were the same.
    failure_probability
        Of the comparison, shared by all statistics, quantiles and sides.
    """

    differs: bool
    feature: str
    quantile: float
    hits: int
    values: int
    other_hits: int
    other_values: int
    tail: float
    failure_probability: Exact

    def message(self) -> str:
        """Say what was found."""
        verdict = "do not follow" if self.differs else "were not shown to differ from"
        return (
            f"the released values {verdict} the stated law, confidence 1 - {self.failure_probability}\n"
            f"statistic: {self.feature}, at most {self.quantile:.6g}\n"
            f"counts: {self.hits} of {self.values} released values, {self.other_hits} of {self.other_values} of "
            f"the law\n"
            f"probability of such counts under one law: {self.tail:.3g}"
        )


def _log_choose(total: npt.ArrayLike, chosen: npt.ArrayLike) -> FloatArray:
    n, k = np.asarray(total, dtype=np.float64), np.asarray(chosen, dtype=np.float64)
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _log_tail(hits: int, values: int, other_hits: int, other_values: int) -> float:
    """Return the logarithm of the hypergeometric tail on the side on which ``hits`` lies."""
    below, total = hits + other_hits, values + other_values
    least, most = max(0, below - other_values), min(values, below)
    few = hits * total <= below * values
    counts = np.arange(least, hits + 1) if few else np.arange(hits, most + 1)
    terms = _log_choose(values, counts) + _log_choose(other_values, below - counts)
    return float(logsumexp(terms) - _log_choose(total, below))


def _looks(released: Features, law: Features) -> Iterator[tuple[str, FloatArray, FloatArray, float]]:
    for name, values in released.items():
        others = np.asarray(law[name], dtype=np.float64)
        for quantile in np.quantile(np.concatenate([values, others]), QUANTILES, method="inverted_cdf"):
            yield name, values, others, float(quantile)


def _level(features: int, failure_probability: Exact) -> float:
    share = float(fraction(checked_failure_probability(failure_probability))) / (2 * features * len(QUANTILES))
    return math.log(share) - _ROUNDING


def compare_laws(released: Features, law: Features, *, failure_probability: Exact) -> LawComparison:
    """Compare released values with independent draws of the law that they should have.

    Parameters
    ----------
    released
        For each statistic values that are independent of each other, of shape (m,), finite; statistics may depend on
        each other.
    law
        The same statistics of draws of the stated law, of any number.
    failure_probability
        In (0, 1): that the law is said to differ although it does not.

    Returns
    -------
    LawComparison
        At the statistic and the quantile that speak loudest.

    Raises
    ------
    InvalidParameterError
        If there is no statistic, two lists of statistics differ, or a value is missing or not finite.
    """
    if not released or set(released) != set(law):
        raise InvalidParameterError(
            "law", "its statistics are others, or it has no statistic", "pass the same statistics"
        )
    for sample in (released, law):
        for name, values in sample.items():
            if np.ndim(values) != 1 or not np.size(values) or not np.isfinite(values).all():
                raise InvalidParameterError("released", f"{name} is no list of finite numbers", "pass shape (m,)")
    level = _level(len(released), failure_probability)
    found: list[tuple[float, LawComparison]] = []
    for name, values, others, quantile in _looks(released, law):
        hits, other_hits = (int(np.count_nonzero(sample <= quantile)) for sample in (values, others))
        tail = _log_tail(hits, len(values), other_hits, len(others))
        counts = (hits, len(values), other_hits, len(others))
        differs = tail <= level
        found.append((tail, LawComparison(differs, name, quantile, *counts, math.exp(tail), failure_probability)))
    return min(found, key=lambda one: one[0])[1]


def would_differ(values: Mapping[str, int], law: Features, other_law: Features, *, failure_probability: Exact) -> bool:
    """Tell whether so many released values of another law would be noticed, with probability `POWER`.

    Computed in floating point from the shares of the two samples: it plans a comparison and proves nothing.

    Parameters
    ----------
    values
        For each statistic how many values would be released.
    law
        Draws of the stated law, as many as the comparison is going to have.
    other_law
        Draws of the law that the values would have, finite.
    failure_probability
        Of the comparison.
    """
    level, miss = _level(len(law), failure_probability), (1.0 - POWER) / 2
    for name, others, mine, quantile in _looks(other_law, law):
        likelier, share = (float(np.mean(sample <= quantile)) for sample in (others, mine))
        more = likelier > share
        # Bad luck on both sides shares the probability of a miss.
        hits = binomial_quantile(miss if more else 1 - miss, values[name], likelier)
        other_hits = binomial_quantile(1 - miss if more else miss, len(mine), share)
        apart = hits * len(mine) - other_hits * values[name]
        if (apart > 0) is more and apart and _log_tail(hits, values[name], other_hits, len(mine)) <= level:
            return True
    return False
