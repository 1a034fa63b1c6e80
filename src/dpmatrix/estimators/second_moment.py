"""The private second-moment matrix about a public point, as an estimator."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from dpmatrix.estimators.base import PrivateEstimator
from dpmatrix.estimators.budget import PrivacyBudget
from dpmatrix.estimators.expected_error import ExpectedError
from dpmatrix.mechanisms import project_psd
from dpmatrix.mechanisms.protocol import FloatArray


class DPSecondMoment(PrivateEstimator):
    """The second-moment matrix X'X / n of records about a public point, differentially private.

    With ``mean`` the public expectation of the records it estimates their covariance matrix.

    Parameters
    ----------
    epsilon, delta : real, default 1.0 and 0.0
        The guarantee. A float is the decimal that it prints as: 0.1 is 1/10, in the noise, in ``guarantee_`` and in the
        budget. The Gaussian mechanisms need delta > 0; all others are (epsilon, 0)-private and take no other.
    data_norm : real, default 1.0
        Public bound on the Euclidean norm of a record less the mean. A float is itself, as those of the records are.
    over_norm : {"clip", "reject"}, default "clip"
        What to do with a longer record: shorten it to the bound, which costs no privacy, or refuse the data. A refusal
        depends on the records, and the guarantee does not cover it.
    mechanism : str, default "symmetrised-wishart"
        ``"symmetrised-wishart"`` is the repair of `wishart.theorem-4`. ``"coupled-traces"`` has less noise for a
        replaced record, and ``"k-norm"`` the least of these three, for d <= 8; ``"staircase"`` has less than that where
        epsilon is large and d is small, and takes an epsilon from 1/8 to 30. ``"laplace"`` is `wishart.algorithm-1`,
        ``"gaussian"`` `analyze-gauss.algorithm-1` and ``"mod-sulq"`` `near-optimal.algorithm-1`, on a lattice each.
        ``"gaussian-orthogonal"`` has the least noise of the three that need a delta. ``"auto"`` takes the one of the
        least expected squared Frobenius error of the matrix, about that of the truncated records, among those that keep
        (epsilon, delta): all but the Gaussian ones for delta = 0, and all for delta > 0, where the guarantee has delta
        = 0 if a pure one is taken. ``"k-norm"`` is left out where it draws more than 300 pairs on average, which is
        from eight features on, and ``"staircase"`` where it gains less than 1 %. The choice follows from d, epsilon,
        delta, data_norm and the relation, and not from the records or their number.
    calibration : {"tight", "printed"}, default "tight"
        The least certified noise, or the document's. A warning says how much more the document's is.
    adjacency : {"replace-one", "add-remove-one"}
        Which data sets are neighbours.
    mean : array-like of shape (d,), optional
        Public point to subtract from every record; zero by default. A mean of the data is not public.
    centred : bool, default False
        Publish the mean as well, out of the same guarantee, and centre by it: each record is shortened to ``data_norm``
        and has a public constant beside it, whose noisy products with the others are the mean. The noise is that of a
        matrix with one column more, for a bound whose square is at most 1.63 times ``data_norm**2``, and less for many
        features. Not under add-remove-one, where n is a secret, nor with a ``divisor``.
    divisor : int, optional
        Public n. By default the number of records under replace-one, and 1 under add-remove-one, where the number of
        records is a secret.
    budget : PrivacyBudget, optional
        Pays for every fit, and refuses one that would exceed it. A fit that is refused costs nothing.
    random_state : int or RandomState, optional
        Fixes the random bits for tests. NEVER private: the fit carries no guarantee and warns.

    Attributes
    ----------
    second_moment_ : ndarray of shape (d, d)
        The second moment about the public point, in floating point: without bias, symmetric, perhaps indefinite.
    covariance_ : ndarray of shape (d, d)
        Its nearest positive semidefinite matrix, for a public mean. With ``centred=True`` that of the matrix about the
        published mean.
    release_, guarantee_, expense_, mechanism_, choice_, mean_, n_features_in_
        See `PrivateEstimator`.
    """

    def __init__(
        self,
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
        divisor: int | None = None,
        budget: PrivacyBudget | None = None,
        random_state: Any = None,  # noqa: ANN401 - what check_random_state takes
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.data_norm = data_norm
        self.over_norm = over_norm
        self.mechanism = mechanism
        self.calibration = calibration
        self.adjacency = adjacency
        self.mean = mean
        self.centred = centred
        self.divisor = divisor
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: object = None) -> DPSecondMoment:
        """Release the matrix once.

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
        fit = self._fit_release(X, rank=None, divisor=self.divisor)
        centred = fit.centred
        self.second_moment_: FloatArray = fit.release.to_numpy() if centred is None else centred.second_moment
        self.covariance_ = project_psd(self.second_moment_ if centred is None else centred.covariance)
        return self

    def expected_error(self, n: int, d: int) -> ExpectedError:
        """Say how large the noise will be, before a record is seen and anything is spent.

        Parameters
        ----------
        n, d
            Numbers of records and of features. Under add-remove-one a number that you suppose: n is a secret there.

        Raises
        ------
        InvalidParameterError
            If a parameter is out of its domain, or a number is beyond the floats.
        """
        return self._expected_error(n, d, None, self.divisor)
