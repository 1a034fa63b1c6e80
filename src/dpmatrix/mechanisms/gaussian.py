"""Gaussian input perturbation on an integer lattice: MOD-SULQ, and the SULQ noise that it modifies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sized
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, ball, fraction, precision
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, one_of, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of, lattice_gram
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, IntegerMatrix, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_matrix
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.privacy.sensitivity import Entries, frobenius_sensitivity
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise

_DEVIATION_BITS = 32


@lru_cache(maxsize=64)
def _least_variance(squared_sensitivity: int, guarantee: PrivacyGuarantee, coordinates: int) -> Fraction:
    return calibrate_discrete_gaussian(squared_sensitivity, guarantee, coordinates)


def _delta(value: Exact) -> Fraction:
    delta = fraction(value, "delta")
    if not 0 < delta < 1:
        raise InvalidParameterError("delta", f"{value} is outside (0, 1)", "pass 0 < delta < 1: the noise is Gaussian")
    return delta


@frozen
class GaussianPerturbation(InputPerturbation, ABC):
    r"""Discrete Gaussian noise on chosen entries of the second-moment matrix of truncated records.

    Every coordinate is truncated towards zero to a multiple of ``2**-b``, b the ``coordinate_bits``; the second-moment
    matrix of the truncated records is an integer matrix G in units of ``4**-b``. Independent k with probability
    proportional to :math:`e^{-k^2 / 2v}` are added to its entries, and ``grid = 1 / (divisor 4**b)`` is public.

    *Proof.* Truncated records still have norm at most r, so between neighbours the entries change by integers whose
    squares sum to at most ``2 * 16**b r**4`` (`frobenius_sensitivity`). `DiscreteGaussianProfile` bounds, for that
    sum, this v and this number of entries, the delta of the integers that are released; the release goes ahead only
    where the bound is certified to be at most the promised delta.

    What the proof does not cover: the refusal of data, which is not a release, and the time that it takes.

    Parameters
    ----------
    calibration
        ``"tight"``: the least v whose bound meets the promise, to within one part in a hundred of its root.
        ``"printed"``: the document's standard deviation, rounded up in its 32nd binary digit.
    delta
        In (0, 1).
    coordinate_bits
        b, in [0, 512]; see `LaplaceInputPerturbation`.
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    calibration: Literal["tight", "printed"] = field(default="tight", validator=one_of("tight", "printed"))
    delta: Fraction = field(converter=_delta, kw_only=True)
    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str]
    entries: ClassVar[Entries]

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, delta) under the relation."""
        return PrivacyGuarantee(self.epsilon, self.delta, self.adjacency)

    @abstractmethod
    def printed_deviation(self, dimension: int) -> arb:
        """Enclose the document's standard deviation of the noise on X'X, for records of norm at most 1.

        Raises
        ------
        InvalidParameterError
            If the printed formula has no real value.
        """

    def noise_variance(self, dimension: int) -> Fraction:
        """Return v, in squared units of the grid, for records of length d.

        Raises
        ------
        InvalidParameterError
            If the printed formula has no value, or its noise is not certified to meet the promise.
        """
        coordinates = len(self._places(dimension)[0])
        square = self._squared_sensitivity(dimension, coordinates)
        if square == 0:
            # No truncated record can change the matrix by a unit: any noise will do.
            square = 1
        if self.calibration == "tight":
            return _least_variance(square, self.guarantee, coordinates)
        with precision(256):
            unit = self.norm_bound**2 * Fraction(4) ** self.coordinate_bits
            upper = fraction(parameter_range(self.printed_deviation(dimension), "deviation").upper) * unit
        variance = Fraction(math.ceil(upper * 2**_DEVIATION_BITS), 2**_DEVIATION_BITS) ** 2
        if not meets(DiscreteGaussianProfile(square, variance, coordinates), self.guarantee):
            problem = f"the printed noise is not certified to keep {self.guarantee}"
            raise InvalidParameterError("calibration", problem, "choose calibration='tight'")
        return variance

    def _squared_sensitivity(self, dimension: int, coordinates: int) -> int:
        with precision(256 + 4 * self.coordinate_bits):
            norm = frobenius_sensitivity(dimension, self.adjacency, self.norm_bound)
            square = fraction(parameter_range(norm * norm, "sensitivity").upper) * 16**self.coordinate_bits
        # Changes are integers; in one coordinate the square is the square of one.
        return math.isqrt(math.floor(square)) ** 2 if coordinates == 1 else math.floor(square)

    def _places(self, dimension: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        if self.entries is Entries.UPPER_TRIANGLE:
            rows, columns = np.triu_indices(dimension)
        else:
            rows, columns = np.indices((dimension, dimension)).reshape(2, -1)
        return rows, columns

    def grid_for(self, records: Sized) -> Fraction:
        """Return the spacing of the published values, for that many records."""
        return Fraction(1, self.divisor_for(records) * 4**self.coordinate_bits)

    def partial_gram(self, blocks: Blocks, dimension: int) -> PartialGram:
        """Sum some of the records, for `release_blocks` elsewhere; NOT private, see `partitions`."""
        return self.sum_blocks(blocks, dimension, self.coordinate_bits)

    def noisy_gram(self, blocks: Blocks, dimension: int, entropy: Entropy | None) -> Release:
        """Publish the matrix of records that come in blocks; see `LaplaceInputPerturbation.release_blocks`."""
        source = SystemEntropy() if entropy is None else entropy
        variance = self.noise_variance(dimension)
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        integers = gram.matrix()
        rows, columns = self._places(gram.dimension)
        integers[rows, columns] += np.array(discrete_gaussian_noise(variance, len(rows), source), dtype=object)
        if self.entries is Entries.UPPER_TRIANGLE:
            integers[columns, rows] = integers[rows, columns]
        return publish(self.name, self, integers, self.grid_for(range(gram.count)), self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs with continuous Gaussian noise in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        dimension = records.shape[1]
        deviation = math.sqrt(self.noise_variance(dimension)) * float(self.grid_for(records))
        rows, columns = self._places(dimension)
        outputs = np.empty((size, dimension, dimension))
        outputs[:, rows, columns] = generator.normal(scale=deviation, size=(size, len(rows)))
        if self.entries is Entries.UPPER_TRIANGLE:
            outputs[:, columns, rows] = outputs[:, rows, columns]
        return outputs + records.T @ records / self.divisor_for(records)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Compute the privacy loss of the continuous mechanism, without truncation, at one output.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared or the output has another shape, or is not symmetric where it must be.
        """
        first, second = self.read_pair(data, neighbour)
        variance = self.noise_variance(first.shape[1]) * self.grid_for(first) ** 2
        moments = self.second_moment(first), self.second_moment(second)
        return arb(self._loss(output, moments, "output") / (2 * fmpq(variance.numerator, variance.denominator)))

    def log_mass_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, integers: IntegerMatrix) -> Fraction:
        """Compute the exact log-ratio of the probabilities with which two data sets release ``integers``.

        Raises
        ------
        InvalidParameterError
            As in `log_density_ratio`.
        """
        first, second = self.read_pair(data, neighbour)
        grams = [fmpq_mat(lattice_gram(records, self.coordinate_bits).tolist()) for records in (first, second)]
        return fraction(self._loss(integers, grams, "integers")) / (2 * self.noise_variance(first.shape[1]))

    def _loss(self, output: npt.ArrayLike, centres: Iterable[fmpq_mat], parameter: str) -> fmpq:
        """Return the squared distance from the second centre less that from the first."""
        first, second = centres
        point = exact_matrix(output, (first.nrows(), first.nrows()), parameter)
        if self.entries is Entries.UPPER_TRIANGLE and point != point.transpose():
            raise InvalidParameterError(parameter, "it is not symmetric", "pass a symmetric matrix")
        pairs = list(zip(*(place.tolist() for place in self._places(first.nrows())), strict=True))
        distances = [sum(((point - centre)[pair] ** 2 for pair in pairs), fmpq(0)) for centre in (first, second)]
        return distances[1] - distances[0]


