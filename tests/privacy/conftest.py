"""Shared by the tests of profiles: quadrature to 50 digits and intervals for simulated probabilities."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from flint import arb
from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre
from scipy.stats import beta

DIGITS = 50
NODES = 5
"""Degree of the rule in mpmath's counting: 96 nodes, exact for polynomials of degree 191."""

ERROR = 1e-10


@pytest.fixture
def fifty_digits():
    """Work with 50 digits and 15 more to lose."""
    with mp.workdps(DIGITS + 15):
        yield


@pytest.fixture(scope="session")
def gauss_nodes():
    with mp.workdps(DIGITS + 15):
        return GaussLegendre(mp).calc_nodes(NODES, mp.prec)


@pytest.fixture
def integrate(gauss_nodes, fifty_digits):
    """Integrate a smooth function over the pieces between the points, one after the other."""

    def over(function, points):
        total = mpf(0)
        for left, right in pairwise(points):
            middle, half = (left + right) / 2, (right - left) / 2
            total += half * mpmath.fsum(weight * function(middle + half * node) for node, weight in gauss_nodes)
        return total

    return over


@pytest.fixture
def agrees(fifty_digits):
    """Whether a ball meets a value that is known to 40 digits."""
    return lambda ball, value: ball.overlaps(arb(mpmath.nstr(value, DIGITS + 5)) * (1 + arb(0, 10.0**-40)))


@pytest.fixture
def probability_interval():
    """Clopper-Pearson interval for a probability from hits among draws; it fails with probability at most 1e-10."""

    def interval(hits, draws):
        lower = float(beta.ppf(ERROR / 2, hits, draws - hits + 1)) if hits else 0.0
        upper = float(beta.isf(ERROR / 2, hits + 1, draws - hits)) if hits < draws else 1.0
        return lower, upper

    return interval
