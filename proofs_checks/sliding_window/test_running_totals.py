"""Theorem 3 of `sliding-window`: what running totals of the repair's sums hold, and how near their output is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import attrs
import mpmath
import numpy as np
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.streams.histogram import difference
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import running_totals as module
from dpmatrix.spec.sliding_window.running_totals import RunningTotals, TotalsNoise, checkpoints
from proofs_checks.sliding_window.sphere_average import check_noise_norm

theorem_3 = cite("sliding-window.theorem-3@2f1295b8")

HALF, QUARTER, MILLIONTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 10**6)
SHAPES, EVENT = "a symmetric noise for each total", "R(t) - R(s) is off by zeta at most"


def on_a_line(rows, noise, window=4, height=2, eta=HALF, bound=Fraction(1, 100)) -> RunningTotals:
    """Rows in one dimension; the noise of the totals is repeated as often as needed."""
    noises = [noise[time % len(noise)] for time in range(len(rows) + 1)]
    column = fmpq_mat([[rational(each)] for each in rows])
    return RunningTotals(column, tuple(fmpq_mat([[rational(each)]]) for each in noises), window, height, eta, bound)


def on_axes(rows, window=4, height=2, eta=HALF, bound=Fraction(1, 100)) -> RunningTotals:
    """Take unit rows e_1 and e_2 in the plane, by their numbers, or 0 for a zero row; no noise."""
    table = [[fmpq(int(each == axis)) for axis in (1, 2)] for each in rows]
    return RunningTotals(fmpq_mat(table), (fmpq_mat(2, 2),) * (len(rows) + 1), window, height, eta, bound)


def numbers(p: RunningTotals) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Totals of a stream of rows along the axes, exact and noisy: for each axis all times."""
    exact, noisy = [], []
    for axis in range(p.rows.ncols()):
        squares = [Fraction(str(row[axis])) ** 2 for row in p.rows.tolist()]
        exact.append([sum(squares[:time], Fraction(0)) for time in range(len(squares) + 1)])
        noise = [Fraction(str(each[axis, axis])) for each in p.noise]
        noisy.append([one + two for one, two in zip(exact[-1], noise, strict=True)])
    return exact, noisy


def followed(p: RunningTotals) -> list[int]:
    """Follow the rule on numbers: mark what goes, from the first checkpoint on."""
    _, noisy = numbers(p)
    z, keep, held = 2 * (2 - Fraction(p.eta)) * Fraction(p.bound), 1 - Fraction(p.eta), [0]
    for time in range(1, len(noisy[0])):
        while len(held) > 1 and time - held[1] >= p.window:
            held.pop(0)
        stays, rest = held[:1], held[1:]
        while len(rest) > 1:
            middle = rest.pop(0)
            close = all(keep * (r[time] - r[stays[-1]]) <= r[time] - r[rest[0]] + z for r in noisy)
            if middle % 2**p.height == 0 or not close:
                stays.append(middle)
        held = stays + rest + [time]
    return held


def count_by_hand(p: RunningTotals) -> mpmath.mpf:
    """Least slack of l <= first bound <= second bound, for rows along the axes."""
    exact, held = numbers(p)[0], followed(p)
    f, ratio, rank = (2 - Fraction(p.eta)) * Fraction(p.bound) / Fraction(p.eta), Fraction(1), 0
    for totals in exact:
        ratio *= (totals[-1] - totals[held[0]] + f) / (totals[-1] - totals[held[-2]] + f)
        rank += totals[-1] != totals[held[0]]
    rank = max(rank, 1)
    first = 4 - 2 * mpmath.log(real(ratio)) / mpmath.log(1 - real(p.eta))
    second = 4 + 2 * rank / real(p.eta) * mpmath.log(1 + 2 ** (p.height + 1) / (rank * real(f)))
    return min(first - len(held), second - first)


def output_by_hand(p: RunningTotals) -> Fraction:
    """Least slack of both bounds on the output, in one dimension; a slack beyond 1 counts as 1."""
    ((exact,), (noisy,)), eta, zeta = numbers(p), Fraction(p.eta), Fraction(p.bound)
    inside = exact[-1] - exact[max(0, len(exact) - 1 - p.window)]
    output = noisy[-1] - noisy[followed(p)[0]]
    upper = (inside + 3 * (2 - eta) * zeta) / (1 - eta) + zeta
    return min(Fraction(1), output - inside + zeta, upper - output)


