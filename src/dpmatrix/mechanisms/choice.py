"""``mechanism="auto"``: of the mechanisms that publish a matrix and keep a guarantee, the one of the least error.

The error is the expected square of the Frobenius norm of published X'X less that of the truncated records, or a bound
on it: the noise of each mechanism and the rounding of its output. It follows from public parameters: d, epsilon, delta,
the norm bound and the relation. A divisor divides it by its square, whatever the mechanism: so the choice does not
depend on the number of records, be it public or not. Every candidate truncates records alike, to the `DIGITS` of
`RoundedPerturbation`, so that what truncation and clipping do is the same for all of them.

Mechanisms that draw directions are no candidates: they publish no matrix, and no bound on what they lose is known that
is as sharp as this error without a look at the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, Context
from decimal import Decimal as Number
from fractions import Fraction
from types import UnionType

import attrs
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, precision
from dpmatrix.mechanisms.gaussian_orthogonal import GaussianOrthogonal
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS, KNormMechanism
from dpmatrix.mechanisms.lattice_perturbation import LatticePerturbation
from dpmatrix.mechanisms.menu import GAUSSIAN, MATRICES, AnyMechanism, Settings, build
from dpmatrix.mechanisms.noise_moments import k_norm_moments
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, MOST_EPSILON
from dpmatrix.mechanisms.wishart_noise import public_grid

AUTO = "auto"
"""What asks for a choice."""
K_NORM, STAIRCASE = "k-norm", "staircase"
MOST_PAIRS = 300
"""K-norm noise that needs more pairs on average is left out: with as many as that, a release takes half a second."""
LEAST_GAIN = Fraction(1, 100)
"""Staircase noise is left out where its error is not smaller than that of K-norm noise by this share of it."""
COMPARED = "expected squared Frobenius error of X'X about that of the truncated records, over the norm bound to the 4th"
"""What is compared."""

_BITS = 128


@frozen
class Choice:
    """Which mechanism was chosen, and why; public, as all that it was computed from is.

    Attributes
    ----------
    mechanism
        Its name in the menu.
    delta
        The delta that was asked for. Where the chosen mechanism needs none, its guarantee has none either.
    dimension
        d.
    squared_errors
        Of each candidate that was compared, by its name in the menu: the expected square of the Frobenius norm of
        published X'X less that of the truncated records, at most, in units of the norm bound to the power of four.
    left_out
        Why a candidate was not compared, by its name.
    """

    mechanism: str
    delta: Fraction
    dimension: int
    squared_errors: Mapping[str, Fraction]
    left_out: Mapping[str, str]

    def record(self) -> dict[str, object]:
        """Return the choice as a JSON object; errors have six digits, rounded up."""
        return {
            "asked": AUTO,
            "delta": str(self.delta),
            "compared": COMPARED,
            "squared_errors": {name: _shown(error) for name, error in self.squared_errors.items()},
            "left_out": dict(self.left_out),
        }

    def words(self) -> str:
        """Say in one sentence what was chosen from what."""
        ranked = sorted(self.squared_errors.items(), key=lambda entry: entry[1])
        errors = ", ".join(f"{name} {_shown(error, 4)}" for name, error in ranked)
        without = "".join(f"; without {name}, {reason}" for name, reason in self.left_out.items())
        return f"{self.mechanism} was chosen for d = {self.dimension}. The {COMPARED}: {errors}{without}."


def stand_in(settings: Settings) -> AnyMechanism:
    """Return what reads records as the mechanism will that is asked for, where d is not known yet.

    It is that mechanism itself, unless it is to be chosen: then a candidate, of which each reads records alike.

    Raises
    ------
    InvalidParameterError, NotPrivateError
        If a parameter is out of its domain, or as in `build`.
    """
    if settings.mechanism != AUTO:
        return build(settings)
    return next(iter(_candidates(settings).values()))


def resolve(settings: Settings, dimension: int) -> tuple[AnyMechanism, Choice | None]:
    """Build the mechanism that is asked for, or the one that is chosen, with the choice.

    Parameters
    ----------
    settings
        What is asked for; `AUTO` asks for a choice.
    dimension
        Length d of a record, which is public.

    Raises
    ------
    InvalidParameterError, NotPrivateError
        As in `stand_in`.
    """
    if settings.mechanism != AUTO:
        return build(settings), None
    candidates = _candidates(settings)
    left_out = {name: reason for name, one in candidates.items() if (reason := _reason(one, dimension)) is not None}
    compared = {name: _squared_error(one, dimension) for name, one in candidates.items() if name not in left_out}
    left_out |= _steps_left_out(candidates, compared)
    compared = {name: error for name, error in compared.items() if name not in left_out}
    chosen = min(compared, key=compared.__getitem__)
    unit = candidates[chosen].norm_bound ** 4
    errors = {name: error / unit for name, error in compared.items()}
    choice = Choice(chosen, fraction(settings.delta), dimension, errors, left_out)
    return candidates[chosen], choice


def _candidates(settings: Settings) -> dict[str, AnyMechanism]:
    """Build what keeps the guarantee; pure guarantees are for every delta, and cost none."""
    if settings.calibration != "tight":
        problem = f"{settings.calibration!r} is no choice: mechanisms are compared by the least noise that they need"
        raise InvalidParameterError("calibration", problem, "pass calibration='tight', or name a mechanism")
    pure = attrs.evolve(settings, delta=Fraction(0))
    bits = build(attrs.evolve(pure, mechanism="symmetrised-wishart")).coordinate_bits
    cut_alike = {**settings.public, "coordinate_bits": bits}
    found, epsilon = {}, fraction(settings.public["epsilon"], "epsilon")
    for name, maker in MATRICES.items():
        asked = settings if name in GAUSSIAN else pure
        if name == STAIRCASE and not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
            continue
        if asked is pure or fraction(settings.delta, "delta") != 0:
            public = cut_alike if _is(maker, LatticePerturbation | GaussianOrthogonal) else settings.public
            found[name] = build(attrs.evolve(asked, mechanism=name, public=public))
    return found


def _is(maker: Callable[..., object], kind: type | UnionType) -> bool:
    return isinstance(maker, type) and issubclass(maker, kind)


def _reason(mechanism: AnyMechanism, dimension: int) -> str | None:
    """Say why a candidate is left out; None where it is not."""
    if not isinstance(mechanism, KNormMechanism):
        return None
    if dimension > MOST_COLUMNS:
        return f"which takes at most {MOST_COLUMNS} columns"
    pairs = 1 / k_norm_moments(dimension, replaces=mechanism.replaces).accepted
    return f"which would draw {round(pairs):,} pairs on average" if pairs > MOST_PAIRS else None


def _steps_left_out(candidates: Mapping[str, AnyMechanism], compared: Mapping[str, Fraction]) -> dict[str, str]:
    """Say why staircase noise is left out where it takes no such epsilon, or is hardly better than K-norm noise."""
    if STAIRCASE not in candidates:
        return {STAIRCASE: f"which takes an epsilon from {LEAST_EPSILON} to {MOST_EPSILON}"}
    if STAIRCASE in compared and compared[STAIRCASE] > compared[K_NORM] * (1 - LEAST_GAIN):
        return {STAIRCASE: f"whose error is not smaller than that of {K_NORM} by {LEAST_GAIN * 100} %"}
    return {}


def _squared_error(mechanism: AnyMechanism, dimension: int) -> Fraction:
    """Bound what is compared, for the divisor 1: the roots of the mean squares of noise and rounding add up at most."""
    with precision(_BITS):
        size = noise_size(mechanism, dimension, 1, Fraction(1, 4**mechanism.coordinate_bits))
    if size is None:
        raise TypeError(f"no size of the noise of {mechanism.name}")
    rounding = Fraction(0)
    if isinstance(mechanism, RoundedPerturbation):
        rounding = dimension * public_grid(mechanism.noise_scale(dimension, 1), dimension) / 2
    return (size.frobenius + rounding) ** 2


def _shown(value: Fraction, digits: int = 6) -> str:
    context = Context(prec=digits, rounding=ROUND_CEILING)
    return str(context.divide(Number(value.numerator), Number(value.denominator)))
