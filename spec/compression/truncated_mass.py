"""Lemma 4.4 and Remark 4.3: how much mass the truncation removes, and what renormalisation does to a ratio."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.compression.tails import diagonal_tail, first_constant, second_constant, squared_constant


@attrs.frozen
class TruncationSetting:
    """n records, p columns, m rows of the compressed database, and Delta_max."""

    records: int
    columns: int
    rows: int
    delta_max: Exact = 0


def logarithm(p: TruncationSetting) -> arb:
    """``ln 2np``."""
    return arb(2 * p.records * p.columns).log()


def threshold(p: TruncationSetting) -> arb:
    """``tau = C sqrt(ln 2np / m)``."""
    return (squared_constant() * logarithm(p) / p.rows).sqrt()


def _mass(p: TruncationSetting, tau: arb) -> arb:
    """Enclose P(E) for |Sigma_i - Sigma_1| <= Delta_max: one diagonal entry from below, all entries from above.

    A diagonal entry is chi^2_m / m, and leaves 1 by more than tau + Delta_max on E. On E some entry leaves that of
    Sigma_i by more than tau; off the diagonal the probability is at most 2 exp(-m (tau - log(1 + tau)) / 2).
    """
    below = diagonal_tail(p.rows, tau + ball(p.delta_max))
    single = 2 * (-p.rows * (tau - (1 + tau).log()) / 2).exp()
    pairs = fmpq(p.columns * (p.columns - 1), 2)
    return below.union(p.columns * diagonal_tail(p.rows, tau) + arb(pairs) * single)


def truncated_mass(p: TruncationSetting) -> arb:
    """``P(E)``."""
    return _mass(p, threshold(p))


def rootless_mass(p: TruncationSetting) -> arb:
    """Probability of the event with tau = 2 (C_1 + C_2) ln 2np / m, without a root."""
    return _mass(p, squared_constant() * logarithm(p) / p.rows)


def inverse_square(p: TruncationSetting) -> arb:
    """``1/n^2``."""
    return arb(fmpq(1, p.records**2))


def single_event(p: TruncationSetting) -> arb:
    """Probability that a diagonal entry deviates by tau."""
    return diagonal_tail(p.rows, threshold(p))


def single_event_bound(p: TruncationSetting) -> arb:
    """``2 exp(-m tau^2 / (C_1 + C_2 tau))``."""
    tau = threshold(p)
    return 2 * (-p.rows * square(tau) / (first_constant() + second_constant() * tau)).exp()


def simplified_exponent_margin(p: TruncationSetting) -> arb:
    """The exponent m tau^2 / (C_1 + C_2 tau) minus m tau^2 / (C_1 + C_2)."""
    tau = threshold(p)
    cost = p.rows * square(tau)
    return cost / (first_constant() + second_constant() * tau) - cost / (first_constant() + second_constant())


def union_margin(p: TruncationSetting) -> arb:
    """``1/n^2 - p (p + 1) exp(-m tau^2 / (C_1 + C_2))``, of which the exponential is 1/(2np)^2."""
    size = p.columns
    return arb(fmpq(1, p.records**2) - fmpq(size * (size + 1), (2 * p.records * size) ** 2))


def rows_margin(p: TruncationSetting) -> arb:
    """``m - 2 (C_1 + C_2) ln 2np``."""
    return p.rows - squared_constant() * logarithm(p)


ENOUGH_ROWS = Condition("m >= 2 (C_1 + C_2) ln 2np", rows_margin)
SIZED = (whole("records", 1), whole("columns", 1), ENOUGH_ROWS)
SETTING = (*SIZED, at_least("delta_max", 0))


@attrs.frozen
class EntryTriangle:
    """One entry of the compressed covariance, of Sigma_1 and of Sigma_2, and a bound on max |Delta_jk|."""

    compressed: Exact
    first: Exact
    second: Exact
    delta_max: Exact


def triangle_margin(p: EntryTriangle) -> arb:
    """``|g - s_2| + Delta_max - |g - s_1|``."""
    g, first, second = rational(p.compressed), rational(p.first), rational(p.second)
    return arb(abs(g - second) + rational(p.delta_max) - abs(g - first))


def entry_margin(p: EntryTriangle) -> arb:
    """``Delta_max - |s_1 - s_2|``."""
    return arb(rational(p.delta_max) - abs(rational(p.first) - rational(p.second)))


LEMMA_4_4 = Claim(
    id="compression.lemma-4-4",
    kind=Kind.LEMMA,
    source=Locator("compression", "Lemma 4.4", "m >= 2 (C_1 + C_2) ln 2np, columns of norm sqrt(n): P_i[E] <= 1/n^2"),
    statement=Statement.of_law(
        "P_i(E) <= 1/n^2 for the set E of (13)", truncated_mass, at_most=inverse_square, given=SETTING
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "X_i with max |Sigma_i - Sigma_1| <= Delta_max, Sigma_1 fixed. P_i(E) is enclosed between the exact "
        "probability of one diagonal entry and a union bound over exact diagonal tails and Chernoff's bound off the "
        "diagonal, for all such X_i at once; both ends are the same at p = 1 and Delta_max = 0."
    ),
    because=(
        "The proof rests on the false Lemma B.1 at the very tau that it needs, and defines tau once without its root. "
        "With the true constants 4 and 8/3 the exponent is m tau^2 / (20/3) for tau <= 1, and (3/20) 2 (C_1 + C_2) = "
        "3.06 exceeds the 2 that the union bound asks for. So the lemma holds with room: C = sqrt(40/3) = 3.65 would "
        "do in place of 4.515. With the formula sqrt(8 e) for C_2 it holds too: 2 (C_1 + C_2) is 14.3 there, and 40/3 "
        "is enough."
    ),
    steps=(
        Step(
            "triangle",
            Statement(
                "|g - Sigma_1(j,k)| <= |g - Sigma_2(j,k)| + max |Delta|",
                triangle_margin,
                given=(Condition("|Sigma_1(j,k) - Sigma_2(j,k)| <= max |Delta|", entry_margin),),
            ),
            defect=None,
        ),
        Step(
            "event-without-root",
            Statement.of_law(
                "with tau = 2 (C_1 + C_2) ln 2np / m the event has probability at most 1/n^2",
                rootless_mass,
                at_most=inverse_square,
                given=SETTING,
            ),
            defect=Defect.SLIP,
            note="The root is missing, as the later line tau = sqrt(...) shows; this tau is far too small for large m.",
        ),
        Step(
            "single-event",
            Statement.of_law(
                "one entry deviates by tau with probability at most 2 exp(-m tau^2 / (C_1 + C_2 tau))",
                single_event,
                at_most=single_event_bound,
                given=SETTING,
            ),
            defect=Defect.FORMULA,
            note="Lemma B.1; false at this tau for large m. With C_1 = 4 and C_2 = 8/3 it is true.",
        ),
        Step(
            "tau-at-most-one",
            Statement(
                "2 exp(-m tau^2 / (C_1 + C_2 tau)) <= 2 exp(-m tau^2 / (C_1 + C_2)) for tau <= 1",
                simplified_exponent_margin,
                given=SIZED,
            ),
            defect=None,
            note="'tau < 1' is claimed; at m = 2 (C_1 + C_2) ln 2np it is 1, which suffices.",
        ),
        Step(
            "union",
            Statement(
                "p (p + 1) exp(-m tau^2 / (C_1 + C_2)) < 1/n^2",
                union_margin,
                given=(whole("records", 1), whole("columns", 1)),
                strict=True,
            ),
            defect=None,
        ),
    ),
    uses=("compression.lemma-b-1+repair",),
)


@attrs.frozen
class RenormalisedRatio:
    """Densities of two laws at one output, the masses that truncation removes from each, and n."""

    first: Exact
    second: Exact
    first_mass: Exact
    second_mass: Exact
    records: int


def kept(p: RenormalisedRatio) -> tuple[fmpq, fmpq]:
    """``1 - P_1(E)`` and ``1 - P_2(E)``."""
    return 1 - rational(p.first_mass), 1 - rational(p.second_mass)


def renormalised(p: RenormalisedRatio) -> tuple[fmpq, fmpq]:
    """(14): f_1' and f_2'."""
    first, second = kept(p)
    return rational(p.first) / first, rational(p.second) / second


def change_margin(p: RenormalisedRatio) -> arb:
    """``ln(1 + 1/(n^2 - 1)) - |ln f_1'/f_2' - ln f_1/f_2|``."""
    first, second = renormalised(p)
    change = arb(first / second).log() - arb(rational(p.first) / rational(p.second)).log()
    return arb(fmpq(p.records**2, p.records**2 - 1)).log() - abs(change)


def ratio_margin(p: RenormalisedRatio) -> arb:
    """f_1'/f_2' = f_1 (1 - P_2(E)) / (f_2 (1 - P_1(E))), exactly."""
    first, second = kept(p)
    density, other = renormalised(p)
    return -arb(abs(density / other - rational(p.first) * second / (rational(p.second) * first)))


def first_mass_margin(p: RenormalisedRatio) -> arb:
    """``1/n^2 - P_1(E)``."""
    return arb(fmpq(1, p.records**2) - rational(p.first_mass))


def second_mass_margin(p: RenormalisedRatio) -> arb:
    """``1/n^2 - P_2(E)``."""
    return arb(fmpq(1, p.records**2) - rational(p.second_mass))


RATIO = (
    whole("records", 2),
    positive("first"),
    positive("second"),
    at_least("first_mass", 0),
    at_least("second_mass", 0),
    Condition("P_1(E) <= 1/n^2", first_mass_margin),
    Condition("P_2(E) <= 1/n^2", second_mass_margin),
)

REMARK_4_3 = Claim(
    id="compression.remark-4-3",
    kind=Kind.LEMMA,
    source=Locator(
        "compression", "Remark 4.3", "f_1'/f_2' = f_1 (1 - P_2[E]) / (f_2 (1 - P_1[E])): alpha changes by O(1/n^2)"
    ),
    statement=Statement(
        "renormalisation changes the log-ratio by at most ln(1 + epsilon), epsilon = 1/(n^2 - 1)",
        change_margin,
        given=RATIO,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "epsilon = O(1/n^2) is made explicit as 1/(n^2 - 1); n >= 2, since at n = 1 nothing need be left. P_1(E) and "
        "P_2(E) are any numbers up to 1/n^2, which Lemma 4.4 provides."
    ),
    because=(
        "(1 - P_2)/(1 - P_1) lies between 1 - 1/n^2 and its inverse n^2/(n^2 - 1) = 1 + 1/(n^2 - 1); attained. It "
        "needs one event E for all databases, that is, one reference Sigma_1."
    ),
    steps=(
        Step(
            "ratio",
            Statement(
                "the ratio of the renormalised densities",
                ratio_margin,
                given=(positive("second"), below("first_mass", 1), below("second_mass", 1)),
            ),
            defect=None,
        ),
    ),
)
