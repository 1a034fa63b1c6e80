"""Theorem 5.1: principal components of compressed data (section 5)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, positive, whole
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.compression.tails import diagonal_tail, squared_constant
from dpmatrix.spec.compression.truncated_mass import (
    ENOUGH_ROWS,
    TruncationSetting,
    logarithm,
    threshold,
    truncated_mass,
)


@attrs.frozen
class CompressedComponents(TruncationSetting):
    """n, p, m and Delta_max, K in m >= K p^2 ln 2np, and a level for ||B||_F."""

    ratio: Exact = attrs.field(kw_only=True)
    level: Exact = attrs.field(kw_only=True)


def far_output(p: CompressedComponents) -> arb:
    """Enclose Pr(||B||_F > level), given that the output is kept, for every A in S_n.

    ||B||_F is at least a diagonal entry of B, and at most p times its largest one. A diagonal entry is chi^2_m / m - 1;
    off the diagonal a deviation by t has a probability of at most 2 exp(-m (t - log(1 + t)) / 2). What is kept has one
    of at least 1 - P(E), which is positive under the hypotheses.
    """
    level, share = ball(p.level), ball(p.level) / p.columns
    lost = arb(truncated_mass(p).upper())
    other = 2 * (-p.rows * (share - share.log1p()) / 2).exp()
    above = p.columns * diagonal_tail(p.rows, share) + arb(fmpq(p.columns * (p.columns - 1), 2)) * other
    return (diagonal_tail(p.rows, level) - lost).union((above / (1 - lost)).min(arb(1)))


def vanishing_bound(p: CompressedComponents) -> arb:
    """``2 n^2 / ((n^2 - 1) K level^2 ln 2np)``, which tends to 0 as n grows."""
    share = arb(fmpq(p.records**2, p.records**2 - 1))
    return share * 2 / (ball(p.ratio) * square(ball(p.level)) * logarithm(p))


def rows_margin(p: CompressedComponents) -> arb:
    """``m - K p^2 ln 2np``."""
    return p.rows - ball(p.ratio) * p.columns**2 * logarithm(p)


COMPONENTS = (
    whole("records", 2),
    whole("columns", 1),
    whole("rows", 1),
    at_least("delta_max", 0),
    positive("ratio"),
    positive("level"),
    Condition("m >= K p^2 ln 2np", rows_margin),
    ENOUGH_ROWS,
)


@attrs.frozen
class ChangeOfCovariance:
    """The matrix B."""

    change: fmpq_mat


def largest_entry_margin(p: ChangeOfCovariance) -> arb:
    """``p tau - ||B||_F`` with tau = max |B_jk|."""
    largest = max(abs(entry) for entry in p.change.entries())
    return p.change.nrows() * arb(largest) - frobenius_norm(p.change)


def square_margin(p: ChangeOfCovariance) -> arb:
    """Zero exactly when B is square."""
    return -arb(abs(p.change.nrows() - p.change.ncols()))


@attrs.frozen
class KeptEntry:
    """One entry of X'X/m, of Sigma_1 and of A, the width C sqrt(ln 2np/m), and Delta_max."""

    compressed: Exact
    reference: Exact
    own: Exact
    width: Exact
    delta_max: Exact


def kept_margin(p: KeptEntry) -> arb:
    """``t + 2 Delta_max - |g - a|``."""
    return arb(rational(p.width) + 2 * rational(p.delta_max) - abs(rational(p.compressed) - rational(p.own)))


def in_box_margin(p: KeptEntry) -> arb:
    """``t + Delta_max - |g - s|``: (12)."""
    distance = abs(rational(p.compressed) - rational(p.reference))
    return arb(rational(p.width) + rational(p.delta_max) - distance)


def in_set_margin(p: KeptEntry) -> arb:
    """``Delta_max - |s - a|``: (6)."""
    return arb(rational(p.delta_max) - abs(rational(p.reference) - rational(p.own)))


@attrs.frozen
class KeptCovariance:
    """One output of Procedure 4.1 and what it was made of.

    Parameters
    ----------
    covariance, reference, compressed
        A = X'X/n, Sigma_1, and X'X/m of the output.
    records, rows
        n and m.
    delta_max
        Delta_max.
    ratio
        K in m >= K p^2 ln 2np.
    """

    covariance: fmpq_mat
    reference: fmpq_mat
    compressed: fmpq_mat
    records: int
    rows: int
    delta_max: Exact
    ratio: Exact


