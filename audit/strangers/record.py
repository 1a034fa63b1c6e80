"""What a stranger says of its mechanism, what is known about it, and the lists of all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpmatrix.privacy import Adjacency

Array = NDArray[np.float64]
Mechanism = Callable[..., object]
Written = TypeVar("Written", bound=Mechanism)

REPLACE = Adjacency.REPLACE_ONE
ADD_REMOVE = Adjacency.ADD_REMOVE_ONE
RECORDS, DIMENSION = 20, 3


@dataclass(frozen=True)
class Stranger:
    """A mechanism, its claim, and the truth about it on 20 records of length 3 and Euclidean norm at most one.

    The true epsilon is that at the claimed delta, over all pairs of neighbours of this size. It is `exactly` a number
    (which may be a limit that no pair attains), or `at_least` one, or not known if both are None. `fault` is None for a
    mechanism that is right. `note` says what else one has to know to judge a verdict.
    """

    mechanism: Mechanism
    reads: str
    epsilon: float
    delta: float
    adjacency: Adjacency
    fault: str | None
    exactly: float | None
    at_least: float | None
    note: str

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.mechanism.__name__

    @property
    def place(self) -> str:
        """The mechanism as the command takes it: package.module:name."""
        return f"{self.mechanism.__module__}:{self.name}"

    @property
    def purpose(self) -> str:
        """Who wrote it, and for what."""
        return inspect.cleandoc(self.mechanism.__doc__ or "").splitlines()[0]

    @property
    def takes(self) -> str:
        """The arguments of the function."""
        return ", ".join(inspect.signature(self.mechanism).parameters)

    @property
    def true_epsilon(self) -> str:
        """The true epsilon at the claimed delta, as far as it is known."""
        if self.exactly is not None:
            return f"{self.exactly:.4g}"
        return "<= claim" if self.at_least is None else f">= {self.at_least:.4g}"

    @property
    def right(self) -> bool:
        """Whether the claim holds."""
        return self.fault is None


STRANGERS: list[Stranger] = []
LATER: list[Stranger] = []
"""Those of the package `audit.strangers.later`."""


def _list(stranger: Stranger) -> None:
    (LATER if stranger.mechanism.__module__.startswith("audit.strangers.later.") else STRANGERS).append(stranger)


def right(
    *,
    reads: str,
    epsilon: float = 1.0,
    delta: float = 0.0,
    adjacency: Adjacency = REPLACE,
    exactly: float | None = None,
    note: str = "",
) -> Callable[[Written], Written]:
    """List a mechanism whose claim holds; its docstring says why."""

    def enlist(mechanism: Written) -> Written:
        _list(Stranger(mechanism, reads, epsilon, delta, adjacency, None, exactly, None, note))
        return mechanism

    return enlist


def faulty(
    fault: str,
    *,
    reads: str,
    epsilon: float = 1.0,
    delta: float = 0.0,
    adjacency: Adjacency = REPLACE,
    exactly: float | None = None,
    at_least: float | None = None,
    note: str = "",
) -> Callable[[Written], Written]:
    """List a mechanism whose claim does not hold, and say where it goes wrong."""

    def enlist(mechanism: Written) -> Written:
        _list(Stranger(mechanism, reads, epsilon, delta, adjacency, fault, exactly, at_least, note))
        return mechanism

    return enlist
