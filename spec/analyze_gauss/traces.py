"""The slide on the trace: seven properties."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat, fmpq_poly

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.analyze_gauss.points import same
from dpmatrix.spec.common.spectra import disagreement, trace


@attrs.frozen
class TracePoint:
    """What the seven bullets speak about; every matrix is rational.

    Parameters
    ----------
    first, second
        A and B of the sum, n x n.
    scalar
        c.
    left, middle, right
        A (n x m), B (m x l) and C (l x n) of the products; the product of two is left times (middle right).
    curve
        Coefficients A_0, A_1, ... of the matrix A(t) = A_0 + A_1 t + ... whose differential is taken, n x n.
    idempotent
        P with P = P^2, n x n.
    """

    first: fmpq_mat
    second: fmpq_mat
    scalar: Exact
    left: fmpq_mat
    middle: fmpq_mat
    right: fmpq_mat
    curve: tuple[fmpq_mat, ...]
    idempotent: fmpq_mat


def shapes_margin(p: TracePoint) -> arb:
    """Zero exactly when every trace, sum and product is defined."""
    order = p.first.nrows()
    squares = all((m.nrows(), m.ncols()) == (order, order) for m in (p.first, p.second, *p.curve, p.idempotent))
    chain = p.left.ncols() == p.middle.nrows() and p.middle.ncols() == p.right.nrows()
    closed = p.left.nrows() == p.right.ncols()
    return -arb(int(not (squares and chain and closed)))


def idempotent_margin(p: TracePoint) -> arb:
    """Zero exactly when P = P^2."""
    return disagreement(p.idempotent, p.idempotent * p.idempotent)


def sum_margin(p: TracePoint) -> arb:
    """``tr(A + B) = tr A + tr B``."""
    return same(trace(p.first + p.second), trace(p.first) + trace(p.second))


def scalar_margin(p: TracePoint) -> arb:
    """``tr(cA) = c tr A``."""
    factor = rational(p.scalar)
    return same(trace(factor * p.first), factor * trace(p.first))


def product_margin(p: TracePoint) -> arb:
    """``tr(AB) = tr(BA)``."""
    other = p.middle * p.right
    return same(trace(p.left * other), trace(other * p.left))


def cyclic_margin(p: TracePoint) -> arb:
    """``tr(ABC) = tr(CAB)``."""
    return same(trace(p.left * p.middle * p.right), trace(p.right * p.left * p.middle))


def transpose_margin(p: TracePoint) -> arb:
    """``tr A = tr A'``."""
    return same(trace(p.first), trace(p.first.transpose()))


def differential_margin(p: TracePoint) -> arb:
    """``d tr A(t) / dt = tr(dA(t)/dt)``: the polynomial tr A(t), differentiated, and the entries, differentiated."""
    outside = fmpq_poly([trace(coefficient) for coefficient in p.curve]).derivative()
    inside = fmpq_poly()
    for i in range(p.first.nrows()):
        inside += fmpq_poly([coefficient[i, i] for coefficient in p.curve]).derivative()
    return -arb(sum((abs(entry) for entry in (outside - inside).coeffs()), fmpq(0)))


def idempotent_trace_margin(p: TracePoint) -> arb:
    """``tr P = rank P``."""
    return same(trace(p.idempotent), fmpq(p.idempotent.rank()))


def bullets_margin(p: TracePoint) -> arb:
    """Least of the seven margins: zero exactly when all bullets hold."""
    least = arb("inf")
    for margin in (
        sum_margin,
        scalar_margin,
        product_margin,
        cyclic_margin,
        transpose_margin,
        differential_margin,
        idempotent_trace_margin,
    ):
        least = least.min(margin(p))
    return least


SHAPES = Condition("the shapes fit", shapes_margin)
IDEMPOTENT = Condition("P = P^2", idempotent_margin)

TRACE_PROPERTIES = Claim(
    id="analyze-gauss.trace-properties",
    kind=Kind.LEMMA,
    source=Locator(
        "analyze-gauss",
        "slide Trace of a Matrix",
        "tr(A+B); tr(cA); tr(AB) = tr(BA); tr(ABC) = tr(CAB); tr A = tr A^T; d tr A = tr dA; tr A = rank A if A = A^2",
    ),
    statement=Statement("all seven bullets hold", bullets_margin, given=(SHAPES, IDEMPOTENT)),
    verdict=Verdict.HOLDS,
    reading=(
        "The sums and differentials are of square matrices, the products of rectangular ones whose shapes fit; d is "
        "the differential, as the slide notes, and is taken along curves that are polynomials in t. Points are "
        "rational; the identities are polynomial, so they hold over the reals and the complex numbers."
    ),
    because=(
        "The trace is linear; tr(AB) and tr(BA) are the double sum of a_ij b_ji. An idempotent of rank r is UV with "
        "VU = I_r, so its trace is tr(VU) = r. For square matrices invariance is under cyclic permutations only: "
        "tr(ABC) and tr(ACB) differ."
    ),
    steps=(
        Step("sum", Statement("tr(A + B) = tr A + tr B", sum_margin, given=(SHAPES,)), defect=None),
        Step("scalar", Statement("tr(cA) = c tr A", scalar_margin, given=(SHAPES,)), defect=None),
        Step("product", Statement("tr(AB) = tr(BA)", product_margin, given=(SHAPES,)), defect=None),
        Step("cyclic", Statement("tr(ABC) = tr(CAB)", cyclic_margin, given=(SHAPES,)), defect=None),
        Step("transpose", Statement("tr A = tr A'", transpose_margin, given=(SHAPES,)), defect=None),
        Step("differential", Statement("d tr A = tr dA", differential_margin, given=(SHAPES,)), defect=None),
        Step(
            "idempotent",
            Statement("tr P = rank P if P = P^2", idempotent_trace_margin, given=(SHAPES, IDEMPOTENT)),
            defect=None,
        ),
    ),
)
