"""Proposition C.1 and Lemma C.2: the logarithm of a ratio of determinants, and its remainder A (appendix C)."""

from __future__ import annotations

import attrs
from flint import acb, acb_mat, arb, arb_mat

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, at_most, equality, exceeds, positive
from dpmatrix.spec.common.spectra import frobenius_norm, trace
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    NORMALISED,
    CovariancePair,
    difference,
    inverse_difference,
    largest_eigenvalue,
    least_eigenvalue,
    log_determinant_ratio,
    operator_norm,
)
from dpmatrix.spec.compression.eigenvalue_assumption import ASSUMPTION, EigenvalueAssumption
from dpmatrix.spec.compression.kronecker import KRONECKER_SPECTRUM
from dpmatrix.spec.compression.remainders import REMAINDER_BY_DELTA, remainder


def integral_remainder(p: CovariancePair) -> arb:
    """A = vec(G)' (int_0^1 (1 - v) B (x) B dv) vec(G), B = (Theta_1 + v G)^-1; vec(G)'(B (x) B)vec(G) = tr(GBGB)."""
    start, change = acb_mat(arb_mat(p.first.inv())), acb_mat(arb_mat(inverse_difference(p)))

    def integrand(v: acb, _analytic: bool) -> acb:
        try:
            factor = change * (start + change * v).inv()
        except ZeroDivisionError:  # a ball so wide that it may hold a singular matrix: to be subdivided
            return acb("nan")
        return (1 - v) * (factor * factor).trace()

    return acb.integral(integrand, 0, 1).real


def expansion_margin(p: CovariancePair) -> arb:
    """``ln |Sigma_2| - ln |Sigma_1| = A - tr(Gamma Sigma_1)``."""
    linear = arb(trace(inverse_difference(p) * p.first))
    return equality(log_determinant_ratio(p), integral_remainder(p) - linear)


PROPOSITION_C_1 = Claim(
    id="compression.proposition-c-1",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Proposition C.1",
        "ln|Sigma_2| - ln|Sigma_1| = A - tr(Gamma Sigma_1), A = vec(Gamma)'(int (1-v) (Theta_1 + v Gamma)^-1 (x) "
        "(Theta_1 + v Gamma)^-1 dv) vec(Gamma)",
    ),
    statement=Statement("ln|Sigma_2| - ln|Sigma_1| = A - tr(Gamma Sigma_1)", expansion_margin, given=DEFINITE),
    verdict=Verdict.HOLDS,
    because=(
        "With g_i the eigenvalues of Sigma_1^(1/2) Gamma Sigma_1^(1/2), all above -1, the three terms are -sum log(1 + "
        "g_i), sum (g_i - log(1 + g_i)) and sum g_i. Nothing need be small: Theta_1 + v Gamma = (1 - v) Theta_1 + v "
        "Theta_2 is positive definite throughout."
    ),
    reading="Both covariances are positive definite, which the inverses presuppose; o(1) is not used.",
)


def relative_change(p: CovariancePair) -> arb:
    """``x = ||Sigma_1||_2 ||Gamma||_2``."""
    return largest_eigenvalue(p.first) * operator_norm(inverse_difference(p))


def middle_term(p: CovariancePair | EigenvalueAssumption) -> arb:
    """``||Delta||_2 ||Sigma_1||_2 / (lambda_min(Sigma_2) lambda_min(Sigma_1))``."""
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    return operator_norm(p.first - p.second) * largest_eigenvalue(p.first) / least


def middle_is_small_margin(p: EigenvalueAssumption) -> arb:
    """1 minus the middle term, which is said to be o(1)."""
    return 1 - middle_term(p)


def first_inequality_margin(p: CovariancePair) -> arb:
    """The middle term minus x."""
    return middle_term(p) - relative_change(p)


def _gamma_squared(p: CovariancePair) -> arb:
    return square(frobenius_norm(inverse_difference(p)))


def lower_margin(p: CovariancePair) -> arb:
    """A minus ``||Gamma||_F^2 lambda_min(Sigma_1)^2 / (2 (1 + lambda_min(Sigma_1) ||Gamma||_2)^2)``."""
    least = least_eigenvalue(p.first)
    return remainder(p) - _gamma_squared(p) * square(least / (1 + least * operator_norm(inverse_difference(p)))) / 2


def upper_margin(p: CovariancePair) -> arb:
    """``||Gamma||_F^2 ||Sigma_1||^2 / (2 (1 - x)^2)`` minus A."""
    return _gamma_squared(p) * square(largest_eigenvalue(p.first) / (1 - relative_change(p))) / 2 - remainder(p)


