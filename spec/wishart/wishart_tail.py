"""Lemma 1: the tail bound for the largest eigenvalue of a Wishart matrix (section 4)."""

from __future__ import annotations

import attrs
from flint import acb, arb, fmpq

from dpmatrix.claims import Chosen, Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, nonnegative_root, rational
from dpmatrix.spec.common.conditions import at_least, equality, exceeds, positive, whole
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart.wishart_perturbation import printed_wishart_scale


@attrs.frozen
class WishartTail:
    """A law W_d(m, C) and the exponent theta of its tail bound.

    Parameters
    ----------
    spectrum
        The d eigenvalues of C, positive, in any order.
    degrees_of_freedom
        The number m > d - 1, an integer or not.
    theta
        Exponent theta >= 0.
    """

    spectrum: tuple[Real, ...]
    degrees_of_freedom: Exact
    theta: Real


def degrees(p: WishartTail) -> arb:
    """``m``."""
    return arb(rational(p.degrees_of_freedom))


def largest_eigenvalue(p: WishartTail) -> arb:
    """``lambda_1(C) = ||C||_2``."""
    largest = ball(p.spectrum[0])
    for eigenvalue in p.spectrum[1:]:
        largest = largest.max(ball(eigenvalue))
    return largest


def smallest_eigenvalue(p: WishartTail) -> arb:
    """``lambda_d(C)``."""
    smallest = ball(p.spectrum[0])
    for eigenvalue in p.spectrum[1:]:
        smallest = smallest.min(ball(eigenvalue))
    return smallest


def effective_rank(p: WishartTail) -> arb:
    """``r = tr(C) / ||C||_2``."""
    return sum((ball(eigenvalue) for eigenvalue in p.spectrum), arb(0)) / largest_eigenvalue(p)


def printed_threshold(p: WishartTail) -> arb:
    """``(m + sqrt(2 m theta (r + 2)) + 2 theta r) lambda_1(C)``."""
    m, theta, r = degrees(p), ball(p.theta), effective_rank(p)
    return (m + nonnegative_root(2 * m * theta * (r + 2)) + 2 * theta * r) * largest_eigenvalue(p)


def laplace_transform(p: WishartTail, s: arb) -> arb:
    """Largest eigenvalue of E exp(s x x') for x ~ N(0, C) and 0 <= 2 s lambda_1(C) < 1.

    It is ``1 + int_0^s lambda_1 / (1 - 2 u lambda_1) prod_j (1 - 2 u lambda_j)^(-1/2) du``.
    """
    first = largest_eigenvalue(p)

    def integrand(u: acb, analytic: bool) -> acb:
        value = first / (1 - 2 * u * first)
        for eigenvalue in p.spectrum:
            value /= (1 - 2 * u * ball(eigenvalue)).sqrt(analytic=analytic)
        return value

    return 1 + acb.integral(integrand, 0, s).real


def best_exponent(p: WishartTail) -> arb:
    """Return ``s = sqrt(2 theta) / ((sqrt(m (r + 2)) + 2 r sqrt(2 theta)) lambda_1(C))``."""
    r, root = effective_rank(p), nonnegative_root(2 * ball(p.theta))
    return root / (((degrees(p) * (r + 2)).sqrt() + 2 * r * root) * largest_eigenvalue(p))


def equivalent_degrees(p: WishartTail) -> arb:
    """Return the u with E tr exp(sW) <= d ||E exp(s x x')||^u: m itself if it is an integer or d = 1.

    Otherwise log E tr exp(sW) is convex in log m between the integers i < m < i + 1, so that u is
    ``i + log(m/i) / log((i + 1)/i)``.
    """
    m = rational(p.degrees_of_freedom)
    whole_part = int(m.p) // int(m.q)
    if m == whole_part or len(p.spectrum) == 1:
        return arb(m)
    return whole_part + (arb(m) / whole_part).log() / (1 + arb(fmpq(1, whole_part))).log()


def tail_bound(p: WishartTail) -> arb:
    """Upper bound of Pr[lambda_1(W) >= t] at the printed t: ``d exp(-s t) ||E exp(s x x')||^u``, and 1, s the best."""
    s = best_exponent(p)
    chernoff = len(p.spectrum) * (-s * printed_threshold(p)).exp() * laplace_transform(p, s) ** equivalent_degrees(p)
    return chernoff.min(arb(1))


def wishart_tail_margin(p: WishartTail) -> arb:
    """``d exp(-theta)`` minus the bound of the probability."""
    return len(p.spectrum) * (-ball(p.theta)).exp() - tail_bound(p)


def density_margin(p: WishartTail) -> arb:
    """``m - (d - 1)``."""
    return degrees(p) - (len(p.spectrum) - 1)


@attrs.frozen
class AlgorithmTail:
    """The tail bound in Algorithm 2, with theta = c log d.

    Parameters
    ----------
    dimension, records, epsilon
        d, n and the stated epsilon.
    factor
        The constant c.
    constant
        The constant that O hides, which may depend on c.
    """

    dimension: int
    records: int
    epsilon: Real
    factor: Real
    constant: Real


def log_dimension(p: AlgorithmTail) -> arb:
    """``log d``."""
    return ball(p.dimension).log()


