"""Theorem 6 of `sliding-window` for rows of any length: the release of a root, its noise, and the printed order."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import released_root as module
from dpmatrix.spec.sliding_window.loewner import squared_norm
from dpmatrix.spec.sliding_window.released_root import (
    ReleasedRoots,
    RootError,
    RootNoise,
    WindowRoots,
    noise_of_release,
)
from proofs_checks.exact_matrices import conjugated, diagonal, rotation
from proofs_checks.sliding_window.dyadic_noise import check_guarantee, shift

theorem_6 = cite("sliding-window.theorem-6@0da31879")

HALF, MILLIONTH = Fraction(1, 2), Fraction(1, 10**6)
SMALL, LARGE = Fraction(1, 50), Fraction(49, 50)
NEAR, ROOTS = "|A - A'|_F <= 1 for each window", "H and H' are the positive semidefinite roots"


def line_root(row, length) -> fmpq_mat:
    """Root of a'a for a row a of that length: a'a divided by it."""
    return row.transpose() * row / rational(length)


def released(*windows: WindowRoots, epsilon=1, delta=MILLIONTH) -> ReleasedRoots:
    return ReleasedRoots(windows, epsilon, delta)


def turned(m: int, chord=1) -> WindowRoots:
    """Turn a row (x, -y) to (x, y), at distance ``chord``: its angle has the tangent 2m/(m^2 - 1)."""
    length = rational(chord) * fmpq(m * m + 1, 4 * m)
    high, wide = rational(chord) / 2, rational(chord) * fmpq(m * m - 1, 4 * m)
    first, second = fmpq_mat([[wide, -high]]), fmpq_mat([[wide, high]])
    return WindowRoots(first, second, line_root(first, length), line_root(second, length))


def one_column(*values) -> WindowRoots:
    return WindowRoots(*(fmpq_mat([[rational(value)]]) for value in values))


TALL = fmpq_mat([[fmpq(1, 3), fmpq(2, 3)], [fmpq(2, 3), fmpq(1, 3)], [fmpq(2, 3), fmpq(-2, 3)]])
"""Orthonormal columns."""
LONG_ROW = turned(500)
"""Rows of length 125 at distance 1."""
LONG = released(LONG_ROW)
SAME = one_column(1, 1, 1, 1)
POINT = released(SAME)


def other_windows() -> list[WindowRoots]:
    """Windows of one, two and three rows that move by at most 1."""
    draws = random.Random(8)
    found = [one_column(2, 3, 2, 3), one_column(HALF, -HALF, HALF, HALF), SAME]
    for values, others in (((90, 40), (90, fmpq(81, 2))), ((1, 0), (fmpq(1, 2), fmpq(1, 2))), ((9, 9), (9, 9))):
        frame, change = rotation(draws, 2, 3), rotation(draws, 2, 3000)
        one, two = conjugated(values, frame), conjugated(others, change * frame)
        found += [WindowRoots(shape * one, shape * two, one, two) for shape in (diagonal((1, 1)), TALL)]
    three = conjugated((7, 2, 1), rotation(draws, 3, 4))
    moved = three + diagonal((0, HALF, HALF))
    return [*found, WindowRoots(three, moved, three, moved)]


def spare_by_hand(p: ReleasedRoots):
    """Delta minus the profile of a normal law that moves by the root of the sum of |H - H'|_F^2/(2 s^2)."""
    changes = [one.root - one.other for one in p.windows]
    squares = sum((real(entry) ** 2 for change in changes for entry in change.entries()), mpmath.mpf(0))
    moved, e = shift(p) * mpmath.sqrt(squares / 2 / len(changes)), real(p.epsilon)
    if not moved:
        return real(p.delta)
    return real(p.delta) - mpmath.ncdf(moved / 2 - e / moved) + mpmath.exp(e) * mpmath.ncdf(-moved / 2 - e / moved)


RELEASE_OUTSIDE = {
    ROOTS: released(one_column(1, 1, 1, -1)),
    NEAR: released(turned(500, Fraction(51, 50))),
    "epsilon > 0": attrs.evolve(POINT, epsilon=0),
    "delta > 0": attrs.evolve(POINT, delta=0),
    "delta < 1": attrs.evolve(POINT, delta=1),
}


