"""The staircase mechanism for second-moment matrices: K-norm noise whose density falls in steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.mechanisms.k_norm import KNormMechanism
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.second_moment import exact_symmetric
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, MOST_EPSILON, Stairs, best_stairs
from dpmatrix.mechanisms.wishart_noise import NoiseParts
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy_balls import LazyBallPoint


@implements("beyond.staircase-privacy@43eea58f", "beyond.staircase-noise@af351b62")
@frozen
class StaircaseMechanism(KNormMechanism):
    r"""Adds N of a density that falls by :math:`e^{-\epsilon}` from step to step of its norm; d <= 8.

    It is (epsilon, 0)-differentially private, for epsilon from 1/8 to 30. The norm is that of `KNormMechanism`, in
    units of c = r**2 / n, which is the most that a record changes. The density is the same for all N of a norm up to g
    c, and :math:`e^{-k\epsilon}` times that for norms above (k - 1 + g) c and up to (k + g) c. The width g of the first
    step follows from epsilon and d, and makes the mean squared error least, among multiples of 2**-21.

    *Proof.* A neighbour's matrix differs by at most c in norm, so the step differs by at most one. Records are
    truncated and the output is rounded as `RoundedPerturbation` says, which keeps the guarantee.

    *Sampling, exactly.* The density is that of a uniform point of the ball of radius k + g, where k is drawn with
    probabilities proportional to :math:`e^{-k\epsilon} (k + g)^D`, D = d (d + 1)/2. The point is K-norm noise divided
    by its norm, times a power of a uniform variate, see `LazyBallPoint`.

    K-norm noise is a mixture of these laws over g, so that the best of them has no more error. How much less depends on
    epsilon: for d = 2 the mean squared error is 0.98 of that of `KNormMechanism` at epsilon = 2, 0.61 at 6. For d = 1
    it is the least of all noise that is added (Geng and Viswanath 2014). For d > 1 no noise that is private for every
    change of the unit ball has a smaller mean of a cost that grows with the norm (Kulesza, Suresh and Wang 2025); what
    one record changes does not fill that ball, so that some noise may have less.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, or epsilon is not of [1/8, 30].
    """

    name: ClassVar[str] = "staircase mechanism"

    def __attrs_post_init__(self) -> None:
        """Refuse an epsilon for which steps gain nothing, or the widths that are tried are too few."""
        KNormMechanism.__attrs_post_init__(self)
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON:
            problem = f"{self.epsilon} is not from {LEAST_EPSILON} to {MOST_EPSILON}, for which there are steps"
            raise InvalidParameterError("epsilon", problem, "choose KNormMechanism")

    def noise_scale(self, dimension: int, divisor: int) -> Fraction:  # noqa: ARG002 - the same for every d
        """Return the scale c."""
        return self.norm_bound**2 / divisor

    def stairs(self, dimension: int) -> Stairs:
        """Return the steps for records of length d.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        self.check_dimension(dimension)
        return best_stairs(dimension * (dimension + 1) // 2, self.epsilon)

    def noise_sampler(self, dimension: int) -> Callable[[Entropy], NoiseParts]:
        """Return the sampler of N, of scale 1.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        stairs, pair = self.stairs(dimension), KNormMechanism.noise_sampler(self, dimension)

        def draw(entropy: Entropy) -> NoiseParts:
            parts = pair(entropy)
            (first,), (second,) = parts.added, parts.subtracted
            radius = stairs.draw(entropy) + stairs.width
            return NoiseParts((LazyBallPoint(first, second, self.norm, radius, entropy),))

        return draw

    def float_noise(self, size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
        """Draw N of scale 1 in floating point, shape (size, d, d). NEVER private."""
        stairs = self.stairs(dimension)
        noise = KNormMechanism.float_noise(self, size, dimension, generator)
        values = np.linalg.eigvalsh(noise)
        above, below = np.maximum(values, 0).sum(axis=1), np.maximum(-values, 0).sum(axis=1)
        norms = np.maximum(above, below) if self.replaces else above + below
        radii = stairs.simulate(size, generator) + float(stairs.width)
        shrunk = radii * generator.random(size) ** (1 / stairs.power) / norms
        return np.asarray(noise * shrunk[:, None, None])

    def moments(self, dimension: int) -> NoiseMoments:
        """Return the moments of N, rounded up by less than 2**-100 of each; see `beyond.staircase-noise`.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        stairs, smooth = self.stairs(dimension), KNormMechanism.moments(self, dimension)
        # The square of the norm of K-norm noise has the mean D (D + 1).
        factor = stairs.mean_square / (stairs.power * (stairs.power + 1))
        return NoiseMoments(dimension, smooth.frobenius * factor, smooth.trace * factor)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Enclose the privacy loss of the ideal output, without truncation, at one symmetric point.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, or the output is not a symmetric (d, d) matrix, or as in
            `check_dimension`.
        """
        first, second = self.read_pair(data, neighbour)
        stairs, scale = self.stairs(first.shape[1]), rational(self.scale_for(first))
        point = exact_symmetric(output, first.shape[1])
        before, after = (
            stairs.step(self.norm(point - self.second_moment(records)) / scale) for records in (first, second)
        )
        return (after - before) * rational(self.epsilon)
