"""`wishart.laplace-noise-norm`: the norm of Laplace noise, with an explicit constant."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpz

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart import noise
from dpmatrix.spec.wishart.noise import LaplaceNorm, gaussian_trace_moment, laplace_trace_moment, walk_length
from dpmatrix.tracing import bind_expression
from proofs_checks.wishart.expected_noise_norms import d_, e_, n_, p_, s_, x_

laplace_noise_norm = cite("wishart.laplace-noise-norm@d0111cb9")

EVERY_DIMENSION = (
    "every d >= 1, n >= 1, epsilon > 0: derivation in the docstring, its algebra checked; the recursion of Harer and "
    "Zagier is cited (checked up to order 10 for sizes up to 6)"
)
INPUTS = [
    LaplaceNorm(d, n, e, 20)
    for d in (1, 2, 3, 4, 7, 8, 21, 100, 2000, 10**5)
    for n, e in ((1, 1), (50, Fraction(1, 7)))
]


def check_inputs(statement) -> None:
    inside = LaplaceNorm(1, 1, 1, 20)
    outside = {
        "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
    }
    bind_hypotheses(statement, inside, outside)


def double_factorial(k: int) -> int:
    """E g^(2k) for g ~ N(0, 1)."""
    return math.prod(range(1, 2 * k, 2))


def trace_moment(d: int, p: int, moment) -> int:
    """E tr M^(2p) of a symmetric matrix with independent symmetric entries, by all closed walks; moment(k, is_loop)."""
    total = 0
    for walk in itertools.product(range(d), repeat=2 * p):
        edges = Counter(tuple(sorted(pair)) for pair in zip(walk, (*walk[1:], walk[0]), strict=True))
        if all(count % 2 == 0 for count in edges.values()):
            total += math.prod(moment(count // 2, edge[0] == edge[1]) for edge, count in edges.items())
    return total


def pairings(items: tuple[int, ...]):
    if not items:
        yield ()
        return
    for i in range(1, len(items)):
        for rest in pairings(items[1:i] + items[i + 1 :]):
            yield ((items[0], items[i]), *rest)


def wick_moment(size: int, order: int) -> int:
    """E tr H^(2p) by Wick's formula: size to the number of vertices of each gluing of a polygon with 2p sides."""
    total = 0
    for pairing in pairings(tuple(range(2 * order))):
        partner = dict(pairing) | {b: a for a, b in pairing}
        seen: set[int] = set()
        cycles = 0
        for start in range(2 * order):
            cycles += start not in seen
            here = start
            while here not in seen:
                seen.add(here)
                here = (partner[here] + 1) % (2 * order)
        total += size**cycles
    return total


def closed_form_moment(size: int, order: int) -> int:
    """E tr H^(2p) = (2p - 1)!! sum_j 2^j C(p, j) C(N, j + 1): the closed form of Harer and Zagier."""
    terms = (2**j * math.comb(order, j) * math.comb(size, j + 1) for j in range(order + 1))
    return double_factorial(order) * sum(terms)


