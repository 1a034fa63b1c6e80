"""Algorithm 1: MOD-SULQ, what an implementation draws and returns (section 3.1)."""

from __future__ import annotations

import attrs
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_most
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
    data, unit
        The records that were used, in columns, as integers in units of a public grid; shape (d, n).
    """

    norm_bound: Exact = 1
    deviation: Exact = 1
    gram: fmpz_mat | None = None
    noise: fmpz_mat | None = None
    output: fmpz_mat | None = None
    vectors: fmpq_mat | None = None
    data: fmpz_mat | None = None
    unit: Exact = 1


@attrs.frozen
class Perturbed:
    """The matrix A, a value of the noise N, and a vector v of length d."""

    moment: fmpq_mat
    noise: fmpq_mat
    direction: tuple[Exact, ...]


def form(matrix: fmpq_mat, p: Perturbed) -> fmpq:
    """``v'Mv`` of a matrix M."""
    column = fmpq_mat(len(p.direction), 1, [rational(entry) for entry in p.direction])
    return (column.transpose() * matrix * column)[0, 0]


def semidefinite_margin(p: Perturbed) -> arb:
    """``v'(A + N)v``."""
    return arb(form(p.moment + p.noise, p))


def shape_margin(p: Perturbed) -> arb:
    """``d - 1`` where both matrices are d x d, else -1."""
    sizes = {p.moment.nrows(), p.moment.ncols(), p.noise.nrows(), p.noise.ncols()}
    return arb(len(p.direction) - 1 if sizes == {len(p.direction)} else -1)


def symmetric_margin(p: Perturbed) -> arb:
    """Minus the largest entry of A - A' and of N - N'."""
    residual = [matrix - matrix.transpose() for matrix in (p.moment, p.noise)]
    return -arb(max(abs(entry) for matrix in residual for entry in matrix.entries()))


def moment_margin(p: Perturbed) -> arb:
    """``v'Av``, which is not negative for a second-moment matrix."""
    return arb(form(p.moment, p))


def deviation_margin(p: ModSulqRun) -> arb:
    """The standard deviation is beta of (5), rounded up by at most one part in 2^20."""
    beta, deviation = printed_deviation(p), ball(p.deviation)
    return (deviation - beta).min(beta * (1 + arb(2) ** -20) - deviation)


def records_margin(p: ModSulqRun) -> arb:
    """The smaller of minus the largest entry of the Gram matrix - KK', K the data, and of R^2 - |x_i|^2."""
    if p.data is None or p.gram is None or (p.data.nrows(), p.data.ncols()) != (p.dimension, p.records):
        return arb(-1)
    residual = max(abs(int(entry)) for entry in (p.gram - p.data * p.data.transpose()).entries())
    norms = p.data.transpose() * p.data
    longest = max(fmpq(int(norms[i, i])) for i in range(p.records)) * rational(p.unit) * rational(p.unit)
    return arb(min(fmpq(-residual), rational(p.norm_bound) * rational(p.norm_bound) - longest))


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
    """The least margin of the standard deviation, of the records, of the sum and of the eigenvectors."""
    return deviation_margin(p).min(records_margin(p)).min(residual_margin(p)).min(vectors_margin(p))


ALGORITHM_1 = Claim(
    id="near-optimal.algorithm-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "near-optimal",
        "Algorithm 1",
        "inputs X, eps, delta; A = XX'/n; beta of (5); N symmetric, i.i.d. N(0, beta^2); V_k(A + N)",
    ),
    statement=Statement(
        "step 3 can take V_k of (2), which Definition 1 gives to positive semidefinite matrices: A + N is one, "
        "whatever noise N is drawn",
        semidefinite_margin,
        given=(
            Condition("A and N have shape (d, d), v has d coordinates", shape_margin),
            Condition("A = A' and N = N'", symmetric_margin),
            Condition("v'Av >= 0", moment_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "One run is judged: that the noise has its law is shown on samples, and its privacy by Theorem 5. In the "
        "statement v stands for any vector and N for any value of the noise, whose density is positive everywhere."
    ),
    because=(
        "Changed lines: (1) Definition 1 is for positive semidefinite matrices, and A + N has negative eigenvalues "
        "with positive probability, as the text says: the k greatest by value are taken, not by modulus. (2) k is an "
        "input, though the output has k columns. (3) The entries of a symmetric matrix are not independent: N_ij is "
        "drawn for i <= j and copied, as the text has it. (4) The bound |x_i| <= 1, which section 2 assumes, is part "
        "of the input and enforced, as the noise is calibrated to it.\n\n"
        "(5) Real noise cannot be drawn, and its floating-point stand-in leaks: records are truncated to a grid, the "
        "Gram matrix is an exact integer matrix, and the noise is discrete Gaussian, exact; its delta is certified for "
        "the integers. The eigenvectors are post-processing in floating point. A second calibration takes the minimal "
        "noise that keeps the guarantee, which does not grow with d."
    ),
    repair=Repair(
        "the eigenvectors of the k greatest eigenvalues of A + N, k an input; records of norm at most 1 on a grid, "
        "discrete Gaussian noise on and above the diagonal",
        Statement(
            "the release is the integer Gram matrix of records of norm at most the bound plus symmetric noise of "
            "standard deviation beta, and the k vectors are its eigenvectors of greatest eigenvalues",
            run_margin,
            instance=True,
            given=(*INPUTS, REAL_NOISE, at_most("norm_bound", 1)),
        ),
    ),
)
