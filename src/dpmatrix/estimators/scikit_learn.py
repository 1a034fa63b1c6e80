"""What is taken from scikit-learn, an optional dependency, in one place."""

from __future__ import annotations

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
    "validate_data",
]
