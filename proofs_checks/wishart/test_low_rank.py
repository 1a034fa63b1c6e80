"""`wishart.theorem-9`: the error of the rank-k approximation."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import identity, spectral_norm
from dpmatrix.spec.wishart.low_rank import (
    LowRankRelease,
    QuotedErrors,
    approximation_error,
    next_eigenvalue,
)
from dpmatrix.tracing import bind_expression

theorem_9 = cite("wishart.theorem-9@07210c6f")

ANY_MATRICES = (
    "every A, W >= 0, k, d, epsilon, theta: derivation in the docstring; its identity and its inequalities checked "
    "exactly on rational matrices with d <= 4"
)


def rotation(d: int, seed: int) -> fmpq_mat:
    """Cayley transform of a skew matrix: a rational rotation."""
    skew = [[Fraction((seed * (3 * i + 5 * j + 1)) % 7 - 3, 2) for j in range(d)] for i in range(d)]
    places = [(i, j) for i in range(d) for j in range(d)]
    entries = {(i, j): skew[i][j] if i < j else -skew[j][i] if j < i else Fraction(0) for i, j in places}
    minus, plus = (
        fmpq_mat(d, d, [fmpq(int(i == j)) + sign * fmpq(*entries[i, j].as_integer_ratio()) for i, j in places])
        for sign in (-1, 1)
    )
    return minus * plus.inv()


def release(d: int, k: int, seed: int, size: Fraction, epsilon: Fraction) -> LowRankRelease:
    """Build a release whose noise, of norm ``size``, has another eigenbasis than the output; A is semidefinite."""
    other = rotation(d, seed + 3)
    spread = fmpq_mat(d, d, [fmpq(d - i, d) if i == j else fmpq(0) for i in range(d) for j in range(d)])
    noise = other * spread * other.transpose() * fmpq(*size.as_integer_ratio())
    values = tuple(size + Fraction(seed * (d - 1 - i), 4) for i in range(d))
    return LowRankRelease(rotation(d, seed), values, noise, k, epsilon, theta=Fraction(seed, 3), constant=seed)


RELEASES = [
    release(d, k, seed, size, epsilon)
    for d in (2, 3, 4)
    for k in range(1, d + 1)
    for seed, size, epsilon in (
        (1, Fraction(1, 2), Fraction(1)),
        (2, Fraction(3), Fraction(1, 7)),
        (5, Fraction(1, 9), Fraction(3)),
    )
]


def decreasing(matrix: mpmath.matrix) -> list:
    return sorted(mpmath.eigsy(matrix, eigvals_only=True), reverse=True)


def parts(p: LowRankRelease) -> tuple:
    """lambda_(k+1)(A), ||W||, ||A - A^_k||, from the eigenvectors of A + W that another program finds."""
    d, noise = len(p.eigenvalues), real_matrix(p.noise)
    output = real_matrix(p.eigenvectors) * mpmath.diag([real(v) for v in p.eigenvalues]) * real_matrix(p.eigenvectors).T
    values, vectors = mpmath.eigsy(output)
    approximation = mpmath.zeros(d)
    for i in sorted(range(d), key=lambda i: -values[i])[: p.rank]:
        approximation += values[i] * vectors[:, i] * vectors[:, i].T
    data = output - noise
    error = max(abs(v) for v in decreasing(data - approximation))
    return [*decreasing(data), mpmath.mpf(0)][p.rank], decreasing(noise)[0], error


def formulas(p: LowRankRelease) -> tuple[str, str, str]:
    """Write the three margins again."""
    with mpmath.workdps(70):
        following, norm, error = parts(p)
        d, epsilon, theta = len(p.eigenvalues), real(p.epsilon), real(p.theta)
        printed = following + real(p.constant) * d * mpmath.log(d) / epsilon - error
        threshold = (d + 1 + mpmath.sqrt(2 * (d + 1) * (d + 2) * theta) + 2 * theta * d) * 3 / (2 * epsilon)
        return tuple(mpmath.nstr(v, 55) for v in (printed, following + threshold - error, following + 2 * norm - error))


@theorem_9.supports_repair(grade="derived", region=ANY_MATRICES)
@theorem_9.supports("perturbation", grade="derived", region=ANY_MATRICES)
def test_error_is_at_most_the_next_eigenvalue_and_the_noise(statements) -> None:
    """||A - A^_k|| <= lambda_(k+1) + ||W|| for A, W >= 0; Lemma 1 bounds ||W|| with probability 1 - d exp(-theta).

    R = A^ - A^_k has the eigenvalues of A^ = A + W from k + 1 on, and zeros: R >= 0. As A - A^_k = R - W,
    -||W|| <= x'(R - W)x <= x'Rx <= lambda_(k+1)(A^) for unit x. By the min-max principle, on the span of the
    eigenvectors of A from k + 1 on, lambda_(k+1)(A^) <= lambda_(k+1)(A) + ||W||. Both ends are at most
    lambda_(k+1)(A) + ||W||, so at most lambda_(k+1)(A) + 2 ||W||, and on the event at most lambda_(k+1)(A) + threshold.
    """
    repaired, doubled = statements["wishart.theorem-9+repair"], statements["wishart.theorem-9/perturbation"]
    bind(repaired, [(p, formulas(p)[1]) for p in RELEASES])
    bind(doubled, [(p, formulas(p)[2]) for p in RELEASES])
    for p in RELEASES:
        assert repaired.at(p) is Truth.TRUE
        assert doubled.at(p) is Truth.TRUE
    bind_hypotheses(doubled, INSIDE, {says: point for says, point in OUTSIDE.items() if says != "epsilon > 0"})
    huge = attrs.evolve(QUIET, eigenvalues=(10**6, 10**6), noise=10**6 * identity(2))
    more = {"theta >= 0": attrs.evolve(INSIDE, theta=Fraction(-1, 99)), EVENT: huge, "W is symmetric": TWISTED}
    assert repaired.without("W is symmetric").at(TWISTED) is Truth.FALSE, (
        "an error of 1.618, at most 1.462 by the bound"
    )
    bind_hypotheses(repaired, INSIDE, OUTSIDE | more)
    for p in RELEASES:
        with mpmath.workdps(40):
            following, norm, error = parts(p)
            assert error <= following + norm + mpmath.mpf(10) ** -30
            assert (
                real(p.eigenvalues[p.rank]) <= following + norm + mpmath.mpf(10) ** -30
                if p.rank < len(p.eigenvalues)
                else following == 0
            )


QUIET = LowRankRelease(identity(2), (1, 0), fmpq_mat(2, 2), 1, 9, theta=0, constant=1)
"""No noise; the threshold is 1/2."""
CROSSED = LowRankRelease(fmpq_mat(2, 2, [0, 1, 1, 0]), (2, 2), fmpq_mat(2, 2, [-1, 0, 0, 1]), 1, 1, theta=1, constant=1)
"""A = diag(3, 1), W = diag(-1, 1), a tie broken against A: the error is lambda_2 + 2 ||W||."""
TWISTED = LowRankRelease(identity(2), (100, 1), fmpq_mat(2, 2, [1, 1, -1, 1]), 1, Fraction(31, 10), theta=0, constant=1)
"""W of norm sqrt(2) and x'Wx = |x|^2, but not symmetric; the threshold is 1.452."""
INSIDE = release(2, 1, 1, Fraction(1, 2), Fraction(1))
OUTSIDE = {
    "the eigenvectors are orthonormal": attrs.evolve(
        QUIET, eigenvectors=fmpq_mat([[1, 1], [0, fmpq(1, 10)]]), eigenvalues=(1, 1)
    ),
    "the eigenvalues decrease": attrs.evolve(QUIET, eigenvalues=(0, 1)),
    "W is symmetric": attrs.evolve(INSIDE, noise=fmpq_mat(2, 2, [fmpq(1, 4), fmpq(1, 9), fmpq(0), fmpq(1, 4)])),
    "A is positive semidefinite": attrs.evolve(INSIDE, eigenvalues=(Fraction(1, 3), Fraction(1, 4))),
    "W is positive semidefinite": attrs.evolve(CROSSED, epsilon=3),
    "rank >= 1, an integer": attrs.evolve(INSIDE, rank=0),
    "k <= d": attrs.evolve(INSIDE, rank=3),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=Fraction(-1, 50)),
}
EVENT = "||W||_2 is at most the threshold of Lemma 1"


