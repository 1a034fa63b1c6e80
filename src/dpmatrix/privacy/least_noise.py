"""The minimal noise of each mechanism, in the documents' own parameters."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, Real, fraction, rational, whole_number
from dpmatrix.privacy.calibration import TOLERANCE, calibrate, calibrate_integer, power_of_two
from dpmatrix.privacy.domains import dimension_of, positive
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles.bounded_range import BoundedRangeProfile
from dpmatrix.privacy.profiles.discrete_gaussian import DiscreteGaussianProfile
from dpmatrix.privacy.profiles.discrete_laplace import DiscreteLaplaceProfile
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.laplace import LaplaceProfile
from dpmatrix.privacy.profiles.sketch import SketchProfile
from dpmatrix.privacy.profiles.wishart import WishartProfile


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
    """Return the c of Wishart noise W_d(m, cI) for the adjacency of the guarantee.

    Where the profile is only enclosed (replace-one, d >= 2, m > d + 1) the upper end has to meet the guarantee.

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


def calibrate_wishart_degrees(
    dimension: int, guarantee: PrivacyGuarantee, scale: Real = 1, squared_norm: Real = 1
) -> int:
    """Return the least m of Wishart noise W_d(m, cI) at a given scale: the tau of `sliding-window.theorem-11`.

    Raises
    ------
    InvalidParameterError
        As in `WishartProfile` and `calibrate_integer`; delta must be positive.
    """
    _needs_slack(guarantee, "Wishart")
    size = dimension_of(dimension)
    return calibrate_integer(
        lambda degrees: WishartProfile(size, degrees, scale, squared_norm, guarantee.adjacency), guarantee, size + 1
    )


def calibrate_discrete_laplace(sensitivity: int, guarantee: PrivacyGuarantee, tolerance: Exact = TOLERANCE) -> Fraction:
    """Return a scale t of discrete Laplace noise for a known integer l1 sensitivity; s / epsilon if delta is zero.

    Raises
    ------
    InvalidParameterError
        As in `DiscreteLaplaceProfile` and `calibrate`; the sensitivity must be positive.
    """
    largest = _nonzero(whole_number(sensitivity, "sensitivity"), "sensitivity")
    if guarantee.is_pure:
        return largest / guarantee.epsilon
    return calibrate(lambda scale: DiscreteLaplaceProfile(largest, scale), guarantee, tolerance, _unit(fmpq(largest)))


def calibrate_discrete_gaussian(
    squared_sensitivity: int, guarantee: PrivacyGuarantee, coordinates: int = 1, tolerance: Exact = TOLERANCE
) -> Fraction:
    """Return a variance of discrete Gaussian noise; the tolerance is that of its root.

    The guarantee is kept at this very variance. In one coordinate more noise is not always better, as the best event
    must end at an integer: where epsilon exceeds the sensitivity, or the variance is below one, delta may rise with the
    variance in parts, and what is least is so among the variances near it.

    Raises
    ------
    InvalidParameterError
        As in `DiscreteGaussianProfile` and `calibrate`; the sensitivity must be positive, and delta too.
    """
    _needs_slack(guarantee, "discrete Gaussian")
    square = _nonzero(whole_number(squared_sensitivity, "squared_sensitivity"), "squared_sensitivity")
    deviation = calibrate(
        lambda deviation: DiscreteGaussianProfile(square, deviation**2, coordinates),
        guarantee,
        tolerance,
        power_of_two(square.bit_length() // 2),
    )
    return deviation**2


def calibrate_sketch(
    rows: int, guarantee: PrivacyGuarantee, norm_bound: Real = 1, tolerance: Exact = TOLERANCE
) -> Fraction:
    """Return the w of the Johnson-Lindenstrauss mechanism: the least singular value that the data must have.

    Raises
    ------
    InvalidParameterError
        As in `SketchProfile` and `calibrate`; delta must be positive.
    """
    _needs_slack(guarantee, "Johnson-Lindenstrauss")
    return calibrate(
        lambda floor: SketchProfile(rows, floor, norm_bound, guarantee.adjacency),
        guarantee,
        tolerance,
        _unit(positive(norm_bound, "norm_bound").upper),
    )


def calibrate_score(score_range: Real, guarantee: PrivacyGuarantee, tolerance: Exact = TOLERANCE) -> Fraction:
    """Return a weight w at which exp(w q) may be drawn from, for a score q of known range between neighbours.

    Raises
    ------
    InvalidParameterError
        As in `BoundedRangeProfile` and `calibrate`; the range must be positive.
    """
    width = positive(score_range, "score_range").upper
    if guarantee.is_pure:
        return fraction(rational(guarantee.epsilon) / width)
    slack = calibrate(lambda scale: BoundedRangeProfile(width / rational(scale)), guarantee, tolerance, _unit(width))
    return 1 / slack


def _nonzero(value: int, name: str) -> int:
    if value == 0:
        raise InvalidParameterError(name, "0 needs no noise", f"pass {name} of at least 1")
    return value


def _needs_slack(guarantee: PrivacyGuarantee, noise: str) -> None:
    if guarantee.is_pure:
        raise InvalidParameterError("delta", f"{noise} noise never meets delta = 0", "pass a guarantee with delta > 0")


def _unit(size: fmpq) -> Fraction:
    """Return a power of two near a positive number."""
    return power_of_two(int(size.p).bit_length() - int(size.q).bit_length())
