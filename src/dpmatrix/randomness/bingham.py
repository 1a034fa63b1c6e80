r"""Exact draws from the Bingham law, with density proportional to exp(v'Bv) on the unit sphere.

Rejection from an angular central Gaussian envelope (Kent, Ganeiban and Mardia 2018), in a form whose every constant is
an exact number. Choose floats s, about the largest eigenvalue of B, b in (0, d], and a matrix F, about the inverse of
the upper root of :math:`\Omega = (1 + 2s/b) I - (2/b) B`. A proposal is ``v = y / |y|``, ``y = F z``, with z standard
normal: its density is proportional to :math:`q^{-d/2}`, where :math:`q = v'(FF')^{-1}v = |z|^2 / |y|^2`. It is kept
with probability

.. math:: p = e^{v'Bv - s} \; q^{d/2} \; e^{(d - b)/2} \left(\frac{b (1 - \rho)}{d}\right)^{d/2} ,

so what is kept has a density proportional to exp(v'Bv). *Proof that p is at most one.* Let :math:`\rho < 1` bound the
row sums of :math:`|F' \Omega F - I|`, so that (Gershgorin) :math:`F' \Omega F \ge (1 - \rho) I`, F is invertible,
:math:`\Omega` positive definite, and :math:`(1 - \rho) q \le v' \Omega v`. With :math:`u = s - v'Bv`,
:math:`v' \Omega v = 1 + 2u/b > 0`, hence :math:`p \le e^{-u} (1 + 2u/b)^{d/2} e^{(d-b)/2} (b/d)^{d/2}`, and the right
side is greatest at :math:`u = (d - b)/2`, where it is one. Neither s nor b nor F has to be accurate: they decide how
often a proposal is kept. The best b solves :math:`\sum_i 1 / (b + 2 (s - \lambda_i)) = 1`.

The test ``U < p`` is taken as ``E > -log p`` with an exponential variate E, and decided exactly (`decisions.positive`).
The number of proposals is random and its law depends on B: time is not protected.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import field, frozen
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.errors import InvalidParameterError, OutOfRangeError
from dpmatrix.exact import rational
from dpmatrix.randomness.decisions import positive
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.float_functions import logarithms_of
from dpmatrix.randomness.lazy import Indices, LazyExponentials, LazyNormals

BATCH = 32
MOST_BATCHES = 1 << 16
MOST_STEPS, CLOSE = 100, 1e-6
"""For the width, which need not be accurate."""


def _exact_floats(matrix: FloatArray) -> arb_mat:
    return arb_mat(matrix.tolist())


@frozen(eq=False)
class ScaledIntegers:
    """A rational matrix as integers times a positive rational unit, which nothing reduces entry by entry."""

    integers: fmpz_mat
    unit: fmpq

    @classmethod
    def of(cls, matrix: fmpq_mat) -> ScaledIntegers:
        """Bring the entries to a common denominator."""
        integers, denominator = matrix.numer_denom()
        return cls(integers, 1 / fmpq(denominator))

    def enclosed(self) -> FloatBalls:
        """Enclose the matrix in floating point."""
        shape = (self.integers.nrows(), self.integers.ncols())
        factor, denominator = int(self.unit.p), int(self.unit.q)
        return FloatBalls.of_quotients([int(entry) * factor for entry in self.integers.entries()], denominator, shape)


@frozen(eq=False)
class Envelope:
    """The constants of the module, for one B.

    Attributes
    ----------
    matrix
        B, shape (d, d), symmetric.
    enclosed
        B near floats.
    shift, width
        s and b, exact.
    factor
        F, shape (d, d): floats, taken for the numbers that they are.
    defect
        The bound rho, below 1.
    """

    matrix: ScaledIntegers
    enclosed: FloatBalls
    shift: Fraction
    width: Fraction
    factor: FloatArray
    defect: Fraction

    @classmethod
    def of(cls, matrix: fmpq_mat | ScaledIntegers) -> Envelope:
        """Fit an envelope.

        Raises
        ------
        InvalidParameterError
            If the matrix is empty, not symmetric, too large for floats, or so ill conditioned that rho is not below 1.
        """
        scaled = ScaledIntegers.of(matrix) if isinstance(matrix, fmpq_mat) else matrix
        if scaled.integers.nrows() == 0 or scaled.integers != scaled.integers.transpose():
            raise InvalidParameterError("matrix", "it is empty or not symmetric", "pass a symmetric matrix")
        enclosed = scaled.enclosed()
        if not (np.isfinite(enclosed.radius).all() and np.abs(enclosed.center).max() < 2.0**500):
            raise InvalidParameterError("matrix", "an entry is beyond 2**500", "scale the exponent down")
        eigenvalues, vectors = np.linalg.eigh(enclosed.center)
        shift = float(eigenvalues[-1])
        width = _best_width(shift - eigenvalues)
        factor = vectors / np.sqrt(1 + 2 * (shift - eigenvalues) / width)
        return cls(scaled, enclosed, Fraction(shift), Fraction(width), factor, _defect(enclosed, shift, width, factor))

    @property
    def dimension(self) -> int:
        """Length d of a direction."""
        return self.matrix.integers.nrows()


def _best_width(gaps: FloatArray) -> float:
    """Solve for b by Newton's steps from 1, where the convex sum is at least 1 as one gap is 0; at b = d it is less."""
    width = 1.0
    for _ in range(MOST_STEPS):
        terms = 1 / (width + 2 * gaps)
        step = float((terms.sum() - 1) / np.sum(terms * terms))
        width = min(width + step, float(len(gaps)))
        if abs(step) <= CLOSE * width:
            break
    return width


