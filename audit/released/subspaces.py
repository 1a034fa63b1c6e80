"""Private subspace recovery, as the audits of releases take it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import evolve

from audit.released import laws
from audit.released.settings import REPLACED, Setting
from audit.released.subjects import Loss, Stack, Subject, Values, both
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.mechanisms import PrivateSubspaceRecovery, Release
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_laplace_noise


class Subspace(Subject):
    """Subspace recovery: a noisy gap and, where it is large, a noisy projector; d > 1 and k = 1."""

    kind = PrivateSubspaceRecovery
    methods = ("release",)
    tight = False
    law_draws = 40
    seeds = 100

    def at(self, setting: Setting) -> Setting:
        """Take four columns for one, which has no gap."""
        return setting if setting.dimension > 1 else evolve(setting, dimension=4)

    def options(self, setting: Setting) -> dict[str, Any]:
        """Add rank and delta."""
        return {**super().options(setting), "rank": 1, "delta": setting.delta}

    def guarantee(self, setting: Setting) -> PrivacyGuarantee:
        """Return (2 epsilon, 2 delta)."""
        return PrivacyGuarantee(2 * setting.epsilon, 2 * setting.delta, setting.adjacency)

    def publish(self, mechanism: Any, data: np.ndarray, entropy: Entropy | None, method: str) -> Sequence[Release]:
        """Return the gap as a release of its own, and the projector, or zeros where it is withheld."""
        found = mechanism.release(data, entropy=entropy)
        like = {"guarantee": found.guarantee, "mechanism": mechanism.name, "adjacency": mechanism.adjacency}
        entropy_name = "" if entropy is None else entropy.description
        gap = Release(
            integers=np.array([[int(found.gap * 2**20)]], dtype=object),
            grid=Fraction(1, 2**20),
            entropy=entropy_name,
            **like,
        )
        withheld = Release(
            integers=np.zeros((data.shape[1],) * 2, dtype=object), grid=Fraction(1), entropy=entropy_name, **like
        )
        return gap, withheld if found.projector is None else found.projector

    def reach(self, setting: Setting, epsilon: Fraction) -> float:
        """Return K of the proof in units of the gap: ``2 log(1 / delta) / epsilon``."""
        return 2 * math.log(1 / float(setting.delta)) / float(epsilon)

    def known_data(self, setting: Setting) -> np.ndarray:
        """Return so many equal records that the projector is published but with a probability below 1e-5."""
        rows = setting.empty(math.ceil(3 + self.reach(setting, setting.epsilon) + 24 / setting.epsilon))
        rows[:, 0] = setting.factor
        return rows

    def factor(self, setting: Setting) -> int:
        """Return s."""
        return 2 if setting.adjacency is REPLACED else 1

    def deviation(self, setting: Setting, epsilon: Fraction, gap: np.ndarray) -> np.ndarray:
        """Return the standard deviation of the projector's noise after these gaps; not a number where withheld."""
        bracket = gap - self.reach(setting, epsilon) - 2
        height = np.where(bracket > 0, 1 + bracket, np.nan)
        moved = self.factor(setting) * (1 / math.sqrt(2) + math.sqrt(2) / height) / height
        return moved * laws.gaussian_deviation(epsilon, setting.delta * Fraction(3, 2), 1.0)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw the gap, and the projector given the gap."""
        rows, dimension = len(self.known_data(setting)), setting.dimension
        gap = rows + generator.laplace(scale=2 / float(epsilon), size=size)
        triangle = generator.standard_normal((size, dimension * (dimension + 1) // 2))
        noise = laws.symmetric(triangle * self.deviation(setting, epsilon, gap)[:, None], dimension).reshape(size, -1)
        noise[:, 0] += 1
        return np.column_stack([gap, np.nan_to_num(noise)])

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take the gap, and the projector's noise in units of its standard deviation."""
        gap, dimension = stack[:, 0], setting.dimension
        deviation = self.deviation(setting, setting.epsilon, gap)
        shown = np.isfinite(deviation)
        noise = stack[shown, 1:].reshape(-1, dimension, dimension).copy()
        noise[:, 0, 0] -= 1
        entries = noise[:, *np.triu_indices(dimension)] / deviation[shown, None]
        return {
            "size of the noise of the gap": np.abs(gap - len(self.known_data(setting))),
            "size of the noise of an entry of the projector": np.abs(entries).ravel(),
            "difference of two entries": np.abs(entries[:, 0] - entries[:, -1]),
        }

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare the noisy gap of zero records with the number of the sampler."""
        gap, _ = self.publish(mechanism, setting.empty(), SeededEntropy(seed), "release")
        return int(gap.integers[0, 0]) == discrete_laplace_noise(mechanism.gap_scale, 1, SeededEntropy(seed))[0]

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the gap, plus that of the projector where a record turns it most, at several gaps.

        By the proof the exact gap is at least 2 above the bracket where the projector is published.
        """
        gaps = []
        for pair in pairs:
            sides = [
                self.publish(mechanism, data, SeededEntropy(3), "release") for data in both(pair, setting, stretch)
            ]
            gaps.append((abs(int(sides[0][0].integers[0, 0]) - int(sides[1][0].integers[0, 0])), pair.name))
        moved, name = max(gaps)
        gap_loss = Fraction(moved) / mechanism.gap_scale
        promise = PrivacyGuarantee(setting.epsilon, setting.delta * Fraction(3, 2), setting.adjacency)
        coordinates = setting.dimension * (setting.dimension + 1) // 2
        kept, projector_loss = gap_loss <= setting.epsilon * self.factor(setting) / 2, 0.0
        for bracket in (Fraction(1, 100), Fraction(2), Fraction(30)):
            variance = mechanism.noise_variance(bracket, setting.dimension)
            if variance is None:
                continue
            units = self.turned(setting, bracket) * 2**mechanism.projector_bits + 2 * setting.dimension
            kept = kept and meets(DiscreteGaussianProfile(math.floor(units) ** 2, variance, coordinates), promise)
            here = laws.gaussian_epsilon(promise.delta, units, float(variance) ** 0.5)
            projector_loss = max(projector_loss, here)
        return Loss(float(gap_loss) + projector_loss, kept, name)

    def turned(self, setting: Setting, bracket: Fraction) -> float:
        """Return how far, in Frobenius norm, a record turns the projector of data whose gap is bracket + 2."""
        base = np.diag([float(bracket) + 2, *[0.0] * (setting.dimension - 1)])
        farthest = 0.0
        for angle in np.linspace(0, math.pi / 2, 91):
            record = np.zeros(setting.dimension)
            record[:2] = math.cos(angle), math.sin(angle)
            for other in (np.zeros_like(record), np.array([record[0], -record[1], *record[2:]])):
                if setting.adjacency is not REPLACED and other.any():
                    continue
                # The gap of the data, which hold the other record, is at least bracket + 2.
                first = base + np.outer(other, other)
                tops = [np.linalg.eigh(matrix)[1][:, -1] for matrix in (first, base + np.outer(record, record))]
                farthest = max(farthest, float(np.linalg.norm(np.outer(tops[0], tops[0]) - np.outer(tops[1], tops[1]))))
        return farthest


class Gap(Subspace):
    """The gap of zero records, so that the projector is withheld but with probability delta / 2."""

    law_draws = 350

    def known_data(self, setting: Setting) -> np.ndarray:
        """Return zero records."""
        return setting.empty()

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw the gap."""
        return generator.laplace(scale=2 / float(epsilon), size=(size, 1))

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take the gap."""
        return {"gap": stack[:, 0], "size of the gap": np.abs(stack[:, 0])}


SUBSPACES: tuple[Subject, ...] = (Subspace(), Gap())
