"""No mechanism of ours beats a lower bound of `near-optimal`; how near they come is measured.

Means of losses in [0, 1] by Hoeffding's inequality; each comparison errs with a probability below 1e-10.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.lower_bound_databases import first_databases, second_databases
from dpmatrix.experiments.sphere_packings import greedy_packing, orthonormal_packing
from dpmatrix.mechanisms import LaplaceInputPerturbation, ModSulq, Ppca, SymmetrisedWishartMechanism
from dpmatrix.spec.near_optimal.private_bound import SampleSize, family_loss

ERROR = 1e-10
SEED = 20


def radius(draws: int) -> float:
    return math.sqrt(math.log(1 / ERROR) / (2 * draws))


def private(epsilon):
    return {
        "PPCA": Ppca(epsilon),
        "symmetrised Wishart": SymmetrisedWishartMechanism(epsilon),
        "Laplace": LaplaceInputPerturbation(epsilon),
    }


def losses(mechanism, databases, draws):
    """``1 - |<v, v_1>|`` of simulated outputs, pooled over the databases."""
    generator = np.random.default_rng(SEED)
    found = []
    for records, vector in databases:
        outputs = mechanism.simulate(records, draws, generator)
        directions = outputs[:, :, 0] if outputs.shape[-1] == 1 else np.linalg.eigh(outputs)[1][:, :, -1]
        found.append(1 - np.minimum(np.abs(directions @ vector), 1))
    return np.concatenate(found)


@pytest.mark.parametrize(("records", "moved", "epsilon"), [(50, 15, Fraction(1, 3)), (130, 25, Fraction(1, 5))])
def test_pure_mechanisms_lose_what_theorem_8_demands(records, moved, epsilon):
    """The mean over lines is at most the worst; the bound is 1/100 or less of what the mechanisms lose."""
    dimension, gap = 5, Fraction(1, 2)
    side = {15: Fraction(2, 5), 25: Fraction(6, 13)}[moved]
    demanded = float(family_loss(SampleSize(dimension, records, epsilon, gap, Fraction(1, 2))))
    assert 1e-6 < demanded < 1e-2
    packing = greedy_packing(dimension - 1, Fraction(9, 10), 6, np.random.default_rng(1))
    databases = list(first_databases(packing, records, moved, gap, side))
    for mechanism in private(epsilon).values():
        found = losses(mechanism, databases, 150)
        assert found.mean() - radius(len(found)) > 100 * demanded
    # Control: with a thousandth of the noise every one of the draws loses less than the bound demands.
    found = losses(LaplaceInputPerturbation(1000 * epsilon), databases, 150)
    assert found.max() < demanded


def test_mod_sulq_is_not_bound_by_theorem_8_and_keeps_it_here():
    """Theorem 8 is about pure privacy; MOD-SULQ's noise of (5) is so large that it loses more all the same."""
    epsilon, packing = Fraction(1, 3), orthonormal_packing(4)
    databases = list(first_databases(packing, 50, 15, Fraction(1, 2), Fraction(2, 5)))
    found = losses(ModSulq(epsilon, delta=Fraction(1, 100), calibration="printed"), databases, 200)
    demanded = float(family_loss(SampleSize(5, 50, epsilon, Fraction(1, 2), Fraction(1, 2))))
    assert found.mean() - radius(len(found)) > 100 * demanded


def test_lemma_12_on_twenty_orthogonal_lines():
    """Eight records, epsilon 0.36: 2.88 is below ln 19. The mean correlation is at most 15/16, even 7/8."""
    epsilon, packing = Fraction(36, 100), orthonormal_packing(20)
    assert 8 * epsilon < math.log(19)
    databases = list(second_databases(packing, 8, 8, Fraction(1, 2)))
    for mechanism in private(epsilon).values():
        found = losses(mechanism, databases, 20)
        assert 1 - found.mean() + radius(len(found)) < 7 / 8
    # Control: with ten thousand times epsilon PPCA finds the line, and the average is above the bound.
    found = losses(Ppca(10_000 * epsilon), databases, 20)
    assert 1 - found.mean() - radius(len(found)) > 0.75
    assert 1 - found.mean() > 15 / 16


def test_databases_have_the_gap_and_the_eigenvector():
    packing = greedy_packing(3, Fraction(4, 5), 4, np.random.default_rng(2))
    families = [
        (first_databases(packing, 50, 15, Fraction(1, 2), Fraction(2, 5)), 50, 0.5),
        (second_databases(packing, 10, 8, Fraction(2, 5)), 10, 0.4),
        (second_databases(packing, 4, 9, Fraction(1, 3)), 4, 1 / 3),
    ]
    for databases, size, gap in families:
        for records, vector in databases:
            assert len(records) == size
            assert np.all(np.linalg.norm(records, axis=1) <= 1)
            values, vectors = np.linalg.eigh(records.T @ records / size)
            assert values[-1] - values[-2] == pytest.approx(gap, abs=1e-9)
            assert abs(vectors[:, -1] @ vector) == pytest.approx(1, abs=1e-9)
    with pytest.raises(InvalidParameterError, match="side"):
        next(first_databases(packing, 50, 15, Fraction(1, 2), Fraction(1, 3)))
