"""The noise that the documents print, set against the exact privacy profile: where it fails, and where it wastes.

Every constant is taken as its document prints it, for records of norm at most 1, with the adjacency that the document
means. `judge` asks two questions at a point: does the printed noise keep the guarantee, and how much noise would have?
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from attrs import evolve, frozen
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, Real, ball, fraction, rational
from dpmatrix.privacy import (
    Adjacency,
    Entries,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
    calibrate_gaussian,
    calibrate_laplace,
    calibrate_sketch,
    calibrate_wishart_degrees,
    frobenius_sensitivity,
    l1_sensitivity,
)
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.cross_gaussian import GaussianScales, first_scale, second_scale
from dpmatrix.spec.wishart.wishart_perturbation import printed_wishart_scale

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE


@frozen
class Setting:
    """Where a constant is judged: the guarantee, and the sizes that its formula contains.

    Attributes
    ----------
    epsilon, delta
        The guarantee; delta is 0 where the document guarantees pure privacy.
    dimension
        Length d of a record.
    rows
        Rows r of the sketch, where there is one.
    """

    epsilon: Real
    delta: Real
    dimension: int = 10
    rows: int = 50


@frozen
class PrintedNoise:
    """A constant of a document.

    Attributes
    ----------
    claim
        The claim that the constant belongs to.
    says
        The formula, as it is printed.
    parameter
        What the noise is measured by.
    adjacency
        The relation that the document means.
    pure
        Whether the document guarantees delta = 0.
    printed
        The value of the parameter.
    profile
        The profile of the noise at a value of the parameter.
    tight
        The least value that meets a guarantee, if any does.
    """

    claim: str
    says: str
    parameter: str
    adjacency: Adjacency
    pure: bool
    printed: Callable[[Setting], Real]
    profile: Callable[[Setting, Real], PrivacyProfile]
    tight: Callable[[Setting, PrivacyGuarantee], Exact] | None


@frozen
class Judgement:
    """What became of a constant at one setting.

    Attributes
    ----------
    noise
        The constant.
    setting
        Where it was judged.
    printed
        The printed value.
    delta
        The exact delta of the printed noise at the guaranteed epsilon; an interval where the profile is one.
    keeps
        True or False when certain, None when the interval leaves it open.
    tight
        The least value that keeps the guarantee up to a relative 1/128, rounded to the safe side; None where none does.
    """

    noise: PrintedNoise
    setting: Setting
    printed: Real
    delta: arb
    keeps: bool | None
    tight: Fraction | None

    @property
    def excess(self) -> float | None:
        """Printed over least value: above 1 wasted, below 1 not enough."""
        return None if self.tight is None else float(ball(self.printed) / ball(self.tight))


def margin(noise: PrintedNoise, setting: Setting) -> arb:
    """Enclose the guaranteed delta less the exact one: at least 0 where the printed noise keeps the guarantee."""
    return ball(setting.delta) - noise.profile(setting, noise.printed(setting)).delta(setting.epsilon)


def judge(noise: PrintedNoise, setting: Setting) -> Judgement:
    """Judge one constant at one setting, whose epsilon and delta are exact.

    Raises
    ------
    InvalidParameterError
        If epsilon <= 0, delta is outside [0, 1), one of them is a ball, or the formula has no positive value there.
    """
    asked = evolve(setting, delta=0) if noise.pure else setting
    if isinstance(asked.epsilon, arb) or isinstance(asked.delta, arb):
        raise InvalidParameterError("setting", "its epsilon or delta is a ball", "judge points; `margin` takes balls")
    promise = PrivacyGuarantee(asked.epsilon, asked.delta, noise.adjacency)
    printed = noise.printed(asked)
    if not ball(printed) > 0:
        raise InvalidParameterError("setting", f"the formula of {noise.claim} has no positive value", "go elsewhere")
    delta = noise.profile(asked, printed).delta(asked.epsilon)
    gap = ball(promise.delta) - delta
    keeps = True if gap >= 0 else False if gap < 0 else None
    tight = None if noise.tight is None else fraction(noise.tight(asked, promise))
    return Judgement(noise, asked, printed, delta, keeps, tight)


def _over(numerator: int, epsilon: Real) -> Real:
    """Divide exactly where epsilon is exact: a pure guarantee is met with nothing to spare."""
    return numerator / epsilon if isinstance(epsilon, arb) else numerator / rational(epsilon)


def _log(numerator: Real, delta: Real) -> arb:
    return (ball(numerator) / ball(delta)).log()


def _gaussian(claim: str, says: str, adjacency: Adjacency, printed: Callable[[Setting], arb]) -> PrintedNoise:
    """Gaussian noise on the second-moment matrix, whose l2 sensitivity is the same for a triangle and for all of it."""
    return PrintedNoise(
        claim,
        says,
        "standard deviation, times n",
        adjacency,
        False,
        printed,
        lambda s, deviation: GaussianProfile(frobenius_sensitivity(s.dimension, adjacency), deviation),
        lambda s, promise: calibrate_gaussian(frobenius_sensitivity(s.dimension, adjacency), promise),
    )


def _wishart_degrees(claim: str, says: str, printed: Callable[[Setting], arb]) -> PrintedNoise:
    return PrintedNoise(
        claim,
        says,
        "tau, the degrees of freedom",
        ADD,
        False,
        printed,
        lambda s, degrees: WishartProfile(s.dimension, degrees, 1, 1, ADD),
        lambda s, promise: calibrate_wishart_degrees(s.dimension, promise),
    )


def _sketch(claim: str, says: str, rows: Callable[[Setting], int], printed: Callable[[Setting], arb]) -> PrintedNoise:
    return PrintedNoise(
        claim,
        says,
        "least singular value",
        ADD,
        False,
        printed,
        lambda s, floor: SketchProfile(rows(s), floor, 1, ADD),
        lambda s, promise: calibrate_sketch(rows(s), promise),
    )


def _upper_l1(setting: Setting) -> arb:
    return l1_sensitivity(setting.dimension, REPLACE, Entries.UPPER_TRIANGLE)


def sulq_deviation(setting: Setting) -> arb:
    """Scale the deviation of SULQ by n: the root of ``8 d^2 log^2(d / delta) / epsilon^2``."""
    return arb(8).sqrt() * setting.dimension * _log(setting.dimension, setting.delta) / ball(setting.epsilon)


def _scales(setting: Setting) -> GaussianScales:
    return GaussianScales(setting.dimension, setting.epsilon, setting.delta)


def sketch_floor(setting: Setting, factor: int) -> arb:
    """``(f sqrt(r log(4/delta)) + log(4/delta)) / epsilon``: f = 4 in Theorem 12 and 16 in Algorithm 3."""
    log = _log(4, setting.delta)
    return (factor * (setting.rows * log).sqrt() + log) / ball(setting.epsilon)


PRINTED = (
    PrintedNoise(
        "wishart.theorem-1",
        "scale s_1 / epsilon",
        "Laplace scale, over the sensitivity",
        REPLACE,
        True,
        lambda s: _over(1, s.epsilon),
        lambda _, scale: LaplaceProfile(1, scale),
        lambda _, promise: calibrate_laplace(1, promise),
    ),
    _gaussian(
        "wishart.theorem-2", "c s_2 / epsilon, c^2 = 2 ln(1.25 / delta)", REPLACE, lambda s: first_scale(_scales(s))
    ),
    PrintedNoise(
        "wishart.algorithm-1",
        "Laplace scale 2 d / (n epsilon)",
        "Laplace scale, times n",
        REPLACE,
        True,
        lambda s: _over(2 * s.dimension, s.epsilon),
        lambda s, scale: LaplaceProfile(_upper_l1(s), scale),
        lambda s, promise: calibrate_laplace(_upper_l1(s), promise),
    ),
    PrintedNoise(
        "wishart.algorithm-2",
        "W_d(d + 1, c I), c = 3 / (2 n epsilon)",
        "Wishart scale c, times n",
        REPLACE,
        True,
        lambda s: printed_wishart_scale(InputPerturbation(s.dimension, 1, s.epsilon)),
        lambda s, scale: WishartProfile(s.dimension, s.dimension + 1, scale, 1, REPLACE),
        None,
    ),
    _gaussian(
        "analyze-gauss.algorithm-1",
        "Delta = (1 + sqrt(2 log(1 / delta))) / epsilon, one row added",
        ADD,
        lambda s: printed_deviation(s.epsilon, s.delta),
    ),
    _gaussian(
        "analyze-gauss.algorithm-1",
        "the same Delta, one row replaced",
        REPLACE,
        lambda s: printed_deviation(s.epsilon, s.delta),
    ),
    _gaussian("near-optimal.sulq", "variance 8 d^2 log^2(d / delta) / (n epsilon)^2", REPLACE, sulq_deviation),
    _gaussian("near-optimal.algorithm-1", "beta of (5)", REPLACE, lambda s: second_scale(_scales(s))),
    _wishart_degrees(
        "sliding-window.theorem-11",
        "tau = d + 28 ln(4 / delta) / epsilon^2",
        lambda s: s.dimension + 28 * _log(4, s.delta) / ball(s.epsilon) ** 2,
    ),
    _wishart_degrees(
        "sliding-window.algorithm-7",
        "tau = floor(d + 14 log(1 / delta) / epsilon^2)",
        lambda s: (s.dimension + 14 * _log(1, s.delta) / ball(s.epsilon) ** 2).floor(),
    ),
    _sketch(
        "sliding-window.theorem-12",
        "w = (4 sqrt(r log(4 / delta)) + log(4 / delta)) / epsilon",
        lambda s: s.rows,
        lambda s: sketch_floor(s, 4),
    ),
    _sketch(
        "sliding-window.algorithm-3",
        "sigma = (16 sqrt(r log(4 / delta)) + log(4 / delta)) / epsilon, with 4 r / eta rows, eta = 1/4",
        lambda s: 16 * s.rows,
        lambda s: sketch_floor(s, 16),
    ),
)