@theorem_9.refutes(
    grade="derived",
    region="A = 0, W = tI, every k < d, epsilon and K, by the docstring; d = 2, 3, 4 with K = 10^-12, .., 10^12",
)
@theorem_9.controls("+repair", grade="symbolic", region="without the event of Lemma 1")
def test_error_is_unbounded(statements) -> None:
    """A = 0, W = tI: A^_k = t P_k, so the error is t; any t > K d log d / epsilon refutes the constant K."""
    printed, repaired = statements["wishart.theorem-9"], statements["wishart.theorem-9+repair"]
    bind(printed, [(p, formulas(p)[0]) for p in RELEASES])
    for d, k, epsilon in ((2, 1, 1), (2, 1, Fraction(1, 10)), (3, 2, 5), (4, 1, 1)):

        def large_noise(constant: Number, d: int = d, k: int = k, epsilon: Number = epsilon) -> LowRankRelease:
            size = 4 * d * d * rational(constant) / rational(epsilon)
            return LowRankRelease(identity(d), (size,) * d, identity(d) * size, k, epsilon, 0, constant)

        printed.refute(large_noise)
        assert repaired.without(EVENT).at(large_noise(10)) is Truth.FALSE
    bind_hypotheses(printed, INSIDE, OUTSIDE | {"constant > 0": attrs.evolve(INSIDE, constant=Fraction(-1, 9))})
    check_boundary(printed, repaired)