def _setting(p: KeptCovariance) -> TruncationSetting:
    return TruncationSetting(p.records, p.covariance.nrows(), p.rows, p.delta_max)


def every_output_margin(p: KeptCovariance) -> arb:
    """``C/sqrt(K) + 2 p Delta_max - ||X'X/m - A||_F``."""
    bound = (squared_constant() / ball(p.ratio)).sqrt() + 2 * p.covariance.nrows() * ball(p.delta_max)
    return bound - frobenius_norm(p.compressed - p.covariance)


def many_rows_margin(p: KeptCovariance) -> arb:
    """``m - K p^2 ln 2np``."""
    return p.rows - ball(p.ratio) * p.covariance.nrows() ** 2 * logarithm(_setting(p))


def kept_output_margin(p: KeptCovariance) -> arb:
    """Least of ``C sqrt(ln 2np/m) + Delta_max - |X'X/m - Sigma_1|``: (12)."""
    largest = max(abs(entry) for entry in (p.compressed - p.reference).entries())
    return threshold(_setting(p)) + ball(p.delta_max) - arb(largest)


def near_reference_margin(p: KeptCovariance) -> arb:
    """Least of ``Delta_max - |Sigma_1 - A|``: (6)."""
    return ball(p.delta_max) - arb(max(abs(entry) for entry in (p.reference - p.covariance).entries()))


THEOREM_5_1 = Claim(
    id="compression.theorem-5-1",
    kind=Kind.UTILITY,
    source=Locator(
        "compression",
        "Theorem 5.1",
        "m = Omega(p^2 ln 2np) gives meaningful bounds in the form of (10): ||B||_F = o(1)",
    ),
    statement=Statement.of_law(
        "for m >= K p^2 ln 2np a kept output has ||B||_F > level with probability at most 2 n^2/((n^2 - 1) K level^2 "
        "ln 2np), which tends to 0 as n grows",
        far_output,
        at_most=vanishing_bound,
        given=COMPONENTS,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "'Meaningful' is ||B||_F = o(1), as Theorem 3.5 writes, in probability over the kept outputs, X in S_n; K is "
        "any constant of Omega, and delta_D in (10) stays away from 0. The probability is enclosed for all A in S_n at "
        "once: one diagonal entry of B from below, all entries from above, the truncated mass by Lemma 4.4's event."
    ),
    because=(
        "E ||B||_F^2 = (||A||_F^2 + p^2)/m <= 2 p^2/m before truncation, which removes at most 1/n^2 (Lemma 4.4): "
        "Markov's inequality. The lines of the printed proof bound every kept output, by C/sqrt(K), C = 4.5, and 2 p "
        "Delta_max, which the box (12) attains and which tends to 0 only if K grows; that ||B||_F = o(1) for any K is "
        "true in probability. If all p eigenvalues lie in an interval, most gaps are O(1/p), and m must "
        "grow like p^4 for (10) to say anything."
    ),
    steps=(
        Step(
            "largest-entry",
            Statement(
                "||B||_F <= p tau with tau = max |B_jk|",
                largest_entry_margin,
                given=(Condition("B is square", square_margin),),
            ),
            defect=None,
            note="The absolute value stands in the second half of the line that defines tau.",
        ),
        Step(
            "triangle",
            Statement(
                "max |X'X/m - A| <= C sqrt(ln 2np/m) + 2 Delta_max, by (12) and (6)",
                kept_margin,
                given=(
                    Condition("|X'X/m - Sigma_1| <= C sqrt(ln 2np/m) + Delta_max", in_box_margin),
                    Condition("|Sigma_1 - A| <= Delta_max", in_set_margin),
                ),
            ),
            defect=None,
        ),
        Step(
            "every-kept-output",
            Statement(
                "for m >= K p^2 ln 2np every kept output has ||B||_F <= C/sqrt(K) + 2 p Delta_max",
                every_output_margin,
                given=(
                    whole("records", 1),
                    whole("rows", 1),
                    positive("ratio"),
                    Condition("m >= K p^2 ln 2np", many_rows_margin),
                    Condition("the output is kept: (12)", kept_output_margin),
                    Condition("|Sigma_1 - A| <= Delta_max", near_reference_margin),
                ),
            ),
            defect=None,
            note="This is p tau at that m: attained, and o(1) as K grows. In probability o(1) holds for any K.",
        ),
    ),
    uses=("compression.lemma-4-4", "compression.lemma-b-1+repair"),
)
