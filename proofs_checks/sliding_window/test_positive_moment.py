"""Theorem 4 of `sliding-window`: no private algorithm meets its bounds, and a private sum of dyadic sums instead."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, symbolic
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover
from dpmatrix.spec.sliding_window.private_window import NeighbouringWindows
from dpmatrix.spec.sliding_window.sketch_bounds import FourthStep, OneRowSketch
from dpmatrix.spec.sliding_window.window_noise import NoisyMoment, WindowNoise
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.dyadic_noise import blocks, check_bound, deviation, least_bound
from proofs_checks.sliding_window.guarantees import FAR_CONFUSION
from proofs_checks.sliding_window.one_row_outputs import (
    BLIND,
    ONE_ROW_OUTSIDE,
    by_hand,
    ridge,
    small_outputs,
    whole_above,
)
from proofs_checks.sliding_window.released_streams import check_released
from proofs_checks.sliding_window.sphere_average import check_noise_norm

theorem_4 = cite("sliding-window.theorem-4@96953597")

theorem_16 = cite("sliding-window.theorem-16@9a4d524b")
corollary_2 = cite("sliding-window.corollary-2@0509a180")

AS_LEMMA_3 = "every stream, row, h, epsilon, delta: as for lemma-3"
ALL_WINDOWS = "every window: the docstring; all windows of up to 16 rows exactly"
ALL_NOISES = "every d, window, eps, delta, beta by the docstring; d <= 10 by laws of eigenvalues alone"
SMALLER = "beta = 1/2: d = 1 and d = 5, a twelfth of zeta"
QUARTER = Fraction(1, 4)
HALF = Fraction(1, 2)
MILLIONTH = Fraction(1, 10**6)


def kernel_run(coin_shift: int = 0, **changes) -> OneRowSketch:
    """16 rows in one dimension more: Phi = (I, v), and a direction that Phi and the row do not see."""
    base = fmpq_mat([[*(int(i == j) for j in range(16)), i - 7] for i in range(16)])
    direction = fmpq_mat([[7 - i] for i in range(16)] + [[1]])
    row = fmpq_mat([[1, *([0] * 15), -7]])
    coin = fmpq_mat([[k * k % 5 + coin_shift for k in range(16)]])
    return attrs.evolve(OneRowSketch(base, coin, row, direction, 1, QUARTER, 1, MILLIONTH), **changes)


DRAWN = {
    "rank >= 1, an integer": kernel_run(rank=0),
    "eta > 0": kernel_run(eta=0),
    "epsilon > 0": kernel_run(epsilon=0),
    "delta > 0": kernel_run(delta=0),
    "delta < 1": kernel_run(delta=1),
    "Phi has 4r/eta rows, and the shapes fit": kernel_run(eta=HALF),
}


def small_runs():
    for k, eta, epsilon in product(range(1, 6), (1, HALF), (HALF, 3)):
        rows = int(4 / eta)
        base = fmpq_mat(rows, 2, [fmpq((i * k) % 7 - 3, 2) for i in range(2 * rows)])
        coin = fmpq_mat(1, rows, [fmpq(i - k, 3) for i in range(rows)])
        yield OneRowSketch(
            base, coin, fmpq_mat([[k, -1]]), fmpq_mat([[1], [fmpq(k, 2)]]), 1, eta, epsilon, Fraction(1, 50)
        )


def change_by_hand(p: OneRowSketch):
    """Compute |A~ u|^2 - sigma^2 |u|^2 by sympy."""
    log = sympy.log(4 / symbolic(p.delta))
    sigma = (16 * sympy.sqrt(p.rank * log) + log) / symbolic(p.epsilon)
    u = [symbolic(p.direction[j, 0]) for j in range(p.direction.nrows())]
    dot = sum(symbolic(p.row[0, j]) * u[j] for j in range(len(u)))
    sketched = sum(
        (sigma * sum(symbolic(p.base[k, j]) * u[j] for j in range(len(u))) + symbolic(p.coin[0, k]) * dot) ** 2
        for k in range(p.base.nrows())
    )
    return (sketched - sigma**2 * sum(entry**2 for entry in u)).evalf(50)


@theorem_4.refutes("semidefinite", grade="derived", region="d > 4r/eta: every variate; d = 17 exactly for three draws")
def test_c_is_negative_in_the_direction_that_is_not_seen(statement) -> None:
    """Here m rows in d > m dimensions leave a direction u with A~u = 0, where C is -sigma^2 |u|^2."""
    for shift in (0, 3, 5):
        assert statement.at(kernel_run(shift)) is Truth.FALSE
    bind(statement, ((p, change_by_hand(p)) for p in small_runs()))
    assert not statement.strict
    bind_hypotheses(statement, kernel_run(), DRAWN)
    (shapes,) = (condition for condition in statement.given if condition.says.startswith("Phi has"))
    assert shapes.at(kernel_run(eta=0)) is Truth.FALSE, "no number of rows is 4r/0"
    for wrong in ({"coin": fmpq_mat(1, 3, [1, 2, 3])}, {"row": fmpq_mat([[1]])}, {"direction": fmpq_mat([[1]])}):
        assert statement.applies(kernel_run(**wrong)) is Truth.FALSE


@theorem_4.refutes(
    "algorithm-2", grade="derived", region="r = 1, every c by eta = 1/(4 c), d = 16 c + 1: probability 0"
)
def test_algorithm_2_does_not_see_some_direction(statement) -> None:
    """In a direction u with A~u = 0 C is -sigma^2, below the lower bound as soon as c eta r log(1/delta)/4 < 256 r log.

    For c >= 1 eta = 1/(4 ceil c) does it, with 16 ceil c rows; for smaller c eta = 1/4 does.
    """

    def family(constant):
        size = whole_above(constant)
        return attrs.evolve(BLIND, constant=constant, eta=Fraction(1, 4 * size), dimension=16 * size + 1)

    statement.refute(family)
    assert statement.conclusion(attrs.evolve(BLIND, constant=10**5)) is not Truth.FALSE, "an absurd constant"
    assert statement.law.quantity(BLIND) == 0
    assert statement.law.quantity(attrs.evolve(BLIND, constant=6600)) == 0, "sigma^2 is 6971 eta log(1/delta)/4"
    assert statement.law.quantity(attrs.evolve(BLIND, constant=7300)).upper() > 0, "-sigma^2 is allowed"
    assert statement.law.quantity(attrs.evolve(BLIND, dimension=16)).upper() > 0, "sixteen rows may see all directions"

    def expected(p):
        log, e, window = -mpmath.log(real(p.delta)), real(p.eta), real(p.row) ** 2
        extra = real(p.constant) * e * p.rank * log / real(p.epsilon) ** 2
        low, high = ridge(p) + (1 - e) * window - extra / 4, ridge(p) + (1 + e) * window + extra
        return by_hand(p, low, high) - 1 + real(p.failure)

    with mpmath.workdps(60):
        bind(statement, ((p, expected(p)) for p in small_outputs()))
    assert not statement.strict
    ends = {"failure > 0": attrs.evolve(BLIND, failure=0), "failure < 1": attrs.evolve(BLIND, failure=1)}
    bind_hypotheses(statement, BLIND, ONE_ROW_OUTSIDE | ends)


@theorem_4.refutes("last-display", grade="derived", region="X > 0, eta < 1: 2X(1 - eta)")
def test_the_last_display_of_theorem_4(statement) -> None:
    """(1-eta)(w-x) - x - (1-eta)w + eta x = -2x(1-eta)."""
    x, w, eta = sympy.symbols("x w eta")
    difference = sympy.expand((1 - eta) * (w - x) - x - ((1 - eta) * w - eta * x))
    assert sympy.expand(difference + 2 * x * (1 - eta)) == 0
    assert statement.at(FourthStep(5, 1, HALF)) is Truth.FALSE
    assert statement.at(FourthStep(5, 0, HALF)) is Truth.TRUE
    points = [FourthStep(i, j, Fraction(k, 7)) for i, j, k in product((0, 3), (1, 2, 5), (0, 2, 5, 6))]
    bind(statement, ((p, -2 * symbolic(p.extra) * (1 - symbolic(p.eta))) for p in points))
    assert not statement.strict
    bind_hypotheses(statement, FourthStep(5, 0, HALF), {"extra >= 0": FourthStep(5, -1, HALF)})


def path(eta, changes=1, **parts) -> NeighbouringWindows:
    """Take the rows M and M + g that are farthest apart: M = g (1-eta)/(2 eta)."""
    parts = {"delta": MILLIONTH, "constant": 1, "row": changes * (1 - eta) / (2 * eta)} | parts
    if changes > 1:
        parts["changes"] = changes
    return NeighbouringWindows(1, eta, 1, **parts)


TOLD = path(Fraction(1, 6))
TOLD_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(TOLD, rank=0),
    "eta > 0": attrs.evolve(TOLD, eta=0),
    "eta < 1": attrs.evolve(TOLD, eta=1),
    "epsilon > 0": attrs.evolve(TOLD, epsilon=0),
    "delta > 0": attrs.evolve(TOLD, delta=0),
    "delta < 1": attrs.evolve(TOLD, delta=1),
    "constant > 0": attrs.evolve(TOLD, constant=0),
    "row >= 0": attrs.evolve(TOLD, row=-1),
    "changes >= 1, an integer": attrs.evolve(TOLD, changes=0),
    "failure >= 0": attrs.evolve(TOLD, failure=-1),
    "failure <= 1": attrs.evolve(TOLD, failure=2),
}


@theorem_4.refutes(
    grade="derived",
    region="eps = 1: delta = 10^-6, neighbours: every c by eta = 1/(6 s), s = ceil(sqrt c), beta up to 1/4; eta = 1/4: "
    "c = 2 g by g changes of one row, delta = 10^-g, beta = 3^-g/4; every algorithm",
)
def test_no_private_algorithm_meets_theorem_4(statement) -> None:
    """Where no C is right for both rows, "C is right for M" has probability >= 1 - beta for M and <= beta for M + g.

    (1-eta)(M+g)^2 - (1+eta)M^2 is g^2 (1-eta^2)/(2 eta) at M = g (1-eta)/(2 eta), and nowhere more. With g = 1, eta =
    1/(6 s) the additive terms are less than that for every c, and at eta = 1/4, delta = 10^-g they are 0.72 c g against
    15 g^2/8, so that g > c/2 is enough. There e^g beta < 1/4, and delta e^g/(e - 1) < 1/6.
    """
    m, g, e = sympy.symbols("M g eta", positive=True)
    farthest = g**2 * (1 - e**2) / (2 * e)
    apart = (1 - e) * (m + g) ** 2 - (1 + e) * m**2
    assert sympy.expand(farthest - apart - 2 * e * (m - g * (1 - e) / (2 * e)) ** 2) == 0
    assert farthest.subs(e, sympy.Rational(1, 4)) == 15 * g**2 / 8
    assert abs((1 + rational(QUARTER)) * rational(QUARTER) * arb(10).log() - arb("0.72")) < arb("0.005")
    for failure in (0, QUARTER):

        def neighbours(constant, failure=failure):
            size = isqrt(whole_above(constant) - 1) + 1
            return path(Fraction(1, 6 * size), constant=constant, failure=failure)

        statement.refute(neighbours)

    for g in (1, 2, 10, 100):
        rare = {"delta": Fraction(1, 10**g), "failure": Fraction(1, 4 * 3**g)}
        assert statement.at(path(QUARTER, g, constant=2 * g, **rare)) is Truth.FALSE
        assert statement.at(path(QUARTER, g, constant=3 * g, **rare)) is Truth.TRUE
    assert statement.at(path(QUARTER, 2, failure=Fraction(1, 10))) is Truth.FALSE
    assert statement.at(path(QUARTER, 2, failure=Fraction(1, 8))) is Truth.TRUE, "(1 - delta_2)/(1 + e^2) = 0.1192"
    assert statement.at(path(QUARTER)) is Truth.TRUE
    assert statement.at(path(Fraction(17, 100))) is Truth.TRUE
    assert statement.at(path(Fraction(16, 100))) is Truth.FALSE
    log = ball(1 / MILLIONTH).log()
    most, least = 1 / (1 + 5 * log / 2).sqrt(), 1 / (1 + 5 * log / 4)
    theorem_4.tells("for every eta < {above} (at r = c", most)
    theorem_4.tells("c = 1 below eta = {}, and", most)
    comes = [attrs.evolve(path(eta), row=0) for eta in (Fraction(1, 19), Fraction(1, 18))]
    assert [statement.at(p) for p in comes] == [Truth.FALSE, Truth.TRUE]
    theorem_4.tells("M = 0, that is so for every eta < {above}.", least)
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(26, 100))) is Truth.FALSE
    rank, eta, epsilon, delta, c, row, changes = sympy.symbols("rank eta epsilon delta constant row changes")
    extra = c * eta * rank * sympy.log(1 / delta) / epsilon**2
    spread = extra * sympy.Rational(5, 4) + (1 + eta) * row**2 - (1 - eta) * (row + changes) ** 2
    bind_expression(statement, sympy.Max(spread, FAR_CONFUSION), points=[TOLD, path(QUARTER, 2), path(QUARTER, 3)])
    assert not statement.strict
    for inside in (TOLD, attrs.evolve(TOLD, failure=1), attrs.evolve(TOLD, row=0)):
        bind_hypotheses(statement, inside, TOLD_OUTSIDE)
    assert TOLD.failure == 0, "the theorem's bounds always hold"


SPINS = (fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[fmpq(3, 5), fmpq(4, 5)], [fmpq(-4, 5), fmpq(3, 5)]]))
SHAPES = "Q is orthogonal and A_W'A_W positive semidefinite, d x d"
EVENT = "the noise has norm at most zeta"


def moment(values, spectrum, bound, frame=SPINS[1]) -> NoisyMoment:
    """Window Q diag(values) Q' and noisy moment Q diag(spectrum) Q'."""
    order = len(values)
    frame = frame if order == 2 else fmpq_mat([[1]])
    middle = fmpq_mat(order, order, [rational(values[i]) if i == j else 0 for i in range(order) for j in range(order)])
    return NoisyMoment(frame * middle * frame.transpose(), frame, tuple(spectrum), bound)


GOOD = moment((2, 0), (Fraction(19, 10), Fraction(-1, 10)), QUARTER)


def least_symmetric(gaps) -> Fraction:
    """Least elementary symmetric polynomial of the eigenvalues of a difference, 1 among them."""
    total = Fraction(1)
    for gap in gaps:
        total *= gap
    return min(Fraction(1), sum(gaps), total)


def moment_by_hand(values, spectrum, bound) -> Fraction:
    """Compute the margin where window and noisy moment have the same eigenvectors."""
    pairs = [
        (max(Fraction(noisy), Fraction(0)), Fraction(value)) for noisy, value in zip(spectrum, values, strict=True)
    ]
    lower = least_symmetric([kept - (value - bound) for kept, value in pairs])
    upper = least_symmetric([value + 2 * bound - kept for kept, value in pairs])
    return min(lower, upper, least_symmetric([kept for kept, _ in pairs]))


@theorem_4.supports("on-the-event", grade="derived", region="every d, window, noise and zeta: the docstring")
def test_the_positive_part_is_near_the_window(statement) -> None:
    """Let C = A_W'A_W + N, |N| <= zeta.

    C >= A_W'A_W - zeta >= -zeta, so every eigenvalue v of C has v >= -zeta and 0 <= max(v, 0) - v <= zeta: hence
    C <= C_+ <= C + zeta, that is A_W'A_W - zeta <= C_+ <= A_W'A_W + 2 zeta.
    """
    for v, zeta in product((Fraction(k, 4) for k in range(-8, 9)), (HALF, 1, 2)):
        if v >= -zeta:
            assert 0 <= max(v, 0) - v <= zeta
    spectra = (((2, 0), (Fraction(19, 10), Fraction(-1, 10))), ((3, 1), (Fraction(16, 5), HALF)), ((0,), (QUARTER,)))
    values = [
        (moment(exact, noisy, bound, frame), moment_by_hand(exact, noisy, bound))
        for (exact, noisy), bound, frame in product(spectra, (Fraction(1, 20), HALF, 2, Fraction(1, 10)), SPINS)
    ]
    bind(statement, values)
    tilted = fmpq_mat([[2, 1], [1, 1]])
    for frame, spectrum in product(SPINS, ((2, 1), (3, Fraction(1, 3)), (3, Fraction(-1, 10)))):
        p = NoisyMoment(tilted, frame, spectrum, 3)
        assert statement.at(p) is Truth.TRUE, "window and noise do not commute"
    assert statement.at(GOOD) is Truth.TRUE
    assert not statement.strict
    outside = {
        SHAPES: attrs.evolve(GOOD, frame=fmpq_mat([[1, 1], [0, 1]])),
        "bound >= 0": attrs.evolve(GOOD, bound=-1),
        EVENT: attrs.evolve(GOOD, bound=Fraction(1, 20)),
    }
    for inside in (GOOD, moment((2, 0), (2, 0), 0)):
        bind_hypotheses(statement, inside, outside)
    for wrong in (
        {"window": fmpq_mat([[1, 0], [0, -1]])},
        {"window": fmpq_mat([[1, 1], [0, 1]])},
        {"window": fmpq_mat([[1]])},
        {"spectrum": (1,)},
        {"frame": fmpq_mat([[1]])},
    ):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE
    (event,) = (condition for condition in statement.given if condition.says == EVENT)
    for frame in (outside[SHAPES].frame, fmpq(101, 100) * GOOD.frame):
        assert event.at(attrs.evolve(GOOD, frame=frame)) is Truth.FALSE, "no norm without an orthogonal frame"
    assert statement.without(EVENT).at(attrs.evolve(GOOD, bound=Fraction(1, 20))) is Truth.FALSE


@theorem_4.supports("released", grade="derived", region=AS_LEMMA_3)
@theorem_16.supports("released", grade="derived", region=AS_LEMMA_3)
@corollary_2.supports("released", grade="derived", region=AS_LEMMA_3)
def test_the_released_sums_are_private(statements) -> None:
    """The derivation is that of lemma-3's repair: `check_released`."""
    for statement in statements.values():
        check_released(statement)


