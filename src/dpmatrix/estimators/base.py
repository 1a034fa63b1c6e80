"""What the estimators share: their parameters, and one release paid for and recorded."""

from __future__ import annotations

import pickle
from contextlib import suppress
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.estimators.budget import Expense, PrivacyBudget, relation
from dpmatrix.estimators.centring import Centred, Centring, refuse_unless_counted
from dpmatrix.estimators.expected_error import ExpectedError
from dpmatrix.estimators.notices import notify
from dpmatrix.estimators.scikit_learn import (
    BaseEstimator,
    check_random_state,
    checked,
    reduce_for_workers,
    validate_data,
)
from dpmatrix.exact import decimal_fraction, positive_integer
from dpmatrix.mechanisms import GaussianOrthogonal, Ppca, Release, SequentialPpca
from dpmatrix.mechanisms.choice import resolve, stand_in
from dpmatrix.mechanisms.menu import DIRECTIONS, AnyMechanism, Settings, claims_of, excess_words
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.records import refuse_masked
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import Entropy, SeededEntropy, SystemEntropy

_LARGEST_MEAN = 2.0**970
"""Half of the last digit of the largest float."""


@attrs.frozen
class Fit:
    """What released, what was released, of how many records, and what a constant column says."""

    mechanism: AnyMechanism
    release: Release
    count: int
    centred: Centred | None


