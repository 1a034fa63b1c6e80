"""Private principal components, as a transformer."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators.base import PrivateEstimator
from dpmatrix.estimators.budget import PrivacyBudget
from dpmatrix.estimators.expected_error import ExpectedError
from dpmatrix.estimators.scikit_learn import (
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    available_if,
    check_array,
    check_is_fitted,
    checked,
)
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.menu import DIRECTIONS, components, variances
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.privacy.adjacency import Adjacency

_LEAST = 1e-12
"""Of the largest variance: below, a variance is zero up to rounding."""


def _has_model(estimator: DPPCA) -> bool:
    """Whether the parameters are those of a release that has variances."""
    return estimator.mechanism not in DIRECTIONS and estimator.adjacency == Adjacency.REPLACE_ONE.value


class DPPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc] # scikit-learn is not typed
    """Principal components of records about a public point, differentially private.

    `fit` publishes directions. `transform` projects records onto them: for the records of the private data set the
    result is as private as these records themselves, which is to say not at all.

    Parameters
    ----------
    n_components : int or None, default 1
        Number k of components, at most d; None is d, for mechanisms that publish a matrix. No share of the variance and
        no ``"mle"``, which scikit-learn's PCA takes: what a noisy matrix says of them is not so of the records.
    epsilon, delta, data_norm, over_norm, calibration, adjacency, mean, budget, random_state
        See `DPSecondMoment`.
    centred : bool, default False
        Publish the mean as well, out of the same guarantee, and take the components about it; see `DPSecondMoment`. For
        mechanisms that publish a matrix.
    mechanism : str, default "symmetrised-wishart"
        Those of `DPSecondMoment` publish a noisy matrix, of which the components are post-processing.
        ``"ppca"`` and ``"sequential-ppca"`` draw directions by the exponential mechanism of `near-optimal.theorem-6`
        and publish no variances; which captures more depends on the data and on epsilon. ``"ppca"`` with k > 1 takes
        as long as it takes, which may be for ever and is never refused; see `dpmatrix.mechanisms.Ppca`.
        ``"auto"`` chooses among those that publish a matrix, by its expected squared error, as `DPSecondMoment` says.
        It takes none that draws directions: these have no such error, and what they capture depends on the records.

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
    singular_values_ : ndarray of shape (k,) or None
        Roots of the eigenvalues of the published X'X: with the same bias.
    noise_variance_ : float or None
        Mean of the published variances that are left out, 0 where none is. It holds the noise of privacy, and no person
        can tell how much of it.
    n_components_ : int
        k.
    release_, guarantee_, expense_, mechanism_, choice_, mean_, n_features_in_
        See `PrivateEstimator`.
    """

    def __init__(
        self,
        n_components: int | None = 1,
        *,
        epsilon: Any = 1.0,  # noqa: ANN401 - any exact number
        delta: Any = 0.0,  # noqa: ANN401
        data_norm: Any = 1.0,  # noqa: ANN401
        over_norm: str = "clip",
        mechanism: str = "symmetrised-wishart",
        calibration: str = "tight",
        adjacency: str = "replace-one",
        mean: npt.ArrayLike | None = None,
        centred: bool = False,
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
        self.centred = centred
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
        rank = self._rank()
        fit = self._fit_release(X, rank=rank or 1, divisor=None)
        mechanism, release, centred = fit.mechanism, fit.release, fit.centred
        rank = rank or self.n_features_in_
        self.components_: FloatArray = (
            components(mechanism, release, rank) if centred is None else centred.components(rank)
        )
        self.n_components_ = rank
        self._n_features_out = rank
        eigenvalues = variances(mechanism, release) if centred is None else centred.variances()
        self.explained_variance_ = None if eigenvalues is None else eigenvalues[:rank]
        self.explained_variance_ratio_ = None if eigenvalues is None else _shares(eigenvalues)[:rank]
        divisor = fit.count if mechanism.adjacency is Adjacency.REPLACE_ONE else 1
        self.singular_values_ = None if eigenvalues is None else np.sqrt(eigenvalues[:rank] * divisor)
        left = None if eigenvalues is None else eigenvalues[rank:]
        self.noise_variance_ = None if left is None else float(left.mean()) if len(left) else 0.0
        return self

    def _rank(self) -> int | None:
        """Return the number of components that is asked for; None where that is all.

        Raises
        ------
        InvalidParameterError
            If it is no such number.
        """
        if self.n_components is None and self.mechanism in DIRECTIONS:
            problem = f"None is as many as there are features, and {self.mechanism!r} draws each of them"
            raise InvalidParameterError("n_components", problem, "pass a number")
        asked: object = self.n_components
        if isinstance(asked, str) or (isinstance(asked, float) and 0 < asked < 1):
            problem = f"{asked!r} would be chosen by variances that hold the noise"
            raise InvalidParameterError("n_components", problem, "pass a number, and see expected_error")
        return None if self.n_components is None else positive_integer(self.n_components, "n_components")

    def expected_error(self, n: int, d: int) -> ExpectedError:
        """Say how large the noise will be, before a record is seen and anything is spent.

        Parameters
        ----------
        n, d
            Numbers of records and of features. Under add-remove-one a number that you suppose: n is a secret there.

        Raises
        ------
        InvalidParameterError
            If a parameter is out of its domain, the mechanism publishes no matrix, or a number is beyond the floats.
        """
        return self._expected_error(n, d, self._checked_rank(d), None)

    def _checked_rank(self, d: int) -> int:
        most = positive_integer(d, "d")
        rank = self._rank() or most
        if rank > most:
            raise InvalidParameterError("n_components", f"{rank} exceeds d = {d}", "pass at most d")
        return rank

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

    @available_if(_has_model)  # type: ignore[untyped-decorator] # scikit-learn is not typed
    def get_covariance(self) -> FloatArray:
        """Return the covariance matrix of the published model, shape (d, d).

        It is the one of probabilistic principal components (Tipping and Bishop, 1999): the published variances along
        the components, and ``noise_variance_`` in every other direction. It is computed from the release alone.

        There is no such method where no matrix is published, or what is published is X'X and n is a secret, as under
        add-remove-one.

        Raises
        ------
        NotFittedError
            As every estimator of scikit-learn.
        """
        check_is_fitted(self)
        left, kept = cast("float", self.noise_variance_), cast("FloatArray", self.explained_variance_)
        inside = (self.components_.T * (kept - left)) @ self.components_
        return np.asarray(inside + left * np.eye(self.n_features_in_))

    @available_if(_has_model)  # type: ignore[untyped-decorator] # scikit-learn is not typed
    def score_samples(self, X: npt.ArrayLike) -> FloatArray:
        """Return the logarithm of the published model's density at records, shape (n,).

        The model is normal about ``mean_``, the published mean or a public point, with `get_covariance`. Where there is
        none there are no densities. Those of private records are as little private as these records themselves.

        Raises
        ------
        InvalidParameterError
            If the model has no density, since no variance is left in some direction.
        NotFittedError, ValueError
            As every transformer of scikit-learn.
        """
        values, vectors = np.linalg.eigh(self.get_covariance())
        if values[0] <= _LEAST * max(values[-1], 0.0):
            problem = "the published variances are zero in some direction, so the model has no density"
            raise InvalidParameterError("n_components", problem, "take fewer components or less noise")
        points = (self._records(X, reset=False) - self.mean_) @ vectors
        constant = len(values) * np.log(2 * np.pi) + np.log(values).sum()
        return np.asarray(-0.5 * (constant + (points**2 / values).sum(axis=1)))

    @available_if(_has_model)  # type: ignore[untyped-decorator] # scikit-learn is not typed
    def score(self, X: npt.ArrayLike, y: object = None) -> float:
        """Return the mean of `score_samples`; errors as there.

        Parameters
        ----------
        X
            Shape (n, d), finite.
        y
            Not used.
        """
        del y
        return float(np.mean(self.score_samples(X)))


def _shares(eigenvalues: FloatArray) -> FloatArray:
    total = eigenvalues.sum()
    return eigenvalues / total if total > 0 else np.zeros(len(eigenvalues))
