"""What carries a guarantee on: releases, what is made of them, guarantees that are compared, and budgets.

Nothing is statistical. A release is one value that nobody changes, what is computed from it has its guarantee and no
other one, and an account counts what was promised.
"""

from __future__ import annotations

import copy
import os
import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from dpmatrix.errors import BudgetExceededError, InvalidParameterError, NotPrivateError, OutOfRangeError, SingleUseError
from dpmatrix.estimators import PrivacyBudget
from dpmatrix.mechanisms import LaplaceInputPerturbation, Release
from dpmatrix.mechanisms.protocol import PostProcessed
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

REPLACED, ADDED = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
GUARANTEE = PrivacyGuarantee(1, Fraction(1, 4), REPLACED)


def release_of(integers: np.ndarray, guarantee: PrivacyGuarantee | None = GUARANTEE) -> Release:
    return Release(
        integers=integers,
        grid=Fraction(1, 3),
        guarantee=guarantee,
        mechanism="one",
        adjacency=REPLACED,
        entropy="bits",
    )


@pytest.mark.parametrize("kind", [np.int64, object])
def test_a_release_keeps_its_integers_and_nobody_changes_them(kind: type) -> None:
    given = np.array([[3, -1], [-1, 2]], dtype=kind)
    release = release_of(given)
    given[0, 0] = 7
    assert release.integers.tolist() == [[3, -1], [-1, 2]]
    assert {type(entry) for entry in release.integers.flat} == {int}
    with pytest.raises(ValueError, match="read-only"):
        release.integers[0, 0] = 7
    with pytest.raises(FrozenInstanceError):
        release.guarantee = evolve(GUARANTEE, epsilon=Fraction(1, 9))
    assert release.to_numpy().tolist() == [[1.0, -1 / 3], [-1 / 3, 2 / 3]]
    assert release == release_of(np.array([[3, -1], [-1, 2]], dtype=kind))
    assert release != release_of(given)
    with pytest.raises(OutOfRangeError):
        release_of(np.array([[10**400]], dtype=object)).to_numpy()


@pytest.mark.parametrize("guarantee", [GUARANTEE, None])
def test_what_is_made_of_a_release_has_its_guarantee_and_sees_nothing_else(guarantee: PrivacyGuarantee | None) -> None:
    release = release_of(np.array([[3]]), guarantee)
    seen: list[object] = []

    def first(value: object) -> int:
        seen.append(value)
        return 5

    once = release.apply(first)
    twice = once.apply(lambda value: seen.append(value) or 6)
    assert [entry is release for entry in seen] == [True, False]
    assert seen[1:] == [5]
    assert (once.value, twice.value) == (5, 6)
    assert {release.private, once.release.private, twice.release.private} == {guarantee is not None}
    assert once.guarantee == twice.guarantee == guarantee
    assert twice.release is release
    assert len(twice.trace) == 2
    for other in (np.array([[3]]), 5, None):
        with pytest.raises(InvalidParameterError):
            PostProcessed(other, first)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "1"])
def test_an_epsilon_that_promises_nothing_or_is_no_number_is_none(epsilon: object) -> None:
    for adjacency in Adjacency:
        with pytest.raises(InvalidParameterError):
            PrivacyGuarantee(epsilon, 0, adjacency)
        with pytest.raises(InvalidParameterError):
            PrivacyBudget(epsilon, 0, adjacency.value)


@pytest.mark.parametrize("delta", [-1, Fraction(-1, 10**9), 1, Fraction(3, 2), float("nan"), "0"])
def test_a_delta_that_is_no_probability_is_none(delta: object) -> None:
    with pytest.raises(InvalidParameterError):
        PrivacyGuarantee(1, delta, ADDED)
    with pytest.raises(InvalidParameterError):
        PrivacyBudget(1, delta)


@pytest.mark.parametrize("adjacency", ["replace-one", None, 1, "all"])
def test_a_guarantee_is_under_a_relation(adjacency: object) -> None:
    with pytest.raises(InvalidParameterError):
        PrivacyGuarantee(1, 0, adjacency)
    if adjacency != "replace-one":
        with pytest.raises(InvalidParameterError):
            PrivacyBudget(1, 0, adjacency)


def test_which_guarantee_implies_which() -> None:
    """A smaller epsilon and a smaller delta under the same relation, and nothing else."""
    numbers = [(1, 0), (1, Fraction(1, 4)), (2, 0), (2, Fraction(1, 4))]
    found = [
        (one, other)
        for one in numbers
        for other in numbers
        if PrivacyGuarantee(*one, ADDED).implies(PrivacyGuarantee(*other, ADDED))
    ]
    assert found == [(one, other) for one in numbers for other in numbers if one[0] <= other[0] and one[1] <= other[1]]
    assert not PrivacyGuarantee(1, 0, ADDED).implies(PrivacyGuarantee(2, 0, REPLACED))
    assert [PrivacyGuarantee(*one, ADDED).is_pure for one in numbers] == [True, False, True, False]


