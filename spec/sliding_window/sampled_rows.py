"""Appendix A: what the sample of rows by their leverage scores tells about another row."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive


@attrs.frozen
class SampledRow:
    """The stream 0, y or 1, y of two rows in one dimension, neighbours, of which rows are sampled as they come.

    Parameters
    ----------
    row
        y > 0.
    oversampling
        C >= 1: a row a_t is kept with probability min(1, C a_t (A'A)^-1 a_t'), A the rows up to t.
    epsilon, delta
        The guarantee.
    """

    row: Exact
    oversampling: Exact
    epsilon: Exact
    delta: Exact


def dropped(p: SampledRow, first: int) -> fmpq:
    """Probability that the second row is not kept."""
    energy = rational(p.row) ** 2
    return 1 - min(fmpq(1), rational(p.oversampling) * energy / (first**2 + energy))


def leak(p: SampledRow) -> arb:
    """``Pr[not kept | 1, y] - e^epsilon Pr[not kept | 0, y]``, or 0 where that is negative."""
    return (dropped(p, 1) - ball(p.epsilon).exp() * dropped(p, 0)).max(arb(0))


def promised(p: SampledRow) -> arb:
    """``delta``."""
    return ball(p.delta)


def short_margin(p: SampledRow) -> arb:
    """``(1 - delta)/C - y^2``."""
    return arb((1 - rational(p.delta)) / rational(p.oversampling) - rational(p.row) ** 2)


SAMPLED_ROWS = Step(
    "sampled-rows",
    Statement.of_law(
        "rows that are sampled by their leverage scores are not private: for y^2 <= (1 - delta)/C the event that the "
        "row y is dropped has, with the row 1 before it, a probability that exceeds e^eps times the one with the row 0 "
        "by delta at least",
        leak,
        at_least=promised,
        given=(
            positive("row"),
            at_least("oversampling", 1),
            at_least("epsilon", 0),
            positive("delta"),
            below("delta", 1),
            exceeds("y^2 <= (1 - delta)/C", short_margin, strict=False),
        ),
    ),
    defect=None,
    note="For every eps and every delta < 1. Without the row before it the row y has the score 1, however short it is.",
)