def _defect(enclosed: FloatBalls, shift: float, width: float, factor: FloatArray) -> Fraction:
    size = len(factor)
    # 1 + 2 s / b and 2 / b in balls, then Omega in floats with radii.
    ratio = fmpq(2) / rational(width)
    diagonal = FloatBalls.enclosing([arb(1 + ratio * rational(shift))], (1, 1))
    scale = FloatBalls.enclosing([arb(-ratio)], (1, 1))
    everywhere = FloatBalls(np.full((size, size), scale.center[0, 0]), np.full((size, size), scale.radius[0, 0]))
    omega = enclosed * everywhere + FloatBalls(np.eye(size) * diagonal.center, np.eye(size) * diagonal.radius)
    exact = FloatBalls.exactly(factor)
    difference = exact.transposed @ omega @ exact - FloatBalls.exactly(np.eye(size))
    with np.errstate(all="ignore"):
        rows = np.sum(np.abs(difference.center) + difference.radius, axis=1)
    largest = float(rows.max()) * (1 + size * 2.0**-50)
    if not largest < 1:
        raise InvalidParameterError("matrix", "its envelope is not certified in floats", "scale the exponent down")
    return Fraction(largest)


class LazyProposals:
    """Proposals ``y = F z`` and, as lazy reals of shape (n,), the margins ``E + log p`` of their tests."""

    def __init__(self, envelope: Envelope, count: int, entropy: Entropy) -> None:
        self.envelope = envelope
        self.shape = (count,)
        self.normals = LazyNormals((count, envelope.dimension), entropy)
        self.exponentials = LazyExponentials((count,), entropy)

    def vectors(self) -> FloatBalls:
        """Enclose the y, shape (n, d), in floating point."""
        return self._images(self.normals.approximate())

    def approximate(self) -> FloatBalls:
        """Enclose the margins in floating point."""
        ones = FloatBalls.exactly(np.ones((self.envelope.dimension, 1)))
        z = self.normals.approximate()
        y = self._images(z)
        norms, lengths = (z * z) @ ones, (y * y) @ ones
        forms = (y * (y @ self.envelope.enclosed)) @ ones / lengths
        half = FloatBalls.exactly(np.full(norms.shape, self.envelope.dimension / 2))
        logs = logarithms_of(norms / lengths) * half
        constant = FloatBalls.enclosing([self._constant()], (1, 1))
        spread = FloatBalls(np.full(norms.shape, constant.center), np.full(norms.shape, constant.radius))
        return (forms + logs + spread).reshaped(*self.shape) + self.exponentials.approximate()

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these proposals are known."""
        size = self.envelope.dimension
        self.normals.refine(bits, [index * size + column for index in entries for column in range(size)])
        self.exponentials.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose the margins of these proposals."""
        constant, matrix = self._constant(), self.envelope.matrix
        integers = arb_mat(matrix.integers)
        values = []
        for index, exponential in zip(entries, self.exponentials.enclose(entries), strict=True):
            z, y = self.enclose_vector(index)
            length = (y.transpose() * y)[0, 0]
            form = (y.transpose() * integers * y)[0, 0] * matrix.unit / length
            ratio = (z.transpose() * z)[0, 0] / length
            values.append(form + ratio.log() * fmpq(self.envelope.dimension, 2) + constant + exponential)
        return values

    def enclose_vector(self, index: int) -> tuple[arb_mat, arb_mat]:
        """Enclose the z and the y of one proposal, as columns."""
        size = self.envelope.dimension
        z = arb_mat(size, 1, self.normals.enclose(range(index * size, (index + 1) * size)))
        return z, _exact_floats(self.envelope.factor) * z

    def _images(self, z: FloatBalls) -> FloatBalls:
        return z @ FloatBalls.exactly(self.envelope.factor.T)

    def _constant(self) -> arb:
        size, width, shift = self.envelope.dimension, rational(self.envelope.width), rational(self.envelope.shift)
        share = arb(width * (1 - rational(self.envelope.defect)) / size)
        return (size - width) / 2 - shift + share.log() * fmpq(size, 2)


