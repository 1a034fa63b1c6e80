"""Exact draws of subspaces from the matrix Bingham law, with density proportional to exp(tr V'BV).

Rejection from the envelope of `matrix_envelope`, whose docstring holds the formula and its proof. The test ``U < p`` is
taken as ``E > -log p`` with an exponential variate E, and decided exactly (`decisions.positive`). What is drawn is the
subspace, as its orthogonal projector ``Y (Y'Y)^{-1} Y'``: a matrix of lazy reals, to be rounded correctly to a public
grid (`decisions.round_to_grid`). An orthonormal basis is the projector's and fresh randomness' affair.

The share of proposals that is kept falls quickly with k and with d: about 0.04 at d = 10, k = 2, and 1e-14 at d = 116,
k = 4. Where a draw may take a limited number of proposals and would take more, it is refused, before any random bit is
used. The number of proposals, and such a refusal, depend on B: neither is protected. Without a limit there is none.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import field, frozen
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import TooSlowError
from dpmatrix.exact import rational
from dpmatrix.randomness.decisions import positive
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.float_functions import logarithms_of
from dpmatrix.randomness.lazy import Indices, LazyExponentials, LazyNormals
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope
from dpmatrix.randomness.small_matrices import columns_of, pivots, trace_of_solution

BATCH = 32
LARGEST_BATCH = 2048
MOST_PROPOSALS = 1 << 20
PILOT = 512


class LazyMatrixProposals:
    """Proposals ``Y = U F Z`` and, as lazy reals of shape (n,), the margins ``E + log p`` of their tests."""

    def __init__(self, envelope: MatrixEnvelope, count: int, entropy: Entropy) -> None:
        self.envelope = envelope
        self.shape = (count,)
        # A row is a column of some Z.
        self.normals = LazyNormals((count * envelope.columns, envelope.dimension), entropy)
        self.exponentials = LazyExponentials((count,), entropy)

    def matrices(self) -> FloatBalls:
        """Enclose the Y in floating point; their columns are the rows, shape (n k, d)."""
        return _scaled(self.normals.approximate(), self.envelope.scales) @ FloatBalls.exactly(self.envelope.vectors.T)

    def approximate(self) -> FloatBalls:
        """Enclose the margins in floating point."""
        k, z, y = self.envelope.columns, self.normals.approximate(), self.matrices()
        z_columns, y_columns = columns_of(z, k), columns_of(y, k)
        image = columns_of(y @ self.envelope.enclosed, k)
        logs = FloatBalls.exactly(np.zeros(self.shape))
        for above, below in zip(pivots(z_columns), pivots(y_columns), strict=True):
            logs = logs + logarithms_of(above / below)
        half = FloatBalls.exactly(np.full(self.shape, self.envelope.dimension / 2))
        constant = FloatBalls.enclosing([-self.envelope.constant()], (1,))
        spread = FloatBalls(np.full(self.shape, constant.center[0]), np.full(self.shape, constant.radius[0]))
        return trace_of_solution(y_columns, image) + logs * half + spread + self.exponentials.approximate()

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these proposals are known."""
        size = self.envelope.dimension * self.envelope.columns
        self.normals.refine(bits, [index * size + place for index in entries for place in range(size)])
        self.exponentials.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these margins."""
        constant, matrix = self.envelope.constant(), arb_mat(self.envelope.matrix)
        values = []
        for index, exponential in zip(entries, self.exponentials.enclose(entries), strict=True):
            z, y = self.enclose_matrix(index)
            gram = y.transpose() * y
            form = _solved(gram, y.transpose() * matrix * y)
            ratio = (z.transpose() * z).det() / gram.det()
            trace = sum((form[place, place] for place in range(self.envelope.columns)), arb(0))
            values.append(trace + ratio.log() * fmpq(self.envelope.dimension, 2) - constant + exponential)
        return values

    def enclose_matrix(self, index: int) -> tuple[arb_mat, arb_mat]:
        """Enclose the Z and the Y of one proposal, shape (d, k)."""
        d, k = self.envelope.dimension, self.envelope.columns
        rows = self.normals.enclose(range(index * d * k, (index + 1) * d * k))
        z = arb_mat(k, d, rows).transpose()
        scaled = [z[i, j] * rational(scale) for i, scale in enumerate(self.envelope.scales.tolist()) for j in range(k)]
        vectors = fmpq_mat(d, d, [rational(entry) for entry in self.envelope.vectors.ravel().tolist()])
        return z, arb_mat(vectors) * arb_mat(d, k, scaled)


class LazyProjector:
    """The projector onto the span of one kept proposal, as lazy reals of shape (d, d)."""

    def __init__(self, proposals: LazyMatrixProposals, index: int) -> None:
        size = proposals.envelope.dimension
        self.shape = (size, size)
        self.rank = proposals.envelope.columns
        self._proposals, self._index = proposals, index

    def approximate(self) -> FloatBalls:
        """Say nothing: every entry is left to the balls."""
        return FloatBalls.unknown(self.shape)

    def refine(self, bits: int, entries: Indices) -> None:  # noqa: ARG002
        """Make sure that ``bits`` digits of the uniforms behind the projector are known: every entry needs all."""
        self._proposals.refine(bits, [self._index])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        _, y = self._proposals.enclose_matrix(self._index)
        whole = (y * _solved(y.transpose() * y, y.transpose())).entries()
        return [whole[index] for index in entries]


@frozen(eq=False)
class MatrixBinghamSampler:
    """Draws k-dimensional subspaces of R^d with density proportional to exp(tr V'BV), exactly.

    Parameters
    ----------
    matrix
        B, shape (d, d), symmetric, rational.
    columns
        k, from 1 to d.
    most_proposals
        Proposals that a draw may take; None for as many as it takes.

    Raises
    ------
    InvalidParameterError
        As in `MatrixEnvelope.of`.
    """

    matrix: fmpq_mat
    columns: int
    most_proposals: int | None = MOST_PROPOSALS
    envelope: MatrixEnvelope = field(init=False)
    expected_share: float = field(init=False)
    """Share of proposals that is kept, estimated from floats that have nothing to do with a draw."""

    def __attrs_post_init__(self) -> None:
        envelope = MatrixEnvelope.of(self.matrix, self.columns)
        object.__setattr__(self, "envelope", envelope)
        object.__setattr__(self, "expected_share", _estimated_share(envelope))

    def draw(self, entropy: Entropy) -> LazyProjector:
        """Draw one subspace.

        Raises
        ------
        TooSlowError
            If more than ``most_proposals`` are to be expected, or none of as many was kept; never without a limit.
        EntropyError
            If the entropy fails or runs short, or the process is forked in the middle.
        """
        self._refuse_if_slow()
        batch, proposed = BATCH, 0
        limit = math.inf if self.most_proposals is None else self.most_proposals
        while proposed < limit:
            proposals = LazyMatrixProposals(self.envelope, int(min(batch, limit - proposed)), entropy)
            kept = np.flatnonzero(positive(proposals))
            if len(kept):
                # The first one: which it is depends on the proposals before it, not on its own value.
                return LazyProjector(proposals, int(kept[0]))
            proposed += proposals.shape[0]
            batch = min(2 * batch, LARGEST_BATCH)
        raise self._too_slow()

    def approximate_draws(self, count: int, entropy: Entropy) -> tuple[FloatArray, float]:
        """Draw orthonormal bases to float accuracy, shape (count, d, k), and measure the share that was kept.

        The bases are uniform among those of their subspace. For studies: floats are not for a release.

        Raises
        ------
        TooSlowError
            If more than ``most_proposals`` for each draw are to be expected.
        EntropyError
            If the entropy fails or runs short, or the process is forked in the middle.
        """
        self._refuse_if_slow()
        d, k = self.envelope.dimension, self.columns
        draws, proposed, kept_total = [np.empty((0, d, k))], 0, 0
        while kept_total < count:
            wanted = int((count - kept_total) / max(self.expected_share, 1e-12)) + 1
            proposals = LazyMatrixProposals(self.envelope, max(BATCH, min(LARGEST_BATCH, wanted)), entropy)
            kept = positive(proposals)
            matrices = proposals.matrices().center.reshape(-1, k, d)[kept].transpose(0, 2, 1)
            left, _, right = np.linalg.svd(matrices, full_matrices=False)
            draws.append(left @ right)
            kept_total += len(matrices)
            proposed += len(kept)
        return np.concatenate(draws)[:count], kept_total / proposed

    def _refuse_if_slow(self) -> None:
        if self.most_proposals is not None and self.expected_share * self.most_proposals < 1:
            raise self._too_slow()

    def _too_slow(self) -> TooSlowError:
        # One message for both reasons, and nothing in it of the matrix, which may be that of secret records.
        problem = f"a draw would take more than {self.most_proposals} proposals"
        return TooSlowError(f"{problem}; lower d or k, or draw one direction after the other")


def _estimated_share(envelope: MatrixEnvelope) -> float:
    """Average p over float proposals from a fixed seed."""
    d, k = envelope.dimension, envelope.columns
    z = np.random.default_rng(0).standard_normal((PILOT, d, k))
    y = envelope.vectors @ (envelope.scales[:, None] * z)
    gram, image = y.transpose(0, 2, 1) @ y, y.transpose(0, 2, 1) @ envelope.enclosed.center @ y
    ratio = np.linalg.slogdet(z.transpose(0, 2, 1) @ z)[1] - np.linalg.slogdet(gram)[1]
    forms = np.trace(np.linalg.solve(gram, image), axis1=1, axis2=2)
    return float(np.mean(np.exp(np.minimum(forms + d / 2 * ratio - float(envelope.constant()), 0.0))))


def _scaled(rows: FloatBalls, scales: FloatArray) -> FloatBalls:
    return rows * FloatBalls.exactly(np.broadcast_to(scales, rows.shape))


def _solved(gram: arb_mat, right: arb_mat) -> arb_mat:
    """Solve, or say nothing where the digits known so far leave the Gram matrix singular."""
    try:
        return gram.solve(right)
    except ZeroDivisionError:
        return arb_mat(right.nrows(), right.ncols(), [arb("nan")] * (right.nrows() * right.ncols()))