@theorem_6.supports(
    "root-privacy",
    grade="derived",
    region="all A and A' with |A - A'|_F <= 1, every d, q, eps and delta: the docstring",
)
def test_the_root_of_a_window_is_private(statement) -> None:
    """The root moves by at most sqrt(2) times what the window moves, as sqrt(X^2) by at most what X moves.

    For symmetric X = X+ - X- and Y = Y+ - Y-, positive and negative parts, |X| = X+ + X-, and Tr(|X||Y|) - Tr(XY) = 2
    Tr(X+ Y-) + 2 Tr(X- Y+) >= 0, so that ||X| - |Y||_F <= |X - Y|_F. Take X = (0, A; A', 0) and
    Y of A' in its place: |X| has the blocks (AA')^(1/2) and H, and |X - Y|_F^2 = 2|A - A'|_F^2. So |H - H'|_F <=
    sqrt(2)|A - A'|_F <= sqrt(2). The entries of H + N, over their deviations, move by the root of the sum of
    (H - H')_ii^2/(2 s^2) and of (H - H')_ij^2/s^2 for i < j, |H - H'|_F/(sqrt(2) s) <= 1/s. Those of q windows move by
    at most sqrt(q)/s, and that is the mu of `check_guarantee`.
    """
    check_guarantee()
    names = sympy.symbols("plus minus other_plus other_minus", commutative=False)
    plus, minus, other_plus, other_minus = names
    gap = (plus + minus) * (other_plus + other_minus) - (plus - minus) * (other_plus - other_minus)
    assert sympy.expand(gap - 2 * plus * other_minus - 2 * minus * other_plus) == 0
    a, b, c = sympy.symbols("a b c")
    assert sympy.expand(a**2 / 2 + b**2 + c**2 / 2 - (sympy.Matrix([[a, b], [b, c]]) ** 2).trace() / 2) == 0
    singles = [turned(m, x) for m, x in ((2, 1), (9, HALF), (50, 1))]
    points = [released(one, epsilon=e, delta=d) for one, e, d in product(singles, (1, 9), (HALF, MILLIONTH))]
    points += [released(one, epsilon=Fraction(1, 9), delta=HALF) for one in (*other_windows(), LONG_ROW)]
    points += [released(*singles), released(LONG_ROW, SAME, *singles, delta=HALF), LONG]
    moves = (one_column(1, 1 + move, 1, 1 + move) for move in (Fraction(1, 5), Fraction(2, 5)))
    points.append(released(*moves, epsilon=Fraction(1, 9), delta=HALF))  # (1/25 + 4/25)/2 = 1/10 in all
    with mpmath.workdps(60):
        bind_formula(statement, [*points, released(turned(9, 3)), released(SAME, turned(50, 40))], spare_by_hand)
    for p in points:
        assert statement.applies(p) is Truth.TRUE
        assert statement.at(p) is Truth.TRUE
        for one in p.windows:
            assert squared_norm(one.root - one.other) <= 2 * squared_norm(one.first - one.second)
    assert statement.margin(attrs.evolve(POINT, delta=HALF)) == fmpq(1, 2), "nothing moves"
    assert not statement.strict
    for inside in (POINT, LONG, released(turned(2), delta=SMALL, epsilon=SMALL), attrs.evolve(POINT, delta=LARGE)):
        bind_hypotheses(statement, inside, RELEASE_OUTSIDE)
    skew, nothing, flat = fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[0, 0]]), fmpq_mat([[1, 0]])
    for wrong in (
        one_column(1, 1, 2, 1),
        one_column(1, 1, 1, 2),
        one_column(1, 1, -1, 1),
        WindowRoots(nothing, nothing, skew, skew),  # the square of which is 0
        WindowRoots(flat, flat, fmpq_mat([[1]]), line_root(flat, 1)),
        turned(500, Fraction(201, 200)),
        WindowRoots(fmpq_mat([[1], [0]]), fmpq_mat([[1]]), *[fmpq_mat([[1]])] * 2),
        WindowRoots(flat, fmpq_mat([[1]]), line_root(flat, 1), fmpq_mat([[1]])),
    ):
        for windows in ((wrong,), (wrong, SAME), (SAME, wrong)):
            answers = [one.at(ReleasedRoots(windows, 1, HALF)) for one in statement.given]
            assert Truth.FALSE in answers
    for says in (ROOTS, NEAR):
        (one,) = (one for one in statement.given if one.says == says)
        assert one.at(ReleasedRoots((), 1, HALF)) is Truth.FALSE, "no window"


