"""Speed of profiles and calibrations against float formulas: `make bench`, or run this file for a table.

Ratios are formed within one run, with the contenders taken in turn. The peers are the same formulas in floats (scipy),
and dp-accounting's numerical composition where that is installed. A float formula certifies nothing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, log1p, sqrt
from typing import NamedTuple

import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm

from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
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

PROFILE_LIMIT = 0.5e-3
CALIBRATION_LIMIT = 30e-3
"""Most that one call may take in the usual range, in seconds of processor time, by the least of five rounds."""

ONE, TWO = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), ONE)
REPLACEMENT = PrivacyGuarantee(1, Fraction(1, 10**6), TWO)


def float_gaussian(shift: float, epsilon: float) -> float:
    return float(norm.cdf(shift / 2 - epsilon / shift) - exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift))


def float_wishart(degrees: int, shift: float, epsilon: float) -> float:
    present = shift / -_expm1(-(shift - epsilon) / (degrees / 2 - 1))
    absent = shift / -_expm1(-(shift + epsilon) / (degrees / 2 - 1))
    ahead = chi2.sf(2 * (present - shift), degrees) - exp(epsilon) * chi2.sf(2 * present, degrees)
    behind = chi2.cdf(2 * absent, degrees) - exp(epsilon) * chi2.cdf(2 * (absent - shift), degrees)
    return float(max(ahead, behind) if shift > epsilon else behind)


def _expm1(value: float) -> float:
    return exp(value) - 1


def float_sketch(rows: int, floor: float, epsilon: float) -> float:
    inflation = floor**-2
    cut = (rows / 2 * log1p(inflation) + epsilon) / inflation
    return float(chi2.sf(2 * cut, rows) - exp(epsilon) * chi2.sf(2 * cut * (1 + inflation), rows))


def float_discrete_gaussian(shift: int, variance: float, epsilon: float) -> float:
    last = ceil(shift / 2 - epsilon * variance / shift) - 1
    reach = int(12 * sqrt(variance)) + shift
    masses = {k: exp(-k * k / (2 * variance)) for k in range(-reach, reach + 1)}
    near = sum(mass for k, mass in masses.items() if k <= last)
    far = sum(mass for k, mass in masses.items() if k <= last - shift)
    return (near - exp(epsilon) * far) / sum(masses.values())


def float_discrete_laplace(shift: int, scale: float, epsilon: float) -> float:
    steps, q = ceil((shift - epsilon * scale) / 2), exp(-1 / scale)
    return 1 - (q**steps + exp(epsilon) * q ** (shift - steps + 1)) / (1 + q)


class Contest(NamedTuple):
    """A certified call, the float one beside it if there is one, and the most that the first may take."""

    ours: Callable[[], object]
    peer: Callable[[], float] | None
    limit: float


CONTESTS = {
    "profile: Laplace": Contest(lambda: LaplaceProfile(1, 2).delta(0.25), lambda: 1 - exp(-0.125), PROFILE_LIMIT),
    "profile: Gaussian": Contest(
        lambda: GaussianProfile(1, 4).delta(1), lambda: float_gaussian(0.25, 1.0), PROFILE_LIMIT
    ),
    "profile: Wishart": Contest(
        lambda: WishartProfile(10, 60, 2, 1, ONE).delta(0.2), lambda: float_wishart(51, 0.25, 0.2), PROFILE_LIMIT
    ),
    "profile: discrete Laplace": Contest(
        lambda: DiscreteLaplaceProfile(5, 20).delta(0.1), lambda: float_discrete_laplace(5, 20.0, 0.1), PROFILE_LIMIT
    ),
    "profile: discrete Gaussian": Contest(
        lambda: DiscreteGaussianProfile(25, 400).delta(1), lambda: float_discrete_gaussian(5, 400.0, 1.0), PROFILE_LIMIT
    ),
    "profile: discrete Gaussian, v = 1e6": Contest(
        lambda: DiscreteGaussianProfile(10**4, 10**6).delta(0.5),
        lambda: float_discrete_gaussian(100, 1e6, 0.5),
        PROFILE_LIMIT,
    ),
    "profile: discrete Gaussian vector": Contest(
        lambda: DiscreteGaussianProfile(10**4, 10**6, 100).delta(0.5), lambda: float_gaussian(0.1, 0.5), PROFILE_LIMIT
    ),
    "profile: sketch": Contest(
        lambda: SketchProfile(20, 5).delta(0.5), lambda: float_sketch(20, 5.0, 0.5), PROFILE_LIMIT
    ),
    "profile: score": Contest(
        lambda: BoundedRangeProfile(2).delta(1), lambda: (1 - exp(-0.5)) ** 2 / (1 - exp(-2)), PROFILE_LIMIT
    ),
    "calibration: Laplace": Contest(lambda: calibrate_laplace(1, PROMISE), None, CALIBRATION_LIMIT),
    "calibration: Gaussian": Contest(
        lambda: calibrate_gaussian(1, PROMISE),
        lambda: 1 / brentq(lambda shift: float_gaussian(shift, 1.0) - 1e-6, 0.01, 1, rtol=1e-2),
        CALIBRATION_LIMIT,
    ),
    "calibration: Wishart": Contest(lambda: calibrate_wishart(10, 60, PROMISE), None, CALIBRATION_LIMIT),
    "calibration: Wishart, replacement": Contest(
        lambda: calibrate_wishart(10, 60, REPLACEMENT), None, CALIBRATION_LIMIT
    ),
    "calibration: degrees of freedom": Contest(lambda: calibrate_wishart_degrees(10, PROMISE), None, CALIBRATION_LIMIT),
    "calibration: discrete Laplace": Contest(lambda: calibrate_discrete_laplace(5, PROMISE), None, CALIBRATION_LIMIT),
    "calibration: discrete Gaussian": Contest(
        lambda: calibrate_discrete_gaussian(25, PROMISE), None, CALIBRATION_LIMIT
    ),
    "calibration: discrete Gaussian vector": Contest(
        lambda: calibrate_discrete_gaussian(10**4, PROMISE, 100), None, CALIBRATION_LIMIT
    ),
    "calibration: sketch": Contest(
        lambda: calibrate_sketch(20, PROMISE),
        lambda: brentq(lambda floor: float_sketch(20, floor, 1.0) - 1e-6, 1, 50, rtol=1e-2),
        CALIBRATION_LIMIT,
    ),
    "calibration: sketch, replacement": Contest(lambda: calibrate_sketch(20, REPLACEMENT), None, CALIBRATION_LIMIT),
    "calibration: score": Contest(lambda: calibrate_score(2, PROMISE), None, CALIBRATION_LIMIT),
}


def seconds(call: Callable[[], object], calls: int) -> float:
    """Measure the processor time of one call as the mean of several."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


