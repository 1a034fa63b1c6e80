"""Theorem D.2: the privacy loss in the binary game (section D)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Range, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import positive, whole
from dpmatrix.spec.common.spectra import disagreement, frobenius_norm
from dpmatrix.spec.compression.binary_distance import rare_outputs
from dpmatrix.spec.compression.binary_game import SignRows, row_change, signs_margin
from dpmatrix.spec.compression.binary_region import region_bound, region_loss
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    NORMALISED,
    SYMMETRIC,
    WITHIN_DELTA_MAX,
    difference,
    inverse_difference,
    largest_eigenvalue,
    largest_entry,
    least_eigenvalue,
    operator_norm,
)
from dpmatrix.spec.compression.truncated_loss import (
    MASSES,
    SIZES,
    TRUNCATED,
    TruncatedPair,
    exact_loss,
    renormalisation,
    setting,
)
from dpmatrix.spec.compression.truncated_mass import threshold


@attrs.frozen
class GamePair(TruncatedPair):
    """Covariances of two neighbours in the binary game, and the numbers that stand for what is asymptotic.

    Parameters
    ----------
    row, flipped
        The row of signs x that changes, and what it becomes.
    smallness
        s in p <= s sqrt(n/m) or p <= s (n/log n)^(1/4).
    floor
        c, a bound on the eigenvalues from below.
    ratio
        K in m <= K p^2 ln 2np.
    c_min
        C_min of Assumption 1, and s is what it calls o(1) as well.
    least_records
        From which n on the theorem speaks.
    """

    row: tuple[int, ...] = attrs.field(kw_only=True)
    flipped: tuple[int, ...] = attrs.field(kw_only=True)
    smallness: Exact = attrs.field(kw_only=True)
    floor: Exact = attrs.field(kw_only=True)
    ratio: Exact = attrs.field(kw_only=True)
    c_min: Exact = attrs.field(kw_only=True)
    least_records: int = attrs.field(kw_only=True)


def _rows(p: GamePair) -> SignRows:
    return SignRows(p.row, p.flipped, p.records)


def game_margin(p: GamePair) -> arb:
    """Zero exactly when Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs."""
    return disagreement(difference(p), row_change(_rows(p))) + signs_margin(_rows(p))


def delta_max_margin(p: GamePair) -> arb:
    """``2/n - Delta_max``."""
    return arb(fmpq(2, p.records) - rational(p.delta_max))


def growth_margin(p: GamePair) -> arb:
    """``s^2 n - p^2 m``: p <= s sqrt(n/m)."""
    return square(ball(p.smallness)) * p.records - p.first.nrows() ** 2 * p.rows


def below_one_margin(p: GamePair) -> arb:
    """1 minus the loss."""
    return 1 - exact_loss(p)


def upper_eigenvalue_margin(p: GamePair) -> arb:
    """``1/lambda_max(Sigma_1) - C_min``."""
    return 1 / largest_eigenvalue(p.first) - ball(p.c_min)


def small_gamma_margin(p: GamePair) -> arb:
    """``s`` minus the larger of ``||Gamma||_2`` and ``||Delta||_2``."""
    return ball(p.smallness) - operator_norm(inverse_difference(p)).max(operator_norm(difference(p)))


def late_margin(p: GamePair) -> arb:
    """``n - n_0``."""
    return arb(p.records - p.least_records)


def plugged_bound(p: GamePair) -> arb:
    """The display of the proof: m p^2/(n l_2 l_1) (C sqrt(ln 2np/m) + 2/n + 2 ||Sigma_1||^2/(n l_2 l_1)) + o(1)."""
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    inner = threshold(setting(p)) + arb(fmpq(2, p.records))
    inner += 2 * square(largest_eigenvalue(p.first)) / (p.records * least)
    return p.rows * p.first.nrows() ** 2 / (p.records * least) * inner + renormalisation(p.records)


def plugged_margin(p: GamePair) -> arb:
    """The display minus the loss."""
    return plugged_bound(p) - exact_loss(p)


def kept_bound(p: GamePair) -> arb:
    """``(s^2/c^2)(C sqrt(ln 2np/(2m)) + (1 + sqrt(2))/n) + ln(1 + 1/(n^2 - 1))``."""
    growth, root = square(ball(p.smallness)) / square(ball(p.floor)), arb(2).sqrt()
    return growth * (threshold(setting(p)) / root + (1 + root) / p.records) + renormalisation(p.records)


def kept_margin(p: GamePair) -> arb:
    """The bound on the outputs of (12) minus the loss there."""
    return kept_bound(p) - exact_loss(p)


def explicit_margin(p: GamePair) -> arb:
    """The bound with g = s^2 minus the loss over the fixed region."""
    growth = square(ball(p.smallness))
    return region_bound(growth, ball(p.floor), p.records) - region_loss(p)


def entries_margin(p: GamePair) -> arb:
    """``2/n - max |Delta_jk|``."""
    return arb(fmpq(2, p.records) - largest_entry(difference(p)))


def frobenius_margin(p: GamePair) -> arb:
    """``p/n - ||Delta||_F``."""
    return arb(fmpq(p.first.nrows(), p.records)) - frobenius_norm(difference(p))


def floor_margin(p: GamePair) -> arb:
    """The smaller of lambda_min(Sigma_1) - c and lambda_min(Sigma_2) - c."""
    return least_eigenvalue(p.first).min(least_eigenvalue(p.second)) - ball(p.floor)


GAME = Condition("Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs", game_margin)
SMALL_DELTA_MAX = Condition("Delta_max <= 2/n", delta_max_margin)
LATE = Condition("n >= n_0", late_margin)
ASSUMED = (
    *DEFINITE,
    NORMALISED,
    WITHIN_DELTA_MAX,
    *SIZES,
    *MASSES,
    GAME,
    SMALL_DELTA_MAX,
    positive("c_min"),
    Condition("1/lambda_max(Sigma_1) >= C_min", upper_eigenvalue_margin),
    Condition("||Gamma||_2, ||Delta||_2 <= s", small_gamma_margin),
    LATE,
)
"""Neighbours in the game under Assumption 1, with s for its o(1)."""
PLUGGED = (*TRUNCATED, GAME, SMALL_DELTA_MAX)
FLOORED = (
    SYMMETRIC,
    NORMALISED,
    *SIZES,
    *MASSES,
    GAME,
    positive("floor"),
    Condition("lambda_min(Sigma_1), lambda_min(Sigma_2) >= c", floor_margin),
)
"""Any neighbours in the game whose covariances have no eigenvalue below c."""
GROWTH = Condition("p <= s sqrt(n/m)", growth_margin)

THEOREM_D_2 = Claim(
    id="compression.theorem-d-2",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression",
        "Theorem D.2",
        "alpha(m, tau) <= |m p^2 (C sqrt(ln 2np/m) + O(1/n)) / (n lambda_min(Sigma_2) lambda_min(Sigma_1))| = o(1) "
        "for p = o(sqrt(n/m)), m >= Omega(ln 2np)",
    ),
    statement=Statement(
        "for every C_min there are s and n_0 such that under Assumption 1, with s for its o(1), p <= s sqrt(n/m) and n "
        ">= n_0 give a loss of at most 1",
        below_one_margin,
        given=(*ASSUMED, GROWTH),
        exists=(Chosen("smallness", after=("c_min",)), Chosen("least_records", after=("c_min",), range=Range.WHOLE)),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "The privacy loss need not be o(1), not even under Assumption 1: nothing bounds the least eigenvalues, and at "
        "p = 2 it is 83 at n = 10^6 and grows."
    ),
    reading=(
        "Assumption 1 holds, since the theorem is a corollary of Theorem 4.6; Sigma_1 is public, and Delta_max is the "
        "largest entry of Delta. Of o(1) no more is judged than 1 at most, once all that is o(1) is below an s, from "
        "some n_0 on, that may depend on C_min. Omega is 2 (C_1 + C_2), and O(1/n) is read off the proof."
    ),
    because=(
        "Nothing bounds the least eigenvalues. p = 2, columns that differ in k = sqrt(n sqrt(ln n)/2) rows, and a sign "
        "changed in one more: 1/lambda_max > 1/2, ||Delta|| = 2/n, ||Gamma|| = n/(2 k (k+1)) falls like 1/sqrt(ln n), "
        "and at the least m the loss is 83 at n = 10^6, 99 at n = 10^9, and grows.\n\n"
        "More rows make any ||Gamma|| = s "
        "do: with m = 1/s^2, or the least m allowed if that is larger, the loss exceeds 1 for every large n. Where "
        "Assumption 1 fails, it exceeds 10^5 at n = 10^4 for columns that differ in one row against two, and is "
        "infinite where the columns of X_1 are equal.\n\n"
        "These are losses at rare outputs: without truncation or floor the laws of Phi X lie within (1/2) sqrt(m p "
        "||Gamma||/n) of each other in total variation (rare-outputs), 0.0065 at the n = 10^6 above, and o(1) under "
        "Assumption 1. That is (0, delta)-privacy with a delta far above 1/n, and no bound on alpha.\n\n"
        "The display of the proof is true although ||Delta||_F <= p/n is "
        "not: a factor 2 lost in (15) pays for the sqrt(2).\n\n"
        "With lambda_min >= c alone alpha is o(1), for neighbours of a public Sigma_1 and the outputs of (12). With a "
        "region that no data determine besides, |X'X/m| <= 2, X'X/m has a trace of at most 2p and ||Gamma|| is at most "
        "p/(n c^2); ln|Sigma_2|/|Sigma_1|, up to p/(n c) by itself, is nearly 0 where tr(Gamma X'X/m) is largest. So "
        "the loss is at most (1 + 1/(2n)) m p^2/(n c^2), for all neighbours, with no reference and no Delta_max; the 1 "
        "cannot be lowered, as orthogonal columns show for large n. That costs a factor of order sqrt(m/ln 2np): at p "
        "= 2, n = 10^8, m = 10^6 and orthogonal columns the loss is 4.0e-4 on (12) and 4.0e-2 on the region."
    ),
    repair=Repair(
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c; kept are the outputs with |X'X/m| <= 2, for all neighbours and "
        "without a reference; for those of a public Sigma_1 the floor alone suffices: kept-display",
        Statement(
            "any neighbours have a loss of at most (1 + 1/(2n)) s^2/c^2 + ln(1 + 1/(n^2 - 1)) over the outputs with "
            "|X'X/m| <= 2",
            explicit_margin,
            given=(*FLOORED, GROWTH),
        ),
    ),
    steps=(
        Step(
            "largest-entry",
            Statement("Delta_max = max Delta_jk <= 2/n", entries_margin, given=(GAME,)),
            defect=None,
            note="Of one pair; two neighbours of X_1 in different rows may differ by 4/n.",
        ),
        Step(
            "frobenius-norm",
            Statement("||Delta||_F <= p/n", frobenius_margin, given=(GAME,)),
            defect=Defect.FORMULA,
            note="sqrt(2) p/n: Proposition D.1.",
        ),
        Step(
            "plugged-in",
            Statement(
                "alpha <= m p^2/(n l_2 l_1) (C sqrt(ln 2np/m) + 2/n + 2 ||Sigma_1||^2/(n l_2 l_1)) + o(1)",
                plugged_margin,
                given=PLUGGED,
            ),
            defect=None,
        ),
        Step(
            "kept-display",
            Statement(
                "with lambda_min(Sigma_1), lambda_min(Sigma_2) >= c, p <= s sqrt(n/m) and the outputs of (12), as "
                "printed, alpha <= (s^2/c^2) (C sqrt(ln 2np/(2m)) + (1 + sqrt(2))/n) + ln(1 + 1/(n^2 - 1))",
                kept_margin,
                given=(*FLOORED, WITHIN_DELTA_MAX, SMALL_DELTA_MAX, GROWTH),
            ),
            defect=None,
            note=(
                "The floor alone repairs the theorem for neighbours of a public Sigma_1, without Assumption 1. The "
                "repair gives up the factor C sqrt(ln 2np/m) for all neighbours and no reference."
            ),
        ),
        rare_outputs((*DEFINITE, GAME, whole("records", 1), whole("rows", 1))),
    ),
    uses=(
        "compression.theorem-4-6",
        "compression.proposition-d-1+repair",
        "compression.lemma-4-4",
        "compression.remark-4-3",
    ),
)