@theorem_4.supports("cover", grade="derived", region=ALL_WINDOWS)
@theorem_16.supports("cover", grade="derived", region=ALL_WINDOWS)
@corollary_2.supports("cover", grade="derived", region=ALL_WINDOWS)
def test_a_window_is_a_signed_sum(statements) -> None:
    """A prefix of a block has one dyadic part for each binary digit 1 of its length: at most h, or 1 for a whole block.

    A window of at most 2^h rows meets one block or two neighbouring ones. In one block it is a prefix less a prefix,
    in two the first block less a prefix and a prefix of the second: at most 2h + 1 parts either way.
    """
    for statement in statements.values():
        check_cover(statement)


def check_cover(statement) -> None:
    count = 0
    for height in range(5):
        width = 1 << height
        for begin, length in product(range(2 * width), range(1, width + 1)):
            p = WindowCover(begin, begin + length, height)
            assert statement.at(p) is Truth.TRUE
            assert statement.margin(p) == 2 * height + 1 - blocks(p)
            count += 1
    assert count > 500
    start = WindowCover(5, 9, 2)
    bind_formula(
        statement,
        [WindowCover(b, b + n, 4) for b, n in product(range(0, 30, 3), (1, 5, 16))],
        lambda p: 2 * p.height + 1 - blocks(p),
    )
    assert not statement.strict
    bind_hypotheses(
        statement,
        start,
        {
            "height >= 0, an integer": attrs.evolve(start, height=-1),
            "begin >= 0, an integer": attrs.evolve(start, begin=-1),
            "the window is not empty": attrs.evolve(start, end=5),
            "the window has at most 2^h rows": attrs.evolve(start, end=10),
        },
    )