class PrivateEstimator(BaseEstimator):  # type: ignore[misc] # scikit-learn is not typed
    """Base of the estimators: reads records, pays, releases, and keeps a record.

    Attributes
    ----------
    release_ : Release
        What was published, exactly.
    guarantee_ : PrivacyGuarantee or None
        The guarantee that was kept; None with a ``random_state``.
    expense_ : Expense
        The record of the fit: mechanism, claims, guarantee, calibration, bound on the norm, random bits.
    mechanism_ : str
        Name of the mechanism that released: the one that was asked for, or chosen.
    choice_ : dpmatrix.mechanisms.choice.Choice or None
        With ``mechanism="auto"`` what was chosen, and the errors that were compared; else None.
    mean_ : ndarray of shape (d,)
        The public point that was subtracted from every record; with ``centred=True`` the published mean.
    n_features_in_ : int
        d. The number of records is not kept, since it is a secret where records are added and removed.
    """

    epsilon: Any
    delta: Any
    data_norm: Any
    over_norm: str
    mechanism: str
    calibration: str
    adjacency: str
    mean: npt.ArrayLike | None
    centred: bool
    budget: PrivacyBudget | None
    random_state: Any

    release_: Release

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - scikit-learn's
        """Refuse to send an estimator to a process in which it could not be fitted."""
        super().__init_subclass__(**options)
        reduce_for_workers(cls, _reduced_for_workers)

    def _fit_release(self, X: npt.ArrayLike, *, rank: int | None, divisor: int | None) -> Fit:
        settings = self._settings(rank, divisor)
        # A data set without records is one like any other where records are added and removed.
        least = 1 if stand_in(settings).adjacency is Adjacency.REPLACE_ONE else 0
        records = self._records(X, reset=True, ensure_min_samples=least)
        if rank is not None and rank > records.shape[1]:
            problem = f"{rank} exceeds the number of features {records.shape[1]}"
            raise InvalidParameterError("n_components", problem, "pass at most the number of features")
        mean = self._public_mean(records.shape[1])
        centring, settings, dimension = self._with_constant(settings, records.shape[1])
        mechanism, choice = resolve(settings, dimension)
        if isinstance(mechanism, RoundedPerturbation):
            mechanism.check_dimension(dimension)
        if self.random_state is not None:
            void = ", ".join(claims_of(mechanism))
            notify(f"random_state makes the random bits known, so nothing private may be fitted: no guarantee [{void}]")
        source = self._entropy()
        wasted = excess_words(mechanism, dimension)
        if wasted is not None:
            notify(wasted)
        points = records - mean
        if centring is not None:
            points = centring.extend(points, mechanism.over_norm)
        if self.budget is not None:
            # First whatever can be refused, then the payment, then the draw: from here on, every failure has been paid.
            self.budget.check_live()
            for _ in mechanism.read_blocks(points):
                pass
            self.budget.pay(mechanism.guarantee if source.private else None)
        release = mechanism.release(points, entropy=source)
        if self.budget is not None:
            # A fork in the middle would publish a second release for one payment.
            self.budget.check_live()
        centred = None if centring is None else centring.read(release)
        self.mean_ = mean if centred is None else mean + centred.mean
        self.release_ = release
        self.guarantee_ = release.guarantee
        self.mechanism_ = self.mechanism if choice is None else choice.mechanism
        self.choice_ = choice
        self.expense_ = self._record(mechanism, release)
        return Fit(mechanism, release, len(records), centred)

    def _with_constant(self, settings: Settings, dimension: int) -> tuple[Centring | None, Settings, int]:
        """Return what reads the mean, and the settings and the length of records with the constant beside them.

        Without ``centred`` these are None and what was given.
        """
        if not isinstance(self.centred, bool | np.bool_):
            raise InvalidParameterError("centred", f"{self.centred!r} is no truth value", "pass True or False")
        if not self.centred:
            return None, settings, dimension
        if self.mechanism in DIRECTIONS:
            problem = f"{self.mechanism!r} draws directions, and publishes no mean"
            raise InvalidParameterError("centred", problem, "take a mechanism that publishes a matrix")
        refuse_unless_counted(settings.public["adjacency"], settings.divisor)
        centring = Centring.of(Fraction(stand_in(settings).norm_bound), dimension)
        public = {**settings.public, "norm_bound": centring.norm_bound()}
        return centring, attrs.evolve(settings, public=public), dimension + 1

    def _settings(self, rank: int | None, divisor: int | None) -> Settings:
        return Settings(
            mechanism=self.mechanism,
            calibration=self.calibration,
            delta=decimal_fraction(self.delta, "delta"),
            public={
                "epsilon": decimal_fraction(self.epsilon, "epsilon"),
                "adjacency": relation(self.adjacency),
                "norm_bound": self.data_norm,
                "over_norm": self.over_norm,
            },
            divisor=divisor,
            rank=rank,
        )

    def _expected_error(self, n: int, d: int, rank: int | None, divisor: int | None) -> ExpectedError:
        records, dimension = positive_integer(n, "n"), positive_integer(d, "d")
        centring, settings, columns = self._with_constant(self._settings(rank, divisor), dimension)
        mechanism, _ = resolve(settings, columns)
        if isinstance(mechanism, Ppca | SequentialPpca):
            problem = f"{self.mechanism!r} draws directions and adds no noise to a matrix"
            raise InvalidParameterError("mechanism", problem, "take one that publishes a matrix")
        by = divisor or (records if mechanism.adjacency is Adjacency.REPLACE_ONE else 1)
        with suppress(OverflowError):
            grid = (
                Fraction(1)
                if isinstance(mechanism, RoundedPerturbation | GaussianOrthogonal)
                else mechanism.grid_for(range(records))
            )
            size = noise_size(mechanism, columns, by, grid)
            if size is None:
                raise TypeError(f"no size of the noise of {mechanism.name}")
            bound = mechanism.norm_bound if centring is None else centring.bound
            largest = float(Fraction(bound) ** 2 * records / by)
            further = 0.0 if centring is None else centring.error(float(size.off_diagonal or 0), dimension)
            return ExpectedError.of(size, largest, rank, dimension, further)
        remedy = "pass a smaller one, or a smaller data_norm or a larger epsilon"
        raise InvalidParameterError("n", "with it the error cannot be written as a float", remedy)

    def _record(self, mechanism: AnyMechanism, release: Release) -> Expense:
        return Expense(
            estimator=type(self).__name__,
            mechanism=mechanism.name,
            claims=claims_of(mechanism),
            guarantee=release.guarantee,
            calibration=self.calibration,
            data_norm=Fraction(mechanism.norm_bound),
            over_norm=mechanism.over_norm,
            entropy=release.entropy,
        )

    def _records(self, X: npt.ArrayLike, *, reset: bool, ensure_min_samples: int = 1) -> FloatArray:
        refuse_masked(X, "X")
        records: FloatArray = checked(
            lambda: validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=ensure_min_samples)
        )
        return records

    def _public_mean(self, dimension: int) -> FloatArray:
        if self.mean is None:
            return np.zeros(dimension)
        try:
            # By way of objects: numpy would drop the imaginary parts of an array of its own.
            point = np.asarray(self.mean, dtype=object).astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidParameterError("mean", "it is not a vector of real numbers", "pass d real numbers") from error
        if point.shape != (dimension,) or not np.isfinite(point).all():
            problem = f"its shape {point.shape} is not ({dimension},), or an entry is not finite"
            raise InvalidParameterError("mean", problem, "pass one finite number for each feature")
        # Below that no finite record less the mean is an infinity, whose refusal would depend on the record.
        if np.abs(point).max() >= _LARGEST_MEAN:
            raise InvalidParameterError("mean", "an entry is 2**970 or more", "pass a smaller one")
        return point

    def _entropy(self) -> Entropy:
        if self.random_state is None:
            return SystemEntropy()
        if isinstance(self.random_state, int) and not isinstance(self.random_state, bool):
            return SeededEntropy(self.random_state)
        return SeededEntropy(int(check_random_state(self.random_state).randint(2**31 - 1)))


def _reduced_for_workers(estimator: PrivateEstimator) -> Any:  # noqa: ANN401 - what pickle takes
    """Pickle an estimator for another process, unless it is to be fitted there with a budget of this one.

    Raises
    ------
    SingleUseError
        Here, where it is seen, and not in the worker, whose errors a search collects.
    """
    if estimator.budget is not None and not hasattr(estimator, "release_"):
        problem = "an estimator with a budget cannot be fitted in a worker process: nothing would count what it pays"
        raise SingleUseError(problem, PrivacyBudget.remedy)
    return estimator.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
