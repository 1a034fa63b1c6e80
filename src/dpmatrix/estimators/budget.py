"""What has been spent on a data set, and a limit that no further fit may exceed."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

from attrs import frozen

from dpmatrix.errors import BudgetExceededError, InvalidParameterError, NotPrivateError
from dpmatrix.exact import Exact
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee


@frozen(kw_only=True)
class Expense:
    """The record of one fit.

    Attributes
    ----------
    estimator, mechanism
        Their names.
    claims
        Ids of the claims that the mechanism implements, on which the promise rests.
    guarantee
        The promise, or None if the random bits were not secret.
    calibration
        ``"tight"`` or ``"printed"``.
    data_norm
        The bound on the norm of a record.
    over_norm
        What was done with longer records: ``"reject"`` or ``"clip"``.
    entropy
        The source of the random bits.
    """

    estimator: str
    mechanism: str
    claims: tuple[str, ...]
    guarantee: PrivacyGuarantee | None
    calibration: str
    data_norm: Fraction
    over_norm: str
    entropy: str


class PrivacyBudget:
    """A limit on what the fits on one data set, and on its neighbours, may give away together.

    Promises are added up: releases that are (epsilon_i, delta_i)-differentially private, each chosen in view of those
    before, are together (sum epsilon_i, sum delta_i)-differentially private, under one and the same adjacency. The sum
    is booked before a mechanism draws, so an interrupted fit has been paid for.

    `sklearn.base.clone` hands on the same budget, so a grid search or a cross-validation in one process pays for every
    fit. A budget that was pickled counts in no other process: the copy can be read and refuses to pay.

    Parameters
    ----------
    epsilon, delta
        The limits.
    adjacency
        The relation, ``"replace-one"`` or ``"add-remove-one"``, which every fit must have.

    Raises
    ------
    InvalidParameterError
        If a limit is out of its domain or the relation is unknown.
    """

    def __init__(self, epsilon: Exact, delta: Exact = 0, adjacency: str = "replace-one") -> None:
        self.limit = PrivacyGuarantee(epsilon, delta, relation(adjacency))
        self._spent: tuple[PrivacyGuarantee, ...] = ()
        self._lock: threading.Lock | None = threading.Lock()

    @property
    def spent(self) -> tuple[PrivacyGuarantee, ...]:
        """The promises that have been paid for, in order."""
        return self._spent

    @property
    def epsilon_spent(self) -> Fraction:
        """Sum of their epsilons."""
        return sum((guarantee.epsilon for guarantee in self._spent), Fraction(0))

    @property
    def delta_spent(self) -> Fraction:
        """Sum of their deltas."""
        return sum((guarantee.delta for guarantee in self._spent), Fraction(0))

    def pay(self, guarantee: PrivacyGuarantee | None) -> None:
        """Book a promise, or leave everything as it was.

        Raises
        ------
        BudgetExceededError
            If the sum would exceed a limit.
        NotPrivateError
            If there is no promise, or the budget is a copy from another process.
        InvalidParameterError
            If the relation is another.
        """
        if guarantee is None:
            raise NotPrivateError("no promise is kept with seeded random bits, so no budget covers it")
        if self._lock is None:
            raise NotPrivateError("this budget is a copy: what it pays is not counted where it came from")
        if guarantee.adjacency is not self.limit.adjacency:
            problem = f"{guarantee.adjacency.value} is not the budget's {self.limit.adjacency.value}"
            raise InvalidParameterError("adjacency", problem, "keep one budget for each relation")
        with self._lock:
            epsilon, delta = self.epsilon_spent + guarantee.epsilon, self.delta_spent + guarantee.delta
            if epsilon > self.limit.epsilon or delta > self.limit.delta:
                raise BudgetExceededError(
                    f"({float(epsilon):g}, {float(delta):g}) would be spent of "
                    f"({float(self.limit.epsilon):g}, {float(self.limit.delta):g})"
                )
            self._spent = (*self._spent, guarantee)

    def __deepcopy__(self, _memo: dict[int, Any]) -> PrivacyBudget:
        """Return the budget itself: a copy could be spent twice."""
        return self

    def __copy__(self) -> PrivacyBudget:
        """Return the budget itself."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock behind; without it nothing can be paid."""
        return {"limit": self.limit, "_spent": self._spent, "_lock": None}

    def __repr__(self) -> str:
        limit = self.limit
        return (
            f"PrivacyBudget(epsilon={float(limit.epsilon):g}, delta={float(limit.delta):g}, "
            f"adjacency={limit.adjacency.value!r}; spent {float(self.epsilon_spent):g}, {float(self.delta_spent):g})"
        )


def relation(name: object) -> Adjacency:
    """Return the relation of a name.

    Raises
    ------
    InvalidParameterError
        If there is none.
    """
    for adjacency in Adjacency:
        if name in (adjacency, adjacency.value):
            return adjacency
    choices = ", ".join(repr(adjacency.value) for adjacency in Adjacency)
    raise InvalidParameterError("adjacency", f"{name!r} is no relation", f"pass one of {choices}")
