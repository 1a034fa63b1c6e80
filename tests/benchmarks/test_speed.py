"""Speed, as ratios against a named peer in the same run: `make bench`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.randomness.entropy import SystemEntropy

DATA = np.full((200, 20), 0.1)


def floating_point_laplace() -> np.ndarray:
    """Peer: the same noise in floating point, which is not private."""
    noise = np.random.default_rng().laplace(size=(20, 20))
    return DATA.T @ DATA + np.triu(noise) + np.triu(noise, 1).T


def floating_point_profile() -> float:
    """Peer: the Gaussian profile with scipy's normal distribution, without a certificate."""
    return float(norm.cdf(0.5 - 1.0) - np.exp(1.0) * norm.cdf(-0.5 - 1.0))


@pytest.mark.benchmark(group="release a 20 x 20 matrix")
@pytest.mark.parametrize("method", ["numpy floats (not private)", "lattice Laplace", "correctly rounded W1 - W2"])
def test_release(benchmark, method: str) -> None:
    entropy = SystemEntropy()
    methods = {
        "numpy floats (not private)": floating_point_laplace,
        "lattice Laplace": lambda: LaplaceInputPerturbation(1).release(DATA, entropy=entropy),
        "correctly rounded W1 - W2": lambda: SymmetrisedWishartMechanism(1).release(DATA, entropy=entropy),
    }
    benchmark(methods[method])


@pytest.mark.benchmark(group="Gaussian profile at one point")
@pytest.mark.parametrize("kind", ["scipy (no certificate)", "certified"])
def test_profile(benchmark, kind: str) -> None:
    kinds = {"scipy (no certificate)": floating_point_profile, "certified": lambda: GaussianProfile(1, 1).delta(1)}
    benchmark(kinds[kind])
