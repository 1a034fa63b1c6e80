"""What the mechanisms share: public parameters and the reading of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from fractions import Fraction
from typing import Any

import numpy.typing as npt
from attrs import Attribute, field, frozen
from flint import fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction, positive_integer
from dpmatrix.mechanisms.lattice import LatticeGram
from dpmatrix.mechanisms.norms import LARGEST_NORM_BOUND
from dpmatrix.mechanisms.partitions import Blocks, PartialGram
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import OverNorm, bounded_blocks, bounded_records, record_array
from dpmatrix.mechanisms.second_moment import second_moment
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy


def _epsilon(value: Exact) -> Fraction:
    return fraction(value, "epsilon")


def _norm_bound(value: Exact) -> Fraction:
    bound = fraction(value, "norm_bound")
    if not 1 / LARGEST_NORM_BOUND <= bound <= LARGEST_NORM_BOUND:
        raise InvalidParameterError("norm_bound", f"{value} is out of range", "pass a bound in [2**-400, 2**400]")
    return bound


def _divisor(value: object) -> int | None:
    return None if value is None else positive_integer(value, "divisor")


def one_of(*choices: str) -> Callable[[object, Attribute[str], str], None]:
    """Make a validator that accepts a few words."""

    def check(_record: object, attribute: Attribute[str], value: str) -> None:
        if value not in choices:
            raise InvalidParameterError(attribute.name, f"{value!r} is no choice", f"pass one of {choices}")

    return check


@frozen
class BoundedRecords:
    """Public parameters of a mechanism for records in a ball.

    Parameters
    ----------
    epsilon
        Positive; a float is taken as the dyadic rational that it is.
    adjacency
        Relation between neighbouring data sets.
    norm_bound
        Public bound on the Euclidean norm of a record; the documents have 1.
    over_norm
        What to do with a longer record. ``"clip"``, the default, shortens it to the bound: a function of that record
        alone, to the last bit, so that neighbours stay neighbours, and no finite record is refused. ``"reject"``
        refuses the data. Whether it does depends on the records: no guarantee covers the refusal.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    epsilon: Fraction = field(converter=_epsilon)
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    norm_bound: Fraction = field(default=Fraction(1), converter=_norm_bound, kw_only=True)
    over_norm: OverNorm = field(default="clip", validator=one_of("reject", "clip"), kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Let the guarantee check epsilon and the relation."""
        self.pure_guarantee()

    def pure_guarantee(self) -> PrivacyGuarantee:
        """Return (epsilon, 0)-differential privacy under the relation."""
        return PrivacyGuarantee(self.epsilon, 0, self.adjacency)

    def read(self, data: npt.ArrayLike, parameter: str = "data") -> FloatArray:
        """Read data: shape (n, d), exact norms at most ``norm_bound``; n = 0 is a data set only under add/remove-one.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped.
        """
        none_allowed = self.adjacency is Adjacency.ADD_REMOVE_ONE
        return bounded_records(data, self.norm_bound, self.over_norm, none_allowed=none_allowed, parameter=parameter)

    def read_blocks(self, data: npt.ArrayLike, first_row: int = 0) -> Iterator[FloatArray]:
        """Read data piece by piece, in memory for one block, as `read` does; n may be zero.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped; rows are counted from
            ``first_row``.
        """
        array = record_array(data, none_allowed=True)
        for _, block in bounded_blocks(array, self.norm_bound, self.over_norm, first_row=first_row):
            yield block

    def read_gram(self, blocks: Blocks, dimension: int, coordinate_bits: int) -> LatticeGram:
        """Sum the truncated records of all blocks, in memory for one block.

        Raises
        ------
        InvalidParameterError
            If a block is malformed or of another d, a record is too long and may not be clipped, a sum was made for
            another mechanism, or there is no record under replace-one.
        """
        gram = self.sum_blocks(blocks, dimension, coordinate_bits).gram
        if gram.count == 0 and self.adjacency is Adjacency.REPLACE_ONE:
            raise InvalidParameterError("blocks", "no record is given", "pass one record or more")
        return gram

    def sum_blocks(self, blocks: Blocks, dimension: int, coordinate_bits: int) -> PartialGram:
        """Sum the truncated records of all blocks, of which there may be none; NOT private, see `partitions`.

        Raises
        ------
        InvalidParameterError
            If a block is malformed or of another d, a record is too long and may not be clipped, or a sum was made for
            another mechanism.
        """
        gram = LatticeGram(dimension, coordinate_bits)
        for block in blocks:
            if isinstance(block, PartialGram):
                gram = block.joined(gram, self.norm_bound)
                continue
            for records in self.read_blocks(block, gram.count):
                gram.add_read(records)
        return PartialGram(gram=gram, norm_bound=self.norm_bound)


@frozen
class InputPerturbation(BoundedRecords):
    """Public parameters of a mechanism that adds noise to the second-moment matrix.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm
        See `BoundedRecords`.
    divisor
        Public n of the published X'X / n. By default the number of records under replace-one, where all neighbours
        share it, and 1 under add/remove-one, where it is a secret: there a fixed public number must be passed.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    divisor: int | None = field(default=None, converter=_divisor, kw_only=True)

    def divisor_for(self, records: Sized) -> int:
        """Return the divisor of the published matrix, for that many records."""
        if self.divisor is not None:
            return self.divisor
        return len(records) if self.adjacency is Adjacency.REPLACE_ONE else 1

    def read_pair(self, data: npt.ArrayLike, neighbour: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Read two data sets that are published with the same shape and divisor.

        Raises
        ------
        InvalidParameterError
            If either is malformed, or they differ in d or in the divisor.
        """
        first, second = self.read(data), self.read(neighbour, "neighbour")
        if first.shape[1] != second.shape[1] or self.divisor_for(first) != self.divisor_for(second):
            problem = f"shapes {first.shape} and {second.shape} cannot be compared under {self.adjacency.value}"
            raise InvalidParameterError("neighbour", problem, "pass a data set of the same form, or a fixed divisor")
        return first, second

    def second_moment(self, records: FloatArray) -> fmpq_mat:
        """Compute the exact noiseless matrix of records that have been read."""
        return second_moment(records, self.divisor_for(records))


def publish(
    mechanism: str,
    parameters: BoundedRecords,
    integers: npt.NDArray[Any],
    grid: Fraction,
    guarantee: PrivacyGuarantee | None,
    entropy: Entropy,
) -> Release:
    """Make a release; bits that are not secret void the guarantee."""
    return Release(
        integers=integers,
        grid=grid,
        guarantee=guarantee if entropy.private else None,
        mechanism=mechanism,
        adjacency=parameters.adjacency,
        entropy=entropy.description,
    )
