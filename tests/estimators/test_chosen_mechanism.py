"""Estimators with ``mechanism="auto"``: they release what was chosen, and no record has a part in the choice."""

from __future__ import annotations

import inspect
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget
from dpmatrix.mechanisms import CoupledTracesMechanism, GaussianOrthogonal, KNormMechanism, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.choice import resolve
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES, Settings
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

BOTH = [adjacency.value for adjacency in Adjacency]
KINDS = (DPSecondMoment, DPPCA)
EPSILON, BOUND = Fraction(1, 2), 2
CASES = {
    (3, 0.0, "replace-one"): KNormMechanism,
    (12, 0.0, "replace-one"): CoupledTracesMechanism,
    (12, 0.0, "add-remove-one"): SymmetrisedWishartMechanism,
    (30, 1e-3, "replace-one"): GaussianOrthogonal,
    (30, 1e-3, "add-remove-one"): GaussianOrthogonal,
}
NAMES = {maker: name for name, maker in MATRICES.items()}


def records(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (n, d))


def asked(delta: float, adjacency: str, **more: Any) -> dict[str, Any]:
    return {
        "epsilon": EPSILON,
        "delta": delta,
        "data_norm": BOUND,
        "adjacency": adjacency,
        "mechanism": "auto",
        **more,
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("case", "maker"), CASES.items())
@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_a_fit_releases_what_was_chosen(kind: type, case: tuple[int, float, str], maker: type) -> None:
    """Its noise and its guarantee, the digits of its records, and its divisor."""
    d, delta, adjacency = case
    data = 3 * records(40, d)
    more: dict[str, Any] = {}
    if maker is GaussianOrthogonal:
        bits = SymmetrisedWishartMechanism(1, norm_bound=BOUND).coordinate_bits
        more = {"delta": Fraction(1, 1000), "coordinate_bits": bits}
    built = maker(EPSILON, Adjacency(adjacency), norm_bound=BOUND, **more)
    fit = kind(**asked(delta, adjacency, random_state=3)).fit(data)
    assert fit.release_ == built.release(data, entropy=SeededEntropy(3))
    assert (fit.mechanism_, fit.choice_.mechanism) == (NAMES[maker],) * 2
    assert fit.mechanism == "auto", "parameters stay as they were given"
    private = kind(**asked(delta, adjacency)).fit(data)
    assert private.guarantee_ == private.expense_.guarantee == built.guarantee
    assert private.expense_.mechanism == maker.name
    assert private.guarantee_.delta == (Fraction(1, 1000) if maker is GaussianOrthogonal else 0)
    if kind is DPPCA:
        assert private.explained_variance_ is not None
        assert private.components_.shape == (1, d)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(("d", "delta"), [(2, 0.0), (8, 0.0), (9, 1e-6), (40, 1e-6)])
