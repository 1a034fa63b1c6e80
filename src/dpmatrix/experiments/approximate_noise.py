"""Noise of approximate privacy, for one number and for matrices, beside what no mechanism is below."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import expm1, log1p, log10
from statistics import median_low

from dpmatrix.exact import Exact
from dpmatrix.experiments.pure_noise import RELATIONS, ROUNDED, rounded_errors
from dpmatrix.experiments.reproduction import Cell, Reproduction, Series, Tell
from dpmatrix.mechanisms import AnalyzeGauss, GaussianOrthogonal, least_squared_error_under
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.privacy import Adjacency, PrivacyGuarantee, calibrate
from dpmatrix.privacy.profiles import GaussianProfile

TARGET = "beyond.approximate-noise"
EPSILONS = (0.1, 0.2, 0.5, 1, 2, 4, 8)
DELTAS = (1e-9, 1e-6, 1e-3)
COLUMNS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50)
LAPLACE, TRUNCATED, GAUSSIAN, BOUND = "laplace", "truncated laplace", "gaussian", "bound"
ORTHOGONAL = "gaussian-orthogonal"
"""As the menu of the mechanisms calls it."""
NOISES = (*ROUNDED, LAPLACE, TRUNCATED, GAUSSIAN, ORTHOGONAL, BOUND)
"""The columns of the table: mechanisms of pure privacy first."""


def truncated_square(epsilon: float, delta: float) -> float:
    """Return the variance of Laplace noise cut off where Geng, Ding, Guo and Kumar (2018) do, for sensitivity one.

    Its density is proportional to e^(-epsilon |x|) for |x| up to log(1 + (e^epsilon - 1)/(2 delta))/epsilon.
    """
    reach = log1p(expm1(epsilon) / (2 * delta))
    missing = reach * (reach + 2) / expm1(reach)
    return (2 - missing) / epsilon**2


def one_number(epsilon: Exact, delta: Exact) -> dict[str, float]:
    """Return the variance of each noise for one number that a record changes by at most one, and a bound if found."""
    guarantee = PrivacyGuarantee(epsilon, delta, Adjacency.ADD_REMOVE_ONE)
    deviation = calibrate(lambda s: GaussianProfile(1, s), guarantee)
    return {
        LAPLACE: 2 / float(guarantee.epsilon) ** 2,
        TRUNCATED: truncated_square(float(guarantee.epsilon), float(guarantee.delta)),
        GAUSSIAN: float(deviation) ** 2,
        **dict(_bound(guarantee, 1)),
    }


def _bound(guarantee: PrivacyGuarantee, dimension: int) -> Iterator[tuple[str, float]]:
    """Yield the bound, unless the search for it found none: zero has no place on a logarithmic axis."""
    if found := least_squared_error_under(guarantee, dimension):
        yield BOUND, float(found)


def matrices(guarantee: PrivacyGuarantee, dimension: int) -> Iterator[tuple[str, float]]:
    """Yield the mean squared Frobenius norm of each noise of X'X, and a bound if one is found.

    Parameters
    ----------
    guarantee
        Epsilon, delta > 0, which the mechanisms of pure privacy leave at zero, and the relation.
    dimension
        d, the number of columns, at least 1.
    """
    epsilon, delta, adjacency = guarantee.epsilon, guarantee.delta, guarantee.adjacency
    yield from rounded_errors(dimension, adjacency, epsilon)
    gaussian = AnalyzeGauss(epsilon, adjacency, delta=delta)
    if size := noise_size(gaussian, dimension, 1, gaussian.grid_for(range(1))):
        yield GAUSSIAN, float(size.frobenius) ** 2
    yield ORTHOGONAL, float(GaussianOrthogonal(epsilon, adjacency, delta=delta).mean_squared_error(dimension, 1))
    yield from _bound(guarantee, dimension)


def approximate_noise_figure(
    tell: Tell,
    dimensions: tuple[int, ...] = COLUMNS,
    epsilons: tuple[float, ...] = EPSILONS,
    deltas: tuple[float, ...] = DELTAS,
) -> Reproduction:
    """Compute the variances; nothing is drawn.

    Parameters
    ----------
    tell
        Is told how many values are done, and of how many.
    dimensions
        Numbers of columns of the matrices, each at least 1.
    epsilons, deltas
        Of one number: every pair of them. Of the matrices: the middle epsilon and the middle delta, the lower one of
        two; as the decimals that they print.
    """
    rows: list[tuple[Cell, ...]] = []
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    total = len(deltas) * len(epsilons) + len(RELATIONS) * len(dimensions)

    def keep(panel: str, place: float, found: dict[str, float]) -> None:
        rows.append((panel, place, *(found.get(name) for name in NOISES)))
        for name, value in found.items():
            lines.setdefault((panel, name), []).append((place, log10(value)))
        tell(len(rows), total)

    for delta, epsilon in product(deltas, epsilons):
        keep(f"one number, delta = {delta:g}", epsilon, one_number(Fraction(str(epsilon)), Fraction(str(delta))))
    epsilon, delta = median_low(epsilons), median_low(deltas)
    for (adjacency, relation), dimension in product(RELATIONS.items(), dimensions):
        guarantee = PrivacyGuarantee(Fraction(str(epsilon)), Fraction(str(delta)), adjacency)
        panel = f"X'X, {relation}, epsilon = {epsilon:g}, delta = {delta:g}"
        keep(panel, dimension, dict(matrices(guarantee, dimension)))
    series = [
        Series(panel, name, [place for place, _ in line], [value for _, value in line])
        for (panel, name), line in lines.items()
    ]
    notes = (
        "variances for one number that one record changes by at most one, against epsilon",
        "mean squared Frobenius norms of the noise of X'X, records in the unit ball, against d",
        f"{', '.join((LAPLACE, *ROUNDED))} keep delta = 0; {TRUNCATED} is that of Geng and others (2018)",
        f"K-norm noise is drawn for at most {MOST_COLUMNS} columns",
        "the bound is for the worst data set of any size and holds for every mechanism of that guarantee",
        "no bound is shown where the linear programme finds none",
    )
    return Reproduction(
        TARGET,
        ("panel", "epsilon or d", *NOISES),
        tuple(rows),
        notes,
        tuple(series),
        "epsilon, or columns d",
        "log10 of the mean square",
        logarithmic=True,
    )
