"""Costs Tr((I - P) M) of projections on two second moments that are close in the Loewner order."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, ball, nonnegative_root, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds
from dpmatrix.spec.common.spectra import diagonal, disagreement, identity, trace
from dpmatrix.spec.sliding_window.definitions import ProjectionPoint, projection_margin
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, precedes_margin, scaled


def cost(moments: fmpq_mat, projection: fmpq_mat) -> fmpq:
    """``Tr((I - P) M)``, which is |A(I - P)|_F^2 for M = A'A."""
    return trace((identity(moments.nrows()) - projection) * moments)


def is_projection(projection: fmpq_mat, order: int) -> arb:
    """Zero exactly for an orthogonal projection of that order."""
    if projection.nrows() != order:
        return flag(holds=False)
    return projection_margin(ProjectionPoint(identity(order), projection))


@attrs.frozen
class Summary:
    """Exact second moments of a window and of its sketch, and a projection.

    Parameters
    ----------
    window, summary
        A_W'A_W and A~'A~, d x d.
    projection
        P.
    ridge
        sigma.
    eta
        eta.
    """

    window: fmpq_mat
    summary: fmpq_mat
    projection: fmpq_mat
    ridge: Exact
    eta: Exact


def ridged_margin(p: Summary) -> arb:
    """(11) and (14): (1 - eta/4)(A_W'A_W + sigma^2) <= A~'A~ <= (1 + eta/4)/(1 - eta)(A_W'A_W + sigma^2)."""
    eta = rational(p.eta)
    ridged = p.window + scaled(rational(p.ridge) ** 2, identity(p.window.nrows()))
    above = precedes_margin(p.summary, scaled((1 + eta / 4) / (1 - eta), ridged))
    return above.min(precedes_margin(scaled(1 - eta / 4, ridged), p.summary))


def kept_costs_margin(p: Summary) -> arb:
    """Least slack of (1 - 5 eta/4) y - sigma sqrt(d - k) <= x <= (1 + eta/4) y, x and y the roots of the costs."""
    eta = ball(p.eta)
    exact, seen = (nonnegative_root(arb(cost(moments, p.projection))) for moments in (p.window, p.summary))
    free = p.window.nrows() - p.projection.rank()
    lower = exact - (1 - 5 * eta / 4) * seen + ball(p.ridge) * arb(free).sqrt()
    return lower.min((1 + eta / 4) * seen - exact)


def summary_shapes_margin(p: Summary) -> arb:
    """0 when A_W'A_W and A~'A~ are symmetric, of one order."""
    return flag(are_symmetric((p.window, p.summary), p.window.nrows()))


def summary_moments_margin(p: Summary) -> arb:
    """Non-negative exactly when A_W'A_W is positive semidefinite."""
    return precedes_margin(scaled(0, p.window), p.window)


def summary_projection_margin(p: Summary) -> arb:
    """Zero exactly when P is an orthogonal projection."""
    return is_projection(p.projection, p.window.nrows())


SUMMARY = (
    exceeds("A_W'A_W and A~'A~ are symmetric, d x d", summary_shapes_margin, strict=False),
    exceeds("P is an orthogonal projection", summary_projection_margin, strict=False),
    exceeds("A_W'A_W is positive semidefinite", summary_moments_margin, strict=False),
    at_least("eta", 0),
    below("eta", 1),
    at_least("ridge", 0),
    exceeds("(11) and (14) of Lemma 2", ridged_margin, strict=False),
)


@attrs.frozen
class Choice:
    """A published symmetric matrix near A_W'A_W, a projection chosen by it, and any other one.

    Parameters
    ----------
    window, published
        A_W'A_W and C~.
    chosen, other
        Orthogonal projections of one rank k.
    eta
        eta.
    lower, upper
        The additive errors, in A_W'A_W - lower <= C~ <= A_W'A_W/(1 - eta) + upper.
    """

    window: fmpq_mat
    published: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    eta: Exact
    lower: Exact
    upper: Exact


