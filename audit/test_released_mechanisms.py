"""Audits of `release` itself, on mechanisms that promise privacy: nothing is simulated and nothing is rounded.

Every audit is wrong with probability at most 1e-9. The control is the same mechanism with the noise of epsilon = 80 and
the claim of epsilon = 1: an output moves by many of its deviations, or a direction that is drawn at random becomes one
that is nearly fixed. An event of probability 3/4 on one data set and 1/100 on the other, which is less clear than that,
gives at least 240 hits of 400 against at most 20, which are certified, but with probability 2e-9.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.auditing import from_single_draw, neighbouring_pairs
from dpmatrix.mechanisms import AnalyzeGauss, ModSulq, Ppca, SequentialPpca, Sulq
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

DELTA = Fraction(1, 10**6)
MECHANISMS = {
    "AnalyzeGauss": lambda epsilon: AnalyzeGauss(epsilon, delta=DELTA),
    "ModSulq": lambda epsilon: ModSulq(epsilon, delta=DELTA),
    "Sulq": lambda epsilon: Sulq(epsilon, delta=DELTA),
    "Ppca": lambda epsilon: Ppca(epsilon),
    "SequentialPpca": lambda epsilon: SequentialPpca(epsilon, rank=2),
}


@pytest.fixture(params=list(MECHANISMS))
def try_release(request, audited):
    """Audit one of them at epsilon = 1, with the noise of another epsilon."""

    def run(epsilon: int, view: str, *, control: bool):
        mechanism = MECHANISMS[request.param](epsilon)

        def draw(data: np.ndarray, generator: np.random.Generator) -> np.ndarray:
            values = mechanism.release(data, entropy=SeededEntropy(int(generator.integers(2**62)))).to_numpy()
            return values.ravel() if isinstance(mechanism, Ppca | SequentialPpca) else values

        return audited(
            from_single_draw(draw),
            neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)[:2],
            epsilon=1,
            delta=0 if mechanism.guarantee.is_pure else DELTA,
            training=100,
            confirmation=400,
            seed=23,
            subject=(mechanism, f"release, every bit, d = 2{view}"),
            control=control,
        )

    return run


def test_a_release_raises_no_alarm(try_release) -> None:
    assert not try_release(1, "", control=False).violated


def test_the_noise_of_a_larger_epsilon_is_caught(try_release) -> None:
    assert try_release(80, ", noise for epsilon = 80", control=True).violated
