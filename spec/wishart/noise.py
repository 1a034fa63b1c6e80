"""Size of the noise: the tail bound for a Wishart matrix, and the norm of symmetric Laplace noise (section 4)."""

from __future__ import annotations

import attrs
from flint import acb, arb, fmpz

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, nonnegative_root
from dpmatrix.spec.conditions import at_least, equality, exceeds, positive, whole
from dpmatrix.spec.wishart.points import INPUT_HYPOTHESES, InputPerturbation
from dpmatrix.spec.wishart.wishart_perturbation import printed_wishart_scale


@attrs.frozen
class WishartTail:
    """A law W_d(m, C) and the exponent theta of its tail bound.

    Parameters
    ----------
    spectrum
        The d eigenvalues of C, positive, in any order.
    degrees_of_freedom
        The integer m >= 1.
    theta
        Exponent theta >= 0.
    """

    spectrum: tuple[Real, ...]
    degrees_of_freedom: int
    theta: Real


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
    m, theta, r = p.degrees_of_freedom, ball(p.theta), effective_rank(p)
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
    return root / (((p.degrees_of_freedom * (r + 2)).sqrt() + 2 * r * root) * largest_eigenvalue(p))


def tail_bound(p: WishartTail) -> arb:
    """Upper bound of Pr[lambda_1(W) >= t] at the printed t: ``d exp(-s t) ||E exp(s x x')||^m`` at `best_exponent`."""
    s = best_exponent(p)
    return len(p.spectrum) * (-s * printed_threshold(p)).exp() * laplace_transform(p, s) ** p.degrees_of_freedom


def wishart_tail_margin(p: WishartTail) -> arb:
    """``d exp(-theta)`` minus the bound of the probability."""
    return len(p.spectrum) * (-ball(p.theta)).exp() - tail_bound(p)


@attrs.frozen
class AlgorithmTail:
    """The tail bound in Algorithm 2, with theta = c log d.

    Parameters
    ----------
    dimension, records, epsilon
        d, n and the promised epsilon.
    factor
        The constant c.
    """

    dimension: int
    records: int
    epsilon: Real
    factor: Real


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


def order_margin(p: AlgorithmTail) -> arb:
    """``K(c) 3 d log d / (2 n epsilon)`` minus the threshold, K(c) = 3 / (2 log 2) + sqrt(6 c / log 2) + 2 c."""
    log_two, c = arb(2).log(), ball(p.factor)
    constant = 3 / (2 * log_two) + (6 * c / log_two).sqrt() + 2 * c
    return constant * 3 * p.dimension * log_dimension(p) / (2 * p.records * ball(p.epsilon)) - settled_threshold(p)


def factor_margin(p: AlgorithmTail) -> arb:
    """``c - 1``."""
    return ball(p.factor) - 1


ALGORITHM_TAIL = (whole("dimension", 2), whole("records", 1), positive("epsilon"), exceeds("c > 1", factor_margin))

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
        "for W ~ W_d(m, C), m an integer, and theta >= 0, lambda_1(W) reaches (m + sqrt(2 m theta (r + 2)) + 2 theta "
        "r) lambda_1(C) "
        "with probability at most d exp(-theta)",
        wishart_tail_margin,
        given=(
            whole("degrees_of_freedom", 1),
            exceeds("C is positive definite", smallest_eigenvalue),
            at_least("theta", 0),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "W is a sum of m outer products, so the probability is at most d exp(-s t) ||E exp(s x x')||^m for every s. "
        "With lambda_1(C) = 1 the norm is at most 1 + ((1 - 2 s)^(-r/2) - 1) / r, its logarithm at most "
        "s + (r + 2) s^2 / (2 (1 - 2 r s)), and inverting that at the best s gives the printed threshold exactly. "
        "It is loose: 2 theta r may be theta max(2, (r + 4) / 3). For a real m > d - 1 that is no integer, which "
        "Definition 2 admits and nothing in the document uses, W is no such sum and the lemma is not decided."
    ),
    reading=(
        "m is an integer, as in Algorithm 2; m < d is allowed. The probability enters through its bound by the matrix "
        "Laplace transform (Golden-Thompson), so that a margin >= 0 implies the inequality. O(d log d) means the "
        "constant 3 / (2 log 2) + sqrt(6 c / log 2) + 2 c for d >= 2; at d = 1 it would bound by 0."
    ),
    steps=(
        Step(
            "settings",
            Statement(
                "at r = d, m = d + 1 the threshold is (d + 1 + sqrt(2 (d + 1)(d + 2) theta) + 2 theta d) lambda_1(C)",
                settings_margin,
                given=ALGORITHM_TAIL,
            ),
            sound=True,
        ),
        Step(
            "power",
            Statement("theta = c log d gives d exp(-theta) = d^(1 - c)", power_margin, given=ALGORITHM_TAIL),
            sound=True,
            note="At d = 1 it is 1 for every c: high probability needs d to grow and c > 1 to stay fixed.",
        ),
        Step(
            "order",
            Statement(
                "the threshold at theta = c log d is O(3 d log d / (2 n epsilon))", order_margin, given=ALGORITHM_TAIL
            ),
            sound=True,
            note="The logarithm is superfluous: for C = cI and m = d + 1 the mean is at most 20 d c (`theorem-5`).",
        ),
    ),
)


