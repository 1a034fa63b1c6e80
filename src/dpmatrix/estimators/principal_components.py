"""Private principal components, as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators.base import PrivateEstimator
from dpmatrix.estimators.budget import PrivacyBudget
from dpmatrix.estimators.scikit_learn import (
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_array,
    check_is_fitted,
    checked,
)
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.menu import components, variances
from dpmatrix.mechanisms.protocol import FloatArray


class DPPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc] # scikit-learn is not typed
    """Principal components of records about a public point, differentially private.

    `fit` publishes directions. `transform` projects records onto them: for the records of the private data set the
    result is as private as these records themselves, which is to say not at all.

    Parameters
    ----------
    n_components : int, default 1
        Number k of components, at most d.
    epsilon, delta, data_norm, over_norm, calibration, adjacency, mean, budget, random_state
        See `DPSecondMoment`.
    mechanism : str, default "symmetrised-wishart"
        Those of `DPSecondMoment` publish a noisy matrix, of which the components are post-processing.
        ``"ppca"`` and ``"sequential-ppca"`` draw directions by the exponential mechanism of `near-optimal.theorem-6`
        and publish no variances; which captures more depends on the data and on epsilon. ``"ppca"`` with k > 1 takes
        as long as it takes, which may be for ever and is never refused; see `dpmatrix.mechanisms.Ppca`.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        Orthonormal rows; in each the coordinate of largest modulus is positive.
    explained_variance_ : ndarray of shape (k,) or None
        Eigenvalues of the published matrix, in falling order and not below zero, in units of X'X / n (X'X under
        add-remove-one). They hold the noise too, and the first of them are too large on average. None where no matrix
        is published.
    explained_variance_ratio_ : ndarray of shape (k,) or None
        The same over the sum of all.
    n_components_ : int
        k.
    release_, guarantee_, expense_, mean_, n_features_in_
        See `PrivateEstimator`.
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        epsilon: Any = 1.0,  # noqa: ANN401 - any exact number
        delta: Any = 0.0,  # noqa: ANN401
        data_norm: Any = 1.0,  # noqa: ANN401
        over_norm: str = "clip",
        mechanism: str = "symmetrised-wishart",
        calibration: str = "tight",
        adjacency: str = "replace-one",
        mean: npt.ArrayLike | None = None,
        budget: PrivacyBudget | None = None,
        random_state: Any = None,  # noqa: ANN401 - what check_random_state takes
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.data_norm = data_norm
        self.over_norm = over_norm
        self.mechanism = mechanism
        self.calibration = calibration
        self.adjacency = adjacency
        self.mean = mean
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: object = None) -> DPPCA:
        """Release directions, or a matrix from which they are computed, once.

        Parameters
        ----------
        X
            Shape (n, d), finite.
        y
            Not used.

        Raises
        ------
        InvalidParameterError
            If a parameter is out of its domain, or a record is too long and may not be clipped. (A ValueError.)
        NotPrivateError, BudgetExceededError
            If the mechanism keeps no guarantee; if the budget does not cover the fit.
        """
        del y
        rank = positive_integer(self.n_components, "n_components")
        mechanism, release = self._fit_release(X, rank=rank, divisor=None)
        self.components_: FloatArray = components(mechanism, release, rank)
        self.n_components_ = rank
        self._n_features_out = rank
        eigenvalues = variances(mechanism, release)
        self.explained_variance_ = None if eigenvalues is None else eigenvalues[:rank]
        self.explained_variance_ratio_ = None if eigenvalues is None else _shares(eigenvalues)[:rank]
        return self

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Return the coordinates of records along the components, shape (n, k).

        Raises
        ------
        NotFittedError, ValueError
            As every transformer of scikit-learn.
        """
        check_is_fitted(self)
        return np.asarray((self._records(X, reset=False) - self.mean_) @ self.components_.T)

    def inverse_transform(self, X: npt.ArrayLike) -> FloatArray:
        """Return the points of the plane that have these coordinates, shape (n, d).

        Raises
        ------
        NotFittedError, ValueError
            As every transformer of scikit-learn; or if there are not k coordinates.
        """
        check_is_fitted(self)
        coordinates: FloatArray = checked(lambda: check_array(X, dtype=np.float64))
        if coordinates.shape[1] != self.n_components_:
            problem = f"it has {coordinates.shape[1]} columns"
            raise InvalidParameterError("X", problem, f"pass {self.n_components_} coordinates for each point")
        return np.asarray(coordinates @ self.components_ + self.mean_)


def _shares(eigenvalues: FloatArray) -> FloatArray:
    total = eigenvalues.sum()
    return eigenvalues / total if total > 0 else np.zeros(len(eigenvalues))
