"""Procedures 4.1 and 4.2: rejection of what leaves a box, and the law that remains (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.compression.definitions import laws_margin
from dpmatrix.spec.compression.transformation import compressed, rounding_margin, squared_columns
from dpmatrix.spec.compression.truncated_mass import ENOUGH_ROWS, TruncationSetting, threshold


@attrs.frozen
class TwoCentres(TruncationSetting):
    """n, p, m, Delta_max, and one entry off the diagonal of two covariances, such as Sigma_1 and that of the input."""

    first: Exact = attrs.field(kw_only=True)
    second: Exact = attrs.field(kw_only=True)


def some_output_margin(p: TwoCentres) -> arb:
    """Twice the half-width of (12) minus ``|s_1 - s_2|``, for dependent columns, s_2 = 1 or -1.

    Every output has g on the diagonal there and s_2 g beside it: g lies within the half-width of 1 and of s_1 s_2.
    """
    return 2 * (threshold(p) + ball(p.delta_max)) - abs(ball(p.first) - ball(p.second))


def dependent_margin(p: TwoCentres) -> arb:
    """Zero exactly when s_2 is 1 or -1."""
    return -abs(abs(ball(p.second)) - 1)


def reference_margin(p: TwoCentres) -> arb:
    """``1 - |s_1|``."""
    return 1 - abs(ball(p.first))


def own_centres_margin(p: TwoCentres) -> arb:
    """Minus the product of the slacks of both boxes, half of ``|s_1 - s_2|`` above the upper face of the lower one."""
    radius, first, second = threshold(p) + ball(p.delta_max), ball(p.first), ball(p.second)
    low, high = first.min(second), first.max(second)
    entry = low + radius + (high - low) / 2
    return -(radius - abs(entry - low)) * (radius - abs(entry - high))


def different_margin(p: TwoCentres) -> arb:
    """``|s_1 - s_2|``."""
    return arb(abs(rational(p.first) - rational(p.second)))


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
        "for an input X that meets (4), two equal or opposite columns included, (12) keeps some output of Phi X, so "
        "that the loop can end",
        some_output_margin,
        given=(
            whole("records", 1),
            whole("columns", 1),
            ENOUGH_ROWS,
            Condition("two columns of X are equal or opposite", dependent_margin),
            Condition("|Sigma_1(j,k)| <= 1, by (4)", reference_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Nothing is said for data with |Sigma_X - Sigma_1| > Delta_max. With two equal columns of X, and a Sigma_1 in "
        "which they are orthogonal, no output meets (12) once m is large, and the loop runs for ever. Changed lines: "
        "(1) Sigma_1 and Delta_max are public numbers, which an implementation is given; (2) the number of attempts is "
        "bounded, and then the run ends in a refusal, which data outside S_n must count as an output; (3) acceptance "
        "is decided on the ideal real output and the release is its correct rounding."
    ),
    reading=(
        "The theorems speak of S_n, and an implementation must answer every input. 'W.l.o.g.' names one database of "
        "S_n: its covariance is the centre of (12) for all. Judged on one entry of X'X/m and the diagonal."
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
    steps=(
        Step(
            "one-centre-for-all",
            Statement(
                "'we choose Sigma_1 to be a reference point': with a centre of each database's own, an entry that one "
                "of two keeps and the other throws away lies between the faces of their boxes",
                own_centres_margin,
                given=(
                    whole("records", 1),
                    whole("columns", 1),
                    whole("rows", 1),
                    Condition("|s_1 - s_2| <= Delta_max", near_margin),
                    exceeds("s_1 and s_2 differ", different_margin),
                ),
                strict=True,
            ),
            defect=None,
            note="Such an output is possible for one database and impossible for its neighbour.",
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
