"""Lemmas 11 and 12: what an approximation of the planted block must look like."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm
from dpmatrix.spec.sliding_window.split_approximation import PARTS_OF_THE_ERROR


@attrs.frozen
class BlockPoint:
    """A = A~ + A-bar near C's columns: gamma I_k over Alice's part, and the algorithm's B, with Psi.

    Parameters
    ----------
    block
        Y: the k x k rows and columns of B in which Bob inserted gamma I.
    gamma, psi
        The scaling, and the bound on the squared error.
    """

    block: fmpq_mat
    gamma: Exact
    psi: Exact


def block_error_margin(p: BlockPoint) -> arb:
    """``Psi - |Y - gamma I|_F^2``: what (45) and (46) say together."""
    order, gamma = p.block.nrows(), rational(p.gamma)
    shifted = [p.block[i, j] - (gamma if i == j else 0) for i in range(order) for j in range(order)]
    return arb(rational(p.psi) - sum((entry * entry for entry in shifted), fmpq(0)))


def gamma_margin(p: BlockPoint) -> arb:
    """``gamma - 2 Psi^2``."""
    return arb(rational(p.gamma) - 2 * rational(p.psi) ** 2)


def full_rank_margin(p: BlockPoint) -> arb:
    """Rank of Y minus k."""
    return arb(p.block.rank() - p.block.nrows())


@attrs.frozen
class SpanPoint:
    """Matrices A and B of one shape, column C (k = 1), with [A]_1 given by its column space, and Psi, gamma."""

    original: fmpq_mat
    approximation: fmpq_mat
    leading: fmpq_mat
    gamma: Exact
    psi: Exact


def same_span_margin(p: SpanPoint) -> arb:
    """Minus (rank of the first column of B beside the column space of [A]_1, less 1): zero when they span one line."""
    rows = p.approximation.nrows()
    beside = fmpq_mat([[p.approximation[i, 0], p.leading[i, 0]] for i in range(rows)])
    return arb(1 - beside.rank())


def span_error_margin(p: SpanPoint) -> arb:
    """``Psi - |A - B|_F^2``."""
    return arb(rational(p.psi) - squared_norm(p.original - p.approximation))


def span_gamma_margin(p: SpanPoint) -> arb:
    """``gamma - 2 Psi^2``."""
    return arb(rational(p.gamma) - 2 * rational(p.psi) ** 2)


def leading_margin(p: SpanPoint) -> arb:
    """Zero exactly when ``leading`` is an eigenvector of AA' for an eigenvalue of at least half of the trace."""
    square_of = p.original * p.original.transpose()
    image = square_of * p.leading
    norm = squared_norm(p.leading)
    value = (p.leading.transpose() * image)[0, 0] / norm
    off = squared_norm(image - value * p.leading)
    trace = sum((square_of[i, i] for i in range(square_of.nrows())), fmpq(0))
    return arb(-off - max(fmpq(0), trace - 2 * value))


def planted_margin(p: SpanPoint) -> arb:
    """Zero exactly when the block that Bob planted, one entry of A, is gamma."""
    return -arb(abs(p.original[0, 0] - rational(p.gamma)))


def square_margin(p: BlockPoint | CoefficientPoint) -> arb:
    """0 when Y has as many rows as columns."""
    return flag(p.block.nrows() == p.block.ncols())


GAMMA = exceeds("gamma >= 2 Psi^2", gamma_margin, strict=False)
SQUARE = exceeds("Y is square", square_margin, strict=False)
ERROR = exceeds("|Y - gamma I|_F^2 <= Psi", block_error_margin, strict=False)

