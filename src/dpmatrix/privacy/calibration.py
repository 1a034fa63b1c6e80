"""The least noise that keeps a promise, rounded to the safe side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import Exact, Real, fraction, rational
from dpmatrix.privacy.domains import positive
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.laplace import LaplaceProfile
from dpmatrix.privacy.profiles.protocol import PrivacyProfile
from dpmatrix.privacy.profiles.wishart import WishartProfile

LARGEST_EXPONENT = 1 << 12
"""Noise scales are sought between 2^-4096 and 2^4096 units."""

TOLERANCE = Fraction(1, 128)
"""Default for how far above the least scale the answer may lie, relative to it."""


def meets(profile: PrivacyProfile, guarantee: PrivacyGuarantee) -> bool:
    """Whether a profile certainly meets a promise; False when it does not or when its enclosure leaves it open."""
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
    """Return a noise scale at which a family of profiles certainly meets a promise, and hardly more.

    Parameters
    ----------
    family
        Profile as a function of a positive noise scale; a larger scale must not be worse.
    guarantee
        Promise to meet. Its adjacency is recorded, not used: the family must be built for the same relation.
    tolerance
        The scale divided by 1 + tolerance is not certain to meet the promise; positive.
    unit
        Positive scale near which the search begins. It decides the time and the digits of the answer only.

    Returns
    -------
    Fraction
        A dyadic multiple of the unit, on the safe side.

    Raises
    ------
    InvalidParameterError
        If the tolerance or the unit is not positive, or if in the range of the search no scale meets the promise,
        or every scale does.
    """
    step = fraction(tolerance, "tolerance")
    if step <= 0:
        raise InvalidParameterError("tolerance", f"{tolerance} is not positive", "pass tolerance > 0")
    start = fraction(unit, "unit")
    if start <= 0:
        raise InvalidParameterError("unit", f"{unit} is not positive", "pass unit > 0")
    failing, meeting = _bracket(lambda exponent: meets(family(start * _power(exponent)), guarantee))
    lower, upper = start * _power(failing), start * _power(meeting)
    while upper > lower * (1 + step):
        middle = (lower + upper) / 2
        if meets(family(middle), guarantee):
            upper = middle
        else:
            lower = middle
    return upper


def calibrate_laplace(sensitivity: Real, guarantee: PrivacyGuarantee, tolerance: Exact = TOLERANCE) -> Fraction:
    """Return a Laplace scale for a known l1 sensitivity; exactly sensitivity / epsilon if delta is zero.

    Raises
    ------
    InvalidParameterError
        As in `LaplaceProfile` and `calibrate`; the sensitivity must be positive.
    """
    largest = positive(sensitivity, "sensitivity").upper
    if guarantee.is_pure:
        return fraction(largest / rational(guarantee.epsilon))
    return calibrate(lambda scale: LaplaceProfile(largest, scale), guarantee, tolerance, _unit(largest))


def calibrate_gaussian(sensitivity: Real, guarantee: PrivacyGuarantee, tolerance: Exact = TOLERANCE) -> Fraction:
    """Return a Gaussian standard deviation for a known l2 sensitivity.

    Raises
    ------
    InvalidParameterError
        As in `GaussianProfile` and `calibrate`; the sensitivity must be positive, and delta too.
    """
    largest = positive(sensitivity, "sensitivity").upper
    _needs_slack(guarantee, "Gaussian")
    return calibrate(lambda deviation: GaussianProfile(largest, deviation), guarantee, tolerance, _unit(largest))


def calibrate_wishart(
    dimension: int,
    degrees_of_freedom: Real,
    guarantee: PrivacyGuarantee,
    squared_norm: Real = 1,
    tolerance: Exact = TOLERANCE,
) -> Fraction:
    """Return the c of Wishart noise W_d(m, cI) for the adjacency of the promise.

    Where the profile is only enclosed (replace-one, d >= 2, m > d + 1) the upper end has to meet the promise.

    Raises
    ------
    InvalidParameterError
        As in `WishartProfile` and `calibrate`; delta must be positive, as no Wishart noise is purely private.
    """
    _needs_slack(guarantee, "Wishart")
    return calibrate(
        lambda scale: WishartProfile(dimension, degrees_of_freedom, scale, squared_norm, guarantee.adjacency),
        guarantee,
        tolerance,
        _unit(positive(squared_norm, "squared_norm").upper),
    )


def _needs_slack(guarantee: PrivacyGuarantee, noise: str) -> None:
    if guarantee.is_pure:
        raise InvalidParameterError("delta", f"{noise} noise never meets delta = 0", "pass a guarantee with delta > 0")


def _unit(size: fmpq) -> Fraction:
    """Return a power of two near a positive number."""
    return _power(int(size.p).bit_length() - int(size.q).bit_length())


def _power(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def _bracket(holds: Callable[[int], bool]) -> tuple[int, int]:
    """Return neighbouring exponents, the first of which fails and the second holds."""
    reach = 1
    while not holds(reach) or holds(-reach):
        reach *= 2
        if reach > LARGEST_EXPONENT:
            raise InvalidParameterError(
                "guarantee", "no scale between 2^-4096 and 2^4096 units is the least to meet it", "relax the promise"
            )
    failing, meeting = -reach, reach
    while meeting - failing > 1:
        middle = (failing + meeting) // 2
        failing, meeting = (failing, middle) if holds(middle) else (middle, meeting)
    return failing, meeting