def streams() -> list[RunningTotals]:
    patterns = ((1,), (1, 0, HALF), (0, 0, 0, 1, 1, 1, 1), (Fraction(1, 3), 1))
    found = []
    for pattern, (window, height), eta, length in product(patterns, ((4, 2), (3, 2), (8, 3)), (QUARTER, HALF), (6, 13)):
        rows = (pattern * length)[:length]
        found += [
            on_a_line(rows, (0, bound / 2, -bound / 2, bound / 3), window, height, eta, bound)
            for bound in (Fraction(1, 100), Fraction(1, 3))
        ]
    return found


def crowded() -> list[RunningTotals]:
    """Rows under a bound so large that both bounds on their number are near each other and near it."""
    found = [on_a_line((0,) * length, (0,), bound=5) for length in (1, 2, 3)]
    for (window, height), eta, bound in product(((4, 2), (8, 3)), (Fraction(1, 10), QUARTER), (2, 5, 10)):
        long = (1,) * (2 * window - 2)
        found.append(on_a_line((*long, 0), (0,), window, height, eta, bound))
        found += [on_axes((2, *long[1:], 0), window, height, eta, bound), on_axes((1, 2) * 5, 4, 2, eta, bound)]
    return found


def forgotten() -> list[RunningTotals]:
    """Take a row that has left the window and is still in the first sum, as that was close enough without it."""
    found = []
    for length, share, later, eta in product(
        (Fraction(1, 10), Fraction(1, 7)), (4, 5), (0, Fraction(1, 50)), (QUARTER, HALF)
    ):
        zeta = length**2 / (share - (eta == QUARTER) * HALF)
        found.append(on_a_line((length, 0, 0, 0, later), (0,), 4, 2, eta, zeta))
    return found


def in_space() -> list[RunningTotals]:
    """Rows in two and three dimensions, with a noise that has no common eigenvectors with them."""
    found = []
    for width, (window, height), eta, length in product((2, 3), ((4, 2), (5, 3)), (QUARTER, HALF), (7, 15)):
        table = [[fmpq((3 * t * t + 5 * t * j + j * j) % 7 - 3, 6) for j in range(width)] for t in range(length)]
        noise = []
        for time in range(length + 1):
            each = [[fmpq((time * (i + 1) * (j + 1)) % 3 - 1, 40 * width) for j in range(width)] for i in range(width)]
            noise.append(fmpq_mat(each))
        found.append(RunningTotals(fmpq_mat(table), tuple(noise), window, height, eta, Fraction(1, 20)))
    return found


STILL = on_a_line((0,) * 6, (0,))
"""No row but zeros: 0, 4, 5 and 6 are held, as the block that begins at 4 is spared."""

LONG_AGO = on_a_line((1,) * 12, (500, -500, 0, 3, -2, 7, 100, 0, *(0,) * 5))
"""The noise of totals before the block of the window counts for nothing."""

FALLING = on_a_line((0,) * 8, tuple(Fraction(-1, 2**time) for time in range(9)), 8, 3)
"""Sums that fall by half without any row: the noise alone."""

TOTALS_OUTSIDE = {
    "window >= 1, an integer": attrs.evolve(STILL, window=0),
    "height >= 0, an integer": attrs.evolve(STILL, height=-1),
    "eta > 0": attrs.evolve(STILL, eta=0),
    "eta < 1": attrs.evolve(STILL, eta=1),
    SHAPES: attrs.evolve(STILL, noise=STILL.noise[1:]),
    EVENT: on_a_line((0,) * 6, (0, Fraction(1, 50))),
}
ROWS_OUTSIDE = {
    "2^h >= W": attrs.evolve(STILL, window=5),
    "bound > 0": attrs.evolve(STILL, bound=0),
    "rows of norm at most 1": on_a_line((0, 0, Fraction(51, 50), 0, 0, 0), (0,)),
}
LONG_ROWS = tuple(on_a_line(rows, (0,)) for rows in ((2, 0, 0), (0, 2, 0), (0, 0, 2)))
MALFORMED = (
    attrs.evolve(STILL, noise=(*STILL.noise, STILL.noise[0])),
    attrs.evolve(STILL, noise=(*STILL.noise[:-1], fmpq_mat([[0, 0], [0, 0]]))),
    attrs.evolve(in_space()[0], noise=(*in_space()[0].noise[:-1], fmpq_mat([[0, 1], [0, 0]]))),
    RunningTotals(fmpq_mat(0, 1), (fmpq_mat([[0]]),), 4, 2, HALF, 1),
)


