"""How long Procedure 4.1 takes on databases far from its reference (section 1.1)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import at_least, at_most, whole
from dpmatrix.spec.compression.truncated_mass import ENOUGH_ROWS, TruncationSetting, threshold


@attrs.frozen
class OppositeColumns(TruncationSetting):
    """A database whose second column is minus the first, both of squared norm n; and entry (1, 2) of the reference."""

    centre: Exact = attrs.field(kw_only=True)


def kept_entry(p: OppositeColumns) -> arb:
    """The probability that entry (1, 2) of X'X/m is within the radius of (12) of the centre s.

    The entry is ``-W/m`` with W chi^2 of m degrees, so that this is ``P(W <= m (r - s))`` for s >= 0; an attempt is
    kept with no larger probability.
    """
    room = p.rows * (threshold(p) + ball(p.delta_max) - ball(p.centre)) / 2
    if room <= 0:
        return arb(0)
    chance: arb = room.gamma_lower(arb(p.rows) / 2, regularized=True)
    return chance


FAR_STEP = Step(
    "polynomial-time",
    Statement(
        "section 1.1: the algorithm takes polynomial time: on every database an attempt is kept with positive "
        "probability, without which no number of attempts is enough",
        kept_entry,
        given=(
            whole("records", 1),
            whole("columns", 2),
            ENOUGH_ROWS,
            at_least("delta_max", 0),
            at_least("centre", 0),
            at_most("centre", 1),
        ),
        strict=True,
    ),
    sound=False,
    note=(
        "On databases within Delta_max of the reference 1/(1 - P(E)) attempts are expected, by Lemma 4.4 at most "
        "n^2/(n^2 - 1), and each takes polynomial time. Differential privacy speaks of all databases."
    ),
)
