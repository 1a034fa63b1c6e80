"""The minimal noise that keeps a guarantee, rounded to the safe side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import Exact, fraction, rational
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles.protocol import PrivacyProfile

LARGEST_EXPONENT = 1 << 12
"""Noise scales are sought between 2^-4096 and 2^4096 units."""

TOLERANCE = Fraction(1, 128)
"""Default for how far above the least scale the answer may lie, relative to it."""


def meets(profile: PrivacyProfile, guarantee: PrivacyGuarantee) -> bool:
    """Whether a profile certainly meets a guarantee; False when it does not or when its enclosure leaves it open."""
    try:
        bound = profile.delta(guarantee.epsilon)
    except UndecidedError:
        return False
    return bool(bound.upper() <= arb(rational(guarantee.delta)).lower()) if guarantee.delta else bound.is_zero()


def calibrate(
    family: Callable[[Fraction], PrivacyProfile],
    guarantee: PrivacyGuarantee,
    tolerance: Exact = TOLERANCE,
    unit: Exact = 1,
) -> Fraction:
    """Return a noise scale at which a family of profiles certainly meets a guarantee, and hardly more.

    Parameters
    ----------
    family
        Profile as a function of a positive noise scale; a larger scale must not be worse.
    guarantee
        Guarantee to meet. Its adjacency is recorded, not used: the family must be built for the same relation.
    tolerance
        The scale divided by 1 + tolerance is not certain to meet the guarantee; positive.
    unit
        Positive scale near which the search begins. It decides the time and the digits of the answer only.

    Returns
    -------
    Fraction
        A dyadic multiple of the unit, on the safe side.

    Raises
    ------
    InvalidParameterError
        If the tolerance or the unit is not positive, or if in the range of the search no scale meets the guarantee,
        or every scale does.
    """
    step = fraction(tolerance, "tolerance")
    if step <= 0:
        raise InvalidParameterError("tolerance", f"{tolerance} is not positive", "pass tolerance > 0")
    start = fraction(unit, "unit")
    if start <= 0:
        raise InvalidParameterError("unit", f"{unit} is not positive", "pass unit > 0")
    failing, meeting = _bracket(lambda exponent: meets(family(start * power_of_two(exponent)), guarantee))
    lower, upper = start * power_of_two(failing), start * power_of_two(meeting)
    while upper > lower * (1 + step):
        middle = (lower + upper) / 2
        if meets(family(middle), guarantee):
            upper = middle
        else:
            lower = middle
    return upper


def calibrate_integer(
    family: Callable[[int], PrivacyProfile], guarantee: PrivacyGuarantee, least: int, largest: int = 1 << 62
) -> int:
    """Return the least integer parameter at which a family of profiles certainly meets a guarantee.

    Parameters
    ----------
    family
        Profile as a function of an integer; a larger one must not be worse.
    guarantee
        Guarantee to meet, for the relation of the family.
    least, largest
        Bounds of the search.

    Raises
    ------
    InvalidParameterError
        If the guarantee is not met at ``largest``, or that is below ``least``.
    """
    if largest < least:
        raise InvalidParameterError("largest", f"{largest} is below {least}", "pass at least the least parameter")
    if meets(family(least), guarantee):
        return least
    failing, reach = least, 1
    while not meets(family(meeting := min(least + reach, largest)), guarantee):
        if meeting == largest:
            raise InvalidParameterError("guarantee", f"no integer up to {largest} meets it", "relax the guarantee")
        failing, reach = meeting, 2 * reach
    while meeting - failing > 1:
        middle = (failing + meeting) // 2
        failing, meeting = (failing, middle) if meets(family(middle), guarantee) else (middle, meeting)
    return meeting


def power_of_two(exponent: int) -> Fraction:
    """Return 2**exponent."""
    return Fraction(2) ** exponent


def _bracket(holds: Callable[[int], bool]) -> tuple[int, int]:
    """Return neighbouring exponents, the first of which fails and the second holds."""
    reach = 1
    while not holds(reach) or holds(-reach):
        reach *= 2
        if reach > LARGEST_EXPONENT:
            raise InvalidParameterError(
                "guarantee", "no scale between 2^-4096 and 2^4096 units is the least to meet it", "relax the guarantee"
            )
    failing, meeting = -reach, reach
    while meeting - failing > 1:
        middle = (failing + meeting) // 2
        failing, meeting = (failing, middle) if holds(middle) else (middle, meeting)
    return failing, meeting