def laplace_scale(p: InputPerturbation) -> arb:
    """``b = 2 d / (n epsilon)``."""
    return 2 * p.dimension / (p.records * ball(p.epsilon))


def gaussian_trace_moment(size: int, order: int) -> fmpz:
    """E tr H^(2p) for a complex Hermitian Gaussian matrix with E|H_ij|^2 = 1, by the recursion of Harer and Zagier.

    ``(p + 2) C(p + 1) = (4 p + 2) N C(p) + p (4 p^2 - 1) C(p - 1)``, C(0) = N, C(1) = N^2.
    """
    before, moment = fmpz(size), fmpz(size) ** 2
    for p in range(1, order):
        before, moment = moment, ((4 * p + 2) * size * moment + p * (4 * p * p - 1) * before) // (p + 2)
    return moment if order else before


def walk_length(dimension: int) -> int:
    """``p = max(1, ceil(log d))``: the half length of the closed walks that are counted."""
    return max(1, int(ball(dimension).log().ceil().unique_fmpz() or 0))


def laplace_trace_moment(dimension: int) -> arb:
    """Bound of E tr L^(2p) at p = `walk_length`, b = 1: ``2^(2p) p^(p+1) E tr H^(2p)``, H of size ceil(d/p) + p."""
    p = walk_length(dimension)
    size = -(-dimension // p) + p
    return arb(4**p * p ** (p + 1) * gaussian_trace_moment(size, p))


def laplace_norm_threshold(p: InputPerturbation) -> arb:
    """``20 (2 d sqrt(d) / (n epsilon))``."""
    return 20 * (2 * p.dimension * arb(p.dimension).sqrt() / (p.records * ball(p.epsilon)))


def laplace_norm_margin(p: InputPerturbation) -> arb:
    """``3 / (2 d)`` minus the bound E tr L^(2p) / t^(2p) of Pr[||L||_2 >= t]."""
    exponent = 2 * walk_length(p.dimension)
    chance = laplace_trace_moment(p.dimension) * (laplace_scale(p) / laplace_norm_threshold(p)) ** exponent
    return arb(3) / (2 * p.dimension) - chance


def laplace_requires_margin(p: InputPerturbation) -> arb:
    """The lower bound ``sqrt(d) b`` of E ||L||_2 minus ``2 d sqrt(d) / (n epsilon)``."""
    printed = 2 * p.dimension * arb(p.dimension).sqrt() / (p.records * ball(p.epsilon))
    return arb(p.dimension).sqrt() * laplace_scale(p) - printed


LAPLACE_NOISE_NORM = Claim(
    id="wishart.laplace-noise-norm",
    kind=Kind.UTILITY,
    source=Locator("wishart", "Section 4, utility", "||L||_2 = O(2 d sqrt(d) / (n epsilon)) with high probability"),
    statement=Statement(
        "Pr[||L||_2 >= 20 (2 d sqrt(d) / (n epsilon))] <= 3 / (2 d) for the noise L of Algorithm 1, of any dimension",
        laplace_norm_margin,
        given=INPUT_HYPOTHESES,
    ),
    verdict=Verdict.HOLDS,
    because=(
        "E L_ij^(2k) is k! times the moment of N(0, 2 b^2), so closed walks of length 2p compare E tr L^(2p) with a "
        "Gaussian matrix of size d/p + p at the price of p^(p+1); p = log d and Markov's inequality finish. The order "
        "is right, as E ||L||_2 >= sqrt(d) b; the factor 2 inside O(.) has no meaning of its own."
    ),
    reading=(
        "O means the constant 20, high probability means 1 - 3 / (2 d). The probability enters through its bound by "
        "the trace moment of order 2p, so that a margin >= 0 implies the inequality."
    ),
    steps=(
        Step(
            "requires",
            Statement(
                "the Laplace mechanism requires O(d sqrt(d) / (n epsilon)): E ||L||_2 >= 2 d sqrt(d) / (n epsilon)",
                laplace_requires_margin,
                given=INPUT_HYPOTHESES,
            ),
            sound=True,
            note="Printed with O; a requirement is a lower bound.",
        ),
    ),
)
