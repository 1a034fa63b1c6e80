"""Theorem D.2 and Corollary 3.7: the privacy loss in the binary game (sections 3 and D)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.compression.binary_game import SignRows, row_change, signs_margin
from dpmatrix.spec.compression.covariances import (
    definite_margin,
    difference,
    largest_eigenvalue,
    largest_entry,
    least_eigenvalue,
)
from dpmatrix.spec.compression.truncated_loss import (
    HALF,
    TRUNCATED,
    TruncatedPair,
    exact_loss,
    renormalisation,
    setting,
)
from dpmatrix.spec.compression.truncated_mass import logarithm, threshold
from dpmatrix.spec.conditions import exceeds, positive
from dpmatrix.spec.wishart.spectra import disagreement, frobenius_norm, nonnegative_spectrum


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
    """

    row: tuple[int, ...] = attrs.field(kw_only=True)
    flipped: tuple[int, ...] = attrs.field(kw_only=True)
    smallness: Exact = attrs.field(default=1, kw_only=True)
    floor: Exact = attrs.field(default=fmpq(1, 2), kw_only=True)
    ratio: Exact = attrs.field(default=1, kw_only=True)


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


def quarter_growth_margin(p: GamePair) -> arb:
    """``s^4 n - p^4 ln n``: p <= s (n/log n)^(1/4)."""
    return square(square(ball(p.smallness))) * p.records - p.first.nrows() ** 4 * arb(p.records).log()


def below_one_margin(p: GamePair) -> arb:
    """1 minus the loss; minus infinity when one covariance is singular and the other is not."""
    if any(not definite_margin(matrix) > 0 for matrix in (p.first, p.second)):
        return arb("-inf")
    return 1 - exact_loss(p)


def plugged_bound(p: GamePair) -> arb:
    """The display of the proof: m p^2/(n l_2 l_1) (C sqrt(ln 2np/m) + 2/n + 2 ||Sigma_1||^2/(n l_2 l_1)) + o(1)."""
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    inner = threshold(setting(p)) + arb(fmpq(2, p.records))
    inner += 2 * square(largest_eigenvalue(p.first)) / (p.records * least)
    return p.rows * p.first.nrows() ** 2 / (p.records * least) * inner + renormalisation(p.records)


def plugged_margin(p: GamePair) -> arb:
    """The display minus the loss."""
    return plugged_bound(p) - exact_loss(p)


def _vanishing(p: GamePair, growth: arb) -> arb:
    """``(g/c^2)(1 + 2/n + 2 g/(m c^2)) + ln(1 + 1/(n^2 - 1))`` with g >= m p^2/n."""
    share = growth / square(ball(p.floor))
    return share * (1 + arb(fmpq(2, p.records)) + 2 * share / p.rows) + renormalisation(p.records)


def explicit_margin(p: GamePair) -> arb:
    """The bound with g = s^2 minus the loss."""
    return _vanishing(p, square(ball(p.smallness))) - exact_loss(p)


def corollary_margin(p: GamePair) -> arb:
    """The bound with g = 3 K s^4 minus the loss."""
    return _vanishing(p, 3 * ball(p.ratio) * square(square(ball(p.smallness)))) - exact_loss(p)


def entries_margin(p: GamePair) -> arb:
    """``2/n - max |Delta_jk|``."""
    return arb(fmpq(2, p.records) - largest_entry(difference(p)))


def frobenius_margin(p: GamePair) -> arb:
    """``p/n - ||Delta||_F``."""
    return arb(fmpq(p.first.nrows(), p.records)) - frobenius_norm(difference(p))


def floor_margin(p: GamePair) -> arb:
    """The smaller of lambda_min(Sigma_1) - c and lambda_min(Sigma_2) - c."""
    return least_eigenvalue(p.first).min(least_eigenvalue(p.second)) - ball(p.floor)


def small_margin(p: GamePair) -> arb:
    """``c - s``."""
    return ball(p.floor) - ball(p.smallness)


def few_rows_margin(p: GamePair) -> arb:
    """``K p^2 ln 2np - m``."""
    return ball(p.ratio) * p.first.nrows() ** 2 * logarithm(setting(p)) - p.rows


def small_quarter_margin(p: GamePair) -> arb:
    """``c^2 - 3 K s^4``."""
    return square(ball(p.floor)) - 3 * ball(p.ratio) * square(square(ball(p.smallness)))


def columns_margin(p: GamePair) -> arb:
    """``n - p``."""
    return arb(p.records - p.first.nrows())


def semidefinite_margin(p: GamePair) -> arb:
    """Non-negative exactly when Sigma_1 and Sigma_2 are positive semidefinite."""
    return nonnegative_spectrum(p.first).min(nonnegative_spectrum(p.second))


def rank_margin(p: GamePair) -> arb:
    """Positive when at least one of the covariances is positive definite."""
    return definite_margin(p.first).max(definite_margin(p.second))


