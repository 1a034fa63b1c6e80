"""What becomes of statements while somebody observes: met, failed, compared with a formula, and where."""

from __future__ import annotations

import functools
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
from flint import arb

from dpmatrix.claims.names import claim_of
from dpmatrix.claims.plain import is_plain
from dpmatrix.claims.restatements import restatements
from dpmatrix.claims.seen import Seen, is_box
from dpmatrix.claims.truth import Truth
from dpmatrix.claims.variations import variations

if TYPE_CHECKING:
    from dpmatrix.claims.statement import Statement

POINTS_LOOKED_AT = 200
"""After so many points of one statement, an observer only counts those whose hypotheses somebody has asked about."""
POINTS_ASKED_AGAIN = 12
"""How many of the points at which any version of a statement was asked are put to its whole claim."""
NARROW = 2.0**-20
VARIATIONS = 60
PATIENCE = 0.25
"""Seconds of search for one statement and item; what is found depends on it, what is true does not."""
LEAST = 8
"""How many points are asked nearby even where that takes longer."""
LONG_PATIENCE = 4.0
"""Seconds of computing after which even those are not asked, and the search counts as hurried."""


@attrs.define(eq=False)
class Observed:
    """What became of statements inside a block.

    Parameters
    ----------
    evaluated
        Every statement that was evaluated; one that was nudged or lost a hypothesis is another statement.
    met
        The statements that were true at a point, or on a box, where their hypotheses hold, or so nearly an equality
        there that no precision tells; with where that was. A point that is not plain data meets nothing.
    failed
        The statements that were false at a point, or on a box, where their hypotheses hold.
    values
        The first narrow value of each statement's margin, whether another one was certainly different, and their
        number.
    asked
        A few of the points at which statements were asked, by the names of these.
    compared
        At how many points the margin of each statement was compared with a formula.
    expressed
        The statements whose margin was shown to be a formula at every point of the hypotheses.
    excluded
        Points that a hypothesis was shown to exclude, by statement and hypothesis.
    watch
        Names of whatever the statements compute with and is not, at the moment, what it was at first.
    replaced
        What ``watch`` named while a statement was met or failed.
    """

    watch: Callable[[], Iterable[str]] = tuple
    replaced: set[str] = attrs.Factory(set)
    evaluated: set[Statement] = attrs.Factory(set)
    met: dict[Statement, Seen] = attrs.Factory(dict)
    failed: set[Statement] = attrs.Factory(set)
    values: dict[Statement, tuple[arb, bool, int]] = attrs.Factory(dict)
    asked: dict[str, list[Any]] = attrs.Factory(dict)
    compared: Counter[Statement] = attrs.Factory(Counter)
    expressed: set[Statement] = attrs.Factory(set)
    excluded: dict[tuple[Statement, str], Any] = attrs.Factory(dict)

    def tell(self, statement: Statement, point: Any, answer: Truth, *, applies: bool | None) -> None:  # noqa: ANN401
        """Note an answer at a point; ``applies`` says whether the hypotheses hold, None if nobody asked."""
        self.evaluated.add(statement)
        if not _is_plain(statement, point):
            return
        points = self.asked.setdefault(statement.name, [])
        if len(points) < POINTS_ASKED_AGAIN:
            points.append(point)
        if answer is Truth.FALSE:
            self._tell_failure(statement, point, applies=applies)
        else:
            self._tell_truth(statement, point, answer, applies=applies)

    def _tell_failure(self, statement: Statement, point: Any, *, applies: bool | None) -> None:  # noqa: ANN401
        if statement not in self.failed and (statement.speaks_of(point) if applies is None else applies):
            self.failed.add(statement)
            self.replaced.update(self.watch())
        own = statement.origin  # a change is no disguise: where a changed version fails, so may the statement itself
        if own is not None and own not in self.failed and own.fails(point):
            self.failed.add(own)

    def _tell_truth(self, statement: Statement, point: Any, answer: Truth, *, applies: bool | None) -> None:  # noqa: ANN401
        known = self.met.get(statement)
        if applies is None and known is not None and known.points + known.boxes >= POINTS_LOOKED_AT:
            return
        if answer is Truth.UNDECIDED and not statement.is_equality(point):
            return
        if not (statement.speaks_of(point) if applies is None else applies):
            return
        if known is None:
            if not statement.is_function(point):
                return
            known = self.met[statement] = Seen()
            self.replaced.update(self.watch())
        known.add(point)
        if known.points + known.boxes < POINTS_LOOKED_AT:
            known.look_inside(statement, point, answer)

    def note_value(self, statement: Statement, point: Any, value: arb) -> None:  # noqa: ANN401
        """Note a value of a statement's own margin, unless its width is that of a box: then it says nothing."""
        first, varied, count = self.values.get(statement, (arb("nan"), False, 0))
        wide = not value.is_finite() or float(value.rad()) > NARROW  # may be any number in it
        if wide and is_box(point):
            self.values[statement] = first, varied, count
        elif count == 0:
            self.values[statement] = value, wide, 1
        else:
            self.values[statement] = first, varied or wide or not first.overlaps(value), count + 1

    def search(self, wanted: Iterable[Statement]) -> None:
        """Look for points where statements fail: near those at which they were met, and wherever any was asked.

        Parameters
        ----------
        wanted
            The statements that are held to be true, of the claims that the item has to do with. A point at which
            one of a claim's statements was asked, changed or not, is put to the others.
        """
        wanted = list(wanted)
        for statement in wanted:
            if statement.instance or statement in self.failed:
                continue
            if statement in self.met:
                self._look_for_restatements(statement, self.met[statement])
            if self._fails_where_another_was_asked(statement) or (
                statement in self.met and self._fails_near(statement, self.met[statement])
            ):
                self.failed.add(statement)

    def _look_for_restatements(self, statement: Statement, seen: Seen) -> None:
        began = time.perf_counter()
        near = (point for sample in seen.samples[:1] for point in variations(sample, statement.name, VARIATIONS))
        points = itertools.chain(seen.samples, near)
        seen.restated = restatements(
            statement, itertools.takewhile(lambda _: time.perf_counter() - began <= PATIENCE, points)
        )

    def vary(self, statements: Iterable[Statement]) -> None:
        """Ask statements that were asked at few points at a few more, to see whether their margins vary."""
        for statement in statements:
            for point in self.asked.get(statement.name, ())[:1]:
                began = time.perf_counter()
                for other in variations(point, statement.name, VARIATIONS):
                    if self.values[statement][1] or time.perf_counter() - began > PATIENCE:
                        break
                    found = statement.consider(other)
                    if found is not None:
                        self.note_value(statement, other, found[1])

    def _fails_where_another_was_asked(self, statement: Statement) -> bool:
        began, claim = time.perf_counter(), claim_of(statement.name)
        accepted = {str(note) for note in getattr(statement.source, "__annotations__", {}).values()}
        types = {type(point) for point in self.asked.get(statement.name, ())}
        for name, points in self.asked.items():
            for point in points if claim_of(name) == claim else ():
                if time.perf_counter() - began > PATIENCE:
                    return False
                fits = type(point).__name__ in accepted or type(point) in types
                found = statement.consider(point) if fits else None
                if found is not None and found[0] is Truth.FALSE:
                    return True
        return False

    def _fails_near(self, statement: Statement, seen: Seen) -> bool:
        began, tried = time.process_time(), 0  # a busy machine is no reason to look at less
        for sample in seen.samples:
            for point in variations(sample, statement.name, VARIATIONS):
                if time.process_time() - began > (PATIENCE if tried >= LEAST else LONG_PATIENCE):
                    seen.hurried = tried < LEAST
                    return False
                tried += 1
                found = statement.consider(point)
                if found is None:
                    continue
                answer, value = found
                seen.others = seen.others or seen.is_another(statement.exhibiting(point))
                self.note_value(statement, point, value)
                if answer is Truth.FALSE:
                    return True
                seen.look_inside(statement, statement.exhibiting(point), answer)
        return False