def check_boundary(printed, repaired) -> None:
    """Every hypothesis and both conclusions hold with equality, except where the sign is strict."""
    one, pair = fmpq_mat(1, 1, [1]), fmpq_mat(2, 2, [1, 0, 0, 1])
    assert printed.conclusion(LowRankRelease(one, (1,), 0 * one, 1, 1, theta=1, constant=1)) is Truth.TRUE, (
        "no error, and log 1 = 0"
    )
    tall, wide = fmpq_mat(3, 2, [1, 0, 0, 1, 0, 0]), fmpq_mat(2, 3, [1, 0, 0, 0, 1, 0])
    for frame in (tall, wide):
        noise = fmpq_mat(frame.nrows(), frame.nrows())
        other = LowRankRelease(frame, (2, 1), noise, 1, 1, theta=1, constant=1)
        assert printed.given[0].at(other) is Truth.FALSE, "the frame is not square"
    assert repaired.at(LowRankRelease(one, (3,), 3 * one, 1, 1, theta=0, constant=1)) is Truth.TRUE, (
        "the threshold is 3 / epsilon"
    )
    assert printed.applies(LowRankRelease(pair, (0, 0), 0 * pair, 2, 1, theta=1, constant=1)) is Truth.TRUE, (
        "A = W = 0, k = d"
    )
    for change in ({"epsilon": 0}, {"constant": 0}):
        assert printed.applies(attrs.evolve(INSIDE, **change)) is Truth.FALSE
    triple = fmpq_mat(3, 3, [int(i == j) for i in range(3) for j in range(3)])
    assert printed.applies(LowRankRelease(triple, (3, 1, 2), 0 * triple, 1, 1, theta=1, constant=1)) is Truth.FALSE, (
        "out of order"
    )


