"""Lemma 12: the parts of |A - B|_F^2 over the columns of C and over the other ones (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm


@attrs.frozen
class SplitApproximation:
    """The planted A and a B of rank k, in blocks; k columns of C come first, and q columns after them.

    Parameters
    ----------
    block
        Y: the rows R of V_1, ..., V_k, the columns of B in C; k x k, where A has gamma I.
    lower
        V~: their rows in which Alice's M is; n x k.
    coefficients
        eta_{i,j}, k x q: column i of B outside C is the sum of eta_{i,j} V_j.
    own, others
        The columns of M in C and outside, n x k and n x q.
    elsewhere
        B in the other rows, m x (k + q), where A is zero.
    gamma
        gamma.
    """

    block: fmpq_mat
    lower: fmpq_mat
    coefficients: fmpq_mat
    own: fmpq_mat
    others: fmpq_mat
    elsewhere: fmpq_mat
    gamma: Exact


def difference(p: SplitApproximation) -> fmpq_mat:
    """``A - B``, all its rows and columns."""
    size, width = p.block.nrows(), p.coefficients.ncols()
    gamma = rational(p.gamma)
    planted = [[gamma if i == j else fmpq(0) for j in range(size + width)] for i in range(size)]
    given = [left + right for left, right in zip(p.own.tolist(), p.others.tolist(), strict=True)]
    original = fmpq_mat(planted + given + [[fmpq(0)] * (size + width)] * p.elsewhere.nrows())
    upper, below = p.block * p.coefficients, p.lower * p.coefficients
    pieces = [(p.block, upper), (p.lower, below)]
    spanned = [a + b for one, two in pieces for a, b in zip(one.tolist(), two.tolist(), strict=True)]
    return original - fmpq_mat(spanned + p.elsewhere.tolist())


def stated_parts(p: SplitApproximation) -> fmpq:
    """The five sums, each as the display has it."""
    places, gamma = range(p.block.nrows()), rational(p.gamma)
    total = sum(((gamma - p.block[i, i]) ** 2 for i in places), fmpq(0))
    total += sum((p.block[i, j] ** 2 for i in places for j in places if j != i), fmpq(0))
    total += squared_norm(p.own - p.lower)
    for i in range(p.coefficients.ncols()):
        for j in places:
            rest = sum((p.coefficients[other, i] * p.block[j, other] for other in places if other != j), fmpq(0))
            total += (p.coefficients[j, i] * p.block[j, j] + rest) ** 2
    return total + squared_norm(p.others - p.lower * p.coefficients)


def parts_margin(p: SplitApproximation) -> arb:
    """``|A - B|_F^2`` minus the five sums."""
    return arb(squared_norm(difference(p)) - stated_parts(p))


def blocks_margin(p: SplitApproximation) -> arb:
    """0 when the blocks have the shapes that they are said to have."""
    size, width, height = p.block.nrows(), p.coefficients.ncols(), p.own.nrows()
    shapes = [(one.nrows(), one.ncols()) for one in (p.block, p.lower, p.coefficients, p.own, p.others)]
    stated = [(size, size), (height, size), (size, width), (height, size), (height, width)]
    return flag(shapes == stated and p.elsewhere.ncols() == size + width)


PARTS_OF_THE_ERROR = Step(
    "parts-of-the-error",
    Statement(
        "|A - B|_F^2 is at least its parts in the rows R and in the rows of M, over the columns of C and over the "
        "other ones, which are combinations of V_1, ..., V_k",
        parts_margin,
        given=(exceeds("the blocks have the stated shapes", blocks_margin, strict=False),),
    ),
    defect=None,
    note="As stated the sign between |A - B|_F^2 and the first sum is missing; in the second line V has its row index "
    "and its column index.",
)