@theorem_6.controls(
    "root-privacy",
    grade="interval",
    region="a row of length 125: noise for a root that moves by 1, for one window of two; a chord of 5",
)
def test_the_root_moves_by_more_than_the_window(statement) -> None:
    """The direction of a long row turns by 1/125, and its root by sqrt(2) as much as the row."""
    assert statement.at(LONG) is Truth.TRUE
    turn = LONG_ROW.root - LONG_ROW.other
    assert squared_norm(turn) > fmpq(199, 100) * squared_norm(LONG_ROW.first - LONG_ROW.second)
    quiet = redefined(statement, module, "noise_of_release", lambda q, e, d: noise_of_release(q, e, d) / arb(2).sqrt())
    single = redefined(statement, module, "noise_of_release", lambda _, e, d: noise_of_release(1, e, d))
    assert quiet.at(LONG) is Truth.FALSE
    assert single.at(LONG) is Truth.TRUE
    assert single.at(released(LONG_ROW, LONG_ROW)) is Truth.FALSE
    far = released(turned(500, 5))
    assert statement.applies(far) is Truth.FALSE
    assert statement.without(NEAR).at(far) is Truth.FALSE
    assert statement.without(ROOTS).at(RELEASE_OUTSIDE[ROOTS]) is Truth.FALSE


def needed(p: RootNoise | RootError, beta, windows: int = 1) -> mpmath.mpf:
    """Give 2 s (sqrt(d) + sqrt(log(2/beta)))."""
    return 2 * mpmath.sqrt(windows) / shift(p) * (mpmath.sqrt(p.dimension) + mpmath.sqrt(mpmath.log(2 / real(beta))))


def noise(dimension, epsilon=1, delta=MILLIONTH, beta=HALF, share=1, windows=1) -> RootNoise:
    """Give that share of the least zeta, rounded up to millionths."""
    p = RootNoise(dimension, windows, epsilon, delta, beta, 0)
    with mpmath.workdps(40):
        least = int(mpmath.ceil(needed(p, beta, windows) * 10**6))
    return attrs.evolve(p, bound=rational(share) * fmpq(least, 10**6))


def success_by_hand(p: RootNoise):
    """Pr(|N| <= zeta) - 1 + beta: with one column N is N(0, 2 s^2), and in the plane its eigenvalues are m +- r.

    m = (N_11 + N_22)/2 is N(0, s^2), and r the length of ((N_11 - N_22)/2, N_12), two more such variates.
    """
    end = real(p.bound) * shift(p) / mpmath.sqrt(p.windows)
    if p.dimension == 1:
        return mpmath.erf(end / 2) - 1 + real(p.beta)
    inside = mpmath.quad(
        lambda r: r * mpmath.exp(-(r**2) / 2) * mpmath.erf((end - r) / mpmath.sqrt(2)), mpmath.linspace(0, end, 5)
    )
    return inside - 1 + real(p.beta)


LEAST = "zeta >= 2 s (sqrt(d) + sqrt(log(2/beta)))"
TRIPLE = noise(3)
NOISE_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(TRIPLE, dimension=0),
    "windows >= 1, an integer": attrs.evolve(TRIPLE, windows=0),
    "epsilon > 0": attrs.evolve(TRIPLE, epsilon=0),
    "delta > 0": attrs.evolve(TRIPLE, delta=0),
    "delta < 1": attrs.evolve(TRIPLE, delta=1),
    "beta > 0": attrs.evolve(TRIPLE, beta=0),
    "beta < 1": attrs.evolve(TRIPLE, beta=1),
    LEAST: attrs.evolve(TRIPLE, bound=TRIPLE.bound - fmpq(1, 10**5)),
}


