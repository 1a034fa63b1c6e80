r"""The envelope of a matrix Bingham law: a matrix angular central Gaussian density that certainly lies above it.

The law has a density proportional to exp(tr V'BV) on the d x k matrices with orthonormal columns; it is the same for V
and VR, R orthogonal. Proposals are ``V = Y (Y'Y)^{-1/2}``, ``Y = U F Z``, with Z standard normal, shape (d, k), floats
U near the eigenvectors of B, and a diagonal F of floats. Their density is proportional to
:math:`|V'SV|^{-d/2}`, :math:`S = (U F^2 U')^{-1}`, and :math:`|V'SV| = |Z'Z| / |Y'Y|`. A proposal is kept with
probability :math:`p = e^{\mathrm{tr} V'BV - K} |V'SV|^{d/2}`, and K below makes it at most one.

*Bound.* With :math:`\omega_i = F_i^{-2}`, numbers :math:`\lambda_i` near the eigenvalues and any
:math:`c_1, \dots, c_k > 0`,

.. math::

    K = \sum_{j \le k} (\lambda_j + c_j \omega_j) + \tfrac18 \sum_{i \le k} \max_{j \le k} e_{ij}
        + \sum_{j \le k} \max_{i > k} s_{ij}^+ - \tfrac{dk}{2} - \tfrac d2 \sum_{j \le k} \log \tfrac{2 c_j}{d}
        + k \eta + d k \log(1 + \kappa \tau) ,

:math:`e_{ij} = (c_i - c_j)(\omega_j - \omega_i)`, :math:`s_{ij} = \lambda_i - \lambda_j + c_j (\omega_i - \omega_j)`.

*Proof.* Take B for the diagonal matrix of the :math:`\lambda_i` and S for that of the :math:`\omega_i` first. As
:math:`\log x \le x - 1`, :math:`\log |M| \le \sum_j (M_{jj} / n_j - 1 + \log n_j)` for M positive definite and n
positive; with :math:`n_j = d / (2 c_j)`, :math:`\frac d2 \log |V' \Omega V|` is at most :math:`\sum_j c_j (V' \Omega
V)_{jj} - \frac{dk}2 - \frac d2 \sum_j \log \frac{2 c_j}d`. That holds for V in any rotation, so let X, its first k
rows, be symmetric and positive semidefinite. The columns of V have length one, hence

.. math::

    \sum_{i, j} V_{ij}^2 (\lambda_i + c_j \omega_i) = \sum_j (\lambda_j + c_j \omega_j)
        + \sum_{i < j \le k} X_{ij}^2 e_{ij} + \sum_{i > k, j} V_{ij}^2 s_{ij} .

From :math:`0 \le X \le 1` follows :math:`X^2 \le X`, and :math:`\sum_{j \ne i} X_{ij}^2 \le X_{ii} - X_{ii}^2 \le
\frac14`: the second sum is at most :math:`\frac12 \cdot \frac14 \sum_i \max_j e_{ij}`. The third is at most
:math:`\sum_j \max_i s_{ij}^+`. *Rounding.* Let :math:`\tau \le \frac12` bound the row sums of :math:`|U'U - I|`, and r
those of :math:`|U'BU - \Lambda|`. With :math:`H = (U'U)^{-1/2}`, :math:`|H - I| \le \tau` and :math:`Q = UH` is
orthogonal. :math:`Q'BQ = H (U'BU) H` is within :math:`\eta = (1 + \tau)^2 r + \tau (2 + \tau) \max |\lambda|` of
:math:`\Lambda`, and :math:`Q'SQ = H \Omega H \le (1 + \kappa \tau)^2 \Omega` for :math:`\kappa = \max F / \min F`. ∎

For k = 1 the two middle sums vanish and this is Kent's envelope. Nothing has to be accurate: the fit decides how often
a proposal is kept. A bound through the eigenvalues of V'(max B - B)V alone, which takes all top eigenvalues for the
largest, would lose a factor that is exponential in their differences.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat
from scipy.optimize import minimize

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls

Vector: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

STEPS = 4000
LARGEST_EXPONENT = 700.0


@frozen(eq=False)
class MatrixEnvelope:
    """The constants of the module, for one B and one k.

    Attributes
    ----------
    matrix
        B, shape (d, d), symmetric, rational.
    columns
        k, from 1 to d.
    enclosed
        B near floats.
    vectors
        U, shape (d, d).
    scales
        The diagonal of F, shape (d,), positive.
    offset
        The part of K that is rational.
    weights
        c, shape (k,), positive.
    stretch
        ``kappa tau``.
    """

    matrix: fmpq_mat
    columns: int
    enclosed: FloatBalls
    vectors: FloatArray
    scales: FloatArray
    weights: FloatArray
    offset: fmpq = field(init=False)
    stretch: fmpq = field(init=False)

    def __attrs_post_init__(self) -> None:
        eigenvalues = np.einsum("ij,ik,kj->j", self.vectors, self.enclosed.center, self.vectors)
        u, size = FloatBalls.exactly(self.vectors), self.dimension
        tilt = _row_sums(u.transposed @ u - FloatBalls.exactly(np.eye(size)))
        if not tilt <= fmpq(1, 2):
            raise InvalidParameterError("matrix", "its eigenvectors are not certified in floats", "scale it down")
        rest = _row_sums(u.transposed @ self.enclosed @ u - FloatBalls.exactly(np.diag(eigenvalues)))
        largest = rational(float(np.abs(eigenvalues).max()))
        eta = (1 + tilt) * (1 + tilt) * rest + tilt * (2 + tilt) * largest
        omegas = [1 / (rational(scale) * rational(scale)) for scale in self.scales.tolist()]
        bound = linear_bound([rational(value) for value in eigenvalues.tolist()], omegas, self.exact_weights)
        object.__setattr__(self, "offset", bound + self.columns * eta - fmpq(size * self.columns, 2))
        object.__setattr__(
            self, "stretch", rational(float(self.scales.max())) / rational(float(self.scales.min())) * tilt
        )

    @classmethod
    def of(cls, matrix: fmpq_mat, columns: int) -> MatrixEnvelope:
        """Fit an envelope.

        Raises
        ------
        InvalidParameterError
            If the matrix is empty, not symmetric, too large or too ill conditioned for floats, or k is not in [1, d].
        """
        size = matrix.nrows()
        if size == 0 or matrix != matrix.transpose():
            raise InvalidParameterError("matrix", "it is empty or not symmetric", "pass a symmetric matrix")
        if type(columns) is not int or not 1 <= columns <= size:
            raise InvalidParameterError("columns", f"{columns!r} is out of range", f"pass an integer in [1, {size}]")
        enclosed = FloatBalls.of_rationals(matrix.entries(), (size, size))
        if not (np.isfinite(enclosed.radius).all() and np.abs(enclosed.center).max() < 2.0**500):
            raise InvalidParameterError("matrix", "an entry is beyond 2**500", "scale the exponent down")
        eigenvalues, vectors = np.linalg.eigh(enclosed.center)
        omegas, weights = fitted(eigenvalues[::-1], columns)
        return cls(matrix, columns, enclosed, vectors[:, ::-1].copy(), 1 / np.sqrt(omegas), weights)

    @property
    def dimension(self) -> int:
        """Number d of rows of V."""
        return self.matrix.nrows()

    @property
    def exact_weights(self) -> list[fmpq]:
        """The numbers c."""
        return [rational(weight) for weight in self.weights.tolist()]

    def constant(self) -> arb:
        """Enclose K at the working precision."""
        logs = sum((arb(2 * weight / self.dimension).log() for weight in self.exact_weights), arb(0))
        stretched = self.columns * self.dimension * arb(1 + self.stretch).log()
        return arb(self.offset) - logs * fmpq(self.dimension, 2) + stretched


def linear_bound(eigenvalues: list[fmpq], omegas: list[fmpq], weights: list[fmpq]) -> fmpq:
    """Bound ``sum_ij V_ij^2 (lambda_i + c_j omega_i)`` over V with a symmetric positive semidefinite first block."""
    top = range(len(weights))
    total = sum((eigenvalues[j] + weights[j] * omegas[j] for j in top), fmpq(0))
    for i in top:
        total += max((weights[i] - weights[j]) * (omegas[j] - omegas[i]) for j in top) / 8
    for j in top:
        slopes = [
            eigenvalues[i] - eigenvalues[j] + weights[j] * (omegas[i] - omegas[j])
            for i in range(len(weights), len(eigenvalues))
        ]
        total += max([fmpq(0), *slopes])
    return total


def fitted(eigenvalues: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Choose omega, shape (d,), and c, shape (k,), in floats, so that proposals are kept often.

    The lower omegas are as large as ``s_ij <= 0`` allows, and omega_1 is 1. The other 2 k - 1 logarithms maximise
    ``(k/2) sum log omega - K``, a concave function of all logarithms, from two starting points.
    """
    size = len(eigenvalues)
    top, low = eigenvalues[:columns], eigenvalues[columns:]
    gaps = np.maximum(top[:, None] - low[None, :], 0.0)

    def unpacked(logarithms: Vector) -> tuple[FloatArray, FloatArray]:
        powers = np.exp(np.clip(logarithms, -LARGEST_EXPONENT / 4, LARGEST_EXPONENT / 4))
        omegas, weights = np.concatenate([[1.0], powers[: columns - 1]]), powers[columns - 1 :]
        return np.concatenate([omegas, np.min(omegas[:, None] + gaps / weights[:, None], axis=0)]), weights

    def loss(logarithms: Vector) -> float:
        omegas, weights = unpacked(logarithms)
        top_omegas = omegas[:columns]
        mixed = (weights[:, None] - weights[None, :]) * (top_omegas[None, :] - top_omegas[:, None])
        bound = np.sum(weights * top_omegas) + np.sum(mixed.max(axis=1)) / 8
        kept = columns / 2 * np.sum(np.log(omegas)) + size / 2 * np.sum(np.log(weights))
        return float(bound - kept)

    # Concentrated: one over the mean gap of each column. Spread out: everything alike.
    mean = np.maximum(gaps.mean(axis=1), 1e-300) if size > columns else np.ones(columns)
    spread = np.log(np.clip(mean[0] / mean, 2.0**-60, 2.0**60))
    half = np.log(np.full(columns, columns / 2))
    starts = [np.concatenate([spread[1:], half - spread]), np.concatenate([np.zeros(columns - 1), half])]
    starts.append(np.concatenate([np.zeros(columns - 1), np.log(np.full(columns, size / 2))]))
    best = starts[-1]
    for start in starts:
        found: Vector = start
        for _ in range(2):
            result = minimize(
                loss,
                found,
                method="Nelder-Mead",
                options={"maxiter": STEPS, "maxfev": STEPS, "xatol": 1e-5, "fatol": 1e-5, "adaptive": True},
            )
            found = np.asarray(result.x, dtype=np.float64).reshape(-1)
        best = min(best, found, key=loss)
    return unpacked(best)


def _row_sums(balls: FloatBalls) -> fmpq:
    with np.errstate(all="ignore"):
        rows = np.sum(np.abs(balls.center) + balls.radius, axis=1)
    largest = float(rows.max()) * (1 + len(rows) * 2.0**-50)
    if not largest < 2.0**900:
        raise InvalidParameterError("matrix", "its eigenvectors are not certified in floats", "scale it down")
    return rational(largest)
