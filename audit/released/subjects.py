"""What the audits of releases need of a mechanism.

A subject knows how a mechanism is built and run, how its noise is described by the statement that it rests on, and what
an output on two data sets costs. It computes none of these with the calibration of the mechanism under audit.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np
from attrs import frozen

from audit.released import laws
from audit.released.settings import (
    Setting,
    pairs_at,
)
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.targets.target import scaled_records
from dpmatrix.mechanisms import (
    Release,
)
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import Entropy, SeededEntropy

Stack: TypeAlias = np.ndarray
Values: TypeAlias = dict[str, np.ndarray]

ROUNDING = 1e-6
"""Of numbers that are compared in floating point, relative."""


OTHER_NOISE = 4
"""Pairs whose change is read off twice, with other noise."""


@frozen
class Loss:
    """What the worst of some pairs costs at the noise of a release.

    Attributes
    ----------
    epsilon
        The least epsilon at which the delta of the worst pair is at most the one that is guaranteed.
    kept
        Whether the guarantee was certified for that pair.
    pair
        Its name.
    """

    epsilon: float
    kept: bool
    pair: str


class SecretSeed(SeededEntropy):
    """Bits of a seed that pass for secret: what is released from these is what is released from secret ones."""

    private = True


class Subject(ABC):
    """A mechanism under audit."""

    kind: ClassVar[type]
    methods: ClassVar[tuple[str, ...]] = ("release", "release_blocks")
    """Public methods that publish; the first one is audited, the others must publish the same."""

    tight: ClassVar[bool] = True
    """Whether some pair must come close to the guarantee where the noise is the least, for d > 1."""

    law_draws: ClassVar[int] = 300
    """Releases whose law is compared."""

    def blind(self, setting: Setting) -> bool:
        """Whether the output has nothing to do with the data, so that there is no noise to look at."""
        return False

    seeds: ClassVar[int] = 3
    """From how many seeds releases are compared with the numbers of the sampler."""

    slow: ClassVar[bool] = False
    """Whether a release takes so long that no law is compared and no event searched for."""

    def at(self, setting: Setting) -> Setting:
        """Return the setting that the mechanism takes, where it does not take this one."""
        return setting

    def options(self, setting: Setting) -> dict[str, Any]:
        """Return what the mechanism is built from."""
        return {"adjacency": setting.adjacency, "norm_bound": setting.norm_bound}

    def build(self, setting: Setting, **more: Any) -> Any:
        """Build the mechanism."""
        return self.kind(setting.epsilon, **self.options(setting), **more)

    def calibrations(self) -> tuple[str, ...]:
        """List the choices of calibration."""
        return ("tight", "printed") if "calibration" in inspect.signature(self.kind).parameters else ()

    def guarantee(self, setting: Setting) -> PrivacyGuarantee:
        """Return what the release must say that it keeps."""
        return PrivacyGuarantee(setting.epsilon, 0, setting.adjacency)

    def publish(self, mechanism: Any, data: np.ndarray, entropy: Entropy | None, method: str) -> Sequence[Release]:
        """Publish on one of the methods: all that is published."""
        if method == "release_blocks":
            return (mechanism.release_blocks([data[:1], data[1:]], data.shape[1], entropy=entropy),)
        return (mechanism.release(data, entropy=entropy),)

    def seen(self, releases: Sequence[Release]) -> np.ndarray:
        """Return what a search for events looks at: a matrix or a vector of one shape."""
        values = [release.to_numpy() for release in releases]
        return values[0] if len(values) == 1 else np.concatenate([one.ravel() for one in values])

    def pairs(self, setting: Setting) -> tuple[NeighbouringPair, ...]:
        """Return pairs in the unit ball."""
        return pairs_at(setting)

    def known_data(self, setting: Setting) -> np.ndarray:
        """Return the data on which the law is compared."""
        return setting.empty()

    @abstractmethod
    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw what `seen` is on the known data with the noise of some epsilon, as the statement describes it."""

    @abstractmethod
    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Return statistics of outputs on the known data; each has independent values."""

    @abstractmethod
    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Whether the random part of a release is the sampler's, at the noise that the mechanism names, from a seed."""

    @abstractmethod
    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the worst pair, whose records are stretched beyond the norm bound by a factor."""

    def draws(self, setting: Setting, data: np.ndarray, size: int, seed: int) -> Stack:
        """Publish so many times with bits of one seeded source, which passes for secret."""
        mechanism, entropy = self.build(setting), SecretSeed(seed)
        return np.stack([self.seen(self.publish(mechanism, data, entropy, self.methods[0])) for _ in range(size)])


def both(pair: NeighbouringPair, setting: Setting, stretch: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return a pair at the norm bound, or stretched beyond it."""
    return (
        scaled_records(pair.data, setting.factor * stretch),
        scaled_records(pair.neighbour, setting.factor * stretch),
    )


def integer_changes(
    subject: Subject, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float
) -> list[tuple[str, np.ndarray]]:
    """Return what a pair changes in the published integers, all of them in one vector, while the noise is frozen.

    Raises
    ------
    AssertionError
        If the change depends on the noise, or something but the integers changes.
    """
    found = []
    for number, pair in enumerate(pairs):
        sides = both(pair, setting, stretch)
        changed = []
        for seed in (3, 4) if number < OTHER_NOISE else (3,):
            first, second = (
                subject.publish(mechanism, data, SeededEntropy(seed), subject.methods[0]) for data in sides
            )
            public = [[(r.grid, r.integers.shape, r.guarantee, r.adjacency) for r in side] for side in (first, second)]
            assert public[0] == public[1], f"neighbours differ in what is public: {pair.name}"
            changed.append(
                np.concatenate([(a.integers - b.integers).ravel() for a, b in zip(first, second, strict=True)])
            )
        assert all(np.array_equal(changed[0], one) for one in changed), f"the noise depends on the data: {pair.name}"
        found.append((pair.name, changed[0]))
    return found


def gaussian_loss(
    changes: Sequence[tuple[str, int]], variance: Fraction, coordinates: int, guarantee: PrivacyGuarantee
) -> Loss:
    """Return the loss of the greatest squared change under discrete Gaussian noise."""
    name, square = max(changes, key=lambda change: change[1])
    kept = meets(DiscreteGaussianProfile(square, variance, coordinates), guarantee)
    return Loss(laws.gaussian_epsilon(guarantee.delta, square**0.5, float(variance) ** 0.5), kept, name)
