"""A private mean out of the same release: what is released, what is read from it, and how large its error is."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget
from dpmatrix.estimators.centring import Centring
from dpmatrix.estimators.expected_error import ExpectedError
from dpmatrix.mechanisms import project_psd
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.noise_sizes import NoiseSize
from dpmatrix.mechanisms.records import bounded_records
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

D = 4
POINT = np.array([0.5, 0, -1, 2])
RECORDS = np.random.default_rng(3).uniform(-0.5, 0.5, (50, D)) + np.array([1.5, 0.5, -1, 2])
GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")


def deltas(mechanism: str) -> dict[str, object]:
    return {"delta": Fraction(1, 10**6)} if mechanism in GAUSSIAN else {}


def fits(estimator, data, seeds=range(200)):
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield clone(estimator).set_params(random_state=seed).fit(data)


@pytest.mark.parametrize("mechanism", MATRICES)
@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_the_release_is_that_of_records_with_a_constant(mechanism: str) -> None:
    options = {"epsilon": 2, "mechanism": mechanism, **deltas(mechanism)}
    fitted = DPSecondMoment(data_norm=2, mean=POINT, centred=True, random_state=5, **options).fit(RECORDS)
    centring = Centring.of(Fraction(2), D)
    extended = np.column_stack([RECORDS - POINT, np.full(len(RECORDS), centring.constant)])
    public = {"epsilon": 2, "adjacency": Adjacency.REPLACE_ONE, "norm_bound": centring.norm_bound()}
    release = MATRICES[mechanism](**public, **deltas(mechanism)).release(extended, entropy=SeededEntropy(5))
    assert fitted.release_ == release
    moments = release.to_numpy()
    mean = moments[-1, :-1] / centring.constant
    assert np.array_equal(fitted.mean_, POINT + mean)
    assert np.array_equal(fitted.second_moment_, moments[:-1, :-1])
    assert np.array_equal(fitted.covariance_, project_psd(moments[:-1, :-1] - np.outer(mean, mean)))
    model = DPPCA(2, data_norm=2, mean=POINT, centred=True, random_state=5, **options).fit(RECORDS)
    values, vectors = np.linalg.eigh(moments[:-1, :-1] - np.outer(mean, mean))
    assert np.allclose(model.explained_variance_, np.maximum(values[:1:-1], 0))
    assert np.allclose(np.abs(np.sum(model.components_ * vectors[:, :1:-1].T, axis=1)), 1)
    assert np.all(np.take_along_axis(model.components_, np.abs(model.components_).argmax(1)[:, None], 1) > 0)
    assert np.array_equal(model.mean_, fitted.mean_)
    assert np.allclose(model.singular_values_, np.sqrt(50 * model.explained_variance_))


@given(
    norm=st.fractions(Fraction(1, 1000), 1000) | st.sampled_from([Fraction(1, 2**400), Fraction(2**400), Fraction(1)]),
    dimension=st.integers(1, 2000),
)
def test_no_longer_record_exceeds_the_bound_and_the_constant_is_kept(norm: Fraction, dimension: int) -> None:
    centring = Centring.of(norm, dimension)
    constant, bound = Fraction(centring.constant), centring.norm_bound()
    assert norm**2 + constant**2 <= bound**2 <= (norm**2 + constant**2) * (1 + Fraction(1, 2**17))
    assert bound**2 <= Fraction(163, 100) * norm**2
    numerator = constant.numerator // (constant.numerator & -constant.numerator)
    assert numerator.bit_length() <= 8, "its last digit is above the grid of the records"
    share = float((constant / norm) ** 2)
    assert share == pytest.approx(2 / (1 + math.sqrt(1 + 4 * dimension)), rel=2**-6)


def test_the_constant_and_the_bound_of_three_columns_by_hand() -> None:
    """The square of the share is 2 / (1 + 13**(1/2)); 169/64 has eight digits, and the root twenty below the bound."""
    centring = Centring.of(Fraction(4), 3)
    assert centring.constant == 169 / 64
    assert centring.norm_bound() == Fraction(628229, 2**17)


def test_a_root_just_above_a_whole_number_of_units_is_rounded_up() -> None:
    constant, unit = Fraction(Centring.of(Fraction(5), 3).constant), Fraction(1, 2**17)
    whole = math.isqrt(math.floor((25 + constant**2) / unit**2))
    scaled = ((whole * unit) ** 2 - constant**2) * 2**200
    centring = Centring.of(Fraction(math.isqrt(math.ceil(scaled)) + 1, 2**100), 3)
    assert Fraction(centring.constant) == constant
    assert 0 < centring.bound**2 + constant**2 - (whole * unit) ** 2 < unit**2
    assert centring.norm_bound() == (whole + 1) * unit


def test_without_a_mean_nothing_is_added_to_the_error() -> None:
    said = DPSecondMoment(epsilon=1).expected_error(50, D)
    assert ExpectedError(said.off_diagonal, said.diagonal, said.frobenius, said.largest, None, D).centring == 0
    size = NoiseSize(*(Fraction(value) for value in (said.off_diagonal, said.diagonal, said.frobenius)))
    assert ExpectedError.of(size, said.largest, None, D) == said


@pytest.mark.parametrize("dimension", [1, 2, 7, 100])
def test_the_constant_makes_the_worst_error_least(dimension: int) -> None:
    def error(share: float) -> float:
        return (1 + share) ** 2 * (dimension**2 + 2 * dimension / share)

    best = 2 / (1 + math.sqrt(1 + 4 * dimension))
    assert all(error(best) <= error(best * factor) for factor in (0.5, 0.99, 1.01, 2))


@pytest.mark.parametrize("dimension", [1, 3, 20])
def test_records_are_shortened_before_the_constant_is_put_beside_them(dimension: int) -> None:
    points = np.random.default_rng(2).standard_normal((200, dimension)) * np.linspace(0, 3, 200)[:, None]
    points[5, 0] = 1e300
    centring = Centring.of(Fraction(5, 4), dimension)
    extended = centring.extend(points, "clip")
    assert np.array_equal(extended[:, :-1], bounded_records(points, Fraction(5, 4), "clip"))
    assert np.all(extended[:, -1] == centring.constant)
    assert np.array_equal(bounded_records(extended, centring.norm_bound(), "reject"), extended)
    with pytest.raises(InvalidParameterError, match="longer than norm_bound = 5/4"):
        centring.extend(points, "reject")


@pytest.mark.parametrize("mechanism", ["symmetrised-wishart", "laplace", "gaussian-orthogonal"])
def test_mean_and_moments_are_without_bias_and_err_as_is_said(mechanism: str) -> None:
    """Two hundred fits with known bits: the same numbers in every run."""
    far = RECORDS - RECORDS.mean(axis=0) + np.array([1, 1, 0, 0])
    model = DPSecondMoment(epsilon=8, data_norm=2, centred=True, mechanism=mechanism, **deltas(mechanism))
    said, centring = model.expected_error(50, D), Centring.of(Fraction(2), D)
    fitted = list(fits(model, far))
    means = np.array([fit.mean_ for fit in fitted]) - far.mean(axis=0)
    deviation = said.off_diagonal / centring.constant
    assert np.all(np.abs(means.mean(axis=0)) < 4 * deviation / math.sqrt(200))
    assert 0.9 < means.std() / deviation < 1.1
    moments = np.array([fit.second_moment_ for fit in fitted])
    assert np.all(np.abs(moments.mean(axis=0) - far.T @ far / 50) < 4.5 * said.diagonal / math.sqrt(200))
    published = np.array([fit.release_.to_numpy() for fit in fitted])
    extended = centring.extend(far, "reject")
    noise = np.sqrt(((published - extended.T @ extended / 50) ** 2).sum(axis=(1, 2)).mean())
    assert 0.9 < noise / said.frobenius < 1.1
    truth = np.cov(far.T, bias=True)
    raw = [moment - np.outer(*[fit.mean_] * 2) for moment, fit in zip(moments, fitted, strict=True)]
    error = np.mean([np.linalg.norm(one - truth) for one in raw])
    assert 0.6 * said.frobenius < error < said.error
    assert said.error == said.frobenius + said.centring
    assert said.centring == pytest.approx(2 * 2 * math.sqrt(D) * deviation + D * deviation**2)
    assert said.largest == 4
    assert model.expected_error(50, D).lost is None


@pytest.mark.parametrize("rank", [1, 3])
def test_components_about_the_mean_lose_no_more_than_is_said(rank: int) -> None:
    data = np.random.default_rng(5).standard_normal((2000, D)) * np.array([0.3, 0.2, 0.1, 0.05]) + 0.4
    data /= np.maximum(1, np.linalg.norm(data, axis=1))[:, None]
    truth, model = np.cov(data.T, bias=True), DPPCA(rank, epsilon=2, centred=True)
    said, best = model.expected_error(2000, D), np.linalg.eigvalsh(truth)[::-1][:rank].sum()
    lost = [best - np.trace(fit.components_ @ truth @ fit.components_.T) for fit in fits(model, data, range(50))]
    assert np.mean(lost) <= said.lost == pytest.approx(math.sqrt(2 * min(rank, D - rank)) * said.error)
    plain = [
        best - np.trace(fit.components_ @ truth @ fit.components_.T)
        for fit in fits(DPPCA(rank, epsilon=2), data, range(50))
    ]
    assert rank > 1 or np.mean(lost) < 0.5 * np.mean(plain), "about the origin the first direction is that of the mean"


def test_noise_that_exceeds_the_matrix_is_told_with_what_centring_adds() -> None:
    model = DPSecondMoment(epsilon=1, centred=True)
    verdicts = {n: model.expected_error(n, D) for n in (20, 30, 40, 60, 200)}
    assert any(one.frobenius < one.largest <= one.error and one.noise_exceeds_matrix for one in verdicts.values())
    assert not verdicts[200].noise_exceeds_matrix


def test_a_centred_fit_costs_what_another_costs() -> None:
    budget = PrivacyBudget(epsilon=2)
    model = DPPCA(2, epsilon=1, data_norm=3, centred=True, budget=budget).fit(RECORDS)
    assert budget.epsilon_spent == 1
    assert model.guarantee_.epsilon == 1
    assert model.guarantee_.delta == 0
    assert model.expense_.data_norm == Centring.of(Fraction(3), D).norm_bound()
    with pytest.raises(InvalidParameterError, match="longer"):
        DPPCA(2, epsilon=1, data_norm=3, centred=True, over_norm="reject", budget=budget).fit(10 * RECORDS)
    assert budget.epsilon_spent == 1


def test_what_is_computed_afterwards_is_about_the_published_mean() -> None:
    model = DPPCA(2, epsilon=5, data_norm=3, centred=True).fit(RECORDS)
    assert np.allclose(model.transform(model.mean_[None]), 0)
    assert np.allclose(model.inverse_transform(np.zeros((1, 2)))[0], model.mean_)
    assert np.isfinite(DPPCA(1, epsilon=1000, data_norm=3, centred=True).fit(RECORDS).score(RECORDS))
    pipeline = make_pipeline(model, LogisticRegression()).fit(RECORDS, RECORDS[:, 0] > 1.5)
    assert pipeline[0].mean_.shape == (D,)


def test_a_choice_counts_the_constant_column() -> None:
    with_it = DPSecondMoment(mechanism="auto", centred=True).fit(np.zeros((10, 8)))
    assert with_it.choice_.dimension == 9
    assert "k-norm" in with_it.choice_.left_out
    assert DPSecondMoment(mechanism="auto").fit(np.zeros((10, 8))).choice_.dimension == 8


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"centred": "yes"}, "centred"),
        ({"centred": 1}, "centred"),
        ({"adjacency": "add-remove-one"}, "centred"),
        ({"data_norm": 2**401}, "norm_bound"),
        ({"data_norm": Fraction(1, 2**401)}, "norm_bound"),
        *(({"mechanism": name}, "centred") for name in DIRECTIONS),
    ],
)
def test_what_cannot_be_centred_is_refused_before_anything_is_spent(options, parameter) -> None:
    budget = PrivacyBudget(epsilon=2, adjacency=options.get("adjacency", "replace-one"))
    model = DPPCA(**{"centred": True, "budget": budget, **options})
    for call in (lambda: model.fit(RECORDS), lambda: model.expected_error(50, D)):
        with pytest.raises(InvalidParameterError) as caught:
            call()
        assert caught.value.parameter == parameter
    assert budget.epsilon_spent == 0


def test_a_divisor_is_refused() -> None:
    model = DPSecondMoment(centred=True, divisor=50)
    for call in (lambda: model.fit(RECORDS), lambda: model.expected_error(50, D)):
        with pytest.raises(InvalidParameterError, match="divisor is given"):
            call()


def test_a_truth_value_of_numpy_is_one() -> None:
    assert DPSecondMoment(data_norm=3, centred=np.bool_(True)).fit(RECORDS).release_.integers.shape == (D + 1, D + 1)
