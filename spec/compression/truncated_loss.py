"""Theorem 4.6, its proof, and Remark 4.7: the privacy loss over the outputs that truncation keeps (section 4, C)."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, equality, whole
from dpmatrix.spec.common.spectra import frobenius_norm, trace
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    NORMALISED,
    WITHIN_DELTA_MAX,
    CovariancePair,
    NearbyPair,
    difference,
    inverse_difference,
    largest_eigenvalue,
    least_eigenvalue,
    log_determinant_ratio,
)
from dpmatrix.spec.compression.log_determinants import relative_change
from dpmatrix.spec.compression.perturbed_covariances import inverse_frobenius_margin
from dpmatrix.spec.compression.remainders import remainder
from dpmatrix.spec.compression.truncated_mass import ENOUGH_ROWS, TruncationSetting, threshold


@attrs.frozen
class TruncatedPair(NearbyPair):
    """Sigma_1, the reference, and Sigma_i with Delta_max; n, m, and the masses that the truncation removes."""

    records: int = attrs.field(kw_only=True)
    rows: int = attrs.field(kw_only=True)
    first_mass: Exact = attrs.field(default=0, kw_only=True)
    second_mass: Exact = attrs.field(default=0, kw_only=True)


def setting(p: TruncatedPair) -> TruncationSetting:
    """n, p, m and Delta_max."""
    return TruncationSetting(p.records, p.first.nrows(), p.rows, p.delta_max)


def entry_sum(matrix: fmpq_mat) -> fmpq:
    """Sum of the absolute entries."""
    return sum((abs(entry) for entry in matrix.entries()), fmpq(0))


def printed_bound(p: TruncatedPair) -> arb:
    """The bound of Theorem 4.6 without its o(1)."""
    size, change = p.first.nrows(), frobenius_norm(difference(p))
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    inner = threshold(setting(p)) + ball(p.delta_max)
    inner += 2 * change * square(largest_eigenvalue(p.first)) / (size * least)
    return p.rows * size * change / (2 * least) * inner


def sharper_bound(p: TruncatedPair) -> arb:
    """``m p ||Delta||_F / (2 l_1 l_i) (C sqrt(ln 2np/m) + Delta_max + ||Delta||_F/p)``."""
    size, change = p.first.nrows(), frobenius_norm(difference(p))
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    inner = threshold(setting(p)) + ball(p.delta_max) + change / size
    return p.rows * size * change / (2 * least) * inner


def renormalisation(records: int) -> arb:
    """``ln(1 + 1/(n^2 - 1))``: the o(1) that Remark 4.3 adds."""
    return arb(fmpq(records**2, records**2 - 1)).log()


def _corner(p: TruncatedPair, reference: fmpq_mat, sign: int) -> arb_mat:
    """The corner of (12) at which the log-ratio is largest (sign 1) or least (sign -1)."""
    radius, size = threshold(setting(p)) + ball(p.delta_max), p.first.nrows()
    signs = [int(entry > 0) - int(entry < 0) for entry in inverse_difference(p).entries()]
    entries = [arb(s) + sign * t * radius for s, t in zip(reference.entries(), signs, strict=True)]
    return arb_mat(size, size, entries)


def _is_output(p: TruncatedPair, corner: arb_mat) -> bool:
    """Whether a matrix is certainly X'X/m for some output X: m >= p and positive definite."""
    leading = [
        arb_mat(k, k, [corner[i, j] for i in range(k) for j in range(k)]).det() for k in range(1, corner.nrows() + 1)
    ]
    return p.rows >= corner.nrows() and all(minor > 0 for minor in leading)


def renormalisation_shift(p: TruncatedPair) -> arb:
    """``ln((1 - P_i)/(1 - P_1))``: what renormalisation adds to the log-ratio."""
    return arb((1 - rational(p.second_mass)) / (1 - rational(p.first_mass))).log()


def loss_around(p: TruncatedPair, reference: fmpq_mat) -> arb:
    """Enclose sup |ln f'/f'| of a pair over the outputs of (12) around a reference; exact if both corners are outputs.

    With G = X'X/m the log-ratio is (m/2)(ln of the determinants' ratio + tr(Gamma G)) + c, c the shift. Over the box
    the trace of Gamma G lies within r times the sum of |Gamma| of its value at the reference.
    """
    half, gamma = arb(p.rows) / 2, inverse_difference(p)
    centre = half * (log_determinant_ratio(p) + arb(trace(gamma * reference))) + renormalisation_shift(p)
    reach = half * (threshold(setting(p)) + ball(p.delta_max)) * arb(entry_sum(gamma))
    attained = abs(centre) if p.rows >= p.first.nrows() else arb(0)  # the reference itself takes p rows
    for sign in (1, -1):
        if _is_output(p, _corner(p, reference, sign)):
            attained = attained.max(sign * centre + reach)
    return attained.union((centre + reach).max(reach - centre))


