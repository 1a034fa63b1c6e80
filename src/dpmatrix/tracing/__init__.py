"""Margins as exact expressions: what the executable statements compute, written down and compared exactly.

A margin is run on symbols in a copy of its module. `trace` returns a statement in expressions, or says why it has
none; `bind_expression` shows that a formula of a proof is the margin; `compare` tests expressions against the margins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpmatrix.tracing.check import Agreement, compare
from dpmatrix.tracing.expressions import Expression, UntraceableError
from dpmatrix.tracing.tracer import Assertion, Case, Traced, trace

if TYPE_CHECKING:
    from dpmatrix.tracing.binding import UndecidedFormulaError, bind_expression

__all__ = [
    "Agreement",
    "Assertion",
    "Case",
    "Expression",
    "Traced",
    "UndecidedFormulaError",
    "UntraceableError",
    "bind_expression",
    "compare",
    "trace",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what binds needs sympy, which is half of what a run of pytest loads
    if name in {"UndecidedFormulaError", "bind_expression"}:
        from dpmatrix.tracing import binding

        return getattr(binding, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
