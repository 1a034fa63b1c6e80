"""Errors of the mechanisms of pure privacy for up to fifty columns, beside what no mechanism is below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import log10

from dpmatrix.experiments.reproduction import Cell, Reproduction, Series, Tell
from dpmatrix.mechanisms import (
    CoupledTracesMechanism,
    KNormMechanism,
    LaplaceInputPerturbation,
    StaircaseMechanism,
    SymmetrisedWishartMechanism,
    least_squared_error,
)
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, MOST_EPSILON
from dpmatrix.privacy import Adjacency

TARGET = "beyond.least-noise"
DIMENSIONS = tuple(range(1, 51))
EPSILONS = (1,)
KINDS = ("laplace", "symmetrised-wishart", "coupled-traces", "k-norm", "staircase")
"""As the menu of the mechanisms calls them."""
ROUNDED: dict[str, Callable[..., RoundedPerturbation]] = {
    "symmetrised-wishart": SymmetrisedWishartMechanism,
    "coupled-traces": CoupledTracesMechanism,
    "k-norm": KNormMechanism,
    "staircase": StaircaseMechanism,
}
OF_FEW_COLUMNS = ("k-norm", "staircase")
BOUND, LIMIT = "bound", "bound, epsilon -> 0"
RELATIONS = {Adjacency.REPLACE_ONE: "a record replaced", Adjacency.ADD_REMOVE_ONE: "a record added or removed"}


def bound_as_epsilon_vanishes(dimension: int, adjacency: Adjacency) -> float:
    """Return the limit of ``epsilon**2`` times the bound; the quotient is 1 or 4, for a record replaced or not."""
    quotient = 1 if adjacency is Adjacency.REPLACE_ONE else 4
    spread = (dimension - 1) ** 2 * (dimension + 2) ** 2 / quotient
    return max(2.0 * dimension, (spread + 2) / dimension)


def rounded_errors(dimension: int, adjacency: Adjacency, epsilon: Fraction) -> Iterator[tuple[str, float]]:
    """Yield the mean squared Frobenius norm of each noise of X'X that is rounded, where it takes such d and epsilon."""
    for name, kind in ROUNDED.items():
        if dimension > MOST_COLUMNS and name in OF_FEW_COLUMNS:
            continue
        if LEAST_EPSILON <= epsilon <= MOST_EPSILON or kind is not StaircaseMechanism:
            yield name, float(kind(epsilon, adjacency=adjacency).mean_squared_error(dimension, 1))


def errors(dimension: int, adjacency: Adjacency, epsilon: float = 1) -> Iterator[tuple[str, float]]:
    """Yield the mean squared Frobenius norm of each noise of X'X, and the bounds; epsilon as the decimal it prints."""
    exact = Fraction(str(epsilon))
    laplace = LaplaceInputPerturbation(exact, adjacency=adjacency)
    if size := noise_size(laplace, dimension, 1, laplace.grid_for(range(1))):
        yield KINDS[0], float(size.frobenius) ** 2
    yield from rounded_errors(dimension, adjacency, exact)
    yield BOUND, float(least_squared_error(exact, dimension, adjacency))
    yield LIMIT, bound_as_epsilon_vanishes(dimension, adjacency) / epsilon**2


def pure_noise_figure(
    tell: Tell, dimensions: tuple[int, ...] = DIMENSIONS, epsilons: tuple[float, ...] = EPSILONS
) -> Reproduction:
    """Compute the errors for each number of columns, both relations and each epsilon; nothing is drawn."""
    rows: list[tuple[Cell, ...]] = []
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    places = list(product(RELATIONS.items(), epsilons, dimensions))
    for done, ((adjacency, relation), epsilon, dimension) in enumerate(places, start=1):
        found = dict(errors(dimension, adjacency, epsilon))
        rows.append((relation, dimension, *(found.get(name) for name in (*KINDS, BOUND, LIMIT)), epsilon))
        panel = relation if len(epsilons) == 1 else f"{relation}, epsilon = {epsilon:g}"
        for name, value in found.items():
            lines.setdefault((panel, name), []).append((dimension, log10(value)))
        tell(done, len(places))
    series = [
        Series(panel, name, [float(place) for place, _ in line], [value for _, value in line])
        for (panel, name), line in lines.items()
    ]
    listed = ", ".join(f"{epsilon:g}" for epsilon in epsilons)
    notes = (
        "mean squared Frobenius norms of the noise of X'X, records in the unit ball, exact up to floats",
        f"epsilon = {listed}",
        f"K-norm and staircase noise are drawn for at most {MOST_COLUMNS} columns",
        f"staircase noise is drawn for epsilon from {LEAST_EPSILON} to {MOST_EPSILON}, and its mean square rounded up",
        "the bounds are for the worst data set of any size and hold for every mechanism of pure privacy",
        "the limit as epsilon -> 0 is that of epsilon^2 times the bound, over epsilon^2",
    )
    along = "log10 of the mean square"
    columns = ("relation", "d", *KINDS, BOUND, LIMIT, "epsilon")
    return Reproduction(TARGET, columns, tuple(rows), notes, tuple(series), "columns d", along, logarithmic=True)
