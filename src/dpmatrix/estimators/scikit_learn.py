"""What is taken from scikit-learn, an optional dependency, in one place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

from dpmatrix.errors import MissingExtraError

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_array, check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("scikit-learn", "estimators") from error

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "TransformerMixin",
    "check_array",
    "check_is_fitted",
    "check_random_state",
    "reduce_for_workers",
    "validate_data",
]


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
