"""Procedures 4.1 and 4.2: rejection of what leaves a box, and the law that remains (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.compression.definitions import laws_margin
from dpmatrix.spec.compression.transformation import compressed, rounding_margin, squared_columns
from dpmatrix.spec.compression.truncated_mass import ENOUGH_ROWS, TruncationSetting, threshold


@attrs.frozen
class TwoCentres(TruncationSetting):
    """n, p, m, Delta_max, one entry of X'X/m, and that entry of the covariances of two databases."""

    entry: Exact = attrs.field(kw_only=True)
    first: Exact = attrs.field(kw_only=True)
    second: Exact = attrs.field(kw_only=True)


def same_support_margin(p: TwoCentres) -> arb:
    """Product of both slacks of (12) at the entry: negative exactly when only one centre keeps the output."""
    radius = threshold(p) + ball(p.delta_max)
    first, second = (abs(ball(p.entry) - ball(centre)) for centre in (p.first, p.second))
    return (radius - first) * (radius - second)


def near_margin(p: TwoCentres) -> arb:
    """``Delta_max - |s_1 - s_2|``."""
    return arb(rational(p.delta_max) - abs(rational(p.first) - rational(p.second)))


@attrs.frozen
class TruncationRun:
    """One run of an implementation of Procedure 4.1.

    Parameters
    ----------
    data, grid
        X, n x p, and the spacing of the released values.
    attempts
        Balls around the normal variates of each attempt, in order.
    released
        The integers released, or None for a refusal.
    reference, delta_max
        The public centre and width of (12).
    limit
        The largest number of attempts.
    """

    data: fmpq_mat
    grid: Exact
    attempts: tuple[arb_mat, ...]
    released: fmpz_mat | None
    reference: fmpq_mat
    delta_max: Exact
    limit: int


def _slack(p: TruncationRun, normals: arb_mat) -> arb:
    """Least slack of (12) over all entries: negative exactly when the attempt is thrown away."""
    output = compressed(p.data, normals)
    gram = output.transpose() * output
    setting = TruncationSetting(p.data.nrows(), p.data.ncols(), normals.nrows(), p.delta_max)
    radius, least = threshold(setting) + ball(p.delta_max), arb("inf")
    for value, centre in zip(gram.entries(), p.reference.entries(), strict=True):
        least = least.min(radius - abs(value / normals.nrows() - arb(centre)))
    return least


def truncation_run_margin(p: TruncationRun) -> arb:
    """All attempts but the last lie outside (12); the last lies inside and is released, or the limit is reached."""
    least = arb(p.limit - len(p.attempts))
    if p.released is not None and not p.attempts:
        return arb("-inf")  # a release out of nothing
    kept = p.attempts[-1:] if p.released is not None else ()
    for normals in p.attempts[: len(p.attempts) - len(kept)]:
        least = least.min(-_slack(p, normals))
    if p.released is None:
        return least.min(arb(len(p.attempts) - p.limit))
    for normals in kept:
        rounded = rounding_margin(compressed(p.data, normals), p.released, p.grid)
        least = least.min(_slack(p, normals)).min(rounded)
    return least


def truncation_columns_margin(p: TruncationRun) -> arb:
    """Least squared norm of a column."""
    return arb(min(squared_columns(p.data)))


