"""What scikit-learn's PCA has beside components, where it means something of a private release."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment

N, D = 400, 6
MODEL = ("get_covariance", "score_samples", "score")


def records() -> np.ndarray:
    drawn = np.random.default_rng(11).standard_normal((N, D)) * np.array([4, 3, 2, 1, 1, 1])
    drawn -= drawn.mean(axis=0)
    return drawn / np.linalg.norm(drawn, axis=1).max()


def fitted(*arguments, data=None, **options) -> DPPCA:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DPPCA(*arguments, random_state=5, **options).fit(records() if data is None else data)


def test_none_is_as_many_components_as_there_are_features():
    every, six = fitted(None), fitted(D)
    assert every.n_components_ == D
    assert np.array_equal(every.components_, six.components_)
    assert every.noise_variance_ == 0


@pytest.mark.parametrize("mechanism", ["ppca", "sequential-ppca"])
def test_none_is_refused_where_every_direction_is_drawn(mechanism):
    with pytest.raises(InvalidParameterError, match="pass a number"):
        fitted(None, mechanism=mechanism)


@pytest.mark.parametrize("share", [0.5, 0.95, "mle"])
def test_numbers_of_components_that_the_noise_would_choose_are_refused(share):
    with pytest.raises(InvalidParameterError, match="hold the noise"):
        fitted(share)


@pytest.mark.parametrize("number", [0.0, 1.0, 1.5])
def test_a_float_that_is_no_share_is_no_number_of_components(number: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"^n_components: .* is not an integer of at least 1"):
        fitted(number)


def test_none_is_one_of_one_feature() -> None:
    assert fitted(None, data=records()[:, :1]).n_components_ == 1


@pytest.mark.parametrize(("adjacency", "divisor"), [("replace-one", N), ("add-remove-one", 1)])
def test_singular_values_are_those_of_the_published_matrix(adjacency, divisor):
    model = fitted(3, adjacency=adjacency)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moment = DPSecondMoment(adjacency=adjacency, random_state=5).fit(records()).second_moment_
    published = np.linalg.eigvalsh(moment * divisor)[::-1][:3]
    assert np.allclose(model.singular_values_**2, np.maximum(published, 0))


def test_the_noise_variance_is_the_mean_of_what_is_left_out():
    assert fitted(2).noise_variance_ == pytest.approx(fitted(None).explained_variance_[2:].mean())


def test_directions_alone_have_no_variances():
    model = fitted(1, mechanism="ppca")
    assert model.singular_values_ is None
    assert model.noise_variance_ is None
    assert not any(hasattr(model, name) for name in MODEL)


def test_the_model_with_all_components_is_the_published_covariance():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        covariance = DPSecondMoment(random_state=5).fit(records()).covariance_
    assert np.allclose(fitted(None).get_covariance(), covariance)


def test_scores_are_densities_of_the_published_model():
    model, data = fitted(2, epsilon=20), records()
    law = multivariate_normal(model.mean_, model.get_covariance())
    assert np.allclose(model.score_samples(data), law.logpdf(data))
    assert model.score(data) == pytest.approx(law.logpdf(data).mean())


def test_scores_are_about_the_public_point() -> None:
    point = np.array([0.1, -0.2, 0.05, 0.0, 0.3, 0.0])
    model, data = fitted(2, epsilon=20, mean=point), records()
    law = multivariate_normal(point, model.get_covariance())
    assert np.allclose(model.score_samples(data), law.logpdf(data))


def test_a_score_of_other_features_is_refused_and_changes_nothing() -> None:
    model = fitted(2, epsilon=20)
    with pytest.raises(ValueError, match="7 features, but DPPCA is expecting 6"):
        model.score_samples(np.zeros((1, D + 1)))
    assert model.n_features_in_ == D


def with_variances(*variances: float) -> DPPCA:
    """Return a model that has these variances along the axes, exactly."""
    size = len(variances)
    model = fitted(None, data=records()[:, :size])
    model.components_, model.explained_variance_ = np.eye(size), np.array(variances)
    return model


@pytest.mark.parametrize(
    "variances",
    [(1.0, 1e-12), (1.0, 1.0, 1e-13), (1.0, 1e-6, 1e-13), (1e-6, 1e-19), (4.0, 3e-12), (1.0, 0.0), (0.0, 0.0)],
)
def test_a_variance_that_is_zero_up_to_rounding_leaves_no_density(variances: tuple[float, ...]) -> None:
    """The least one, at most a trillionth of the greatest."""
    with pytest.raises(InvalidParameterError, match="zero in some direction"):
        with_variances(*variances).score_samples(np.zeros((1, len(variances))))


@pytest.mark.parametrize("variances", [(1.0, np.nextafter(1e-12, 1)), (1.0, 1.5e-12), (1e-6, 1e-13), (3e-13,)])
def test_a_variance_above_that_leaves_one(variances: tuple[float, ...]) -> None:
    found = with_variances(*variances).score_samples(np.zeros((1, len(variances))))
    assert found == pytest.approx(-0.5 * np.log(2 * np.pi * np.array(variances)).sum(), rel=1e-9)


def test_without_noise_the_score_is_that_of_scikit_learn():
    data = records()
    ours, theirs = fitted(2, epsilon=10**6).score(data), PCA(2).fit(data).score(data)
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert fitted(2, epsilon=1).score(data) < ours - 1e-2  # a control: noise makes the model worse


def test_a_model_without_density_has_no_score():
    with pytest.raises(InvalidParameterError, match="no density"):
        fitted(None, epsilon=0.01).score(records())


def test_a_secret_number_of_records_has_no_model():
    model = fitted(2, adjacency="add-remove-one")
    assert model.noise_variance_ is not None
    assert not any(hasattr(model, name) for name in MODEL)


def test_nothing_is_scored_before_a_fit():
    with pytest.raises(NotFittedError):
        DPPCA().score(records())


def test_there_is_no_whitening():
    with pytest.raises(TypeError):
        DPPCA(2, whiten=True)