def exact_loss(p: TruncatedPair) -> arb:
    """Enclose sup |ln f_1'/f_i'| over the outputs of (12), Sigma_1 the reference."""
    return loss_around(p, p.first)


def theorem_margin(p: TruncatedPair) -> arb:
    """The printed bound, its o(1) made explicit, minus the loss."""
    return printed_bound(p) + renormalisation(p.records) - exact_loss(p)


def sharper_margin(p: TruncatedPair) -> arb:
    """The sharper bound and ln(1 + 1/(n^2 - 1)), minus the loss."""
    return sharper_bound(p) + renormalisation(p.records) - exact_loss(p)


def half_margin(p: CovariancePair) -> arb:
    """``1/2 - ||Sigma_1|| ||Gamma||``: Assumption 1's o(1)."""
    return arb(fmpq(1, 2)) - relative_change(p)


def rows_margin(p: TruncatedPair) -> arb:
    """``m - 2 (C_1 + C_2) ln 2np``."""
    return ENOUGH_ROWS.margin(setting(p))


def first_mass_margin(p: TruncatedPair) -> arb:
    """``1/n^2 - P_1(E)``."""
    return arb(fmpq(1, p.records**2) - rational(p.first_mass))


def second_mass_margin(p: TruncatedPair) -> arb:
    """``1/n^2 - P_i(E)``."""
    return arb(fmpq(1, p.records**2) - rational(p.second_mass))


HALF = Condition("||Sigma_1|| ||Gamma|| <= 1/2", half_margin)
SIZES = (whole("records", 2), whole("rows", 1), Condition(ENOUGH_ROWS.says, rows_margin))
MASSES = (
    at_least("first_mass", 0),
    at_least("second_mass", 0),
    Condition("P_1(E) <= 1/n^2, as Lemma 4.4 has it", first_mass_margin),
    Condition("P_i(E) <= 1/n^2, as Lemma 4.4 has it", second_mass_margin),
)
UNSCALED = (*DEFINITE, WITHIN_DELTA_MAX, *SIZES, *MASSES)
TRUNCATED = (*UNSCALED, NORMALISED)


@attrs.frozen
class OutputPoint(CovariancePair):
    """Two covariances and one output X, m x p."""

    output: fmpq_mat = attrs.field(kw_only=True)


def gram(p: OutputPoint) -> fmpq_mat:
    """``X'X/m``."""
    return p.output.transpose() * p.output / p.output.nrows()


def log_density(covariance: fmpq_mat, output: fmpq_mat) -> arb:
    """Logarithm of (11), the density of m rows of N(0, Sigma), but for a power of 2 pi, the same for every Sigma."""
    quadratic = trace(output * covariance.inv() * output.transpose())
    return -(arb(quadratic) + output.nrows() * arb(covariance.det()).log()) / 2


def density_ratio_margin(p: OutputPoint) -> arb:
    """Minus the distance of ln f_1/f_2 from (m/2)(ln|Sigma_2| - ln|Sigma_1| + tr(Gamma X'X/m))."""
    linear = trace(inverse_difference(p) * gram(p))
    formula = arb(p.output.nrows()) / 2 * (log_determinant_ratio(p) + arb(linear))
    return equality(log_density(p.first, p.output) - log_density(p.second, p.output), formula)


def trace_term(p: OutputPoint) -> fmpq:
    """``tr(Gamma (X'X/m - Sigma_1))``."""
    return trace(inverse_difference(p) * (gram(p) - p.first))


def absolute_values_margin(p: OutputPoint) -> arb:
    """Minus the distance of |A + tr(Gamma (X'X/m - Sigma_1))| from |A| + |tr(...)|, as printed with '='."""
    first, second = remainder(p), arb(trace_term(p))
    return equality(abs(first + second), abs(first) + abs(second))


def entrywise_margin(p: OutputPoint) -> arb:
    """``||vec Gamma||_1 max |X'X/m - Sigma_1| - |tr(Gamma (X'X/m - Sigma_1))|``."""
    largest = max(abs(entry) for entry in (gram(p) - p.first).entries())
    return arb(entry_sum(inverse_difference(p)) * largest - abs(trace_term(p)))


def vector_norm_margin(p: CovariancePair) -> arb:
    """``p ||Gamma||_F - ||vec Gamma||_1``."""
    gamma = inverse_difference(p)
    return p.first.nrows() * frobenius_norm(gamma) - arb(entry_sum(gamma))


