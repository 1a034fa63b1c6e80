"""Theorem 3.5: how many columns compression can serve, privately (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Range, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.compression.covariances import definite_margin, largest_eigenvalue, operator_norm
from dpmatrix.spec.compression.distributional_loss import (
    FAMILY,
    FLOORED,
    SmallDeltaMax,
    explicit_bound,
)
from dpmatrix.spec.compression.truncated_loss import MASSES, TruncatedPair, loss_around, setting
from dpmatrix.spec.compression.truncated_mass import logarithm
from dpmatrix.spec.compression.typical_outputs import TYPICAL_OUTPUTS


@attrs.frozen
class GrowthPair(SmallDeltaMax):
    """Two databases and a reference with the floor and s of Theorem 3.2, C_min of Assumption 1, and n_0."""

    c_min: Exact = attrs.field(kw_only=True)
    least_records: int = attrs.field(kw_only=True)


def loss_below_one_margin(p: GrowthPair) -> arb:
    """1 minus the loss over the outputs around Sigma_1."""
    return 1 - loss_around(p, p.reference)


def late_margin(p: GrowthPair) -> arb:
    """``n - n_0``."""
    return arb(p.records - p.least_records)


def gaussian_delta_max_margin(p: TruncatedPair) -> arb:
    """``log p / n - Delta_max^2``: Delta_max <= sqrt(log p / n)."""
    return arb(p.first.nrows()).log() / p.records - square(ball(p.delta_max))


def printed_growth_margin(p: SmallDeltaMax) -> arb:
    """``s sqrt(n/m)/log n - p^2``."""
    root = (arb(p.records) / p.rows).sqrt()
    return ball(p.smallness) * root / arb(p.records).log() - p.first.nrows() ** 2


def upper_eigenvalue_margin(p: GrowthPair) -> arb:
    """``1/lambda_max(Sigma_1) - C_min``."""
    return 1 / largest_eigenvalue(p.reference) - ball(p.c_min)


def definite_margin_of_all(p: GrowthPair) -> arb:
    """Positive exactly when all three covariances are positive definite."""
    return arb(min(definite_margin(m) for m in (p.first, p.second, p.reference)))


def small_gamma_margin(p: GrowthPair) -> arb:
    """``s`` minus the largest of ``||Gamma||_2`` and ``||Delta||_2`` of both databases, against Sigma_1."""
    norms = [
        operator_norm(matrix)
        for other in (p.first, p.second)
        for matrix in (other.inv() - p.reference.inv(), other - p.reference)
    ]
    return ball(p.smallness) - norms[0].max(norms[1]).max(norms[2]).max(norms[3])


def repaired_margin(p: GrowthPair) -> arb:
    """Twice the explicit bound of Theorem 3.2 with 2 s in place of s, minus the loss."""
    return 2 * explicit_bound(attrs.evolve(p, smallness=2 * rational(p.smallness))) - loss_around(p, p.reference)


def sixth_root_margin(p: SmallDeltaMax) -> arb:
    """With m = p^2 ln 2np exactly: ``s sqrt(n) - p^3 sqrt(ln 2np) log n``, the condition p^2 <= s sqrt(n/m)/log n."""
    growth = arb(p.first.nrows() ** 3) * logarithm(setting(p)).sqrt() * arb(p.records).log()
    return ball(p.smallness) * arb(p.records).sqrt() - growth


def few_columns_margin(p: SmallDeltaMax) -> arb:
    """``s^2 n - p^6 (ln 2np)^3``: p <= s^(1/3) n^(1/6) / sqrt(ln 2np)."""
    return square(ball(p.smallness)) * p.records - p.first.nrows() ** 6 * logarithm(setting(p)) ** 3


@attrs.frozen
class OneColumn:
    """One column: n, m, the entry g of X'X/m, K in m >= K p^2 ln 2np, and from which n on."""

    records: int
    rows: int
    entry: Exact
    ratio: Exact
    least_records: int


def printed_normaliser_margin(p: OneColumn) -> arb:
    """``1/2 - |X'X/n - A|`` for one normalised column, where X'X/n = (m/n) g and A = 1."""
    return arb(fmpq(1, 2) - abs(fmpq(p.rows, p.records) * rational(p.entry) - 1))


def close_margin(p: OneColumn) -> arb:
    """``1/4 - |X'X/m - A|``."""
    return arb(fmpq(1, 4) - abs(rational(p.entry) - 1))


def many_rows_margin(p: OneColumn) -> arb:
    """``m - K ln 2n``."""
    return p.rows - ball(p.ratio) * arb(2 * p.records).log()


def late_column_margin(p: OneColumn) -> arb:
    """``n - n_0``."""
    return arb(p.records - p.least_records)


GROWTH = (
    Condition("Delta_max <= sqrt(log p / n)", gaussian_delta_max_margin),
    Condition("p^2 <= s sqrt(n/m)/log n", printed_growth_margin),
)
ASSUMPTION_1 = (
    exceeds("the three covariances are positive definite", definite_margin_of_all),
    positive("c_min"),
    Condition("1/lambda_max(Sigma_1) >= C_min", upper_eigenvalue_margin),
    Condition("||Gamma||_2, ||Delta||_2 <= s, against Sigma_1", small_gamma_margin),
)

