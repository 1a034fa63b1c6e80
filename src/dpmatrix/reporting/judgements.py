"""Whether an item that raised an error has looked and objected, or crashed."""

from __future__ import annotations

import pytest

from dpmatrix.claims import OutsideHypothesesError

_JUDGEMENTS = (AssertionError, pytest.fail.Exception, OutsideHypothesesError)


def judges(error: BaseException) -> bool:
    """Whether an error says that something was compared and is otherwise; any other one is a crash.

    Of several errors at once, as of a search that found several examples, one is enough.
    """
    if isinstance(error, BaseExceptionGroup):
        return any(map(judges, error.exceptions))
    return isinstance(error, _JUDGEMENTS)