def test_the_choice_is_the_same_for_all_records_of_a_shape(kind: type, adjacency: str, d: int, delta: float) -> None:
    """And for every number of records: under add-remove-one that is a secret, and no record is one too."""
    sets = [records(30, d), 9 * records(30, d, 1), np.zeros((30, d)), records(1, d), records(300, d)]
    if adjacency == "add-remove-one":
        sets.append(np.zeros((0, d)))
    fits = [kind(**asked(delta, adjacency)).fit(data) for data in sets]
    assert all(fit.choice_ == fits[0].choice_ for fit in fits)
    assert {fit.mechanism_ for fit in fits} == {fits[0].choice_.mechanism}
    settings = Settings(
        mechanism="auto",
        calibration="tight",
        delta=Fraction(str(delta)),
        public={"epsilon": EPSILON, "adjacency": Adjacency(adjacency), "norm_bound": BOUND, "over_norm": "clip"},
    )
    assert fits[0].choice_ == resolve(settings, d)[1]


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(("d", "delta"), [(1, 0.0), (4, 0.0), (8, 1e-6), (40, 1e-6)])
def test_the_expected_error_is_that_of_the_chosen_and_the_least(adjacency: str, d: int, delta: float) -> None:
    """Of those that are compared; of a fixed divisor as well."""
    gaussian = ("gaussian", "gaussian-orthogonal", "mod-sulq")
    compared = [
        name for name in MATRICES if (delta or name not in gaussian) and (name not in ("k-norm", "staircase") or d < 8)
    ]
    for divisor in (None, 7):
        sizes = {}
        for name in (*compared, "auto"):
            public = asked(0 if name not in (*gaussian, "auto") else delta, adjacency, mechanism=name, divisor=divisor)
            sizes[name] = DPSecondMoment(**public).expected_error(1000, d).frobenius
        chosen = DPSecondMoment(**asked(delta, adjacency)).fit(records(5, d)).mechanism_
        assert sizes["auto"] == pytest.approx(sizes[chosen], rel=1e-2), "least noise is sought for to a hundredth"
        assert sizes["auto"] <= min(sizes.values()) * 1.01
    assert DPPCA(**asked(delta, adjacency)).expected_error(1000, d).frobenius == pytest.approx(
        DPSecondMoment(**asked(delta, adjacency)).expected_error(1000, d).frobenius, rel=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_chosen_is_refused_before_a_record_is_read(kind: type) -> None:
    unread: Any = object()
    with pytest.raises(InvalidParameterError, match=r"^calibration: 'printed' is no choice"):
        kind(mechanism="auto", calibration="printed").fit(unread)
    with pytest.raises(InvalidParameterError, match=r"^delta: "):
        kind(mechanism="auto", delta=1.5).fit(unread)
    with pytest.raises(InvalidParameterError, match=r"^epsilon: "):
        kind(mechanism="auto", epsilon=-1).fit(unread)
    with pytest.raises(InvalidParameterError, match=r"^calibration: "):
        kind(mechanism="auto", calibration="printed").expected_error(10, 3)


def test_more_components_than_features_are_refused_before_a_choice() -> None:
    model = DPPCA(4, mechanism="auto")
    with pytest.raises(InvalidParameterError, match=r"^n_components: 4 exceeds"):
        model.fit(records(9, 3))
    assert not hasattr(model, "choice_")


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_pays_the_guarantee_of_what_was_chosen(kind: type) -> None:
    """A pure one costs no delta, though one was allowed."""
    for d, spent in ((2, Fraction(0)), (30, Fraction(1, 1000))):
        budget = PrivacyBudget(1, Fraction(1, 1000))
        kind(**asked(1e-3, "replace-one", budget=budget)).fit(records(20, d))
        assert (budget.epsilon_spent, budget.delta_spent) == (EPSILON, spent)


@pytest.mark.parametrize("name", [*MATRICES, *DIRECTIONS])
def test_a_mechanism_that_is_named_was_not_chosen(name: str) -> None:
    delta = 1e-6 if name in ("gaussian", "gaussian-orthogonal", "mod-sulq") else 0.0
    for kind in KINDS if name in MATRICES else (DPPCA,):
        fit = kind(mechanism=name, delta=delta).fit(records(10, 3))
        assert (fit.mechanism_, fit.choice_) == (name, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_choice_is_saved_and_not_cloned(kind: type) -> None:
    fit = kind(**asked(1e-3, "replace-one")).fit(records(10, 3))
    assert pickle.loads(pickle.dumps(fit)).choice_ == fit.choice_
    assert not hasattr(clone(fit), "choice_")
    assert clone(fit).get_params()["mechanism"] == "auto"


def test_the_model_of_what_was_chosen_has_densities_as_any_that_publishes_a_matrix() -> None:
    fit = DPPCA(2, **asked(0.0, "replace-one")).fit(records(5000, 4))
    assert fit.get_covariance().shape == (4, 4)
    assert DPPCA(None, **asked(0.0, "replace-one")).fit(records(10, 4)).n_components_ == 4


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_is_named(kind: type) -> None:
    assert inspect.signature(kind).parameters["mechanism"].default == "symmetrised-wishart"