def remainder_margin(p: CovariancePair) -> arb:
    """``||Gamma||_F^2 ||Sigma_1||^2 - A/2``: the last term, with its 2 (1 - o(1)) at its least value 1."""
    return square(frobenius_norm(inverse_difference(p)) * largest_eigenvalue(p.first)) - remainder(p) / 2


THEOREM_4_6 = Claim(
    id="compression.theorem-4-6",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression",
        "Theorem 4.6",
        "alpha <= m p ||Delta||_F / (2 lambda_min(Sigma_i) lambda_min(Sigma_1)) (C sqrt(ln 2np / m) + Delta_max + 2 "
        "||Delta||_F ||Sigma_1||^2 / (p lambda_min(Sigma_i) lambda_min(Sigma_1))) + o(1)",
    ),
    statement=Statement(
        "the loss of X_i against X_1 over the truncated set is at most the printed bound plus ln(1 + 1/(n^2 - 1))",
        theorem_margin,
        given=TRUNCATED,
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "Sigma_1 and Delta_max are public and fixed before the data are seen, and both data sets satisfy the bound "
        "|Sigma_i - Sigma_1| <= Delta_max. o(1) is ln(1 + 1/(n^2 - 1)). Of Assumption 1 nothing is used but that "
        "Sigma_1 and Sigma_i are definite. The loss is that of the renormalised densities, in both directions; the "
        "masses P(E) are any numbers up to 1/n^2, which Lemma 4.4 provides."
    ),
    because=(
        "(m/2) A + (m/2) r ||vec Gamma||_1 with r the width of the box; ||vec Gamma||_1 <= p ||Gamma||_F and (8), and "
        "A <= ||Delta||_F^2/(lambda_min(Sigma_i) lambda_min(Sigma_1)), which asks for no closeness (Lemma C.2, "
        "by-delta). So the last term of the bound may be ||Delta||_F/p (sharper), and ||Sigma_1|| does not matter.\n\n"
        "The printed proof equates |a + b| with |a| + |b|, and its last term is up to four times what Lemma C.2 gives. "
        "Against the exact supremum, which is attained at a corner of the box, the bound is too large by 1.4 (p = 2, "
        "small correlations) to 5 and more. The theorem compares with X_1 only; any two data sets cost twice (Remark "
        "4.7)."
    ),
    steps=(
        Step(
            "density-ratio",
            Statement(
                "ln f_1/f_2 = (m/2)(ln|Sigma_2| - ln|Sigma_1| + tr(Gamma X'X/m))", density_ratio_margin, given=DEFINITE
            ),
            defect=None,
        ),
        Step(
            "absolute-values",
            Statement(
                "|mA/2 + (m/2) tr(Gamma (X'X/m - Sigma_1))| = |mA/2| + |(m/2) tr(...)|",
                absolute_values_margin,
                given=DEFINITE,
            ),
            defect=Defect.FORMULA,
            note="<= was meant: A is never negative, and the trace has either sign.",
        ),
        Step(
            "largest-entry",
            Statement(
                "|tr(Gamma (X'X/m - Sigma_1))| <= ||vec Gamma||_1 max |X'X/m - Sigma_1|",
                entrywise_margin,
                given=DEFINITE,
            ),
            defect=None,
        ),
        Step(
            "vector-norm",
            Statement("||vec Gamma||_1 <= p ||Gamma||_F", vector_norm_margin, given=DEFINITE),
            defect=None,
        ),
        Step(
            "remainder",
            Statement(
                "mA/2 <= m ||Gamma||_F^2 ||Sigma_1||^2 / (2 (1 - o(1)))", remainder_margin, given=(*DEFINITE, HALF)
            ),
            defect=None,
            note="Lemma C.2 gives 4 - o(1) in place of 2 (1 - o(1)); doubled once more in the theorem, harmlessly.",
        ),
        Step(
            "gamma",
            Statement("||Gamma||_F <= ||Delta||_F / (lambda_min lambda_min)", inverse_frobenius_margin, given=DEFINITE),
            defect=None,
        ),
        Step(
            "sharper",
            Statement(
                "the loss is at most m p ||Delta||_F / (2 lambda_min(Sigma_i) lambda_min(Sigma_1)) (C sqrt(ln 2np/m) + "
                "Delta_max + ||Delta||_F/p) + ln(1 + 1/(n^2 - 1))",
                sharper_margin,
                given=UNSCALED,
            ),
            defect=None,
            note="No Assumption 1, no (4), no ||Sigma_1||. Under (4), where ||Sigma_1|| >= 1, it is the smaller bound.",
        ),
    ),
    uses=(
        "compression.proposition-c-1",
        "compression.lemma-c-2+repair",
        "compression.proposition-3-1",
        "compression.remark-4-3",
        "compression.lemma-4-4",
    ),
)