def _is_plain(statement: Statement, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether a point is data, of the library's classes or of those that come with the statement itself."""
    source: Any = (statement.origin or statement).source
    while isinstance(source, functools.partial):
        source = source.func
    return is_plain(point, frozenset({"dpmatrix", source.__module__.partition(".")[0]}))


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


def tell(statement: Statement, point: Any, answer: Truth, value: arb, *, applies: bool | None = None) -> None:  # noqa: ANN401
    """Tell whoever observes what a statement answered, and the value of its margin."""
    for observed in tuple(_observing):
        observed.note_value(statement, point, value)
        observed.tell(statement, point, answer, applies=applies)


def tell_comparison(statement: Statement) -> None:
    """Tell whoever observes that the margin was compared with a formula at a point."""
    for observed in tuple(_observing):
        observed.compared[statement] += 1


def tell_expression(statement: Statement) -> None:
    """Tell whoever observes that the margin was shown to be a formula at every point of the hypotheses."""
    for observed in tuple(_observing):
        observed.expressed.add(statement)


def tell_excluded(statement: Statement, outside: Mapping[str, Any]) -> None:
    """Tell whoever observes which point each hypothesis excludes."""
    for observed in tuple(_observing):
        observed.excluded.update({(statement, says): point for says, point in outside.items()})


def tell_family(statement: Statement) -> None:
    """Tell whoever observes that a family refutes a statement, whatever is chosen."""
    for observed in tuple(_observing):
        observed.evaluated.add(statement)
        observed.failed.add(statement)
        observed.replaced.update(observed.watch())