def noise(dimension: int, beta=HALF, **changes) -> WindowNoise:
    """Take the rows 5 to 8 in blocks of four, and the least zeta in hundredths of a thousandth."""
    p = attrs.evolve(WindowNoise(5, 9, 2, 1, MILLIONTH, dimension, beta, 1), **changes)
    return attrs.evolve(p, bound=least_bound(p))


NOISE = noise(2)
ZETA = "zeta >= (16/7) s sqrt(q (d log 3 + log(2/beta)))"
NOISE_OUTSIDE = {
    "height >= 0, an integer": attrs.evolve(NOISE, height=-1),
    "begin >= 0, an integer": attrs.evolve(NOISE, begin=-1),
    "the window is not empty": attrs.evolve(NOISE, end=5),
    "epsilon > 0": attrs.evolve(NOISE, epsilon=0),
    "delta > 0": attrs.evolve(NOISE, delta=0),
    "delta < 1": attrs.evolve(NOISE, delta=1),
    "dimension >= 1, an integer": attrs.evolve(NOISE, dimension=0),
    "beta > 0": attrs.evolve(NOISE, beta=0),
    "beta < 1": attrs.evolve(NOISE, beta=1),
    ZETA: attrs.evolve(NOISE, bound=NOISE.bound - Fraction(1, 10**4)),
}


