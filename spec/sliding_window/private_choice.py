"""What theorems 7 and 16 become: a projection computed from dyadic sums with noise, its privacy and its cost."""

from __future__ import annotations

from typing import Any

import attrs
from flint import arb

from dpmatrix.claims import Condition
from dpmatrix.spec.conditions import at_least, exceeds
from dpmatrix.spec.sliding_window.dyadic_release import RELEASE, DyadicRelease, sequence_margin
from dpmatrix.spec.sliding_window.projection_costs import (
    CHOSEN,
    FACTORS,
    LOWER_41,
    SAME_RANK,
    SYMMETRIC,
    UPPER_41,
    Choice,
    choice_margin,
    chosen_margin,
)


@attrs.frozen
class PrivateChoice:
    """Parameters of the release and the place of one row, and a projection chosen by a published matrix."""

    release: DyadicRelease
    choice: Choice


def of_part(field: str, condition: Condition) -> Condition:
    """Ask a condition of one field of a point."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        return condition.margin(getattr(point, field))

    return attrs.evolve(condition, margin=margin)


def approximate_margin(p: PrivateChoice) -> arb:
    """Smaller of the margin of privacy and that of the cost."""
    return sequence_margin(p.release).min(choice_margin(p.choice))


def best_margin(p: PrivateChoice) -> arb:
    """The same with gamma = 1."""
    return approximate_margin(attrs.evolve(p, choice=attrs.evolve(p.choice, gamma=1)))


def best_chosen_margin(p: Choice) -> arb:
    """Tr((I - P) C~) - Tr((I - X~) C~)."""
    return chosen_margin(attrs.evolve(p, gamma=1))


BEST = exceeds("Tr((I - X~) C~) <= Tr((I - P) C~)", best_chosen_margin, strict=False)
_COMMON = (
    *(of_part("release", condition) for condition in RELEASE),
    *(of_part("choice", condition) for condition in (*FACTORS, SAME_RANK, SYMMETRIC, LOWER_41, UPPER_41)),
)
BEST_CHOICE = (*_COMMON, of_part("choice", BEST))
APPROXIMATE_CHOICE = (*_COMMON, of_part("choice", at_least("gamma", 1)), of_part("choice", CHOSEN))

CHANGE = (
    "rows of norm at most 1, one replaced by zero; C~ is computed from the noisy dyadic sums of theorem-14's repair, "
    "and the projection from C~"
)
PRIVATE = (
    "all sums together, and all that is computed from them, are (eps, delta)-DP with the noise of theorem-14's repair; "
)
