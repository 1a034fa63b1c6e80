"""Quantiles of binomial and beta laws, as floats that scipy proposes; what is certified does not rest on them.

scipy is imported at the first quantile: an audit starts several processes that need none.
"""

from __future__ import annotations

import math


def beta_quantile(first: float, second: float, level: float) -> float:
    """Return about the number that a beta variable with these shapes stays below with probability ``level``.

    Parameters
    ----------
    first, second
        Shapes, above 0.
    level
        In [0, 1].
    """
    from scipy.special import betaincinv  # at the first quantile, as said above

    return float(betaincinv(first, second, level))


def binomial_quantile(level: float, trials: int, probability: float) -> int:
    """Return the least number of hits that a binomial variable stays at or below with probability ``level`` or more.

    Parameters
    ----------
    level
        In (0, 1).
    trials
        1 or more.
    probability
        Of a hit, in [0, 1].
    """
    from scipy.special import bdtr, bdtrik  # at the first quantile, as said above

    if probability in (0.0, 1.0):
        return trials if probability else 0
    if bdtr(0, trials, probability) >= level:
        return 0
    hits = math.ceil(bdtrik(level, trials, probability))
    return hits - 1 if bdtr(hits - 1, trials, probability) >= level else hits
