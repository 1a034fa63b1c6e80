"""Lemma 5: where its proof says that sigma is set, and which singular vectors it names (section 4.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.sketch_privacy import floor


@attrs.frozen
class SameMatrices:
    """r of two runs with one epsilon and delta; Algorithm 1 gets stored matrices, their stamps and eta, and no r."""

    first: int
    second: int
    epsilon: Exact
    delta: Exact


def one_sigma_margin(p: SameMatrices) -> arb:
    """Minus the distance of the sigmas of both runs."""
    one, other = (floor(rank, p.epsilon, p.delta) for rank in (p.first, p.second))
    return equality(one, other)


@attrs.frozen
class Raised:
    """The rows A, n x d, and the sigma of A^ = (sigma I; A)."""

    rows: fmpq_mat
    sigma: Exact


def raised_rows(p: Raised) -> fmpq_mat:
    """``A^``, (d + n) x d."""
    floor_rows = rational(p.sigma) * identity(p.rows.ncols())
    return fmpq_mat(floor_rows.tolist() + p.rows.tolist())


def left_vectors_margin(p: Raised) -> arb:
    """Minus the distance of the length of a left singular vector of A^ from the order of P_1 in A^P_1."""
    matrix = raised_rows(p)
    return -arb(abs(matrix.nrows() - matrix.ncols()))


def some_row_margin(p: Raised) -> arb:
    """0 when A has a row and a column."""
    return flag(p.rows.nrows() >= 1 and p.rows.ncols() >= 1)


SIGMA_OF_ALGORITHM_1 = Step(
    "sigma-of-algorithm-1",
    Statement(
        "sigma is as defined in Algorithm 1, which gets matrices, stamps and eta: it is the same for all r",
        one_sigma_margin,
        given=(whole("first", 1), whole("second", 1), positive("epsilon"), positive("delta"), below("delta", 1)),
    ),
    sound=False,
    note="Algorithm 3 sets it, from r, epsilon and delta.",
)
LEFT_VECTORS = Step(
    "left-singular-vectors",
    Statement(
        "P_1 = U_k U_k', of the left singular vectors of A^, has the order d that A^P_1 needs",
        left_vectors_margin,
        given=(exceeds("A has a row", some_row_margin, strict=False),),
    ),
    sound=False,
    note="In A^ = V S U' the columns of U are the right ones, of length d; left ones have d + n entries.",
)
