"""The functions whose meaning stands in for their code. What is here is believed, and the point check tests it.

Each of them computes an exact function of its arguments; its code differs from that by rounding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.tracing.expressions import UntraceableError, is_integer
from dpmatrix.tracing.matrices import symbolic
from dpmatrix.tracing.symbolic import Symbolic


def _number(value: object, _name: str = "value") -> Symbolic:
    return symbolic(value)


def _whole_number(value: object, name: str, least: int = 0) -> object:
    if isinstance(value, Symbolic) and not is_integer(value.expression):
        raise InvalidParameterError(name, "it is not an integer", f"pass an integer of at least {least}")
    if symbolic(value) < least:
        raise InvalidParameterError(name, "it is too small", f"pass an integer of at least {least}")
    return value


def _positive_integer(value: object, name: str) -> object:
    return _whole_number(value, name, 1)


@frozen
class _Range:
    lower: Symbolic
    upper: Symbolic


def _point_range(value: object, _name: str) -> _Range:
    return _Range(symbolic(value), symbolic(value))


def _at_a_point(smallest: Callable[[], Symbolic], _largest: object, is_point: bool) -> Symbolic:
    if not is_point:
        raise UntraceableError("an interval in place of a number")
    return smallest()


@contextmanager
def _any_precision(_bits: int) -> Iterator[None]:
    yield


TRUSTED: Mapping[str, Mapping[str, tuple[Callable[..., object], str]]] = {
    "dpmatrix.exact": {
        "ball": (_number, "a ball around a number stands for the number"),
        "rational": (_number, "an exact number is itself; a refused kind of number does not occur"),
        "fraction": (_number, "as `rational`, of another type"),
        "whole_number": (_whole_number, "an integer is itself where it is large enough, and refused elsewhere"),
        "positive_integer": (_positive_integer, "`whole_number` from 1 on"),
        "square": (lambda x: symbolic(x) ** 2, "|x| |x| = x^2"),
        "nonnegative_root": (lambda x: symbolic(x).sqrt(), "the root; what it cuts off is below zero by rounding"),
        "precision": (_any_precision, "an exact value has no precision"),
    },
    "dpmatrix.privacy.domains": {
        "parameter_range": (_point_range, "the range of a number is the number; a ball's is for boxes"),
    },
    "dpmatrix.privacy.profiles.enclosure": {
        "certified": (lambda compute, *_, **__: compute(), "a computation repeated with more digits has one value"),
        "over_box": (_at_a_point, "at a point the smallest value is the value"),
    },
    "dpmatrix.privacy.profiles.incomplete_gamma": {
        "upper_tail": (lambda x, s: symbolic(x).gamma_upper(s, 1), "the regularised upper incomplete gamma function"),
        "lower_tail": (lambda x, s: symbolic(x).gamma_lower(s, 1), "the regularised lower incomplete gamma function"),
    },
}
"""For each module: a function, what it is to a copy, and why that is the same."""
