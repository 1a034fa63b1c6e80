"""The tests of outputs for repetitions before and after an audit, in this process, in its workers and in new ones."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor

from attrs import evolve, frozen

from dpmatrix.auditing.independence.processes import FreshProcess, fresh_processes, probes_here
from dpmatrix.auditing.independence.repeats import (
    Drawn,
    are_frozen,
    begin_alike,
    chance_of_beginning_alike,
    repetition,
)
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.targets.target import Target
from dpmatrix.errors import NoVerdictError
from dpmatrix.exact import Exact, fraction

_SURE = 1e-9
_MORE = 4
_LONGEST_CHECK, _LONGEST_WAIT = 60.0, 3600.0
FROZEN = (
    "every output on the data is the same, and every output on the neighbour another: either there is no noise, and "
    "nothing is private, or outputs are kept or seeded, and counts of them mean nothing"
)


@frozen(eq=False)
class Checks:
    """Tests of the outputs for repetitions."""

    target: Target
    entropy: int
    others: Sequence[FreshProcess]
    limit: float
    executor: Executor | None = None
    workers: int = 1

    def ask(self, pair: NeighbouringPair) -> None:
        """Let the new processes begin to draw."""
        for process in self.others:
            process.ask((pair.data, pair.neighbour))

    def here(self, pair: NeighbouringPair, step: int) -> list[tuple[Drawn, ...]]:
        """Draw on a pair in this process or its executor."""
        sides = (pair.data, pair.neighbour)
        return probes_here(self.target, sides, self.entropy + step, self.executor, self.workers, self._left(1.0))

    def elsewhere(self) -> tuple[list[tuple[Drawn, ...]], str | None]:
        """Collect what the new processes drew, or a remark that says why there is nothing."""
        if not self.others:
            return [], "new processes: not looked at, since the mechanism cannot be imported by its name"
        found = []
        for process in self.others:
            answer = process.answer(self._left(2.0))
            if isinstance(answer, str):
                return [], f"new processes: not looked at, since there {answer}"
            found.append(answer)
        return found, None

    def judge(self, pair: NeighbouringPair, probes: Sequence[tuple[Drawn, ...]]) -> None:
        """Raise an error if outputs repeat; ask more processes where a few outputs begin alike and leave it open.

        A slow mechanism draws few outputs, and so does a busy machine. With ``_MORE`` processes the 24 first calls of
        each are enough.
        """
        judge(probes)
        if not self.others or all(chance_of_beginning_alike(_from_their_first(probes, side)) == 1 for side in (0, 1)):
            return
        further = fresh_processes(self.target, self.entropy, first=len(self.others), number=_MORE)
        asked = evolve(self, others=further)
        try:
            asked.ask(pair)
            judge([*probes, *asked.elsewhere()[0]])
        finally:
            for process in further:
                process.end()

    def _left(self, least: float) -> float:
        return min(_LONGEST_WAIT, max(least, self.limit - time.monotonic()))


def judge(probes: Sequence[tuple[Drawn, ...]]) -> None:
    """Raise an error if outputs repeat."""
    for side in (0, 1):
        reason = repetition([drawn[side] for drawn in probes])
        if reason is not None:
            raise NoVerdictError(f"{reason}; outputs that are not independent prove nothing")
    if any(begin_alike(_from_their_first(probes, side)) for side in (0, 1)):
        raise NoVerdictError(
            "the first output of every process on a data set is the same, and no later one: it has no own noise, "
            "and whoever runs the mechanism once sees that; an audit of the later outputs says nothing of it"
        )


def _from_their_first(probes: Sequence[tuple[Drawn, ...]], side: int) -> list[Drawn]:
    """Take what processes drew from their very first call on: new ones alone, where there are any.

    In this process a form of outputs was chosen, or something else was drawn, before.
    """
    found = [drawn[side] for drawn in probes]
    return [one for one in found if one.process < 0] or found


def is_frozen(probes: Sequence[tuple[Drawn, ...]]) -> bool:
    """Tell whether all outputs on the data are the same, and all those on the neighbour other ones."""
    data, neighbour = ([drawn[side] for drawn in probes] for side in (0, 1))
    return are_frozen(data, neighbour)


def surely_without_noise(probes: Sequence[tuple[Drawn, ...]], epsilon: Exact, delta: Exact) -> bool:
    """Tell whether outputs are frozen that, if the claim were true, would be so with probability at most 1e-9."""
    if not is_frozen(probes):
        return False
    outputs = sum(len(batch) for drawn in probes for batch in drawn[0].batches)
    # m outputs on the data are a value of probability p and m on the neighbour are not with probability (p (1 - q))**m,
    # and the claim says that q >= (p - delta) / e**epsilon.
    ratio, allowance = math.exp(-float(fraction(epsilon))), float(fraction(delta))
    best = min(1.0, (1 / ratio + allowance) / 2) if ratio else 1.0
    largest = max(allowance, best * (1 - ratio * (best - allowance)))
    return largest < 1 and outputs * math.log(largest) <= math.log(_SURE)


def check_independence(target: Target, pair: NeighbouringPair, *, entropy: int) -> str | None:
    """Raise an error if outputs on a pair repeat, here or in new processes; return a remark if these say nothing.

    Raises
    ------
    NoVerdictError
        If they repeat, or all are the same on each data set and differ between the two.
    """
    checks = Checks(target, entropy, fresh_processes(target, entropy), time.monotonic() + _LONGEST_CHECK)
    try:
        checks.ask(pair)
        probes = checks.here(pair, 0)
        drawn, remark = checks.elsewhere()
    finally:
        for process in checks.others:
            process.end()
    checks.judge(pair, [*probes, *drawn])
    if is_frozen([*probes, *drawn]):
        raise NoVerdictError(FROZEN)
    return remark