GAME = Condition("Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs", game_margin)
SMALL_DELTA_MAX = Condition("Delta_max <= 2/n", delta_max_margin)
_SETTING = tuple(
    condition
    for condition in TRUNCATED
    if condition is not HALF and not condition.says.endswith("is positive definite")
)
SINGULAR_TOO = (
    *_SETTING,
    GAME,
    SMALL_DELTA_MAX,
    Condition("the covariances are positive semidefinite", semidefinite_margin),
    exceeds("not both are singular", rank_margin),
    positive("smallness"),
)
PLUGGED = (*TRUNCATED, GAME, SMALL_DELTA_MAX)
FLOORED = (
    *(condition for condition in TRUNCATED if condition is not HALF),
    GAME,
    SMALL_DELTA_MAX,
    positive("smallness"),
    positive("floor"),
    Condition("lambda_min(Sigma_1), lambda_min(Sigma_2) >= c", floor_margin),
)
GROWTH = Condition("p <= s sqrt(n/m)", growth_margin)
QUARTER_GROWTH = Condition("p <= s (n/log n)^(1/4)", quarter_growth_margin)

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
        "p <= s sqrt(n/m) gives a loss below 1 once s is small", below_one_margin, given=(*SINGULAR_TOO, GROWTH)
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "The privacy loss need not be o(1): nothing bounds the least eigenvalues, and at p = 2 it exceeds 10^5 at n ="
        " 10^4 and is infinite for equal columns."
    ),
    reading="o(1) is below 1 for small s; Omega is 2 (C_1 + C_2); Sigma_1 is public. O(1/n) is read off the proof.",
    because=(
        "Nothing bounds the least eigenvalues. p = 2, columns that differ in one row against two rows: lambda_min is "
        "2/n and 4/n, and the loss exceeds 10^5 at n = 10^4 and grows with n; when the columns of X_1 are equal it is"
        " infinite. With sqrt(n sqrt(ln n)/2) differing rows Assumption 1 is met, and the loss is 83 at n = 10^6 and "
        "99 at n = 10^9. With lambda_min >= c it is at most (s^2/c^2)(1 + 2/n + 2 s^2/(m c^2)) + ln(1 + 1/(n^2 - 1))."
        " The display of the proof is true although ||Delta||_F <= p/n is not: a factor 2 lost in (15) pays for the "
        "sqrt(2)."
    ),
    repair=Repair(
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c",
        Statement(
            "the loss is at most (s^2/c^2)(1 + 2/n + 2 s^2/(m c^2)) + ln(1 + 1/(n^2 - 1)) for s <= c",
            explicit_margin,
            given=(*FLOORED, GROWTH, Condition("s <= c", small_margin)),
        ),
    ),
    steps=(
        Step("largest-entry", Statement("Delta_max = max Delta_jk <= 2/n", entries_margin, given=(GAME,)), sound=True),
        Step(
            "frobenius-norm",
            Statement("||Delta||_F <= p/n", frobenius_margin, given=(GAME,)),
            sound=False,
            note="sqrt(2) p/n: Proposition D.1.",
        ),
        Step(
            "plugged-in",
            Statement(
                "alpha <= m p^2/(n l_2 l_1) (C sqrt(ln 2np/m) + 2/n + 2 ||Sigma_1||^2/(n l_2 l_1)) + o(1)",
                plugged_margin,
                given=PLUGGED,
            ),
            sound=True,
        ),
    ),
    uses=("compression.theorem-4-6", "compression.proposition-d-1+repair"),
)

COROLLARY_3_7 = Claim(
    id="compression.corollary-3-7",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression",
        "Corollary 3.7",
        "p = o((n/log n)^(1/4)) suffices for PCA on compressed data and alpha-DP, alpha = o(1)",
    ),
    statement=Statement(
        "p <= s (n/log n)^(1/4) gives a loss below 1 once s is small",
        below_one_margin,
        given=(*SINGULAR_TOO, QUARTER_GROWTH),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "The privacy loss need not be o(1): at p = 2 some neighbours have an infinite loss for every n, as nothing "
        "bounds the least eigenvalues."
    ),
    reading=(
        "The privacy is judged here, the PCA in Theorem 5.1. o(1) is below 1 for small s; Sigma_1 is the public "
        "reference; m is at least 2 (C_1 + C_2) ln 2np and, in the repair, at most K p^2 ln 2np."
    ),
    because=(
        "For every n there are neighbours with an infinite loss at p = 2: X_1 with two equal columns publishes two "
        "equal columns, always, and X_2 with one changed sign never does. Assumption 1 does not help: with sqrt(n "
        "sqrt(ln n)/2) differing rows, p = 2 and m = 20.4 ln 4n, ||Gamma|| falls like 1/sqrt(ln n), and the loss is "
        "83 at n = 10^6, 99 at 10^9, and grows. So no alpha is possible without a condition on the data, as section D"
        " itself says ('one can not allow differential privacy without constraints'). With lambda_min >= c for both "
        "it is at most (g/c^2)(1 + 2/n + 2 g/(m c^2)) + ln(1 + 1/(n^2 - 1)), g = 3 K s^4: a promise about restricted "
        "neighbours, not alpha-differential privacy."
    ),
    repair=Repair(
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c, and m <= K p^2 ln 2np",
        Statement(
            "the loss is at most (g/c^2)(1 + 2/n + 2 g/(m c^2)) + ln(1 + 1/(n^2 - 1)) with g = 3 K s^4 <= c^2",
            corollary_margin,
            given=(
                *FLOORED,
                QUARTER_GROWTH,
                positive("ratio"),
                Condition("m <= K p^2 ln 2np", few_rows_margin),
                Condition("3 K s^4 <= c^2", small_quarter_margin),
                Condition("p <= n", columns_margin),
            ),
        ),
    ),
    uses=("compression.theorem-d-2+repair",),
)
