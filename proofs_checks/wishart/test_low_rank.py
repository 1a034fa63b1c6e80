"""`wishart.theorem-9`: the error of the rank-k approximation."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import identity, spectral_norm
from dpmatrix.spec.wishart.low_rank import LowRankRelease, PrivateRelease, approximation_error, next_eigenvalue

theorem_9 = cite("wishart.theorem-9@1f2a618f")

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
@theorem_9.controls("+repair", grade="interval", region="A = 0, W = tI, d = 2, 3, 4: without the event of Lemma 1")
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


@theorem_9.controls("perturbation", grade="interval", region="d = 2, W = diag(-1, 1): ||W|| for 2 ||W||")
def test_semidefinite_noise_counts_once(statement) -> None:
    """Drop W >= 0: the error is lambda_2 + 2 ||W||."""
    tight = statement.without("W is positive semidefinite")
    assert tight.at(CROSSED) is not Truth.FALSE
    assert tight.margin(CROSSED).contains(0)

    def once(p: LowRankRelease) -> arb:
        return next_eigenvalue(p) + spectral_norm(p.noise) - approximation_error(p)

    assert tight.nudged(margin=once).at(CROSSED) is Truth.FALSE, "||W|| once is too little for such a W"


def private(p: LowRankRelease, removed: fmpq_mat, **changes) -> PrivateRelease:
    """Read the noise of a release as W_1, and take W_2 off it: A gets W_2 more, and the output stays."""
    fields = {field.name: getattr(p, field.name) for field in attrs.fields(LowRankRelease)}
    return PrivateRelease(**(fields | changes | {"noise": p.noise - removed}), removed=removed)


def private_releases() -> list[PrivateRelease]:
    """Take W_2 of another eigenbasis and of half the norm of W_1."""
    found = []
    for p in RELEASES:
        d, half = len(p.eigenvalues), spectral_half(p)
        other = rotation(d, 4)
        found.append(
            private(
                p,
                other
                * fmpq_mat(d, d, [half * (i == j) * i / d for i in range(d) for j in range(d)])
                * other.transpose(),
            )
        )
    return found


def spectral_half(p: LowRankRelease) -> fmpq:
    """Half of the largest eigenvalue of the noise of `release`, which is the last of the output's."""
    return rational(p.eigenvalues[-1]) / 2


PARTS = "W_1 and W_2 are positive semidefinite"
BOTH = "||W_1||_2 and ||W_2||_2 are at most the threshold of Lemma 1"
CENTRED = private(CROSSED, fmpq_mat(2, 2), epsilon=5, theta=0)
ATTAINED = private(
    attrs.evolve(CROSSED, eigenvalues=(6, 6), noise=fmpq_mat(2, 2, [0, 0, 0, 3]), theta=0), fmpq_mat(2, 2, [3, 0, 0, 0])
)
"""A = diag(9, 3), W_1 = diag(0, 3) and W_2 = diag(3, 0), a tie broken against A."""
OUTSIDE_PRIVATE = {
    says: private(point, fmpq_mat(2, 2))
    for says, point in OUTSIDE.items()
    if says not in ("W is symmetric", "W is positive semidefinite", "A is positive semidefinite")
} | {
    "A is positive semidefinite": private(attrs.evolve(QUIET, eigenvalues=(1, -1)), fmpq_mat(2, 2)),
    "theta >= 0": private(INSIDE, fmpq_mat(2, 2), theta=Fraction(-1, 99)),
    PARTS: attrs.evolve(CENTRED, removed=fmpq_mat(2, 2, [fmpq(1, 2), 0, 0, fmpq(-1, 2)])),
    BOTH: private(attrs.evolve(QUIET, eigenvalues=(100, 100), noise=100 * identity(2)), fmpq_mat(2, 2)),
}
"""W_1 = diag(-1, 1)/2 and W_2 = -W_1 have norms within the event, and their difference twice that."""


@theorem_9.supports(
    "private-noise",
    grade="derived",
    region="every A, W_1, W_2 >= 0, k, d, epsilon, theta: derivation in the docstring, its inequalities at 27 releases",
)
def test_the_error_with_the_private_noise(statement) -> None:
    """As A - A^_k = (A^ - A^_k) - Z, the error is at most ||A^ - A^_k|| + ||Z||, with Z = W_1 - W_2 and A^ = A + Z.

    The first is the largest |lambda_i(A^)|, i > k, or 0; these lie between -||Z|| and lambda_(k+1)(A) + ||Z||, by the
    min-max principle and A >= 0. As -W_2 <= Z <= W_1, ||Z|| <= max(||W_1||, ||W_2||), at most the threshold. Lemma 1
    says of each norm that it exceeds it with probability at most d exp(-theta).
    """
    releases = private_releases()
    for p in releases:
        assert statement.at(p) is Truth.TRUE
        with mpmath.workdps(40):
            following, _, error = parts(p)
            size = max(abs(value) for value in decreasing(real_matrix(p.noise)))
            norms = [decreasing(real_matrix(part))[0] for part in (p.noise + p.removed, p.removed)]
            assert size <= max(norms) + mpmath.mpf(10) ** -30
            assert error <= following + 2 * size + mpmath.mpf(10) ** -30

    def written(p: PrivateRelease) -> str:
        with mpmath.workdps(70):
            following, _, error = parts(p)
            d, theta = len(p.eigenvalues), real(p.theta)
            tail = d + 1 + mpmath.sqrt(2 * (d + 1) * (d + 2) * theta) + 2 * theta * d
            return mpmath.nstr(following + 2 * tail / real(p.epsilon) - error, 55)

    bind(statement, [(p, written(p)) for p in releases])
    bind_hypotheses(statement, releases[0], OUTSIDE_PRIVATE)
    assert statement.applies(attrs.evolve(releases[0], epsilon=0)) is Truth.FALSE
    assert statement.at(ATTAINED) is Truth.TRUE, "both norms are the threshold 3, and the error is 9 = 3 + 2 * 3"


@theorem_9.controls("private-noise", grade="interval", region="d = 2: indefinite parts; noise outside the event")
def test_the_private_noise_is_that_of_its_parts(statement) -> None:
    for says in (PARTS, BOTH, "A is positive semidefinite"):
        assert statement.without(says).at(OUTSIDE_PRIVATE[says]) is Truth.FALSE, says
    [semidefinite] = [condition for condition in statement.given if condition.says == PARTS]
    one_of_both = private(attrs.evolve(QUIET, noise=fmpq_mat(2, 2, [1, 0, 0, 0])), fmpq_mat(2, 2, [-1, 0, 0, 0]))
    assert semidefinite.at(one_of_both) is Truth.FALSE, "W_1 = diag(1, 0) alone"
    for wrong in (fmpq_mat(1, 1), fmpq_mat(2, 2, [0, 1, 0, 0]), fmpq_mat(2, 2, [-1, 0, 0, 0])):
        assert semidefinite.at(attrs.evolve(private(QUIET, fmpq_mat(2, 2)), removed=wrong)) is Truth.FALSE
