"""Theorem 8: the sample complexity of PPCA, the exponential mechanism for the top eigenvector, as it is quoted."""

from __future__ import annotations

import attrs
from flint import acb, arb

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole


@attrs.frozen
class PpcaPoint:
    """PPCA on the unit sphere: vhat has density proportional to exp(n (epsilon/2) v'Av), A = XX'/n.

    Parameters
    ----------
    dimension, records
        Dimension d >= 2 and number of records n.
    epsilon
        Privacy parameter.
    first, second
        The two largest eigenvalues of A.
    rho, eta
        Closeness asked for, and probability with which it may be missed.
    """

    dimension: int
    records: int
    epsilon: Real
    first: Exact
    second: Exact
    rho: Real
    eta: Real


def eigenvalue_gap(p: PpcaPoint) -> arb:
    """``lambda_1 - lambda_2``."""
    return arb(rational(p.first) - rational(p.second))


def concentration(p: PpcaPoint) -> arb:
    """``kappa = n (epsilon/2)(lambda_1 - lambda_2)``."""
    return p.records * ball(p.epsilon) / 2 * eigenvalue_gap(p)


def angular_mass(p: PpcaPoint, start: arb) -> arb:
    """Integral of ``sin(t)^(d-2) exp(-kappa sin(t)^2)`` from ``start`` to pi/2; t is the angle to the line of v_1."""
    kappa = concentration(p)

    def integrand(t: acb, _: bool) -> acb:
        sine = t.sin()
        return sine ** (p.dimension - 2) * (-kappa * sine * sine).exp()

    return acb.integral(integrand, start, arb.pi() / 2).real


def failure_probability(p: PpcaPoint) -> arb:
    """``P(|<vhat, v_1>| < rho)`` for the spectrum lambda_1, lambda_2, ..., lambda_2, at which it is largest."""
    return angular_mass(p, ball(p.rho).acos()) / angular_mass(p, arb(0))


def allowed_failure(p: PpcaPoint) -> arb:
    """``eta``."""
    return ball(p.eta)


def theorem_8_margin(p: PpcaPoint) -> arb:
    """``eta - P(|<vhat, v_1>| < rho)``."""
    return allowed_failure(p) - failure_probability(p)


def quoted_sample_size(p: PpcaPoint) -> arb:
    """``d/(eps (1-rho)(l1-l2)) (log(1/eta)/d + log(4 l1/((1-rho^2)(l1-l2))))``."""
    d, rho = p.dimension, ball(p.rho)
    logarithm = (4 * ball(p.first) / ((1 - square(rho)) * eigenvalue_gap(p))).log()
    return d / (ball(p.epsilon) * (1 - rho) * eigenvalue_gap(p)) * (-ball(p.eta).log() / d + logarithm)


def repaired_sample_size(p: PpcaPoint) -> arb:
    """``d/(eps (1-rho)(l1-l2)) (4 log(1/eta)/d + 2 log(8 l1/((1-rho^2)(l1-l2))))``."""
    d, rho = p.dimension, ball(p.rho)
    logarithm = (8 * ball(p.first) / ((1 - square(rho)) * eigenvalue_gap(p))).log()
    return d / (ball(p.epsilon) * (1 - rho) * eigenvalue_gap(p)) * (-4 * ball(p.eta).log() / d + 2 * logarithm)


def smaller_sample_size(p: PpcaPoint) -> arb:
    """``d/(eps (1-rho^2)(l1-l2)) (4 log(1/eta)/d + 2 (1-1/d) log(8/(1-rho^2)))``."""
    d, missed = p.dimension, 1 - square(ball(p.rho))
    bracket = -4 * ball(p.eta).log() / d + 2 * (1 - arb(1) / d) * (8 / missed).log()
    return d / (ball(p.epsilon) * missed * eigenvalue_gap(p)) * bracket


def quoted_records_margin(p: PpcaPoint) -> arb:
    """Records minus the quoted sample size."""
    return p.records - quoted_sample_size(p)


def repaired_records_margin(p: PpcaPoint) -> arb:
    """Records minus the repaired sample size."""
    return p.records - repaired_sample_size(p)


def smaller_records_margin(p: PpcaPoint) -> arb:
    """Records minus the smaller sample size."""
    return p.records - smaller_sample_size(p)


def unit_ball_margin(p: PpcaPoint) -> arb:
    """``1 - lambda_1 - lambda_2``: tr A <= 1 for records of norm at most 1."""
    return arb(1 - rational(p.first) - rational(p.second))


MECHANISM = (whole("dimension", 2), whole("records", 1), positive("epsilon"))
GAP = exceeds("lambda_1 > lambda_2", eigenvalue_gap)
CLOSENESS = (positive("rho"), below("rho", 1), positive("eta"), below("eta", 1))
SETTING = (
    *MECHANISM,
    at_least("second", 0),
    GAP,
    Condition("lambda_1 + lambda_2 <= 1", unit_ball_margin),
    *CLOSENESS,
)