@theorem_9.controls("perturbation", grade="symbolic", region="d = 2, W not >= 0")
def test_semidefinite_noise_counts_once(statement) -> None:
    """Drop W >= 0: the error is lambda_2 + 2 ||W||."""
    tight = statement.without("W is positive semidefinite")
    assert tight.at(CROSSED) is not Truth.FALSE
    assert tight.margin(CROSSED).contains(0)

    def once(p: LowRankRelease) -> arb:
        return next_eigenvalue(p) + spectral_norm(p.noise) - approximation_error(p)

    assert tight.nudged(margin=once).at(CROSSED) is Truth.FALSE, "||W|| once is too little for such a W"


QUOTED = {
    "dimension >= 2, an integer": {"dimension": 1},
    "rank >= 1, an integer": {"rank": 0},
    "k <= d": {"dimension": 2, "rank": 3},
    "epsilon > 0": {"epsilon": 0},
    "constant > 0": {"constant": 0},
}
d_, k_, e_, constant_ = sympy.symbols("dimension rank epsilon constant", positive=True)


@theorem_9.supports(
    "less-than-the-cubed-rank", grade="derived", region="every d, k and epsilon with k^3 > log d: K = 1 is enough"
)
def test_the_logarithm_is_less_than_the_cubed_rank(statement) -> None:
    """K k^3 d/eps - d log(d)/eps = (d/eps) (K k^3 - log d), which is positive for K = 1 under the hypothesis."""
    bind_expression(statement, (d_ / e_) * (constant_ * k_**3 - sympy.log(d_)))
    points = [(2, 1), (7, 2), (2980, 2), (1000, 3), (10**11, 3), (50, 50)]
    assert all(statement.at(QuotedErrors(d, k, e, 1)) is Truth.TRUE for d, k in points for e in (Fraction(1, 9), 4))
    assert statement.exhibiting(QuotedErrors(2, 1, 1, 9)) == QuotedErrors(2, 1, 1, 1)
    less = statement.exhibits(constant=Fraction(19, 20))
    assert less.at(QuotedErrors(2, 1, 1, Fraction(19, 20))) is Truth.TRUE
    assert less.at(QuotedErrors(2900, 2, 1, Fraction(19, 20))) is Truth.FALSE, "log 2900 = 7.97, k^3 = 8"
    inside = QuotedErrors(2, 1, Fraction(1, 9), 1)
    small_rank = {"k^3 > log d": {"dimension": 3}}
    outside = {says: attrs.evolve(inside, **change) for says, change in (QUOTED | small_rank).items()}
    bind_hypotheses(statement, inside, outside)
    assert statement.without("k^3 > log d").at(QuotedErrors(3, 1, 1, 1)) is Truth.FALSE


@theorem_9.supports(
    "less-than-the-power-method", grade="derived", region="every d >= 2, k >= 1 and epsilon: K = 1.45 is enough"
)
@theorem_9.controls("less-than-the-power-method", grade="interval", region="d = 2, k = 1, K = 1.44")
def test_the_logarithm_is_less_than_its_square(statement) -> None:
    """K k^(3/2) log d >= K log 2 > 1 for K = 1.45: the quotient of the bounds increases with k and with d."""
    bind_expression(statement, (d_ * sympy.log(d_) / e_) * (constant_ * sympy.sqrt(k_**3) * sympy.log(d_) - 1))
    enough = Fraction(29, 20)
    assert arb(2).log() * 29 > 20
    points = [(2, 1), (3, 1), (2, 2), (7, 5), (10**9, 3)]
    assert all(
        statement.at(QuotedErrors(d, k, e, enough)) is Truth.TRUE for d, k in points for e in (Fraction(1, 9), 4)
    )
    assert rational(statement.exhibiting(QuotedErrors(2, 1, 1, 9)).constant) == rational(enough)
    for constant in (1, Fraction(36, 25)):
        assert statement.exhibits(constant=constant).at(QuotedErrors(2, 1, 1, constant)) is Truth.FALSE
    inside = QuotedErrors(2, 2, Fraction(1, 9), enough)
    bind_hypotheses(statement, inside, {says: attrs.evolve(inside, **change) for says, change in QUOTED.items()})
    assert statement.applies(QuotedErrors(2, 1, 1, enough)) is Truth.TRUE