# Budgets


def test_a_budget_adds_up_and_stops_at_its_limits() -> None:
    """Ten times a tenth is one; a hair more than what is left is refused, of either number, and costs nothing."""
    tenth, hair = PrivacyGuarantee(Fraction(1, 10), Fraction(1, 100), REPLACED), Fraction(1, 10**30)
    budget = PrivacyBudget(1.0, 0.1)
    for paid in range(10):
        assert (budget.epsilon_spent, budget.delta_spent) == (Fraction(paid, 10), Fraction(paid, 100))
        left = evolve(tenth, epsilon=1 - budget.epsilon_spent, delta=Fraction(1, 10) - budget.delta_spent)
        for more in (evolve(left, epsilon=left.epsilon + hair), evolve(left, delta=left.delta + hair)):
            with pytest.raises(BudgetExceededError):
                budget.pay(more)
        budget.pay(tenth)
    assert budget.spent == (tenth,) * 10
    assert budget.limit == PrivacyGuarantee(1, Fraction(1, 10), REPLACED)
    with pytest.raises(BudgetExceededError):
        budget.pay(PrivacyGuarantee(hair, 0, REPLACED))
    with pytest.raises(SingleUseError):
        budget.__init__(5)
    assert budget.epsilon_spent == 1


def test_a_budget_takes_a_number_as_it_is_written() -> None:
    assert PrivacyBudget(0.1, 1e-6).limit == PrivacyGuarantee(Fraction(1, 10), Fraction(1, 10**6), REPLACED)
    assert PrivacyBudget(Fraction(3, 10), 0, "add-remove-one").limit == PrivacyGuarantee(Fraction(3, 10), 0, ADDED)


def test_a_budget_pays_for_guarantees_under_its_relation_alone() -> None:
    budget = PrivacyBudget(4, 0.5, "add-remove-one")
    with pytest.raises(InvalidParameterError):
        budget.pay(GUARANTEE)
    with pytest.raises(NotPrivateError):
        budget.pay(None)
    assert budget.spent == ()
    budget.pay(evolve(GUARANTEE, adjacency=ADDED))
    assert budget.epsilon_spent == 1


def test_a_copy_of_a_budget_is_the_budget_and_what_was_pickled_or_forked_does_not_pay() -> None:
    budget = PrivacyBudget(2, 0.5)
    budget.pay(GUARANTEE)
    assert copy.copy(budget) is budget
    assert copy.deepcopy([budget])[0] is budget
    record = pickle.loads(pickle.dumps(budget))
    assert (record.limit, record.spent) == (budget.limit, budget.spent)
    for use in (lambda: record.pay(GUARANTEE), record.check_live):
        with pytest.raises(SingleUseError):
            use()
    child = os.fork()
    if child == 0:
        try:
            budget.pay(GUARANTEE)
        except SingleUseError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    budget.pay(GUARANTEE)
    with pytest.raises(BudgetExceededError):
        budget.pay(GUARANTEE)


def test_threads_pay_one_after_the_other(monkeypatch) -> None:
    """The second one comes while the first one has added up and not booked; it waits, for half a second at most."""
    budget, found = PrivacyBudget(1, 0.5), []
    added_up = PrivacyBudget.delta_spent.fget

    def other() -> None:
        try:
            budget.pay(GUARANTEE)
            found.append("paid")
        except BudgetExceededError:
            found.append("refused")

    thread = threading.Thread(target=other)

    def slowly(self: PrivacyBudget) -> Fraction:
        if thread.ident is None:
            thread.start()
            thread.join(0.5)
        return added_up(self)

    monkeypatch.setattr(PrivacyBudget, "delta_spent", property(slowly))
    budget.pay(GUARANTEE)
    thread.join(60)
    assert found == ["refused"]
    assert budget.spent == (GUARANTEE,)


def test_a_guarantee_from_known_bits_is_none_whatever_the_mechanism_says() -> None:
    mechanism = LaplaceInputPerturbation(1, ADDED)
    known, secret = (mechanism.release([[0.5]], entropy=entropy) for entropy in (SeededEntropy(1), None))
    assert (known.guarantee, known.private) == (None, False)
    assert (secret.guarantee, secret.private) == (mechanism.guarantee, True)
    assert "seed" in known.entropy
    assert "seed" not in secret.entropy