@theorem_6.supports(
    "root-noise",
    grade="derived",
    region="every d, eps, delta and beta: two inequalities for Gaussian variates are cited",
)
def test_the_noise_of_a_root_is_small(statement) -> None:
    """The largest eigenvalue is the largest x'Nx, |x| = 1, and x'Nx has the variance 2 s^2.

    E(x'Nx - y'Ny)^2 = 2 s^2 |xx' - yy'|_F^2 = 4 s^2 (1 - (x'y)^2) <= 4 s^2 |x - y|^2, which 2s g'x has for standard
    normal g. So its mean is at most 2s E|g| <= 2s sqrt(d) (Sudakov and Fernique), and it exceeds its mean by u with
    probability at most exp(-u^2/(4 s^2)) (Borell; Tsirelson, Ibragimov and Sudakov), beta/2 at u = 2s
    sqrt(log(2/beta)). -N has the law of N.
    """
    c, s, beta = sympy.symbols("c s beta", positive=True)
    assert sympy.expand(2 * (1 - c) - (1 - c**2) - (1 - c) ** 2) == 0, "|x - y|^2 = 2 (1 - c) for c = x'y"
    x, y = (sympy.Matrix(sympy.symbols(f"{name}1:4")) for name in "xy")
    apart = sum(entry**2 for entry in x * x.T - y * y.T)
    assert sympy.expand(apart - x.dot(x) ** 2 - y.dot(y) ** 2 + 2 * x.dot(y) ** 2) == 0
    tail = -((2 * s * sympy.sqrt(sympy.log(2 / beta))) ** 2) / (4 * s**2)
    assert sympy.simplify(sympy.expand_log(tail - sympy.log(beta / 2), force=True)) == 0
    points = [
        noise(d, e, delta, beta, share)
        for d, e, delta in product((1, 2), (1, Fraction(1, 3)), (HALF, MILLIONTH))
        for beta, share in ((HALF, 1), (SMALL, HALF), (LARGE, Fraction(1, 5)))
    ]
    points += [noise(d, windows=q, share=HALF) for d, q in product((1, 2), (2, 11))]
    with mpmath.workdps(50):
        bind_formula(statement, points, success_by_hand)
    for d, e, delta, b in product((1, 2, 5, 8), (SMALL, 1, 30), (LARGE, MILLIONTH), (LARGE, HALF, MILLIONTH)):
        assert statement.at(noise(d, e, delta, b)) is Truth.TRUE
    assert not statement.strict
    for inside in (TRIPLE, noise(1, SMALL, SMALL, SMALL), noise(1, 1, LARGE, LARGE), noise(2, windows=9)):
        bind_hypotheses(statement, inside, NOISE_OUTSIDE)


@theorem_6.controls("root-noise", grade="interval", region="d = 2, 5 and 8: half of zeta; a third")
def test_a_smaller_bound_on_the_noise_is_noticed(statement) -> None:
    for d in (2, 5, 8):
        assert statement.at(noise(d, beta=Fraction(1, 100))) is Truth.TRUE
        small = noise(d, beta=Fraction(1, 100), share=HALF)
        assert statement.applies(small) is Truth.FALSE
        assert statement.without(LEAST).at(small) is Truth.FALSE
        assert statement.without(LEAST).at(noise(d, share=Fraction(1, 3))) is Truth.FALSE


def error(dimension, k, epsilon, delta, failure, constant=18) -> RootError:
    return RootError(dimension, k, epsilon, delta, failure, constant)


WORST = error(2, 1, 1, HALF, Fraction(999, 1000))
ERROR_OUTSIDE = {
    "k >= 1, an integer": attrs.evolve(WORST, k=0),
    "k < d": attrs.evolve(WORST, k=2),
    "epsilon > 0": attrs.evolve(WORST, epsilon=0),
    "eps <= max(1, log(1/delta))": attrs.evolve(WORST, epsilon=Fraction(101, 100)),
    "delta > 0": attrs.evolve(WORST, delta=0),
    "delta <= 1/2": attrs.evolve(WORST, delta=Fraction(51, 100)),
    "failure > 0": attrs.evolve(WORST, failure=0),
    "failure < 1": attrs.evolve(WORST, failure=1),
}


