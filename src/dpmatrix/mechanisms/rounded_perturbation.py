"""Real-valued noise on the second-moment matrix of truncated records, rounded correctly: what such mechanisms share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen

from dpmatrix.mechanisms.input_perturbation import InputPerturbation, publish
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.wishart_noise import NoiseParts, rounded_noisy_moment
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

DIGITS = 20
"""Binary digits that are kept of a coordinate below the norm bound."""


@frozen
class RoundedPerturbation(InputPerturbation, ABC):
    """Adds c N to X'X / n, N a random symmetric matrix with a density, and publishes the correct rounding.

    Every coordinate is first truncated towards zero to a multiple of ``2**-b``, b the `coordinate_bits`: the least
    power of two that is not below the norm bound r, times ``2**-20``. That can only shrink a record's norm, and acts on
    each record alone. It moves an entry of X'X by less than ``2**-18 r**2`` a record, and an odd value among ordinary
    ones costs no time. The release is the correct rounding of the ideal real output for the truncated records to a
    public grid, hence post-processing, and inherits the guarantee. The noise is drawn without a look at the records.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    name: ClassVar[str]

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, 0) under the relation."""
        return self.pure_guarantee()

    @abstractmethod
    def noise_scale(self, dimension: int, divisor: int) -> Fraction:
        """Return the scale c for records of length d."""

    def check_dimension(self, dimension: int) -> None:
        """Refuse a length d, which is public, for which the mechanism has no noise; here none is refused."""

    @abstractmethod
    def noise_sampler(self, dimension: int) -> Callable[[Entropy], NoiseParts]:
        """Return the sampler of N, of scale 1: of matrices to add and to subtract, each of shape (d, d).

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """

    @abstractmethod
    def float_noise(self, size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
        """Draw N in floating point, shape (size, d, d). NEVER private."""

    @abstractmethod
    def moments(self, dimension: int) -> NoiseMoments:
        """Return the second moments of N, of scale 1.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """

    def mean_squared_error(self, dimension: int, divisor: int) -> Fraction:
        """Return the expected square of the noise's Frobenius norm, for records of length d and the public divisor.

        Truncation and rounding move an entry by less than ``2**-18 r**2`` a record over the divisor, and by half a
        grid; they are not in it.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        return self.moments(dimension).frobenius * self.noise_scale(dimension, divisor) ** 2

    def scale_for(self, records: FloatArray) -> Fraction:
        """Return the scale c for records that have been read."""
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
            If the data are malformed or a record is too long and may not be clipped, or as in `check_dimension`.
        """
        # Nothing but the shape is read here; the records are copied and checked block by block.
        array = record_array(data, none_allowed=self.adjacency is Adjacency.ADD_REMOVE_ONE)
        return self.release_blocks([array], array.shape[1], entropy=entropy)

    def partial_gram(self, blocks: Blocks, dimension: int) -> PartialGram:
        """Sum some of the records, for `release_blocks` elsewhere; NOT private, see `partitions`."""
        self.check_dimension(dimension)
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
            under replace-one, or as in `check_dimension`.
        """
        self.check_dimension(dimension)
        source = SystemEntropy() if entropy is None else entropy
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        divisor = self.divisor_for(range(gram.count))
        unit, scale = Fraction(1, divisor * 4**self.coordinate_bits), self.noise_scale(gram.dimension, divisor)
        noise = self.noise_sampler(gram.dimension)(source)
        integers, grid = rounded_noisy_moment(gram.integers(), unit, scale, noise)
        return publish(self.name, self, integers, grid, self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        noise = self.float_noise(size, records.shape[1], generator) * float(self.scale_for(records))
        return noise + records.T @ records / self.divisor_for(records)
