"""Do two libraries draw from the Bingham law that they name? They do not; the exact sampler of `dpmatrix` does.

Both sample the first principal component of C with density proportional to exp(-a(u)), a(u) = u'Au on the unit sphere,
``A = (epsilon/4) (lambda_max I - C)``: ``diffprivlib/mechanisms/bingham.py`` (0.6.6) and
``opendp/extras/sklearn/_make_eigenvector/__init__.py`` (0.16.0). Proposals come from the angular central Gaussian law,
of density proportional to ``(1 + 2a/b)**(-d/2)``, and are kept with probability ``exp(-a) / (M * g)``. There g has to
be the density of the proposals, whose exponent is ``-d/2``; both files (lines 148-149 and 83-84) have the exponent
``+d/2``. What is kept then has the density

    exp(-a) (1 + 2a/b)**(-d),    not    exp(-a),

too concentrated, at small epsilon as if epsilon were three times as large. Here C = diag(c, 0, ..., 0), so that
w = u_1**2 has a density on [0, 1] that quadrature gives: ``w**(-1/2) (1-w)**((d-3)/2)`` times the above with
``a = (epsilon/4) c (1 - w)``.

*Error probability.* The empirical distribution function of n draws departs from the true one by more than
``sqrt(log(2/p) / (2n))`` with probability at most p (Dvoretzky, Kiefer, Wolfowitz; Massart's constant): 0.0846 for
n = 1500 and p = 1e-9. Quadrature errs by less than 1e-4, which is added. A law is refuted beyond this radius, and
the laws that are told apart are more than twice the radius from each other (asserted), so that a sampler of the named
law would be mistaken for one of the printed law, or the other way, with probability at most 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import opendp.prelude as dp
import pytest
from diffprivlib.mechanisms import Bingham
from flint import fmpq, fmpq_mat
from opendp.extras.numpy import _sscp_domain
from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector
from scipy.optimize import brentq

from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.entropy import SystemEntropy

dp.enable_features("contrib", "idealized-numerics")
DRAWS = 1500
RADIUS = math.sqrt(math.log(2 / 1e-9) / (2 * DRAWS)) + 1e-4
NODES = 20_000
CASES = [(dimension, strength) for dimension in (2, 3, 5) for strength in (2, 8)]


def marginal(dimension: int, gap: float, *, exponent: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the distribution function of w under ``exp(-a) (1 + 2a/b)**exponent``, where a = gap (1 - w).

    Of the angle t with ``w = cos(t)**2`` the density is smooth, ``sin(t)**(d-2)`` times the above.
    """
    width = brentq(lambda b: 1 / b + (dimension - 1) / (b + 2 * gap) - 1, 1, dimension) if gap else dimension
    angles = (np.arange(NODES) + 0.5) * (math.pi / 2 / NODES)
    a = gap * np.sin(angles) ** 2
    weights = np.sin(angles) ** (dimension - 2) * np.exp(-a + exponent * np.log1p(2 * a / width))
    below = np.concatenate([[0], np.cumsum(weights)]) / weights.sum()
    ends = np.linspace(0, math.pi / 2, NODES + 1)
    return lambda w: 1 - np.interp(np.arccos(np.sqrt(np.clip(w, 0, 1))), ends, below)


def distance(sample: np.ndarray, law: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the Kolmogorov-Smirnov distance of a sample from a law."""
    values = law(np.sort(sample))
    steps = np.arange(len(sample) + 1) / len(sample)
    return float(max(np.max(steps[1:] - values), np.max(values - steps[:-1])))


def distance_of_laws(dimension: int, gap: float) -> float:
    grid = np.linspace(0, 1, 4001)
    named, printed = (marginal(dimension, gap, exponent=exponent)(grid) for exponent in (0, -dimension))
    return float(np.max(np.abs(named - printed)))


def diffprivlib_draws(dimension: int, strength: int) -> np.ndarray:
    mechanism = Bingham(epsilon=4, sensitivity=1.0)
    moment = np.diag([float(strength), *[0.0] * (dimension - 1)])
    return np.array([mechanism.randomise(moment)[0] for _ in range(DRAWS)])


def opendp_draws(dimension: int, strength: int) -> np.ndarray:
    domain = _sscp_domain(num_features=dimension, norm=1.0, p=2, size=2 * strength, T=float)
    measurement = make_private_eigenvector(domain, dp.symmetric_distance(), 4.0)
    moment = np.diag([float(strength), *[0.0] * (dimension - 1)])
    return np.array([measurement(moment)[0] for _ in range(DRAWS)])


def exact_draws(dimension: int, strength: int) -> np.ndarray:
    matrix = fmpq_mat(dimension, dimension)
    matrix[0, 0] = fmpq(strength)
    return BinghamSampler(matrix).approximate_draws(DRAWS, SystemEntropy())[0][:, 0]


@pytest.fixture
def opendp_with_numpy(with_numpy) -> None:
    """Let opendp draw from NumPy's generator."""
    with_numpy(np.random.default_rng())


@pytest.mark.parametrize(("dimension", "strength"), CASES)
def test_the_two_laws_are_far_enough_apart(dimension: int, strength: int) -> None:
    assert distance_of_laws(dimension, strength) > 2 * RADIUS


@pytest.mark.parametrize(("dimension", "strength"), CASES)
def test_the_exact_sampler_draws_from_the_named_law(record_property, dimension: int, strength: int) -> None:
    sample = exact_draws(dimension, strength) ** 2
    named = distance(sample, marginal(dimension, strength, exponent=0))
    printed = distance(sample, marginal(dimension, strength, exponent=-dimension))
    record_property("detail", f"distance from the named law {named:.4f}, from the other {printed:.4f}")
    assert named < RADIUS < printed


@pytest.mark.parametrize(("dimension", "strength"), CASES)
@pytest.mark.parametrize("draws", [diffprivlib_draws, opendp_draws])
def test_the_samplers_of_the_peers_draw_from_another_law(
    record_property, opendp_with_numpy, draws, dimension: int, strength: int
) -> None:
    sample = draws(dimension, strength) ** 2
    named = distance(sample, marginal(dimension, strength, exponent=0))
    printed = distance(sample, marginal(dimension, strength, exponent=-dimension))
    record_property("detail", f"distance from the named law {named:.4f}, from that of the printed test {printed:.4f}")
    assert named > RADIUS
    assert printed < RADIUS