def spare_error(p: RootError):
    """Give c log(1/delta)/eps sqrt(d log d (k + log(1/beta))) - 2 sqrt(min(k, d - k)) zeta."""
    stated = real(p.constant) * -mpmath.log(real(p.delta)) / real(p.epsilon)
    stated *= mpmath.sqrt(p.dimension * mpmath.log(p.dimension) * (p.k - mpmath.log(real(p.failure))))
    return stated - 2 * mpmath.sqrt(min(p.k, p.dimension - p.k)) * needed(p, p.failure)


@theorem_6.supports(
    "root-attains",
    grade="derived",
    region="every d > k >= 1, beta, delta <= 1/2 and eps <= max(1, log(1/delta)): the docstring",
)
def test_one_release_attains_the_bound(statement) -> None:
    """Let L = log(1/delta), D = d log d, l = log(1/beta), k' = k + l, and m = min(k, d - k), at most k and d/2.

    m d <= k' D/log 2, as log d >= log 2, and m (log 2 + l) <= d/2 k' <= k' D/(2 log 2), as log 2 < 1 <= d/2. So sqrt(m
    d) + sqrt(m log(2/beta)) <= (1 + 1/sqrt(2)) sqrt(k' D/log 2). s eps/L = (sqrt(2L) + sqrt(2L + 2 eps))/(2L), which
    for eps <= 1 is largest at eps = 1 and falls with L. For eps <= L it is at most (sqrt(2) + 2)/(2 sqrt(L)), which
    falls too. At L = log 2 both are below 2.177, and 4 (1 + 1/sqrt(2)) 2.177/sqrt(log 2) < 18.
    """
    two = sympy.log(2)
    bounds = (sympy.sqrt(2 * two) + sympy.sqrt(2 * two + 2)) / (2 * two), (sympy.sqrt(2) + 2) / (2 * sympy.sqrt(two))
    largest = sympy.Rational("2.177")
    assert all(bound < largest for bound in bounds)
    assert 4 * (1 + 1 / sympy.sqrt(2)) * largest / sympy.sqrt(two) < 18
    level, e = sympy.symbols("L e", positive=True)
    s = (sympy.sqrt(2 * level) + sympy.sqrt(2 * level + 2 * e)) / (2 * e)
    assert sympy.simplify(s.subs(e, level) * level / level - (sympy.sqrt(2) + 2) / (2 * sympy.sqrt(level))) == 0
    points = [
        error(d, k, e, delta, beta, c)
        for (d, k), (e, delta), (beta, c) in product(
            ((2, 1), (3, 1), (3, 2), (50, 49), (10**9, 30), (1000, 500)),
            ((1, HALF), (13, MILLIONTH), (SMALL, SMALL)),
            ((SMALL, 18), (LARGE, 18), (MILLIONTH**9, 18), (HALF, Fraction(1, 3))),
        )
    ]
    with mpmath.workdps(50):
        bind_formula(statement, points, spare_error)
    for p in points:
        if p.constant == 18:
            assert statement.at(p) is Truth.TRUE
    assert [one.exhibited for one in statement.exists] == [18]
    theorem_6.tells("term with c = {} for eps <= max", WORST.constant)
    assert not statement.strict
    for inside in (WORST, error(3, 2, SMALL, SMALL, SMALL), error(3, 1, Fraction(138, 10), MILLIONTH, HALF)):
        bind_hypotheses(statement, inside, ERROR_OUTSIDE)
    assert statement.applies(error(2, 1, Fraction(139, 10), MILLIONTH, HALF)) is Truth.FALSE, "log(10^6) = 13.82"


@theorem_6.controls("root-attains", grade="interval", region="c = 16; a large epsilon; delta near 1; beta = 2")
def test_a_smaller_constant_does_not_attain_the_bound(statement) -> None:
    assert statement.at(WORST) is Truth.TRUE
    assert statement.exhibits(constant=16).at(attrs.evolve(WORST, constant=16)) is Truth.FALSE
    assert statement.without("eps <= max(1, log(1/delta))").at(attrs.evolve(WORST, epsilon=9)) is Truth.FALSE
    assert statement.without("delta <= 1/2").at(attrs.evolve(WORST, delta=Fraction(9, 10))) is Truth.FALSE
    assert statement.without("failure < 1").at(attrs.evolve(WORST, failure=2)) is Truth.FALSE
    assert statement.without("k < d").at(attrs.evolve(WORST, k=5, dimension=1)) is not Truth.TRUE