THEOREM_8 = Claim(
    id="wishart.theorem-8",
    kind=Kind.UTILITY,
    source=Locator(
        "wishart",
        "Theorem 8",
        "n >= d/(eps (1 - rho)(l1 - l2)) (log(1/eta)/d + log(4 l1/((1 - rho^2)(l1 - l2)))) implies that the algorithm "
        "of "
        "Chaudhuri, Sarwate and Sinha is a (rho, eta)-close approximation to PCA",
    ),
    statement=Statement.of_law(
        "P(|<vhat, v_1>| < rho) <= eta for PPCA with n at least the quoted sample size",
        failure_probability,
        at_most=allowed_failure,
        given=(
            *SETTING,
            Condition(
                "n >= d/(epsilon (1-rho)(lambda_1-lambda_2)) "
                "(log(1/eta)/d + log(4 lambda_1/((1-rho^2)(lambda_1-lambda_2))))",
                quoted_records_margin,
            ),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline=(
        "The quoted sample size is too small: at d = 5, n = 18, epsilon = 1, rho = 1/5, eta = 1/1000 PPCA misses with "
        "probability 0.0038."
    ),
    reading=(
        "Closeness with |<vhat, v_1>|, as in the repaired Definition 6, on the data sets whose own eigenvalues meet "
        "the condition on n: on all data sets of n points it is false (`near-optimal.theorem-7`). The law of PPCA is "
        "symmetric, so the signed "
        "inner product would miss every rho > 0 with probability at least 1/2. The algorithm is PPCA of the quoted "
        "paper: the exponential mechanism with density exp(n (epsilon/2) v'Av). A point fixes the two largest "
        "eigenvalues; the failure probability is that of the spectrum lambda_1, lambda_2, ..., lambda_2, which is the "
        "largest for these two; it is attained by data where lambda_1 + (d - 1) lambda_2 <= 1, and an upper bound "
        "otherwise."
    ),
    because=(
        "The quoted constants are too small. At the quoted n the failure probability is eta^((1+rho)/2 + o(1)) as eta "
        "-> 0, for every d, rho < 1 and spectrum. Example: d = 5, all n = 18 records equal to e_1, epsilon = 1, "
        "rho = 1/5 and eta = 1/1000 meet the hypothesis, and PPCA misses with probability 0.0038.\n\n"
        "With the constants of the journal version of the quoted paper, 4 log(1/eta)/d and 2 log(8 ...), it holds: "
        "with s = 1 - <vhat, v_1>^2, t = 1 - rho^2 and kappa = n epsilon (lambda_1 - lambda_2)/2, P(s > t) <= "
        "exp(-kappa t/2) / P_0(s <= t/2) <= exp(-kappa t/2) (8/t)^((d-1)/2), P_0 the uniform law on the sphere. So "
        "fewer records are enough: d/(epsilon (1-rho^2)(lambda_1-lambda_2)) times 4 log(1/eta)/d + 2 (1-1/d) "
        "log(8/(1-rho^2)), which is less by more than a factor of 1 + rho, and without lambda_1/(lambda_1 - lambda_2) "
        "in the logarithm.\n\n"
        "The exponent (1+rho)/2 is that of Laplace's method: s > t "
        "has probability exp(-kappa t + o(kappa)), and kappa t is (1+rho)/2 log(1/eta) at the quoted n."
    ),
    repair=Repair(
        "4 log(1/eta)/d in place of log(1/eta)/d, and 2 log(8 ...) in place of log(4 ...), as in the journal version "
        "of the quoted paper; closeness on the data sets whose own lambda_1 and lambda_2 meet the condition on n",
        Statement.of_law(
            "P(|<vhat, v_1>| < rho) <= eta for PPCA with n at least the sample size with constants 4, 2 and 8",
            failure_probability,
            at_most=allowed_failure,
            given=(
                *SETTING,
                Condition(
                    "n >= d/(epsilon (1-rho)(lambda_1-lambda_2)) "
                    "(4 log(1/eta)/d + 2 log(8 lambda_1/((1-rho^2)(lambda_1-lambda_2))))",
                    repaired_records_margin,
                ),
            ),
        ),
    ),
    steps=(
        Step(
            "fewer-records",
            Statement.of_law(
                "P(|<vhat, v_1>| < rho) <= eta with 1 - rho^2 for 1 - rho, 1 - 1/d and no lambda_1/(lambda_1 - "
                "lambda_2) in the sample size of the repair, for every spectrum with a gap",
                failure_probability,
                at_most=allowed_failure,
                given=(
                    *MECHANISM,
                    GAP,
                    *CLOSENESS,
                    Condition(
                        "n >= d/(epsilon (1-rho^2)(lambda_1-lambda_2)) (4 log(1/eta)/d + 2 (1-1/d) log(8/(1-rho^2)))",
                        smaller_records_margin,
                    ),
                ),
            ),
            defect=None,
            note="not printed; what the proof of the repair gives before it is rounded",
        ),
    ),
)