def in_turn(contest: Contest, rounds: int = 5) -> tuple[float, float | None]:
    """Return the least time of a call and the median ratio to its peer, both measured alternately."""
    contest.ours()
    calls = 20 if contest.limit == PROFILE_LIMIT else 2
    times, ratios = [], []
    for _ in range(rounds):
        times.append(seconds(contest.ours, calls))
        if contest.peer is not None:
            # The clock is too coarse for a single one of the cheapest formulas.
            ratios.append(times[-1] / max(seconds(contest.peer, 200 if contest.limit == PROFILE_LIMIT else 5), 1e-9))
    return min(times), statistics.median(ratios) if ratios else None


@pytest.mark.benchmark(group="privacy")
@pytest.mark.parametrize("name", CONTESTS)
def test_privacy_call(benchmark, name: str) -> None:
    contest = CONTESTS[name]
    least, ratio = in_turn(contest)
    benchmark.pedantic(contest.ours, rounds=5, iterations=3, warmup_rounds=1)
    benchmark.extra_info["ratio to floats"] = ratio
    assert least < contest.limit


@pytest.mark.parametrize("name", [name for name, contest in CONTESTS.items() if contest.peer is not None])
def test_float_peers_compute_the_same_number(name: str) -> None:
    contest = CONTESTS[name]
    tolerance = 1e-2 if "vector" in name or "calibration" in name else 1e-6
    assert contest.peer() == pytest.approx(float(contest.ours()), rel=2 * tolerance)


@pytest.mark.benchmark(group="privacy")
def test_discrete_gaussian_against_dp_accounting(benchmark) -> None:
    """dp-accounting asks for the same single-shift profile; skipped where it is not installed."""
    mechanisms = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")

    def peer() -> float:
        return mechanisms.DiscreteGaussianPrivacyLoss(sigma=20, sensitivity=5).get_delta_for_epsilon(1.0)

    ours = DiscreteGaussianProfile(25, 400)
    assert peer() == pytest.approx(float(ours.delta(1)), rel=1e-6)
    benchmark.pedantic(lambda: ours.delta(1), rounds=5, iterations=3)
    benchmark.extra_info["ratio to dp-accounting"] = seconds(lambda: ours.delta(1), 20) / seconds(peer, 20)


def main() -> None:
    """Print the table: least time of a call, and the median ratio to the float formula."""
    print(f"{'':40}{'ms':>9}{'limit':>8}{'over floats':>13}")
    for name, contest in CONTESTS.items():
        least, ratio = in_turn(contest)
        print(f"{name:40}{1e3 * least:9.3f}{1e3 * contest.limit:8.1f}{f'{ratio:.1f}' if ratio else '-':>13}")


if __name__ == "__main__":
    main()