class LazyDirection:
    """One kept proposal as a unit vector of lazy reals, shape (d,)."""

    def __init__(self, proposals: LazyProposals, index: int) -> None:
        self.shape = (proposals.envelope.dimension,)
        self._proposals, self._index = proposals, index

    def approximate(self) -> FloatBalls:
        """Enclose the vector in floating point."""
        vectors = self._proposals.vectors()
        y = FloatBalls(vectors.center[self._index], vectors.radius[self._index])
        length = (y * y).total().square_root()
        return y / FloatBalls(np.full(self.shape, length.center), np.full(self.shape, length.radius))

    def refine(self, bits: int, entries: Indices) -> None:  # noqa: ARG002
        """Make sure that ``bits`` digits of the uniforms behind the vector are known: its length needs all."""
        self._proposals.refine(bits, [self._index])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these coordinates."""
        _, y = self._proposals.enclose_vector(self._index)
        length = (y.transpose() * y)[0, 0].sqrt()
        return [y[index, 0] / length for index in entries]


@frozen(eq=False)
class BinghamSampler:
    """Draws unit vectors v with density proportional to exp(v'Bv), exactly.

    Parameters
    ----------
    matrix
        B, shape (d, d), symmetric, rational.

    Raises
    ------
    InvalidParameterError
        As in `Envelope.of`.
    """

    matrix: fmpq_mat | ScaledIntegers
    envelope: Envelope = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "envelope", Envelope.of(self.matrix))

    def draw(self, entropy: Entropy) -> LazyDirection:
        """Draw one direction, as lazy reals.

        Raises
        ------
        OutOfRangeError
            If no proposal is kept in `MOST_BATCHES` batches: an envelope that hardly touches its law.
        EntropyError
            If the entropy fails or runs short, or the process is forked in the middle.
        """
        for _ in range(MOST_BATCHES):
            proposals = LazyProposals(self.envelope, BATCH, entropy)
            kept = np.flatnonzero(positive(proposals))
            if len(kept):
                # The first one: which it is depends on the proposals before it, not on its own value.
                return LazyDirection(proposals, int(kept[0]))
        raise OutOfRangeError(f"no proposal was kept in {MOST_BATCHES * BATCH}")

    def approximate_draws(self, count: int, entropy: Entropy) -> tuple[FloatArray, float]:
        """Draw directions to float accuracy, shape (count, d), and measure the share of proposals that were kept.

        For studies: floats are not rounded to a public grid, so they are not for a release.
        """
        draws, proposed = [np.empty((0, self.envelope.dimension))], 0
        kept_total = 0
        while kept_total < count:
            proposals = LazyProposals(self.envelope, max(BATCH, min(4096, 2 * count)), entropy)
            kept = positive(proposals)
            vectors = proposals.vectors().center[kept]
            draws.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
            kept_total += len(vectors)
            proposed += len(kept)
        return np.concatenate(draws)[:count], kept_total / proposed