def partitions(total: int, largest: int):
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def check_comparison_of_walks() -> None:
    """Moments, the product over edges, the number of vertices, and the inequality itself where walks can be listed."""
    for k in range(7):
        assert sympy.integrate(x_ ** (2 * k) * sympy.exp(-x_), (x_, 0, sympy.oo)) == math.factorial(2 * k)
    for k in range(40):
        assert math.factorial(2 * k) == math.factorial(k) * 2**k * double_factorial(k)
    for p in range(1, 13):
        for parts in partitions(p, p):  # k_e of the distinct edges; n - 1 <= their number
            for vertices in range(1, len(parts) + 2):
                assert math.prod(map(math.factorial, parts)) <= p ** (p - vertices + 1)
    for d, p in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3)):
        size = -(-d // p) + p
        assert all(p * (size - n + 1) >= d for n in range(1, p + 2)), "r(r-1)...(r-n+1) >= (d/p)^n"
        laplace = trace_moment(d, p, lambda k, _: math.factorial(2 * k))
        if size <= 4:
            gaussian = trace_moment(size, p, lambda k, _: double_factorial(k))
            assert laplace <= 2**p * p ** (p + 1) * gaussian
            orthogonal = trace_moment(size, p, lambda k, loop: double_factorial(k) * (2**k if loop else 1))
            assert gaussian <= orthogonal <= 2**p * gaussian_trace_moment(size, p)
        assert laplace <= 4**p * p ** (p + 1) * gaussian_trace_moment(size, p)


def check_gaussian_moments() -> None:
    """Check the recursion, and b_(p+1) = b_p + p(p+1)/(4 N^2) b_(p-1) for E tr H^(2p) = Catalan(p) N^(p+1) b_p."""
    for size in range(1, 7):
        assert [int(gaussian_trace_moment(size, p)) for p in range(1, 6)] == [wick_moment(size, p) for p in range(1, 6)]
        assert all(gaussian_trace_moment(size, p) == closed_form_moment(size, p) for p in range(30))
    catalan_ratio = 2 * (2 * p_ + 1) / (p_ + 2)  # Catalan(p + 1) / Catalan(p)
    two_steps = catalan_ratio * catalan_ratio.subs(p_, p_ - 1)
    assert sympy.simplify((4 * p_ + 2) / (p_ + 2) / catalan_ratio) == 1
    assert sympy.simplify(p_ * (4 * p_**2 - 1) / (p_ + 2) / two_steps - p_ * (p_ + 1) / 4) == 0
    j = sympy.Symbol("j")
    assert sympy.simplify(sympy.summation(j * (j + 1), (j, 0, p_ - 1)) - (p_**3 - p_) / 3) == 0


def check_dimension_and_length() -> None:
    """Show p + p^2 <= 2 d for p = max(1, ceil(log d)): as d > e^(p-1) when p >= 2, and by inspection for p <= 3."""
    for d in range(1, 3000):
        p = walk_length(d)
        assert p >= 1
        assert p + p * p <= 2 * d
        assert (-(-d // p) + p) * p <= d + p + p * p
        assert p >= math.log(d) > p - 1 or (d == 1 and p == 1)
    assert 2 * math.exp(3) > 4 * 5, "p = 4; from there e^(p-1) grows by e > (p + 2)/p"


@laplace_noise_norm.supports(grade="derived", region=EVERY_DIMENSION)
def test_laplace_noise_norm(statement) -> None:
    """With b = 1: E tr L^(2p) is a sum over closed walks of length 2p that take each edge e an even number 2 k_e times.

    A walk weighs prod (2 k_e)! = 2^p prod k_e! (2 k_e - 1)!!. If it visits n vertices, n <= p + 1 and it has at least
    n - 1 edges, so prod k_e! <= p^(p-n+1), and there are d(d-1)...(d-n+1) <= d^n ways to place it. With
    r = ceil(d/p) + p, d^n p^(p-n+1) = p^(p+1) (d/p)^n <= p^(p+1) r(r-1)...(r-n+1). So
    E tr L^(2p) <= 2^p p^(p+1) E tr G^(2p), G symmetric r x r with independent N(0, 1) in its upper triangle.
    Variance 2 on the diagonal only adds; that matrix is E[sqrt(2) H | Re H], so by convexity
    E tr G^(2p) <= 2^p E tr H^(2p). This is the bound of `laplace_trace_moment`; Markov's inequality is the margin.

    For all d: E tr H^(2p) = Catalan(p) r^(p+1) b_p, Catalan(p) <= 4^p/(p+1), b_p <= exp(p^3/(12 r^2)) <= exp(p/12), and
    p r <= d + p + p^2 <= 3 d. At t = 20 sqrt(d): (48 e^(1/12)/400)^p 3d/(p+1) <= e^(-2p) 3d/2 <= 3/(2d), as p >= log d.
    """
    check_comparison_of_walks()
    check_gaussian_moments()
    check_dimension_and_length()
    assert all(math.comb(2 * p, p) <= 4**p for p in range(50))
    least = next(k for k in itertools.count(1) if 48 * (arb(1) / 12).exp() / k**2 < arb(-2).exp())
    assert all(statement.exhibiting(point).constant == least for point in INPUTS), "the least integer that will do"
    values = []
    with precision(300):
        for point in INPUTS:
            d, p = point.dimension, walk_length(point.dimension)
            moment = 4**p * p ** (p + 1) * closed_form_moment(-(-d // p) + p, p)
            for constant in (20, 7):
                chance = arb(fmpz(moment)) / (arb(constant) ** 2 * d) ** p
                values.append((attrs.evolve(point, constant=constant), arb(3) / (2 * d) - chance))
            closed = (48 * (arb(1) / 12).exp()) ** p * 3 * d / (p + 1) * arb(d) ** p
            assert arb(fmpz(moment)) <= closed, "the closed bound of the docstring, times t^(2p)"
    bind(statement, values)
    assert all(statement.at(point) is Truth.TRUE for point in INPUTS)
    check_inputs(statement)


@laplace_noise_norm.controls(grade="interval", region="d = 100: 8 for 20; d = 1: the exact tail at three levels")
def test_laplace_norm_bound_can_fail(statement) -> None:
    """At threshold t b the bound by moments is above the exact tail exp(-t) for d = 1; a constant of 8 is too small."""
    for level in (3, 5, 20):
        assert laplace_trace_moment(1) / level**2 > arb(-level).exp()
    assert statement.at(LaplaceNorm(100, 1, 1, 20)) is Truth.TRUE
    assert statement.exhibits(constant=8).at(LaplaceNorm(100, 1, 1, 8)) is Truth.FALSE


@laplace_noise_norm.supports(
    "lower-bound",
    grade="derived",
    region="every d >= 1, n >= 1, epsilon > 0: E ||L|| >= E |L e_1| by the docstring, its integral and its "
    "identity checked",
)
def test_laplace_noise_is_not_smaller(statement) -> None:
    """E ||L||_2 >= E |L e_1|_2 >= E |L e_1|_1 / sqrt(d) = sqrt(d) b, as E|L_ij| = b: the printed size."""
    assert sympy.integrate(x_ * sympy.exp(-x_ / s_) / s_, (x_, 0, sympy.oo)) == s_
    assert sympy.simplify(sympy.sqrt(d_) * 2 * d_ / (n_ * e_) - 2 * d_ * sympy.sqrt(d_) / (n_ * e_)) == 0
    bind_expression(statement, sympy.Integer(0))
    assert statement.at(LaplaceNorm(4, 1, 1, 20)) is Truth.TRUE, "equality, without rounding"
    check_inputs(statement)


@laplace_noise_norm.controls(
    "lower-bound", grade="interval", region="ten d from 1 to 10^5, (n, epsilon) = (1, 1), (50, 1/7): less noise"
)
def test_less_noise_has_less_than_the_printed_norm(statement) -> None:
    """Laplace noise of scale d/(n eps), half the printed one, has half the lower bound, and 9/10 of it a tenth less."""
    for share in (Fraction(1, 2), Fraction(9, 10)):

        def less(p: InputPerturbation, share: Fraction = share) -> arb:
            return 2 * p.dimension * ball(share) / (p.records * ball(p.epsilon))

        quieter = redefined(statement, noise, "printed_laplace_scale", less)
        with precision(256):
            missing = [ball(1 - share) * 2 * p.dimension * arb(p.dimension).sqrt() for p in INPUTS]
            bind(quieter, [(p, -gap / (p.records * ball(p.epsilon))) for p, gap in zip(INPUTS, missing, strict=True)])
        assert all(quieter.at(point) is Truth.FALSE for point in INPUTS)
