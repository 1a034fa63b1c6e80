"""Theorem 9: the error of the rank-k approximation (section 4)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, positive, whole
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.common.spectra import (
    diagonal,
    disagreement,
    eigenvalues,
    nonnegative_spectrum,
    orthonormality,
    spectral_norm,
)
from dpmatrix.spec.wishart.low_rank_orders import ORDERS
from dpmatrix.spec.wishart.private_noise import are_semidefinite, larger_norm, scale_of_one_record
from dpmatrix.spec.wishart.wishart_perturbation import printed_wishart_scale
from dpmatrix.spec.wishart.wishart_tail import WishartTail, printed_threshold


@attrs.frozen
class LowRankRelease:
    """An output A + W of the Wishart mechanism without 1/n, by its eigenvectors and eigenvalues, and the noise in it.

    Parameters
    ----------
    eigenvectors
        Orthogonal d x d matrix, one eigenvector of A + W in each column.
    eigenvalues
        Eigenvalues of A + W in the order of the columns, decreasing.
    noise
        The symmetric d x d matrix W.
    rank
        The rank k of the approximation.
    epsilon
        Stated epsilon.
    theta
        Exponent of the tail bound of the noise.
    constant
        The constant that O hides.
    """

    eigenvectors: fmpq_mat
    eigenvalues: tuple[Exact, ...]
    noise: fmpq_mat
    rank: int
    epsilon: Exact
    theta: Exact
    constant: Exact


def from_spectrum(p: LowRankRelease, count: int) -> fmpq_mat:
    """``V diag(values) V'`` with all but the first ``count`` values replaced by 0."""
    kept = [value if place < count else 0 for place, value in enumerate(p.eigenvalues)]
    return p.eigenvectors * diagonal(kept) * p.eigenvectors.transpose()


def data_matrix(p: LowRankRelease) -> fmpq_mat:
    """``A = (A + W) - W``."""
    return from_spectrum(p, len(p.eigenvalues)) - p.noise


def next_eigenvalue(p: LowRankRelease) -> arb:
    """``lambda_(k+1)(A)``, and 0 at k = d."""
    return [*eigenvalues(data_matrix(p)), arb(0)][p.rank]


def approximation_error(p: LowRankRelease) -> arb:
    """``||A - A^_k||_2``."""
    return spectral_norm(data_matrix(p) - from_spectrum(p, p.rank))


def printed_error_margin(p: LowRankRelease) -> arb:
    """``lambda_(k+1) + K d log d / epsilon - ||A - A^_k||_2``."""
    d = len(p.eigenvalues)
    return next_eigenvalue(p) + ball(p.constant) * d * arb(d).log() / ball(p.epsilon) - approximation_error(p)


def noise_threshold(p: LowRankRelease) -> arb:
    """``(d + 1 + sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) 3 / (2 epsilon)``: Lemma 1 at m = d + 1, n = 1."""
    d = len(p.eigenvalues)
    scale = printed_wishart_scale(InputPerturbation(d, 1, p.epsilon))
    return printed_threshold(WishartTail((scale,) * d, d + 1, p.theta))


def repaired_error_margin(p: LowRankRelease) -> arb:
    """``lambda_(k+1)`` plus the threshold of the noise minus ``||A - A^_k||_2``."""
    return next_eigenvalue(p) + noise_threshold(p) - approximation_error(p)


def doubled_error_margin(p: LowRankRelease) -> arb:
    """``lambda_(k+1) + 2 ||W||_2 - ||A - A^_k||_2``."""
    return next_eigenvalue(p) + 2 * spectral_norm(p.noise) - approximation_error(p)


def orthogonal_margin(p: LowRankRelease) -> arb:
    """Zero exactly when V is an orthogonal d x d matrix, d the number of eigenvalues."""
    d = len(p.eigenvalues)
    shape = abs(p.eigenvectors.nrows() - d) + abs(p.eigenvectors.ncols() - d)
    return -arb(shape) if shape else orthonormality(p.eigenvectors)


def decreasing_margin(p: LowRankRelease) -> arb:
    """Return the smallest difference of consecutive eigenvalues."""
    values = [rational(value) for value in p.eigenvalues]
    return arb(min((high - low for high, low in pairwise(values)), default=fmpq(0)))


def symmetric_margin(p: LowRankRelease) -> arb:
    """Equality of W with its transpose."""
    return disagreement(p.noise, p.noise.transpose())


def data_semidefinite_margin(p: LowRankRelease) -> arb:
    """A = XX' is positive semidefinite."""
    return nonnegative_spectrum(data_matrix(p))


def noise_semidefinite_margin(p: LowRankRelease) -> arb:
    """W is positive semidefinite."""
    return nonnegative_spectrum(p.noise)


def rank_margin(p: LowRankRelease) -> arb:
    """``d - k``."""
    return arb(len(p.eigenvalues) - p.rank)


def event_margin(p: LowRankRelease) -> arb:
    """Threshold of the noise minus ``||W||_2``."""
    return noise_threshold(p) - spectral_norm(p.noise)


SPECTRAL_RELEASE = (
    exceeds("the eigenvectors are orthonormal", orthogonal_margin, strict=False),
    exceeds("the eigenvalues decrease", decreasing_margin, strict=False),
    exceeds("W is symmetric", symmetric_margin, strict=False),
    exceeds("A is positive semidefinite", data_semidefinite_margin, strict=False),
    exceeds("W is positive semidefinite", noise_semidefinite_margin, strict=False),
    whole("rank", 1),
    exceeds("k <= d", rank_margin, strict=False),
)
RELEASE = (*SPECTRAL_RELEASE, positive("epsilon"))


