"""What an audit needs of a mechanism: batches of independent outputs."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.checks import positive_finite
from dpmatrix.auditing.targets.forms import Form, caught, in_form
from dpmatrix.errors import InvalidParameterError, NoVerdictError

SingleDraw: TypeAlias = Callable[[FloatArray, np.random.Generator], object]
Call: TypeAlias = Callable[[], object]

_LONGEST_TEXT = 200
_LIBRARY = Path(__file__).resolve().parents[2]
_STANDARD = Path(traceback.__file__).resolve().parent


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


def _real(value: object) -> FloatArray:
    """Return one output as an array of floats."""
    array = np.asarray(value)
    if array.dtype.kind == "O" and array.size and all(hasattr(type(one), "__float__") for one in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        what = "None" if value is None else f"a value of type {type(value).__name__}"
        raise InvalidParameterError("target", f"it returned {what}", "return real numbers, none of them None")
    return np.asarray(array, dtype=np.float64)


def stacked(values: Iterable[object]) -> FloatArray:
    """Make a batch of single outputs.

    Raises
    ------
    InvalidParameterError
        If one is no array of real numbers, or their shapes differ.
    """
    arrays = [_real(value) for value in values]
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        problem = f"its outputs have the shapes {shapes[0]} and {shapes[1]}"
        raise InvalidParameterError("target", problem, "return outputs of one shape")
    return np.stack(arrays)


@frozen(eq=False)
class _SingleDraws:
    draw: SingleDraw
    form: Form | None = None

    def calls(self, data: FloatArray, size: int, generator: np.random.Generator) -> Iterator[Call]:
        return (partial(self.draw, data, generator) for _ in range(size))

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return batch_of(self.calls(data, size, generator), self.form)


def batch_of(calls: Iterable[Call], form: Form | None) -> FloatArray:
    """Make a batch of single outputs; in a form, if there is one, an exception is an output. Errors as in `stacked`."""
    if form is None:
        return stacked(call() for call in calls)
    return in_form((caught(call) for call in calls), form)


def told(error: BaseException) -> str:
    """Say in one line what was raised, and in which line of the mechanism where that is known."""
    text = " ".join(str(error).split())
    if isinstance(error, SystemExit):
        return f"the mechanism calls exit({text})"
    words = f": {text[:_LONGEST_TEXT]}" if text else ""
    return f"the mechanism raised {type(error).__name__}{words}{_place(error)}"


def _place(error: BaseException) -> str:
    """Name the innermost line that belongs to neither this library nor an installed one."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        own = file.is_file() and "site-packages" not in file.parts and _LIBRARY not in file.resolve().parents
        if own and not file.resolve().is_relative_to(_STANDARD):
            return f" ({file.name}, line {frame.lineno})"
    return ""


class MechanismRaisedError(NoVerdictError):
    """The mechanism raised an exception where none was expected.

    Parameters
    ----------
    sentence
        What was raised, in words.
    kind
        The name of its type.
    """

    def __init__(self, sentence: str, kind: str) -> None:
        self.kind = kind
        super().__init__(sentence)

    def __reduce__(self) -> tuple[type[MechanismRaisedError], tuple[str, str]]:
        return type(self), (str(self), self.kind)


@frozen(eq=False)
class Guarded:
    """A target of which every failure, an exit included, is a `NoVerdictError` in one line."""

    target: Target

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        """Run the target."""
        try:
            return self.target(data, size, generator)
        except (InvalidParameterError, NoVerdictError):
            raise
        except SystemExit as error:
            raise NoVerdictError(told(error)) from error
        except Exception as error:
            raise MechanismRaisedError(told(error), type(error).__name__) from error


@frozen(eq=False)
class _Rounded:
    target: Target
    resolution: FloatArray

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        outputs = _checked(self.target(data, size, generator), size)
        if self.resolution.ndim and self.resolution.shape != outputs.shape[1:]:
            problem = f"its outputs have the shapes {self.resolution.shape} and {outputs.shape[1:]}"
            raise InvalidParameterError("target", problem, "return outputs of one shape")
        rounds = self.resolution > 0
        steps = np.where(rounds, self.resolution, 1.0)
        with np.errstate(all="ignore"):
            rounded = np.rint(outputs / steps) * steps
        # A number so large that the quotient overflows has no bits below the resolution.
        return np.where(rounds & np.isfinite(rounded), rounded, outputs)


@frozen(eq=False)
class _Scaled:
    target: Target
    norm_bound: float

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        return self.target(scaled_records(data, self.norm_bound), size, generator)


def from_single_draw(draw: SingleDraw, form: Form | None = None) -> Target:
    """Make a target of an algorithm that gives one output a call.

    Parameters
    ----------
    draw
        Called as ``draw(data, generator)``; returns a scalar, a vector or a matrix of one fixed shape, or anything at
        all if there is a form.
    form
        What is looked at of its outputs, as a vector.
    """
    return _SingleDraws(draw, form)


def seen_at_resolution(target: Target, resolution: ArrayLike) -> Target:
    """Round a target's outputs to multiples of ``resolution`` before anybody looks.

    Noise added in floating point gives away the data through its low-order bits (Mironov 2012), and an audit of the
    bare target finds that. Through this adapter it judges the mechanism that the target approximates.

    Parameters
    ----------
    target
        The target.
    resolution
        A number, or an array of the shape of one output. Positive and finite, best powers of two, far below the noise
        and far above its rounding errors; in an array, zero leaves a coordinate as it is.

    Raises
    ------
    InvalidParameterError
        If the resolution is not positive and finite.
    """
    steps = np.asarray(resolution, dtype=np.float64)
    if steps.ndim == 0:
        positive_finite(float(steps), "resolution", "pass say 2**-30")
    elif not np.all(np.isfinite(steps) & (steps >= 0)):
        raise InvalidParameterError("resolution", "an entry is negative or not finite", "pass zero not to round")
    return _Rounded(target, steps)


def resolution_of(target: Target) -> FloatArray:
    """Return the resolution at which a target, possibly inside of others, is seen; zero where every bit is."""
    inner: object = target
    while inner is not None:
        if isinstance(inner, _Rounded):
            return inner.resolution
        inner = getattr(inner, "target", None)
    return np.zeros(())


def form_in(target: Target) -> Form | None:
    """Return the form in which a target, possibly inside of others, puts its outputs."""
    inner: object = target
    while inner is not None:
        form = getattr(inner, "form", None)
        if isinstance(form, Form):
            return form
        inner = getattr(inner, "target", None)
    return None


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

    Arrays that are neither vectors nor square matrices are read as vectors, row by row.

    Raises
    ------
    InvalidParameterError
        If the batch is not numeric and real, or has not ``size`` outputs, or these hold nothing.
    """
    return _checked(target(data, size, generator), size)


def _checked(outputs: object, size: int) -> FloatArray:
    batch = np.asarray(outputs)
    if batch.dtype.kind not in "biuf":
        what = "None" if outputs is None else f"values of type {batch.dtype}"
        raise InvalidParameterError("target", f"it returned {what}", "return real numbers, none of them None")
    if batch.ndim == 0 or batch.shape[0] != size or batch.size == 0:
        problem = f"it returned shape {batch.shape} where {size} outputs were asked for"
        raise InvalidParameterError("target", problem, "return (size,), (size, k) or (size, d, d)")
    square = batch.ndim == 3 and batch.shape[1] == batch.shape[2]
    return (batch if batch.ndim < 3 or square else batch.reshape(size, -1)).astype(np.float64)
