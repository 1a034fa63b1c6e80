"""Remark 4.7 and Theorem 3.2: any two databases of S_n, and how small Delta_max must be (sections 3, 4 and A)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import frobenius_norm, trace
from dpmatrix.spec.compression.covariances import (
    definite_margin,
    difference,
    inverse_difference,
    largest_entry,
    least_eigenvalue,
    log_determinant_ratio,
    operator_norm,
)
from dpmatrix.spec.compression.tails import squared_constant
from dpmatrix.spec.compression.truncated_loss import (
    MASSES,
    SIZES,
    OutputPoint,
    TruncatedPair,
    log_density,
    loss_around,
    renormalisation,
    setting,
)
from dpmatrix.spec.compression.truncated_mass import logarithm


@attrs.frozen
class ThreeCovariances:
    """Sigma_k, Sigma_j and the reference Sigma_1, and one output."""

    first: fmpq_mat
    second: fmpq_mat
    reference: fmpq_mat
    output: fmpq_mat


def log_ratio(first: fmpq_mat, second: fmpq_mat, output: fmpq_mat) -> arb:
    """``ln f_k/f_j`` by (15): (m/2)(ln|Sigma_j| - ln|Sigma_k| + tr((Sigma_j^-1 - Sigma_k^-1) X'X/m))."""
    pair = OutputPoint(first, second, output=output)
    linear = trace(inverse_difference(pair) * output.transpose() * output)
    return (output.nrows() * log_determinant_ratio(pair) + arb(linear)) / 2


def chained_margin(p: ThreeCovariances) -> arb:
    """``|ln f_1/f_k| + |ln f_1/f_j| - |ln f_k/f_j|``; the left side by the densities, the right one by (15)."""
    ours, theirs, middle = (log_density(matrix, p.output) for matrix in (p.first, p.second, p.reference))
    return abs(middle - ours) + abs(middle - theirs) - abs(log_ratio(p.first, p.second, p.output))


def three_symmetric_margin(p: ThreeCovariances | SmallDeltaMax) -> arb:
    """Zero exactly when all three matrices are symmetric."""
    matrices = (p.first, p.second, p.reference)
    return -arb(sum(abs(e) for m in matrices for e in (m - m.transpose()).entries()))


def three_definite_margin(p: ThreeCovariances) -> arb:
    """Positive exactly when all three matrices are positive definite."""
    return definite_margin(p.first).min(definite_margin(p.second)).min(definite_margin(p.reference))


THREE_SYMMETRIC = Condition("the three covariances are symmetric", three_symmetric_margin)


REMARK_4_7 = Claim(
    id="compression.remark-4-7",
    kind=Kind.PRIVACY,
    source=Locator("compression", "Remark 4.7", "|ln f_k/f_j| <= |ln f_1/f_k| + |ln f_1/f_j| for all X_k, X_j in S_n"),
    statement=Statement(
        "|ln f_k/f_j| <= |ln f_1/f_k| + |ln f_1/f_j|",
        chained_margin,
        given=(THREE_SYMMETRIC, exceeds("the three covariances are positive definite", three_definite_margin)),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "The triangle inequality for log-ratios; so the alpha of Definition 2.4 is at most twice the bound of Theorem"
        " 4.6."
    ),
)


@attrs.frozen
class SmallDeltaMax(TruncatedPair):
    """Any two covariances of S_n and the reference Sigma_1, with what the theorem says of them.

    Parameters
    ----------
    reference
        Sigma_1, the centre of (12).
    floor
        c, a bound on all eigenvalues from below.
    smallness
        s, which stands for the o(1) of (9).
    """

    reference: fmpq_mat = attrs.field(kw_only=True)
    floor: Exact = attrs.field(kw_only=True)
    smallness: Exact = attrs.field(kw_only=True)


def _growth(p: SmallDeltaMax) -> arb:
    """``p^2 sqrt(m ln 2np)``."""
    return p.first.nrows() ** 2 * (p.rows * logarithm(setting(p))).sqrt()


def explicit_bound(p: SmallDeltaMax) -> arb:
    """``C s / (2 c^2) + s^2/c^2 + ln(1 + 1/(n^2 - 1))``, which tends to 0 with s and 1/n."""
    floor, s = square(ball(p.floor)), ball(p.smallness)
    return squared_constant().sqrt() * s / (2 * floor) + square(s) / floor + renormalisation(p.records)


def sufficient_margin(p: SmallDeltaMax) -> arb:
    """Twice the explicit bound minus the loss of the pair over the outputs around Sigma_1."""
    return 2 * explicit_bound(p) - loss_around(p, p.reference)


@attrs.frozen
class TailOutput:
    """An output of two columns with m equal rows (t, t), the correlation r of a database, and a level a."""

    rows: int
    entry: Exact
    correlation: Exact
    level: Exact


def untruncated_margin(p: TailOutput) -> arb:
    """``|ln f_1/f_i| - a`` of the laws of Phi X, as they are, Sigma_1 = I; (15)."""
    r, t = rational(p.correlation), rational(p.entry)
    output = fmpq_mat(p.rows, 2, [t] * (2 * p.rows))
    return abs(log_ratio(fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[1, r], [r, 1]]), output)) - ball(p.level)