@attrs.frozen
class PrivateRelease(LowRankRelease):
    """A release with the noise W_1 - W_2 of the repaired Theorem 4, which is ``noise``.

    Parameters
    ----------
    removed
        W_2, a rational d x d matrix.
    """

    removed: fmpq_mat


def private_threshold(p: PrivateRelease) -> arb:
    """Lemma 1 at m = d + 1 and C = cI, for the scale c that hides a record."""
    d = len(p.eigenvalues)
    return printed_threshold(WishartTail((scale_of_one_record(d, p.epsilon),) * d, d + 1, p.theta))


def private_error_margin(p: PrivateRelease) -> arb:
    """``lambda_(k+1)`` plus twice the threshold minus ``||A - A^_k||_2``."""
    return next_eigenvalue(p) + 2 * private_threshold(p) - approximation_error(p)


def semidefinite_parts_margin(p: PrivateRelease) -> arb:
    """Non-negative exactly when W_1 and W_2 are symmetric d x d matrices without a negative eigenvalue."""
    return are_semidefinite(p.noise, p.removed)


def private_event_margin(p: PrivateRelease) -> arb:
    """Threshold minus the larger of ``||W_1||_2`` and ``||W_2||_2``."""
    return private_threshold(p) - larger_norm(p.noise, p.removed)


SPECTRUM, SIZES = (SPECTRAL_RELEASE[0], SPECTRAL_RELEASE[1], SPECTRAL_RELEASE[3]), SPECTRAL_RELEASE[5:]
PRIVATE_NOISE = Step(
    "private-noise",
    Statement(
        "with the noise W_1 - W_2 of the repaired Theorem 4, c = 1/epsilon, in place of W: on the event that Lemma 1 "
        "bounds both norms, of probability at least 1 - 2d exp(-theta), ||A - A^_k||_2 <= lambda_(k+1) + (d + 1 + "
        "sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) 2c",
        private_error_margin,
        given=(
            *SPECTRUM,
            exceeds("W_1 and W_2 are positive semidefinite", semidefinite_parts_margin, strict=False),
            *SIZES,
            positive("epsilon"),
            at_least("theta", 0),
            exceeds("||W_1||_2 and ||W_2||_2 are at most the threshold of Lemma 1", private_event_margin, strict=False),
        ),
    ),
    defect=None,
    note="not printed, as the printed noise is not private; the bound is 4/3 of that of the repair (d >= 2)",
)

THEOREM_9 = Claim(
    id="wishart.theorem-9",
    kind=Kind.UTILITY,
    source=Locator("wishart", "Theorem 9", "||A - A^_k||_2 <= lambda_(k+1) + O(d log d / epsilon), A = XX'"),
    statement=Statement(
        "for some K, ||A - A^_k||_2 <= lambda_(k+1) + K d log d / epsilon for every outcome W of the noise",
        printed_error_margin,
        given=(*RELEASE, positive("constant")),
        exists=(Chosen("constant"),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline=(
        "No probability is named: as a certainty the bound fails, since the error is unbounded; with probability at "
        "least 1 - d exp(-theta) an explicit one holds."
    ),
    because=(
        "No probability is named, and the noise is unbounded: at A = 0 the error is ||W||_2, which passes every bound "
        "with positive probability. On the event of Lemma 1 the bound holds with the printed constants. As A - A^_k is "
        "a difference of two semidefinite matrices, ||W||_2 enters once and not twice.\n\n"
        "With the private noise W_1 - W_2 of Theorem 4 a bound of the same order holds, 4/3 as large beyond "
        "lambda_(k+1), with probability at least 1 - 2d exp(-theta)."
    ),
    reading=(
        "W is any positive semidefinite matrix, as each neighbourhood of one has positive probability; lambda_(d+1) is "
        "0. The probability of at least 1 - d exp(-theta) is that of the event of Lemma 1 at m = d + 1, "
        "C = 3 / (2 epsilon) I, and is not computed; theta = c log d gives O(d log d / epsilon) for d >= 2 (the step "
        "`order-of-the-threshold` of Lemma 1); the logarithm is superfluous."
    ),
    repair=Repair(
        "with probability at least 1 - d exp(-theta), and an explicit bound",
        Statement(
            "on the event of Lemma 1, of probability at least 1 - d exp(-theta), "
            "||A - A^_k||_2 <= lambda_(k+1) + (d + 1 + sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) 3 / (2 epsilon)",
            repaired_error_margin,
            given=(
                *RELEASE,
                at_least("theta", 0),
                exceeds("||W||_2 is at most the threshold of Lemma 1", event_margin, strict=False),
            ),
        ),
    ),
    steps=(
        Step(
            "perturbation",
            Statement(
                "the lemma that is applied: ||A - A^_k||_2 <= lambda_(k+1) + 2 ||W||_2",
                doubled_error_margin,
                given=SPECTRAL_RELEASE,
            ),
            defect=None,
            note="For semidefinite W the factor 2 is not needed.",
        ),
        PRIVATE_NOISE,
        *ORDERS,
    ),
    uses=("wishart.lemma-1",),
)
