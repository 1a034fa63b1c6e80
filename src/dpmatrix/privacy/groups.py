"""What a guarantee for one record says of a group of them."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, field, frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, ball, fraction, rational
from dpmatrix.privacy.domains import dimension_of, nonnegative
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles.bounded_range import BoundedRangeProfile
from dpmatrix.privacy.profiles.discrete_gaussian import DiscreteGaussianProfile
from dpmatrix.privacy.profiles.discrete_laplace import DiscreteLaplaceProfile
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.laplace import LaplaceProfile
from dpmatrix.privacy.profiles.protocol import PrivacyProfile


def group_guarantee(guarantee: PrivacyGuarantee, records: int) -> PrivacyGuarantee:
    """Return the guarantee for data sets that differ by so many steps of the relation between neighbours.

    ``k epsilon`` and ``delta (1 + e^epsilon + ... + e^((k-1) epsilon))``, rounded up.

    Raises
    ------
    InvalidParameterError
        If the number is no integer of at least one, or nothing is guaranteed to such a group: its delta reaches one.
    """
    count = _records(records)
    epsilon = rational(guarantee.epsilon)
    total = _geometric(epsilon, count) * ball(guarantee.delta) if count > 1 else ball(guarantee.delta)
    delta = Fraction(guarantee.delta) if count == 1 or guarantee.is_pure else _upper(total)
    if delta >= 1:
        raise InvalidParameterError("records", f"to {count} of them nothing is guaranteed", "ask for a smaller group")
    return PrivacyGuarantee(count * guarantee.epsilon, delta, guarantee.adjacency)


def group_profile(profile: PrivacyProfile, records: int) -> PrivacyProfile:
    """Return a profile for data sets that differ by so many steps of the relation between neighbours.

    For noise that is added, and for a score of bounded range, the change is so many times as large, and nothing less is
    true where the changes by single records can add up, as those of X'X do. Every other profile is chained.

    Raises
    ------
    InvalidParameterError
        If the number is no integer of at least one.
    """
    count = _records(records)
    match profile:
        case GaussianProfile():
            return evolve(profile, sensitivity=_times(profile.sensitivity, count))
        case LaplaceProfile():
            single = profile.coordinate_sensitivity
            largest = None if single is None else _times(single, count)
            return evolve(profile, sensitivity=_times(profile.sensitivity, count), coordinate_sensitivity=largest)
        case DiscreteLaplaceProfile():
            whole = profile.coordinate_sensitivity
            most = None if whole is None else whole * count
            return evolve(profile, sensitivity=profile.sensitivity * count, coordinate_sensitivity=most)
        case DiscreteGaussianProfile():
            return evolve(profile, squared_sensitivity=profile.squared_sensitivity * count**2)
        case BoundedRangeProfile():
            return evolve(profile, range=_times(profile.range, count))
    return profile if count == 1 else ChainedProfile(profile, count)


def _records(value: int) -> int:
    return dimension_of(value, "records")


@frozen
class ChainedProfile:
    """Bounds for a group of k records by a chain of k single steps, from any profile.

    ``P_0(E) <= e^a P_1(E) + delta(a) <= ... <= e^(k a) P_k(E) + delta(a) (1 + e^a + ... + e^((k-1) a))``, with k a =
    epsilon. Nothing better than the profile of one record is known from below.

    Parameters
    ----------
    base
        Profile for one record.
    records
        k >= 1.
    """

    base: PrivacyProfile
    records: int = field(converter=_records)

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta between that of one record and the bound; see `PrivacyProfile.delta`."""
        part = nonnegative(epsilon, "epsilon").lower / self.records
        bound = (self.base.delta(part).upper() * _geometric(part, self.records)).upper()
        return self.base.delta(epsilon).lower().union(bound.min(arb(1)))


def _geometric(step: fmpq, count: int) -> arb:
    """Enclose 1 + e^step + ... + e^((count - 1) step)."""
    return arb(step * count).expm1() / arb(step).expm1() if step else arb(count)


def _times(value: Real, count: int) -> Real:
    return value * count if isinstance(value, arb | int) else rational(value) * count


def _upper(value: arb) -> Fraction:
    mantissa, exponent = value.upper().man_exp()
    return fraction(fmpq(mantissa) * fmpq(2) ** int(exponent))
