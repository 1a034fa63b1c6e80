"""What an audit needs of a mechanism: batches of independent outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.checks import positive_finite
from dpmatrix.errors import InvalidParameterError

FloatArray: TypeAlias = NDArray[np.float64]
SingleDraw: TypeAlias = Callable[[FloatArray, np.random.Generator], object]


class Target(Protocol):
    """A randomised algorithm under audit."""

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        """Run the algorithm ``size`` times, independently.

        Parameters
        ----------
        data
            Shape (n, d), one record a row, each of Euclidean norm at most one.
        size
            Number of outputs.
        generator
            Source of randomness; a target with its own entropy may ignore it.

        Returns
        -------
        ndarray
            Shape (size,) for scalars, (size, k) for vectors, (size, d, d) for symmetric matrices.
        """


@frozen(eq=False)
class _SingleDraws:
    draw: SingleDraw

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.stack([np.asarray(self.draw(data, generator), dtype=np.float64) for _ in range(size)])


@frozen(eq=False)
class _Rounded:
    target: Target
    resolution: float

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        outputs = np.asarray(self.target(data, size, generator))
        return np.asarray(np.rint(outputs / self.resolution) * self.resolution)


@frozen(eq=False)
class _Scaled:
    target: Target
    norm_bound: float

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        return self.target(scaled_records(data, self.norm_bound), size, generator)


def from_single_draw(draw: SingleDraw) -> Target:
    """Make a target of an algorithm that gives one output a call.

    Parameters
    ----------
    draw
        Called as ``draw(data, generator)``; returns a scalar, a vector or a matrix of one fixed shape.
    """
    return _SingleDraws(draw)


def seen_at_resolution(target: Target, resolution: float) -> Target:
    """Round a target's outputs to multiples of ``resolution`` before anybody looks.

    Noise added in floating point gives away the data through its low-order bits (Mironov 2012), and an audit of the
    bare target finds that. Through this adapter it judges the mechanism that the target approximates.

    Parameters
    ----------
    target
        The target.
    resolution
        Positive and finite; best a power of two, far below the noise and far above its rounding errors.

    Raises
    ------
    InvalidParameterError
        If the resolution is not positive and finite.
    """
    return _Rounded(target, positive_finite(resolution, "resolution", "pass say 2**-30"))


def resolution_of(target: Target) -> float:
    """Return the resolution at which a target, possibly inside of others, is seen; zero if every bit is."""
    inner: object = target
    while inner is not None:
        if isinstance(inner, _Rounded):
            return inner.resolution
        inner = getattr(inner, "target", None)
    return 0.0


def scaled_records(data: FloatArray, norm_bound: float) -> FloatArray:
    """Return the records of the unit ball, shape (n, d), scaled to a norm that is at most ``norm_bound``."""
    scaled = data * norm_bound
    # Multiplication by a power of two is exact; elsewhere an ulp towards zero covers the rounding of every entry.
    return scaled if math.frexp(norm_bound)[0] == 0.5 else np.nextafter(scaled, 0.0)


def at_norm_bound(target: Target, norm_bound: float) -> Target:
    """Make a target for records of norm at most ``norm_bound`` out of one that the pairs of the unit ball may audit.

    Raises
    ------
    InvalidParameterError
        If the bound is not positive and finite.
    """
    bound = positive_finite(norm_bound, "norm_bound", "pass say 1.0")
    return target if bound == 1 else _Scaled(target, float(bound))


def draw_batch(target: Target, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Draw a batch and check its form; values that are not finite are outputs like any other.

    Raises
    ------
    InvalidParameterError
        If the batch is not numeric and real, has not ``size`` outputs, or these are not scalars, vectors or
        square matrices.
    """
    batch = np.asarray(target(data, size, generator))
    if batch.dtype.kind not in "biuf":
        raise InvalidParameterError("target", f"it returned values of type {batch.dtype}", "return real numbers")
    if batch.ndim not in (1, 2, 3) or batch.shape[0] != size or batch.size == 0:
        problem = f"it returned shape {batch.shape} where {size} outputs were asked for"
        raise InvalidParameterError("target", problem, "return (size,), (size, k) or (size, d, d)")
    if batch.ndim == 3 and batch.shape[1] != batch.shape[2]:
        raise InvalidParameterError("target", f"its matrices have shape {batch.shape[1:]}", "return square matrices")
    return batch.astype(np.float64)
