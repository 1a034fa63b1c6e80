"""Records of Euclidean norm at most one, decided without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.errors import InvalidParameterError

# A float sum of d squares errs by less than (d + 1) 2^-53 of itself; d below this limit keeps that under the margin.
_FILTER_DIMENSION = 10**6
_FILTER_MARGIN = 1e-9


def squared_norm(record: FloatArray) -> Fraction:
    """Return the exact squared Euclidean norm of a record of shape (d,)."""
    return sum((Fraction(float(entry)) ** 2 for entry in record), Fraction(0))


def inside_unit_ball(record: FloatArray) -> bool:
    """Tell whether a finite record of shape (d,) has norm at most one, exactly."""
    with np.errstate(over="ignore", under="ignore"):
        rough = float(np.dot(record, record))
    if record.size < _FILTER_DIMENSION:
        if rough < 1.0 - _FILTER_MARGIN:
            return True
        if rough > 1.0 + _FILTER_MARGIN:
            return False
    return squared_norm(record) <= 1


def pulled_into_unit_ball(record: FloatArray) -> FloatArray:
    """Return the record, shrunk an ulp at a time until its exact norm is at most one.

    A record far outside is divided by its norm first; one inside comes back unchanged.

    Raises
    ------
    InvalidParameterError
        If the record is not a finite vector.
    """
    result = np.array(record, dtype=np.float64)
    if result.ndim != 1 or result.size == 0 or not np.all(np.isfinite(result)):
        raise InvalidParameterError("record", "it is not a finite, non-empty vector", "pass shape (d,)")
    if inside_unit_ball(result):
        return result
    with np.errstate(under="ignore"):
        result /= np.max(np.abs(result))
        result /= np.sqrt(np.dot(result, result))
    while not inside_unit_ball(result):
        largest = int(np.argmax(np.abs(result)))
        result[largest] = np.nextafter(result[largest], 0.0)
    return result


def unit_record(direction: FloatArray) -> FloatArray:
    """Return a record along ``direction`` whose norm is as close to one as rounding lets it be, never above.

    Raises
    ------
    InvalidParameterError
        If the direction is zero or not a finite vector.
    """
    result = np.array(direction, dtype=np.float64)
    if result.ndim != 1 or result.size == 0 or not np.all(np.isfinite(result)) or not np.any(result):
        raise InvalidParameterError("direction", "it is zero or not a finite vector", "pass a non-zero vector")
    with np.errstate(under="ignore"):
        result /= np.max(np.abs(result))
        result /= np.sqrt(np.dot(result, result))
    return pulled_into_unit_ball(result)
