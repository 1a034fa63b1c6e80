"""Keep a point of every statement that its evidence meets, as ``dpmatrix claims ID --at`` reads it.

    python audit/examples.py [FILE ...]

runs the evidence in these files or folders, by default all of it, and writes what it finds into `spec/examples.json`,
beside what is kept of other statements. Kept is a point, written and read again, at which the statement is what it
is held to be, false where it is refuted and true elsewhere; with few zeros, and short.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from typing import Any

import attrs
import pytest

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import Claim, Observed, Statement, Truth, claim_of, observing
from dpmatrix.claims.evaluation import NoValueError, evaluate
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.records import record_of
from dpmatrix.claims.standing import held_answer
from dpmatrix.commands.children import in_a_child
from dpmatrix.errors import InvalidParameterError
from dpmatrix.points.asking import read_point, written
from dpmatrix.spec import EXAMPLES, examples, load

BODY = ("proofs_checks", "audit", "tests")
LONGEST = 2000
"""Characters of a point that somebody may want to edit."""
SECONDS = 1
"""Processor time for a point that is kept."""
Rank = tuple[bool, bool, int, int]


def _size(text: str) -> tuple[int, int]:
    return len(re.findall(r"=0(?![.\w])", text)), len(text)


class Collector:
    """A plugin of pytest that looks at the points at which items ask statements."""

    def __init__(self) -> None:
        self.registry = load()
        self.found: dict[str, tuple[Rank, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Look at the points that an item asks about."""
        with observing() as observed:
            try:
                return (yield)
            finally:
                self.look(observed)

    def look(self, observed: Observed) -> None:
        """Keep points that are better than those that are known."""
        for name, points in observed.asked.items():
            claim = self.registry.claims.get(claim_of(name))
            statement = None if claim is None else claim.statements().get(name)
            for point in points if statement is not None and claim is not None else ():
                self.consider(claim, statement, point)

    def consider(self, claim: Claim, statement: Statement, point: Any) -> None:
        """Keep a point if it is better than the known one."""
        record, best = record_of(statement), self.found.get(statement.name)
        if not isinstance(point, record):
            return
        whole = {field.alias or field.name: getattr(point, field.name) for field in attrs.fields(record)}
        text = written(record(**whole)) or written(record(**whole), {one.field for one in statement.exists})
        if text is None or len(text) > LONGEST or (best and best[0] <= (False, False, *_size(text))):
            return
        try:
            answers = in_a_child(lambda: answers_at(statement, text), SECONDS)
        except InvalidParameterError:
            return
        if answers is None:
            return
        held = held_answer(claim, statement.name)
        wanted = Truth.TRUE if held is None else held
        rank = (not answers[0], answers[1] != wanted.value, *_size(text))
        if best is None or rank < best[0]:
            self.found[statement.name] = rank, text


def answers_at(statement: Statement, text: str) -> tuple[bool, str] | None:
    """Return whether the statement speaks of a point that is read, and its conclusion; None where it has no value."""
    try:
        point, _ = read_point(statement, text)
        evaluation = evaluate(statement, point)
    except (NoValueError, InvalidParameterError):
        return None
    chosen = all(one.exhibited is None or one.agrees(point) for one in statement.exists)
    own = not statement.data or point in statement.data
    return chosen and own and evaluation.applies is Truth.TRUE, evaluation.answer.value


def main() -> None:
    """Run the evidence and keep what is found."""
    collector = Collector()
    pytest.main(["-q", "-m", "evidence", "-p", "no:cacheprovider", *(sys.argv[1:] or BODY)], plugins=[collector])
    known = {name for claim in collector.registry for name in claim.statements()}
    kept = {name: text for name, text in examples().items() if name in known}
    kept |= {name: text for name, (_, text) in collector.found.items()}
    write_atomically(EXAMPLES, dump(kept))
    sys.stdout.write(f"{len(kept)} of {len(known)} statements have a point; none have:\n")
    sys.stdout.writelines(f"{name}\n" for name in sorted(known - kept.keys()))


if __name__ == "__main__":
    main()
