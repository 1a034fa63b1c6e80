"""What has been spent on a data set, and a limit that no further fit may exceed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from attrs import frozen

from dpmatrix.errors import BudgetExceededError, InvalidParameterError, NotPrivateError, SingleUseError
from dpmatrix.exact import Exact, decimal_fraction, decimal_text
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.single_use import SingleUse


@frozen(kw_only=True)
class Expense:
    """The record of one fit.

    Attributes
    ----------
    estimator, mechanism
        Their names.
    claims
        Ids of the claims that the mechanism implements, on which the guarantee rests.
    guarantee
        The guarantee, or None if the random bits were not secret.
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


class PrivacyBudget(SingleUse):
    """A limit on what the fits on one data set, and on its neighbours, may give away together.

    Guarantees are added up: releases that are (epsilon_i, delta_i)-differentially private, each chosen in view of those
    before, are together (sum epsilon_i, sum delta_i)-differentially private, under one and the same adjacency. The sum
    is booked before a mechanism draws: a fit that is refused for its parameters or its records costs nothing, and one
    that fails or is interrupted after that costs as much as one that succeeds. With ``over_norm="reject"`` the refusal
    of a record is an error message about the data, which no budget covers.

    A budget is an account, so it is one object in one process; see `dpmatrix.single_use`. A child of `os.fork` cannot
    pay. `copy.copy`, `copy.deepcopy` and `sklearn.base.clone` hand on the same budget, so a grid search or a
    cross-validation in one process pays for every fit; threads may share it. What was pickled is a record: it can be
    read, and refuses to pay. An estimator that has a budget and was not fitted is refused on its way to a worker
    process, where it could not be fitted (``n_jobs`` above 1, where the workers are not threads).

    Parameters
    ----------
    epsilon, delta
        The limits. A float is the decimal that it prints as, here and in the estimators: 0.1 is 1/10, and a budget of 1
        pays for ten fits of 0.1, each with the noise of 1/10. A `PrivacyGuarantee` has the number that it was given.
    adjacency
        The relation, ``"replace-one"`` or ``"add-remove-one"``, which every fit must have.

    Raises
    ------
    InvalidParameterError
        If a limit is out of its domain or the relation is unknown.
    """

    what: ClassVar[str] = "a budget"
    remedy: ClassVar[str] = (
        "fit in the process that made it, with n_jobs=1 or with threads (joblib.parallel_config(backend='threading'))"
    )
    _is_record = True

    def __init__(self, epsilon: Exact, delta: Exact = 0, adjacency: str = "replace-one") -> None:
        if hasattr(self, "_spent"):
            raise SingleUseError("this budget has begun: what it has paid stays paid", "make another for other data")
        super().__init__()
        exact = decimal_fraction(epsilon, "epsilon"), decimal_fraction(delta, "delta")
        self._limit = PrivacyGuarantee(*exact, relation(adjacency))
        self._spent: tuple[PrivacyGuarantee, ...] = ()
        self._is_record = False

    @property
    def limit(self) -> PrivacyGuarantee:
        """The limits, which are those of the beginning."""
        return self._limit

    @property
    def spent(self) -> tuple[PrivacyGuarantee, ...]:
        """The guarantees that have been paid for, in order."""
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
        """Book a guarantee, or leave everything as it was.

        Raises
        ------
        BudgetExceededError
            If the sum would exceed a limit.
        NotPrivateError
            If there is no guarantee. `SingleUseError` if the budget was pickled, or in a child process, or within
            another payment (of a signal handler).
        InvalidParameterError
            If the relation is another.
        """
        if guarantee is None:
            raise NotPrivateError("a release from seeded random bits has no guarantee, so no budget covers it")
        self.check_live()
        if guarantee.adjacency is not self.limit.adjacency:
            problem = f"{guarantee.adjacency.value} is not the budget's {self.limit.adjacency.value}"
            raise InvalidParameterError("adjacency", problem, "keep one budget for each relation")
        with self.turn():
            epsilon, delta = self.epsilon_spent + guarantee.epsilon, self.delta_spent + guarantee.delta
            if epsilon > self.limit.epsilon or delta > self.limit.delta:
                raise BudgetExceededError(
                    f"({decimal_text(epsilon)}, {decimal_text(delta)}) would be spent of "
                    f"({decimal_text(self.limit.epsilon)}, {decimal_text(self.limit.delta)})"
                )
            self._spent = (*self._spent, guarantee)

    def check_live(self) -> None:
        """Refuse a budget that cannot pay, whatever the sum.

        Raises
        ------
        SingleUseError
            If it was pickled, or in a child process.
        """
        if self._is_record:
            raise SingleUseError("this budget is a copy: what it pays is not counted where it came from", self.remedy)
        self.check_process()

    def __deepcopy__(self, _memo: dict[int, Any]) -> PrivacyBudget:
        """Return the budget itself: a copy could be spent twice."""
        return self

    def __copy__(self) -> PrivacyBudget:
        """Return the budget itself."""
        return self

    def __reduce_ex__(self, _protocol: Any) -> Any:  # noqa: ANN401 - what pickle takes
        """Save a record."""
        return PrivacyBudget._record, (self.limit, self._spent)

    @classmethod
    def _record(cls, limit: PrivacyGuarantee, spent: tuple[PrivacyGuarantee, ...]) -> PrivacyBudget:
        budget = cls(limit.epsilon, limit.delta, limit.adjacency.value)
        budget._spent, budget._is_record = spent, True
        return budget

    def __repr__(self) -> str:
        limit = self.limit
        return (
            f"PrivacyBudget(epsilon={decimal_text(limit.epsilon)}, delta={decimal_text(limit.delta)}, "
            f"adjacency={limit.adjacency.value!r}; "
            f"spent {decimal_text(self.epsilon_spent)}, {decimal_text(self.delta_spent)})"
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
