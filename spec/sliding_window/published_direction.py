"""Theorems 6 and 7: what the projection reveals that Algorithms 4 and 5 publish alone, without A~.

The rows of A~ = (Phi g')(sigma I; a) are m independent ones of the law N(0, C/m), C = sigma^2 I + a'a. Turned by an
angle they have the law N(0, RCR'/m), and the first eigenvector of A~'A~ is in the quarter turn after that angle exactly
if their columns u and v have <u, v> > 0. Given u, v is normal, so that the sign is that of a variate of Student's law.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.sketch_privacy import floor
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE
from dpmatrix.spec.sliding_window.summary_parameters import SummaryParameters, rounding_margin


@attrs.frozen
class PublishedDirection(SummaryParameters):
    """The rows (M, 1/2) and (M, -1/2) in the plane, k = 1, and t: the line X~ is compared with that through (1, t)."""

    slope: Exact = attrs.field(kw_only=True)


def student_below(degrees: fmpq, ratio: arb) -> arb:
    """Pr(T < x sqrt(m)) for Student's T of m degrees: 1/2 +- I_{x^2/(1 + x^2)}(1/2, m/2)/2."""
    share = square(ratio) / (1 + square(ratio))
    half = share.beta_lower(arb(1) / 2, arb(degrees) / 2, regularized=True) / 2
    return arb(1) / 2 + (half if ratio >= 0 else -half)


def steep_probability(p: PublishedDirection, end: fmpq) -> arb:
    """Probability, for the row (M, b), that X~ is within a quarter turn after the line through (1, t)."""
    row, slope = rational(p.row), rational(p.slope)
    ridge = square(floor(p.rank, p.epsilon, p.delta))
    mixed = (row + end * slope) * (end - row * slope) / (1 + slope * slope)
    root = (ridge * (ridge + arb(row * row + end * end))).sqrt()
    return student_below(4 * p.rank / rational(p.eta), arb(mixed) / root)


def steep_margin(p: PublishedDirection) -> arb:
    """``e^eps Q + delta - P``: P for the row (M, 1/2) and Q for (M, -1/2)."""
    likely, rare = steep_probability(p, fmpq(1, 2)), steep_probability(p, fmpq(-1, 2))
    return ball(p.epsilon).exp() * rare + ball(p.delta) - likely


def plane_margin(p: SummaryParameters) -> arb:
    """0 when d = 2 and k = 1."""
    return flag((p.dimension, p.k) == (2, 1))


LINES_IN_THE_PLANE = (
    exceeds("d = 2, k = 1", plane_margin, strict=False),
    positive("beta"),
    below("beta", 1),
    exceeds("r = k'/eta, rounded up", rounding_margin, strict=False),
    positive("eta"),
    below("eta", fmpq(1, 2)),
    WHOLE_SIZE,
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
)
"""The parameters of Algorithms 4 and 5 where the projections are lines in the plane."""
PUBLISHED_DIRECTION = Step(
    "privacy",
    Statement(
        "X~ alone, over all lines in the plane, is (eps, delta)-private: that it is within a quarter turn after the "
        "line through (1, t) has for the stream of one row (M, 1/2) at most e^eps times the probability that it has "
        "for (M, -1/2), plus delta",
        steep_margin,
        given=LINES_IN_THE_PLANE,
    ),
    defect=Defect.LEAK,
    note="The line turns with the row by almost as much as A~ shows, and sigma is that of fewer rows.",
)
