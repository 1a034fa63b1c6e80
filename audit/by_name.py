"""A mechanism of a suite as an audit of a user's file has it: one that a new process can import.

An audit starts new processes to see whether outputs repeat from one start of Python to the next, but only for what it
can pickle. Mechanisms of a suite are often closures, which it cannot; a new process finds them again by their names.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing import Target
from dpmatrix.auditing.arrays import FloatArray

Find: TypeAlias = Callable[[str], Target]
"""Maps a name to a target; a function of a module, so that it can be imported."""


@frozen(eq=False)
class ByName:
    """A target that is pickled as its name.

    Attributes
    ----------
    find, name
        Where a new process gets the target from.
    target
        What is called in this one.
    """

    find: Find
    name: str
    target: Target

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        """Run the target."""
        return self.target(data, size, generator)

    def __reduce__(self) -> tuple[Callable[[Find, str], ByName], tuple[Find, str]]:
        return found, (self.find, self.name)


def found(find: Find, name: str) -> ByName:
    """Return the target of a name."""
    return ByName(find, name, find(name))


def importable(target: Target, find: Find, name: str) -> Target:
    """Return a target by its name, or as it is where that name is of another one or of none.

    A new process would draw from the other one. Of none ``find`` says so by a `LookupError` or a `ValueError`.
    """
    try:
        named = found(find, name)
    except (LookupError, ValueError):
        return target
    return named if named.target is target else target


def pickles(target: Target) -> bool:
    """Tell whether a new process could import a target as it is, without a name."""
    try:
        pickle.dumps(target)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
