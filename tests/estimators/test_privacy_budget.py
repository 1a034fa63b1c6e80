"""A budget pays once for every fit, before it draws, and never more than it has."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from dpmatrix.errors import (
    BudgetExceededError,
    EntropyError,
    InvalidParameterError,
    NotPrivateError,
    SingleUseError,
    TooSlowError,
)
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget, PrivacyWarning
from dpmatrix.estimators.base import PrivateEstimator
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SystemEntropy
from tests.forks import in_a_fork

RECORDS = np.full((6, 2), 0.5)
QUARTER = Fraction(1, 4)


def test_guarantees_add_up() -> None:
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


@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_a_fit_that_is_refused_costs_nothing_and_leaves_the_last_one(mechanism: str) -> None:
    budget = PrivacyBudget(1, 0.1)
    delta = 1e-6 if mechanism in {"gaussian", "gaussian-orthogonal", "mod-sulq"} else 0
    asked = {"epsilon": QUARTER, "delta": delta, "mechanism": mechanism, "over_norm": "reject"}
    estimator = DPPCA(**asked, budget=budget).fit(RECORDS)
    before, spent = dict(vars(estimator)), budget.spent
    for wrong in (3 * RECORDS, RECORDS * np.nan, RECORDS[:0], np.full((2, 2), np.inf), np.full((2, 2), 1e308)):
        with pytest.raises(ValueError, match=r"longer|NaN|0 sample|infinity"):
            estimator.fit(wrong)
        assert budget.spent == spent
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[name] is before[name] for name in ("release_", "mean_", "components_", "expense_"))
    estimator.set_params(mean=[0.25, 0.25], data_norm=Fraction(1, 2)).fit(RECORDS)
    with pytest.raises(InvalidParameterError, match="longer"):
        estimator.set_params(mean=None).fit(RECORDS)
    assert len(budget.spent) == 2, "what counts is the record less the mean"


@pytest.mark.parametrize("kind", [DPPCA, DPSecondMoment])
def test_more_columns_than_a_mechanism_takes_cost_nothing(kind: type) -> None:
    budget = PrivacyBudget(1)
    with pytest.raises(InvalidParameterError, match=r"^dimension: 9 is above 8"):
        kind(mechanism="k-norm", budget=budget).fit(np.zeros((3, 9)))
    assert budget.spent == ()
    kind(mechanism="k-norm", budget=budget).fit(np.zeros((3, 2)))
    assert len(budget.spent) == 1


def test_noise_that_cannot_be_calibrated_costs_nothing() -> None:
    budget = PrivacyBudget(1, 0.9)
    hopeless = DPSecondMoment(delta=0.5, mechanism="mod-sulq", calibration="printed", budget=budget)
    with pytest.raises(InvalidParameterError, match="imaginary"):
        hopeless.fit(RECORDS[:, :1])
    assert budget.spent == ()


class FailingEntropy(SystemEntropy):
    """Gives some words and bits, and then something happens."""

    def __init__(self, what: BaseException) -> None:
        super().__init__()
        self.what = what

    def words(self, count: int) -> np.ndarray:
        """Draw, and fail."""
        super().words(count)
        raise self.what


@pytest.mark.parametrize("what", [KeyboardInterrupt(), EntropyError("no more"), MemoryError(), TooSlowError("slow")])
def test_a_fit_that_fails_after_noise_was_drawn_costs_as_much_as_any(monkeypatch, what: BaseException) -> None:
    budget = PrivacyBudget(1)
    monkeypatch.setattr(PrivateEstimator, "_entropy", lambda _: FailingEntropy(what))
    estimator = DPPCA(epsilon=QUARTER, mechanism="laplace", budget=budget)
    with pytest.raises(type(what)):
        estimator.fit(RECORDS)
    assert budget.epsilon_spent == QUARTER
    assert not hasattr(estimator, "release_")


def test_a_mechanism_that_fails_with_its_release_in_hand_has_been_paid(monkeypatch) -> None:
    budget, seen = PrivacyBudget(1), []
    genuine = LaplaceInputPerturbation.release

    def release(self, data, *, entropy=None):
        seen.append(genuine(self, data, entropy=entropy))
        raise RuntimeError(seen[0].integers[0, 0])

    monkeypatch.setattr(LaplaceInputPerturbation, "release", release)
    with pytest.raises(RuntimeError):
        DPPCA(epsilon=QUARTER, mechanism="laplace", budget=budget).fit(RECORDS)
    assert (len(seen), budget.epsilon_spent) == (1, QUARTER)


def test_each_step_of_a_pipeline_pays_from_its_own_budget() -> None:
    """The first step has published when the second one is refused: it stays paid."""
    first, second = PrivacyBudget(1), PrivacyBudget(Fraction(1, 8))
    steps = make_pipeline(DPPCA(2, epsilon=QUARTER, budget=first), DPPCA(epsilon=QUARTER, data_norm=2, budget=second))
    with pytest.raises(BudgetExceededError):
        steps.fit(RECORDS)
    assert (first.epsilon_spent, second.epsilon_spent) == (QUARTER, 0)
    one = PrivacyBudget(Fraction(3, 8))
    with pytest.raises(BudgetExceededError):
        steps.set_params(**{"dppca-1__budget": one, "dppca-2__budget": one}).fit(RECORDS)
    assert one.epsilon_spent == QUARTER, "one budget for both steps counts both"


@pytest.mark.parametrize("tenth", [0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1), np.linspace(0, 1, 11)[1]])
def test_one_pays_for_ten_tenths(tenth: float) -> None:
    """And each has the noise of 1/10, not of the float, which is above it."""
    budget = PrivacyBudget(1)
    estimator = DPSecondMoment(epsilon=tenth, mechanism="laplace", budget=budget)
    for _ in range(10):
        estimator.fit(RECORDS)
        assert estimator.guarantee_.epsilon == Fraction(1, 10)
    assert "Fraction(1, 10)" in repr(estimator.guarantee_)
    assert budget.epsilon_spent == 1
    with pytest.raises(BudgetExceededError, match=r"\(1.1, 0\) would be spent of \(1, 0\)"):
        estimator.fit(RECORDS)


def test_three_tenths_pay_for_three() -> None:
    budget = PrivacyBudget(0.3, 3e-6)
    for _ in range(3):
        fitted = DPSecondMoment(epsilon=0.1, delta=1e-6, mechanism="gaussian", budget=budget).fit(RECORDS)
        assert fitted.guarantee_.delta == Fraction(1, 10**6)
    assert (budget.epsilon_spent, budget.delta_spent) == (budget.limit.epsilon, budget.limit.delta)
    assert "epsilon=0.3, delta=3e-06" in repr(budget)
    with pytest.raises(BudgetExceededError, match=r"\(0.30000000001, 3e-06\) would be spent of \(0.3, 3e-06\)"):
        DPSecondMoment(epsilon=1e-11, budget=budget).fit(RECORDS)


@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_the_noise_is_that_of_the_epsilon_that_is_charged(monkeypatch, mechanism: str) -> None:
    """The mechanism that releases is the one whose guarantee was paid, and has an epsilon of 1/10, or 1/5, exactly."""
    used = []
    epsilon, exact = (0.2, Fraction(1, 5)) if mechanism == "staircase" else (0.1, Fraction(1, 10))
    maker = {**MATRICES, **DIRECTIONS}[mechanism]
    genuine = maker.release
    monkeypatch.setattr(maker, "release", lambda self, *a, **b: used.append(self) or genuine(self, *a, **b))
    delta = 0.1 if mechanism in {"gaussian", "gaussian-orthogonal", "mod-sulq"} else 0.0
    budget = PrivacyBudget(epsilon, delta)
    DPPCA(epsilon=epsilon, delta=delta, mechanism=mechanism, budget=budget).fit(RECORDS)
    assert [found.epsilon for found in used] == [exact]
    assert budget.spent == (used[0].guarantee,) == (budget.limit,)
    assert Fraction(epsilon) > exact, "noise of the float itself would be too little"


def test_messages_tell_different_numbers_apart() -> None:
    budget = PrivacyBudget(1)
    with pytest.raises(BudgetExceededError, match=r"1000000001/1000000000|1.000000001"):
        DPPCA(epsilon=Fraction(10**9 + 1, 10**9), budget=budget).fit(RECORDS)
    with pytest.raises(BudgetExceededError, match=r"\(4/3, 0\) would be spent"):
        DPPCA(epsilon=Fraction(4, 3), budget=budget).fit(RECORDS)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), np.float32("inf"), "0.1", None, 0.0, -0.1])
def test_what_is_no_epsilon(wrong: object) -> None:
    with pytest.raises(InvalidParameterError, match="epsilon"):
        PrivacyBudget(wrong)
    with pytest.raises(InvalidParameterError, match="epsilon"):
        DPPCA(epsilon=wrong).fit(RECORDS)


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
    assert copy.deepcopy(estimator).budget is copy.copy(estimator).budget is budget
    clone(estimator).fit(RECORDS)
    assert budget.epsilon_spent == QUARTER
    elsewhere = pickle.loads(pickle.dumps(estimator))
    assert elsewhere.budget.epsilon_spent == QUARTER
    assert elsewhere.budget.limit == budget.limit
    for again in (elsewhere, clone(elsewhere), pickle.loads(pickle.dumps(elsewhere))):
        with pytest.raises(SingleUseError, match="copy"):
            again.fit(RECORDS)
    estimator.fit(RECORDS)


def test_a_fork_cannot_pay_and_its_parent_goes_on() -> None:
    budget = PrivacyBudget(1)
    estimator = DPPCA(budget=budget)
    assert in_a_fork(lambda: estimator.fit(RECORDS)).startswith("SingleUseError")
    assert in_a_fork(lambda: clone(estimator).fit(RECORDS)).startswith("SingleUseError")
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(SingleUseError, match="worker process"):
        pool.map(estimator.fit, [RECORDS])
    estimator.fit(RECORDS)
    assert budget.epsilon_spent == 1


def test_a_fork_in_the_middle_of_a_fit_publishes_nothing(monkeypatch) -> None:
    """The fork comes after the payment, which it would use a second time."""
    budget, genuine, forks = PrivacyBudget(1), LaplaceInputPerturbation.release, []

    def forking(self, data, *, entropy=None):
        forks.append(os.fork())
        return genuine(self, data, entropy=entropy)

    monkeypatch.setattr(LaplaceInputPerturbation, "release", forking)
    estimator, status = DPPCA(mechanism="laplace", budget=budget), 1
    try:
        estimator.fit(RECORDS)
    except SingleUseError:
        status = 0 if not hasattr(estimator, "release_") else 2
    if forks == [0]:
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(forks[0], 0)[1]) == 0
    assert estimator.release_.private


def test_a_search_in_other_processes_is_refused_with_its_cause_on_top() -> None:
    """Nothing is fitted in vain: the estimator does not leave this process. With threads the search goes on."""
    generator = np.random.default_rng(0)
    data, target = generator.uniform(-0.5, 0.5, (30, 2)), np.arange(30) % 2
    budget = PrivacyBudget(10)
    pipeline = make_pipeline(DPPCA(epsilon=QUARTER, budget=budget), LogisticRegression())
    search = GridSearchCV(pipeline, {"dppca__n_components": [1, 2]}, cv=2, n_jobs=2)
    with pytest.raises(Exception, match="workers") as caught:
        search.fit(data, target)
    words = "".join(traceback.format_exception(caught.value))
    assert "fits failed" not in words
    first = next(line for line in words.splitlines() if "Error: " in line)
    assert first.startswith("dpmatrix.errors.SingleUseError: an estimator with a budget")
    assert "n_jobs=1" in first
    assert budget.spent == ()
    with parallel_config(backend="threading"):
        search.fit(data, target)
    assert budget.epsilon_spent == 5 * QUARTER
    # What is fitted travels: a worker may use it, and what it needs for that is not the budget.
    there = pickle.loads(ForkingPickler.dumps(search.best_estimator_))
    assert np.array_equal(there.predict(data), search.best_estimator_.predict(data))
    with pytest.raises(SingleUseError):
        ForkingPickler.dumps(clone(search.best_estimator_))


def test_a_pipeline_with_a_cache_keeps_working(tmp_path) -> None:
    budget = PrivacyBudget(1)
    pipeline = make_pipeline(DPPCA(epsilon=QUARTER, budget=budget), LogisticRegression(), memory=str(tmp_path))
    pipeline.fit(RECORDS, np.arange(6) % 2)
    assert budget.epsilon_spent == QUARTER


def test_a_payment_from_within_a_payment_is_refused(monkeypatch) -> None:
    budget, guarantee = PrivacyBudget(1), PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)
    genuine, errors = PrivacyBudget.epsilon_spent, []

    def interrupted(self):
        monkeypatch.undo()
        with pytest.raises(SingleUseError, match="in use"):
            budget.pay(guarantee)
        errors.append(1)
        return genuine.fget(self)

    monkeypatch.setattr(PrivacyBudget, "epsilon_spent", property(interrupted))
    # In a thread of its own: a lock that waits for itself waits for ever.
    payment = threading.Thread(target=budget.pay, args=(guarantee,), daemon=True)
    payment.start()
    payment.join(20)
    assert not payment.is_alive()
    assert errors == [1]
    assert budget.spent == (guarantee,)


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


def test_a_second_object_with_the_same_attributes_does_not_pay() -> None:
    """Library code that copies attributes passes by the methods of copying; both accounts would be spent."""
    budget, other = PrivacyBudget(1), PrivacyBudget(1)
    copied = object.__new__(PrivacyBudget)
    for one in (other, copied):
        vars(one).update(vars(budget))
        with pytest.raises(SingleUseError, match="cannot be copied"):
            one.pay(budget.limit)
    budget.pay(budget.limit)
    with pytest.raises(BudgetExceededError):
        budget.pay(budget.limit)


def test_what_was_paid_stays_paid_and_the_limit_stays() -> None:
    budget = PrivacyBudget(1)
    budget.pay(budget.limit)
    with pytest.raises(SingleUseError, match="has begun"):
        budget.__init__(1)
    with pytest.raises(AttributeError):
        budget.limit = PrivacyBudget(2).limit
    assert budget.spent == (budget.limit,)
