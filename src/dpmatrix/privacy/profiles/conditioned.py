"""Privacy profile of a mechanism that is conditioned on an event, as by rejection: `compression.procedure-4-2`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real
from dpmatrix.privacy.domains import Range, nonnegative, positive
from dpmatrix.privacy.profiles.protocol import PrivacyProfile


@frozen
class ConditionedProfile:
    r"""Bounds for a mechanism that draws again until its output lies in a fixed set.

    Parameters
    ----------
    base
        Profile of the mechanism before conditioning.
    acceptance
        p in (0, 1]: a bound from below on the probability of the set, for every data set.

    Raises
    ------
    InvalidParameterError
        If p is not certainly in (0, 1], or the base is no profile.

    Notes
    -----
    The set must be the same for all data sets: one that depends on the data may give anything away. Let P and Q be the
    laws before, and T the set. ``P(E | T) = P(E and T) / P(T) <= (e^a Q(E and T) + delta(a)) / P(T)``, which is at most
    ``e^a / p Q(E | T) + delta(a) / p``. With ``a = epsilon - log(1/p)`` that is an upper bound. Nothing better than 0
    is known from below: conditioning may remove all that tells the laws apart.
    """

    base: PrivacyProfile
    acceptance: Real
    _acceptance: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.base, PrivacyProfile):
            raise InvalidParameterError("base", f"{self.base!r} is no profile", "pass the profile before conditioning")
        acceptance = positive(self.acceptance, "acceptance")
        if acceptance.upper > 1:
            raise InvalidParameterError(
                "acceptance", f"{self.acceptance} is not certainly <= 1", "pass a probability in (0, 1]"
            )
        object.__setattr__(self, "_acceptance", acceptance)

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta between 0 and the bound; the trivial bound 1 where epsilon is below log(1/p)."""
        at = nonnegative(epsilon, "epsilon")
        accepted = self._acceptance.lower
        if accepted == 1:
            return self.base.delta(epsilon)
        before = (arb(at.lower) + arb(accepted).log()).lower()
        if not before >= 0:
            return arb(0).union(arb(1))
        bound = (self.base.delta(before) / arb(accepted)).upper()
        return arb(0).union(bound.min(arb(1)))
