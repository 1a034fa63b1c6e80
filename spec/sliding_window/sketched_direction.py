"""Section 5: how many rows a Gaussian sketch needs for its row space to hold the leading direction nearly."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole


@attrs.frozen
class LeadingSketch:
    """The matrix diag(s, 1, ..., 1) of order d, and a sketch of m rows of independent Gaussian entries.

    Parameters
    ----------
    dimension, rows
        d and m.
    spike
        s.
    eta
        The best direction of the row space may cost 1 + eta times the least cost d - 1, in squared norm.
    constant
        c.
    """

    dimension: int
    rows: int
    spike: Exact
    eta: Exact
    constant: Exact


def held(p: LeadingSketch) -> arb:
    """Probability that some unit v of the row space has ``|A(1 - vv')|_F^2 <= (1 + eta)(d - 1)``.

    The least squared tangent between v and e_1 is X/s^2, X a chi^2_{d-m} over an independent chi^2_m, and the cost is
    d - 1 + (s^2 - 1) X/(s^2 + X).
    """
    if p.rows >= p.dimension:
        return arb(1)
    energy, allowed = rational(p.spike) ** 2, rational(p.eta) * (p.dimension - 1)
    if energy - 1 <= allowed:
        return arb(1)
    largest = allowed * energy / (energy - 1 - allowed)
    half = fmpq(1, 2)
    share = arb(largest / (1 + largest))
    return share.beta_lower(arb(half * (p.dimension - p.rows)), arb(half * p.rows), regularized=True)


def rows_margin(p: LeadingSketch) -> arb:
    """``m - c/eta``."""
    return p.rows - ball(p.constant) / ball(p.eta)


def half_margin(p: LeadingSketch) -> arb:
    """`held` minus 1/2."""
    return held(p) - arb(1) / 2


def wide_margin(p: LeadingSketch) -> arb:
    """``eta d - 1``."""
    return arb(rational(p.eta) * p.dimension - 1)


def spike_margin(p: LeadingSketch) -> arb:
    """``s^2 - 2 d``."""
    return arb(rational(p.spike) ** 2 - 2 * p.dimension)


SKETCH_DIMENSION = Step(
    "sketch-dimension",
    Statement(
        "there is a constant c with which, for k = 1 and diag(s, 1, ..., 1), a Gaussian sketch whose row space holds a "
        "direction of squared cost 1 + eta times the least, with probability 1/2, has c/eta rows at least",
        rows_margin,
        given=(
            whole("dimension", 4),
            whole("rows", 1),
            positive("eta"),
            below("eta", 1),
            exceeds("d >= 1/eta", wide_margin, strict=False),
            exceeds("s^2 >= 2 d", spike_margin, strict=False),
            exceeds("such a direction is held with probability 1/2", half_margin, strict=False),
        ),
        exists=(Chosen("constant", exhibited=fmpq(1, 10)),),
    ),
    defect=None,
    note="A reading: of sketches that are drawn before the data are seen. With the data at hand the k leading "
    "directions themselves are enough.",
)