LEMMA_11 = Claim(
    id="sliding-window.lemma-11",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "sliding-window",
        "Lemma 11",
        "if gamma >= 2 Psi^2, the columns B(C) span the column space of [A]_k; 'a stronger claim': Y has rank k",
    ),
    statement=Statement(
        "for k = 1: if |A - B|_F^2 <= Psi and gamma >= 2 Psi^2, the column B(C) spans the column space of [A]_1",
        same_span_margin,
        given=(
            at_least("psi", 1),
            exceeds("gamma >= 2 Psi^2", span_gamma_margin, strict=False),
            exceeds("|A - B|_F^2 <= Psi", span_error_margin, strict=False),
            exceeds("A_11 = gamma", planted_margin, strict=False),
            exceeds("leading spans the column space of [A]_1", leading_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "It is false, as B is only near A: (gamma, 0; 10, 0) and (gamma, 0; 0, 0) meet the premise and have different"
        " column spaces."
    ),
    reading="Psi >= 1, as in the construction.",
    because=(
        "B is only near A: inside the construction, with Alice's entry 10 beside Bob's gamma = 320000 and Psi = 400, "
        "A = (gamma, 0; 10, 0) and B = (gamma, 0; 0, 0) have |A - B|^2 = 100 and different column spaces. What the "
        "proof shows, and what is used, is that Y has rank k, so that B(C) spans the column space of B. There the "
        "detour over coefficients is not needed and asks for Psi^(3/2) > k: |Y - gamma I|_F <= sqrt(Psi) < gamma, so "
        "Yx = 0 forces x = 0, already for gamma > sqrt(Psi)."
    ),
    repair=Repair(
        "Y has rank k, and B(C) spans the column space of B",
        Statement(
            "if |Y - gamma I|_F^2 <= Psi and gamma >= 2 Psi^2, Y has rank k",
            full_rank_margin,
            given=(SQUARE, at_least("psi", 1), GAMMA, ERROR),
        ),
    ),
)


@attrs.frozen
class CoefficientPoint:
    """A column of B in the rows R, as Y eta, outside C.

    Parameters
    ----------
    block
        Y (k x k).
    coefficients
        eta (k x 1).
    gamma, psi
        As in `BlockPoint`.
    """

    block: fmpq_mat
    coefficients: fmpq_mat
    gamma: Exact
    psi: Exact


@attrs.frozen
class OwnColumn(BlockPoint):
    """The same for a column of C: which one of Y it is, from 1."""

    place: int


def coefficient_margin(p: CoefficientPoint) -> arb:
    """``4/Psi^3`` minus the largest squared coefficient."""
    largest = max(entry * entry for entry in p.coefficients.entries())
    return arb(4 / rational(p.psi) ** 3 - largest)


def own_coefficient_margin(p: OwnColumn) -> arb:
    """The same for a column of an invertible Y, whose coefficients Y determines."""
    column = fmpq_mat([[row[p.place - 1]] for row in p.block.tolist()])
    return coefficient_margin(CoefficientPoint(p.block, p.block.solve(column), p.gamma, p.psi))


def coefficient_error_margin(p: CoefficientPoint) -> arb:
    """Psi minus the squared errors of Y and of the column Y eta, which stands for 0 outside C."""
    return block_error_margin(BlockPoint(p.block, p.gamma, p.psi)) - arb(squared_norm(p.block * p.coefficients))


def coefficient_gamma_margin(p: CoefficientPoint) -> arb:
    """``gamma - 2 Psi^2``."""
    return arb(rational(p.gamma) - 2 * rational(p.psi) ** 2)


def place_margin(p: OwnColumn) -> arb:
    """``k - place``."""
    return arb(p.block.ncols() - p.place)


LEMMA_12 = Claim(
    id="sliding-window.lemma-12",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "sliding-window",
        "Lemma 12",
        "column i of B is a combination of V_1, ..., V_k with eta_{i,j}^2 <= 4/Psi^3 for all j and i in R",
    ),
    statement=Statement(
        "for a column i of the block itself, eta_{i,j}^2 <= 4/Psi^3",
        own_coefficient_margin,
        given=(
            SQUARE,
            at_least("psi", 1),
            GAMMA,
            ERROR,
            whole("place", 1),
            exceeds("place <= k", place_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline=(
        "The range of i is the wrong one: a column of the block has a coefficient 1, which exceeds 4/Psi^3; outside "
        "the block it holds."
    ),
    reading="R indexes the inserted block, Psi >= 1; outside it A has zeros in the rows R.",
    because=(
        "The columns of the block are their own combinations, with a coefficient 1, and 1 > 4/Psi^3 from Psi = 2 on. "
        "The lemma means, and its proof uses, i outside R. There |Y eta| <= sqrt(Psi) and |Y eta| >= (gamma - "
        "sqrt(Psi)) |eta| with gamma - sqrt(Psi) >= Psi^2, so eta_j^2 <= Psi/Psi^4 = 1/Psi^3: the 4 is not needed."
    ),
    repair=Repair(
        "i not in R",
        Statement(
            "for a column outside the block, eta_{i,j}^2 <= 4/Psi^3",
            coefficient_margin,
            given=(
                SQUARE,
                at_least("psi", 1),
                exceeds("gamma >= 2 Psi^2", coefficient_gamma_margin, strict=False),
                exceeds("the squared error is at most Psi", coefficient_error_margin, strict=False),
            ),
        ),
    ),
    steps=(PARTS_OF_THE_ERROR,),
    uses=("sliding-window.lemma-11+repair",),
)
