"""Shared by the tests of samplers: the distance that an empirical distribution keeps from its law."""

from __future__ import annotations

import math

import pytest
from scipy.stats import ks_1samp

ERROR = 1e-10


@pytest.fixture
def cdf_radius():
    """Distance that an empirical CDF of ``size`` draws exceeds with probability at most 1e-10 (Massart 1990).

    ``P(sup |F_n - F| > t) <= 2 exp(-2 n t**2)`` for every law, discrete ones included.
    """
    return lambda size: math.sqrt(math.log(2 / ERROR) / (2 * size))


@pytest.fixture
def cdf_distance():
    """Largest distance between the empirical CDF of draws and a continuous CDF, which takes arrays."""
    return lambda draws, cdf: float(ks_1samp(draws, cdf, method="asymp").statistic)
