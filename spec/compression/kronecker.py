"""The spectrum of a Kronecker product, of which the proof of Lemma C.2 makes use (appendix C)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.spectra import trace


@attrs.frozen
class SquareMatrix:
    """A square rational matrix B."""

    matrix: fmpq_mat


def kronecker(left: fmpq_mat, right: fmpq_mat) -> fmpq_mat:
    """Kronecker product: the block in row i and column j is ``left[i, j] * right``."""
    rows, columns = right.nrows(), right.ncols()
    return fmpq_mat(
        [
            [left[i // rows, j // columns] * right[i % rows, j % columns] for j in range(left.ncols() * columns)]
            for i in range(left.nrows() * rows)
        ]
    )


def products_of_eigenvalues_margin(p: SquareMatrix) -> arb:
    """Minus the largest distance of a power sum of the eigenvalues of B (x) B from that of the products; exact.

    The k-th power sum of the p^2 products is the square of that of B. The first p^2 power sums determine p^2 numbers.
    """
    whole, plain = kronecker(p.matrix, p.matrix), p.matrix
    order, faults = p.matrix.nrows() ** 2, []
    large, small = whole, plain
    for _ in range(order):
        faults.append(abs(trace(large) - trace(small) ** 2))
        large, small = large * whole, small * plain
    return -arb(max(faults, default=fmpq(0)))


KRONECKER_SPECTRUM = Step(
    "kronecker-spectrum",
    Statement(
        "the p^2 eigenvalues of B (x) B are the products of two eigenvalues of B", products_of_eigenvalues_margin
    ),
    defect=None,
    note="With their multiplicities, for every square B; for the definite B(v) all are positive.",
)
