"""Algorithm 1: what Laplace input perturbation draws and releases (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpz_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.sensitivity import Entries, l1_sensitivity
from dpmatrix.spec.common.conditions import at_most, equality
from dpmatrix.spec.common.points import GRID, INPUT_HYPOTHESES, ON_A_GRID, GridNoise, InputPerturbation
from dpmatrix.spec.wishart.laplace_perturbation import printed_laplace_scale
from dpmatrix.spec.wishart.scalar_noise import no_delta


@attrs.frozen
class LaplaceRun:
    """One run of an implementation of Algorithm 1 on a grid.

    Parameters
    ----------
    dimension, records, epsilon
        The inputs.
    norm_bound
        Bound on the Euclidean norm of a record.
    scale
        Scale b of the noise on XX'/n.
    gram, noise, output
        The integer Gram matrix of the data on the grid, the integer noise, and what was released (before scaling).
    """

    dimension: int
    records: int
    epsilon: Exact
    norm_bound: Exact
    scale: Exact
    gram: fmpz_mat | None = None
    noise: fmpz_mat | None = None
    output: fmpz_mat | None = None


def covering_margin(p: LaplaceRun) -> arb:
    """Scale minus sensitivity / epsilon, for records of norm up to ``norm_bound``."""
    sensitivity = l1_sensitivity(p.dimension, Adjacency.REPLACE_ONE, Entries.UPPER_TRIANGLE, p.norm_bound)
    return ball(p.scale) - sensitivity / (p.records * ball(p.epsilon))


def printed_scale_margin(p: LaplaceRun) -> arb:
    """``b = 2d/(n epsilon)``."""
    return equality(ball(rational(p.scale) * p.records * rational(p.epsilon)), 2 * arb(p.dimension))


def laplace_run_margin(p: LaplaceRun) -> arb:
    """The scale is 2d/(n epsilon) and enough, the noise is symmetric, the output Gram matrix plus noise: exactly."""
    if p.gram is None or p.noise is None or p.output is None:
        return arb(-1)
    if any(matrix.nrows() != p.dimension or matrix.ncols() != p.dimension for matrix in (p.gram, p.noise, p.output)):
        return arb(-1)
    residual = [p.output - p.gram - p.noise, p.noise - p.noise.transpose()]
    exact = -arb(max(abs(int(entry)) for matrix in residual for entry in matrix.entries()))
    return printed_scale_margin(p).min(exact).min(covering_margin(p))


def off_grid_probability(p: GridNoise) -> arb:
    """Probability that Lap(0, b), b = 2d/(n epsilon), is farther than ``distance`` from hZ.

    In a cell of the grid at x from its left end the density, summed over all cells, is cosh((x - h/2) / b) up to a
    factor; so it is ``sinh((h/2 - distance) / b) / sinh(h / (2b))``.
    """
    scale = printed_laplace_scale(InputPerturbation(p.dimension, p.records, p.epsilon))
    half = ball(p.spacing) / 2
    return ((half - ball(p.distance)) / scale).sinh() / (half / scale).sinh()


ALGORITHM_1 = Claim(
    id="wishart.algorithm-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "wishart",
        "Algorithm 1",
        "input X in R^(d x n); draw (d^2 + d)/2 samples of Lap(0, 2d/(n eps)); fill symmetrically; output XX'/n + L",
    ),
    statement=Statement.of_law(
        "a machine can draw the noise: for some h > 0 a variable of law Lap(0, 2d/(n epsilon)) lies on the grid hZ",
        off_grid_probability,
        at_most=no_delta,
        given=GRID,
        exists=ON_A_GRID,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Changed lines: (2) real-valued Laplace noise is on no grid, so that no machine draws it, and its "
        "floating-point stand-in leaks; records are truncated to a grid, the Gram matrix is an exact integer matrix, "
        "and the noise is discrete Laplace, exact. (1) The input line admits any matrix: the release checks that "
        "|x_i| <= 1, as section 2 assumes and the noise needs."
    ),
    reading="What a machine writes is a multiple of some h > 0, its smallest number; h may depend on nothing.",
    repair=Repair(
        "records of norm at most 1, on a grid, with discrete Laplace noise of the printed scale",
        Statement(
            "the release is the integer Gram matrix plus symmetric integer noise of scale 2d/(n epsilon), which covers "
            "the sensitivity for records of the given norm",
            laplace_run_margin,
            instance=True,
            given=(*INPUT_HYPOTHESES, at_most("norm_bound", 1)),
        ),
    ),
)
