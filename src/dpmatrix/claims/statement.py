"""Statements: hypotheses and a conclusion, each a signed margin in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import attrs
from flint import arb, ctx

from dpmatrix.claims.truth import Truth, conjunction, decide

Margin: TypeAlias = Callable[[Any], arb]

FIRST_PRECISION = 64
LAST_PRECISION = 2048
EQUALITY = 2.0**-32
"""An undecided margin that is surely smaller is an equality; another one is of a box too wide to say anything."""


@attrs.define(eq=False)
class Observed:
    """What became of statements inside a block.

    Parameters
    ----------
    evaluated
        Every statement that was evaluated; one that was nudged or lost a hypothesis is another statement.
    met
        The statements that were true at a point, or on a box, where their hypotheses hold, or so nearly an equality
        there that no precision tells.
    failed
        The statements that were false at a point, or on a box, where their hypotheses hold.
    watch
        Names of whatever the statements compute with and is not, at the moment, what it was at first.
    replaced
        What ``watch`` named while a statement was met or failed.
    """

    watch: Callable[[], Iterable[str]] = tuple
    replaced: set[str] = attrs.Factory(set)
    evaluated: set[Statement] = attrs.Factory(set)
    met: set[Statement] = attrs.Factory(set)
    failed: set[Statement] = attrs.Factory(set)


_observing: list[Observed] = []
"""Who observes, in all threads: what another thread evaluates meanwhile counts as well."""


@contextmanager
def observing(watch: Callable[[], Iterable[str]] = tuple) -> Iterator[Observed]:
    """Collect the statements that are evaluated inside the block, by any thread; ``watch`` as for `Observed`.

    Whoever observes around the block is told as well.
    """
    observed = Observed(watch)
    _observing.append(observed)
    try:
        yield observed
    finally:
        _observing.remove(observed)


class OutsideHypothesesError(ValueError):
    """A statement was asked about a point at which its hypotheses are not certainly true."""


def _decide(margin: Margin, point: Any, *, strict: bool) -> Truth:  # noqa: ANN401 - points are the statement's own
    """Evaluate with growing precision until the sign of the margin is certain, or precision no longer helps."""
    before = ctx.prec
    try:
        bits, radius = FIRST_PRECISION, math.inf
        while bits <= LAST_PRECISION:
            ctx.prec = bits
            value = margin(point)
            answer = decide(value, strict=strict)
            if answer is not Truth.UNDECIDED:
                return answer
            last, radius = radius, float(value.rad())
            if bits > 2 * FIRST_PRECISION and not radius < last / 2:
                break  # the width is the box's own, not rounding
            bits *= 2
    finally:
        ctx.prec = before
    return Truth.UNDECIDED


@attrs.frozen
class Condition:
    """A named predicate on a point: ``margin >= 0``, or ``margin > 0`` when strict.

    Parameters
    ----------
    says
        The condition in mathematics, as a reader would write it.
    margin
        Function of a point that returns a ball.
    strict
        Whether equality fails the condition.
    """

    says: str
    margin: Margin
    strict: bool = False

    def at(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Answer at one point, or for all of a box when the point's fields are wide balls."""
        return _decide(self.margin, point, strict=self.strict)


@attrs.frozen
class Statement:
    """What is asserted: under ``given``, the margin is non-negative (positive when strict).

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
    name: str = ""
    origin: Statement | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def formula(self) -> Margin:
        """The function itself, whose values nobody observes: to describe it, or to change it for a control."""
        return self._margin

    def margin(self, point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        """Evaluate the margin at a point, at the working precision."""
        value = self._margin(point)
        self._observe(point, decide(value, strict=self.strict))
        return value

    def applies(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Whether every hypothesis holds at the point."""
        return conjunction([condition.at(point) for condition in self.given])

    def conclusion(self, point: Any) -> Truth:  # noqa: ANN401 - points are the statement's own
        """Evaluate the assertion alone, whatever the hypotheses say."""
        answer = _decide(self._margin, point, strict=self.strict)
        self._observe(point, answer)
        return answer

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
        return self.conclusion(point)

    def _observe(self, point: Any, answer: Truth) -> None:  # noqa: ANN401 - points are the statement's own
        """Tell whoever observes what was seen; every way to evaluate the assertion comes through here."""
        for observed in tuple(_observing):
            self._tell(observed, point, answer)

    def _tell(self, observed: Observed, point: Any, answer: Truth) -> None:  # noqa: ANN401
        observed.evaluated.add(self)
        seen = observed.failed if answer is Truth.FALSE else observed.met
        says = answer is not Truth.UNDECIDED or (self not in seen and self._is_equality(point))
        if says and self not in seen and self._certainly_applies(point):
            seen.add(self)
            observed.replaced.update(observed.watch())
        own = self.origin  # a change is no disguise: where a changed version fails, so may the statement itself
        if answer is Truth.FALSE and own is not None and own not in observed.failed and own.fails(point):
            observed.failed.add(own)

    def _is_equality(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        before = ctx.prec
        try:
            ctx.prec = 4 * FIRST_PRECISION
            return bool(abs(self._margin(point)) < EQUALITY)
        finally:
            ctx.prec = before

    def fails(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether the assertion is certainly false at a point that certainly meets the hypotheses; nobody is told."""
        return self._certainly_applies(point) and _decide(self._margin, point, strict=self.strict) is Truth.FALSE

    def _certainly_applies(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether every hypothesis is certainly true; one that is not even defined at the point is not."""
        try:
            return self.applies(point) is Truth.TRUE
        except (ArithmeticError, ValueError):
            return False

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
        return attrs.evolve(self, instance=False)

    def nudged(self, change: Callable[[arb], arb] | None = None, *, margin: Margin | None = None) -> Statement:
        """Return a deliberately changed statement, for controls: another margin, or a function of this one."""
        if margin is None:
            if change is None:
                raise TypeError("give a change of the margin, or another margin")
            original, transform = self._margin, change

            def margin(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
                return transform(original(point))

        return attrs.evolve(self, margin=margin, origin=self.origin or self)