@theorem_3.supports(
    "space-of-running-totals",
    grade="derived",
    region="every stream, d, W, h, eta, zeta and noise within zeta: the docstring; 153 streams decided, four as "
    "the library runs them",
)
def test_running_totals_need_few_checkpoints(statement) -> None:
    """A block's beginning b, that of the window's block, is spared: only an expiry drops it, and so 0 <= T - t_1.

    So all checkpoints are b or later, and T < b + 2^(h+1): at most one of them, b + 2^h, is a spared middle. Elsewhere
    the pass left i, i+1, i+2 because (1 - eta) S_i <= S_j + z fails, j the one after i + 1 at that moment: there is a
    unit v with (1 - eta)(v'K_i v + zeta) > v'K_j v - zeta + z, so that v'K_j v + (2 - eta) zeta < (1 - eta) v'K_i v,
    and the same for K_(i+2) <= K_j where j went later. With (2 - eta) zeta = eta f that is v'(K_(i+2) + f)v < (1 - eta)
    v'(K_i + f)v, and as K_(i+2) <= K_i the determinant of K + f falls below 1 - eta times itself.

    Let m = l - 1 checkpoints stand for rows. Of the m - 2 steps from i to i + 2 all but one fall; steps over odd i
    together fall by at most D = det(K_1 + f)/det(K_m + f), and so do those over even i: m - 3 <= 2 log D/-log(1 - eta).
    For D: the eigenvalues of K_1 are r at most other than 0, and their sum is the squared norm of fewer than 2^(h+1)
    rows, so that det(1 + K_1/f) <= (1 + 2^(h+1)/(r f))^r; and -log(1 - eta) >= eta.
    """
    eta, zeta = sympy.symbols("eta zeta", positive=True)
    slack = 2 * (2 - eta) * zeta
    assert sympy.expand(slack - zeta - (1 - eta) * zeta - (2 - eta) * zeta) == 0
    lines = streams()
    with mpmath.workdps(60):
        bind(statement, [(p, count_by_hand(p)) for p in (*lines, *crowded(), LONG_AGO)])
    assert {len(checkpoints(p)) for p in lines} >= {4, 5, 6}
    assert checkpoints(on_a_line((1, 1, 1), (0,), window=1, height=0)) == [2, 3], "a window of one row"
    for p in (*lines, *crowded(), *in_space(), LONG_AGO, STILL):
        assert statement.at(p) is Truth.TRUE
    assert statement.margin(STILL) == 0, "the constant 4 is attained"
    assert statement.applies(attrs.evolve(STILL, window=1, height=0)) is Truth.TRUE
    assert statement.at(on_a_line((1,), (0,))) is Truth.TRUE
    assert not statement.strict
    for inside in (STILL, attrs.evolve(STILL, window=1), LONG_AGO):
        bind_hypotheses(statement, inside, TOTALS_OUTSIDE | ROWS_OUTSIDE | {EVENT: FALLING})
    level = attrs.evolve(STILL, noise=(fmpq_mat([[100]]),) * len(STILL.noise))
    assert statement.applies(level) is Truth.TRUE, "what all totals share is in no difference"
    event = next(condition for condition in statement.given if condition.says == EVENT)
    assert all(event.at(p) is Truth.FALSE for p in MALFORMED)
    assert statement.applies(on_a_line((0, 0, 0, 0, 0, Fraction(51, 50)), (0,))) is Truth.FALSE, "the last row"
    for p in (*MALFORMED, *LONG_ROWS, attrs.evolve(STILL, window=9, height=3)):
        assert statement.applies(p) is Truth.FALSE
    for p in as_the_library_runs():
        assert statement.at(p) is Truth.TRUE


