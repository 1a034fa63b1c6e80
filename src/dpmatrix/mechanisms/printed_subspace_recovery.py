"""Algorithm 2 of `analyze-gauss` as printed, and the parameters that its repair shares with it."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.exact import Exact, ball, fraction, positive_integer
from dpmatrix.mechanisms.analyze_gauss import slide_deviation
from dpmatrix.mechanisms.input_perturbation import BoundedRecords
from dpmatrix.mechanisms.lattice import coordinate_bits_of
from dpmatrix.mechanisms.protocol import FloatArray

REFUTED = "analyze-gauss.subspace-privacy"


def _delta(value: Exact) -> Fraction:
    delta = fraction(value, "delta")
    if not 0 < delta < Fraction(1, 2):
        raise InvalidParameterError("delta", f"{value} is outside (0, 1/2)", "pass 0 < delta < 1/2")
    return delta


def _rank(value: object) -> int:
    return positive_integer(value, "rank")


@frozen
class RecoverySettings(BoundedRecords):
    """Public parameters of Algorithm 2.

    Parameters
    ----------
    rank
        k, from 1 to n - 1.
    delta
        In (0, 1/2); the guarantee is (2 epsilon, 2 delta).
    coordinate_bits
        Binary digits that the truncated records keep.
    epsilon, adjacency, norm_bound, over_norm
        See `BoundedRecords`.
    """

    rank: int = field(converter=_rank, kw_only=True)
    delta: Fraction = field(converter=_delta, kw_only=True)
    coordinate_bits: int = field(default=20, converter=coordinate_bits_of, kw_only=True)

    def offset(self) -> arb:
        """Enclose ``2 (1 + log(1/delta) / epsilon)``."""
        return 2 * (1 + (1 / ball(self.delta)).log() / ball(self.epsilon))

    def check_rank(self, dimension: int) -> None:
        """Refuse a rank that leaves no gap.

        Raises
        ------
        InvalidParameterError
            If k >= n.
        """
        if self.rank >= dimension:
            raise InvalidParameterError("rank", f"{self.rank} leaves no gap", f"pass a rank below {dimension}")

    def float_spectrum(self, data: npt.ArrayLike) -> tuple[float, FloatArray]:
        """Compute the gap in units of ``norm_bound**2`` and the projector in floating point."""
        records = self.read(data)
        self.check_rank(records.shape[1])
        values, vectors = np.linalg.eigh(records.T @ records / float(self.norm_bound) ** 2)
        top = vectors[:, -self.rank :]
        return float(values[-self.rank] - values[-self.rank - 1]), np.asarray(top @ top.T)


@implements("analyze-gauss.algorithm-2@e8530eed")
@frozen
class PrintedSubspaceRecovery(RecoverySettings):
    """Algorithm 2 of `analyze-gauss` as printed, for study: NOT private, and without a release.

    The claim `analyze-gauss.subspace-privacy` is refuted: where one row closes the gap, the noise is small and the
    subspace is given away.

    Parameters
    ----------
    acknowledge
        Must be ``"analyze-gauss.subspace-privacy"``: the claim whose refutation the caller has taken note of.
    rank, delta, coordinate_bits, epsilon, adjacency, norm_bound, over_norm
        See `RecoverySettings`.

    Raises
    ------
    NotPrivateError
        Without the acknowledgement.
    """

    acknowledge: str | None = field(default=None, kw_only=True)

    name: ClassVar[str] = "private subspace recovery, as printed"
    guarantee: ClassVar[None] = None

    def __attrs_post_init__(self) -> None:
        """Check the public parameters, then the acknowledgement."""
        self.pure_guarantee()
        if self.acknowledge != REFUTED:
            raise NotPrivateError(
                f"Algorithm 2 as printed is not private: {REFUTED} is refuted. Use PrivateSubspaceRecovery; to study "
                f"the printed form, pass acknowledge={REFUTED!r}."
            )

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs in floating point, shape (size, n, n): projectors, never withheld."""
        gap, projector = self.float_spectrum(data)
        noisy = gap + generator.laplace(scale=2 / float(self.epsilon), size=size)
        deviation = float(slide_deviation(self.epsilon, self.delta)) / np.abs(noisy - float(self.offset()))
        return noisy_subspaces(projector, self.rank, deviation, generator)


def noisy_subspaces(
    projector: FloatArray, rank: int, deviation: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Add symmetric Gaussian noise of each deviation and project onto the top k eigenvectors: shape (size, n, n)."""
    dimension, size = len(projector), len(deviation)
    rows, columns = np.triu_indices(dimension)
    noise = np.empty((size, dimension, dimension))
    noise[:, rows, columns] = generator.normal(size=(size, len(rows))) * deviation[:, None]
    noise[:, columns, rows] = noise[:, rows, columns]
    _, vectors = np.linalg.eigh(projector + noise)
    top = vectors[:, :, -rank:]
    return np.asarray(top @ np.swapaxes(top, 1, 2))
