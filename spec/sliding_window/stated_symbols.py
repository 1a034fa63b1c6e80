"""Lemma 5: the singular vectors that its proof names, and the projection they make (section 4.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement, identity, trace


@attrs.frozen
class SingularVectors:
    """The rows A, n x d, the sigma of A^ = (sigma I; A), and the columns U_k, d x k."""

    rows: fmpq_mat
    sigma: Exact
    vectors: fmpq_mat


def raised_rows(p: SingularVectors) -> fmpq_mat:
    """``A^``, (d + n) x d."""
    floor_rows = rational(p.sigma) * identity(p.rows.ncols())
    return fmpq_mat(floor_rows.tolist() + p.rows.tolist())


def projection_margin(p: SingularVectors) -> arb:
    """Minus the distances of P_1's order from d and of its trace from k, and of P_1^2 from P_1; P_1 = U_k U_k'.

    The rank of a matrix with P_1^2 = P_1 is its trace.
    """
    product = p.vectors * p.vectors.transpose()
    order = abs(product.nrows() - p.rows.ncols())
    rank = abs(trace(product) - p.vectors.ncols())
    return disagreement(product * product, product) - arb(order) - arb(rank)


def right_margin(p: SingularVectors) -> arb:
    """0 when U_k has d rows and A^'A^u = (u'A^'A^u)u for each of its columns u; of norm 1, they are right ones."""
    if p.vectors.nrows() != p.rows.ncols():
        return arb(-1)
    moment = raised_rows(p).transpose() * raised_rows(p)
    sizes = p.vectors.transpose() * moment * p.vectors
    count = range(p.vectors.ncols())
    kept = fmpq_mat([[sizes[i, j] if i == j else 0 for j in count] for i in count])
    return disagreement(moment * p.vectors, p.vectors * kept)


def orthonormal_margin(p: SingularVectors) -> arb:
    """0 when ``U_k'U_k = 1``."""
    return disagreement(p.vectors.transpose() * p.vectors, identity(p.vectors.ncols()))


RIGHT_VECTORS = Step(
    "right-singular-vectors",
    Statement(
        "P_1 = U_k U_k', with k columns of the U of A^ = V S U', has the order d that A^P_1 needs, rank k, and P_1^2 = "
        "P_1",
        projection_margin,
        given=(
            exceeds("the columns of U_k are right singular vectors of A^", right_margin, strict=False),
            exceeds("U_k'U_k = 1", orthonormal_margin, strict=False),
        ),
    ),
    defect=None,
    note="They are printed as left singular vectors; those have d + n entries.",
)