def as_the_library_runs() -> list[RunningTotals]:
    """Run the library's window on rows of its grid, in the order of time, and take its noise from its totals.

    It holds the checkpoints of the rule, and no more numbers than the note of the step has.
    """
    promise = PrivacyGuarantee(10**6, MILLIONTH, Adjacency.ADD_REMOVE_ONE)
    parameters = WindowParameters(2, 24, promise, eta=HALF, tolerance=3)
    rows = np.random.default_rng(3).integers(-40, 41, size=(70, 2)) / 64
    stream = SlidingWindowGram(parameters, entropy=SeededEntropy(4))
    scale, entries, exact, found = 4**parameters.coordinate_bits, parameters.entries, fmpq_mat(2, 2), []
    zero = [0] * entries
    noise = [fmpq_mat(difference(stream._sums.total, zero, 2)) / scale]
    table = [[fmpq(*float(each).as_integer_ratio()) for each in row] for row in rows]
    for time, row in enumerate(table, start=1):
        stream.add(rows[time - 1 : time])
        exact += fmpq_mat(2, 1, row) * fmpq_mat(1, 2, row)
        noise.append(fmpq_mat(difference(stream._sums.total, zero, 2)) / scale - exact)
        if time % 17 == 0:
            zeta = Fraction(parameters.error_scale)
            p = RunningTotals(fmpq_mat(table[:time]), tuple(noise), 24, parameters.height, parameters.eta, zeta)
            assert [stamp - 1 for stamp in stream.stamps] == checkpoints(p)
            assert len(stream.memory) <= (len(stream.stamps) + 2 * parameters.height + 3) * entries
            found.append(p)
    assert max(len(checkpoints(p)) for p in found) > 6
    return found


@theorem_3.controls(
    "space-of-running-totals", grade="interval", region="3 for 4; one bound each; noise beyond zeta; rows of norm 100"
)
def test_fewer_checkpoints_are_noticed(statement) -> None:
    assert statement.at(STILL) is Truth.TRUE
    bound = module.determinant_bound
    fewer = redefined(statement, module, "determinant_bound", lambda p, held: bound(p, held) - 1)
    assert fewer.at(STILL) is Truth.FALSE
    assert fewer.margin(STILL) == -1
    assert statement.applies(FALLING) is Truth.FALSE
    assert statement.without(EVENT).at(FALLING) is Truth.FALSE
    long = on_a_line((100, 100, 100, 0), (0,))
    assert statement.without("rows of norm at most 1").at(long) is Truth.FALSE
    assert statement.without("2^h >= W").at(attrs.evolve(STILL, window=5, height=0)) is Truth.FALSE, "all are spared"
    steep = on_a_line((1,) * 8, (0,), 8, 3)
    assert len(checkpoints(steep)) > 4
    assert statement.at(steep) is Truth.TRUE
    assert statement.nudged(margin=lambda p: arb(4 - len(checkpoints(p)))).at(steep) is Truth.FALSE, "no determinant"


FORGOTTEN = on_a_line((1, *(0,) * 4), (0,), 4, 2, HALF, HALF)
"""The row has left the window, and the second checkpoint with it: it was close enough to the first."""


@theorem_3.supports(
    "accuracy-of-running-totals",
    grade="derived",
    region="every stream, d, W, h, eta, zeta and noise within zeta: the docstring; 132 streams decided",
)
def test_the_first_sum_is_near_the_window(statement) -> None:
    """Neither of t_1 <= T - W < t_2 is the window's beginning, or t_1 is, and then S_1 = K_W + N with |N| <= zeta.

    In the first case the last checkpoint between t_1 and t_2 went, at some time t, because (1 - eta) S_1 <= S_2 + z at
    that time: (1 - eta)(K_1 - zeta) <= K_2 + zeta + z. Later rows add a'a on the right and less on the left. With z =
    2 (2 - eta) zeta, (1 - eta) K_1 <= K_2 + 3 (2 - eta) zeta, and K_2 <= K_W <= K_1. Every time is at or after the
    beginning of the block in which the window begins, as that one is spared.
    """
    eta = sympy.symbols("eta", positive=True)
    assert sympy.factor(1 + 2 * eta - 1 / (1 - eta)) == sympy.factor(eta * (1 - 2 * eta) / (1 - eta))
    assert sympy.limit(3 * (2 - eta) / (1 - eta) + 1, eta, sympy.Rational(1, 2)) == 10
    assert sympy.simplify(sympy.diff((2 - eta) / (1 - eta), eta) - 1 / (1 - eta) ** 2) == 0
    lines = [*streams(), *forgotten(), LONG_AGO, FORGOTTEN, attrs.evolve(FORGOTTEN, bound=0)]
    bind(statement, [(p, output_by_hand(p)) for p in lines])
    for p in (*lines, *in_space(), STILL):
        assert statement.at(p) is Truth.TRUE
    assert checkpoints(FORGOTTEN)[0] == 0
    least = on_a_line((1, 1, 1, 1), (HALF, 0, 0, 0, 0), bound=HALF)
    assert statement.at(least) is Truth.TRUE
    assert statement.margin(least) == 0, "the noise takes all of zeta away"
    assert statement.applies(on_a_line((1,) * 6, (7,))) is Truth.TRUE, "a noise that is the same at all times"
    assert not statement.strict
    for inside in (STILL, attrs.evolve(STILL, window=1), attrs.evolve(STILL, bound=0), LONG_AGO):
        bind_hypotheses(statement, inside, TOTALS_OUTSIDE)
    for p in MALFORMED:
        assert statement.applies(p) is Truth.FALSE


