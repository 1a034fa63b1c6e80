"""Theorem 3.5: how many columns compression can serve, privately (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.compression.covariances import difference, inverse_difference, largest_eigenvalue, operator_norm
from dpmatrix.spec.compression.distributional_loss import FLOORS, SmallDeltaMax, ceiling_margin, explicit_bound
from dpmatrix.spec.compression.truncated_loss import HALF, TRUNCATED, TruncatedPair, exact_loss, setting
from dpmatrix.spec.compression.truncated_mass import logarithm
from dpmatrix.spec.conditions import at_most, positive, whole


@attrs.frozen
class GrowthPair(SmallDeltaMax):
    """A pair with C_min of Assumption 1 besides the floor and s of Theorem 3.2."""

    c_min: Exact = attrs.field(default=fmpq(1, 2), kw_only=True)


def loss_below_one_margin(p: GrowthPair) -> arb:
    """1 minus the loss against X_1."""
    return 1 - exact_loss(p)


def gaussian_delta_max_margin(p: TruncatedPair) -> arb:
    """``log p / n - Delta_max^2``: Delta_max <= sqrt(log p / n)."""
    return arb(p.first.nrows()).log() / p.records - square(ball(p.delta_max))


def printed_growth_margin(p: SmallDeltaMax) -> arb:
    """``s sqrt(n/m)/log n - p^2``."""
    root = (arb(p.records) / p.rows).sqrt()
    return ball(p.smallness) * root / arb(p.records).log() - p.first.nrows() ** 2


def upper_eigenvalue_margin(p: GrowthPair) -> arb:
    """``1/lambda_max(Sigma_1) - C_min``."""
    return 1 / largest_eigenvalue(p.first) - ball(p.c_min)


def small_gamma_margin(p: GrowthPair) -> arb:
    """The smaller of ``s - ||Gamma||_2`` and ``s - ||Delta||_2``."""
    return ball(p.smallness) - operator_norm(inverse_difference(p)).max(operator_norm(difference(p)))


def repaired_margin(p: GrowthPair) -> arb:
    """The explicit bound of Theorem 3.2 with 2 s in place of s, minus the loss."""
    return explicit_bound(attrs.evolve(p, smallness=2 * rational(p.smallness))) - exact_loss(p)


def small_enough_margin(p: GrowthPair) -> arb:
    """``c^3/4 - s``."""
    c = ball(p.floor)
    return square(c) * c / 4 - ball(p.smallness)


def columns_margin(p: TruncatedPair) -> arb:
    """``n - p``."""
    return arb(p.records - p.first.nrows())


def sixth_root_margin(p: SmallDeltaMax) -> arb:
    """With m = p^2 ln 2np exactly: ``s sqrt(n) - p^3 sqrt(ln 2np) log n``, the condition p^2 <= s sqrt(n/m)/log n."""
    growth = arb(p.first.nrows() ** 3) * logarithm(setting(p)).sqrt() * arb(p.records).log()
    return ball(p.smallness) * arb(p.records).sqrt() - growth


def few_columns_margin(p: SmallDeltaMax) -> arb:
    """``s^2 n - p^6 (ln 2np)^3``: p <= s^(1/3) n^(1/6) / sqrt(ln 2np)."""
    return square(ball(p.smallness)) * p.records - p.first.nrows() ** 6 * logarithm(setting(p)) ** 3


@attrs.frozen
class OneColumn:
    """One column: n, m, and an entry g of X'X/m."""

    records: int
    rows: int
    entry: Exact


def printed_normaliser_margin(p: OneColumn) -> arb:
    """``1/2 - |X'X/n - A|`` for one normalised column, where X'X/n = (m/n) g and A = 1."""
    return arb(fmpq(1, 2) - abs(fmpq(p.rows, p.records) * rational(p.entry) - 1))


GROWTH = (
    Condition("Delta_max <= sqrt(log p / n)", gaussian_delta_max_margin),
    Condition("p^2 <= s sqrt(n/m)/log n", printed_growth_margin),
    positive("smallness"),
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
        "under Assumption 1, Delta_max <= sqrt(log p/n) and p^2 <= s sqrt(n/m)/log n give a loss below 1 once s is "
        "small",
        loss_below_one_margin,
        given=(
            *(condition for condition in TRUNCATED if condition is not HALF),
            *GROWTH,
            Condition("1/lambda_max(Sigma_1) >= C_min", upper_eigenvalue_margin),
            positive("c_min"),
            Condition("||Gamma||_2, ||Delta||_2 <= s", small_gamma_margin),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.LEAK,
    headline=(
        "Assumption 1 does not make the privacy loss small: the least eigenvalues may vanish, and at p = 2 the loss "
        "then grows like sqrt(log n)."
    ),
    reading=(
        "The privacy is judged here, the PCA in Theorem 5.1. o(1) is below 1 for small s, and O is s as well: with a "
        "fixed constant in its place alpha would not tend to 0."
    ),
    because=(
        "Assumption 1 has no floor. p = 2, Sigma_1(1,2) = 1 - eta, Sigma_2(1,2) = 1 - eta - t, t = sqrt(ln 2/n)/2, "
        "eta^2 = t sqrt(ln n), m = 20.4 ln 4n: ||Gamma|| falls like 1/sqrt(ln n) and the loss grows like sqrt(ln n). "
        "With eigenvalues in [c, 1/c] Theorem 3.2 applies, since sqrt(log p ln 2np) <= 2 log n. B is printed with /n "
        "for /m. The growth it allows is small: n^(1/6)/sqrt(ln 2np) is 1.4, 2.6 and 6.7 at p = 2 and n = 10^4, "
        "10^6, 10^9."
    ),
    repair=Repair(
        "c <= lambda_min(Sigma_1), lambda_min(Sigma_i) and ||Sigma_1|| <= 1/c",
        Statement(
            "the loss is at most the bound of Theorem 3.2 at 2 s, which tends to 0 with s",
            repaired_margin,
            given=(
                *(condition for condition in TRUNCATED if condition is not HALF),
                *GROWTH,
                *FLOORS,
                Condition("||Sigma_1|| <= 1/c", ceiling_margin),
                Condition("s <= c^3/4", small_enough_margin),
                Condition("p <= n", columns_margin),
            ),
        ),
    ),
    steps=(
        Step(
            "normaliser",
            Statement(
                "B = X'X/n - A is o(1) for an output with X'X/m close to A",
                printed_normaliser_margin,
                given=(whole("records", 1), whole("rows", 1), at_most("entry", 2)),
            ),
            sound=False,
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
            sound=True,
            note="Sufficient; 'we require' says necessary.",
        ),
    ),
    uses=("compression.theorem-3-2+repair",),
)