def correlation_margin(p: TailOutput) -> arb:
    """``1 - |r|``."""
    return arb(1 - abs(rational(p.correlation)))


def far_out_margin(p: TailOutput) -> arb:
    """``t^2 r - 2 a``."""
    return arb(rational(p.entry) ** 2 * rational(p.correlation) - 2 * rational(p.level))


def small_delta_max_margin(p: SmallDeltaMax) -> arb:
    """(9): ``s - Delta_max p^2 sqrt(m ln 2np)``."""
    return ball(p.smallness) - ball(p.delta_max) * _growth(p)


def three_normalised_margin(p: SmallDeltaMax) -> arb:
    """Zero exactly when (4) holds: all diagonals are 1."""
    matrices, places = (p.first, p.second, p.reference), range(p.first.nrows())
    return -arb(sum(abs(m[i, i] - 1) for m in matrices for i in places))


def in_set_margin(p: SmallDeltaMax) -> arb:
    """(6): ``Delta_max`` minus the largest entry of any of the three differences."""
    pairs = ((p.first, p.second), (p.first, p.reference), (p.second, p.reference))
    return arb(rational(p.delta_max) - max(largest_entry(one - other) for one, other in pairs))


def floor_margin(p: SmallDeltaMax) -> arb:
    """Least eigenvalue of the three covariances, minus c."""
    least = least_eigenvalue(p.first).min(least_eigenvalue(p.second)).min(least_eigenvalue(p.reference))
    return least - ball(p.floor)


def conditions_16_margin(p: SmallDeltaMax) -> arb:
    """(16) with s: the smaller of s - p^2 Delta_max sqrt(m ln 2np) and s^2 - m p^2 Delta_max^2."""
    second = square(ball(p.smallness)) - p.rows * square(p.first.nrows() * ball(p.delta_max))
    return small_delta_max_margin(p).min(second)


def equal_norms_margin(p: SmallDeltaMax) -> arb:
    """||Delta||_2 = ||Delta||_F = p Delta_max, as printed: minus the sum of the distances."""
    frobenius = frobenius_norm(difference(p))
    first = equality(operator_norm(difference(p)), frobenius)
    return first + equality(frobenius, p.first.nrows() * ball(p.delta_max))


def gamma_margin(p: SmallDeltaMax) -> arb:
    """``p Delta_max / c^2 - ||Gamma||_2``."""
    bound = p.first.nrows() * ball(p.delta_max) / square(ball(p.floor))
    return bound - operator_norm(inverse_difference(p))


