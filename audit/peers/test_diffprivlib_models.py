"""Models of diffprivlib 0.6.6: three of them publish what no noise was added to, and one spends more than it says.

A record is replaced, bounds and classes are given, and no warning of a leak is raised (all of them are errors here).
Outputs are rounded to multiples of 2**-30; a violation is certified, and an alarm on a model that keeps its promise
rung, with probability at most 1e-9 each.

*What violates.* All three at every epsilon. The library's README says that its public release is for research and
education only.

``LinearRegression`` (``models/linear_regression.py``, line 144) takes the lower bound twice where it needs both, in
``max(abs([bounds_X[0][i], bounds_X[0][i]]))``. The sensitivity of a sum of squares between 0 and 1 is then 0, and the
diagonal of the second moment is published as it is; with an intercept the bounds are shifted, and the noise is that of
the shifted lower bound. The library knows it under its numbers 104, 105 and 110. Without an intercept nothing clips the
records either: line 87 is reached with one alone, so that a record outside of the declared bounds is given away.

``GaussianNB`` (``models/naive_bayes.py``, line 166) goes through the classes that occur. The count of one that does not
is exactly zero, and that of one that does is at least one. Its docstring promises privacy of means and variances alone;
the means of a class that does not occur are exactly zero, too, and those of one that does are not always.

``KMeans`` (``models/k_means.py``, lines 166 and 167) publishes in ``labels_`` the exact label of every record, and in
``inertia_`` the exact sum of squared distances from the centres that it publishes in ``cluster_centers_``. Its
docstring lists both as attributes without a word about privacy.

*What is a matter of accounting.* ``LinearRegression`` with an intercept spends epsilon / (d + 1) on the means of the
features, as much on the mean of the target, and d epsilon / (d + 1) on the rest: a part more than epsilon. The library
knows that too, under its number 104. No loss was shown here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from diffprivlib import BudgetAccountant, models
from diffprivlib.models import linear_regression

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.privacy import Adjacency

REPLACE = Adjacency.REPLACE_ONE
SIDE = {1: 1.0, 3: 0.5}


def many(once: Callable[[np.ndarray], object]):
    return lambda data, size, _: np.array([np.asarray(once(data), dtype=np.float64) for _ in range(size)])


def ends(dimension: int, others: int = 3) -> list[NeighbouringPair]:
    """Return a corner of a cube in the unit ball for the opposite one, beside records in the middle."""
    rest = np.full((others, dimension), SIDE[dimension] / 2)
    data, neighbour = (np.vstack([rest, np.full((1, dimension), end)]) for end in (0.0, SIDE[dimension]))
    return [NeighbouringPair("opposite corners", REPLACE, data, neighbour)]


@pytest.mark.parametrize("dimension", [1, 3])
def test_standard_scaler_keeps_its_promise(audited_mathematics, dimension: int) -> None:
    def fitted(data: np.ndarray) -> np.ndarray:
        model = models.StandardScaler(epsilon=1, bounds=(0, SIDE[dimension])).fit(data)
        return np.concatenate([model.mean_, model.var_])

    assert not audited_mathematics(many(fitted), ends(dimension), epsilon=1, training=100, confirmation=1000).violated


@pytest.mark.filterwarnings("ignore:scipy.optimize. The `disp`:DeprecationWarning")
@pytest.mark.parametrize("intercept", [False, True])
def test_logistic_regression_keeps_its_promise(audited_mathematics, intercept: bool) -> None:
    labels = np.array([0, 1, 0, 1])

    def fitted(data: np.ndarray) -> np.ndarray:
        model = models.LogisticRegression(epsilon=1, data_norm=1.0, fit_intercept=intercept).fit(data, labels)
        return np.concatenate([model.coef_.ravel(), model.intercept_])

    axes = np.array([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5]])
    pair = NeighbouringPair("opposite records", REPLACE, np.vstack([axes, [[1, 0]]]), np.vstack([axes, [[-1, 0]]]))
    assert not audited_mathematics(many(fitted), [pair], epsilon=1, training=100, confirmation=600).violated


def test_linear_regression_publishes_squares_without_noise(audited_mathematics) -> None:
    """All targets are zero: the slope is noise over the sum of squares, which is 0.01 or 1.01 and has none.

    With Laplace noise of scale b, |slope| > 0.056 b/0.01 has probability 0.945 and 0.0034: delta is 0.936 at epsilon 1.
    Thresholds that are up to half off cost 0.1 of it, and the bounds of 4,000 outputs another 0.1. That is of this
    pair; with 0.001 in place of 0.1 it is 0.99998. A record at one that is added gives the same sums.
    """

    def fitted(data: np.ndarray) -> np.ndarray:
        model = models.LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
        return np.abs(model.fit(data, np.zeros(len(data))).coef_)

    pair = NeighbouringPair("a record at zero or at one", REPLACE, [[0.1], [0.0]], [[0.1], [1.0]])
    cause = "models/linear_regression.py:144, the lower bound twice: no noise on a diagonal of squares (IBM 105)"
    result = audited_mathematics(many(fitted), [pair], epsilon=1, training=1000, confirmation=4000, cause=cause)
    assert result.delta_lower_bound_at_epsilon > 0.7


def test_exact_loss_of_the_pair() -> None:
    """The slope is Laplace noise, of a scale that is 101, or 1.001 ** 2 / 0.001 ** 2, times as large on one side."""
    for ratio, delta in ((1.01 / 0.01, 0.93604), ((1 + 1e-6) / 1e-6, 0.99998)):
        threshold = math.log(math.e * ratio) / (ratio - 1)
        assert math.exp(-threshold) - math.e * math.exp(-ratio * threshold) == pytest.approx(delta, abs=1e-5)


def test_linear_regression_with_intercept_spends_more_than_it_says(record_property, monkeypatch) -> None:
    """Three features: a quarter of epsilon on either mean, and three quarters on the rest."""
    spent = []

    def watched(function, name: str):
        def call(*arguments, epsilon: float, **named):
            spent.append((name, epsilon))
            return function(*arguments, epsilon=epsilon, **named)

        monkeypatch.setattr(linear_regression, name, call)

    watched(linear_regression.mean, "mean")
    watched(linear_regression._construct_regression_obj, "_construct_regression_obj")
    accountant = BudgetAccountant()
    model = models.LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 1), accountant=accountant)
    model.fit(np.eye(4, 3), np.zeros(4))
    assert spent == [("mean", 0.25), ("mean", 0.25), ("_construct_regression_obj", 0.75)]
    total = sum(epsilon for _, epsilon in spent)
    assert (total, accountant.total()[0]) == (1.25, 1)
    cause = "models/linear_regression.py:296, one part of epsilon for two means (IBM 104)"
    record_property("tried", f"ACCOUNTING: claimed 1, 0; {total} is spent with an intercept at d = 3; cause: {cause}")


def test_linear_regression_without_intercept_clips_nothing(audited_mathematics) -> None:
    """A record outside of the declared bounds, which with an intercept is clipped to them."""

    def fitted(data: np.ndarray) -> np.ndarray:
        model = models.LinearRegression(epsilon=1, bounds_X=(0.001, 0.002), bounds_y=(0, 1), fit_intercept=False)
        return np.abs(model.fit(data, np.zeros(len(data))).coef_)

    pair = NeighbouringPair("a record inside or outside of the bounds", REPLACE, [[0.001], [0.001]], [[0.001], [1.0]])
    cause = "models/linear_regression.py:83, records are clipped with an intercept alone"
    result = audited_mathematics(many(fitted), [pair], epsilon=1, training=100, confirmation=1000, cause=cause)
    assert result.delta_lower_bound_at_epsilon > 0.5


@pytest.mark.parametrize(("published", "certified"), [("class_count_", 0.8), ("theta_", 0.25)])
def test_naive_bayes_tells_whether_a_class_occurs(audited_mathematics, published: str, certified: float) -> None:
    """What is looked at is which of the published numbers are exactly zero.

    The mean of a class of one record is truncated to zero in about half of the fits, that of none in all.
    """

    def fitted(data: np.ndarray) -> np.ndarray:
        model = models.GaussianNB(epsilon=1, bounds=(0, 1))
        model.partial_fit(data[:, :1], (2 * data[:, 1]).astype(int), classes=[0, 1])
        return np.ravel(getattr(model, published) == 0)

    rest = np.array([[0.1, 0.0], [0.2, 0.0]])
    pair = NeighbouringPair("a label", REPLACE, np.vstack([rest, [[0.8, 0]]]), np.vstack([rest, [[0.8, 0.5]]]))
    cause = "models/naive_bayes.py:166, classes that do not occur are left out"
    result = audited_mathematics(many(fitted), [pair], epsilon=1, training=50, confirmation=500, cause=cause)
    assert result.delta_lower_bound_at_epsilon > certified


def test_k_means_publishes_an_exact_sum_of_squares(audited_mathematics) -> None:
    """Whoever knows all but one record computes the sum for either data set from the published centres."""
    rest = np.array([[0.1], [0.3], [0.7]])
    pair = NeighbouringPair("a record for another", REPLACE, np.vstack([rest, [[0.9]]]), np.vstack([rest, [[0.8]]]))

    def surprise(data: np.ndarray) -> float:
        """Return how far the published sum is from that of the first data set."""
        model = models.KMeans(n_clusters=2, epsilon=1, bounds=(0, 1)).fit(data)
        distances = (pair.data - model.cluster_centers_.T) ** 2
        return abs(model.inertia_ - distances.min(axis=1).sum())

    cause = "models/k_means.py:167, inertia_ is computed from the records"
    result = audited_mathematics(many(surprise), [pair], epsilon=1, training=50, confirmation=500, cause=cause)
    assert result.delta_lower_bound_at_epsilon > 0.8


def test_k_means_publishes_the_exact_label_of_every_record(audited_mathematics) -> None:
    """The last label is that of 0.99 on the first data set, and where a centre is nearer to 0.01 it is not."""
    rest = np.array([[0.1], [0.3], [0.7]])
    pair = NeighbouringPair("an end for the other", REPLACE, np.vstack([rest, [[0.99]]]), np.vstack([rest, [[0.01]]]))

    def surprise(data: np.ndarray) -> bool:
        """Tell whether the last label is another than that of the last record of the first data set."""
        model = models.KMeans(n_clusters=2, epsilon=1, bounds=(0, 1)).fit(data)
        return model.labels_[-1] != np.argmin(np.abs(model.cluster_centers_[:, 0] - pair.data[-1, 0]))

    cause = "models/k_means.py:166, labels_ is computed from the records"
    result = audited_mathematics(many(surprise), [pair], epsilon=1, training=50, confirmation=500, cause=cause)
    assert result.delta_lower_bound_at_epsilon > 0.5
