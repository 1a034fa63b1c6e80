"""What is said of the noise before a release, against releases with known bits: the same numbers in every run."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget, base

N, D = 60, 5
SEEDS = range(200)
DELTA = {"gaussian": 1e-6, "gaussian-orthogonal": 1e-6, "mod-sulq": 1e-6}
MATRICES = ("symmetrised-wishart", "laplace", "gaussian", "gaussian-orthogonal", "mod-sulq")


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


def test_what_is_lost_is_as_the_formula_has_it() -> None:
    """The root of 2 min(k, d - k) noises, of five features."""
    for rank, square in ((1, 2), (2, 4), (3, 4), (4, 2)):
        said = DPPCA(rank).expected_error(N, D)
        assert said.lost == pytest.approx(np.sqrt(square) * said.frobenius, rel=1e-12)


@pytest.mark.parametrize("mechanism", [*MATRICES, "k-norm"])
def test_one_feature_has_nothing_off_the_diagonal(mechanism: str) -> None:
    said = DPSecondMoment(mechanism=mechanism, delta=DELTA.get(mechanism, 0)).expected_error(N, 1)
    assert said.off_diagonal == 0
    assert said.frobenius == pytest.approx(said.diagonal, rel=1e-12)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove-one"])
@pytest.mark.parametrize("mechanism", MATRICES)
def test_a_divisor_takes_the_place_of_the_number_of_records(mechanism: str, adjacency: str) -> None:
    """The noise is that of seven records; what the matrix can be is that of sixty over seven."""
    options: dict[str, Any] = {"mechanism": mechanism, "delta": DELTA.get(mechanism, 0), "data_norm": 2}
    said = DPSecondMoment(divisor=7, adjacency=adjacency, **options).expected_error(N, D)
    assert said.largest == pytest.approx(4 * N / 7, rel=1e-12)
    assert (said.n_components, said.n_features) == (None, D)
    whole = DPSecondMoment(adjacency=adjacency, **options).expected_error(7, D)
    ratio = 1 if adjacency == "replace-one" else 7
    for name in ("off_diagonal", "diagonal", "frobenius"):
        assert ratio * getattr(said, name) == pytest.approx(getattr(whole, name), rel=1e-12)


@pytest.mark.parametrize("mechanism", MATRICES)
def test_the_number_of_components_changes_no_noise(mechanism: str) -> None:
    options: dict[str, Any] = {"mechanism": mechanism, "delta": DELTA.get(mechanism, 0)}
    whole = DPSecondMoment(**options).expected_error(N, D)
    for rank in (1, 3):
        assert DPPCA(rank, **options).expected_error(N, D) == attrs.evolve(whole, n_components=rank)


def test_noise_of_no_known_size_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "noise_size", lambda *_: None)
    with pytest.raises(TypeError, match="no size of the noise of Laplace input perturbation"):
        DPPCA(mechanism="laplace").expected_error(N, D)


def test_noise_as_large_as_the_matrix_exceeds_it() -> None:
    said = DPPCA(2).expected_error(N, D)
    for size, exceeds in ((1.0, True), (math.nextafter(1, 0), False)):
        assert attrs.evolve(said, frobenius=size, largest=1.0).noise_exceeds_matrix is exceeds


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
    "model",
    [
        DPPCA(adjacency="add-remove-one"),
        DPPCA(mechanism="gaussian", delta=1e-6),
        DPSecondMoment(mechanism="laplace"),
        DPSecondMoment(divisor=3),
    ],
)
def test_an_error_beyond_the_floats_is_refused_without_the_number(model):
    with pytest.raises(InvalidParameterError) as caught:
        model.expected_error(987654 * 10**400, D)
    assert caught.value.parameter == "n"
    assert "cannot be written as a float" in str(caught.value)
    assert "98765" not in str(caught.value)
    assert model.expected_error(987654, D).frobenius > 0


def test_noise_beyond_the_floats_is_refused():
    with pytest.raises(InvalidParameterError, match="cannot be written as a float"):
        DPPCA(epsilon=Fraction(1, 2**300), data_norm=2**400).expected_error(N, D)


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
