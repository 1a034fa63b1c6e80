"""The repair of the Wishart mechanism: the difference of two Wishart matrices is pure noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.exact import fraction
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.second_moment import exact_symmetric
from dpmatrix.mechanisms.symmetrised_wishart_density import log_density
from dpmatrix.mechanisms.wishart_noise import NoiseParts, simulate_wishart, standard_wisharts
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.sensitivity import nuclear_sensitivity
from dpmatrix.randomness.entropy import Entropy


@implements("wishart.theorem-4+repair@f1912fdb")
@frozen
class SymmetrisedWishartMechanism(RoundedPerturbation):
    r"""Adds W1 - W2, independent variates of W_d(d + 1, c I): (epsilon, 0)-differentially private.

    The scale is c = s / (2 n epsilon), where s is the nuclear-norm sensitivity of X'X (`nuclear_sensitivity`): with
    norm bound 1 it is 1 / (n epsilon) under replace-one and 1 / (2 n epsilon) under add/remove-one or for d = 1.

    *Proof.* With d + 1 degrees of freedom, W_i has a density f proportional to :math:`e^{-\mathrm{tr} W/2c}` on the
    cone of positive semidefinite matrices, and 0 off it. For P in the cone
    :math:`f(W - P) \le e^{\mathrm{tr} P/2c} f(W)`: where W - P is in the cone so is W. Neighbours' matrices differ by
    (P - M)/n, where P and M are the positive and the negative part of the change of X'X. The pair (W1 + P/n, W2 + M/n)
    has a density of at most :math:`e^{(\mathrm{tr} P + \mathrm{tr} M)/2nc}` times that of (W1, W2), and both outputs
    are one function of these pairs. The exponent is the nuclear norm over 2 n c, at most epsilon.

    Records are truncated and the output is rounded as `RoundedPerturbation` says, which keeps the guarantee. For d = 1
    the noise is exactly Laplace's, of scale 2 c. The spectral norm of the noise is at most that of W1 or W2, about 4 d
    c, without the logarithm that independent entries of Laplace noise pay. The output may be indefinite; `project_psd`
    is post-processing and at most doubles the error in spectral norm.

    Under replace-one, for d >= 2, `CoupledTracesMechanism` has less noise at the same cost.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    name: ClassVar[str] = "symmetrised Wishart mechanism"

    def noise_scale(self, dimension: int, divisor: int) -> Fraction:
        """Return the scale c for records of length d."""
        sensitivity = fraction(parameter_range(nuclear_sensitivity(dimension, self.adjacency), "sensitivity").upper)
        return sensitivity * self.norm_bound**2 / (2 * divisor * self.epsilon)

    def noise_sampler(self, dimension: int) -> Callable[[Entropy], NoiseParts]:
        """Return the sampler of W1 and W2, of scale 1."""

        def draw(entropy: Entropy) -> NoiseParts:
            first, second = standard_wisharts(2, dimension, entropy)
            return NoiseParts((first,), (second,))

        return draw

    def float_noise(self, size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
        """Draw W1 - W2 of scale 1 in floating point, shape (size, d, d). NEVER private."""
        noise = simulate_wishart(size, dimension, Fraction(1), generator)
        noise -= simulate_wishart(size, dimension, Fraction(1), generator)
        return noise

    def moments(self, dimension: int) -> NoiseMoments:
        """Return twice those of W: entries of variance m beside the diagonal and 2 m on it, m = d + 1."""
        degrees = dimension + 1
        return NoiseMoments(dimension, Fraction(2 * degrees * degrees * dimension), Fraction(4 * degrees * dimension))

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Enclose the privacy loss of the ideal output, without truncation, at one symmetric point.

        For d <= 2 at every point; for d >= 3 only where both noises are semidefinite (see `log_density`).

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, the output is not a symmetric (d, d) matrix, or the density has no
            known form at the point.
        """
        first, second = self.read_pair(data, neighbour)
        scale = self.scale_for(first)
        point = exact_symmetric(output, first.shape[1])
        before, after = (log_density(point - self.second_moment(records), scale) for records in (first, second))
        return before - after
