"""Independent integer noise on the second-moment matrix of truncated records: what such mechanisms share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sized
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, rational
from dpmatrix.mechanisms.exact_products import AnyIntegers, integer_sum
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of, lattice_gram
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, IntegerMatrix, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_matrix, exact_symmetric
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.sensitivity import Entries
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

IntegerNoise: TypeAlias = Callable[[int, Entropy], AnyIntegers]


@frozen
class LatticePerturbation(InputPerturbation, ABC):
    """Independent integer noise on chosen entries of the second-moment matrix of truncated records.

    Every coordinate is truncated towards zero to a multiple of ``2**-b``, b the ``coordinate_bits``; the second-moment
    matrix of the truncated records is an integer matrix in units of ``4**-b``. ``grid = 1 / (divisor 4**b)`` is public.

    Parameters
    ----------
    coordinate_bits
        b, in [0, 512]. Truncation moves the published matrix by at most `truncation_bound`: an entry by less than
        ``2**(1 - b) r n / divisor``, and the whole by sqrt(d) times that in operator norm.
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str]
    entries: ClassVar[Entries]

    @property
    @abstractmethod
    def guarantee(self) -> PrivacyGuarantee:
        """The guarantee of a release."""

    @abstractmethod
    def integer_noise(self, dimension: int) -> IntegerNoise:
        """Return the sampler of a number of independent integers, for records of length d.

        Raises
        ------
        InvalidParameterError
            If the noise that the parameters ask for has no value or keeps no guarantee.
        """

    @abstractmethod
    def float_noise(self, dimension: int, shape: tuple[int, ...], generator: np.random.Generator) -> FloatArray:
        """Draw the continuous counterpart of `integer_noise`, in units of the grid. NEVER private."""

    @abstractmethod
    def surprisal(self, dimension: int) -> Callable[[fmpq], fmpq]:
        """Return minus the logarithm of the noise's density at a number of grid units, up to a constant."""

    def places(self, dimension: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the rows and the columns of the entries that get noise of their own."""
        if self.entries is Entries.UPPER_TRIANGLE:
            rows, columns = np.triu_indices(dimension)
        else:
            rows, columns = np.indices((dimension, dimension)).reshape(2, -1)
        return rows, columns

    def count_of_places(self, dimension: int) -> int:
        """Return how many entries get noise of their own."""
        return dimension * (dimension + 1) // 2 if self.entries is Entries.UPPER_TRIANGLE else dimension**2

    def grid_for(self, records: Sized) -> Fraction:
        """Return the spacing of the published values, for that many records."""
        return Fraction(1, self.divisor_for(records) * 4**self.coordinate_bits)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish a noisy second-moment matrix; see `Mechanism.release`.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped, or as in `integer_noise`.
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
        EntropyError
            If the bits run out, or the process is forked while they are drawn; nothing is released.
        OutOfRangeError
            If the noise does not fit its integers, with a probability below ``d**2 exp(-2**22)``.
        """
        source = SystemEntropy() if entropy is None else entropy
        noise = self.integer_noise(dimension)
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        integers = self._noisy(gram.integers(), noise, source)
        return publish(self.name, self, integers, self.grid_for(range(gram.count)), self.guarantee, source)

    def _noisy(self, integers: AnyIntegers, noise: IntegerNoise, source: Entropy) -> AnyIntegers:
        if self.entries is Entries.FULL:
            return integer_sum(integers, noise(integers.size, source).reshape(integers.shape))
        rows, columns = np.triu_indices(len(integers))
        sums = integer_sum(integers[rows, columns], noise(len(rows), source))
        result = np.empty(integers.shape, dtype=sums.dtype)
        result[rows, columns] = result[columns, rows] = sums
        return result

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs with continuous noise in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        dimension = records.shape[1]
        rows, columns = self.places(dimension)
        noise = self.float_noise(dimension, (size, len(rows)), generator) * float(self.grid_for(records))
        outputs = np.empty((size, dimension, dimension))
        outputs[:, rows, columns] = noise
        if self.entries is Entries.UPPER_TRIANGLE:
            outputs[:, columns, rows] = outputs[:, rows, columns]
        return outputs + records.T @ records / self.divisor_for(records)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Compute the privacy loss of the continuous mechanism, without truncation, at one output.

        `log_mass_ratio` is the loss of what is released.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared or the output has another shape, or is not symmetric where it must be.
        """
        first, second = self.read_pair(data, neighbour)
        grid = rational(self.grid_for(first))
        centres = [self.second_moment(records) / grid for records in (first, second)]
        return arb(self._loss(self._point(output, first.shape[1], "output") / grid, centres))

    def log_mass_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, integers: IntegerMatrix) -> Fraction:
        """Compute the exact log-ratio of the probabilities with which two data sets release ``integers``.

        Raises
        ------
        InvalidParameterError
            As in `log_density_ratio`, or if an entry is not an integer.
        """
        first, second = self.read_pair(data, neighbour)
        point = self._point(integers, first.shape[1], "integers")
        if any(entry.q != 1 for entry in point.entries()):
            raise InvalidParameterError("integers", "an entry is not an integer", "pass integers, in units of the grid")
        centres = [fmpq_mat(lattice_gram(records, self.coordinate_bits).tolist()) for records in (first, second)]
        return fraction(self._loss(point, centres))

    def _point(self, output: npt.ArrayLike, dimension: int, parameter: str) -> fmpq_mat:
        if self.entries is Entries.UPPER_TRIANGLE:
            return exact_symmetric(output, dimension, parameter)
        return exact_matrix(output, (dimension, dimension), parameter)

    def _loss(self, point: fmpq_mat, centres: Iterable[fmpq_mat]) -> fmpq:
        """Return how much less likely the point is around the second centre, all in units of the grid."""
        surprisal = self.surprisal(point.nrows())
        pairs = list(zip(*(place.tolist() for place in self.places(point.nrows())), strict=True))
        first, second = (sum((surprisal((point - centre)[pair]) for pair in pairs), fmpq(0)) for centre in centres)
        return second - first
