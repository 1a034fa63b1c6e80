"""The mechanisms that the command line knows: their options, their profiles, their minimal noise."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from math import isqrt

from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
    calibrate_discrete_gaussian,
    calibrate_discrete_laplace,
    calibrate_gaussian,
    calibrate_laplace,
    calibrate_score,
    calibrate_sketch,
    calibrate_wishart,
    calibrate_wishart_degrees,
)


class Noise(StrEnum):
    """Names of the mechanisms on the command line."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    DISCRETE_LAPLACE = "discrete-laplace"
    DISCRETE_GAUSSIAN = "discrete-gaussian"
    WISHART = "wishart"
    SKETCH = "sketch"
    EXPONENTIAL = "exponential"


@frozen
class Options:
    """What was given by name; None where it was left out.

    Attributes
    ----------
    given
        Numbers by the name of their option.
    adjacency
        Relation between neighbours.
    """

    given: dict[str, Fraction]
    adjacency: Adjacency

    def number(self, name: str, default: Fraction | None = None) -> Fraction:
        """Return a number, or its default if it has one."""
        found = self.given.get(name, default)
        if found is None:
            raise InvalidParameterError(name, "it is missing", f"pass --{name}")
        return found

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a number that must be an integer."""
        found = self.number(name, None if default is None else Fraction(default))
        if found.denominator != 1:
            raise InvalidParameterError(name, f"{found} is no integer", f"pass an integer to --{name}")
        return int(found)


Family = Callable[[Options, Fraction], PrivacyProfile]


@frozen
class Known:
    """A mechanism.

    Attributes
    ----------
    assumes
        What its guarantee rests on.
    fixed
        Options that describe the problem.
    amount
        The option that says how much noise there is.
    profile
        The profile at an amount of noise.
    least
        The least amount that keeps a guarantee, to a relative tolerance.
    """

    assumes: str
    fixed: tuple[str, ...]
    amount: str
    profile: Family
    least: Callable[[Options, PrivacyGuarantee, Exact], Fraction]


def _squared_norm(options: Options) -> Fraction:
    return options.number("norm-bound", Fraction(1)) ** 2


def _wishart_degrees(options: Options) -> Fraction:
    return options.number("degrees", Fraction(options.whole("dimension") + 1))


_REAL = "real-valued noise, independent in each coordinate; floats do not keep this"
_EXACT = "integer-valued statistic and exact sampling"

KNOWN = {
    Noise.LAPLACE: Known(
        f"l1 sensitivity for this relation; {_REAL}",
        ("sensitivity",),
        "scale",
        lambda options, amount: LaplaceProfile(options.number("sensitivity"), amount),
        lambda options, promise, tolerance: calibrate_laplace(options.number("sensitivity"), promise, tolerance),
    ),
    Noise.GAUSSIAN: Known(
        f"l2 sensitivity for this relation; {_REAL}",
        ("sensitivity",),
        "standard-deviation",
        lambda options, amount: GaussianProfile(options.number("sensitivity"), amount),
        lambda options, promise, tolerance: calibrate_gaussian(options.number("sensitivity"), promise, tolerance),
    ),
    Noise.DISCRETE_LAPLACE: Known(
        f"l1 sensitivity for this relation, attained in one coordinate; {_EXACT}",
        ("sensitivity",),
        "scale",
        lambda options, amount: DiscreteLaplaceProfile(options.whole("sensitivity"), amount),
        lambda options, promise, tolerance: calibrate_discrete_laplace(
            options.whole("sensitivity"), promise, tolerance
        ),
    ),
    Noise.DISCRETE_GAUSSIAN: Known(
        f"l2 sensitivity for this relation, --dimension coordinates; {_EXACT}, parameter standard-deviation^2",
        ("sensitivity", "dimension"),
        "standard-deviation",
        lambda options, amount: DiscreteGaussianProfile(
            options.whole("sensitivity") ** 2, amount**2, options.whole("dimension", 1)
        ),
        # A variance that is found is the square of the deviation that was tried.
        lambda options, promise, tolerance: _root(
            calibrate_discrete_gaussian(
                options.whole("sensitivity") ** 2, promise, options.whole("dimension", 1), tolerance
            )
        ),
    ),
    Noise.WISHART: Known(
        "X'X + W_d(m, c I) with records of norm at most --norm-bound, exact real-valued noise",
        ("dimension", "degrees", "norm-bound"),
        "scale",
        lambda options, amount: WishartProfile(
            options.whole("dimension"), _wishart_degrees(options), amount, _squared_norm(options), options.adjacency
        ),
        lambda options, promise, tolerance: calibrate_wishart(
            options.whole("dimension"), _wishart_degrees(options), promise, _squared_norm(options), tolerance
        ),
    ),
    Noise.SKETCH: Known(
        "Gaussian sketch of data whose least singular value without the records in question is at least --floor",
        ("rows", "norm-bound"),
        "floor",
        lambda options, amount: SketchProfile(
            options.whole("rows"), amount, options.number("norm-bound", Fraction(1)), options.adjacency
        ),
        lambda options, promise, tolerance: calibrate_sketch(
            options.whole("rows"), promise, options.number("norm-bound", Fraction(1)), tolerance
        ),
    ),
    Noise.EXPONENTIAL: Known(
        "density proportional to exp(q / scale), --range that of the change of the score q; exact sampling",
        ("range",),
        "scale",
        lambda options, amount: BoundedRangeProfile(options.number("range") / _positive(amount)),
        lambda options, promise, tolerance: 1 / calibrate_score(options.number("range"), promise, tolerance),
    ),
}

DEGREES = Known(
    KNOWN[Noise.WISHART].assumes,
    ("dimension", "scale", "norm-bound"),
    "degrees",
    lambda options, amount: WishartProfile(
        options.whole("dimension"), amount, options.number("scale"), _squared_norm(options), options.adjacency
    ),
    lambda options, promise, _: Fraction(
        calibrate_wishart_degrees(options.whole("dimension"), promise, options.number("scale"), _squared_norm(options))
    ),
)
"""Wishart noise whose scale is given and whose degrees of freedom are sought."""


def known(noise: Noise, options: Options, *, seeks_amount: bool) -> Known:
    """Return a mechanism, after a look at whether its options fit.

    Raises
    ------
    InvalidParameterError
        If an option belongs to another mechanism, or gives what is sought.
    """
    found = KNOWN[noise]
    if seeks_amount and noise is Noise.WISHART and "scale" in options.given and "degrees" not in options.given:
        found = DEGREES
    allowed = found.fixed if seeks_amount else (*found.fixed, found.amount)
    for name in options.given:
        if name not in allowed:
            raise InvalidParameterError(
                name,
                f"it has no place with {noise.value} here",
                f"pass {', '.join(f'--{option}' for option in allowed)}",
            )
    return found


def _positive(amount: Fraction) -> Fraction:
    if amount <= 0:
        raise InvalidParameterError("scale", f"{amount} is not positive", "pass scale > 0")
    return amount


def _root(square: Fraction) -> Fraction:
    return Fraction(isqrt(square.numerator), isqrt(square.denominator))
