"""Corollary 3.7: how many columns compression can serve in the binary game, privately (section 3)."""

from __future__ import annotations

from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Range, Repair, Statement, Step, Verdict
from dpmatrix.exact import ball, square
from dpmatrix.spec.common.conditions import positive
from dpmatrix.spec.compression.affine_masking import AFFINE_MASKING
from dpmatrix.spec.compression.binary_loss import (
    ASSUMED,
    FLOORED,
    SMALL_DELTA_MAX,
    GamePair,
    below_one_margin,
)
from dpmatrix.spec.compression.binary_region import region_bound, region_loss
from dpmatrix.spec.compression.covariances import WITHIN_DELTA_MAX
from dpmatrix.spec.compression.tails import squared_constant
from dpmatrix.spec.compression.transformation import RawPair
from dpmatrix.spec.compression.truncated_loss import exact_loss, renormalisation, setting
from dpmatrix.spec.compression.truncated_mass import logarithm


def quarter_growth_margin(p: GamePair) -> arb:
    """``s^4 n - p^4 ln n``: p <= s (n/log n)^(1/4)."""
    return square(square(ball(p.smallness))) * p.records - p.first.nrows() ** 4 * arb(p.records).log()


def corollary_margin(p: GamePair) -> arb:
    """The bound with g = 3 K s^4 minus the loss over the fixed region."""
    growth = 3 * ball(p.ratio) * square(square(ball(p.smallness)))
    return region_bound(growth, ball(p.floor), p.records) - region_loss(p)


def kept_bound(p: GamePair) -> arb:
    """``(C sqrt(K/2) p^3 + (1 + sqrt(2)) K p^4/n) ln(2np)/(n c^2) + ln(1 + 1/(n^2 - 1))``."""
    size, ratio, n = p.first.nrows(), ball(p.ratio), arb(p.records)
    inner = (squared_constant() * ratio / 2).sqrt() * size**3 + (1 + arb(2).sqrt()) * ratio * size**4 / n
    return inner * logarithm(setting(p)) / (n * square(ball(p.floor))) + renormalisation(p.records)


def kept_margin(p: GamePair) -> arb:
    """The bound on the outputs of (12) minus the loss there."""
    return kept_bound(p) - exact_loss(p)


def few_rows_margin(p: GamePair) -> arb:
    """``K p^2 ln 2np - m``."""
    return ball(p.ratio) * p.first.nrows() ** 2 * logarithm(setting(p)) - p.rows


def columns_margin(p: GamePair) -> arb:
    """``n - p``."""
    return arb(p.records - p.first.nrows())


def column_difference(data: fmpq_mat) -> fmpq:
    """``|x_1 - x_2|^2/n``: the variance of an entry of the difference of the first two columns of Phi X."""
    return sum(((data[i, 0] - data[i, 1]) ** 2 for i in range(data.nrows())), fmpq(0)) / data.nrows()


def told_apart_margin(p: RawPair) -> arb:
    """The variance for X_2 where that for X_1 is zero, and else minus that for X_1."""
    first = column_difference(p.data)
    return arb(column_difference(p.neighbour) if first == 0 else -first)


def equal_columns_margin(p: RawPair) -> arb:
    """Zero exactly when X_1 has two equal columns."""
    return -arb(column_difference(p.data))


def one_sign_margin(p: RawPair) -> arb:
    """Zero exactly when X_1 and X_2 have signs alone, and differ in one of them."""
    first, second = p.data.entries(), p.neighbour.entries()
    wrong = sum(abs(value) != 1 for value in (*first, *second))
    return -arb(wrong + abs(sum(a != b for a, b in zip(first, second, strict=True)) - 1))


QUARTER_GROWTH = Condition("p <= s (n/log n)^(1/4)", quarter_growth_margin)
FEW_ROWS = Condition("m <= K p^2 ln 2np", few_rows_margin)

