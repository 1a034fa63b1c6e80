"""What a fit refuses before it pays, a fork in the middle of one, and what of an estimator reaches a worker.

Nothing is statistical. A refusal that depended on a record would publish it, a fork after the payment would release
twice for one payment, and an estimator in a worker must find nobody there who pays.
"""

from __future__ import annotations

import os
import pickle
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.randomness.entropy import SeededEntropy

ESTIMATORS: tuple[Any, ...] = (DPSecondMoment, DPPCA)
LARGEST = float(np.finfo(np.float64).max)
EDGE = 2.0**970
"""Half a unit in the last place of the largest float: added to that, it makes an infinity."""

DATA = np.array([[0.5, 0.25], [-0.25, 0.5], [3.0, 4.0]])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_no_finite_record_less_a_public_mean_is_refused(kind: Any) -> None:
    """Also the longest record, less the largest mean of the other sign; it is clipped as its direction says."""
    assert np.isinf(LARGEST + EDGE), "control"
    below = float(np.nextafter(EDGE, 0))
    for sign in (1.0, -1.0):
        budget = PrivacyBudget(1)
        fit = kind(mean=[-sign * below, sign * below], budget=budget).fit(sign * LARGEST * np.array([[1.0, -1.0]] * 2))
        assert fit.guarantee_ == fit.release_.guarantee == budget.spent[0]


MEANS: dict[str, Any] = {
    "the edge": [EDGE, 0.0],
    "the edge below zero": [0.0, -EDGE],
    "an infinity": [float("inf"), 0.0],
    "no number": [0.0, float("nan")],
    "one of each record": np.zeros((3, 2)),
    "one number": 0.5,
    "a coordinate less": [0.5],
    "a column": [[0.5], [0.5]],
    "words": ["a", "b"],
    "complex": [0.5, 1j],
    "a complex array": np.array([0.5, 1j]),
    "beyond floats": [10**400, 0],
}


@pytest.mark.parametrize("name", MEANS, ids=lambda name: name.replace(" ", "-"))
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_what_is_no_public_point_of_that_length_is_refused_before_anything_is_paid(kind: Any, name: str) -> None:
    budget = PrivacyBudget(1)
    with pytest.raises(InvalidParameterError, match="mean"):
        kind(mean=MEANS[name], budget=budget).fit(DATA)
    assert budget.spent == ()
    assert kind(mean=[0.5, 0.25], budget=budget).fit(DATA).guarantee_ == budget.spent[0], "control"


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_mean_is_subtracted_from_every_record_and_longer_floats_are_rounded_first(kind: Any) -> None:
    """Whether a record has more digits than a float is not told."""
    mean = np.array([0.5, -0.25])
    third = DATA.astype(np.longdouble) / 3
    for data in (DATA, third):
        rounded = data.astype(np.float64)
        known = SymmetrisedWishartMechanism(1).release(rounded - mean, entropy=SeededEntropy(7))
        assert kind(mean=mean, random_state=7).fit(data).release_.integers.tolist() == known.integers.tolist()
    assert (third != third.astype(np.float64)).any(), "control"


@pytest.mark.parametrize("mechanism", ["symmetrised-wishart", "ppca", "sequential-ppca"])
def test_a_rank_that_no_release_has_costs_nothing(mechanism: str) -> None:
    budget = PrivacyBudget(2)
    ranks: tuple[Any, ...] = (3, 0, -1, True, 1.0, 0.5, "mle")
    for rank in ranks:
        with pytest.raises(InvalidParameterError, match="n_components"):
            DPPCA(rank, mechanism=mechanism, budget=budget).fit(DATA)
    if mechanism != "symmetrised-wishart":
        with pytest.raises(InvalidParameterError, match="n_components"):
            DPPCA(None, mechanism=mechanism, budget=budget).fit(DATA)
    assert budget.spent == ()
    assert DPPCA(1, mechanism=mechanism, budget=budget).fit(DATA).guarantee_ == budget.spent[0], "control"


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_fork_in_the_middle_of_a_fit_gets_no_release(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    """The payment was made once: the child has an error and nothing else, and the parent its release."""
    parent, children = os.getpid(), list[int]()
    release = SymmetrisedWishartMechanism.release

    def forking(self: SymmetrisedWishartMechanism, data: Any, *, entropy: Any = None) -> Any:
        children.append(os.fork())
        return release(self, data, entropy=entropy)

    monkeypatch.setattr(SymmetrisedWishartMechanism, "release", forking)
    estimator, code = kind(budget=PrivacyBudget(1)), 1
    try:
        estimator.fit(DATA)
    except SingleUseError:
        code = 1 if hasattr(estimator, "release_") else 7
    finally:
        if os.getpid() != parent:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 7
    assert estimator.guarantee_ == estimator.release_.guarantee == estimator.budget.spent[0]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_an_estimator_that_is_to_pay_is_not_sent_to_a_worker_and_pays_nowhere_else(kind: Any) -> None:
    asked = kind(budget=PrivacyBudget(Fraction(3)))
    with pytest.raises(SingleUseError):
        ForkingPickler.dumps(asked)
    saved = pickle.loads(pickle.dumps(asked))
    with pytest.raises(SingleUseError):
        saved.fit(DATA)
    assert not hasattr(saved, "release_")
    asked.fit(DATA)
    for free in (asked, kind()):
        again = pickle.loads(ForkingPickler.dumps(free))
        assert getattr(again, "guarantee_", None) == getattr(free, "guarantee_", None), "control"
    with pytest.raises(SingleUseError):
        pickle.loads(ForkingPickler.dumps(asked)).fit(DATA)
    assert len(asked.budget.spent) == 1