def _unit(p: Choice) -> fmpq_mat:
    return identity(p.window.nrows())


def lower_41(p: Choice) -> arb:
    """(41), left: A_W'A_W - lower <= C~."""
    return precedes_margin(p.window - scaled(p.lower, _unit(p)), p.published)


def upper_41(p: Choice) -> arb:
    """(41), right: C~ <= A_W'A_W/(1 - eta) + upper."""
    return precedes_margin(p.published, p.window / (1 - rational(p.eta)) + scaled(p.upper, _unit(p)))


def bound_43(p: Choice) -> arb:
    """(43): Tr((I - X) A_W'A_W)/(1 - eta) + d upper - Tr((I - X) C~)."""
    bound = cost(p.window, p.other) / (1 - rational(p.eta)) + p.window.nrows() * rational(p.upper)
    return arb(bound - cost(p.published, p.other))


def bound_44(p: Choice) -> arb:
    """(44): Tr((I - P) C~) - Tr((I - P) A_W'A_W) + d lower."""
    return arb(cost(p.published, p.chosen) - cost(p.window, p.chosen) + p.window.nrows() * rational(p.lower))


def choice_shapes(p: Choice) -> arb:
    """Zero exactly when both are orthogonal projections of one rank."""
    order = p.window.nrows()
    return is_projection(p.chosen, order) + is_projection(p.other, order) + flag(p.chosen.rank() == p.other.rank())


def symmetric_margin(p: Choice) -> arb:
    """Zero exactly when A_W'A_W and C~ are symmetric."""
    return sum((disagreement(matrix.transpose(), matrix) for matrix in (p.window, p.published)), arb(0))


SAME_RANK = exceeds("both are orthogonal projections of rank k", choice_shapes, strict=False)
SYMMETRIC = exceeds("A_W'A_W and C~ are symmetric", symmetric_margin, strict=False)
LOWER_41 = exceeds("A_W'A_W - lower <= C~", lower_41, strict=False)
UPPER_41 = exceeds("C~ <= A_W'A_W/(1 - eta) + upper", upper_41, strict=False)
FACTORS = (at_least("eta", 0), below("eta", 1))


@attrs.frozen
class SpectralChoice:
    """A symmetric matrix by its eigenvalues and eigenvectors, and a projection to compare with.

    Parameters
    ----------
    values
        Eigenvalues in decreasing order, of any sign.
    frame
        Orthogonal d x d matrix: its columns are eigenvectors.
    other
        A projection P; k is its rank.
    """

    values: tuple[Exact, ...]
    frame: fmpq_mat
    other: fmpq_mat


def _leading(p: SpectralChoice) -> fmpq_mat:
    kept = diagonal([int(place < p.other.rank()) for place in range(len(p.values))])
    return p.frame * kept * p.frame.transpose()


def eigenvector_margin(p: SpectralChoice) -> arb:
    """Tr((I - P) C) - Tr((I - X) C), X the projection onto the first k eigenvectors."""
    matrix = p.frame * diagonal(p.values) * p.frame.transpose()
    return arb(cost(matrix, p.other) - cost(matrix, _leading(p)))


def decreasing_margin(p: SpectralChoice) -> arb:
    """Least drop from one eigenvalue to the next."""
    drops = [rational(large) - rational(small) for large, small in pairwise(p.values)]
    return arb(min(drops, default=fmpq(0)))


def frame_margin(p: SpectralChoice) -> arb:
    """Zero exactly when the frame is orthogonal and P an orthogonal projection, both d x d."""
    order = len(p.values)
    if (p.frame.nrows(), p.frame.ncols()) != (order, order):
        return flag(holds=False)
    return disagreement(p.frame.transpose() * p.frame, identity(order)) + is_projection(p.other, order)


SPECTRAL = (
    exceeds("the frame is orthogonal and P an orthogonal projection", frame_margin, strict=False),
    exceeds("the eigenvalues decrease", decreasing_margin, strict=False),
)
