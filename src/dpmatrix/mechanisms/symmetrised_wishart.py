"""The repair of the Wishart mechanism: the difference of two Wishart matrices is pure noise."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.exact import fraction
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, publish
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_symmetric
from dpmatrix.mechanisms.symmetrised_wishart_density import log_density
from dpmatrix.mechanisms.wishart_noise import rounded_noisy_moment, simulate_wishart
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.sensitivity import nuclear_sensitivity
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

DIGITS = 20
"""Binary digits that are kept of a coordinate below the norm bound."""


@implements("wishart.theorem-4+repair@f1912fdb")
@frozen
class SymmetrisedWishartMechanism(InputPerturbation):
    r"""Adds W1 - W2, independent variates of W_d(d + 1, c I): (epsilon, 0)-differentially private.

    The scale is c = s / (2 n epsilon), where s is the nuclear-norm sensitivity of X'X (`nuclear_sensitivity`): with
    norm bound 1 it is 1 / (n epsilon) under replace-one and 1 / (2 n epsilon) under add/remove-one or for d = 1.

    *Proof.* With d + 1 degrees of freedom, W_i has a density f proportional to :math:`e^{-\mathrm{tr} W/2c}` on the
    cone of positive semidefinite matrices, and 0 off it. For P in the cone
    :math:`f(W - P) \le e^{\mathrm{tr} P/2c} f(W)`: where W - P is in the cone so is W. Neighbours' matrices differ by
    (P - M)/n, where P and M are the positive and the negative part of the change of X'X. The pair (W1 + P/n, W2 + M/n)
    has a density of at most :math:`e^{(\mathrm{tr} P + \mathrm{tr} M)/2nc}` times that of (W1, W2), and both outputs
    are one function of these pairs. The exponent is the nuclear norm over 2 n c, at most epsilon.

    Every coordinate is first truncated towards zero to a multiple of ``2**-b``, b the `coordinate_bits`: the least
    power of two that is not below the norm bound r, times ``2**-20``. That can only shrink a record's norm, and acts on
    each record alone. It moves an entry of X'X by less than ``2**-18 r**2`` a record, and an odd value among ordinary
    ones costs no time. The release is the correct rounding of the ideal real output for the truncated records to a
    public grid, hence post-processing, and inherits the guarantee. For d = 1 the noise is exactly Laplace's, of scale
    2 c. The spectral norm of the noise is at most that of W1 or W2, about 4 d c, without the logarithm that independent
    entries of Laplace noise pay. The output may be indefinite; `project_psd` is post-processing and at most doubles the
    error in spectral norm.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    name: ClassVar[str] = "symmetrised Wishart mechanism"

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, 0) under the relation."""
        return self.pure_guarantee()

    def noise_scale(self, dimension: int, divisor: int) -> Fraction:
        """Return the scale c for records of length d."""
        sensitivity = fraction(parameter_range(nuclear_sensitivity(dimension, self.adjacency), "sensitivity").upper)
        return sensitivity * self.norm_bound**2 / (2 * divisor * self.epsilon)

    def _scale_for(self, records: FloatArray) -> Fraction:
        return self.noise_scale(records.shape[1], self.divisor_for(records))

    @property
    def coordinate_bits(self) -> int:
        """Binary digits after the point that are kept of a coordinate: `DIGITS` below the norm bound."""
        bound = self.norm_bound
        exponent = bound.numerator.bit_length() - bound.denominator.bit_length()
        return max(DIGITS - exponent - (bound > Fraction(2) ** exponent), 0)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish the correct rounding of the ideal output for the truncated records; see `Mechanism.release`.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped.
        """
        # Nothing but the shape is read here; the records are copied and checked block by block.
        array = record_array(data, none_allowed=self.adjacency is Adjacency.ADD_REMOVE_ONE)
        return self.release_blocks([array], array.shape[1], entropy=entropy)

    def partial_gram(self, blocks: Blocks, dimension: int) -> PartialGram:
        """Sum some of the records, for `release_blocks` elsewhere; NOT private, see `partitions`."""
        return self.sum_blocks(blocks, dimension, self.coordinate_bits)

    def release_blocks(self, blocks: Blocks, dimension: int, *, entropy: Entropy | None = None) -> Release:
        """Publish the matrix of records that come in blocks, in memory for one block; else as `release`.

        Parameters
        ----------
        blocks
            Arrays of shape (m, d); their sizes and their order do not change the release.
        dimension
            Length d of a record, which is public.
        entropy
            Source of the random bits; the operating system by default.

        Raises
        ------
        InvalidParameterError
            If a block is malformed or of another d, a record is too long and may not be clipped, or there is no record
            under replace-one.
        """
        source = SystemEntropy() if entropy is None else entropy
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        divisor = self.divisor_for(range(gram.count))
        unit, scale = Fraction(1, divisor * 4**self.coordinate_bits), self.noise_scale(gram.dimension, divisor)
        integers, grid = rounded_noisy_moment(gram.integers(), unit, scale, source, symmetrised=True)
        return publish(self.name, self, integers, grid, self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        dimension, scale = records.shape[1], self._scale_for(records)
        noise = simulate_wishart(size, dimension, scale, generator)
        noise -= simulate_wishart(size, dimension, scale, generator)
        return noise + records.T @ records / self.divisor_for(records)

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
        scale = self._scale_for(first)
        point = exact_symmetric(output, first.shape[1])
        before, after = (log_density(point - self.second_moment(records), scale) for records in (first, second))
        return before - after
