"""Noise of the Gaussian orthogonal ensemble on an integer lattice: the least total variance but for a few per cent."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.exact import rational
from dpmatrix.mechanisms.exact_products import AnyIntegers, integer_sum
from dpmatrix.mechanisms.gaussian import gaussian_delta, least_variance
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_symmetric, trace
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import dimension_of
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import gaussian_integers

_INT64_LIMIT = 2**63


@implements("beyond.gaussian-orthogonal@1edba6b7")
@frozen
class GaussianOrthogonal(InputPerturbation):
    r"""The symmetric part of independent discrete Gaussian entries is added to X'X: (epsilon, delta)-private.

    Every coordinate is truncated towards zero to a multiple of ``2**-b``, so that the second-moment matrix of the
    truncated records is a matrix G of integers in units of ``4**-b``. Let K be a d x d matrix of independent integers
    k with probability proportional to :math:`e^{-k^2 / 2w}`. Under add/remove-one ``G + (K + K')/2`` is published, in
    which an entry beside the diagonal has half the variance of one on it. Under replace-one an integer k_0 of the same
    law is drawn besides, and ``(tr K + k_0)/(d + 1)`` is subtracted from every entry of the diagonal.

    *Proof.* Truncated records have squares of norms that are integers of at most ``R = floor(4**b r**2)``. A record
    that appears changes the d**2 entries of G by integers whose squares sum to at most R**2. Under replace-one let
    each record count R less its square in one more number, ``g = n R - tr G``. If records of squares s and t are
    exchanged, and p is their inner product, then the d**2 + 1 numbers change by integers whose squares sum to ``s**2 +
    t**2 - 2 p**2 + (s - t)**2``, at most ``2 R**2``. `DiscreteGaussianProfile` bounds the delta of G + K and g + k_0
    for that sum; the release goes ahead only where the bound is certified to be at most the guaranteed delta. What is
    published is computed from these noisy numbers, and from n and R, which are public: their trace and their last
    number exceed n R, the sum without noise, by ``tr K + k_0``. A symmetric part and a subtraction are post-processing.

    What the proof does not cover: the refusal of data, which is not a release, and the time that it takes.

    The total variance is ``w d (d**2 + 2 d - 1)/(2 (d + 1))`` in squared units under replace-one, which no Gaussian
    noise of the same guarantee falls below, and ``w d (d + 1)/2`` under add/remove-one, at most 1.043 times the least;
    that of `AnalyzeGauss` is ``w d**2``, but for d = 1. That correlated Gaussian noise may be less is known (Nikolov
    and Tang 2024), and so is one more number that is used afterwards (Lebeda 2024).

    Parameters
    ----------
    delta
        In (0, 1).
    coordinate_bits
        b, in [0, 512]. Truncation moves the published matrix by at most `truncation_bound`.
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    delta: Fraction = field(converter=gaussian_delta, kw_only=True)
    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str] = "Gaussian orthogonal mechanism"
    calibration: ClassVar[str] = "tight"

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, delta) under the relation."""
        return PrivacyGuarantee(self.epsilon, self.delta, self.adjacency)

    @property
    def replaces(self) -> bool:
        """Whether the noise is that for a replaced record."""
        return self.adjacency is Adjacency.REPLACE_ONE

    def noise_variance(self, dimension: int) -> Fraction:
        """Return w, in squared units of ``4**-b`` of X'X, for records of length d.

        It is the least whose bound meets the guarantee, to within one part in a hundred of its root.

        Raises
        ------
        InvalidParameterError
            If the dimension is no positive integer.
        """
        size = dimension_of(dimension)
        most = math.floor(self.norm_bound**2 * 4**self.coordinate_bits)
        # Where no truncated record can change a number by a unit, any noise will do.
        square = max((1 + self.replaces) * most**2, 1)
        return least_variance(square, self.guarantee, size**2 + self.replaces)

    def grid_at(self, dimension: int, divisor: int) -> Fraction:
        """Return the spacing of the published values, for records of length d and the public divisor."""
        return Fraction(1, divisor * 4**self.coordinate_bits * self._parts(dimension))

    def _parts(self, dimension: int) -> int:
        """Return by how much the grid is finer than the lattice of the sums: what means are divided by."""
        return 2 * (dimension + 1) if self.replaces else 2

    def moments(self, dimension: int) -> NoiseMoments:
        """Return the second moments of the noise, of w = 1: a bound, as the variance of K's entries is at most w.

        Raises
        ------
        InvalidParameterError
            If the dimension is no positive integer.
        """
        d = dimension_of(dimension)
        if self.replaces:
            return NoiseMoments(d, Fraction(d * (d * d + 2 * d - 1), 2 * (d + 1)), Fraction(d, d + 1))
        return NoiseMoments(d, Fraction(d * (d + 1), 2), Fraction(d))

    def mean_squared_error(self, dimension: int, divisor: int) -> Fraction:
        """Bound the expected square of the noise's Frobenius norm, for records of length d and the public divisor.

        Truncation moves an entry by less than ``2**(1 - b) r`` a record over the divisor; it is not in it.

        Raises
        ------
        InvalidParameterError
            If the dimension is no positive integer.
        """
        unit = Fraction(1, divisor * 4**self.coordinate_bits)
        return self.moments(dimension).frobenius * self.noise_variance(dimension) * unit**2

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish a noisy second-moment matrix; see `Mechanism.release`.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped.
        """
        # Nothing but the shape is read here; the records are copied and checked block by block.
        array = record_array(data, none_allowed=not self.replaces)
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
        EntropyError
            If the bits run out, or the process is forked while they are drawn; nothing is released.
        OutOfRangeError
            If the noise does not fit its integers, with a probability below ``2 d**2 exp(-2**22)``.
        """
        source = SystemEntropy() if entropy is None else entropy
        variance = self.noise_variance(dimension)
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        drawn = gaussian_integers(variance, dimension**2 + self.replaces, source)
        parts = self._parts(dimension)
        sums = _widened(gram.integers(), parts) * parts
        integers = integer_sum(sums, self._noise(_widened(drawn, 4 * dimension), dimension))
        grid = self.grid_at(dimension, self.divisor_for(range(gram.count)))
        return publish(self.name, self, integers, grid, self.guarantee, source)

    def _noise(self, drawn: npt.NDArray[Any], dimension: int) -> npt.NDArray[Any]:
        """Return the noise in units of the grid, shape (..., d, d), of numbers in units of the sums' lattice.

        No entry, nor anything that it is computed from, is more than ``4 d`` times the largest of the numbers.
        """
        entries = drawn[..., : dimension**2].reshape(*drawn.shape[:-1], dimension, dimension)
        symmetric = np.asarray(entries + np.swapaxes(entries, -1, -2))
        if not self.replaces:
            return symmetric
        excess = np.asarray(np.trace(entries, axis1=-2, axis2=-1) + drawn[..., -1], dtype=drawn.dtype)
        shift = 2 * excess[..., None, None] * np.eye(dimension, dtype=np.int64)
        return np.asarray((dimension + 1) * symmetric - shift)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs with continuous noise in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        dimension, divisor = records.shape[1], self.divisor_for(records)
        deviation = math.sqrt(self.noise_variance(dimension))
        drawn = generator.normal(scale=deviation, size=(size, dimension**2 + self.replaces))
        noise = self._noise(drawn, dimension) * float(self.grid_at(dimension, divisor))
        return np.asarray(noise + records.T @ records / divisor)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Compute the privacy loss of the continuous mechanism, without truncation, at one symmetric output.

        Minus the logarithm of the noise's density at N is ``|N|_F**2 / 2w``, and under replace-one ``(|N|_F**2 + (tr
        N)**2) / 2w``, up to a constant.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, or the output is not a symmetric (d, d) matrix.
        """
        first, second = self.read_pair(data, neighbour)
        point = exact_symmetric(output, first.shape[1])
        unit = rational(Fraction(1, self.divisor_for(first) * 4**self.coordinate_bits))
        before, after = (self._square(point - self.second_moment(records)) for records in (first, second))
        return arb((after - before) / (2 * rational(self.noise_variance(first.shape[1])) * unit**2))

    def _square(self, noise: fmpq_mat) -> fmpq:
        return rational(trace(noise * noise) + self.replaces * trace(noise) ** 2)


def _widened(values: AnyIntegers, factor: int) -> AnyIntegers:
    """Return integers, as Python's where a multiple of up to so many times one may not fit 64 bits."""
    largest = max(int(values.max()), -int(values.min()))
    return values if largest * factor < _INT64_LIMIT else values.astype(object)
