"""What is said of the noise before a release, against releases with known bits: the same numbers in every run."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget

N, D = 60, 5
SEEDS = range(200)
DELTA = {"gaussian": 1e-6, "mod-sulq": 1e-6}
MATRICES = ("symmetrised-wishart", "laplace", "gaussian", "mod-sulq")


def records(n: int = N) -> np.ndarray:
    """Return records of which some directions hold more than others, none longer than 1."""
    drawn = np.random.default_rng(7).standard_normal((n, D)) * np.array([3, 2, 1, 0.5, 0.5])
    return drawn / np.linalg.norm(drawn, axis=1).max()


def fits(estimator, data: np.ndarray, seeds=SEEDS):
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield estimator.set_params(random_state=seed).fit(data)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove-one"])
@pytest.mark.parametrize("mechanism", MATRICES)
def test_the_noise_is_as_large_as_is_said(mechanism, adjacency):
    model = DPSecondMoment(mechanism=mechanism, delta=DELTA.get(mechanism, 0), adjacency=adjacency, data_norm=2)
    said, zero = model.expected_error(N, D), np.zeros((N, D))
    noises = np.array([fit.second_moment_ for fit in fits(model, zero)])
    seen = np.sqrt((noises**2).sum(axis=(1, 2)).mean())
    assert 0.9 < seen / said.frobenius < 1.1
    beside = noises[:, *np.triu_indices(D, 1)]
    assert 0.9 < np.sqrt((beside**2).mean()) / said.off_diagonal < 1.1
    assert 0.85 < np.sqrt((np.diagonal(noises, axis1=1, axis2=2) ** 2).mean()) / said.diagonal < 1.15
    assert said.largest == (4 if adjacency == "replace-one" else 4 * N)
    assert said.lost is None


@pytest.mark.parametrize("n", [60, 2000])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_components_lose_and_variances_err_no_more_than_is_said(rank, n):
    data = records(n)
    moment = data.T @ data / n
    values = np.linalg.eigvalsh(moment)[::-1]
    model = DPPCA(rank, epsilon=2)
    said = model.expected_error(n, D)
    fitted = [(fit.components_, fit.explained_variance_) for fit in fits(model, data)]
    losses = [values[:rank].sum() - np.trace(rows @ moment @ rows.T) for rows, _ in fitted]
    assert 0 <= np.mean(losses) <= said.lost
    errors = np.array([found - values[:rank] for _, found in fitted])
    assert np.sqrt((errors**2).sum(axis=1).mean()) <= said.frobenius
    # a control: the numbers are not so large that they would be above anything; with a wide gap far less is lost
    assert np.mean(losses) > said.lost / (100 if n == N else 10_000)
    assert np.sqrt((errors**2).sum(axis=1).mean()) > said.frobenius / 20


def test_all_components_lose_nothing():
    assert DPPCA(None).expected_error(N, D).lost == 0


def test_noise_of_few_records_exceeds_the_matrix():
    assert DPPCA(2, epsilon=Fraction(1, 10)).expected_error(30, 20).noise_exceeds_matrix
    assert not DPPCA(2, epsilon=1).expected_error(100_000, 20).noise_exceeds_matrix


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_a_direction_may_stand_out_of_noise_that_exceeds_the_matrix():
    """Sixty equal records, at the seeds 0 to 9: the noise has 3.7 times the norm of the matrix.

    A random direction would have a squared cosine of 1/60 on average.
    """
    records = np.zeros((60, 60))
    records[:, 0] = 1
    found = [DPPCA(1, epsilon=3, random_state=seed).fit(records).components_[0, 0] ** 2 for seed in range(10)]
    error = DPPCA(1, epsilon=3).expected_error(60, 60)
    assert error.frobenius > 3.7 * np.linalg.norm(records.T @ records / 60)
    assert error.noise_exceeds_matrix
    assert np.mean(found) > 0.5


def test_a_look_ahead_costs_nothing():
    budget = PrivacyBudget(epsilon=1)
    model = DPPCA(budget=budget, epsilon=1)
    model.expected_error(N, D)
    assert budget.epsilon_spent == 0
    assert not hasattr(model, "release_")


@pytest.mark.parametrize(
    ("model", "n", "d"),
    [
        (DPPCA(mechanism="ppca"), N, D),
        (DPPCA(mechanism="sequential-ppca", n_components=2), N, D),
        (DPPCA(6), N, D),
        (DPPCA(), 0, D),
        (DPPCA(), N, 0),
        (DPSecondMoment(epsilon=-1), N, D),
        (DPSecondMoment(mechanism="gaussian"), N, D),
    ],
)
def test_what_has_no_such_error_is_refused(model, n, d):
    with pytest.raises(InvalidParameterError):
        model.expected_error(n, d)
