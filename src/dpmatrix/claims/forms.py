"""Forms of statements: which fields of a point are chosen before the others, and whose probability is asserted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

import attrs
from flint import arb

from dpmatrix.exact import Real, ball, rational

Number: TypeAlias = int | Real


class NoFamilyError(AssertionError):
    """A family of points does not refute the statement for every number that may be chosen."""


class Form(Enum):
    """What sort of sentence a statement is; each has rules of evidence of its own."""

    UNIVERSAL = "universal"
    """For every point: true points support it, one false point refutes it."""
    SOME_CONSTANT = "some constant"
    """There is a number such that for every point: a number is exhibited, or a family refutes every number."""
    NESTED = "nested"
    """For every value of some fields there is a number such that for every value of the others."""
    INSTANCE = "one run or one datum"
    """The point comes from the implementation or is fixed by the document."""
    ONE_SIDED = "one-sided"
    """A negative margin refutes it, and a positive one proves nothing."""
    LAW = "law"
    """The margin is a bound minus the probability or divergence itself."""


class Range(Enum):
    """Where a chosen number may lie; a family that refutes is run at numbers all over it."""

    POSITIVE = "a positive number"
    WHOLE = "a positive integer"
    SHARE = "a number between 0 and 1"


@attrs.frozen
class Chosen:
    """A field whose value the sentence says exists.

    Parameters
    ----------
    field
        Name of the field of the point.
    after
        The fields that the value may depend on; it is chosen before all others.
    exhibited
        The value under which the rest of the sentence is universal: a number, or a function of the fields in
        ``after``, by their names. None where the sentence is held to be false, and nothing can be exhibited.
    range
        Where values may lie.
    """

    field: str
    after: tuple[str, ...] = ()
    exhibited: Number | Callable[..., Number] | None = None
    range: Range = Range.POSITIVE

    def value(self, point: Any) -> Number | None:  # noqa: ANN401 - points are the statement's own
        """Return what is exhibited for the fields that the choice may depend on."""
        if callable(self.exhibited):
            return self.exhibited(**{name: getattr(point, name) for name in self.after})
        return self.exhibited

    def agrees(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether the point has the exhibited value; never, where nothing is exhibited."""
        value = self.value(point)
        return value is not None and _same(getattr(point, self.field), value)


def _same(one: Number, other: Number) -> bool:
    if isinstance(one, arb) or isinstance(other, arb):
        return bool(ball(one).overlaps(ball(other)))
    return rational(one) == rational(other)


def agrees_with(point: Any, values: Mapping[str, Number]) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether a point has the given values in its fields."""
    return all(_same(getattr(point, name), value) for name, value in values.items())


@attrs.frozen
class Law:
    """A probability or a divergence, and the bound that is asserted of it.

    Parameters
    ----------
    quantity
        Function of a point that returns the probability, or the divergence, itself: exact or enclosed.
    bound
        Function of a point that returns the bound.
    at_most
        Whether the quantity is asserted to be at most the bound, or at least.
    probability
        Whether the quantity is a probability; a divergence has no upper end.
    """

    quantity: Callable[[Any], arb]
    bound: Callable[[Any], arb]
    at_most: bool = True
    probability: bool = True

    def margin(self, point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        """``bound - quantity``, or ``quantity - bound``.

        Raises
        ------
        ValueError
            If the quantity is certainly not a probability, or a divergence is certainly negative.
        """
        quantity = self.quantity(point)
        if quantity < 0 or (self.probability and quantity > 1):
            raise ValueError(f"{quantity} is no {'probability' if self.probability else 'divergence'}")
        difference = self.bound(point) - quantity
        return difference if self.at_most else -difference
