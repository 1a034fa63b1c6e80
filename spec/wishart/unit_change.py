"""What neighbours with ||A - B||_2 <= 1 would cost in place of one replaced record (section 2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational


@attrs.frozen
class UnitChange:
    """A symmetric change A - B through its eigenvalues."""

    eigenvalues: tuple[Exact, ...]


def unit_change_margin(p: UnitChange) -> arb:
    """Minus the distance of the largest absolute value from 1, and of the sum of all of them over 3 from d/3."""
    sizes = [abs(rational(value)) for value in p.eigenvalues]
    return -arb(max(abs(max(sizes) - 1), abs(sum(sizes, fmpq(0)) / 3 - fmpq(len(sizes), 3))))


def signs_margin(p: UnitChange) -> arb:
    """Minus the largest ``|l^2 - 1|``, and -1 if there is no eigenvalue."""
    return -arb(max((abs(rational(value) ** 2 - 1) for value in p.eigenvalues), default=fmpq(1)))


UNIT_CHANGE_STEP = Step(
    "unit-change",
    Statement(
        "section 2: a change with all eigenvalues 1 or -1 has ||A - B||_2 = 1 and d/3 times the nuclear norm 3 "
        "to which the scale of Algorithm 2 is set",
        unit_change_margin,
        given=(Condition("the eigenvalues are 1 or -1", signs_margin),),
    ),
    defect=None,
    note=(
        "The noise, and with it what the bounds of Theorems 6, 7 and 9 owe to it, is proportional to the scale: as "
        "Theorem 4 sets it, that would be d/3 times as large for neighbours with ||A - B||_2 <= 1."
    ),
)
