"""PPCA: the exponential mechanism for principal components, by exact draws."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, positive_integer
from dpmatrix.mechanisms.input_perturbation import BoundedRecords, one_of, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of, lattice_gram
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import record_array
from dpmatrix.mechanisms.second_moment import exact_matrix
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.bingham import log_bingham_constant
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.sensitivity import nuclear_sensitivity
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import Entropy, SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy import LazyReals
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler


class SubspaceSampler(Protocol):
    """Exact draws from a matrix Bingham law, as lazily refined reals."""

    def draw(self, entropy: Entropy) -> LazyReals:
        """Draw a unit vector, shape (d,), for k = 1, or the projector onto a k-dimensional subspace, shape (d, d)."""


def subspace_sampler(exponent: fmpq_mat, rank: int, most_proposals: int | None = None) -> SubspaceSampler:
    """Return an exact sampler of the law with density proportional to exp(tr V'BV).

    For k > 1 a draw may take so many proposals, or as many as it takes.

    Raises
    ------
    InvalidParameterError
        If k > d, or as in `BinghamSampler` and `MatrixBinghamSampler`.
    """
    dimension = exponent.nrows()
    if rank > dimension:
        raise InvalidParameterError("rank", f"{rank} exceeds d = {dimension}", "pass a rank of at most d")
    return BinghamSampler(exponent) if rank == 1 else MatrixBinghamSampler(exponent, rank, most_proposals)


def _rank(value: object) -> int:
    return positive_integer(value, "rank")


def _most_proposals(value: object) -> int | None:
    return None if value is None else positive_integer(value, "most_proposals")


@frozen
class ExponentialPca(BoundedRecords):
    """What the exponential mechanisms for principal components share.

    Parameters
    ----------
    calibration
        ``"tight"``: the score x'VV'x of the records is weighted by epsilon over its range between neighbours, 2 r**2
        under replace-one and r**2 under add/remove-one or for d = 1. ``"printed"``: by epsilon / (2 r**2), whatever
        the relation.
    rank
        Number k of components.
    coordinate_bits
        Digits after the binary point to which coordinates are truncated towards zero, in [0, 512]. It moves the
        score of a data set by less than ``2**(1 - b) r n sqrt(d)``.
    direction_bits
        The published coordinates are multiples of 2 to the power of minus this, in [16, 512].
    epsilon, adjacency, norm_bound, over_norm
        See `BoundedRecords`.
    """

    calibration: Literal["tight", "printed"] = field(default="tight", validator=one_of("tight", "printed"))
    rank: int = field(default=1, converter=_rank, kw_only=True)
    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)
    direction_bits: int = field(default=40, kw_only=True)

    @direction_bits.validator
    def _check_direction_bits(self, _attribute: object, value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not 16 <= value <= 512:
            raise InvalidParameterError("direction_bits", f"{value!r} is out of range", "pass an integer in [16, 512]")

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, 0) under the relation."""
        return self.pure_guarantee()

    @property
    def grid(self) -> Fraction:
        """Spacing of the published coordinates."""
        return Fraction(1, 2**self.direction_bits)

    def weight(self, dimension: int) -> Fraction:
        """Return what multiplies X'X in the exponent, for records of length d."""
        if self.calibration == "printed":
            return self.epsilon / (2 * self.norm_bound**2)
        width = parameter_range(nuclear_sensitivity(dimension, self.adjacency), "score_range").upper
        return self.epsilon / (fraction(width) * self.norm_bound**2)

    def partial_gram(self, blocks: Blocks, dimension: int) -> PartialGram:
        """Sum some of the records, for `release_blocks` elsewhere; NOT private, see `partitions`."""
        return self.sum_blocks(blocks, dimension, self.coordinate_bits)

    def exponent(self, blocks: Blocks, dimension: int) -> fmpq_mat:
        """Compute the exponent B of the truncated records, exactly: shape (d, d)."""
        gram = self.read_gram(blocks, dimension, self.coordinate_bits)
        weight = self.weight(dimension) / 4**self.coordinate_bits
        return fmpq_mat(gram.matrix().tolist()) * fmpq(weight.numerator, weight.denominator)

    def blocks_of(self, data: npt.ArrayLike) -> tuple[list[npt.NDArray[np.generic]], int]:
        """View data as one block, with its d."""
        array = record_array(data, none_allowed=self.adjacency is Adjacency.ADD_REMOVE_ONE)
        return [array], array.shape[1]


@implements("near-optimal.algorithm-2+repair@7d677fd9", "near-optimal.theorem-6@bf9f5d3e")
@frozen
class Ppca(ExponentialPca):
    r"""Algorithm 2 of `near-optimal` by exact draws: (epsilon, 0)-differentially private.

    For k = 1, the default, a unit vector v is drawn with density proportional to :math:`e^{v'Bv}`, B the weight times
    X'X of the truncated records. What is released is v with each coordinate rounded, correctly, to a public grid, in
    one column: its length is 1 up to the rounding, and its sign is a coin that has nothing to do with the data. For k >
    1 a subspace is drawn with density proportional to :math:`e^{\mathrm{tr} V'BV}`, and its projector VV', rounded in
    the same way, is released; `principal_components` finds a basis of it.

    *Proof.* Truncated records still have norm at most r. Between neighbours X'X changes by vv' - ww' (replace-one),
    and the score x'VV'x of one record lies in [0, r**2]; so tr V'BV changes by numbers in an interval that contains a
    constant (the change of the log-normaliser, as both densities have integral 1) and whose length is the weight
    times the nuclear norm of that change, at most epsilon (`near-optimal.theorem-6`). The draw is exact: a rejection
    sampler whose decisions are those of the ideal reals (`BinghamSampler`, `MatrixBinghamSampler`). The correct
    rounding is a function of the draw, hence post-processing. No chain is run, since a chain that is stopped is not a
    draw from its limit.

    What the proof does not cover: the time, as the number of proposals is random and depends on the data. For k > 1 it
    can be so large that a draw does not end: at d = 10, k = 2, records near one line whose B has an eigenvalue of 320
    take some 10^7 proposals, and with 1,280 they take 10^16. Such data are not refused, since whether they are would
    depend on the records: there are neighbours of which one would be released and the other refused. `SequentialPpca`
    draws without that cost.

    Parameters
    ----------
    most_proposals
        For k > 1, what a draw may take before it ends in a `TooSlowError`; by default there is no limit. A limit is
        public, but the refusal depends on the records, and no guarantee covers it.
    calibration, rank, coordinate_bits, direction_bits, epsilon, adjacency, norm_bound, over_norm
        See `ExponentialPca`.
    """

    most_proposals: int | None = field(default=None, converter=_most_proposals, kw_only=True)

    name: ClassVar[str] = "PPCA"

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish integers, times the grid: a direction, shape (d, 1), or for k > 1 a projector, shape (d, d).

        Raises
        ------
        InvalidParameterError
            If the data are malformed, a record is too long and may not be clipped, or as in `subspace_sampler`.
        TooSlowError
            If k > 1 and a draw would take more than ``most_proposals``.
        """
        return self.release_blocks(*self.blocks_of(data), entropy=entropy)

    def release_blocks(self, blocks: Blocks, dimension: int, *, entropy: Entropy | None = None) -> Release:
        """Publish a direction for records that come in blocks, in memory for one block; else as `release`."""
        source = SystemEntropy() if entropy is None else entropy
        sampler = subspace_sampler(self.exponent(blocks, dimension), self.rank, self.most_proposals)
        rounded = round_to_grid(sampler.draw(source), self.grid).reshape(dimension, -1)
        return publish(self.name, self, rounded, self.grid, self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw directions to float accuracy, shape (size, d, 1), for studies and audits. NEVER private.

        Raises
        ------
        InvalidParameterError
            As in `release`; or if k > 1.
        """
        exponent = self._direction_exponent(data)
        seed = int(generator.integers(2**63))
        draws, _ = BinghamSampler(exponent).approximate_draws(size, SeededEntropy(seed))
        return draws[:, :, None]

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Enclose the privacy loss of the ideal unit vector along ``output``, shape (d, 1), for k = 1.

        Truncated records count, so this is the loss of what is drawn; it depends on the line of the vector alone.

        Raises
        ------
        InvalidParameterError
            If the data sets have another d, the output is zero or of another shape, or k > 1.
        """
        before, after = self._direction_exponent(data), self._direction_exponent(neighbour)
        if before.nrows() != after.nrows():
            raise InvalidParameterError("neighbour", "it has records of another length", "pass records of length d")
        vector = exact_matrix(output, (before.nrows(), 1))
        length = (vector.transpose() * vector)[0, 0]
        if length == 0:
            raise InvalidParameterError("output", "it is zero", "pass a direction")
        change = (vector.transpose() * (before - after) * vector)[0, 0] / length
        return arb(change) - log_bingham_constant(before) + log_bingham_constant(after)

    def _direction_exponent(self, data: npt.ArrayLike) -> fmpq_mat:
        if self.rank > 1:
            raise InvalidParameterError("rank", f"{self.rank} is not 1", "its law is known here for one direction")
        records = self.read(data)
        weight = self.weight(records.shape[1]) / 4**self.coordinate_bits
        gram = lattice_gram(records, self.coordinate_bits)
        return fmpq_mat(gram.tolist()) * fmpq(weight.numerator, weight.denominator)
