"""Statements: hypotheses and a conclusion, each a signed margin in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
from flint import arb

from dpmatrix.claims.conditions import Condition, Final, OutsideHypothesesError
from dpmatrix.claims.decisions import Margin, decided, is_equality, is_function
from dpmatrix.claims.families import ask_family
from dpmatrix.claims.forms import Chosen, Form, Law, NoFamilyError, Number
from dpmatrix.claims.observation import tell, tell_family
from dpmatrix.claims.truth import Truth, conjunction, decide

LARGE = arb(2) ** 200
"""A margin that no change of the sentence turns into a failure."""


@attrs.frozen(eq=False)
class Statement(Final):
    """What is asserted: under ``given``, the margin is non-negative (positive when strict).

    Without more it is asserted of every point. Other forms of sentences have rules of evidence of their own: see
    `Form`, and the parameters from ``instance`` on.

    Parameters
    ----------
    says
        The assertion in words and mathematics.
    margin
        Function of a point that returns a ball; the assertion at the point is ``margin >= 0``.
    given
        Hypotheses, each a named condition on the same points.
    strict
        Whether a margin of zero refutes the assertion.
    instance
        Whether the assertion is of one run or one datum, which comes from the implementation or is fixed by the
        document, and not of every point. Of algorithms, tables and figures alone: see `elsewhere`.
    data
        Of an instance that the document fixes: the points that it speaks of, and no others.
    exists
        The fields whose values the sentence says exist. True or false at other values than the exhibited ones, it
        says nothing; it is refuted by a family alone: see `refute`.
    one_sided
        Whether a margin that is not negative proves nothing: the statement is then never true, but undecided.
    law
        The probability or divergence that the assertion bounds, if it is of that form: see `of_law`.
    name
        Set by the claim that owns the statement: ``id``, ``id+repair`` or ``id/step``.
    origin
        Of a changed statement, the one that was changed.
    """

    says: str
    _margin: Margin
    given: tuple[Condition, ...] = ()
    strict: bool = False
    instance: bool = False
    data: tuple[Any, ...] = attrs.field(default=(), kw_only=True)
    exists: tuple[Chosen, ...] = attrs.field(default=(), kw_only=True)
    one_sided: bool = attrs.field(default=False, kw_only=True)
    law: Law | None = attrs.field(default=None, kw_only=True)
    name: str = ""
    origin: Statement | None = attrs.field(default=None, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Refuse a hypothesis that is the conclusion."""
        if any(condition.margin is self._margin for condition in self.given):
            raise ValueError(f"{self.says}: a hypothesis is the conclusion in other words")

    @classmethod
    def of_law(
        cls,
        says: str,
        quantity: Margin,
        *,
        at_most: Margin | None = None,
        at_least: Margin | None = None,
        given: tuple[Condition, ...] = (),
        exists: tuple[Chosen, ...] = (),
        probability: bool = True,
    ) -> Statement:
        """Build the assertion that a probability, or a divergence, is within a bound.

        Parameters
        ----------
        says, given, exists
            As for a statement.
        quantity
            Function of a point that returns the probability or divergence itself, exact or enclosed.
        at_most, at_least
            Function of a point that returns the bound; exactly one of the two.
        probability
            False of a divergence, which may exceed 1.

        Raises
        ------
        TypeError
            If not exactly one bound is given.
        """
        bound = at_least if at_most is None else at_most
        if bound is None or (at_most is not None and at_least is not None):
            raise TypeError("give one of `at_most` and `at_least`")
        law = Law(quantity, bound, at_most is not None, probability)
        return cls(says, law.margin, given, exists=exists, law=law)

    @property
    def forms(self) -> tuple[Form, ...]:
        """What sort of sentence it is; a law may also be of some constant."""
        found = []
        if self.exists:
            found.append(Form.NESTED if any(one.after for one in self.exists) else Form.SOME_CONSTANT)
        if self.instance:
            found.append(Form.INSTANCE)
        if self.one_sided:
            found.append(Form.ONE_SIDED)
        if self.law is not None:
            found.append(Form.LAW)
        return tuple(found) or (Form.UNIVERSAL,)

    @property
    def formula(self) -> Margin:
        """The function itself, whose values nobody observes: to describe it, or to change it for a control."""
        return self._margin

    @property
    def source(self) -> Margin:
        """The function of the specification that a reader should see: the margin, or the quantity of a law."""
        return self._margin if self.law is None else self.law.quantity

    def margin(self, point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        """Evaluate the margin at a point, at the working precision."""
        value = self._margin(point)
        tell(self, point, self._sided(decide(value, strict=self.strict)), value)
        return value

    def applies(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Whether every hypothesis holds at the point."""
        return conjunction([condition.at(point) for condition in self.given])

    def conclusion(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Evaluate the assertion alone, whatever the hypotheses say."""
        return self._answer(point, applies=None)

    def at(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Evaluate the assertion at a point where the hypotheses certainly hold.

        Raises
        ------
        OutsideHypothesesError
            If some hypothesis is false or undecided at the point: a vacuous truth is no answer.
        """
        for condition in self.given:
            if condition.at(point) is not Truth.TRUE:
                raise OutsideHypothesesError(f"{self.name}: hypothesis {condition.says!r} does not hold at {point}")
        return self._answer(point, applies=self._is_of(point))

    def _answer(self, point: Any, *, applies: bool | None) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Answer, and tell whoever observes; every way to evaluate the assertion comes through `tell`."""
        decision, value = decided(self._margin, point, strict=self.strict)
        answer = self._sided(decision)
        tell(self, point, answer, value, applies=applies)
        return answer

    def concludes(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Answer as `conclusion` does; nobody is told."""
        return self.answers(point)[0]

    def answers(self, point: Any) -> tuple[Truth, arb]:  # noqa: ANN401 - points are the statement's own
        """Answer as `concludes` does, with the margin that decides."""
        decision, value = decided(self._margin, point, strict=self.strict)
        return self._sided(decision), value

    def _sided(self, answer: Truth) -> Truth:
        return Truth.UNDECIDED if self.one_sided and answer is Truth.TRUE else answer

    def is_equality(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether both sides are so nearly equal that no precision tells them apart; nobody is told."""
        return not self.one_sided and not self.strict and is_equality(self._margin, point)

    def is_function(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether the margin has one value at the point; nobody is told."""
        return is_function(self._margin, point)

    def fails(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether the assertion is certainly false at a point of which it speaks; nobody is told."""
        return self.speaks_of(point) and self.concludes(point) is Truth.FALSE

    def consider(self, point: Any) -> tuple[Truth, arb] | None:  # noqa: ANN401 - points are the statement's own
        """Answer at a point, with the exhibited numbers, that meets the hypotheses; None at others; nobody is told."""
        try:
            chosen = self.exhibiting(point)
            if not self.speaks_of(chosen):
                return None
            return self.answers(chosen)
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
            return None  # not even defined there

    def speaks_of(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether every hypothesis certainly holds and the point has the exhibited numbers; nobody is told."""
        try:
            return self._is_of(point) and self.applies(point) is Truth.TRUE
        except (ArithmeticError, ValueError):
            return False  # a hypothesis that is not even defined there does not hold

    def _is_of(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        fixed = not self.data or point in self.data
        # a changed sentence for which nothing is exhibited is asked of the point's own numbers
        free = self.origin is not None
        return fixed and all(one.agrees(point) or (free and one.exhibited is None) for one in self.exists)

    def exhibiting(self, point: Any) -> Any:  # noqa: ANN401 - points are the statement's own
        """Return the point with the exhibited numbers in the fields that the sentence says exist."""
        values = {one.field: value for one in self.exists if (value := one.value(point)) is not None}
        return attrs.evolve(point, **values) if values else point

    def exhibits(self, **values: Number | Callable[..., Number]) -> Statement:
        """Return the same sentence with other numbers exhibited: for controls.

        Raises
        ------
        KeyError
            If the sentence does not say that such a number exists.
        """
        unknown = values.keys() - {one.field for one in self.exists}
        if unknown or not values:
            raise KeyError(f"{self.name} says of {[one.field for one in self.exists]} that they exist, not {unknown}")
        exists = tuple(attrs.evolve(one, exhibited=values.get(one.field, one.exhibited)) for one in self.exists)
        return attrs.evolve(self, exists=exists, origin=self.origin or self)

    def refute(self, family: Callable[..., Any]) -> None:
        """Refute a sentence that says that numbers exist: whatever they are, it fails at a point of the family.

        Parameters
        ----------
        family
            Function of the chosen fields, by their names, that returns a point with these values; see `ask_family`
            for the values. All its points agree in the fields that come before the choice.

        Raises
        ------
        NoFamilyError
            If a point has other numbers, does not certainly meet the hypotheses or does not certainly fail, or if a
            field that comes before the choice changes with it.
        """
        if not self.exists:
            raise NoFamilyError(f"{self.name} does not say that a number exists; one point refutes it")
        ask_family(self, family)
        tell_family(self)

    def asserts_as_much_as(self, other: Statement) -> bool:
        """Whether both have the same margin, strictness, form and hypotheses, in whatever words."""
        return (self._margin, self.strict, self.forms, self.exists, self.data) == (
            *(other.formula, other.strict, other.forms, other.exists, other.data),
        ) and {(one.margin, one.strict) for one in self.given} == {(one.margin, one.strict) for one in other.given}

    def without(self, says: str) -> Statement:
        """Return the same statement with one hypothesis dropped, for controls and counterexamples."""
        kept = tuple(condition for condition in self.given if condition.says != says)
        if len(kept) == len(self.given):
            raise KeyError(f"{self.name} has no hypothesis {says!r}; it has {[c.says for c in self.given]}")
        return attrs.evolve(self, given=kept, origin=self.origin or self)

    def elsewhere(self) -> Statement:
        """Return the same predicate, asked of runs or data that the assertion is not about: for controls.

        Raises
        ------
        TypeError
            If the assertion is of every point: there is no elsewhere.
        """
        if not self.instance:
            raise TypeError(
                f"{self.name} is of every point; drop a hypothesis with `without`, or change it with `nudged`"
            )
        return attrs.evolve(self, instance=False, data=())

    def nudged(self, change: Callable[[arb], arb] | None = None, *, margin: Margin | None = None) -> Statement:
        """Return a deliberately changed statement, for controls: another margin, or a function of this one.

        Raises
        ------
        TypeError
            If neither is given, or if the change fails even where the statement holds with plenty to spare.
        """
        if margin is None:
            if change is None:
                raise TypeError("give a change of the margin, or another margin")
            original, transform = self._margin, change
            if not transform(LARGE) >= 0:
                raise TypeError(f"{self.name}: the change fails whatever the margin is, and shows nothing of it")

            def margin(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
                return transform(original(point))

        return attrs.evolve(self, margin=margin, law=None, origin=self.origin or self)
