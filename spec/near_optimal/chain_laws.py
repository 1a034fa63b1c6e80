"""Laws of Markov chains: where a Gibbs sampler stays, and when a chain has its stationary law (sections 3.2 and 6)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_most, equality, positive, whole


@attrs.frozen
class Table:
    """Chances of an output of two parts, the second kept while the first is drawn afresh; a row for each first part."""

    chances: tuple[tuple[Exact, ...], ...]


def redrawn(p: Table) -> list[list[fmpq]]:
    """The chances once the first part has been drawn from its law given the second."""
    rows = [[rational(value) for value in row] for row in p.chances]
    columns = [sum(column, fmpq(0)) for column in zip(*rows, strict=True)]
    given = [[value / total for value, total in zip(row, columns, strict=True)] for row in rows]
    # from any first part: what leads to (i, j) is the column j as a whole
    return [
        [sum((before[j] * share for before in rows), fmpq(0)) for j, share in enumerate(shares)] for shares in given
    ]


def stationary_margin(p: Table) -> arb:
    """Minus the largest change of a chance."""
    pairs = (
        (rational(a), b)
        for row, after in zip(p.chances, redrawn(p), strict=True)
        for a, b in zip(row, after, strict=True)
    )
    return equality(arb(max(abs(a - b) for a, b in pairs)), arb(0))


def table_margin(p: Table) -> arb:
    """The least chance; -1 where there is none, or rows differ in length."""
    if len({len(row) for row in p.chances}) != 1:
        return arb(-1)
    return arb(min((rational(value) for row in p.chances for value in row), default=fmpq(-1)))


@attrs.frozen
class TwoStates:
    """A chain of two states.

    Parameters
    ----------
    leave, back
        Chances of going from the first state to the second, and from the second to the first.
    start
        Chance of the first state at the start.
    steps
        Number of steps.
    """

    leave: Exact
    back: Exact
    start: Exact
    steps: int


def stationary(p: TwoStates) -> fmpq:
    """The chance of the first state that a step does not change."""
    return rational(p.back) / (rational(p.leave) + rational(p.back))


def chance_after(p: TwoStates) -> fmpq:
    """The chance of the first state after the steps."""
    chance = rational(p.start)
    for _ in range(p.steps):
        chance = chance * (1 - rational(p.leave)) + (1 - chance) * rational(p.back)
    return chance


def limit_margin(p: TwoStates) -> arb:
    """The distance of the chance of the first state from the stationary one."""
    return arb(abs(chance_after(p) - stationary(p)))


def start_margin(p: TwoStates) -> arb:
    """The same distance at the start."""
    return arb(abs(rational(p.start) - stationary(p)))


def memory_margin(p: TwoStates) -> arb:
    """``|1 - leave - back|``: 0 exactly where the next state does not depend on the present one."""
    return arb(abs(1 - rational(p.leave) - rational(p.back)))


CHAIN_STEPS = (
    Step(
        "stationary-law-of-gibbs",
        Statement(
            "a part of the output that is drawn from its law given the rest leaves the law of the output as it is",
            stationary_margin,
            given=(Condition("a table of positive chances", table_margin, strict=True),),
        ),
        defect=None,
        note="So with any order of the parts. That the density (6) is the only such law is not judged.",
    ),
    Step(
        "only-in-the-limit",
        Statement(
            "a chain of two states, each of which depends on the one before, that does not begin in its stationary "
            "law does not have it after any number of steps",
            limit_margin,
            given=(
                positive("leave"),
                at_most("leave", 1),
                positive("back"),
                at_most("back", 1),
                whole("steps", 0),
                Condition("the start is not stationary", start_margin, strict=True),
                Condition("leave + back is not 1", memory_margin, strict=True),
            ),
            strict=True,
        ),
        defect=None,
        note="Independent draws are the exception: they have it after one step. The Gibbs chain at hand is not judged.",
    ),
)
