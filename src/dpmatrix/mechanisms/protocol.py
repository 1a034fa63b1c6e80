"""What every mechanism offers, and what a release is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
from attrs import cmp_using, field, frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, OutOfRangeError
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntegerMatrix: TypeAlias = npt.NDArray[np.object_]
Value = TypeVar("Value")
Result = TypeVar("Result")


def _read_only(matrix: npt.NDArray[Any]) -> IntegerMatrix:
    if matrix.dtype == np.int64:
        copy: IntegerMatrix = matrix.astype(object)
    else:
        copy = np.array([[int(entry) for entry in row] for row in matrix], dtype=object).reshape(matrix.shape)
    copy.setflags(write=False)
    return copy


@frozen(kw_only=True)
class Release:
    """A published matrix: exact integers on a public grid, and the guarantee under which they were drawn.

    The guarantee is one about records of finite numbers: with the mechanisms' defaults every data set of them, of a
    shape that neighbours share, ends in a release. What the guarantee does not cover is a call that ends in an error
    which depends on the records: for data that hold no finite number, and where a refusal was asked for, of longer
    records by ``over_norm="reject"`` or of slow draws by ``most_proposals``. Whoever may not see the records must not
    see that there was one.

    Attributes
    ----------
    integers
        Python integers; read-only. The published matrix is ``integers * grid``: a symmetric one of shape (d, d), or
        directions as columns, shape (d, k), or what else the mechanism says.
    grid
        Spacing of the published values, known before the data are seen.
    guarantee
        The guarantee that was kept, or None when there is none.
    mechanism
        Name of the mechanism.
    adjacency
        Relation between data sets for which the noise was scaled.
    entropy
        Description of the source of the random bits.
    """

    integers: IntegerMatrix = field(converter=_read_only, eq=cmp_using(eq=np.array_equal))
    grid: Fraction
    guarantee: PrivacyGuarantee | None
    mechanism: str
    adjacency: Adjacency
    entropy: str

    @property
    def private(self) -> bool:
        """Whether a guarantee was kept: the mechanism has one, and its bits were secret."""
        return self.guarantee is not None

    def to_numpy(self) -> FloatArray:
        """Convert to floats, each entry correctly rounded: post-processing.

        Raises
        ------
        OutOfRangeError
            If an entry is beyond the largest float; the integers and the grid are there to be used.
        """
        try:
            values = [float(int(entry) * self.grid) for entry in self.integers.flat]
        except OverflowError as error:
            raise OutOfRangeError("an entry is beyond binary64; use integers and grid") from error
        return np.array(values, dtype=np.float64).reshape(self.integers.shape)

    def apply(self, function: Callable[[Release], Result]) -> PostProcessed[Result]:
        """Return a function of the release, with the guarantee that it inherits."""
        return PostProcessed(self, function)


@implements("sliding-window.lemma-9@d5538afc")
@frozen
class PostProcessed(Generic[Value]):
    """A value computed from a release and nothing else, which therefore keeps its guarantee.

    That a function sees the release alone is all that is checked: one that reads the data from elsewhere, such as a
    closure over them, breaks the guarantee, and nothing here can tell. Randomness of its own is no breach.

    Parameters
    ----------
    before
        The release, or what has been made of it.
    function
        Called once, with the release or with the value of ``before``.

    Raises
    ------
    InvalidParameterError
        If there is no release to begin with.
    """

    before: Release | PostProcessed[Any]
    function: Callable[[Any], Value]
    value: Value = field(init=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.before, Release | PostProcessed):
            raise InvalidParameterError("before", f"{self.before!r} is no release", "begin with Release.apply")
        given = self.before if isinstance(self.before, Release) else self.before.value
        object.__setattr__(self, "value", self.function(given))

    @property
    def release(self) -> Release:
        """The release that everything was computed from."""
        return self.before if isinstance(self.before, Release) else self.before.release

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee of the release."""
        return self.release.guarantee

    @property
    def trace(self) -> tuple[str, ...]:
        """Names of the functions, the first one first."""
        name = getattr(self.function, "__qualname__", repr(self.function))
        return (name,) if isinstance(self.before, Release) else (*self.before.trace, name)

    def apply(self, function: Callable[[Value], Result]) -> PostProcessed[Result]:
        """Return a function of the value, with the same guarantee."""
        return PostProcessed(self, function)


@runtime_checkable
class Mechanism(Protocol):
    """A randomised algorithm that publishes a matrix computed from records."""

    @property
    def name(self) -> str:
        """Name that the field uses."""
        ...

    @property
    def adjacency(self) -> Adjacency:
        """Relation between data sets for which the noise is scaled."""
        ...

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee of every release from secret bits, or None if there is none."""
        ...

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish one matrix, without floating point between the data and the noise.

        Parameters
        ----------
        data
            Shape (n, d), one record a row.
        entropy
            Source of the random bits; the operating system by default. With a source that is not private, the
            release carries no guarantee.
        """
        ...

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw ``size`` outputs in floating point, in a stack, for studies and audits. NEVER private."""
        ...

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Enclose ``log p(output | data) - log p(output | neighbour)`` for the ideal real-valued output.

        The privacy loss at one output; plus or minus infinity where exactly one of the two densities vanishes.
        """
        ...
