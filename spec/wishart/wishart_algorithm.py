"""Algorithm 2 and semidefiniteness: what Wishart input perturbation draws, and where its output lies (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least, at_most, equality, exceeds, positive
from dpmatrix.spec.common.points import GRID, INPUT_HYPOTHESES, ON_A_GRID, GridNoise, InputPerturbation
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.wishart.scalar_noise import no_delta
from dpmatrix.spec.wishart.wishart_perturbation import printed_wishart_scale


@attrs.frozen
class PositiveDefiniteSum:
    """Data X (d x n), Gaussian factor G (d x m) of W = GG', and a direction u (d x 1); rational."""

    data: fmpq_mat
    factor: fmpq_mat
    direction: fmpq_mat


def quadratic_form_margin(p: PositiveDefiniteSum) -> arb:
    """``u'(XX'/n + GG')u``, exactly."""
    total = p.data * p.data.transpose() / fmpq(p.data.ncols()) + p.factor * p.factor.transpose()
    return arb(fmpq((p.direction.transpose() * total * p.direction)[0, 0]))


def rows_margin(p: PositiveDefiniteSum) -> arb:
    """Zero exactly when the shapes are d x n, d x m and d x 1."""
    d = p.data.nrows()
    return -arb(abs(p.factor.nrows() - d) + abs(p.direction.nrows() - d) + abs(p.direction.ncols() - 1))


@attrs.frozen
class LaplaceDiagonal:
    """A diagonal entry a in [0, 1] of XX'/n, and the scale of the Laplace noise that it receives."""

    entry: Real
    scale: Real


def negative_diagonal_probability(p: LaplaceDiagonal) -> arb:
    """Pr(a + Lap(b) < 0) = exp(-a/b)/2: the probability of a certainly indefinite output."""
    return (-ball(p.entry) / ball(p.scale)).exp() / 2


@attrs.frozen
class GaussianDiagonal:
    """A diagonal entry a in [0, 1] of XX'/n, and the standard deviation of the normal noise that it receives."""

    entry: Real
    deviation: Real


def negative_gaussian_probability(p: GaussianDiagonal) -> arb:
    """Pr(a + N(0, s^2) < 0) = erfc(a / (s sqrt(2)))/2: the probability of a certainly indefinite output."""
    return (ball(p.entry) / (ball(p.deviation) * arb(2).sqrt())).erfc() / 2


PSD_PRESERVATION = Claim(
    id="wishart.psd-preservation",
    kind=Kind.UTILITY,
    source=Locator("wishart", "section 3", "Algorithm 2 keeps the output positive semidefinite; Algorithm 1 does not"),
    statement=Statement(
        "XX'/n + W is positive semidefinite, W = GG'",
        quadratic_form_margin,
        given=(exceeds("X, G and u have d rows, u one column", rows_margin, strict=False),),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "u'(XX'/n + GG')u = |X'u|^2 / n + |G'u|^2. This is also what breaks Theorem 4: noise that never leaves the "
        "cone tells neighbours apart at its boundary."
    ),
    steps=(
        Step(
            "laplace-may-leave-the-cone",
            Statement(
                "Laplace input perturbation leaves the cone with positive probability: Pr(a + Lap(0, b) < 0) > 0 for a "
                "diagonal entry a",
                negative_diagonal_probability,
                given=(at_least("entry", 0), at_most("entry", 1), positive("scale")),
                strict=True,
            ),
            defect=None,
        ),
        Step(
            "gaussian-may-leave-the-cone",
            Statement(
                "a covariance matrix with symmetric Gaussian noise may have a negative eigenvalue: "
                "Pr(a + N(0, s^2) < 0) > 0 for a diagonal entry a",
                negative_gaussian_probability,
                given=(at_least("entry", 0), at_most("entry", 1), positive("deviation")),
                strict=True,
            ),
            defect=None,
        ),
    ),
)


@attrs.frozen
class WishartRun:
    """What an implementation of Algorithm 2 draws for d, n and epsilon.

    Parameters
    ----------
    dimension, records, epsilon
        The inputs.
    degrees_of_freedom, scale
        m and c of the W_d(m, cI) that it draws.
    norm_bound
        Bound on the Euclidean norm of a record.
    """

    dimension: int
    records: int
    epsilon: Exact
    degrees_of_freedom: int
    scale: Exact
    norm_bound: Exact = 1


def wishart_run_margin(p: WishartRun) -> arb:
    """The degrees of freedom are d + 1 and the scale is 3/(2 n epsilon), exactly."""
    scale = equality(ball(2 * rational(p.scale) * p.records * rational(p.epsilon)), arb(3))
    return scale.min(equality(arb(p.degrees_of_freedom), arb(p.dimension + 1)))


def needed_scale_margin(p: WishartRun) -> arb:
    """Scale c minus what the proof of Theorem 4 asks for when records have norms up to R: 3 R^2 / (2 n epsilon)."""
    needed = 3 * rational(p.norm_bound) ** 2 / (2 * p.records * rational(p.epsilon))
    return arb(rational(p.scale) - needed)


def conforming_run_margin(p: WishartRun) -> arb:
    """The law is the printed one, and its scale what the proof asks for."""
    return wishart_run_margin(p).min(needed_scale_margin(p))


