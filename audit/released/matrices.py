"""The mechanisms that publish a noisy matrix, as the audits of releases take them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from flint import fmpq_mat

from audit.released import laws
from audit.released.settings import (
    ADDED,
    Setting,
    largest_l1,
    largest_l2,
    largest_nuclear,
)
from audit.released.subjects import ROUNDING, Loss, Stack, Subject, Values, both, gaussian_loss, integer_changes
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    LaplaceInputPerturbation,
    ModSulq,
    Sulq,
    SymmetrisedWishartMechanism,
)
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise
from dpmatrix.randomness.lazy_matrices import LazySum, LazyWishart


class NoisyMatrix(Subject):
    """Independent noise on entries of X'X, on a lattice."""

    seeds = 60
    whole: ClassVar[bool] = False
    """Whether all entries have noise of their own, and not the upper triangle alone."""

    noise: ClassVar[Callable[..., list[int]]]

    def places(self, dimension: int) -> Any:
        """Return the places that have noise of their own."""
        return tuple(np.indices((dimension, dimension)).reshape(2, -1)) if self.whole else np.triu_indices(dimension)

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take the entries, which are independent, and sums and differences of two of them."""
        entries = stack[:, *self.places(setting.dimension)]
        found = {"an entry": entries.ravel(), "size of an entry": np.abs(entries).ravel()}
        if entries.shape[1] > 1:
            found["difference of two entries"] = np.abs(entries[:, 0] - entries[:, -1])
            found["sum of all entries"] = np.abs(entries.sum(axis=1))
        return found

    def divisor(self, setting: Setting) -> int:
        """Return the public divisor."""
        return 1 if setting.adjacency is ADDED else setting.records

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare with the numbers of the sampler."""
        (release,) = self.publish(mechanism, setting.empty(), SeededEntropy(seed), "release")
        places = self.places(setting.dimension)
        noise = type(self).noise(self.named(mechanism, setting), len(places[0]), SeededEntropy(seed))
        return list(release.integers[places]) == list(noise)

    @abstractmethod
    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the scale or the variance that the mechanism names."""


class Laplace(NoisyMatrix):
    """Discrete Laplace noise."""

    kind = LaplaceInputPerturbation
    noise = discrete_laplace_noise

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw Laplace noise of scale sensitivity / epsilon."""
        scale = largest_l1(setting) / float(epsilon) / self.divisor(setting)
        count = len(self.places(setting.dimension)[0])
        return laws.symmetric(generator.laplace(scale=scale, size=(size, count)), setting.dimension)

    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the scale."""
        return mechanism.noise_scale(setting.dimension)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the greatest l1 change over the scale: exact."""
        upper = np.ravel_multi_index(self.places(setting.dimension), (setting.dimension,) * 2)
        changes = integer_changes(self, mechanism, setting, pairs, stretch)
        name, change = max(((name, sum(map(abs, change[upper]))) for name, change in changes), key=lambda one: one[1])
        loss = change / self.named(mechanism, setting)
        return Loss(float(loss), loss <= setting.epsilon, name)


class Gaussian(NoisyMatrix):
    """Discrete Gaussian noise on the upper triangle."""

    noise = discrete_gaussian_noise

    def options(self, setting: Setting) -> dict[str, Any]:
        """Add delta."""
        return {**super().options(setting), "delta": setting.delta}

    def guarantee(self, setting: Setting) -> PrivacyGuarantee:
        """Return (epsilon, delta)."""
        return PrivacyGuarantee(setting.epsilon, setting.delta, setting.adjacency)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw Gaussian noise of the least standard deviation."""
        deviation = laws.gaussian_deviation(epsilon, setting.delta, largest_l2(setting))
        count = len(self.places(setting.dimension)[0])
        values = generator.normal(scale=deviation / self.divisor(setting), size=(size, count))
        return (
            values.reshape(size, *[setting.dimension] * 2) if self.whole else laws.symmetric(values, setting.dimension)
        )

    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the variance."""
        return mechanism.noise_variance(setting.dimension)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the greatest l2 change over the places that have noise of their own."""
        places = np.ravel_multi_index(self.places(setting.dimension), (setting.dimension,) * 2)
        found = integer_changes(self, mechanism, setting, pairs, stretch)
        changes = [(name, int(sum(x * x for x in change[places]))) for name, change in found]
        return gaussian_loss(changes, self.named(mechanism, setting), len(places), self.guarantee(setting))


class GaussAnalysis(Gaussian):
    """Algorithm 1 of `analyze-gauss`."""

    kind = AnalyzeGauss


class ModifiedSulq(Gaussian):
    """Algorithm 1 of `near-optimal`."""

    kind = ModSulq


class FullSulq(Gaussian):
    """Noise of its own on every entry, for which a change off the diagonal counts twice."""

    kind = Sulq
    whole = True


class SymmetrisedWishart(NoisyMatrix):
    """The difference of two Wishart matrices: the default of the estimators and of the command."""

    kind = SymmetrisedWishartMechanism
    law_draws = 400
    seeds = 3

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw W1 - W2 of the scale c that the pairs ask for."""
        scale = largest_nuclear(setting) / (2 * self.divisor(setting) * float(epsilon))
        first, second = (laws.wishart(size, setting.dimension, scale, generator) for _ in range(2))
        return first - second

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take the diagonal, whose entries are independent, an entry beside it, the trace and the spectral norm."""
        diagonal = np.diagonal(stack, axis1=1, axis2=2)
        found = {
            "an entry of the diagonal": diagonal.ravel(),
            "size of an entry of the diagonal": np.abs(diagonal).ravel(),
            "size of the trace": np.abs(diagonal.sum(axis=1)),
            "spectral norm": np.abs(np.linalg.eigvalsh(stack)).max(axis=1),
        }
        if setting.dimension > 1:
            found["size of an entry beside the diagonal"] = np.abs(stack[:, 0, -1])
        return found

    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the scale c."""
        return mechanism.noise_scale(setting.dimension, self.divisor(setting))

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare with two Wishart matrices of scale 1 from the same bits, times the scale."""
        (release,) = self.publish(mechanism, setting.empty(), SeededEntropy(seed), "release")
        entropy, size = SeededEntropy(seed), setting.dimension
        first, second = (LazyWishart(size, size + 1, Fraction(1), entropy) for _ in range(2))
        noise = LazySum(fmpq_mat(size, size), (first,), (second,)).approximate().center.reshape(size, size)
        return np.allclose(release.to_numpy() / float(self.named(mechanism, setting)), noise, rtol=0, atol=ROUNDING)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the greatest nuclear norm of a change over 2 c, up to the rounding of the release."""
        worst = (0.0, "")
        for pair in pairs:
            sides = [
                self.publish(mechanism, data, SeededEntropy(3), "release")[0] for data in both(pair, setting, stretch)
            ]
            assert sides[0].grid == sides[1].grid, f"neighbours differ in what is public: {pair.name}"
            change = np.array((sides[0].integers - sides[1].integers) * sides[0].grid, dtype=float)
            worst = max(worst, (float(np.abs(np.linalg.eigvalsh(change)).sum()), pair.name))
        loss = worst[0] / (2 * float(self.named(mechanism, setting)))
        return Loss(loss, loss <= float(setting.epsilon) * (1 + ROUNDING), worst[1])


MATRICES: tuple[Subject, ...] = (Laplace(), GaussAnalysis(), ModifiedSulq(), FullSulq(), SymmetrisedWishart())
