"""What is taken from scikit-learn, an optional dependency, in one place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

from dpmatrix.errors import InvalidParameterError, MissingExtraError

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_array, check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("scikit-learn", "estimators") from error

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "TransformerMixin",
    "available_if",
    "check_array",
    "check_is_fitted",
    "check_random_state",
    "checked",
    "reduce_for_workers",
    "validate_data",
]


_SHOWS_NO_ENTRY = ("Input ", "Found array with ", "X has ", "The feature names ")
"""How the messages of scikit-learn begin that are passed on; others hold entries of the array, or may."""
_TOO_LARGE = "an entry is larger than every float"


def checked(check: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Return what a check of scikit-learn returns; where it refuses an array, show no entry of it.

    Raises
    ------
    InvalidParameterError
        In place of every ValueError whose message is not known to be without entries, and of an OverflowError. (A
        ValueError.)
    """
    try:
        return check()
    except ValueError as error:
        words = str(error)
        if words.startswith(_SHOWS_NO_ENTRY):
            raise
    except OverflowError:
        words = _TOO_LARGE
    # Out of the block above, so that the error with the entries is not the context of this one.
    remedy = "pass an array of shape (n, d) of real numbers"
    if words == _TOO_LARGE:
        problem, remedy = words, "pass numbers that a float holds"
    elif words.startswith("Complex data not supported"):
        problem = "Complex data not supported"
    elif "Reshape your data" in words:
        problem, remedy = "it has not two dimensions", f"Reshape your data: {remedy}"
    else:
        problem = "it is no array of real numbers"
    raise InvalidParameterError("X", problem, remedy)


def reduce_for_workers(kind: type, reduce: Callable[[Any], Any]) -> None:
    """Say how objects of a type are pickled for a process of multiprocessing or joblib, and not where they are saved.

    Where joblib has no such table they are pickled for its processes as everywhere.
    """
    ForkingPickler.register(kind, reduce)
    try:
        workers = importlib.import_module("joblib.externals.loky.backend.reduction")
    except ImportError:
        return
    workers.register(kind, reduce)
