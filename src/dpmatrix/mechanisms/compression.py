"""Compression by a Gaussian projection, plain and truncated to a public box. Neither is differentially private."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, NotPrivateError, RefusedError
from dpmatrix.exact import Exact, fraction, positive_integer, rational
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import as_records
from dpmatrix.mechanisms.second_moment import exact_symmetric, is_positive_definite, second_moment
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.compressed import LazyBoxSlack, LazyNormalisedProduct
from dpmatrix.randomness.decisions import positive, round_to_grid
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.lazy import LazyNormals

REFUTED = "compression.corollary-3-7"


def _rows(value: object) -> int:
    return positive_integer(value, "rows")


def _grid(value: Exact) -> Fraction:
    spacing = fraction(value, "grid")
    if spacing <= 0:
        raise InvalidParameterError("grid", f"{value} is not positive", "pass a positive rational spacing")
    return spacing


@implements("compression.transformation+repair@ea9951f2")
@frozen
class GaussianCompression:
    """Publish Phi X, m rows, where the columns of X are scaled to squared norm n and Phi has N(0, 1/n) entries.

    It is not differentially private: `compression.corollary-3-7` is refuted, and neighbours one of which has linearly
    dependent columns are told apart with certainty.

    Parameters
    ----------
    rows
        m, at most the number of records.
    grid
        Public spacing of the published values.
    acknowledge
        Must be ``"compression.corollary-3-7"``.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    NotPrivateError
        Without the acknowledgement.
    """

    rows: int = field(converter=_rows)
    grid: Fraction = field(default=Fraction(1, 2**24), converter=_grid, kw_only=True)
    acknowledge: str | None = field(default=None, kw_only=True)

    name: ClassVar[str] = "Gaussian compression"
    adjacency: ClassVar[Adjacency] = Adjacency.REPLACE_ONE
    guarantee: ClassVar[None] = None

    def __attrs_post_init__(self) -> None:
        """Ask for the acknowledgement."""
        if self.acknowledge != REFUTED:
            raise NotPrivateError(
                f"compressed data are not differentially private: {REFUTED} is refuted, the loss is infinite where "
                f"columns are linearly dependent. To study the document's form, pass acknowledge={REFUTED!r}."
            )

    def read(self, data: npt.ArrayLike) -> FloatArray:
        """Read data of shape (n, p), with n >= m and no zero column, which could not be normalised.

        A refusal is a message about the data, not a release.

        Raises
        ------
        InvalidParameterError
            If the data are malformed, too few, or have a zero column.
        """
        records = as_records(data)
        if len(records) < self.rows:
            problem = f"{self.rows} rows from {len(records)} records is no compression"
            raise InvalidParameterError("rows", problem, "pass at most the number of records")
        zero = np.flatnonzero(~records.any(axis=0))
        if len(zero):
            problem = f"column {int(zero[0])} is zero, so it cannot be normalised"
            raise InvalidParameterError("data", problem, "leave the column out")
        return records

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish the correct rounding of the ideal output, shape (m, p); the release carries no guarantee.

        Raises
        ------
        InvalidParameterError
            If the data are malformed, too few, or have a zero column.
        """
        source = SystemEntropy() if entropy is None else entropy
        return self._publish(self._draw(self.read(data), source), source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs in floating point, shape (size, m, p). NEVER private."""
        records = self.read(data)
        normalised = records / np.linalg.norm(records, axis=0)
        return np.asarray(generator.standard_normal((size, self.rows, len(records))) @ normalised, dtype=np.float64)

    def _draw(self, records: FloatArray, source: Entropy) -> LazyNormalisedProduct:
        squares = second_moment(records, 1)
        norms = tuple(squares[j, j] for j in range(records.shape[1]))
        return LazyNormalisedProduct(LazyNormals((self.rows, len(records)), source), records, norms)

    def _publish(self, output: LazyNormalisedProduct, source: Entropy) -> Release:
        return Release(
            integers=round_to_grid(output, self.grid),
            grid=self.grid,
            guarantee=None,
            mechanism=self.name,
            adjacency=self.adjacency,
            entropy=source.description,
        )


def _reference(value: npt.ArrayLike) -> fmpq_mat:
    entries = np.asarray(value)
    size = entries.shape[0] if entries.ndim == 2 else 0
    matrix = exact_symmetric(entries, size, "reference")
    if size == 0 or any(matrix[j, j] != 1 for j in range(size)):
        raise InvalidParameterError("reference", "its diagonal is not 1", "pass a correlation matrix")
    return matrix


def _attempts(value: object) -> int:
    return positive_integer(value, "attempts")


def _delta_max(value: Exact) -> Fraction:
    width = fraction(value, "delta_max")
    if width < 0:
        raise InvalidParameterError("delta_max", f"{value} is negative", "pass a bound of at least 0")
    return width


@implements("compression.procedure-4-1+repair@5f90c6a5", "compression.procedure-4-2@14b29262")
@frozen
class TruncatedCompression(GaussianCompression):
    """Draw compressed data anew until their covariance lies in a public box around a public reference.

    For data sets that keep the guarantee ``|Sigma - reference| <= delta_max`` the loss of what is published is bounded
    by `compression.theorem-4-6`; a refusal, whose own loss is not, has probability at most ``n**(-2 attempts)``.
    Reference and width must not be computed from the data: then two data sets keep different outputs, and the loss is
    infinite.

    Parameters
    ----------
    reference
        Public correlation matrix, shape (p, p), exact.
    delta_max
        Public Delta_max, at least 0.
    attempts
        Largest number of draws; the last one ends in a `RefusedError`.
    """

    reference: fmpq_mat = field(converter=_reference, kw_only=True)
    delta_max: Fraction = field(converter=_delta_max, kw_only=True)
    attempts: int = field(default=64, converter=_attempts, kw_only=True)

    name: ClassVar[str] = "truncated Gaussian compression"

    def squared_tail(self, records: int) -> arb:
        """Enclose ``C^2 ln(2 n p) / m`` with ``C^2 = 2 (4 e / sqrt(6 pi) + e sqrt(8))``."""
        factor = 2 * (4 * arb(1).exp() / (6 * arb.pi()).sqrt() + arb(1).exp() * arb(8).sqrt())
        return factor * arb(2 * records * self.reference.nrows()).log() / self.rows

    def radius(self, records: int) -> arb:
        """Enclose the half-width of the box, ``C sqrt(ln(2 n p) / m) + delta_max``."""
        return self.squared_tail(records).sqrt() + arb(rational(self.delta_max))

    def read(self, data: npt.ArrayLike) -> FloatArray:
        """Read data that Theorem 4.6 speaks of: p columns, linearly independent, and enough rows m.

        Raises
        ------
        InvalidParameterError
            As for plain compression; or if the data have another number of columns than the reference, or linearly
            dependent columns, or m is below ``2 (C_1 + C_2) ln(2 n p)``.
        """
        records = super().read(data)
        if records.shape[1] != self.reference.nrows():
            problem = f"{records.shape[1]} columns for a reference of size {self.reference.nrows()}"
            raise InvalidParameterError("data", problem, "pass data with the columns of the reference")
        if not self.squared_tail(len(records)) <= 1:
            least = int((self.squared_tail(len(records)) * self.rows).upper().ceil().fmpz())
            raise InvalidParameterError("rows", f"{self.rows} are too few for Lemma 4.4", f"pass {least} or more")
        if not is_positive_definite(second_moment(records, 1)):
            problem = "its columns are linearly dependent, so the covariance is singular"
            raise InvalidParameterError("data", problem, "leave out what follows from other columns")
        return records

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish the first draw inside the box, correctly rounded; the ideal output decides, not the rounded one.

        Raises
        ------
        InvalidParameterError
            If the data are not those that the theorem speaks of.
        RefusedError
            If no draw lies inside the box. That is an output of the mechanism: it says that the data are far from the
            reference.
        """
        source = SystemEntropy() if entropy is None else entropy
        records = self.read(data)
        for _ in range(self.attempts):
            output = self._draw(records, source)
            slack = LazyBoxSlack(output, self.reference, lambda: self.radius(len(records)))
            if positive(slack).all():
                return self._publish(output, source)
        raise RefusedError(f"none of {self.attempts} draws lies within the box around the reference")

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw kept outputs in floating point, shape (size, m, p). NEVER private.

        Raises
        ------
        RefusedError
            If one of them is not found within the number of attempts.
        """
        records = self.read(data)
        centre = np.array([[float(Fraction(int(x.p), int(x.q))) for x in row] for row in self.reference.tolist()])
        radius = float(self.radius(len(records)))
        kept = np.empty((size, self.rows, records.shape[1]))
        missing = np.arange(size)
        for _ in range(self.attempts):
            kept[missing] = super().simulate(data, len(missing), generator)
            gram = np.swapaxes(kept[missing], 1, 2) @ kept[missing] / self.rows
            missing = missing[(np.abs(gram - centre) > radius).any(axis=(1, 2))]
            if not len(missing):
                return kept
        raise RefusedError(f"none of {self.attempts} draws lies within the box around the reference")
