"""The difference of two semidefinite matrices whose traces are drawn together: pure noise for a replaced record."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.exact import ball
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.second_moment import exact_symmetric, trace
from dpmatrix.mechanisms.symmetrised_wishart_density import log_density
from dpmatrix.mechanisms.wishart_noise import NoiseParts, simulate_coupled_traces
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy_traces import CoupledTraces


@implements(
    "beyond.coupled-traces-privacy@7713d6c2",
    "beyond.coupled-traces-sampler@20b626a7",
    "beyond.coupled-traces-noise@b09eae56",
)
@frozen
class CoupledTracesMechanism(RoundedPerturbation):
    r"""Adds P - Q, of a density proportional to :math:`e^{-\max(\mathrm{tr} P, \mathrm{tr} Q)/c}`.

    It is (epsilon, 0)-differentially private under both relations, with the scale c = r**2 / (n epsilon) for records of
    norm at most r. P and Q are positive semidefinite.

    *Proof.* Neighbours' matrices differ by (vv' - ww')/n, where v or w is zero if a record is added or removed. The
    outputs are one function of the pairs (P + vv'/n, Q + ww'/n) and (P, Q). Where P - vv'/n and Q - ww'/n are
    semidefinite, so are P and Q, and the larger trace falls by at most the larger of :math:`|v|^2` and :math:`|w|^2`
    over n. So the density of the first pair is at most :math:`e^{r^2/nc} = e^\epsilon` times that of the second, and
    zero elsewhere. Records are truncated and the output is rounded as `RoundedPerturbation` says, which keeps the
    guarantee.

    Under replace-one, for d >= 2, this is less noise than that of `SymmetrisedWishartMechanism`, whose density has the
    sum of the traces in place of twice the larger one: the mean squared Frobenius norm is k (k + 1) / ((k + 2) (k + 4))
    times as large, k = d (d + 1), which is 0.53 for d = 2, 0.86 for d = 5 and tends to 1. Under add/remove-one it is
    more noise. For d = 1 the noise is Laplace's, of scale c.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    name: ClassVar[str] = "coupled-traces mechanism"

    def noise_scale(self, dimension: int, divisor: int) -> Fraction:  # noqa: ARG002 - the same for every d
        """Return the scale c."""
        return self.norm_bound**2 / (divisor * self.epsilon)

    def noise_sampler(self, dimension: int) -> Callable[[Entropy], NoiseParts]:
        """Return the sampler of P and Q, of scale 1."""

        def draw(entropy: Entropy) -> NoiseParts:
            first, second = CoupledTraces(dimension, entropy).parts()
            return NoiseParts((first,), (second,))

        return draw

    def float_noise(self, size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
        """Draw P - Q of scale 1 in floating point, shape (size, d, d). NEVER private."""
        first, second = simulate_coupled_traces(size, dimension, generator)
        return first - second

    def moments(self, dimension: int) -> NoiseMoments:
        """Return the moments of P - Q, see `beyond.coupled-traces-noise`; the trace is that of the traces' difference.

        With k = d (d + 1), E l^2 = k (k + 1) of the larger trace, and the smaller one is l times a variate with the
        means k / (k + 2) and, of its square, k / (k + 4).
        """
        size = Fraction(dimension * (dimension + 1))
        square = size * (size + 1)
        frobenius = 2 * (dimension + 1) * size * square / ((size + 2) * (size + 4))
        return NoiseMoments(dimension, frobenius, square * (1 + size / (size + 4) - 2 * size / (size + 2)))

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        r"""Enclose the privacy loss of the ideal output, without truncation, at one symmetric point.

        The density at N is that of the symmetrised Wishart noise of the same c, times a multiple of
        :math:`e^{-|\mathrm{tr} N|/2c}`, as the larger trace is half of the sum and of the difference of both. For d <=
        2 at every point; for d >= 3 only where both noises are semidefinite (see `log_density`).

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, the output is not a symmetric (d, d) matrix, or the density has no
            known form at the point.
        """
        first, second = self.read_pair(data, neighbour)
        scale = self.scale_for(first)
        point = exact_symmetric(output, first.shape[1])

        def log_coupled(noise: fmpq_mat) -> arb:
            return log_density(noise, scale) - ball(abs(trace(noise)) / (2 * scale))

        before, after = (log_coupled(point - self.second_moment(records)) for records in (first, second))
        return before - after