@theorem_3.controls(
    "accuracy-of-running-totals", grade="symbolic", region="no zeta below; no 3 (2 - eta) zeta above; a larger noise"
)
def test_a_better_output_is_noticed(statement) -> None:
    assert statement.at(FORGOTTEN) is Truth.TRUE
    bare = statement.nudged(margin=lambda p: arb(fmpq(1, 2) - rational(numbers(p)[1][0][-1])))
    assert bare.at(FORGOTTEN) is Truth.FALSE, "K_W/(1 - eta) + zeta is 1/2, and the output 1"
    least = on_a_line((1, 1, 1, 1), (HALF, 0, 0, 0, 0), bound=HALF)
    assert statement.at(least) is Truth.TRUE

    def above_the_window(p: RunningTotals) -> arb:
        ((exact,), (noisy,)) = numbers(p)
        return arb(rational(noisy[-1] - noisy[0] - exact[-1] + exact[0]))

    assert statement.nudged(margin=above_the_window).at(least) is Truth.FALSE, "7/2 for 4"
    more = attrs.evolve(least, bound=Fraction(49, 100))
    assert statement.applies(more) is Truth.FALSE
    assert statement.without(EVENT).at(more) is Truth.FALSE


NEEDED = "zeta >= (16/7) s sqrt((2h+1) (d log 3 + (2h+2) log 2 + log(1/beta)))"
DRAWN = TotalsNoise(13, 4, 2, 1, MILLIONTH, 2, HALF, 10**4)
DRAWN_OUTSIDE = {
    "total >= 1, an integer": attrs.evolve(DRAWN, total=0),
    "window >= 1, an integer": attrs.evolve(DRAWN, window=0),
    "height >= 0, an integer": attrs.evolve(DRAWN, height=-1),
    "2^h >= W": attrs.evolve(DRAWN, window=5),
    "epsilon > 0": attrs.evolve(DRAWN, epsilon=0),
    "delta > 0": attrs.evolve(DRAWN, delta=0),
    "delta < 1": attrs.evolve(DRAWN, delta=1),
    "dimension >= 1, an integer": attrs.evolve(DRAWN, dimension=0),
    "beta > 0": attrs.evolve(DRAWN, beta=0),
    "beta < 1": attrs.evolve(DRAWN, beta=1),
    NEEDED: attrs.evolve(DRAWN, bound=1),
}


def deviation_by_hand(p: TotalsNoise) -> mpmath.mpf:
    z = mpmath.sqrt(-2 * mpmath.log(real(p.delta)))
    epsilon = real(p.epsilon)
    return mpmath.sqrt(p.height + 1) * (z + mpmath.sqrt(z * z + 2 * epsilon)) / (2 * epsilon)


def needed_by_hand(p: TotalsNoise) -> mpmath.mpf:
    """Write the least zeta a second time."""
    log = p.dimension * mpmath.log(3) + (2 * p.height + 2) * mpmath.log(2) - mpmath.log(real(p.beta))
    return mpmath.mpf(16) / 7 * deviation_by_hand(p) * mpmath.sqrt((2 * p.height + 1) * log)


def smallest_bound(p: TotalsNoise) -> Fraction:
    """Round zeta up to a thousandth."""
    with mpmath.workdps(40):
        return Fraction(int(mpmath.ceil(1000 * needed_by_hand(p))), 1000)