@implements("near-optimal.algorithm-1+repair@bb7fd9a7", "near-optimal.theorem-5+repair@f87887d8")
@frozen
class ModSulq(GaussianPerturbation):
    """Algorithm 1 of `near-optimal`, MOD-SULQ, on a lattice: (epsilon, delta)-differentially private.

    Noise on the upper triangle, copied to the lower one. The document's deviation is (5), about d + 1 times what the
    promise needs. `principal_components` makes the document's output of a release, the top-k eigenvectors.

    See `GaussianPerturbation` for the parameters and the proof.
    """

    name: ClassVar[str] = "MOD-SULQ"
    entries: ClassVar[Entries] = Entries.UPPER_TRIANGLE

    def printed_deviation(self, dimension: int) -> arb:
        """Enclose n beta of (5).

        Raises
        ------
        InvalidParameterError
            For d = 1 and delta above ``1 / sqrt(2 pi)``, where (5) is not a real number.
        """
        logarithm = ((dimension**2 + dimension) / (ball(self.delta) * 2 * (2 * arb.pi()).sqrt())).log()
        if not logarithm > 0:
            problem = f"{self.delta} makes (5) imaginary at d = {dimension}"
            raise InvalidParameterError("delta", problem, "choose calibration='tight'")
        epsilon = ball(self.epsilon)
        return (dimension + 1) / epsilon * (2 * logarithm).sqrt() + 1 / epsilon.sqrt()

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish a noisy second-moment matrix; see `Mechanism.release`."""
        array = record_array(data, none_allowed=self.adjacency is Adjacency.ADD_REMOVE_ONE)
        return self.noisy_gram([array], array.shape[1], entropy)

    def release_blocks(self, blocks: Blocks, dimension: int, *, entropy: Entropy | None = None) -> Release:
        """Publish the matrix of records that come in blocks; see `LaplaceInputPerturbation.release_blocks`."""
        return self.noisy_gram(blocks, dimension, entropy)


@implements("near-optimal.sulq+repair@b806c11e")
@frozen
class Sulq(GaussianPerturbation):
    """The SULQ noise that `near-optimal` quotes: independent on all entries, so the release is not symmetric.

    Its eigenvalues may be complex, which is why the document modifies it; for a promise of the same strength the
    symmetric part of a tight release has less noise off the diagonal than `ModSulq`, by a factor of sqrt(2).

    See `GaussianPerturbation` for the parameters and the proof.
    """

    name: ClassVar[str] = "SULQ"
    entries: ClassVar[Entries] = Entries.FULL

    def printed_deviation(self, dimension: int) -> arb:
        """Enclose the root of the quoted variance times n**2, ``8 d**2 log(d / delta)**2 / epsilon**2``."""
        logarithm = (dimension / ball(self.delta)).log()
        return arb(8).sqrt() * dimension * logarithm / ball(self.epsilon)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish a noisy second-moment matrix that is not symmetric; see `Mechanism.release`."""
        array = record_array(data, none_allowed=self.adjacency is Adjacency.ADD_REMOVE_ONE)
        return self.noisy_gram([array], array.shape[1], entropy)
