"""Section 5: windows that no answer fits twice, and the bits that it takes to tell them apart."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.definitions import ProjectionPoint, projection_margin, right_cost
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, gram, least, precedes_margin, scaled


@attrs.frozen
class TwoBinaryWindows:
    """Windows (I_k | B) and (I_k | B') of k rows in d dimensions, and an answer that may serve both.

    Parameters
    ----------
    first, second
        B and B', k x (d - k), of zeros and ones.
    answer
        d x d.
    constant
        c.
    """

    first: fmpq_mat
    second: fmpq_mat
    answer: fmpq_mat
    constant: Exact


@attrs.frozen
class TwoApproximated(TwoBinaryWindows):
    """The same, and the eta of a spectral approximation."""

    eta: Exact


def order(p: TwoBinaryWindows) -> int:
    """``d``."""
    return p.first.nrows() + p.first.ncols()


def window(block: fmpq_mat) -> fmpq_mat:
    """``(I_k | B)``."""
    rows = block.nrows()
    return fmpq_mat([unit + own for unit, own in zip(identity(rows).tolist(), block.tolist(), strict=True)])


def bits(p: TwoBinaryWindows) -> int:
    """``k (d - k)``: the logarithm to base 2 of the number of blocks B."""
    return p.first.nrows() * p.first.ncols()


def spectral_bits_margin(p: TwoApproximated) -> arb:
    """Smaller of ``k (d - k) - c d^2`` and what the answer misses of (1 -+ eta) A'A for one of the windows."""
    eta = rational(p.eta)
    fits = [
        precedes_margin(scaled(1 - eta, moment), p.answer).min(precedes_margin(p.answer, scaled(1 + eta, moment)))
        for moment in (gram(window(block)) for block in (p.first, p.second))
    ]
    return arb(bits(p) - rational(p.constant) * order(p) ** 2).min(-least(fits))


def projection_bits_margin(p: TwoBinaryWindows) -> arb:
    """Smaller of ``k (d - k) - c d k`` and the squared costs of the answer, where the least cost of both is 0."""
    costs = sum((right_cost(window(block), p.answer) for block in (p.first, p.second)), fmpq(0))
    return arb(bits(p) - rational(p.constant) * order(p) * p.first.nrows()).min(arb(costs))


def blocks_margin(p: TwoBinaryWindows) -> arb:
    """0 when both blocks are of zeros and ones and of one shape, and the answer is symmetric and d x d."""
    shapes = {(block.nrows(), block.ncols()) for block in (p.first, p.second)}
    binary = all(entry in (0, 1) for block in (p.first, p.second) for entry in block.entries())
    return flag(len(shapes) == 1 and binary and are_symmetric((p.answer,), order(p)))


def different_margin(p: TwoBinaryWindows) -> arb:
    """0 when the blocks differ."""
    return flag(p.first != p.second)


def half_margin(p: TwoBinaryWindows) -> arb:
    """Minus the distance of k from ``d/2``, rounded down."""
    return arb(-abs(p.first.nrows() - order(p) // 2))


def at_most_half_margin(p: TwoBinaryWindows) -> arb:
    """``d - 2k``."""
    return arb(order(p) - 2 * p.first.nrows())


def rank_margin(p: TwoBinaryWindows) -> arb:
    """Zero exactly when the answer is an orthogonal projection of rank k."""
    return projection_margin(ProjectionPoint(p.answer, p.answer)) + flag(p.answer.rank() == p.first.nrows())


BLOCKS = exceeds("B and B' of zeros and ones and one shape, the answer symmetric d x d", blocks_margin, strict=False)
DIFFERENT = exceeds("B is not B'", different_margin, strict=False)

STATIC_SPACE = Step(
    "static-space",
    Statement(
        "there is a constant c with which, without a window, no matrix is within (1 -+ eta) A'A for two of the "
        "matrices A = (I | B), k = d/2 rounded down, so that a spectral approximation keeps log2 of their number, k "
        "(d - k) > c d^2 bits",
        spectral_bits_margin,
        given=(
            BLOCKS,
            DIFFERENT,
            exceeds("k = d/2, rounded down", half_margin, strict=False),
            positive("eta"),
            below("eta", 1),
        ),
        exists=(Chosen("constant", exhibited=fmpq(1, 5)),),
        strict=True,
    ),
    defect=None,
    note="Without an additive error, as such long rows make it small. An algorithm that fails with probability 1/3 "
    "saves one bit at most: some of its seeds serve two thirds of all B.",
)
OUTPUT_SPACE = Step(
    "output-space",
    Statement(
        "there is a constant c with which, for k <= d/2, no projection of rank k costs 0, the least cost, for two of "
        "the windows A = (I | B), so that the output takes log2 of their number, k (d - k) > c d k bits",
        projection_bits_margin,
        given=(
            BLOCKS,
            DIFFERENT,
            exceeds("k <= d/2", at_most_half_margin, strict=False),
            exceeds("the answer is a projection of rank k", rank_margin, strict=False),
        ),
        exists=(Chosen("constant", exhibited=fmpq(1, 3)),),
        strict=True,
    ),
    defect=None,
    note="A reading: beyond d/2 a projection of rank k takes k (d - k) numbers, fewer than c d k; for k = d it is I.",
)