def plane_ends(end: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Probability that both eigenvalues m +- r are within the end, and that a normal variate is.

    m and the coordinates of a vector of length r are N(0, 1/2), as for a matrix of order 2 with N(0, 1) on the diagonal
    and N(0, 1/2) off it.
    """
    both = mpmath.quad(lambda r: 2 * r * mpmath.exp(-r * r) * mpmath.erf(end - r), [0, end])
    return both, mpmath.erf(end)


@theorem_4.supports_repair(grade="derived", region=ALL_NOISES)
@theorem_16.supports_repair(grade="derived", region=ALL_NOISES)
@corollary_2.supports_repair(grade="derived", region=ALL_NOISES)
@theorem_4.supports(
    "union", grade="derived", region="every d, window, beta: symbolically equal to beta at the least zeta"
)
def test_the_noise_of_a_window_is_small(statements) -> None:
    """The noise N of q sums has entries N(0, q s^2) on and above the diagonal, so u'Nu has variance at most 2 q s^2.

    By `check_noise_norm` its norm exceeds zeta with probability 2 3^d exp(-49 zeta^2/(256 q s^2)) at most, which is
    beta at the least zeta. Machine alone: the enclosure of the probability is above 1 - beta at the points below. As
    much noise again on the diagonal makes the law invariant under rotations, and the norm likely to be larger (Anderson
    1955); its first entry alone is smaller. Exact for d = 1.
    """
    check_bound()
    check_noise_norm()
    union = statements["sliding-window.theorem-4/union"]
    laws = [statements[f"sliding-window.{name}+repair"] for name in ("theorem-4", "theorem-16", "corollary-2")]
    law = laws[0]
    told = [d for d in (1, 10) if law.at(noise(d, HALF)) is Truth.TRUE]
    theorem_4.tells("which decides it for d up to {};", max(told))
    for dimension, beta in product((1, 2, 3, 5, 10), (HALF, Fraction(1, 100), Fraction(99, 100))):
        for changes in ({}, {"begin": 0, "end": 1, "height": 0}, {"epsilon": 10, "end": 8}):
            p = noise(dimension, beta, **changes)
            assert all(each.at(p) is Truth.TRUE for each in (*laws, union))
    values, bounds = [], []
    with mpmath.workdps(60):
        for begin, end, height, epsilon, bound in (
            (b, e, h, x, z) for (b, e, h), x, z in product(((5, 9, 2), (1, 7, 3), (4, 5, 0)), (1, 7), (1, 5, 30, 90))
        ):
            p = WindowNoise(begin, end, height, epsilon, MILLIONTH, 1, HALF, bound)
            spread = blocks(p) * deviation(p) ** 2
            values.append((p, mpmath.erf(bound / mpmath.sqrt(2 * spread)) - real(HALF)))
            for dimension in (1, 2):
                bound_used = 2 * mpmath.mpf(3) ** dimension * mpmath.exp(-49 * bound**2 / (256 * spread))
                bounds += [(attrs.evolve(p, dimension=dimension), real(HALF) - bound_used)]
        for each in laws:
            bind(each, values)
        bind(union, bounds)
        for bound in (20, 30, 60):
            p = attrs.evolve(NOISE, bound=bound)
            least, most = plane_ends(bound / (mpmath.sqrt(2 * blocks(p)) * deviation(p)))
            for each in laws:
                found = each.law.quantity(p)
                assert abs(found.lower() - arb(mpmath.nstr(least, 30))) < arb(10) ** -8
                assert abs(found.upper() - arb(mpmath.nstr(most, 30))) < arb(10) ** -8
    for statement in (*laws, union):
        assert not statement.strict
        (zeta,) = (condition for condition in statement.given if condition.says == ZETA)
        assert zeta.at(NOISE_OUTSIDE["the window is not empty"]) is Truth.FALSE, "no window has no noise"
        for inside in (NOISE, noise(1, begin=0, end=4)):
            bind_hypotheses(statement, inside, NOISE_OUTSIDE)


@theorem_4.controls("+repair", grade="interval", region=SMALLER)
@theorem_16.controls("+repair", grade="interval", region=SMALLER)
@corollary_2.controls("+repair", grade="interval", region=SMALLER)
def test_a_smaller_bound_on_the_noise_is_noticed(statements) -> None:
    for statement, p in product(statements.values(), (noise(1), noise(5))):
        assert statement.at(p) is Truth.TRUE
        small = attrs.evolve(p, bound=p.bound / 12)
        assert statement.applies(small) is Truth.FALSE
        assert statement.without(ZETA).at(small) is Truth.FALSE