THEOREM_3_5 = Claim(
    id="compression.theorem-3-5",
    kind=Kind.UTILITY,
    source=Locator(
        "compression",
        "Theorem 3.5",
        "Assumption 1, Delta_max = O(sqrt(log p / n)): PCA with B = X'X/n - A, ||B||_F = o(1), m = Omega(p^2 ln 2np); "
        "private if p^2 = O(sqrt(n/m)/log n); worst case p = o(n^(1/6)/sqrt(ln 2np))",
    ),
    statement=Statement(
        "for every C_min there are s and n_0 such that under Assumption 1, with s for its o(1), Delta_max <= sqrt(log "
        "p/n), p^2 <= s sqrt(n/m)/log n and n >= n_0 give a loss of at most 1",
        loss_below_one_margin,
        given=(*FAMILY, *MASSES, *GROWTH, *ASSUMPTION_1, Condition("n >= n_0", late_margin)),
        exists=(Chosen("smallness", after=("c_min",)), Chosen("least_records", after=("c_min",), range=Range.WHOLE)),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "Assumption 1 does not make the privacy loss small: the least eigenvalues may vanish, and at p = 2 typical "
        "outputs then tell two databases apart."
    ),
    reading=(
        "The privacy is judged here, the PCA in Theorem 5.1. What is private has a loss of o(1), of which no more is "
        "judged than 1 at most, once all that is o(1) is below an s, from some n_0 on, that may depend on C_min. O is "
        "s as well: with a fixed constant in its place alpha would not tend to 0. Delta_max is a number, which "
        "Gaussian rows would keep with high probability."
    ),
    because=(
        "Assumption 1 has no floor. p = 2, Sigma_1(1,2) = 1 - eta, Sigma_2(1,2) = 1 - eta - t, t = 0.45 sqrt(ln 2/n), "
        "eta^2 = t sqrt(ln n), m = 20.4 ln 4n: ||Gamma|| falls like 1/sqrt(ln n) and the loss grows like sqrt(ln n). "
        "More rows make any ||Gamma|| = s do: with eta^2 = t/s and m = 1/s^2, or the least m allowed if that is "
        "larger, the loss exceeds 1 for every large n.\n\n"
        "With the most rows allowed, m near s^2 n/(16 (ln n)^2), typical outputs tell: |Y_1 - Y_2|^2 alone errs with "
        "probability at most 8 (1 + r)^2/(m r^2), r = t/eta (typical-outputs), and m r^2 = m s t grows like s^3 "
        "sqrt(n)/(ln n)^2, whatever s is. At s = 1/4 and n = 10^20 that is 0.0052. So no (epsilon, delta) with delta "
        "below 1 is kept either.\n\n"
        "With eigenvalues of at least c Theorem 3.2 applies, since sqrt(log p ln 2np) <= 2 log n. B is printed with /n "
        "for /m. The growth it allows is small: n^(1/6)/sqrt(ln 2np) is 1.4, 2.6 and 6.7 at p = 2 and n = 10^4, 10^6, "
        "10^9."
    ),
    repair=Repair(
        "c <= lambda_min of all covariances of S_n",
        Statement(
            "the loss of any two databases of S_n is at most (2 C s + 8 s^2)/c^2 + 2 ln(1 + 1/(n^2 - 1)), the bound of "
            "Theorem 3.2 at 2 s, which tends to 0 with s and 1/n",
            repaired_margin,
            given=(*FAMILY, *MASSES, *GROWTH, *FLOORED),
        ),
    ),
    steps=(
        Step(
            "normaliser",
            Statement(
                "for every K there is an n_0 such that for m >= K ln 2n and n >= n_0 an output with |X'X/m - A| <= 1/4 "
                "has |X'X/n - A| <= 1/2; p = 1",
                printed_normaliser_margin,
                given=(
                    whole("records", 1),
                    whole("rows", 1),
                    positive("ratio"),
                    Condition("m >= K p^2 ln 2np", many_rows_margin),
                    Condition("|X'X/m - A| <= 1/4", close_margin),
                    Condition("n >= n_0", late_column_margin),
                ),
                exists=(Chosen("least_records", after=("ratio",), range=Range.WHOLE),),
            ),
            defect=Defect.SLIP,
            note="X'X/m was meant, as in Theorem 5.1: X'X/n is about (m/n) A.",
        ),
        Step(
            "worst-case",
            Statement(
                "p <= s^(1/3) n^(1/6)/sqrt(ln 2np) gives p^2 <= s sqrt(n/m)/log n at m = p^2 ln 2np",
                sixth_root_margin,
                given=(
                    whole("records", 2),
                    positive("smallness"),
                    Condition("p <= s^(1/3) n^(1/6)/sqrt(ln 2np)", few_columns_margin),
                ),
            ),
            defect=None,
            note="Sufficient; 'we require' says necessary.",
        ),
        TYPICAL_OUTPUTS,
    ),
    uses=("compression.theorem-3-2",),
)
