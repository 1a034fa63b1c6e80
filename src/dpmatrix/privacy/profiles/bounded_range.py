r"""Privacy profile of the exponential mechanism, for a score of bounded range: `near-optimal.theorem-6`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.exact import Real
from dpmatrix.privacy.domains import Range, nonnegative
from dpmatrix.privacy.profiles.enclosure import certified, over_box


@frozen
class BoundedRangeProfile:
    r"""Profile of the class of mechanisms whose log-densities change, between neighbours, within an interval.

    The exponential mechanism draws y with density proportional to exp(q(y; X)). If, between neighbours, q(y; X) -
    q(y; X') takes values in an interval of length h over all y, then so does the log-ratio of the densities, because
    the normalising constants add a number that does not depend on y. So h is the range: twice the sensitivity of q, or
    once, if q changes to one side only, as u'Au does when A gains a record.

    :math:`\delta(\epsilon) = \frac{(1 - e^{(\epsilon - h)/2})^2}{1 - e^{-h}}` for epsilon < h, and 0 beyond: a
    mechanism of range h is (h, 0)-differentially private, and at smaller epsilon it leaks much less than every (h, 0)
    mechanism may (Dong, Durfee and Rogers 2020).

    Parameters
    ----------
    range
        h >= 0.

    Raises
    ------
    InvalidParameterError
        If the range is negative.

    Notes
    -----
    *Proof.* Let the log-ratio L lie in [t - h, t]; both densities integrate to one, so t is in [0, h]. Given t, the
    divergence E_Q (e^L - e^epsilon)^+ is largest, among laws of L with E_Q e^L = 1, for the two end points, since the
    function is convex in e^L: ``Q(L = t) = (1 - e^(t-h)) / (e^t - e^(t-h))``. It is then ``(1 - e^(t-h)) (1 -
    e^(epsilon-t)) / (1 - e^-h)`` for t >= epsilon, and greatest at ``t = (h + epsilon) / 2``. Binary randomised
    response with these two losses is a member of the class, so nothing less is true of the class; one mechanism of it
    may be better.
    """

    range: Real
    _range: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_range", nonnegative(self.range, "range"))

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta that all mechanisms of the class have; see `PrivacyProfile.delta`."""
        at = nonnegative(epsilon, "epsilon")
        return over_box(
            lambda: bounded_range_hockey_stick(at.upper, self._range.lower),
            lambda: bounded_range_hockey_stick(at.lower, self._range.upper),
            at.lower == at.upper and self._range.lower == self._range.upper,
        )


def bounded_range_hockey_stick(epsilon: fmpq, width: fmpq) -> arb:
    """Return the largest divergence at epsilon >= 0 of two laws whose log-ratio has the given range."""
    if epsilon >= width:
        return arb(0)

    def evaluate() -> arb:
        gap = arb((epsilon - width) / 2).expm1()
        return abs(gap) * abs(gap) / -arb(-width).expm1()

    return certified(evaluate, "a bounded-range profile")