def both_margin(p: CovariancePair) -> arb:
    """The smaller of the two margins."""
    return lower_margin(p).min(upper_margin(p))


def largest_inverse(p: CovariancePair) -> arb:
    """Supremum over v of ||Theta_1 + v Gamma||_2: convex in v, so attained at an end."""
    return (1 / least_eigenvalue(p.first)).max(1 / least_eigenvalue(p.second))


def least_inverse(p: CovariancePair) -> arb:
    """Infimum over v of lambda_min(Theta_1 + v Gamma): concave in v, so attained at an end."""
    return (1 / largest_eigenvalue(p.first)).min(1 / largest_eigenvalue(p.second))


def lower_spectrum_margin(p: CovariancePair) -> arb:
    """A minus ``||Gamma||_F^2 / (2 sup_v ||Theta_1 + v Gamma||^2)``."""
    return remainder(p) - _gamma_squared(p) / (2 * square(largest_inverse(p)))


def norm_of_sum_margin(p: CovariancePair) -> arb:
    """``||Theta_1|| + ||Gamma||`` minus sup over v of ``||Theta_1 + v Gamma||``."""
    return 1 / least_eigenvalue(p.first) + operator_norm(inverse_difference(p)) - largest_inverse(p)


def rewritten_margin(p: CovariancePair) -> arb:
    """1/(2 (||Theta_1|| + ||Gamma||)^2) = lambda_min(Sigma_1)^2 / (2 (1 + lambda_min(Sigma_1) ||Gamma||)^2)."""
    least, norm = least_eigenvalue(p.first), operator_norm(inverse_difference(p))
    return equality(1 / (2 * square(1 / least + norm)), square(least) / (2 * square(1 + least * norm)))


def upper_spectrum_margin(p: CovariancePair) -> arb:
    """``||Gamma||_F^2 / (2 inf_v lambda_min(Theta_1 + v Gamma)^2)`` minus A."""
    return _gamma_squared(p) / (2 * square(least_inverse(p))) - remainder(p)


def supremum_margin(p: CovariancePair) -> arb:
    """``||Sigma_1||/(1 - x)`` minus the supremum of 1/lambda_min(Theta_1 + v Gamma)."""
    return largest_eigenvalue(p.first) / (1 - relative_change(p)) - 1 / least_inverse(p)


@attrs.frozen
class PathPoint(CovariancePair):
    """Two covariances and a place v on the segment between their inverses."""

    place: Exact


def path_margin(p: PathPoint) -> arb:
    """lambda_min(Theta_1 + v Gamma) minus (1 - v x)/||Sigma_1||, and the latter itself: the smaller of both."""
    inside = p.first.inv() + rational(p.place) * inverse_difference(p)
    bound = (1 - ball(p.place) * relative_change(p)) / largest_eigenvalue(p.first)
    return (least_eigenvalue(inside) - bound).min(bound)


@attrs.frozen
class OneOrder(CovariancePair):
    """Two covariances, K with ||Sigma_1|| <= K lambda_min(Sigma_1), and a bound s on ||Delta||_2."""

    order: Exact
    smallness: Exact


def order_margin(p: OneOrder) -> arb:
    """``K lambda_min(Sigma_1) - ||Sigma_1||``."""
    return ball(p.order) * least_eigenvalue(p.first) - largest_eigenvalue(p.first)


def small_delta_margin(p: OneOrder) -> arb:
    """``s - ||Delta||_2``."""
    return ball(p.smallness) - operator_norm(difference(p))


def below_least_margin(p: OneOrder) -> arb:
    """``1 - K s``."""
    return 1 - ball(p.order) * ball(p.smallness)


def one_order_margin(p: OneOrder) -> arb:
    """``K^2 s / (1 - K s)`` minus the middle term: lambda_min(Sigma_1) >= 1/K, lambda_min(Sigma_2) >= 1/K - s."""
    order, small = ball(p.order), ball(p.smallness)
    return square(order) * small / (1 - order * small) - middle_term(p)


def below_one_margin(p: CovariancePair) -> arb:
    """``1 - x``."""
    return 1 - relative_change(p)


CLOSE = exceeds("||Sigma_1|| ||Gamma|| < 1", below_one_margin)

