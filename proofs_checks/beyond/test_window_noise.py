"""How little noise windows can have: Cauchy and Schwarz on the circle, nuclear norms, and a constant of Lebesgue."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import attrs
import mpmath
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.mechanisms.streams.factorisation import least_gain
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import window_noise as windows
from dpmatrix.spec.beyond.window_noise import LongStream, OddWindow, Strategy, Weights
from dpmatrix.spec.beyond.windows import window_gains

noise = cite("beyond.window-noise@b8b2c8ed")


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


CHOSEN = [
    Weights(weights, leaves)
    for weights in (
        (1, Fraction(1, 2)),
        (1, Fraction(1, 2), Fraction(-1, 8)),
        (1, Fraction(1, 2), Fraction(3, 8), Fraction(-3, 16)),
        (3, 1, 1, 0, Fraction(1, 2)),
    )
    for leaves in (1, 2, 3, 4, 7)
]
WEIGHTS_OUTSIDE = {
    "leaves >= 1, an integer": attrs.evolve(CHOSEN[1], leaves=0),
    "c has no zero in the closed unit disc": attrs.evolve(CHOSEN[1], weights=(1, 1)),
}


def noise_margins() -> Iterator[tuple[Weights, str]]:
    """Yield weights, and by how much their noise exceeds the least: a series, and a mean of |sin(W t/2)/sin(t/2)|."""
    with mpmath.workdps(60):
        for p in CHOSEN:
            weights = [real(weight) for weight in p.weights]
            terms: list[mpmath.mpf] = []
            for t in range(900):
                known = sum(weight * terms[t - k] for k, weight in enumerate(weights) if 0 < k <= t)
                terms.append((int(t < p.leaves) - known) / weights[0])
            ends = [mpmath.pi * j / p.leaves for j in range(p.leaves + 1)]
            mean = mpmath.quad(lambda u, n=p.leaves: abs(kernel(n, u)), ends) / mpmath.pi
            total = sum(term**2 for term in terms) * sum(weight**2 for weight in weights)
            yield p, mpmath.nstr(total - mean**2, 50)


def kernel(leaves: int, u: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sin(leaves * u) / mpmath.sin(u) if mpmath.sin(u) else mpmath.mpf(leaves)


@noise.supports(
    grade="derived",
    region="all weights without a zero in the disc, every W, by the docstring; 20 weights and windows, W = 1 to 7",
)
def test_no_weights_have_less_noise_than_the_mean_of_the_kernel(statement) -> None:
    """Where c has no zero in the closed disc, a/c is analytic in a larger one, so its terms are square-summable, and
    their squares sum to the mean of |a/c|^2 over the circle, as those of c do to the mean of |c|^2 (Parseval). By the
    inequality of Cauchy and Schwarz the product of these means is at least the square of the mean of |a/c| |c| = |a|.
    """  # noqa: D205
    bind(statement, noise_margins())
    bind_hypotheses(statement, CHOSEN[1], WEIGHTS_OUTSIDE)
    assert not statement.strict
    for p in CHOSEN:
        assert statement.at(p) is Truth.TRUE
    for size in (1, 2, 3, 10, 25):
        assert abs(least_gain(size) - float(windows.lebesgue(size).mid()) ** 2) < 1e-12 * least_gain(size)
    assert windows.no_zero_margin(Weights((2,), 1)) == 1
    assert windows.no_zero_margin(Weights((2, 1, Fraction(1, 8)), 1)) == 1, "both zeros are -4"
    assert windows.no_zero_margin(Weights((1, Fraction(4, 5)), 1)) == arb("0.25")
    assert windows.no_zero_margin(Weights((), 1)) == -1
    assert windows.no_zero_margin(Weights((0, 1), 1)) == -1


@noise.controls(grade="interval", region="a tenth more than the mean; a zero in the disc")
def test_more_than_the_mean_is_not_the_least(statement) -> None:
    near = CHOSEN[6]
    assert statement.at(near) is Truth.TRUE
    mean = windows.lebesgue
    more = redefined(statement, windows, "lebesgue", lambda leaves: mean(leaves) * 11 / 10)
    assert more.at(near) is Truth.FALSE
    less = redefined(statement, windows, "mean_quotient", lambda p: first_terms(p, 1))
    assert less.at(near) is Truth.FALSE


def first_terms(p: Weights, count: int) -> arb:
    return sum(
        (arb(term) ** 2 for term in window_gains([rational(weight) for weight in p.weights], p.leaves, count)), arb(0)
    )


STRATEGIES = [
    Strategy(matrix, leaves)
    for matrix in (
        windows.window_matrix(5, 2),
        fmpq_mat([[1, 0, 0], [2, 1, 0], [0, 1, 2]]),
        fmpq_mat([[2, 0, 0, 0], [1, 2, 0, 0], [1, 1, 2, 0], [0, 1, 1, 2]]),
        fmpq_mat([[1, 2, 0, 1], [0, 1, fmpq(1, 3), 0], [1, 0, 1, 0], [0, 1, 0, 5]]),
        fmpq_mat(4, 4, [int(i == j) for i in range(4) for j in range(4)]),
    )
    for leaves in (1, 2, 3, 5)
]
STRATEGY_OUTSIDE = {
    "leaves >= 1, an integer": attrs.evolve(STRATEGIES[5], leaves=0),
    "C is square and invertible": Strategy(fmpq_mat([[1, 0], [1, 0]]), 2),
}


def strategy_value(p: Strategy) -> str:
    """Compute the margin to 50 digits."""
    size = p.matrix.nrows()
    with mpmath.workdps(70):
        rows = [[real(Fraction(int(entry.p), int(entry.q))) for entry in row] for row in p.matrix.tolist()]
        matrix = mpmath.matrix(rows)
        needed = mpmath.matrix([[int(0 <= t - s < p.leaves) for s in range(size)] for t in range(size)])
        answers = needed * mpmath.inverse(matrix)
        row = max(sum(answers[i, j] ** 2 for j in range(size)) for i in range(size))
        column = max(sum(matrix[i, j] ** 2 for i in range(size)) for j in range(size))
        values = mpmath.svd_r(needed, compute_uv=False)
        return mpmath.nstr(row * column - (sum(values) / size) ** 2, 50)


@noise.supports(
    "every-factorisation", grade="derived", region="every factorisation and T, by the docstring; 20 of order 3 to 5"
)
def test_no_factorisation_has_less_noise_than_the_nuclear_norm(statement) -> None:
    """|A|_* is tr U'A for some orthogonal U, and tr U'B C <= |U'B|_F |C|_F = |B|_F |C|_F. |B|_F^2 is at most T times
    the greatest square of a row, |C|_F^2 at most T times that of a column. So |A|_*/T is at most the product of the
    greatest norms.
    """  # noqa: D205
    bind(statement, [(p, strategy_value(p)) for p in STRATEGIES])
    bind_hypotheses(statement, STRATEGIES[5], STRATEGY_OUTSIDE)
    assert not statement.strict
    met = STRATEGIES[16]
    assert statement.margin(met).contains(0), "met exactly by the identity, for a window of one part"
    for p in STRATEGIES:
        assert p == met or statement.at(p) is Truth.TRUE
    assert windows.invertible_margin(Strategy(fmpq_mat(1, 2, [1, 0]), 1)) == -1
    assert windows.invertible_margin(Strategy(fmpq_mat(0, 0, []), 1)) == -1


@noise.controls("every-factorisation", grade="interval", region="T = 4: half the greatest square of a row")
def test_half_a_row_may_be_less(statement) -> None:
    assert statement.at(STRATEGIES[18]) is Truth.TRUE
    half = redefined(statement, windows, "greatest_row", lambda matrix: greatest(matrix) / 2)
    assert half.at(STRATEGIES[18]) is Truth.FALSE


def greatest(matrix: fmpq_mat) -> arb:
    return arb(max(sum((entry * entry for entry in row), fmpq(0)) for row in matrix.tolist()))


LONG = [LongStream(length, leaves) for leaves in (1, 2, 3, 4, 5) for length in (leaves, leaves + 1, 6, 8)]
LONG_OUTSIDE = {
    "leaves >= 1, an integer": LongStream(2, 0),
    "T >= W": LongStream(2, 3),
}


def long_margins() -> Iterator[tuple[LongStream, str]]:
    """Yield lengths, and the margin to 50 digits, by singular values and a mean of |sin(W u)/sin(u)|."""
    with mpmath.workdps(70):
        for p in LONG:
            needed = [[int(0 <= t - s < p.leaves) for s in range(p.length)] for t in range(p.length)]
            total = sum(mpmath.svd_r(mpmath.matrix(needed), compute_uv=False))
            ends = [mpmath.pi * j / p.leaves for j in range(p.leaves + 1)]
            mean = mpmath.quad(lambda u, n=p.leaves: abs(kernel(n, u)), ends) / mpmath.pi
            yield p, mpmath.nstr(total - (p.length - mpmath.mpf(p.leaves - 1) / 2) * mean, 50)


@noise.supports("long-stream", grade="derived", region="every T >= W, by the docstring; 20 pairs, W = 1 to 5")
def test_a_long_stream_has_nearly_the_noise_of_one_without_end(statement) -> None:
    """Let U be the T x T matrix of the numbers u_(t-s), u_k the Fourier coefficients of u = a/|a|, for all k. As |u| is
    1 almost everywhere, U has the norm 1 at most, so |A|_* >= tr A'U = sum_(k < W) (T - k) u_k, as A has ones where 0
    <= t - s < W. The u_k for 0 <= k < W sum to the mean of conj(a) u = |a|, L. And u(e^it) = e^(i (W-1) t/2) times the
    sign of the kernel, which is even: so u_k = u_(W-1-k), and k u_k sum to (W-1) L/2.
    """  # noqa: D205
    bind(statement, long_margins())
    bind_hypotheses(statement, LongStream(1, 1), LONG_OUTSIDE)
    assert not statement.strict
    for p in LONG:
        assert p.leaves == 1 or statement.at(p) is Truth.TRUE
    for size in (2, 3, 5):
        # the coefficients by quadrature, arch by arch
        ends = [2 * mpmath.pi * j / size for j in range(size + 1)]
        found = [
            sum(
                (-1) ** j * mpmath.quad(lambda t, k=k, n=size: mpmath.cos(((n - 1) / 2 - k) * t), ends[j : j + 2])
                for j in range(size)
            )
            / (2 * mpmath.pi)
            for k in range(size)
        ]
        mean = float(windows.lebesgue(size).mid())
        assert abs(float(sum(found)) - mean) < 1e-12
        assert abs(float(sum(k * value for k, value in enumerate(found))) - (size - 1) * mean / 2) < 1e-12


@noise.controls("long-stream", grade="interval", region="all windows counted as full, W = 2 to 5")
def test_windows_at_the_beginning_have_less_noise(statement) -> None:
    full = redefined(statement, windows, "full_windows", lambda p: fmpq(p.length))
    for p in LONG:
        assert p.leaves == 1 or full.at(p) is Truth.FALSE


@noise.supports("lebesgue", grade="derived", region="every odd W, by the docstring; W = 1, 3, ..., 39")
def test_the_mean_of_the_kernel_is_a_sum_of_tangents(statement) -> None:
    """|a(e^it)| is |D(t)|, D(t) = sin(W t/2)/sin(t/2) = 1 + 2 sum_(k <= n) cos k t, of the sign s = (-1)^j on the arch
    from 2 pi j/W to 2 pi (j+1)/W, j < W. The mean of s is 1/W, as one arch more is positive. The mean of 2 cos(k t) s
    is 1/(pi k) times the sum of (-1)^j (sin(2 pi k (j+1)/W) - sin(2 pi k j/W)), the imaginary part of (z - 1)(1 + z^W)
    over 1 + z at z = e^(2 pi i k/W): as z^W = 1, it is 2 tan(pi k/W) (1).
    """  # noqa: D205
    for size, k in ((3, 1), (11, 4), (41, 20)):
        with mpmath.workdps(40):
            sines = [mpmath.sin(2 * mpmath.pi * k * j / size) for j in range(size + 1)]
            total = sum((-1) ** j * (sines[j + 1] - sines[j]) for j in range(size))
            assert abs(total - 2 * mpmath.tan(mpmath.pi * k / size)) < mpmath.mpf(10) ** -35, "(1)"
    points = [OddWindow(n) for n in range(20)]
    bind(statement, ((p, 0) for p in points))
    bind_hypotheses(statement, points[0], {"n >= 0, an integer": OddWindow(-1)})
    assert not statement.strict


@noise.controls("lebesgue", grade="interval", region="W = 3, 11: the kernel of one term more")
def test_another_window_has_another_mean(statement) -> None:
    mean = windows.lebesgue
    other = redefined(statement, windows, "lebesgue", lambda leaves: mean(leaves + 1))
    for n in (1, 5):
        assert other.at(OddWindow(n)) is Truth.FALSE
