"""Lemma 14: the Kullback-Leibler divergence of two Gaussian laws of one covariance (section 5.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality


@attrs.frozen
class GaussianPair:
    """Means a and b of two laws N(a, Sigma) and N(b, Sigma), and the rational matrix Sigma."""

    a: tuple[Exact, ...]
    b: tuple[Exact, ...]
    covariance: fmpq_mat


def _column(values: tuple[Exact, ...]) -> fmpq_mat:
    return fmpq_mat(len(values), 1, [rational(value) for value in values])


def form(p: GaussianPair, left: fmpq_mat, right: fmpq_mat) -> fmpq:
    """``left' Sigma^-1 right``."""
    return (left.transpose() * p.covariance.inv() * right)[0, 0]


def mean_form(p: GaussianPair, centre: fmpq_mat) -> fmpq:
    """``E (x-c)' Sigma^-1 (x-c)`` for x ~ N(a, Sigma): the trace of Sigma^-1 (Sigma + (a-c)(a-c)'), c the centre."""
    shift = _column(p.a) - centre
    moment = p.covariance.inv() * (p.covariance + shift * shift.transpose())
    return sum((moment[i, i] for i in range(len(p.a))), fmpq(0))


def expectation(p: GaussianPair) -> fmpq:
    """``E[-(x-a)' Sigma^-1 (x-a)/2 + (x-b)' Sigma^-1 (x-b)/2]``: the mean log-ratio, as the normalisers are equal."""
    return (mean_form(p, _column(p.b)) - mean_form(p, _column(p.a))) / 2


def four_forms(p: GaussianPair) -> fmpq:
    """``(a'S^-1 a - a'S^-1 b - b'S^-1 a + b'S^-1 b)/2``."""
    a, b = _column(p.a), _column(p.b)
    return (form(p, a, a) - form(p, a, b) - form(p, b, a) + form(p, b, b)) / 2


def lemma_14_margin(p: GaussianPair) -> arb:
    """KL(f|g) equals ``(a-b)' Sigma^-1 (a-b)/2``."""
    gap = _column(p.a) - _column(p.b)
    return equality(arb(expectation(p) - form(p, gap, gap) / 2), arb(0))


def expansion_margin(p: GaussianPair) -> arb:
    """The expectation is the printed sum of four forms."""
    return equality(arb(expectation(p) - four_forms(p)), arb(0))


def square_margin(p: GaussianPair) -> arb:
    """The sum of four forms is ``(a-b)' Sigma^-1 (a-b)/2``."""
    gap = _column(p.a) - _column(p.b)
    return equality(arb(four_forms(p) - form(p, gap, gap) / 2), arb(0))


def shape_margin(p: GaussianPair) -> arb:
    """``d - 1`` where a and b have d coordinates and Sigma is d x d, else -1."""
    sizes = {len(p.b), p.covariance.nrows(), p.covariance.ncols()}
    return arb(len(p.a) - 1 if sizes == {len(p.a)} else -1)


def symmetric_margin(p: GaussianPair) -> arb:
    """Minus the largest entry of Sigma - Sigma'."""
    return -arb(max(abs(entry) for entry in (p.covariance - p.covariance.transpose()).entries()))


def minors_margin(p: GaussianPair) -> arb:
    """The least leading principal minor of Sigma."""
    sizes = range(1, len(p.a) + 1)
    leading = [fmpq_mat(k, k, [p.covariance[i, j] for i in range(k) for j in range(k)]) for k in sizes]
    return arb(min(block.det() for block in leading))


POSITIVE_DEFINITE = (
    Condition("a and b have d >= 1 coordinates, Sigma is d x d", shape_margin),
    Condition("Sigma = Sigma'", symmetric_margin),
    Condition("Sigma is positive definite", minors_margin, strict=True),
)

LEMMA_14 = Claim(
    id="near-optimal.lemma-14",
    kind=Kind.LEMMA,
    source=Locator("near-optimal", "Lemma 14", "KL(N(a, S) | N(b, S)) = (a-b)' S^-1 (a-b)/2"),
    statement=Statement(
        "the divergence of N(a, Sigma) from N(b, Sigma) is (a-b)' Sigma^-1 (a-b)/2",
        lemma_14_margin,
        given=POSITIVE_DEFINITE,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "The divergence is the mean of the log-ratio of the densities under N(a, Sigma), whose second moment about any "
        "c is Sigma + (a-c)(a-c)'; no integral is computed."
    ),
    because=(
        "The normalisers are equal, so the log-ratio of the densities is half the difference of two quadratic forms, "
        "with expectations d + (a-b)' Sigma^-1 (a-b) and d."
    ),
    steps=(
        Step(
            "expansion",
            Statement(
                "E[-(x-a)'S^-1(x-a)/2 + (x-b)'S^-1(x-b)/2] = (a'S^-1 a - a'S^-1 b - b'S^-1 a + b'S^-1 b)/2",
                expansion_margin,
                given=POSITIVE_DEFINITE,
            ),
            defect=None,
        ),
        Step(
            "square",
            Statement(
                "(a'S^-1 a - a'S^-1 b - b'S^-1 a + b'S^-1 b)/2 = (a-b)'S^-1(a-b)/2",
                square_margin,
                given=POSITIVE_DEFINITE,
            ),
            defect=None,
        ),
    ),
)
