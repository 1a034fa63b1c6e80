"""Theorems 6 and 15 of `sliding-window` for rows of any length: projections and directions by a root with noise."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import noisy_root as module
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover
from dpmatrix.spec.sliding_window.noisy_root import NoisyDirection, NoisyRoot, blocks_of
from proofs_checks.exact_matrices import conjugated, diagonal, line, rotation

theorem_6 = cite("sliding-window.theorem-6@0da31879")
theorem_15 = cite("sliding-window.theorem-15@74ee425d")

HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)
ROOT, RANKS = "H'H = A_W'A_W", "P and X are projections of rank k"
QUIET, PREFERRED = "|N| <= zeta", "|(H + N)(1-P)|_F <= |(H + N)(1-X)|_F"
E_1, E_2 = line(1, 0), line(0, 1)
TALL = fmpq_mat([[fmpq(1, 3), fmpq(2, 3)], [fmpq(2, 3), fmpq(1, 3)], [fmpq(2, 3), fmpq(-2, 3)]])
"""Orthonormal columns."""

EVEN = NoisyRoot(diagonal((3, 1)), diagonal((3, 1)), diagonal((-1, 1)), E_2, E_1, 1)
"""The noise makes both axes look alike: the wrong one costs 3 = 1 + 2 zeta."""
LONG = NoisyRoot(*[diagonal((1002, 1000))] * 2, diagonal((-1, 1)), E_2, E_1, 1)
FOUR = NoisyRoot(
    *[diagonal((5, 5, 3, 3))] * 2, diagonal((-1, -1, 1, 1)), diagonal((0, 0, 1, 1)), diagonal((1, 1, 0, 0)), 1
)
"""Rank 2 of 4: 5 sqrt(2) = 3 sqrt(2) + 2 sqrt(2) zeta."""
THREE = NoisyRoot(
    *[diagonal((5, 3, 3))] * 2, diagonal((-1, 1, 1)), diagonal((0, 1, 1)), diagonal((1, 0, 1)), Fraction(11, 10)
)
"""Rank 2 of 3: the smaller rank is 1."""
SKEWED = NoisyRoot(*[fmpq_mat([[0, 100], [100, 100]])] * 2, fmpq_mat([[0, -100], [0, 0]]), E_1, E_2, 1)
"""Noise that is not symmetric and has the eigenvalue 0 alone: 100 sqrt(2) against 100."""
STACKED = NoisyRoot(
    diagonal((3, 4)),
    fmpq_mat([[3, 0], [0, 0], [0, 0], [0, 4]]),
    fmpq_mat([[fmpq(3, 5), 0], [0, fmpq(1, 5)], [fmpq(2, 5), 0], [0, fmpq(-4, 5)]]),
    E_1,
    E_2,
    1,
)
"""The roots of two blocks, one below the other."""

OUTSIDE = {
    ROOT: attrs.evolve(EVEN, window=diagonal((30, 1))),
    RANKS: NoisyRoot(*[diagonal((1, 0))] * 2, diagonal((-1, 0)), 100 * E_1, E_1, 1),
    QUIET: attrs.evolve(EVEN, bound=LARGE),
    PREFERRED: attrs.evolve(EVEN, noise=diagonal((0, 0)), bound=LARGE),
}


def violates(statement, says: str, point) -> bool:
    """Whether one hypothesis excludes the point; the others may have no value there."""
    return [one.at(point) for one in statement.given if one.says == says] == [Truth.FALSE]


def lost_by_hand(p: NoisyRoot):
    """Costs of both projections, from the entries of A_W."""
    costs = []
    for projection in (p.other, p.chosen):
        rest = p.window - p.window * projection
        costs.append(mpmath.sqrt(sum((real(entry) ** 2 for entry in rest.entries()), mpmath.mpf(0))))
    k, d = p.chosen.rank(), p.window.ncols()
    return costs[0] + 2 * mpmath.sqrt(min(k, d - k)) * real(p.bound) - costs[1]


def choices() -> list[NoisyRoot]:
    """Two lines of the plane and two planes of three dimensions: the one that H + N prefers is chosen."""
    draws = random.Random(15)
    found = []
    for order, shape, size in product((2, 3), (None, TALL), (1, 9)):
        if shape is not None and order == 3:
            continue
        for _ in range(6):
            root = conjugated([size * draws.randint(0, 9) for _ in range(order)], rotation(draws, order, 9))
            noise = conjugated([draws.choice((-1, 1)) for _ in range(order)], rotation(draws, order, 9))
            kept = [1] * (order - 1) + [0]
            one, two = (conjugated(kept, rotation(draws, order, 5)) for _ in range(2))
            p = NoisyRoot(root if shape is None else shape * root, root, noise, one, two, 1)
            found += [p, attrs.evolve(p, chosen=two, other=one)]
    return found


@theorem_6.supports("root-cost", grade="derived", region="every A_W, N, P and X of one rank, d and zeta: the docstring")
def test_the_cost_of_noise_on_the_root(statement) -> None:
    """As H'H = A'A, |A(1-P)|_F = |H(1-P)|_F. Let E project onto the range of P - X, R = H + N and r = min(k, d-k).

    (P - X)^2 commutes with P and X, and so does E; off it P = X. So |H(1-P)|_F^2 is x^2 + c^2, x = |H(1-P)E|_F, and
    |H(1-X)|_F^2 is y^2 + c^2, y = |H(1-X)E|_F, with one c; likewise for R, so that |R(1-P)E|_F <= |R(1-X)E|_F. On the
    range of E the two ranges of P and X have the dimension r' of each other, as k is the same, no vector in common, and
    no vector orthogonal to both: its dimension is 2r', and r' is at most k and at most d - k. So (1-P)E and (1-X)E have
    rank at most r, and x <= |R(1-P)E|_F + sqrt(r)|N| <= |R(1-X)E|_F + sqrt(r)|N| <= y + 2 sqrt(r)|N|. Finally the
    length of (x, c) exceeds that of (y, c) by at most x - y, or by nothing.
    """
    x, y, c = sympy.symbols("x y c", nonnegative=True)
    gap = (sympy.sqrt(y**2 + c**2) + x - y) ** 2 - x**2 - c**2
    assert sympy.simplify(gap - 2 * (x - y) * (sympy.sqrt(y**2 + c**2) - y)) == 0, "and it is not negative for x >= y"
    drawn = choices()
    with mpmath.workdps(60):
        bind_formula(statement, [*drawn, EVEN, LONG, FOUR, THREE, attrs.evolve(EVEN, bound=HALF)], lost_by_hand)
    best = [p for p in drawn if statement.applies(p) is Truth.TRUE]
    assert len(best) >= 30
    for p in (*best, EVEN, THREE, attrs.evolve(THREE, chosen=THREE.other)):
        assert statement.at(p) is Truth.TRUE
    assert statement.margin(EVEN) == 0
    assert statement.margin(LONG) == 0
    assert statement.margin(FOUR).contains(0)
    assert not statement.strict
    for inside in (EVEN, LONG):
        bind_hypotheses(statement, inside, OUTSIDE)
    column = fmpq_mat([[1], [0]])
    taller = {"window": TALL * EVEN.window}
    assert statement.applies(attrs.evolve(EVEN, **taller)) is Truth.TRUE
    for says, wrong in (
        (ROOT, {"root": fmpq_mat([[3, 1], [0, 1]])}),
        (ROOT, {"root": column}),
        (QUIET, {"noise": SKEWED.noise, "bound": 99}),
        (QUIET, {"noise": diagonal((0, 0)), "bound": -SMALL}),
        (QUIET, {"noise": fmpq_mat([[0, 0]])}),
        (QUIET, {"noise": fmpq_mat([[-1, 1], [0, 1]])}),
        (QUIET, {"noise": fmpq_mat([[0], [0]])}),
        (QUIET, {"noise": fmpq_mat([[1]])}),
        (QUIET, {"noise": diagonal((-1, Fraction(101, 100)))}),
        (QUIET, {"noise": diagonal((Fraction(-101, 100), 1))}),
        (RANKS, {"chosen": 2 * E_2}),
        (RANKS, {"other": 2 * E_1}),
        (RANKS, {"other": diagonal((1, 1))}),
        (RANKS, {"other": diagonal((0, 0))}),
        (RANKS, {"other": fmpq_mat([[1, 1], [0, 0]])}),
    ):
        assert violates(statement, says, attrs.evolve(EVEN, **wrong))
    turned = fmpq_mat([[0, 1], [1, 0]])
    assert statement.applies(attrs.evolve(EVEN, window=turned * EVEN.window)) is Truth.TRUE, "A'A alone counts"
    for p in (STACKED, attrs.evolve(STACKED, bound=Fraction(9, 10)), attrs.evolve(SKEWED, bound=100)):
        assert statement.applies(p) is Truth.TRUE
        assert statement.at(p) is Truth.TRUE
    assert violates(statement, QUIET, attrs.evolve(STACKED, bound=Fraction(4, 5)))


@theorem_6.controls("root-cost", grade="symbolic", region="zeta for 2 zeta; each hypothesis dropped")
def test_less_than_twice_the_noise_is_not_enough(statement) -> None:
    for p in (EVEN, LONG):
        assert statement.at(p) is Truth.TRUE
        assert statement.nudged(margin=lambda p: statement.formula(p) - arb(rational(p.bound))).at(p) is Truth.FALSE
    assert statement.applies(SKEWED) is Truth.FALSE
    assert statement.without(QUIET).at(SKEWED) is Truth.FALSE
    for says in (ROOT, RANKS, QUIET):
        assert statement.without(says).at(OUTSIDE[says]) is Truth.FALSE
    dear = attrs.evolve(EVEN, noise=diagonal((0, 0)), bound=HALF)
    assert statement.applies(dear) is Truth.FALSE
    assert statement.without(PREFERRED).at(dear) is Truth.FALSE


def count_by_hand(p: WindowCover) -> int:
    """Count the binary digits of the numbers of rows before and after the multiple of the highest power of 2."""
    power = 1 << p.height
    while (p.end // power) * power < p.begin:
        power //= 2
    middle = (p.end // power) * power
    return (middle - p.begin).bit_count() + (p.end - middle).bit_count()


CROSSING = WindowCover(1, 15, 4)
"""1 + 2 + 4 + 4 + 2 + 1 rows: two of each length but 8."""
FITS = "the window has at most 2^h rows"


@theorem_6.supports("root-blocks", grade="derived", region="every h and window: the docstring; h <= 4, every begin")
def test_a_window_is_made_of_few_blocks(statement) -> None:
    """Let 2^j, j <= h, be the highest power of 2 of which a multiple M lies from the begin to the end of the window.

    For j < h two multiples of 2^j would have one of 2^(j+1) between them or at an end, so M is the only one; for j = h
    two are possible, and then the window is one block. With one there are fewer than 2^j rows before M, and fewer after
    it. The blocks of the former have the binary digits of their number as lengths, the shortest first, as that number
    and begin are divided by the same power of 2; those of the latter too, the longest first: at most j on each side.
    """
    values = []
    for height in range(5):
        for begin in range(2 << height):
            for end in range(begin, begin + (1 << height) + 1):
                p = WindowCover(begin, end, height)
                if end > begin:
                    values.append((p, max(1, 2 * height) - count_by_hand(p)))
                assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    assert not statement.strict
    outside = {
        "height >= 0, an integer": WindowCover(0, 1, -1),
        "begin >= 0, an integer": WindowCover(-1, 0, 1),
        FITS: WindowCover(0, 17, 4),
    }
    for inside in (CROSSING, WindowCover(0, 16, 4), WindowCover(5, 6, 0)):
        bind_hypotheses(statement, inside, outside)
    for wrong in ([], [range(1, 14)], [range(1, 15), range(14, 15)], [range(14, 15), range(1, 14)]):
        assert redefined(statement, module, "blocks_of", lambda _, wrong=wrong: wrong).at(CROSSING) is Truth.FALSE


@theorem_6.controls(
    "root-blocks", grade="symbolic", region="rows 1 to 14 for h = 4: h blocks; a window of 64 rows, h = 2"
)
def test_more_than_h_blocks_may_be_needed(statement) -> None:
    assert len(blocks_of(CROSSING)) == 6
    assert statement.at(CROSSING) is Truth.TRUE
    assert statement.nudged(margin=lambda p: statement.formula(p) - p.height).at(CROSSING) is Truth.FALSE
    long = WindowCover(0, 64, 2)
    assert statement.applies(long) is Truth.FALSE
    assert {len(block) for block in blocks_of(long)} == {4}, "no block has more than 2^h rows"
    assert statement.without(FITS).at(long) is Truth.FALSE


def numbers(*values) -> tuple[fmpq_mat, ...]:
    return tuple(fmpq_mat([[rational(value)]]) for value in values)


def one_column(length, noise, bound, eta) -> NoisyDirection:
    return NoisyDirection(*numbers(length, length, noise, 1), bound, eta)


BEND = Fraction(9, 25)
"""sqrt(1 - eta) = 4/5."""
LOW, HIGH = one_column(5, -1, 1, BEND), one_column(4, 1, 1, BEND)
"""The lengths at which the noise costs most: 25 = 16 (5/4) + 5 and (4 + 1)^2 = 16 (5/4) + 5."""
X, ETA_LOW, ETA_HIGH = "|x| = 1", "eta > 0", "eta < 1"
DIRECTION_OUTSIDE = {
    ROOT: attrs.evolve(LOW, window=fmpq_mat([[50]])),
    QUIET: attrs.evolve(LOW, bound=LARGE),
    X: attrs.evolve(LOW, direction=fmpq_mat([[2]])),
    ETA_LOW: attrs.evolve(LOW, eta=0),
    ETA_HIGH: attrs.evolve(LOW, eta=1),
}


def slack_by_hand(p: NoisyDirection):
    """Smaller slack of both bounds, from the entries of Ax and of (H + N)x."""
    exact, seen = (
        sum((real(entry) ** 2 for entry in (each * p.direction).entries()), mpmath.mpf(0))
        for each in (p.window, p.root + p.noise)
    )
    eta, zeta = real(p.eta), real(p.bound)
    kept = mpmath.sqrt(1 - eta)
    lower = seen / kept - exact + 2 * zeta**2 / eta
    return min(lower, exact / (1 - eta) + 2 * zeta**2 / (eta * kept) - seen / kept)


@theorem_15.supports(
    "rows-of-any-length", grade="derived", region="every A_W, N, x, zeta and eta: the triangle inequality, and a square"
)
def test_every_direction_is_answered_for_long_rows(statement) -> None:
    """|Hx| = |Ax| as H'H = A'A, so u = |(H + N)x| and v = |Ax| differ by at most zeta. Let q = sqrt(1 - eta).

    (u + zeta)^2 = u^2/q + zeta^2/(1-q) - ((1-q)u - q zeta)^2/(q(1-q)). So v^2 <= u^2/q + zeta^2/(1-q), and u^2/q <=
    v^2/q^2 + zeta^2/(q(1-q)); q^2 = 1 - eta, and 1/(1-q) = (1+q)/eta <= 2/eta.
    """
    u, zeta, q, eta = sympy.symbols("u zeta q eta", positive=True)
    rest = ((1 - q) * u - q * zeta) ** 2 / (q * (1 - q))
    assert sympy.simplify((u + zeta) ** 2 - u**2 / q - zeta**2 / (1 - q) + rest) == 0
    root = sympy.sqrt(1 - eta)
    assert sympy.simplify((1 + root) * (1 - root) - eta) == 0
    draws = random.Random(4)
    points = [one_column(a, n, 1, e) for a, n in product((0, 5, 90), (-1, 1, HALF)) for e in (BEND, SMALL, LARGE)]
    for sizes, unit in product(((9, 2), (400, 0)), ((1, 0), (Fraction(3, 5), Fraction(-4, 5)))):
        root_matrix = conjugated(sizes, rotation(draws, 2, 5))
        noise = conjugated((1, -1), rotation(draws, 2, 5))
        column = fmpq_mat([[rational(entry)] for entry in unit])
        points += [NoisyDirection(TALL * root_matrix, root_matrix, noise, column, bound, HALF) for bound in (1, 3)]
    with mpmath.workdps(60):
        bind_formula(statement, [*points, *(attrs.evolve(p, bound=Fraction(1, 9)) for p in points)], slack_by_hand)
    for p in (*points, LOW, HIGH):
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    for inside in (LOW, HIGH, one_column(0, 0, 0, SMALL), one_column(1, 0, SMALL, LARGE)):
        bind_hypotheses(statement, inside, DIRECTION_OUTSIDE)
    plane = NoisyDirection(diagonal((5, 5)), diagonal((5, 5)), diagonal((1, -1)), fmpq_mat([[1], [0]]), 1, BEND)
    assert statement.applies(plane) is Truth.TRUE
    for says, wrong in (
        (X, {"direction": fmpq_mat([[1, 0]])}),
        (X, {"direction": fmpq_mat([[1]])}),
        (X, {"direction": fmpq_mat([[1], [1]])}),
        (X, {"direction": fmpq_mat([[fmpq(99, 100)], [0]])}),
        (QUIET, {"noise": fmpq_mat([[0, 2], [0, 0]])}),
        (QUIET, {"noise": fmpq_mat([[1]])}),
        (ROOT, {"root": fmpq_mat([[5, 1], [0, 5]])}),
        (ROOT, {"root": fmpq_mat([[5]])}),
    ):
        assert violates(statement, says, attrs.evolve(plane, **wrong))


@theorem_15.controls(
    "rows-of-any-length", grade="interval", region="eta = 9/25: a fifth of 2 zeta^2/eta less; noise of twice zeta"
)
def test_a_smaller_additive_term_is_noticed(statement) -> None:
    """With q = sqrt(1 - eta) the terms that are needed are (1 + q)/2 of the stated ones, 9/10 at eta = 9/25."""
    for p in (LOW, HIGH):
        assert statement.at(p) is Truth.TRUE

        def less(p: NoisyDirection) -> arb:
            return statement.formula(p) - fmpq(2, 5) * rational(p.bound) ** 2 / rational(p.eta)

        assert statement.nudged(margin=less).at(p) is Truth.FALSE
        assert statement.without(QUIET).at(attrs.evolve(p, bound=HALF)) is Truth.FALSE
    assert statement.without(ROOT).at(DIRECTION_OUTSIDE[ROOT]) is Truth.FALSE
    assert statement.without(X).at(attrs.evolve(LOW, direction=fmpq_mat([[9]]))) is Truth.FALSE
