"""Conditions on points, and what has no variants."""

from __future__ import annotations

from typing import Any

import attrs

from dpmatrix.claims.decisions import Margin, decided
from dpmatrix.claims.truth import Truth


class OutsideHypothesesError(ValueError):
    """A statement was asked about a point at which its hypotheses are not certainly true."""


class Final:
    """What nobody may make a variant of: a subclass could answer otherwise than it says."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        if cls.__bases__ != (Final,):
            raise TypeError(f"{cls.__mro__[1].__name__} has no variants; its fields say all that there is")


@attrs.frozen
class Condition(Final):
    """A named predicate on a point: ``margin >= 0``, or ``margin > 0`` when strict.

    Parameters
    ----------
    says
        The condition in mathematics, as a reader would write it.
    margin
        Function of a point that returns a ball.
    strict
        Whether equality fails the condition.
    of
        The one field whose range the condition states; empty if it relates several, or says more of one.
    """

    says: str
    margin: Margin
    strict: bool = False
    of: str = ""

    def at(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Answer at one point, or for all of a box when the point's fields are wide balls."""
        return decided(self.margin, point, strict=self.strict)[0]

    def inside(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether the condition certainly holds with something to spare."""
        return decided(self.margin, point, strict=True)[0] is Truth.TRUE
