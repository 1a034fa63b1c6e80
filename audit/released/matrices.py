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
    REPLACED,
    Setting,
    changes,
    largest_l1,
    largest_l2,
    largest_nuclear,
    largest_part,
)
from audit.released.subjects import ROUNDING, Loss, Stack, Subject, Values, both, gaussian_loss, integer_changes
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    CoupledTracesMechanism,
    GaussianOrthogonal,
    KNormMechanism,
    LaplaceInputPerturbation,
    ModSulq,
    Sulq,
    SymmetrisedWishartMechanism,
)
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.randomness.lazy_matrices import LazySum, LazyWishart
from dpmatrix.randomness.lazy_traces import CoupledTraces as LazyCoupledTraces


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


class Orthogonal(Gaussian):
    """The symmetric part of independent entries, less a mean of the diagonal where a record is replaced."""

    kind = GaussianOrthogonal

    def drawn(self, setting: Setting) -> int:
        """Return how many numbers are drawn."""
        return setting.dimension**2 + (setting.adjacency is REPLACED)

    def noise_of(self, setting: Setting, numbers: np.ndarray) -> np.ndarray:
        """Make noise of numbers, shape (size, d d + 1), or (size, d d) where a record is added or removed."""
        size = setting.dimension
        square = numbers[:, : size * size].reshape(-1, size, size)
        found = (square + square.transpose(0, 2, 1)) / 2
        if setting.adjacency is REPLACED:
            mean = (np.trace(square, axis1=1, axis2=2) + numbers[:, -1]) / (size + 1)
            for i in range(size):
                found[:, i, i] -= mean
        return found

    def squared(self, setting: Setting, change: np.ndarray) -> Any:
        """Return the squared change: that of the entries, and of the trace where a record is replaced."""
        return (change**2).sum() + (np.trace(change) ** 2 if setting.adjacency is REPLACED else 0)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw noise of the least standard deviation."""
        change = max(float(self.squared(setting, one)) for one in changes(setting)) ** 0.5
        deviation = laws.gaussian_deviation(epsilon, setting.delta, change) / self.divisor(setting)
        return self.noise_of(setting, generator.normal(scale=deviation, size=(size, self.drawn(setting))))

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take the entries beside the diagonal, which are independent, and of the diagonal three numbers."""
        diagonal = np.diagonal(stack, axis1=1, axis2=2)
        found = {
            "the first entry": diagonal[:, 0],
            "size of the first entry": np.abs(diagonal[:, 0]),
            "size of the trace": np.abs(diagonal.sum(axis=1)),
        }
        if setting.dimension > 1:
            beside = stack[:, *np.triu_indices(setting.dimension, 1)]
            found["an entry beside the diagonal"] = beside.ravel()
            found["size of an entry beside the diagonal"] = np.abs(beside.ravel())
            found["size of a difference"] = np.abs(diagonal[:, 0] - diagonal[:, -1])
        return found

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare with noise that is made of the numbers of the sampler, in fractions."""
        (release,) = self.publish(mechanism, setting.empty(), SeededEntropy(seed), "release")
        numbers = type(self).noise(self.named(mechanism, setting), self.drawn(setting), SeededEntropy(seed))
        expected = self.noise_of(setting, np.array([[Fraction(number) for number in numbers]], dtype=object))
        lattice = Fraction(1, self.divisor(setting) * 4**mechanism.coordinate_bits)
        return bool((release.integers * release.grid == expected[0] * lattice).all())

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the greatest change of the numbers, in units of the lattice."""
        fine = 2 * (setting.dimension + 1) if setting.adjacency is REPLACED else 2
        squares = []
        for name, change in integer_changes(self, mechanism, setting, pairs, stretch):
            assert all(entry % fine == 0 for entry in change), name
            numbers = (change // fine).reshape(setting.dimension, setting.dimension)
            squares.append((name, int(self.squared(setting, numbers))))
        return gaussian_loss(squares, self.named(mechanism, setting), self.drawn(setting), self.guarantee(setting))


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

    def drawn(self, size: int, entropy: SeededEntropy, setting: Setting) -> np.ndarray:
        """Draw the noise of scale 1 from the bits."""
        first, second = (factor @ factor.T for factor in LazyNormals((2, size, size + 1), entropy).approximate().center)
        return np.asarray(first - second)

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare with noise of scale 1 from the same bits, times the scale."""
        (release,) = self.publish(mechanism, setting.empty(), SeededEntropy(seed), "release")
        noise = self.drawn(setting.dimension, SeededEntropy(seed), setting)
        return np.allclose(release.to_numpy() / float(self.named(mechanism, setting)), noise, rtol=0, atol=ROUNDING)

    def cost(self, change: np.ndarray, setting: Setting) -> float:
        """Return what a change of X'X costs over the scale: half of its nuclear norm."""
        return float(np.abs(np.linalg.eigvalsh(change)).sum()) / 2

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the greatest cost of a change over the scale, up to the rounding of the release."""
        worst = (0.0, "")
        for pair in pairs:
            sides = [
                self.publish(mechanism, data, SeededEntropy(3), "release")[0] for data in both(pair, setting, stretch)
            ]
            assert sides[0].grid == sides[1].grid, f"neighbours differ in what is public: {pair.name}"
            change = np.array((sides[0].integers - sides[1].integers) * sides[0].grid, dtype=float)
            worst = max(worst, (self.cost(change, setting), pair.name))
        loss = worst[0] / float(self.named(mechanism, setting))
        return Loss(loss, loss <= float(setting.epsilon) * (1 + ROUNDING), worst[1])


class CoupledTraces(SymmetrisedWishart):
    """The difference of two matrices with coupled traces."""

    kind = CoupledTracesMechanism

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw P - Q of the scale c that the pairs ask for."""
        scale = largest_part(setting) / (self.divisor(setting) * float(epsilon))
        first, second = laws.coupled_traces(size, setting.dimension, scale, generator)
        return first - second

    def drawn(self, size: int, entropy: SeededEntropy, setting: Setting) -> np.ndarray:
        """Draw P - Q of scale 1 from the bits."""
        first, second = LazyCoupledTraces(size, entropy).parts()
        return LazySum(fmpq_mat(size, size), (first,), (second,)).approximate().center.reshape(size, size)

    def cost(self, change: np.ndarray, setting: Setting) -> float:
        """Return what a change of X'X costs over the scale: the larger trace of its parts of either sign."""
        values = np.linalg.eigvalsh(change)
        return float(max(values[values > 0].sum(), -values[values < 0].sum()))


class KNorm(CoupledTraces):
    """Noise of the norm of a change."""

    kind = KNormMechanism
    law_draws = 300
    seeds = 20

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw N of the scale c that the pairs ask for."""
        largest = max(self.cost(change, setting) for change in changes(setting))
        scale = largest / (self.divisor(setting) * float(epsilon))
        return laws.k_norm(size, setting.dimension, scale, generator, replaces=setting.adjacency is REPLACED)

    def drawn(self, size: int, entropy: SeededEntropy, setting: Setting) -> np.ndarray:
        """Draw pairs of scale 1 from the bits until one is accepted, by floating point alone."""
        while True:
            if setting.adjacency is REPLACED:
                parts = LazyCoupledTraces(size, entropy).parts()
            else:
                parts = tuple(LazyWishart(size, size + 1, Fraction(1, 2), entropy) for _ in range(2))
            first, second = (part.approximate().center for part in parts)
            values, vectors = np.linalg.eigh(first - second)
            if np.linalg.eigvalsh(first + second - (vectors * np.abs(values)) @ vectors.T)[0] > -ROUNDING:
                return first - second

    def cost(self, change: np.ndarray, setting: Setting) -> float:
        """Return the norm of a change of X'X: the larger trace of its parts, or the sum of both."""
        larger = super().cost(change, setting)
        return larger if setting.adjacency is REPLACED else float(np.abs(np.linalg.eigvalsh(change)).sum())


MATRICES: tuple[Subject, ...] = (
    Laplace(),
    GaussAnalysis(),
    ModifiedSulq(),
    Orthogonal(),
    FullSulq(),
    SymmetrisedWishart(),
    CoupledTraces(),
    KNorm(),
)
