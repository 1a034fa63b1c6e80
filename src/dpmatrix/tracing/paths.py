"""Run a computation on every way through its comparisons, and put the ways together."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from dpmatrix.tracing.expressions import Choice, Comparison, Expression, Undefined, UntraceableError
from dpmatrix.tracing.facts import Facts

MOST_DECISIONS = 24
MOST_PATHS = 32
MOST_OPERATIONS = 10_000
"""Operations of one computation on all its paths together."""

REFUSALS = (ValueError, ArithmeticError, IndexError, StopIteration)
"""How a margin refuses its point: on numbers of the same lengths it ends in the same way."""

Decisions = tuple[tuple[Comparison, bool], ...]


class Path:
    """One way through the comparisons of a computation."""

    def __init__(self, prescribed: Decisions = ()) -> None:
        self._prescribed = prescribed
        self._facts = Facts()
        self.operations = 0
        self.taken: Decisions = ()

    def ask(self, comparison: Comparison) -> bool:
        """Answer a comparison: as it follows from earlier ones, as prescribed, or else with yes."""
        known = self._facts.answer(comparison)
        if known is not None:
            return known
        number = len(self.taken)
        if number == MOST_DECISIONS:
            raise UntraceableError("too many comparisons of unknown numbers in a row")
        answer = self._prescribed[number][1] if number < len(self._prescribed) else True
        self._facts.assume(comparison, answer)
        self.taken = (*self.taken, (comparison, answer))
        return answer


_current: ContextVar[Path | None] = ContextVar("current path of a traced computation", default=None)


def ask(comparison: Comparison) -> bool:
    """Answer a comparison on the present path.

    Raises
    ------
    UntraceableError
        If nothing is being explored: a module compares numbers when it is imported.
    """
    path = _current.get() or Path()
    answer = path.ask(comparison)
    if _current.get() is None and path.taken:
        raise UntraceableError("a comparison of unknown numbers outside a margin")
    return answer


def count_operation() -> None:
    """Take note of an operation on the present path.

    Raises
    ------
    UntraceableError
        If there were too many.
    """
    path = _current.get()
    if path is not None:
        path.operations += 1
        if path.operations > MOST_OPERATIONS:
            raise UntraceableError("too many operations on unknown numbers")


def explore(compute: Callable[[], Expression]) -> Expression:
    """Run a computation on every path, and return one expression with a choice for each comparison.

    Where it refuses its arguments, by one of `REFUSALS`, the expression is undefined.

    Raises
    ------
    UntraceableError
        If there are too many paths, or the computation does not run on symbols.
    """
    runs = operations = 0

    def branch(prescribed: Decisions) -> Expression:
        nonlocal runs, operations
        runs += 1
        if runs > MOST_PATHS:
            raise UntraceableError("too many paths through comparisons of unknown numbers")
        path = Path(prescribed)
        path.operations = operations
        value = _on(path, compute)
        operations = path.operations
        for number in reversed(range(len(prescribed), len(path.taken))):
            comparison, _ = path.taken[number]
            other = branch((*path.taken[:number], (comparison, False)))
            value = value if value == other else Choice(comparison, value, other)
        return value

    return branch(())


def _on(path: Path, compute: Callable[[], Expression]) -> Expression:
    token = _current.set(path)
    try:
        return compute()
    except REFUSALS as refused:
        return Undefined(str(refused) or type(refused).__name__)
    except UntraceableError:
        raise
    except Exception as failed:  # whatever else the code of a margin does with a symbol is not understood
        raise UntraceableError(f"{type(failed).__name__}: {failed}") from failed
    finally:
        _current.reset(token)