IN_SET = Condition("max |Sigma_j - Sigma_k| <= Delta_max for all three", in_set_margin)
FLOOR = Condition("lambda_min >= c for all three", floor_margin)
FAMILY = (
    THREE_SYMMETRIC,
    Condition("all columns are normalised as in (4)", three_normalised_margin),
    IN_SET,
    *SIZES,
)
"""Two databases of S_n and X_1, and enough rows."""
FLOORED = (positive("floor"), FLOOR)
SMALL = Condition("Delta_max <= s / (p^2 sqrt(m ln 2np))", small_delta_max_margin)
SUFFICIENT = (*FAMILY, *MASSES, *FLOORED, SMALL)

THEOREM_3_2 = Claim(
    id="compression.theorem-3-2",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression",
        "Theorem 3.2",
        "m >= Omega(ln 2np), eigenvalues of one order: Delta_max = o(1/(p^2 sqrt(m ln 2np)))",
    ),
    statement=Statement(
        "Delta_max <= s/(p^2 sqrt(m ln 2np)) gives any two databases of S_n a loss of at most (C s + 2 s^2)/c^2 + 2 "
        "ln(1 + 1/(n^2 - 1)) over the kept outputs",
        sufficient_margin,
        given=SUFFICIENT,
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "The laws are those of section 4, truncated and renormalised: section 1 calls that essential, and the proof "
        "begins with the bound of Theorem 4.6, which is about them. The loss meant is alpha = o(1), and delta is "
        "Delta_max. Of 'in the same order' no more is asked than c <= lambda_min of all, and of Assumption 1 nothing: "
        "under (4) the eigenvalues have mean 1, so one order would mean constant order. Omega is 2 (C_1 + C_2); o(.) "
        "is below an s, and the bound tends to 0 with s and 1/n."
    ),
    because=(
        "Theorem 4.6 with its last term sharper, and ||Delta||_F <= p Delta_max: its three terms are at most C "
        "s/(2c^2), s^2/(2c^2) and s^2/(2c^2), and any two databases cost twice (Remark 4.7). Neither Assumption 1 nor "
        "a bound on ||Sigma_1|| is needed: lambda_max may be of order p, where PCA is of most use. For Phi X without "
        "truncation it would fail: two Gaussian laws of different covariance have an unbounded loss, however close "
        "they are. The proof writes ||Delta||_2 = ||Delta||_F = p Delta_max: under (4) Delta has trace zero, so "
        "||Delta||_2 < ||Delta||_F unless it vanishes; <= is what is used."
    ),
    steps=(
        Step(
            "conditions-16",
            Statement(
                "(9) gives p^2 Delta_max sqrt(m ln 2np) <= s and m p^2 Delta_max^2 <= s^2",
                conditions_16_margin,
                given=(whole("records", 2), at_least("delta_max", 0), SMALL),
            ),
            defect=None,
        ),
        Step(
            "equal-norms",
            Statement("||Delta||_2 = ||Delta||_F = p Delta_max", equal_norms_margin, given=SUFFICIENT),
            defect=Defect.FORMULA,
            note="<= in both places.",
        ),
        Step(
            "assumption-1",
            Statement(
                "hence Assumption 1: ||Gamma||_2 <= p Delta_max / c^2",
                gamma_margin,
                given=(THREE_SYMMETRIC, IN_SET, positive("floor"), FLOOR),
            ),
            defect=None,
            note="It takes the floor c, which Assumption 1 itself does not give.",
        ),
        Step(
            "truncation-is-essential",
            Statement(
                "section 1: truncation is essential: at p = 2, Sigma_1 = I and a correlation r, an output of rows "
                "(t, t) alone has |ln f_1/f_i| >= a, once t^2 r >= 2 a",
                untruncated_margin,
                given=(
                    whole("rows", 1),
                    exceeds("|r| < 1", correlation_margin),
                    Condition("t^2 r >= 2 a", far_out_margin),
                ),
            ),
            defect=None,
            note="So no alpha bounds the loss of Phi X itself, however small Delta_max = r is.",
        ),
    ),
    uses=("compression.theorem-4-6", "compression.remark-4-7", "compression.proposition-3-1"),
)
