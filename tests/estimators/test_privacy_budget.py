"""A budget pays once for every fit, before it draws, and never more than it has."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from dpmatrix.errors import BudgetExceededError, InvalidParameterError, NotPrivateError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget, PrivacyWarning
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee

RECORDS = np.full((6, 2), 0.5)
QUARTER = Fraction(1, 4)


def test_promises_add_up() -> None:
    budget = PrivacyBudget(1, Fraction(1, 100))
    DPSecondMoment(epsilon=QUARTER, budget=budget).fit(RECORDS)
    DPPCA(epsilon=QUARTER, delta=Fraction(1, 200), mechanism="gaussian", budget=budget).fit(RECORDS)
    assert (budget.epsilon_spent, budget.delta_spent) == (Fraction(1, 2), Fraction(1, 200))
    assert len(budget.spent) == 2
    assert "spent 0.5, 0.005" in repr(budget)


def test_an_overdraft_is_refused_before_anything_is_released() -> None:
    budget = PrivacyBudget(1)
    estimator = DPPCA(epsilon=Fraction(3, 4), budget=budget).fit(RECORDS)
    before = estimator.release_
    with pytest.raises(BudgetExceededError, match=r"\(1.5, 0\) would be spent of \(1, 0\)"):
        estimator.fit(RECORDS)
    assert estimator.release_ is before
    assert budget.epsilon_spent == Fraction(3, 4)
    DPPCA(epsilon=QUARTER, budget=budget).fit(RECORDS)
    assert budget.epsilon_spent == 1
    with pytest.raises(BudgetExceededError):
        DPPCA(epsilon=1e-9, budget=budget).fit(RECORDS)
    with pytest.raises(BudgetExceededError):
        DPPCA(epsilon=1, delta=0.1, mechanism="gaussian", budget=PrivacyBudget(2, 0.05)).fit(RECORDS)


def test_wrong_parameters_cost_nothing() -> None:
    budget = PrivacyBudget(1)
    for settings in ({"n_components": 3}, {"mean": [0.0]}, {"mechanism": "none"}):
        with pytest.raises(InvalidParameterError):
            DPPCA(budget=budget, **settings).fit(RECORDS)
    assert budget.spent == ()


def test_a_fit_that_fails_after_the_payment_has_been_paid_for() -> None:
    budget = PrivacyBudget(1)
    with pytest.raises(InvalidParameterError, match="longer"):
        DPPCA(budget=budget).fit(3 * RECORDS)
    assert budget.epsilon_spent == 1


def test_what_no_budget_covers() -> None:
    budget = PrivacyBudget(10)
    with pytest.warns(PrivacyWarning), pytest.raises(NotPrivateError, match="seeded"):
        DPPCA(budget=budget, random_state=0).fit(RECORDS)
    with pytest.raises(InvalidParameterError, match="one budget for each relation"):
        DPPCA(budget=budget, adjacency="add-remove-one").fit(RECORDS)
    assert budget.spent == ()
    with pytest.raises(InvalidParameterError, match="relation"):
        PrivacyBudget(1, adjacency="swap")
    with pytest.raises(InvalidParameterError, match="epsilon"):
        PrivacyBudget(0)


def test_copies_are_the_budget_itself_and_pickles_cannot_pay() -> None:
    budget = PrivacyBudget(1)
    estimator = DPPCA(epsilon=QUARTER, budget=budget)
    assert clone(estimator).budget is copy.copy(budget) is copy.deepcopy(budget) is budget
    clone(estimator).fit(RECORDS)
    assert budget.epsilon_spent == QUARTER
    elsewhere = pickle.loads(pickle.dumps(estimator))
    assert elsewhere.budget.epsilon_spent == QUARTER
    with pytest.raises(NotPrivateError, match="copy"):
        elsewhere.fit(RECORDS)


def test_every_fit_of_a_search_is_paid_for() -> None:
    generator = np.random.default_rng(0)
    data, target = generator.uniform(-0.5, 0.5, (30, 2)), np.arange(30) % 2
    budget = PrivacyBudget(10)
    pipeline = make_pipeline(DPPCA(epsilon=QUARTER, budget=budget), LogisticRegression())
    cross_val_score(pipeline, data, target, cv=3)
    assert budget.epsilon_spent == 3 * QUARTER
    GridSearchCV(pipeline, {"dppca__n_components": [1, 2]}, cv=2).fit(data, target)
    assert budget.epsilon_spent == (3 + 5) * QUARTER


def test_threads_cannot_overdraw() -> None:
    budget = PrivacyBudget(5)
    guarantee = PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)

    def pay(_: int) -> bool:
        try:
            budget.pay(guarantee)
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(pay, range(64))) == 5
    assert budget.epsilon_spent == 5
