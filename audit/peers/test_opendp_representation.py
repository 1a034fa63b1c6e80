"""Float noise of opendp 0.16 keeps its promise in every bit.

``make_laplace`` and ``make_gaussian`` take the value for the rational that it is, round it to a multiple of 2**k, add
exact discrete noise on that grid in rational arithmetic, and round the sum to a float once: post-processing of an
exactly private value. An alarm has probability at most 1e-9; what a pass could have caught is noted with each item.
"""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp
import pytest

from dpmatrix.auditing import adversarial_centres
from dpmatrix.privacy import GaussianProfile

dp.enable_features("contrib")
LAWS = {
    "Laplace": (dp.m.make_laplace, dp.l1_distance, 1.0, 0.0),
    "Gaussian": (dp.m.make_gaussian, dp.l2_distance, 4.0, float(GaussianProfile(1, 4).delta(1).upper()) + 1e-9),
}


@pytest.mark.parametrize("grid", [None, -30])
@pytest.mark.parametrize("law", LAWS)
def test_float_noise_of_opendp_gives_nothing_away(audited_low_bits, law: str, grid: int | None) -> None:
    make, distance, scale, delta = LAWS[law]

    def target(centre: float, size: int, _: np.random.Generator) -> np.ndarray:
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size), distance(T=float)
        return np.array(make(*space, scale=scale, k=grid)([centre] * size))

    pairs = [pair for pair in adversarial_centres(1.0) if abs(pair.data) <= 8][:4]
    # A coarse grid rounds two values at distance one to values at distance one and a cell.
    epsilon = 1 if grid is None else 1 + 2.0**grid
    result = audited_low_bits(target, pairs, epsilon=epsilon, delta=delta)
    assert not result.leaks
    assert not result.violated