def off_grid_probability(p: GridNoise) -> arb:
    """Probability that an entry W_11 ~ c chi^2_(d+1) of the noise is farther than ``distance`` from hZ.

    It is at least that of the first cell, between ``distance`` and h - ``distance``, and at most 1.
    """
    scale = printed_wishart_scale(InputPerturbation(p.dimension, p.records, p.epsilon))
    half_degrees = arb(p.dimension + 1) / 2

    def beyond(level: arb) -> arb:
        return (level / (2 * scale)).gamma_upper(half_degrees, regularized=True)

    first_cell = beyond(ball(p.distance)) - beyond(ball(p.spacing) - ball(p.distance))
    return first_cell.union(arb(1))


@attrs.frozen
class RecordsBeside:
    """Data X (d x n), Gaussian factor G (d x m) of W = GG', and the factor s by which G is scaled into records."""

    data: fmpq_mat
    factor: fmpq_mat
    stretch: Exact


def same_rows_margin(p: RecordsBeside) -> arb:
    """Zero exactly when X and G have the same number of rows."""
    return -arb(abs(p.data.nrows() - p.factor.nrows()))


def root_of_records_margin(p: RecordsBeside) -> arb:
    """Zero exactly when ``s^2 = n``."""
    return equality(arb(rational(p.stretch) ** 2), arb(p.data.ncols()))


def records_beside_margin(p: RecordsBeside) -> arb:
    """XX'/n + GG' against the sum of zz'/n over the columns z of X and of sG, exactly."""
    records = [*p.data.transpose().tolist(), *(p.factor * rational(p.stretch)).transpose().tolist()]
    scatter = fmpq_mat(p.data.nrows(), p.data.nrows())
    for record in records:
        z = fmpq_mat([record])
        scatter += z.transpose() * z
    released = p.data * p.data.transpose() / p.data.ncols() + p.factor * p.factor.transpose()
    return disagreement(released, scatter / p.data.ncols())


@attrs.frozen
class ScaledRelease:
    """Data X (d x n) of norms up to R, and the Gaussian factor G (d x m) of noise for data of norm at most 1."""

    data: fmpq_mat
    factor: fmpq_mat
    norm_bound: Exact


def scaled_release_margin(p: ScaledRelease) -> arb:
    """R^2 times the release for X/R is XX'/n + (RG)(RG)', exactly: that of noise with R^2 C in place of C."""
    bound, records = rational(p.norm_bound), p.data.ncols()
    unit, wide = p.data * (1 / bound), p.factor * bound
    released = unit * unit.transpose() / records + p.factor * p.factor.transpose()
    return disagreement(released * bound**2, p.data * p.data.transpose() / records + wide * wide.transpose())


ALGORITHM_2 = Claim(
    id="wishart.algorithm-2",
    kind=Kind.ALGORITHM,
    source=Locator(
        "wishart", "Algorithm 2", "draw W from W_d(d+1, C), C with d equal eigenvalues 3/(2 n eps); output XX'/n + W"
    ),
    statement=Statement.of_law(
        "a machine can draw the noise: for some h > 0 the entries of W ~ W_d(d + 1, cI), c = 3/(2 n epsilon), are on "
        "the grid hZ",
        off_grid_probability,
        at_most=no_delta,
        given=GRID,
        exists=ON_A_GRID,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Changed lines: (5) real-valued noise is on no grid, so that no machine publishes it; the release is the "
        "correct rounding of the ideal output to a public grid. (1) The input line admits any matrix: the release "
        "checks that |x_i| <= 1, as section 2 assumes and the scale needs. Equal eigenvalues make C = cI. It does not "
        "keep its guarantee (Theorem 4): the class asks for an acknowledgement and its releases are never private."
    ),
    reading="What a machine writes is a multiple of some h > 0, its smallest number; h may depend on nothing.",
    repair=Repair(
        "records of norm at most 1; the output rounded to a grid",
        Statement(
            "the noise is W_d(d + 1, cI) with c = 3/(2 n epsilon), the scale that the proof of Theorem 4 asks for at "
            "the given norm",
            conforming_run_margin,
            instance=True,
            given=(*INPUT_HYPOTHESES, at_most("norm_bound", 1)),
        ),
    ),
    steps=(
        Step(
            "unit-norm-without-loss",
            Statement(
                "section 4: norm at most 1 is no loss of generality: for norms up to R, R^2 times the release for X/R "
                "is XX'/n plus noise of scale R^2 C",
                scaled_release_margin,
                given=(positive("norm_bound"),),
            ),
            defect=None,
            note="R must be public, and the noise grows with R^2.",
        ),
        Step(
            "gaussian-records-beside",
            Statement(
                "section 1: to add W is to add Gaussian records to the data: XX'/n + GG' is the sum of zz'/n over the "
                "records x_i and the Gaussian records s g_j beside them, s^2 = n and g_j the columns of G",
                records_beside_margin,
                given=(
                    exceeds("X and G have the same number of rows", same_rows_margin, strict=False),
                    exceeds("s^2 = n", root_of_records_margin, strict=False),
                ),
            ),
            defect=None,
            note=("Independent noise on each record would be another law: it adds XG' + GX' as well, of either sign."),
        ),
    ),
)