def sums_between(start: int, end: int, height: int) -> int:
    """Count the parts: binary digits of what both blocks lack or have, and the whole blocks between."""
    width = 2**height
    whole_blocks = end // width - start // width
    return whole_blocks + (start % width).bit_count() + (end % width).bit_count()


def spare_by_hand(p: TotalsNoise) -> mpmath.mpf:
    begin = max(0, p.total - p.window)
    times = range(begin - begin % 2**p.height, p.total + 1)
    unit = (real(p.bound) / deviation_by_hand(p)) ** 2 * 49 / 256
    sizes = [sums_between(start, end, p.height) for start, end in combinations(times, 2)]
    assert len(sizes) < 2 ** (2 * p.height + 1) or p.height == 0
    assert max(sizes) <= 2 * p.height + 1
    return real(p.beta) - 2 * mpmath.mpf(3) ** p.dimension * sum(mpmath.exp(-unit / size) for size in sizes)


@theorem_3.supports(
    "noise-of-running-totals",
    grade="derived",
    region="every T, W, h, eps, delta, d, beta: the docstring; 64 cases bound",
)
def test_every_difference_of_totals_is_near(statement) -> None:
    """From the beginning b of the block of the window to T there are at most 2^(h+1) times, fewer than 2^(2h+1) pairs.

    R(t) - R(s) meets two blocks at most: whole blocks, less the parts before s, and the parts up to t of the last one,
    h at most each. So q <= 2h + 1; for the norm of a symmetric Gaussian matrix with entries of variance q s^2
    `check_noise_norm` gives 2 3^d exp(-49 zeta^2/(256 q s^2)). At the least zeta the exponent is -(d log 3 + (2h + 2)
    log 2 + log(1/beta)) or less: all pairs together have 2^(2h+1) 2/2^(2h+2) beta.
    """
    check_noise_norm()
    values = []
    with mpmath.workdps(60):
        for total, (window, height), epsilon, dimension, beta in product(
            (1, 9, 14), ((1, 0), (3, 2), (4, 2), (7, 3)), (1, 4), (1, 5), (HALF, MILLIONTH)
        ):
            drawn = TotalsNoise(total, window, height, epsilon, MILLIONTH, dimension, beta, 1)
            p = attrs.evolve(drawn, bound=smallest_bound(drawn))
            assert statement.at(p) is Truth.TRUE
            assert statement.applies(attrs.evolve(p, bound=p.bound - Fraction(1, 1000))) is Truth.FALSE
            values += [(p, spare_by_hand(p)), (attrs.evolve(p, bound=20), spare_by_hand(attrs.evolve(p, bound=20)))]
        bind(statement, values[::3])
        premise = Statement(NEEDED, statement.given[-1].margin, statement.given[:-1])
        bind(premise, [(p, real(p.bound) - needed_by_hand(p)) for p, _ in values])
    assert not statement.strict
    for inside in (DRAWN, attrs.evolve(DRAWN, total=1, window=1, dimension=1)):
        bind_hypotheses(statement, inside, DRAWN_OUTSIDE)
    assert statement.applies(attrs.evolve(DRAWN, window=9, height=3)) is Truth.FALSE, "9 for 8"
    assert statement.given[-1].at(attrs.evolve(DRAWN, height=-1)) is Truth.FALSE, "no bound is defined"


@theorem_3.controls(
    "noise-of-running-totals",
    grade="interval",
    region="nine tenths of zeta at h = 0, two thirds at h = 3; longer windows",
)
def test_a_smaller_bound_is_noticed(statement) -> None:
    drawn = TotalsNoise(14, 7, 3, 1, MILLIONTH, 1, MILLIONTH, 1)
    for short, share in ((attrs.evolve(drawn, window=1, height=0), Fraction(9, 10)), (drawn, Fraction(2, 3))):
        p = attrs.evolve(short, bound=smallest_bound(short))
        assert statement.at(p) is Truth.TRUE
        tight = attrs.evolve(p, bound=share * p.bound)
        assert statement.applies(tight) is Truth.FALSE
        assert statement.without(NEEDED).at(tight) is Truth.FALSE
    many = attrs.evolve(drawn, total=300, window=200, height=0)
    wide = attrs.evolve(many, bound=smallest_bound(many))
    assert statement.without("2^h >= W").at(wide) is Truth.FALSE, "two hundred blocks"