def theta_of(p: AlgorithmTail) -> arb:
    """``theta = c log d``."""
    return ball(p.factor) * log_dimension(p)


def scale_of(p: AlgorithmTail) -> arb:
    """``lambda_1(C) = 3 / (2 n epsilon)``."""
    return printed_wishart_scale(InputPerturbation(p.dimension, p.records, p.epsilon))


def settled_threshold(p: AlgorithmTail) -> arb:
    """``(d + 1 + sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) lambda_1(C)``."""
    d, theta = p.dimension, theta_of(p)
    return (d + 1 + nonnegative_root(2 * (d + 1) * (d + 2) * theta) + 2 * theta * d) * scale_of(p)


def settings_margin(p: AlgorithmTail) -> arb:
    """Equality of the printed threshold at r = d, m = d + 1 with the settled one."""
    general = WishartTail((scale_of(p),) * p.dimension, p.dimension + 1, theta_of(p))
    return equality(printed_threshold(general), settled_threshold(p))


def power_margin(p: AlgorithmTail) -> arb:
    """``d exp(-theta) = d^(1 - c)``."""
    return equality(p.dimension * (-theta_of(p)).exp(), ball(p.dimension) ** (1 - ball(p.factor)))


def order_constant(factor: Real) -> arb:
    """``K(c) = 3 / (2 log 2) + sqrt(6 c / log 2) + 2 c``."""
    log_two, c = arb(2).log(), ball(factor)
    return 3 / (2 * log_two) + (6 * c / log_two).sqrt() + 2 * c


def order_margin(p: AlgorithmTail) -> arb:
    """``K 3 d log d / (2 n epsilon)`` minus the threshold."""
    printed = 3 * p.dimension * log_dimension(p) / (2 * p.records * ball(p.epsilon))
    return ball(p.constant) * printed - settled_threshold(p)


def factor_margin(p: AlgorithmTail) -> arb:
    """``c - 1``."""
    return ball(p.factor) - 1


ALGORITHM_TAIL = (
    whole("dimension", 2),
    whole("records", 1),
    positive("epsilon"),
    Condition("c > 1", factor_margin, strict=True, of="factor"),
)

LEMMA_1 = Claim(
    id="wishart.lemma-1",
    kind=Kind.LEMMA,
    source=Locator(
        "wishart",
        "Lemma 1",
        "with probability at most d exp(-theta), lambda_1(W) >= (m + sqrt(2 m theta (r + 2)) + 2 theta r) lambda_1(C), "
        "r = tr(C) / ||C||_2",
    ),
    statement=Statement(
        "the Chernoff bound of Pr[lambda_1(W) >= (m + sqrt(2 m theta (r + 2)) + 2 theta r) lambda_1(C)] for "
        "W ~ W_d(m, C) is at most d exp(-theta)",
        wishart_tail_margin,
        given=(
            exceeds("m > d - 1", density_margin),
            exceeds("C is positive definite", smallest_eigenvalue),
            at_least("theta", 0),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "For an integer m W is a sum of m outer products, so the probability is at most d exp(-s t) ||E exp(s xx')||^m "
        "for every s. With lambda_1(C) = 1 the norm is at most 1 + ((1 - 2 s)^(-r/2) - 1) / r, its logarithm at most "
        "s + (r + 2) s^2 / (2 (1 - 2 r s)), and inverting that at the best s gives the printed threshold exactly. "
        "It is loose: 2 theta r may be theta max(2, (r + 4) / 3).\n\n"
        "For a real m > d - 1 the moments of W are "
        "polynomials in m without negative coefficients, so log E tr exp(sW) is convex in log m; the little that is "
        "lost between two integers is less than what the second step leaves as soon as d exp(-theta) < 1. The "
        "probability itself is not computed."
    ),
    reading=(
        "m > d - 1 is real, as in Definition 2. The probability enters through its bound by the matrix "
        "Laplace transform (Golden-Thompson), so that a margin >= 0 implies the inequality. O(d log d) means the "
        "constant 3 / (2 log 2) + sqrt(6 c / log 2) + 2 c for d >= 2; at d = 1 it would bound by 0."
    ),
    steps=(
        Step(
            "threshold-in-algorithm-2",
            Statement(
                "at r = d, m = d + 1 the threshold is (d + 1 + sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) lambda_1(C)",
                settings_margin,
                given=ALGORITHM_TAIL,
            ),
            defect=None,
        ),
        Step(
            "probability-at-c-log-d",
            Statement("theta = c log d gives d exp(-theta) = d^(1 - c)", power_margin, given=ALGORITHM_TAIL),
            defect=None,
            note="At d = 1 it is 1 for every c: high probability needs d to grow and c > 1 to stay fixed.",
        ),
        Step(
            "order-of-the-threshold",
            Statement(
                "the threshold at theta = c log d is O(3 d log d / (2 n epsilon))",
                order_margin,
                given=ALGORITHM_TAIL,
                exists=(Chosen("constant", after=("factor",), exhibited=order_constant),),
            ),
            defect=None,
            note="The logarithm is superfluous: for C = cI and m = d + 1 the mean is at most 20 d c (`theorem-5`).",
        ),
    ),
)
