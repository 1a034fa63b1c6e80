"""The dyadic sums of `dyadic_release` for the document's own relation: one row becomes another one near it.

Rows have to have a bounded norm: without a bound no noise would do, as (M + 1)^2 - M^2 grows with M.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm
from dpmatrix.spec.sliding_window.released_sums import RELEASED, ReleasedStreams, promised_delta, squared_distance


@attrs.frozen
class ReplacedRow(ReleasedStreams):
    """A stream, and its neighbour with another row, 1 x d, at the time; both release their dyadic sums."""

    other: fmpq_mat


def replaced(p: ReplacedRow) -> fmpq_mat:
    """The stream with the other row."""
    table = p.rows.tolist()
    table[p.time - 1] = p.other.tolist()[0]
    return fmpq_mat(table)


def replaced_divergence(p: ReplacedRow) -> arb:
    """Hockey-stick divergence, at epsilon, of the joint laws of all sums with noise of deviation ``sqrt(3/2) s``."""
    shift = squared_distance(p, replaced(p))
    if shift == 0:
        return arb(0)
    noise = deviation(DyadicRelease(p.time - 1, p.height, p.epsilon, p.delta)) * (arb(3) / 2).sqrt()
    return GaussianProfile(arb(shift).sqrt(), noise).delta(p.epsilon)


def fits(p: ReplacedRow) -> bool:
    """Whether the other row has the shape of a row."""
    return (p.other.nrows(), p.other.ncols()) == (1, p.rows.ncols())


def other_margin(p: ReplacedRow) -> arb:
    """1 minus the squared norm of the other row; -1 where it does not fit."""
    return arb(1 - squared_norm(p.other)) if fits(p) else flag(holds=False)


def change_margin(p: ReplacedRow) -> arb:
    """1 minus the squared norm of the change of the row; -1 where there is none."""
    if not fits(p) or not 1 <= p.time <= p.rows.nrows():
        return flag(holds=False)
    return arb(1 - squared_norm(row(p.rows, p.time) - p.other))


REPLACED_ROW = Step(
    "replaced-row",
    Statement.of_law(
        "where the noise of all sums has standard deviation sqrt(3/2) s in place of s, the joint laws of all of them "
        "for a stream and for the stream with one row of norm at most 1 replaced by another one of norm at most 1, at "
        "a distance of at most 1, have a divergence of at most delta at eps",
        replaced_divergence,
        at_most=promised_delta,
        given=(
            *RELEASED.given,
            exceeds("the other row has norm at most 1", other_margin, strict=False),
            exceeds("the rows differ by at most 1", change_margin, strict=False),
        ),
        probability=False,
    ),
    defect=None,
    note="The relation of section 1.1, for rows of norm at most 1, for the price of sqrt(3/2) zeta in place of zeta; "
    "for a pair of such rows at any distance sqrt 2 does it, also where both are unit rows. The accuracy asks nothing "
    "of rows either way.",
)
