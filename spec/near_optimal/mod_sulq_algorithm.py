"""Algorithm 1: MOD-SULQ, what an implementation draws and returns (section 3.1)."""

from __future__ import annotations

import attrs
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.conditions import at_most
from dpmatrix.spec.near_optimal.noise import INPUTS, REAL_NOISE, ModSulq, printed_deviation


@attrs.frozen
class ModSulqRun(ModSulq):
    """One run of an implementation of Algorithm 1 on a grid.

    Parameters
    ----------
    norm_bound
        Bound on the Euclidean norm of a record.
    deviation
        Standard deviation of the noise on XX'/n.
    gram, noise, output
        The integer Gram matrix of the data on the grid, the integer noise, and their published sum.
    vectors
        The k returned eigenvectors, shape (d, k), as the rationals that they are.
    """

    norm_bound: Exact = 1
    deviation: Exact = 1
    gram: fmpz_mat | None = None
    noise: fmpz_mat | None = None
    output: fmpz_mat | None = None
    vectors: fmpq_mat | None = None


def any_data_margin(p: ModSulqRun) -> arb:
    """Promised delta minus the exact profile of noise of deviation beta, for records of norm up to ``norm_bound``."""
    sensitivity = frobenius_sensitivity(p.dimension, Adjacency.REPLACE_ONE, p.norm_bound) / p.records
    return ball(p.delta) - GaussianProfile(sensitivity, printed_deviation(p)).delta(p.epsilon)


def deviation_margin(p: ModSulqRun) -> arb:
    """The deviation is beta of (5), rounded up by at most one part in 2^20."""
    beta, deviation = printed_deviation(p), ball(p.deviation)
    return (deviation - beta).min(beta * (1 + arb(2) ** -20) - deviation)


def residual_margin(p: ModSulqRun) -> arb:
    """Minus the largest entry of output - Gram matrix - noise, and of the noise minus its transpose: 0 or worse."""
    if p.gram is None or p.noise is None or p.output is None:
        return arb(-1)
    residual = [p.output - p.gram - p.noise, p.noise - p.noise.transpose()]
    return -arb(max(abs(int(entry)) for matrix in residual for entry in matrix.entries()))


def vectors_margin(p: ModSulqRun) -> arb:
    """``2^-30`` minus the error of V'V = I, and minus what V misses of the k greatest eigenvalues, relatively."""
    if p.output is None or p.vectors is None:
        return arb(-1)
    rank = p.vectors.ncols()
    product = p.vectors.transpose() * p.vectors
    error = max(abs(product[i, j] - int(i == j)) for i in range(rank) for j in range(rank))
    captured = p.vectors.transpose() * fmpq_mat(p.output) * p.vectors
    values = sorted((value.real for value in acb_mat(arb_mat(p.output)).eig()), key=lambda value: float(value.mid()))
    total = sum((captured[i, i] for i in range(rank)), fmpq(0))
    missed = sum(values[-rank:], arb(0)) - arb(total)
    size = arb(sum((abs(rational(int(entry))) for entry in p.output.entries()), fmpq(1)))
    tolerance = arb(2) ** -30
    return (tolerance - arb(error)).min(tolerance - missed / size)


def run_margin(p: ModSulqRun) -> arb:
    """The least margin of the deviation, of the sum and of the eigenvectors."""
    return deviation_margin(p).min(residual_margin(p)).min(vectors_margin(p))


ALGORITHM_1 = Claim(
    id="near-optimal.algorithm-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "near-optimal",
        "Algorithm 1",
        "inputs X, eps, delta; A = XX'/n; beta of (5); N symmetric, i.i.d. N(0, beta^2); V_k(A + N)",
    ),
    statement=Statement(
        "on any raw data matrix noise of deviation beta is (epsilon, delta)-differentially private",
        any_data_margin,
        given=(*INPUTS, REAL_NOISE),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Changed lines: (1) the input must bound |x_i| by 1, as section 2 assumes: at norm 10, d = 2, epsilon = 1 and "
        "delta = 1/100 the exact delta is above 0.99. (2) k is an input. (3) The entries of a symmetric matrix are "
        "not independent: N_ij is drawn for i <= j and copied. (4) Definition 1 is for positive semidefinite "
        "matrices; A + N has negative eigenvalues, and the k greatest by value are taken, not by modulus. (5) Real "
        "noise cannot be drawn, and its floating-point stand-in leaks: records are truncated to a grid, the Gram "
        "matrix is an exact integer matrix, and the noise is discrete Gaussian, exact; its delta is certified for the "
        "integers. The eigenvectors are post-processing in floating point. A second calibration takes the least noise "
        "that keeps the promise, which does not grow with d."
    ),
    repair=Repair(
        "records of norm at most 1 on a grid, discrete Gaussian noise on and above the diagonal, k an input",
        Statement(
            "the release is the integer Gram matrix plus symmetric noise of deviation beta, and the k vectors are its "
            "eigenvectors of greatest eigenvalues",
            run_margin,
            instance=True,
            given=(*INPUTS, REAL_NOISE, at_most("norm_bound", 1)),
        ),
    ),
)
