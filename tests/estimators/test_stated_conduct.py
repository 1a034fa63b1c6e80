"""Defaults, types, warnings and refusals of estimators and budgets, as their docstrings state them."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import pytest
from joblib.externals.loky.backend import reduction
from sklearn.exceptions import NotFittedError

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget, PrivacyWarning
from dpmatrix.estimators.budget import Expense, relation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

RECORDS = np.array([[0.5, 0.25], [-0.25, 0.5], [0.125, -0.5]])
PROMISE = PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)
SHARED: dict[str, Any] = {
    "epsilon": 1.0,
    "delta": 0.0,
    "data_norm": 1.0,
    "over_norm": "clip",
    "mechanism": "symmetrised-wishart",
    "calibration": "tight",
    "adjacency": "replace-one",
    "mean": None,
    "centred": False,
    "budget": None,
    "random_state": None,
}


def test_the_defaults() -> None:
    assert DPPCA().get_params() == {"n_components": 1, **SHARED}
    assert DPSecondMoment().get_params() == {"divisor": None, **SHARED}
    fitted = DPSecondMoment().fit(RECORDS)
    assert (fitted.guarantee_, fitted.expense_.data_norm) == (PROMISE, 1)
    assert DPPCA().fit(RECORDS).components_.shape == (1, 2)


def test_components_are_needed_to_transform() -> None:
    for method in (DPPCA().transform, DPPCA().inverse_transform):
        with pytest.raises(NotFittedError):
            method(RECORDS[:, :1])


def test_fit_sets_the_number_of_features_and_transform_keeps_it() -> None:
    fitted = DPPCA(2).fit(RECORDS)
    assert fitted.transform(RECORDS[:1]).shape == (1, 2)
    with pytest.raises(ValueError, match="3 features, but DPPCA is expecting 2"):
        fitted.transform(np.eye(3))
    assert (fitted.n_features_in_, fitted.components_.shape) == (2, (2, 2))
    assert (fitted.fit(np.eye(3)).n_features_in_, fitted.components_.shape) == (3, (2, 3))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble, np.int8, np.bool_])
@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_records_of_every_kind_are_read_as_floats(kind: type) -> None:
    data = np.array([[1, 0], [0, 1], [1, 1]], dtype=kind)
    fitted = DPPCA(2, random_state=1).fit(data)
    assert fitted.release_ == DPPCA(2, random_state=1).fit(data.astype(float)).release_
    for found, expected in (
        (fitted.transform(data), fitted.transform(data.astype(float))),
        (fitted.inverse_transform(data), fitted.inverse_transform(data.astype(float))),
    ):
        assert found.dtype == np.float64
        assert np.array_equal(found, expected)


def test_the_mean_is_kept_as_floats() -> None:
    for mean in ([1, -1], np.array([1, -1], dtype=np.longdouble), [Fraction(1), Fraction(-1)]):
        fitted = DPSecondMoment(mean=mean).fit(RECORDS)
        assert fitted.mean_.dtype == np.float64
        assert fitted.mean_.tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "wrong", [np.array([0.5, 0.5j]), [0.5, 0.5j], [0, 10**400], [0.5, "a"], [[0.5], [0.5, 0.5]], object()]
)
def test_a_mean_of_anything_but_real_numbers_is_refused(wrong: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidParameterError, match="mean: it is not a vector of real numbers"):
            DPSecondMoment(mean=wrong).fit(RECORDS)


class Asked(np.random.RandomState):
    """Generator that keeps the bounds of the integers that it was asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.bounds: list[int] = []

    def randint(self, bound: int) -> int:
        """Draw, and keep the bound."""
        self.bounds.append(bound)
        return int(super().randint(bound))


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_a_random_state_gives_one_seed_as_large_as_every_platform_draws() -> None:
    for seed in range(3):
        state = Asked(seed)
        fitted = DPSecondMoment(random_state=state).fit(RECORDS)
        assert state.bounds == [np.iinfo(np.int32).max]
        drawn = int(np.random.RandomState(seed).randint(np.iinfo(np.int32).max))
        assert fitted.release_ == DPSecondMoment(random_state=drawn).fit(RECORDS).release_
        assert fitted.release_.entropy == SeededEntropy(drawn).description


