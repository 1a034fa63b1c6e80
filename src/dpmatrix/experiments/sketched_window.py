"""Algorithms 2 and 3 of `sliding-window`, with their lines repaired: a traceable object, NOT a private one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, NotPrivateError

Array: TypeAlias = npt.NDArray[Any]
Stamps: TypeAlias = tuple[int, ...]


@frozen(eq=False)
class StoredSketch:
    """A time stamp and the (m, d) matrix ``sigma Phi + sum g_s'a_s`` of the rows from it on."""

    stamp: int
    sketch: Array


def keep_all(_held: tuple[StoredSketch, ...]) -> Stamps:
    """Delete nothing."""
    return ()


@implements("sliding-window.algorithm-2+repair@0c8f08c3", "sliding-window.algorithm-3+repair@1bf8710d")
@frozen(eq=False)
class SketchedWindow:
    """A window of rows in sketches that share their variates; adding a row gives the next object.

    It has no release: the time stamps, the stored matrices and successive outputs each give rows away
    (`sliding-window.lemma-3`), and for a first stamp that depends on the data nobody has shown that the output alone
    does not. Exact for exact arrays (of integers or Fractions), rounded for floats.

    Parameters
    ----------
    base
        Phi times sigma, shape (m, d).
    window
        W >= 2.
    superfluous
        Update-Approx: given what is held, the stamps to delete, never the first or the last one.

    Raises
    ------
    InvalidParameterError
        If the base is no matrix, or the window is shorter than two rows.
    """

    base: Array
    window: int
    superfluous: Callable[[tuple[StoredSketch, ...]], Stamps] = keep_all
    time: int = 0
    held: tuple[StoredSketch, ...] = field(default=())

    def __attrs_post_init__(self) -> None:
        if self.base.ndim != 2 or 0 in self.base.shape:
            raise InvalidParameterError("base", f"it has shape {self.base.shape}", "pass sigma Phi of shape (m, d)")
        if self.window < 2:
            raise InvalidParameterError("window", f"{self.window} is below 2", "pass W >= 2")

    def add(self, row: Array, coin: Array) -> SketchedWindow:
        """Return the object after one more row.

        Parameters
        ----------
        row
            a_t, shape (d,).
        coin
            g_t, shape (m,): independent of everything before, of the law of a column of Phi.

        Raises
        ------
        InvalidParameterError
            If a shape does not fit, or the rule deletes what it must spare.
        """
        size, width = self.base.shape
        if row.shape != (width,) or coin.shape != (size,):
            problem = f"shapes {row.shape} and {coin.shape} do not fit {self.base.shape}"
            raise InvalidParameterError("row", problem, "pass a row of length d and a coin of length m")
        time = self.time + 1
        held = self.held
        if len(held) > 1 and held[1].stamp <= time - self.window + 1:
            held = held[1:]
        term = np.outer(coin, row)
        held = (*(StoredSketch(pair.stamp, pair.sketch + term) for pair in held), StoredSketch(time, self.base + term))
        gone = set(self.superfluous(held))
        if gone & {held[0].stamp, time}:
            raise InvalidParameterError("superfluous", "it deletes the first or the last stamp", "spare both")
        held = tuple(pair for pair in held if pair.stamp not in gone)
        return SketchedWindow(self.base, self.window, self.superfluous, time, held)

    @property
    def output(self) -> Array:
        """The first stored matrix, which holds every row of the window."""
        if not self.held:
            raise InvalidParameterError("held", "no row has come", "add a row first")
        return self.held[0].sketch

    def publish(self) -> Array:
        """Refuse: nothing here is private.

        Raises
        ------
        NotPrivateError
            Always.
        """
        raise NotPrivateError("Algorithm 2 is not differentially private; use SlidingWindowGram")