LEMMA_C_2 = Claim(
    id="compression.lemma-c-2",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Lemma C.2",
        "under Assumption 1 ||Sigma_1|| ||Gamma|| <= ||Delta|| ||Sigma_1|| / (lambda_min lambda_min) = o(1); "
        "||Gamma||_F^2 lambda_min(Sigma_1)^2 / (2 (1 + lambda_min(Sigma_1) ||Gamma||)^2) <= A <= ||Gamma||_F^2 "
        "||Sigma_1||^2 / (2 - o(1))",
    ),
    statement=Statement(
        "the first display: for every C_min there is an s such that under Assumption 1 with ||Gamma||, ||Delta|| <= s "
        "||Delta|| ||Sigma_1|| / (lambda_min(Sigma_2) lambda_min(Sigma_1)) is at most 1",
        middle_is_small_margin,
        given=ASSUMPTION,
        exists=(Chosen("smallness", after=("c_min",)),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline="The first display is false, as Assumption 1 has no floor for eigenvalues; both bounds on A hold.",
    reading=(
        "o(1) is judged as 1 at most, once what Assumption 1 calls o(1) is below an s that may depend on C_min; the "
        "bounds on A are judged in the repair, with 2 (1 - x)^2 for 2 - o(1)."
    ),
    because=(
        "Assumption 1 has no lower bound on eigenvalues: with Sigma_1 = [[1, 1-eta], [1-eta, 1]] (+) I_2 and a "
        "change of eta^(3/2) in the last correlation the middle term is about 2/sqrt(eta), while ||Gamma||, "
        "||Delta|| -> 0. What is used is only x = ||Sigma_1|| ||Gamma|| = o(1), which Assumption 1 does give, and "
        "then both bounds on A are true. A also has a bound for which nothing need be small, ||Delta||_F^2/(lambda_min("
        "Sigma_1) lambda_min(Sigma_2)) (by-delta): with it Theorem 4.6 takes no Assumption 1."
    ),
    repair=Repair(
        "x = ||Sigma_1|| ||Gamma|| < 1 in place of the first display; 2 (1 - x)^2 for 2 - o(1)",
        Statement("both bounds on A hold", both_margin, given=(*DEFINITE, CLOSE)),
    ),
    steps=(
        Step(
            "first-inequality",
            Statement("||Sigma_1|| ||Gamma|| is at most the middle term", first_inequality_margin, given=DEFINITE),
            defect=None,
        ),
        KRONECKER_SPECTRUM,
        Step(
            "lower-spectrum",
            Statement("A >= ||Gamma||_F^2 / 2 inf_v 1/||Theta_1 + v Gamma||^2", lower_spectrum_margin, given=DEFINITE),
            defect=None,
            note="'A becomes lambda_min(int ...)' should say that A / ||Gamma||_F^2 is at least that.",
        ),
        Step(
            "norm-of-the-sum",
            Statement("||Theta_1 + v Gamma|| <= ||Theta_1|| + ||Gamma||", norm_of_sum_margin, given=DEFINITE),
            defect=None,
        ),
        Step(
            "lower-bound-rewritten",
            Statement(
                "1/(2 (||Theta_1|| + ||Gamma||)^2) = lambda_min^2 / (2 (1 + lambda_min ||Gamma||)^2)",
                rewritten_margin,
                given=DEFINITE,
            ),
            defect=None,
        ),
        Step(
            "upper-spectrum",
            Statement(
                "A <= ||Gamma||_F^2 sup_v 1/(2 lambda_min(Theta_1 + v Gamma)^2)", upper_spectrum_margin, given=DEFINITE
            ),
            defect=None,
        ),
        Step(
            "least-eigenvalue-on-the-path",
            Statement(
                "lambda_min(Theta_1 + v Gamma) >= (1 - v x)/||Sigma_1|| > 0",
                path_margin,
                given=(*DEFINITE, CLOSE, at_least("place", 0), at_most("place", 1)),
            ),
            defect=None,
        ),
        Step(
            "supremum",
            Statement(
                "sup_v 1/lambda_min(Theta_1 + v Gamma) <= ||Sigma_1||/(1 - x)", supremum_margin, (*DEFINITE, CLOSE)
            ),
            defect=None,
        ),
        Step(
            "one-order",
            Statement(
                "the middle term is o(1) if ||Delta|| = o(1) and ||Sigma_1||, lambda_min(Sigma_1) are of one order: "
                "at most K^2 s / (1 - K s)",
                one_order_margin,
                given=(
                    *DEFINITE,
                    NORMALISED,
                    Condition("||Sigma_1|| <= K lambda_min(Sigma_1)", order_margin),
                    Condition("||Delta||_2 <= s", small_delta_margin),
                    exceeds("K s < 1", below_least_margin),
                    positive("order"),
                ),
            ),
            defect=None,
        ),
        REMAINDER_BY_DELTA,
    ),
    uses=("compression.proposition-c-1", "compression.lemma-3-3"),
)