COROLLARY_3_7 = Claim(
    id="compression.corollary-3-7",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression",
        "Corollary 3.7",
        "p = o((n/log n)^(1/4)) suffices for PCA on compressed data and alpha-DP, alpha = o(1)",
    ),
    statement=Statement(
        "for every C_min and K there are s and n_0 such that under Assumption 1, with s for its o(1), m <= K p^2 ln "
        "2np, p <= s (n/log n)^(1/4) and n >= n_0 give a loss of at most 1",
        below_one_margin,
        given=(*ASSUMED, positive("ratio"), FEW_ROWS, QUARTER_GROWTH),
        exists=(
            Chosen("smallness", after=("c_min", "ratio")),
            Chosen("least_records", after=("c_min", "ratio"), range=Range.WHOLE),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "The privacy loss need not be o(1), not even under Assumption 1: nothing bounds the least eigenvalues, and at "
        "p = 2 it grows like sqrt(log n)."
    ),
    reading=(
        "The privacy is judged here, the PCA in Theorem 5.1. Assumption 1 holds, since the corollary is a case of "
        "Theorem 3.5, and Sigma_1 is the public reference. m is as large as the PCA needs: at least 2 (C_1 + C_2) ln "
        "2np, at most K p^2 ln 2np, K any constant. Of o(1) no more is judged than 1 at most, once all that is o(1) is "
        "below an s, from some n_0 on, that may depend on C_min and K."
    ),
    because=(
        "The neighbours of Theorem D.2: p = 2, columns that differ in sqrt(n/(2 s)) rows, and a sign changed in one "
        "more. Then ||Gamma|| is nearly s, and at m = 4 K ln 4n the loss is about 9 sqrt(K) s ln 4n, above 1 for every "
        "large n. At the least m and s = 1/sqrt(ln n) it is 83 at n = 10^6, 99 at 10^9, and grows.\n\n"
        "Where Assumption 1 fails it may be infinite: X_1 with two equal columns publishes two equal columns, always, "
        "and X_2 with one changed sign never does. So Phi X has no alpha without a condition on the data, as section D "
        "itself says.\n\n"
        "With lambda_min >= c for both and the outputs with |X'X/m| <= 2 Theorem D.2 as repaired gives (1 + 1/(2n)) 3 "
        "K s^4/c^2 + ln(1 + 1/(n^2 - 1)): a guarantee about restricted neighbours, not alpha-differential privacy.\n\n"
        "All data sets are protected by the affine masking that section 1 leaves for future work: Phi X + Z with N(0, "
        "1) entries in Z, drawn anew until |Y_j|^2 <= 4m for every column, has alpha-differential privacy with alpha = "
        "o(1) at the printed growth, and serves PCA (affine-masking, masked-components). At p = 2, n = 10^4 and m = "
        "217 alpha is at most 0.174, and the equal columns above reach 0.159. It is another mechanism, so no "
        "repair.\n\n"
        "PCA with an error of o(1) takes K -> infinity, since the bound p C sqrt(ln 2np/m) on ||B||_F is at least "
        "C/sqrt(K), and then K s^4 -> 0; it is as close as on (12) with probability 1 - 1/(n^2 - 1), not at every "
        "output. With the floor and (12) around a public Sigma_1 the loss tends to 0 even with s and K fixed."
    ),
    repair=Repair(
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c, m <= K p^2 ln 2np; kept are the outputs with |X'X/m| <= 2, for "
        "all neighbours and without a reference; for those of a public Sigma_1 (12) does, at less loss: kept-outputs",
        Statement(
            "any neighbours have a loss of at most (1 + 1/(2n)) 3 K s^4/c^2 + ln(1 + 1/(n^2 - 1)) over the outputs "
            "with |X'X/m| <= 2",
            corollary_margin,
            given=(*FLOORED, QUARTER_GROWTH, FEW_ROWS, Condition("p <= n", columns_margin)),
        ),
    ),
    steps=(
        Step(
            "privacy-needs-constraints",
            Statement(
                "section D: one cannot allow differential privacy without constraints on the data: two equal columns "
                "of signs are equal in Phi X_1 for every Phi, and after one changed sign in Phi X_2 for almost no Phi",
                told_apart_margin,
                given=(
                    Condition("two columns of X_1 are equal", equal_columns_margin),
                    Condition("X_2 has one sign changed", one_sign_margin),
                ),
                strict=True,
            ),
            defect=None,
            note="So the loss is infinite for these neighbours of the binary game; Assumption 1 excludes them.",
        ),
        Step(
            "kept-outputs",
            Statement(
                "with lambda_min(Sigma_1), lambda_min(Sigma_2) >= c, m <= K p^2 ln 2np and the outputs of (12), as "
                "printed, the loss is at most (C sqrt(K/2) p^3 + (1 + sqrt(2)) K p^4/n) ln(2np)/(n c^2) + "
                "ln(1 + 1/(n^2 - 1))",
                kept_margin,
                given=(*FLOORED, WITHIN_DELTA_MAX, SMALL_DELTA_MAX, FEW_ROWS),
            ),
            defect=None,
            note=(
                "At p <= s (n/log n)^(1/4) it tends to 0 with s fixed, and with K growing more slowly than sqrt(n/ln "
                "n), as the PCA asks. At m = K p^2 ln 2np its first term is C sqrt(K/2) p^3 ln(2np)/(n c^2), so that "
                "with K fixed p = o((n/log n)^(1/3)) suffices; 1/4 is printed. The repair needs K s^4 -> 0, but serves "
                "all neighbours and has no reference."
            ),
        ),
        *AFFINE_MASKING,
    ),
    uses=("compression.theorem-d-2+repair",),
)
