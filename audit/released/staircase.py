"""The staircase mechanism, as the audits of releases take it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import evolve

from audit.released import laws
from audit.released.matrices import KNorm
from audit.released.settings import REPLACED, Setting, changes
from audit.released.subjects import ROUNDING, Loss, Stack
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.mechanisms import StaircaseMechanism
from dpmatrix.mechanisms.stairs import MOST_EPSILON
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyUniforms


class Staircase(KNorm):
    """Noise whose density falls in steps of the norm of a change."""

    kind = StaircaseMechanism

    def build(self, setting: Setting, **more: Any) -> Any:
        """Build the mechanism; a control asks for epsilons that it does not take, and gets the greatest."""
        larger = isinstance(setting.epsilon, Fraction) and setting.epsilon > MOST_EPSILON
        return super().build(evolve(setting, epsilon=MOST_EPSILON) if larger else setting, **more)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw N shell by shell: the least norms of a step and its greatest, and the direction of K-norm noise."""
        largest = max(self.cost(change, setting) for change in changes(setting))
        replaces = setting.adjacency is REPLACED
        noise = laws.k_norm(size, setting.dimension, 1.0, generator, replaces=replaces)
        norms = laws.stair_norms(size, places(setting.dimension), float(epsilon), generator)
        lengths = np.array([self.cost(one, setting) for one in noise])
        return noise * (norms / lengths * largest / self.divisor(setting))[:, None, None]

    def drawn(self, size: int, entropy: SeededEntropy, setting: Setting) -> np.ndarray:
        """Draw noise of scale 1 from the bits, by floating point alone."""
        noise = super().drawn(size, entropy, setting)
        share = float(LazyUniforms((1,), entropy).approximate().center[0])
        power = math.exp(-float(LazyExponentials((1,), entropy).approximate().center[0]) / places(size))
        width = float(self.build(setting).stairs(size).width)
        steps = np.arange(laws.STEPS)
        weights = np.exp(-float(setting.epsilon) * steps) * (steps + width) ** places(size)
        step = int(np.searchsorted(np.cumsum(weights), share * weights.sum()))
        return np.asarray(noise * (step + width) * power / self.cost(noise, setting))

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare with the noise of the epsilon that the mechanism names: its steps follow from it."""
        return super().replayed(mechanism, evolve(setting, epsilon=mechanism.epsilon), seed)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return epsilon times the greatest number of steps that a change can take, rounded up."""
        smooth = super().loss(mechanism, setting, pairs, stretch)
        steps = math.ceil(smooth.epsilon * (1 - ROUNDING))
        loss = mechanism.epsilon * steps
        return Loss(float(loss), loss <= setting.epsilon, smooth.pair)


def places(dimension: int) -> int:
    """Return how many numbers a symmetric matrix has."""
    return dimension * (dimension + 1) // 2
