"""Laplace input perturbation on an integer lattice."""

from __future__ import annotations

import math
from collections.abc import Sized
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, precision
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, one_of, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of, lattice_gram
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, IntegerMatrix, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_symmetric
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.sensitivity import Entries, l1_sensitivity
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_laplace_noise

_SCALE_DENOMINATOR = 2**32


@implements("wishart.algorithm-1+repair@10fd9d25", "wishart.theorem-3@4f2e67ea")
@frozen
class LaplaceInputPerturbation(InputPerturbation):
    """Algorithm 1 of `wishart` on a lattice: (epsilon, 0)-differentially private, proved for what is released.

    Every coordinate is truncated towards zero to a multiple of ``2**-b``, b the ``coordinate_bits``. The second-moment
    matrix of the truncated records is an integer matrix G in units of ``4**-b``. Independent discrete Laplace noise of
    scale t is added to the upper triangle and copied to the lower one, and ``grid = 1 / (divisor 4**b)`` is public.

    *Proof.* Truncated records still have norm at most r, so between neighbours the upper triangles of G differ by at
    most ``4**b s`` in l1 norm, where s is the sensitivity `l1_sensitivity` at norm bound r. The probability of an
    integer outcome is a product of terms proportional to ``exp(-|k| / t)``, so between neighbours its logarithm changes
    by at most ``4**b s / t``, which is at most epsilon when ``t >= 4**b s / epsilon``. The printed scale satisfies
    this, since s <= 2 d r**2. Clipping and truncation act on each record alone, to the last bit, and an exact sum does
    not depend on the order of the records. The lower triangle, the grid and the divisor add nothing: the grid is a
    function of public parameters and, under replace-one, of n, which neighbours share. The noise is drawn without a
    look at G, so an error in drawing it is as likely under either neighbour.

    What the proof does not cover: the refusal of data (NaN, or a record that is too long under ``"reject"``), which is
    not a release, and how long the computation takes.

    The output is symmetric and may be indefinite; `project_psd` is post-processing.

    Parameters
    ----------
    calibration
        ``"tight"``: t is ``4**b s / epsilon`` rounded up. ``"printed"``: t is ``4**b 2 d r**2 / epsilon``, the
        document's Laplace scale 2 d / (n epsilon).
    coordinate_bits
        b, in [0, 512]. Truncation moves the published matrix by at most `truncation_bound`: an entry by less than
        ``2**(1 - b) r n / divisor``, and the whole by sqrt(d) times that in operator norm.
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    calibration: Literal["tight", "printed"] = field(default="tight", validator=one_of("tight", "printed"))
    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str] = "Laplace input perturbation"

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, 0) under the relation."""
        return self.pure_guarantee()

    def noise_scale(self, dimension: int) -> Fraction:
        """Return the scale t of the discrete Laplace noise in units of the grid, for records of length d."""
        per_epsilon = self.norm_bound**2 * Fraction(4) ** self.coordinate_bits / self.epsilon
        if self.calibration == "printed":
            return 2 * dimension * per_epsilon
        with precision(256):
            sensitivity = l1_sensitivity(dimension, self.adjacency, Entries.UPPER_TRIANGLE)
            upper = fraction(parameter_range(sensitivity, "sensitivity").upper)
        # Rounding up adds noise, so it is on the safe side.
        return Fraction(math.ceil(upper * per_epsilon * _SCALE_DENOMINATOR), _SCALE_DENOMINATOR)

    def grid_for(self, records: Sized) -> Fraction:
        """Return the spacing of the published values, for that many records."""
        return Fraction(1, self.divisor_for(records) * 4**self.coordinate_bits)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish a noisy second-moment matrix; see `Mechanism.release`.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long.
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
            If a block is malformed or of another d, a record is too long, or there is no record under replace-one.
        EntropyError
            If the bits run out, or the process is forked while they are drawn; nothing is released.
        OutOfRangeError
            If the noise does not fit its integers, with a probability below ``d**2 exp(-2**22)``.
        """
        source = SystemEntropy() if entropy is None else entropy
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        integers = gram.matrix()
        rows, columns = np.triu_indices(gram.dimension)
        noise = discrete_laplace_noise(self.noise_scale(gram.dimension), len(rows), source)
        # Python integers on both sides: the sum is exact whatever its size.
        integers[rows, columns] += np.array(noise, dtype=object)
        integers[columns, rows] = integers[rows, columns]
        return publish(self.name, self, integers, self.grid_for(range(gram.count)), self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs with continuous Laplace noise in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        dimension = records.shape[1]
        scale = float(self.noise_scale(dimension) * self.grid_for(records))
        rows, columns = np.triu_indices(dimension)
        outputs = np.empty((size, dimension, dimension))
        outputs[:, rows, columns] = generator.laplace(scale=scale, size=(size, len(rows)))
        outputs[:, columns, rows] = outputs[:, rows, columns]
        return outputs + records.T @ records / self.divisor_for(records)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Compute the privacy loss of the continuous mechanism, without truncation, at one symmetric output.

        `log_mass_ratio` is the loss of what is released.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared or the output is not a symmetric (d, d) matrix.
        """
        first, second = self.read_pair(data, neighbour)
        dimension = first.shape[1]
        scale = self.noise_scale(dimension) * self.grid_for(first)
        point = exact_symmetric(output, dimension)
        distance = _upper_l1(point - self.second_moment(second)) - _upper_l1(point - self.second_moment(first))
        return arb(distance * fmpq(scale.denominator, scale.numerator))

    def log_mass_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, integers: IntegerMatrix) -> Fraction:
        """Compute the exact log-ratio of the probabilities with which two data sets release ``integers``.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared or the integers are not a symmetric (d, d) matrix.
        """
        first, second = self.read_pair(data, neighbour)
        point = exact_symmetric(integers, first.shape[1], "integers")
        if any(entry.q != 1 for entry in point.entries()):
            raise InvalidParameterError("integers", "an entry is not an integer", "pass integers, in units of the grid")
        grams = [
            fmpq_mat(gram.tolist())
            for gram in (lattice_gram(records, self.coordinate_bits) for records in (first, second))
        ]
        distance = _upper_l1(point - grams[1]) - _upper_l1(point - grams[0])
        return fraction(distance) / self.noise_scale(first.shape[1])


def _upper_l1(matrix: fmpq_mat) -> fmpq:
    size = matrix.nrows()
    return sum((abs(matrix[i, j]) for i in range(size) for j in range(i, size)), fmpq(0))
