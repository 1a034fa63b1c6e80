"""Noise of approximate privacy, for one number and for matrices, beside what no mechanism is below."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, log1p, log10

from dpmatrix.exact import Exact
from dpmatrix.experiments.reproduction import Cell, Reproduction, Series, Tell
from dpmatrix.mechanisms import AnalyzeGauss, KNormMechanism, SymmetrisedWishartMechanism, least_squared_error_under
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.privacy import Adjacency, PrivacyGuarantee, calibrate
from dpmatrix.privacy.profiles import GaussianProfile

TARGET = "beyond.approximate-noise"
EPSILONS = (0.1, 0.2, 0.5, 1, 2, 4, 8)
DELTAS = (1e-9, 1e-6, 1e-3)
COLUMNS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50)
EPSILON, DELTA = 1, 1e-6
"""Of the matrices."""
LAPLACE, TRUNCATED, GAUSSIAN, BOUND = "laplace", "truncated laplace", "gaussian", "bound"
ONE = (LAPLACE, TRUNCATED, GAUSSIAN, BOUND)
PURE = ("symmetrised-wishart", "k-norm")


def truncated_square(epsilon: float, delta: float) -> float:
    """Return the variance of Laplace noise cut off where Geng, Ding, Guo and Kumar (2018) do, for sensitivity one.

    Its density is proportional to e^(-epsilon |x|) for |x| up to log(1 + (e^epsilon - 1)/(2 delta))/epsilon.
    """
    reach = log1p(expm1(epsilon) / (2 * delta))
    missing = reach * (reach + 2) / expm1(reach)
    return (2 - missing) / epsilon**2


def one_number(epsilon: Exact, delta: Exact) -> dict[str, float]:
    """Return the variance of each noise for one number that a record changes by at most one, and the bound."""
    guarantee = PrivacyGuarantee(epsilon, delta, Adjacency.ADD_REMOVE_ONE)
    deviation = calibrate(lambda s: GaussianProfile(1, s), guarantee)
    return {
        LAPLACE: 2 / float(guarantee.epsilon) ** 2,
        TRUNCATED: truncated_square(float(guarantee.epsilon), float(guarantee.delta)),
        GAUSSIAN: float(deviation) ** 2,
        BOUND: float(least_squared_error_under(guarantee, 1)),
    }


def matrices(dimension: int) -> Iterator[tuple[str, float]]:
    """Yield the mean squared Frobenius norm of each noise of X'X, a record replaced, and the bound."""
    wishart, k_norm = PURE
    yield wishart, float(SymmetrisedWishartMechanism(EPSILON).mean_squared_error(dimension, 1))
    if dimension <= MOST_COLUMNS:
        yield k_norm, float(KNormMechanism(EPSILON).mean_squared_error(dimension, 1))
    gaussian = AnalyzeGauss(EPSILON, Adjacency.REPLACE_ONE, delta=DELTA)
    if size := noise_size(gaussian, dimension, 1, gaussian.grid_for(range(1))):
        yield GAUSSIAN, float(size.frobenius) ** 2
    guarantee = PrivacyGuarantee(EPSILON, DELTA, Adjacency.REPLACE_ONE)
    yield BOUND, float(least_squared_error_under(guarantee, dimension))


def approximate_noise_figure(tell: Tell) -> Reproduction:
    """Compute the variances; nothing is drawn."""
    rows: list[tuple[Cell, ...]] = []
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    total = len(DELTAS) * len(EPSILONS) + len(COLUMNS)

    def keep(panel: str, place: float, found: dict[str, float]) -> None:
        rows.append((panel, place, *(found.get(name) for name in (*PURE, *ONE))))
        for name, value in found.items():
            lines.setdefault((panel, name), []).append((place, log10(value)))
        tell(len(rows), total)

    for delta in DELTAS:
        for epsilon in EPSILONS:
            keep(f"one number, delta = {delta:g}", epsilon, one_number(epsilon, delta))
    for dimension in COLUMNS:
        keep(f"X'X, epsilon = {EPSILON}, delta = {DELTA}", dimension, dict(matrices(dimension)))
    series = [
        Series(panel, name, [place for place, _ in line], [value for _, value in line])
        for (panel, name), line in lines.items()
    ]
    notes = (
        "variances for one number that one record changes by at most one, against epsilon",
        "mean squared Frobenius norms of the noise of X'X, one record of the unit ball replaced, against d",
        "laplace, symmetrised-wishart and k-norm keep delta = 0; truncated laplace is that of Geng and others (2018)",
        "the bound is for the worst data set of any size and holds for every mechanism of that guarantee",
    )
    return Reproduction(
        TARGET,
        ("panel", "epsilon or d", *PURE, *ONE),
        tuple(rows),
        notes,
        tuple(series),
        "epsilon, or columns d",
        "log10 of the mean square",
        logarithmic=True,
    )