@pytest.mark.parametrize("make", [DPPCA, DPSecondMoment])
def test_every_warning_points_at_the_call_of_fit(make: type) -> None:
    """One of seeded bits, and one of the noise that the printed calibration wastes."""
    estimator = make(mechanism="laplace", calibration="printed", random_state=0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        estimator.fit(RECORDS)
    assert [(found.category, found.filename) for found in seen] == [(PrivacyWarning, __file__)] * 2


@pytest.mark.parametrize("make", [DPPCA, DPSecondMoment, PrivacyBudget])
def test_a_delta_that_is_none_is_named(make: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"^delta"):
        make(epsilon=1, delta="0.1").fit(RECORDS)


class Renamed(DPSecondMoment):
    """Estimator of a user."""


@pytest.mark.parametrize("dumps", [ForkingPickler.dumps, reduction.dumps])
def test_an_estimator_of_a_user_does_not_take_a_budget_to_a_worker(dumps: Any) -> None:
    """Neither to a process of multiprocessing nor to one of joblib; where it is saved, and once fitted, it may go."""

    # The rule is laid down where a class is made.
    class Local(DPSecondMoment):
        pass

    for make in (Renamed, Local):
        with pytest.raises(SingleUseError, match="worker process"):
            dumps(make(budget=PrivacyBudget(1)))
    fitted = Renamed(budget=PrivacyBudget(1)).fit(RECORDS)
    for goes in (Renamed(), fitted):
        assert type(pickle.loads(dumps(goes))) is Renamed
    assert pickle.loads(pickle.dumps(Renamed(budget=PrivacyBudget(1)))).budget.spent == ()


def test_a_budget_that_cannot_pay_is_refused_before_a_record_is_judged() -> None:
    """Otherwise the refusal would tell a record that is too long, at no expense."""
    dead = pickle.loads(pickle.dumps(PrivacyBudget(1)))
    with pytest.raises(SingleUseError, match="copy"):
        DPPCA(over_norm="reject", budget=dead).fit(3 * RECORDS)


def test_a_record_of_a_budget_is_whole_and_does_not_pay() -> None:
    for name in ("replace-one", "add-remove-one"):
        budget = PrivacyBudget(2, Fraction(1, 10), name)
        budget.pay(PrivacyGuarantee(1, 0, relation(name)))
        read = pickle.loads(pickle.dumps(budget))
        assert (read.limit, read.spent) == (budget.limit, budget.spent)
        assert repr(read) == repr(budget)
        with pytest.raises(SingleUseError, match="copy"):
            read.pay(PrivacyGuarantee(1, 0, relation(name)))
        assert read.spent == budget.spent


def test_a_budget_that_never_began_does_not_pay() -> None:
    with pytest.raises(SingleUseError):
        object.__new__(PrivacyBudget).pay(PROMISE)


def test_nothing_spent_is_zero_exactly() -> None:
    budget = PrivacyBudget(1)
    for spent in (budget.epsilon_spent, budget.delta_spent):
        assert (type(spent), spent) == (Fraction, 0)


def test_an_expense_says_how_a_fit_was_made_each_word_by_its_name() -> None:
    fitted = DPPCA(epsilon=0.1, data_norm=2, mechanism="laplace", budget=PrivacyBudget(1)).fit(RECORDS)
    words = {
        "estimator": "DPPCA",
        "mechanism": "Laplace input perturbation",
        "claims": ("wishart.algorithm-1+repair", "wishart.theorem-3"),
        "guarantee": PrivacyGuarantee(Fraction(1, 10), 0, relation("replace-one")),
        "calibration": "tight",
        "data_norm": Fraction(2),
        "over_norm": "clip",
        "entropy": SystemEntropy().description,
    }
    assert fitted.expense_ == Expense(**words)
    with pytest.raises(TypeError):
        Expense(*words.values())


@pytest.mark.parametrize("name", ["replace-two", "", None, 1, "REPLACE-ONE"])
def test_a_relation_is_one_of_two(name: object) -> None:
    for adjacency in Adjacency:
        assert relation(adjacency) is relation(adjacency.value) is adjacency
    with pytest.raises(InvalidParameterError, match="is no relation; pass one of 'replace-one', 'add-remove-one'"):
        relation(name)