PROCEDURE_4_1 = Claim(
    id="compression.procedure-4-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "compression",
        "Procedure 4.1",
        "w.l.o.g. Sigma_1 is a reference point; draw Phi until max |X'X/m - Sigma_1| <= C sqrt(ln 2np/m) + Delta_max "
        "(12)",
    ),
    statement=Statement(
        "whichever of two covariances within Delta_max is the centre of (12), the same outputs are kept",
        same_support_margin,
        given=(
            whole("records", 1),
            whole("columns", 1),
            ENOUGH_ROWS,
            Condition("|s_1 - s_2| <= Delta_max", near_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "The reference is not 'w.l.o.g.': if each run uses a covariance of its own data, or Delta_max does, two "
        "neighbours keep different sets, and an output of one is impossible for the other. Changed lines: (1) "
        "Sigma_1 and Delta_max are public numbers; (2) nothing is said for data with |Sigma_X - Sigma_1| > "
        "Delta_max, where the loop may run for ever: the number of attempts is bounded, and then the run ends in a "
        "refusal, which such data must count as an output; (3) acceptance is decided on the ideal real output and "
        "the release is its correct rounding."
    ),
    reading=(
        "'W.l.o.g.' is read as: it does not matter which database of S_n serves as the reference. Judged on one entry "
        "of X'X/m."
    ),
    repair=Repair(
        "public Sigma_1 and Delta_max, at most a fixed number of attempts, the output rounded to a grid",
        Statement(
            "the first attempt inside (12) is released, correctly rounded; a refusal follows after the last",
            truncation_run_margin,
            instance=True,
            given=(exceeds("no column is zero", truncation_columns_margin), positive("grid"), whole("limit", 1)),
        ),
    ),
)


@attrs.frozen
class RejectionTable:
    """Probabilities of finitely many outputs, which of them are kept, one of the kept, and a number of attempts."""

    law: tuple[fmpq, ...]
    kept: tuple[bool, ...]
    output: int
    attempts: int


def truncated_share(p: RejectionTable) -> fmpq:
    """P(E): probability of what is not kept."""
    return sum((value for value, keep in zip(p.law, p.kept, strict=True) if not keep), fmpq(0))


def released_chance(p: RejectionTable) -> fmpq:
    """Probability that the output has been released: the loop of Procedure 4.1 followed attempt by attempt."""
    waiting, released = fmpq(1), fmpq(0)
    for _ in range(p.attempts):
        drawn = [waiting * value for value in p.law]
        released += drawn[p.output] if p.kept[p.output] else fmpq(0)
        waiting = sum((value for value, keep in zip(drawn, p.kept, strict=True) if not keep), fmpq(0))
    return released


def renormalised(p: RejectionTable) -> fmpq:
    """(14): f' = 0 on E, f' = f/(1 - P(E)) elsewhere."""
    return p.law[p.output] / (1 - truncated_share(p)) if p.kept[p.output] else fmpq(0)


def renormalised_margin(p: RejectionTable) -> arb:
    """Minus the distance of the chance of a release in k attempts from f' (1 - P(E)^k), exactly."""
    return -arb(abs(released_chance(p) - renormalised(p) * (1 - truncated_share(p) ** p.attempts)))


def law_margin(p: RejectionTable) -> arb:
    """Zero or more exactly when the table is a probability law."""
    return laws_margin((p.law,))


def some_kept_margin(p: RejectionTable) -> arb:
    """``1 - P(E)``."""
    return arb(1 - truncated_share(p))


PROCEDURE_4_2 = Claim(
    id="compression.procedure-4-2",
    kind=Kind.ALGORITHM,
    source=Locator("compression", "Procedure 4.2", "f' = 0 on E, f' = f/(1 - P[E]) elsewhere (14)"),
    statement=Statement(
        "after k attempts an output has been released with probability f' (1 - P(E)^k)",
        renormalised_margin,
        given=(
            Condition("the table is a probability law", law_margin),
            exceeds("P(E) < 1", some_kept_margin),
            whole("attempts", 1),
        ),
    ),
    verdict=Verdict.EXECUTABLE,
    because=(
        "A geometric series: rejection draws from (14), and a bound on the number of attempts leaves (14) as the law "
        "given that there was no refusal. The loss of a refusal itself is ln of the ratio of P_1(E)^k and P_2(E)^k; "
        "on S_n both are at most n^(-2k)."
    ),
    reading="P(E) < 1, which holds for definite Sigma_i and m >= p. Judged on finite laws; densities are their limits.",
)
