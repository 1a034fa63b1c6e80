"""Whether P + Q is at least |P - Q| for random semidefinite matrices P and Q, decided for the ideal real matrices.

|N| is the semidefinite root of N^2. The event says that P - N_+ = Q - N_- is semidefinite, N_+ and N_- being the parts
of N = P - Q of either sign, and is the step of a rejection sampler (`beyond.thinned-pair`). Floating point decides when
its proved error leaves one answer, else balls of more and more digits do, so the answer depends on the ideal matrices
alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import acb_mat, arb, arb_mat

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.decisions import FIRST_BITS, GUARD_BITS, MOST_BITS
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.lazy import LazyReals

_UP = 1 + 2.0**-40
"""Makes good the few roundings of a bound that is computed in floats."""


def sum_dominates(first: LazyReals, second: LazyReals, *, filtered: bool = True) -> bool:
    """Decide whether P + Q >= |P - Q| in the order of semidefinite matrices.

    Parameters
    ----------
    first, second
        P and Q, symmetric, shape (d, d).
    filtered
        Whether floating point decides what it can. It changes the cost, never the answer.

    Raises
    ------
    UndecidedError
        If nothing is decided at `MOST_BITS` digits, which has probability zero for a law with a density.
    EntropyError
        If the entropy fails or runs short, or the process was forked since the digits were drawn.
    """
    if filtered:
        answer = decided_in_floats(first.approximate(), second.approximate())
        if answer is not None:
            return answer
    size, bits = first.shape[0], FIRST_BITS
    entries = range(size * size)
    while bits <= MOST_BITS:
        for reals in (first, second):
            reals.refine(bits, entries)
        with precision(bits + GUARD_BITS):
            answer = decided_in_balls(*(arb_mat(size, size, reals.enclose(entries)) for reals in (first, second)))
        if answer is not None:
            return answer
        bits *= 2
    raise UndecidedError(f"the order of two matrices is undecided at {bits // 2} bits")


def decided_in_floats(first: FloatBalls, second: FloatBalls) -> bool | None:
    r"""Decide in floating point, or return None.

    Let U and w be what the eigenvalue routine returns for the centre of N; nothing is assumed of them. S = U |w| U' is
    semidefinite and near |N|: the distance of two semidefinite matrices is at most the root of that of their squares
    (the root is an operator monotone function), so :math:`||S - |N||| \le ||S^2 - N^2||^{1/2}`. Then M = P + Q - S is
    within that distance e of the matrix in question. A vector v with v'Mv < -e |v|^2 says no. Let V and m be returned
    for the centre of M. If all m are at least m_0 > 0, then V m V' has no eigenvalue below m_0 (1 - ||V'V - I||), and
    the answer is yes if this exceeds e + ||M - V m V'||. Frobenius norms bound spectral norms from above.
    """
    with np.errstate(all="ignore"):
        difference = first - second
        if not (np.isfinite(difference.center).all() and np.isfinite(difference.radius).all()):
            return None
        values, vectors = np.linalg.eigh(difference.center)
        root = _rebuilt(np.abs(values), vectors)
        error = np.sqrt(_norm(root @ root - difference @ difference)) * _UP
        remainder = first + second - root
        least, frame = np.linalg.eigh(remainder.center)
        lowest = FloatBalls.exactly(frame[:, :1])
        form = (lowest.transposed @ remainder @ lowest).total()
        length = _norm(lowest) ** 2 * _UP
        if form.center + form.radius * _UP < -error * length * _UP:
            return False
        skew = _norm(FloatBalls.exactly(frame.T) @ FloatBalls.exactly(frame) - FloatBalls.exactly(np.eye(len(frame))))
        wrong = (error + _norm(remainder - _rebuilt(least, frame))) * _UP
        bottom = np.min(least)
        if bottom > 0 and bottom * (1 - skew * _UP) > wrong * _UP:
            return True
    return None


def decided_in_balls(first: arb_mat, second: arb_mat) -> bool | None:
    """Decide at the working precision, or return None."""
    order = first.nrows()
    try:
        values, vectors = acb_mat(first - second).eig(right=True)
        diagonal = acb_mat(
            order, order, [abs(values[i].real) if i == j else 0 for i in range(order) for j in range(order)]
        )
        root = vectors * diagonal * vectors.inv()
        remainder = first + second - arb_mat(order, order, [entry.real for entry in root.entries()])
        # The matrix is symmetric, its ball need not be; eigenvalues of the ball enclose those of the matrix.
        spectrum: Sequence[arb] = [value.real for value in acb_mat(remainder).eig()]
    except (ValueError, ZeroDivisionError):
        return None
    if any(value < 0 for value in spectrum):
        return False
    return True if all(value > 0 for value in spectrum) else None


def _rebuilt(values: FloatArray, vectors: FloatArray) -> FloatBalls:
    """Enclose U diag(w) U' for floats U and w."""
    scaled = FloatBalls.exactly(vectors) * FloatBalls.exactly(np.broadcast_to(values, vectors.shape))
    return scaled @ FloatBalls.exactly(vectors.T)


def _norm(balls: FloatBalls) -> float:
    """Bound the Frobenius norm from above; NaN or infinite when nothing is known."""
    most = (np.abs(balls.center) + balls.radius) * _UP
    return float(np.sqrt(np.sum(most * most) * _UP) * _UP)
