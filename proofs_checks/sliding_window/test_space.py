"""Theorem 19 of `sliding-window`, its proof line by line, and the conjectures."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec import load
from dpmatrix.spec.sliding_window.lower_bound_construction import Budget, Places, Planted
from dpmatrix.spec.sliding_window.lower_bound_entries import Block, Entry, Roots, Success
from dpmatrix.spec.sliding_window.lower_bound_proof import Chain
from dpmatrix.spec.sliding_window.space import KeptSpace, SpacePoint
from proofs_checks.sliding_window.lower_bound_columns import columns
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@7d1a37bb")
conjecture_1 = cite("sliding-window.conjecture-1@fb88afad")
conjecture_2 = cite("sliding-window.conjecture-2@a0c0c289")

SPACES = [
    SpacePoint(w, d, k, b, Fraction(1, e), Fraction(c, 9))
    for w, d, k, b, e, c in product((8, 1000), (1, 6), (1, 3), (1, 20), (2, 50), (1, 5))
]
SPACE_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(SPACES[0], window=1),
    "columns >= 1, an integer": attrs.evolve(SPACES[0], columns=0),
    "rank >= 1, an integer": attrs.evolve(SPACES[0], rank=0),
    "entry_bits >= 1, an integer": attrs.evolve(SPACES[0], entry_bits=0),
    "eta > 0": attrs.evolve(SPACES[0], eta=0),
    "k <= d": attrs.evolve(SPACES[0], rank=SPACES[0].columns + 1),
}


def check_space(statement, formula) -> None:
    values = []
    for p in SPACES:
        log = sympy.log(p.window, 2)
        c, e = sympy.Rational(p.constant), sympy.Rational(p.eta)
        claimed = formula(p, log, c, e)
        values.append((p, (p.window * p.columns * p.entry_bits - claimed).evalf(60)))
    bind(statement, values)
    for inside in (SpacePoint(2, 1, 1, 1, Fraction(1, 50), Fraction(1, 50)), SpacePoint(9, 2, 2, 2, 50, 50)):
        bind_hypotheses(statement, inside, SPACE_OUTSIDE)
    assert not statement.strict


def small_eta(share: fmpq):
    """Return the family W = 1000, d = 100, k = 5, 64 bits with eta = c times a share, 1/2 at most."""
    return lambda constant: SpacePoint(1000, 100, 5, 64, min(rational(constant) * share, fmpq(1, 2)), constant)


@theorem_19.refutes(
    grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by eta = c/285, or 1/2 where that is larger"
)
def test_storing_the_window_is_cheaper_than_the_bound(statement) -> None:
    """Every c: the window takes 1000 * 6400 bits, and log2(1000) > 9.

    At eta = c/285 the bound exceeds 1000 * 45 * 285 > 1000 * 6400 bits; at eta = 1/2, where c > 142, it exceeds 1000 *
    90 c, which is more than that.
    """
    statement.refute(small_eta(fmpq(1, 285)))
    for constant in (Fraction(1), Fraction(1, 10**9)):
        assert statement.at(SpacePoint(1000, 100, 5, 64, constant / 100, constant)) is Truth.TRUE
    check_space(statement, lambda p, log, c, e: c * p.window * p.rank * log / e)


def test_the_bound_fails_for_its_factor_one_over_eta() -> None:
    statement = load()["sliding-window.theorem-19"].statement
    point = small_eta(fmpq(1, 285))(1)
    assert statement.at(point) is Truth.FALSE
    coarse = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, eta=1)))
    assert coarse.at(point) is Truth.TRUE


@conjecture_1.refutes("every-eta", grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by small eta")
def test_the_first_conjecture_needs_a_regime(statement) -> None:
    """Every c: the bound exceeds 9 * 10^4 c/eta bits, which is more than 6.4 10^6 at eta = c/80, or 1/2 for c > 40."""
    statement.refute(small_eta(fmpq(1, 80)))
    check_space(statement, lambda p, log, c, e: c * p.columns**2 * log / e)


@conjecture_2.refutes("every-eta", grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by small eta")
def test_the_second_conjecture_needs_a_regime(statement) -> None:
    """Every c: the bound exceeds 4500 c/eta^2 bits, and the window takes 6.4 10^6.

    At eta = c/7500 that is 4500 * 7500^2/c, enough for c <= 3750; for larger c it is 18000 c at eta = 1/2.
    """
    statement.refute(small_eta(fmpq(1, 7500)))
    check_space(statement, lambda p, log, c, e: c * p.columns * p.rank * log / e**2)


@conjecture_1.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_first_conjecture(statement) -> None:
    """Without its regime the window stored as it is, or a constant output, would refute it."""
    check_regime(
        statement,
        "W d b >= c d^2 log2(W)/eta",
        {"W > zeta (eta/4)/(1 - eta/4)": 40_000},
        lambda p, log, c, e: c * p.columns**2 * log / e,
    )


@conjecture_2.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_second_conjecture(statement) -> None:
    check_regime(
        statement,
        "W d b >= c d k log2(W)/eta^2",
        {"sqrt(W) > zeta": 32},
        lambda p, log, c, e: c * p.columns * p.rank * log / e**2,
    )


def check_regime(statement, says, constant_output, claimed) -> None:
    stored = 1000 * 100 * 64
    fine = KeptSpace(1000, 100, 1, 64, Fraction(1, 10**6), 1, stored)
    wide = attrs.evolve(fine, eta=Fraction(1, 10))
    assert statement.applies(fine) is Truth.FALSE
    assert statement.without(says).at(fine) is Truth.FALSE
    ((short, additive),) = constant_output.items()
    empty = attrs.evolve(wide, kept_bits=0, additive=additive)
    assert statement.applies(empty) is Truth.FALSE
    assert statement.without(short).at(empty) is Truth.FALSE, "a constant keeps nothing"
    assert statement.applies(wide) is Truth.TRUE
    assert statement.at(wide) is Truth.TRUE
    values = []
    for p, kept in product(SPACES, (0, 10**3)):
        q = KeptSpace(*attrs.astuple(p), kept)
        log = sympy.log(p.window) / sympy.log(2)
        c, e = sympy.Rational(p.constant), sympy.Rational(p.eta)
        values.append((q, (kept - claimed(p, log, c, e)).evalf(60)))
    bind(statement, values)
    assert not statement.strict
    outside = {name: KeptSpace(*attrs.astuple(point), 1) for name, point in SPACE_OUTSIDE.items()}
    outside |= {says: fine, "kept_bits >= 0, an integer": attrs.evolve(wide, kept_bits=-1)}
    outside |= {short: empty, "additive >= 0": attrs.evolve(wide, additive=-1), "eta < 1": attrs.evolve(wide, eta=1)}
    bind_hypotheses(statement, wide, outside)


BLOCK = Block(3, 2, 162, 5, Fraction(1, 400), 3)
BLOCKS = [
    Block(root, k, diagonal, entry, coefficient, scale)
    for root, k, (diagonal, entry, coefficient, scale) in product(
        (2, Fraction(5, 2), 7),
        (1, 2),
        ((0, 3, 0, 2), (33, -5, Fraction(1, 9), 10), (80, 12, Fraction(1, 4), 100), (500, 0, 1, Fraction(1, 3))),
    )
]
SMALLEST = Block(Fraction(3, 2), 1, Fraction(81, 8), 1, scale=1)  # Psi = 9/4
ATTAINED = Block(10, 3, coefficient=Fraction(2, 10**3), scale=10)
"""10^theta = sqrt(Psi) and coefficients 2/Psi^(3/2): the combination is 4k/Psi."""
BLOCK_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(BLOCK, rank=0),
    "Psi >= 2k": attrs.evolve(BLOCK, rank=5),
    "root >= 1": attrs.evolve(BLOCK, root=Fraction(-49, 50), rank=0),
}


@theorem_19.supports("diagonal", grade="symbolic", region="every Psi >= 1: 2 Psi^2 - sqrt(Psi) >= Psi^2")
@theorem_19.supports("contradiction", grade="derived", region="every k, Psi >= 2k: derivation below")
@theorem_19.supports("quarter", grade="derived", region="every k, Psi >= 2k: k sqrt(Psi) <= Psi^2/2")
@theorem_19.supports(
    "combination", grade="derived", region="every k, Psi, and 10^theta up to sqrt(Psi), where it is attained"
)
@theorem_19.refutes("entries-at-least", grade="symbolic", region="an entry 0 in place of 10, Psi = 121")
def test_entries_of_the_approximation(statements) -> None:
    """Write s = sqrt(Psi), so that s^2 >= 2k and s >= sqrt(2).

    k s <= s^3/2 <= s^4/2, hence (s^4 - k s)^2 >= s^8/4. The contradiction: (s^4 - k s) s^4/(k s) is at
    least (s^4/2) s^4/(s^3/2) = s^5 > s. The combination: k |eta| (10^theta + s) <= k (2/s^3) 2s = 4k/s^2.
    """
    by_name = by_step(statements)
    s, k = sympy.symbols("s k", positive=True)
    assert sympy.factor(2 * s**4 - s - s**4) == sympy.factor(s * (s**3 - 1))
    assert sympy.expand(s**3 / 2 - k * s - s * (s**2 - 2 * k) / 2) == 0
    assert sympy.simplify((s**4 / 2) * s**4 / (s**3 / 2) - s**5) == 0
    assert sympy.expand(4 / (s**3) ** 2 - (2 / s**3) ** 2) == 0

    def number(value):
        return Fraction(value)

    formulas = {
        "diagonal": lambda p: number(p.diagonal) - number(p.root) ** 4,
        "contradiction": lambda p: (number(p.root) ** 3 / p.rank - 1) * number(p.root) ** 4 - number(p.root),
        "quarter": lambda p: (number(p.root) ** 4 - p.rank * number(p.root)) ** 2 - number(p.root) ** 8 / 4,
        "combination": lambda p: (
            p.rank * (4 / number(p.root) ** 2 - number(p.coefficient) * (number(p.root) + number(p.scale)))
        ),
        "entries-at-least": lambda p: abs(number(p.entry)) - number(p.root),
    }
    more = {
        "diagonal": {"|Y_jj - gamma| <= sqrt(Psi)": attrs.evolve(BLOCK, diagonal=Fraction(3306, 20))},
        "combination": {
            "scale > 0": attrs.evolve(BLOCK, scale=0),
            "10^theta <= sqrt(Psi)": attrs.evolve(BLOCK, scale=Fraction(153, 50)),
            "coefficient >= 0": attrs.evolve(BLOCK, coefficient=Fraction(-1, 50)),
            "eta_ij^2 <= 4/Psi^3": attrs.evolve(BLOCK, coefficient=Fraction(2, 26)),
        },
        "entries-at-least": {
            "scale > 0": attrs.evolve(BLOCK, scale=0, entry=1),
            "|V~ - M|^2 <= Psi": attrs.evolve(BLOCK, entry=Fraction(301, 50)),
        },
    }
    for name, statement in by_name.items():
        bind(statement, ((p, formulas[name](p)) for p in BLOCKS))
        assert statement.strict is (name == "contradiction")
        insides = [SMALLEST, attrs.evolve(SMALLEST, root=Fraction(10, 7), diagonal=Fraction(8, 1), coefficient=0)]
        insides += [attrs.evolve(SMALLEST, diagonal=2 * Fraction(81, 16) + sign * Fraction(3, 2)) for sign in (1, -1)]
        if name == "combination":
            insides += [ATTAINED, attrs.evolve(SMALLEST, scale=Fraction(1, 50))]
        for inside in insides:
            bind_hypotheses(statement, inside, BLOCK_OUTSIDE | more.get(name, {}))
        if name != "entries-at-least":
            for p in (*BLOCKS, *insides):
                if statement.applies(p) is Truth.TRUE:
                    assert statement.at(p) is Truth.TRUE
    assert (
        by_name["diagonal"].applies(attrs.evolve(SMALLEST, diagonal=2 * Fraction(81, 16) - Fraction(8, 5)))
        is Truth.FALSE
    )
    lost = Block(11, 1, entry=0, scale=10)
    assert by_name["entries-at-least"].at(lost) is Truth.FALSE
    assert by_name["entries-at-least"].at(attrs.evolve(lost, entry=-11, root=30)) is Truth.FALSE
    assert by_name["entries-at-least"].at(attrs.evolve(lost, entry=12)) is Truth.TRUE
    assert sympy.expand(k * (2 / s**3) * (s + s) - 4 * k / s**2) == 0
    assert by_name["combination"].at(ATTAINED) is Truth.TRUE
    assert by_name["combination"].margin(ATTAINED) == 0


@theorem_19.controls("combination", grade="symbolic", region="10^theta = 3 sqrt(Psi); |eta| = 2/Psi; half of 4k/Psi")
def test_the_combination_needs_a_large_psi(statement) -> None:
    wide = attrs.evolve(ATTAINED, scale=30)
    assert statement.applies(wide) is Truth.FALSE
    assert statement.without("10^theta <= sqrt(Psi)").at(wide) is Truth.FALSE
    loose = attrs.evolve(ATTAINED, coefficient=Fraction(2, 100))
    assert statement.without("eta_ij^2 <= 4/Psi^3").at(loose) is Truth.FALSE
    halved = statement.nudged(lambda margin: margin - arb(2 * ATTAINED.rank) / 100)
    assert halved.at(ATTAINED) is Truth.FALSE, "entries of sqrt(Psi) alone would give 2k/Psi"


@theorem_19.supports(
    "square-of-a-sum",
    grade="symbolic",
    region="every eta < 1 and tau >= 16: the difference is tau (s (s - 2(1 + eta)) + 1 - eta^2), s = sqrt(tau)",
)
@theorem_19.supports(
    "columns-outside", grade="symbolic", region="every m >= 10, x >= 0: the difference is x (m^2 - 2m + x)"
)
@theorem_19.supports("two-thirds", grade="derived", region="all probabilities: 1 - 1/6 - 109/990 > 2/3")
def test_three_last_inequalities(statements) -> None:
    by_name = by_step(statements)
    square, outside, success = (by_name[name] for name in ("square-of-a-sum", "columns-outside", "two-thirds"))
    s, eta = sympy.symbols("s eta", positive=True)
    slack = 2 * (1 + eta) * s**2 + 2 * s**4 - ((1 + eta) * s + s**2) ** 2
    assert sympy.expand(slack - s**2 * (s * (s - 2 * (1 + eta)) + 1 - eta**2)) == 0
    point = Roots(4, Fraction(49, 50))

    def expanded(p):
        root, eta = Fraction(p.root), Fraction(p.eta)
        return root**4 - (1 + eta) * 2 * root**3 + (1 - eta**2) * root**2

    bind(
        square,
        (
            (Roots(Fraction(i, 7), Fraction(j, 9)), expanded(Roots(Fraction(i, 7), Fraction(j, 9))))
            for i, j in product(range(1, 30, 4), (1, 4, 8))
        ),
    )
    for inside in (point, Roots(50, Fraction(1, 2)), Roots(5, Fraction(1, 50))):
        assert square.at(inside) is Truth.TRUE
        bind_hypotheses(
            square,
            inside,
            {"root >= 4": Roots(Fraction(199, 50), Fraction(1, 2)), "eta > 0": Roots(4, 0), "eta < 1": Roots(4, 1)},
        )
    m, x = sympy.symbols("m x")
    assert sympy.expand((m - x) ** 2 - m**2 * (1 - x) - x * (m * (m - 2) + x)) == 0
    entries = [Entry(size, Fraction(shift, 3)) for size, shift in product((10, 100, 1000), range(9))]
    bind(outside, ((p, (p.size - p.shift) ** 2 - p.size**2 + p.size**2 * p.shift) for p in entries))
    assert all(outside.at(p) is Truth.TRUE for p in entries)
    for inside in (Entry(10, 0), Entry(10, 5)):
        bind_hypotheses(
            outside, inside, {"size >= 10": Entry(Fraction(49, 5), 0), "shift >= 0": Entry(10, Fraction(-1, 50))}
        )
    worst = Success(Fraction(166, 1000), Fraction(110, 1000))
    assert success.at(worst) is Truth.TRUE
    assert success.nudged(lambda margin: margin - (arb(1) / 5 - arb(109) / 990)).at(worst) is Truth.FALSE
    bind(
        success,
        (
            (Success(f, w), Fraction(1, 3) - f - w)
            for f, w in product((Fraction(i, 60) for i in range(6)), (Fraction(j, 40) for j in range(4)))
        ),
    )
    for inside in (worst, Success(0, 0)):
        bind_hypotheses(
            success,
            inside,
            {
                "failure >= 0": Success(Fraction(-1, 50), 0),
                "failure <= 1/6": Success(Fraction(9, 50), 0),
                "wrong >= 0": Success(0, Fraction(-1, 50)),
                "wrong <= 109/990": Success(0, Fraction(12, 100)),
            },
        )
    assert not square.strict
    assert not outside.strict
    assert not success.strict


@theorem_19.controls(
    "square-of-a-sum", grade="symbolic", region="eta = 1/10, tau = 121/100; eta = 999/1000, tau = 15.9"
)
def test_the_square_of_a_sum_needs_a_large_tau(statement) -> None:
    """For eta near 1 the difference is positive from tau = 16 on, and not before: sqrt(tau) = 2(1 + eta)."""
    for small in (Roots(Fraction(11, 10), Fraction(1, 10)), Roots(Fraction(399, 100), Fraction(999, 1000))):
        assert statement.applies(small) is Truth.FALSE
        assert statement.without("root >= 4").at(small) is Truth.FALSE
    beyond = Roots(4, 2)
    assert statement.without("eta < 1").at(beyond) is Truth.FALSE


BUDGET = Budget(1000, 100, 5, 14, Fraction(1, 2), 3)
BUDGETS = [
    Budget(w, d, k, l, eta, c)
    for (w, d), k, l, (eta, c) in product(
        ((50, 7), (1000, 300)),
        (1, 4),
        (3, 60),
        ((Fraction(1, 3), 1), (Fraction(9, 10), Fraction(7, 2)), (Fraction(1, 50), 9)),
    )
]
SHORT = Budget(2, 1, 1, 1, Fraction(49, 50), Fraction(1, 50))
BUDGET_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(BUDGET, window=1),
    "dimension >= 1, an integer": attrs.evolve(BUDGET, dimension=0),
    "rank >= 1, an integer": attrs.evolve(BUDGET, rank=0),
    "blocks >= 1, an integer": attrs.evolve(BUDGET, blocks=0),
    "eta > 0": attrs.evolve(BUDGET, eta=0),
    "eta < 1": attrs.evolve(BUDGET, eta=1),
}
LONG = {"l >= log W / eta": attrs.evolve(BUDGET, blocks=13)}  # 2 log 1000 = 13.8
ROOM = {"a <= W/2": attrs.evolve(BUDGET, window=13)}  # a = 7


def check_budget(statement, formula, more) -> None:
    bind_formula(statement, BUDGETS, formula)
    assert not statement.strict
    for inside in (BUDGET, attrs.evolve(SHORT)):
        bind_hypotheses(statement, inside, BUDGET_OUTSIDE | more)


def theorem_line(p: Budget):
    bits = real((p.window - columns(p)) * columns(p))
    return bits - p.window * p.rank * mpmath.log(p.window) / (40 * real(p.eta))


LAST = [
    Budget(w, 1, k, int(mpmath.ceil(mpmath.log(w) / real(eta))), eta)
    for w, k, eta in product((10**3, 10**9), (1, 2), (Fraction(49, 50), Fraction(1, 2), Fraction(1, 5)))
]
"""With the fewest blocks that l >= log W / eta allows."""


@theorem_19.refutes("without-loss", grade="interval", region="W = 1000, eta = 1/50, d = 100")
@theorem_19.refutes("polynomial-entries", grade="derived", region="every c: eta = 1/(c + 1), c rounded up, W = 1000")
@theorem_19.refutes("block-of-rows", grade="symbolic", region="k = 5, l = 14, eta = 1/2")
@theorem_19.supports(
    "last-line",
    grade="derived",
    region="every parameter: (W - a) a >= W k l/(40 eta) >= W k log W/(40 eta^2), and eta < 1",
)
@theorem_19.supports("encoded-bits", grade="symbolic", region="every parameter: (W - a) a >= W a/2 for a <= W/2")
def test_the_size_of_the_construction(statements) -> None:
    """Every c of "polynomial-entries": l log 10 >= (c + 1) log(1000) log(10) > c log 1000 at eta = 1/(c + 1)."""
    by_name = by_step(statements)
    fine = attrs.evolve(BUDGET, eta=Fraction(1, 50), blocks=346)  # 50 log 1000 = 345.4
    assert by_name["without-loss"].at(fine) is Truth.FALSE
    assert by_name["without-loss"].at(attrs.evolve(fine, dimension=10**4)) is Truth.TRUE

    def small(constant):
        parts = int(rational(constant).ceil()) + 1
        with mpmath.workdps(200):
            blocks = int(mpmath.ceil(parts * mpmath.log(1000)))
        return attrs.evolve(BUDGET, eta=Fraction(1, parts), blocks=blocks, constant=constant)

    by_name["polynomial-entries"].refute(small)
    assert by_name["polynomial-entries"].at(attrs.evolve(BUDGET, constant=6)) is Truth.TRUE, "14 log 10 < 6 log 1000"
    assert by_name["block-of-rows"].at(BUDGET) is Truth.FALSE
    assert by_name["block-of-rows"].at(attrs.evolve(BUDGET, rank=2, blocks=20)) is Truth.TRUE, "20/(20 eta) = 2"
    check_budget(by_name["without-loss"], lambda p: Fraction(p.dimension, 2) - columns(p), LONG)
    check_budget(
        by_name["polynomial-entries"],
        lambda p: real(p.constant) * mpmath.log(p.window) - p.blocks * mpmath.log(10),
        LONG | {"l < log W/eta + 1": attrs.evolve(BUDGET, blocks=15)},
    )
    check_budget(by_name["block-of-rows"], lambda p: -abs(Fraction(p.blocks, 20) / p.eta - p.rank), LONG)
    last = by_name["last-line"]
    check_budget(last, theorem_line, LONG | ROOM)
    encoded = by_name["encoded-bits"]
    check_budget(
        encoded,
        lambda p: (p.window - columns(p)) * columns(p) - Fraction(p.window * p.rank * p.blocks) / (40 * p.eta),
        ROOM,
    )
    w, a = sympy.symbols("w a", positive=True)
    assert sympy.expand((w - a) * a - w * a / 2 - a * (w / 2 - a)) == 0, "W a/2 = W k l/(40 eta)"
    k, log, eta, more = sympy.symbols("k log eta more", positive=True)
    blocks = log / eta + more
    step = w * k * blocks / (40 * eta) - w * k * log / (40 * eta)
    assert sympy.expand(step - w * k * (more / eta + log * (1 - eta) / eta**2) / 40) == 0, "l = log W/eta + more"
    found = [p for p in (*BUDGETS, *LAST) if last.applies(p) is Truth.TRUE]
    assert len(found) >= 10
    assert all(last.at(p) is Truth.TRUE for p in found)
    assert all(encoded.at(p) is Truth.TRUE for p in BUDGETS if encoded.applies(p) is Truth.TRUE)
    assert encoded.at(BUDGET) is Truth.TRUE


@theorem_19.controls(
    "last-line", grade="interval", region="three times the constant; a > W/2; fewer blocks than log W/eta"
)
def test_the_bits_of_the_theorem_need_room_and_blocks(statement) -> None:
    tight = LAST[0]  # W = 1000, k = 1, eta = 49/50, l = 8
    assert statement.at(tight) is Truth.TRUE
    claimed = 1000 * arb(1000).log() / (40 * arb(49) / 50)
    assert statement.nudged(lambda margin: margin - 2 * claimed).at(tight) is Truth.FALSE
    narrow = attrs.evolve(BUDGET, window=8, blocks=15)  # a = 15/2, with half a row left
    assert statement.applies(narrow) is Truth.FALSE
    assert statement.without("a <= W/2").at(narrow) is Truth.FALSE
    short = attrs.evolve(BUDGET, blocks=1)
    assert statement.applies(short) is Truth.FALSE
    assert statement.without("l >= log W / eta").at(short) is Truth.FALSE


@theorem_19.refutes("bits", grade="symbolic", region="W = 5, a = 2, n = 4; n = W is right for 20 sizes")
def test_bits_are_placed_for_n_equal_to_w(statement) -> None:
    sizes = [(w, a, l) for w in (5, 6, 9) for a, l in ((1, 1), (2, 1), (2, 2), (3, 1), (4, 2), (4, 4))]
    sizes += [(12, 6, 3), (12, 8, 2)]
    assert all(statement.at(Places(w, w, a, l)) is Truth.TRUE for w, a, l in sizes)
    assert statement.at(Places(5, 4, 2, 1)) is Truth.FALSE
    places = [Places(w, n, a, l) for (w, a, l), shift in product(sizes, (-1, 0, 1)) for n in (w + shift,) if n > a]

    def right(p):
        used = {
            ((i * (p.window - p.columns) * p.columns) // p.blocks + k * (p.rows - p.columns) + j)
            for i in range(p.blocks)
            for k in range(p.columns // p.blocks)
            for j in range(p.window - p.columns)
        }
        return 0 if used == set(range((p.window - p.columns) * p.columns)) else -1

    bind(statement, ((p, right(p)) for p in places))
    base = Places(5, 4, 2, 1)
    outside = {
        "window >= 2, an integer": Places(1, 4, 0, 1),
        "columns >= 1, an integer": Places(5, 4, 0, 1),
        "blocks >= 1, an integer": Places(5, 4, 2, -1),
        "l divides a, a < W and a < n": Places(5, 4, 3, 2),
    }
    for inside in (base, Places(2, 2, 1, 1)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(Places(4, 5, 4, 1)) is Truth.FALSE
    assert statement.applies(Places(5, 4, 4, 1)) is Truth.FALSE
    assert not statement.strict


def signs(rows: int, count: int, seed: int = 0) -> fmpq_mat:
    return fmpq_mat(rows, count, [1 if (i * i + seed * i + i // 3) % 3 else -1 for i in range(rows * count)])


def planted_points():
    for (rows, count, blocks, rank), theta, seed, gamma in product(
        ((2, 2, 2, 1), (3, 4, 2, 1), (2, 4, 2, 2), (3, 3, 3, 1)), (1, 2), (0, 1), (0, 50, 10**6)
    ):
        yield Planted(signs(rows, count, seed), blocks, theta, rank, gamma)


def planted_error(p: Planted, last: int):
    """Minus the printed first line, the smallest eigenvalues of A'A by sympy, at 60 digits."""
    rows, count = p.signs.nrows(), p.signs.ncols()
    size = count // p.blocks
    gram = sympy.zeros(count, count)
    for i in range(rows):
        entries = [int(p.signs[i, j]) * 10 ** (j // size + 1) if j // size + 1 <= last else 0 for j in range(count)]
        gram += sympy.Matrix(entries) * sympy.Matrix([entries])
    for j in range((p.theta - 1) * size, (p.theta - 1) * size + p.rank):
        gram[j, j] += p.gamma**2
    with mpmath.workdps(80):
        values = sorted(mpmath.eigsy(mpmath.matrix(gram.tolist()), eigvals_only=True), reverse=True)
        line = Fraction((count - p.rank) * rows * 100**p.theta, p.blocks)
        line += sum(Fraction(count * rows * 100**block, p.blocks) for block in range(1, p.theta))
        return real(line) - sum(values[p.rank :])


TINY = Planted(fmpq_mat([[1, 1], [1, -1]]), 2, 1, 1, 10**6)
PLANTED_OUTSIDE = {
    "blocks >= 1, an integer": attrs.evolve(TINY, blocks=-1, theta=-1),
    "theta >= 1, an integer": attrs.evolve(TINY, theta=0),
    "rank >= 1, an integer": attrs.evolve(TINY, rank=0),
    "signs in l equal blocks, k columns in block theta": attrs.evolve(TINY, signs=fmpq_mat([[1, 2], [1, -1]])),
}


@theorem_19.supports(
    "error-first-line",
    grade="derived",
    region="every W, a, l, k, theta and gamma: the columns C alone have rank k and leave the others (docstring)",
)
@theorem_19.refutes("expired-blocks", grade="interval", region="a = l = 2, W - a = 2, theta = 1, gamma = 10^6")
@theorem_19.refutes("column-norm", grade="symbolic", region="a = 2, W - a = 2: 200, not 400")
def test_the_planted_matrix(statements) -> None:
    """A matrix with the columns C of A and zeros elsewhere has rank k, so |A - [A]_k|^2 is at most the other columns.

    Those are a/l - k columns of squared length (W-a) 100^theta in block theta, and a/l of (W-a) 100^theta' in each
    earlier block; a/l - k <= (a - k)/l as l >= 1. Later blocks are in the rows of the stream and stay.
    """
    by_name = by_step(statements)
    a, k, l = sympy.symbols("a k l", positive=True)
    assert sympy.simplify((a - k) / l - (a / l - k) - k * (l - 1) / l) == 0
    found = list(planted_points())
    kept, whole = by_name["error-first-line"], by_name["expired-blocks"]
    assert all(kept.at(p) is Truth.TRUE for p in found)
    assert whole.at(TINY) is Truth.FALSE
    assert whole.margin(TINY) < -19_000, "100 (2 - 1) 2/2 against 2 * 100^2"
    assert whole.at(attrs.evolve(TINY, theta=2)) is Truth.TRUE, "no later block"
    with mpmath.workdps(80):
        bind(kept, ((p, mpmath.nstr(planted_error(p, p.theta), 70)) for p in found))
        bind(whole, ((p, mpmath.nstr(planted_error(p, p.blocks), 70)) for p in found))
    norm = by_name["column-norm"]
    assert norm.at(TINY) is Truth.FALSE
    assert norm.margin(TINY) == -200
    assert norm.at(Planted(signs(3, 1), 1, 1, 1, 5)) is Truth.TRUE
    bind(norm, ((p, -100 * p.signs.nrows() * (p.signs.ncols() - 1)) for p in found))
    for statement in by_name.values():
        assert not statement.strict
        for inside in (TINY, Planted(signs(1, 1), 1, 1, 1, 0)):
            bind_hypotheses(statement, inside, PLANTED_OUTSIDE)
        for wrong in (
            attrs.evolve(TINY, blocks=3),
            attrs.evolve(TINY, rank=2),
            attrs.evolve(TINY, theta=3),
            Planted(signs(2, 3), 2, 1, 1, 1),
        ):
            assert statement.applies(wrong) is Truth.FALSE


CHAINS = [
    Chain(w, d, k, l, theta, eta, c)
    for (w, d), k, l, theta, (eta, c) in product(
        ((900, 90), (10**5, 400)), (1, 3), (4, 7), (1, 2, 4), ((Fraction(1, 3), 1), (Fraction(9, 10), 20))
    )
]
CORNER = Chain(2, 1, 1, 1, 1, Fraction(1, 2))
CHAIN_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(CORNER, window=1),
    "dimension >= 1, an integer": attrs.evolve(CORNER, dimension=0),
    "rank >= 1, an integer": attrs.evolve(CORNER, rank=0),
    "blocks >= 1, an integer": attrs.evolve(CORNER, blocks=-1),
    "theta >= 1, an integer": attrs.evolve(CORNER, theta=0),
    "theta <= l": attrs.evolve(CORNER, theta=2),
    "eta > 0": attrs.evolve(CORNER, eta=0),
    "eta < 1": attrs.evolve(CORNER, eta=1),
    "a <= d/2": attrs.evolve(CORNER, eta=Fraction(1, 11)),
    "a < W": attrs.evolve(CORNER, eta=Fraction(1, 50), dimension=9),
}


def tau(p: Chain) -> Fraction:
    return 2 * 100**p.theta * Fraction(p.window * p.dimension, p.blocks)


def share(p: Chain) -> Fraction:
    return 100**p.theta * p.rank * (p.window - columns(p)) * (Fraction(1, 10) + Fraction(1, 99))


def budget(p: Chain) -> Fraction:
    return 4 * 100**p.theta * Fraction(p.window * p.dimension, p.blocks) + share(p) + 2 * tau(p) ** 2


def powers(p: Chain) -> int:
    return sum(100**block for block in range(1, p.theta))


def remainder(p: Chain) -> Fraction:
    lines = p.window - columns(p)
    width = columns(p) / p.blocks
    taken = (width - p.rank) * lines * 100**p.theta + width * lines * powers(p)
    allowed = Fraction(100**p.theta * p.rank, 5) * lines + p.constant * 100**p.theta * columns(p)
    return allowed - budget(p) + taken


FORMULAS = {
    "geometric-sum": lambda p: Fraction(100**p.theta, 99) - powers(p),
    "error-second-line": lambda p: (
        tau(p)
        - (columns(p) - p.rank) * (p.window - columns(p)) * Fraction(100**p.theta, p.blocks)
        - columns(p) * (p.window - columns(p)) * Fraction(100**p.theta, 99 * p.blocks)
    ),
    "multiplicative-part": lambda p: share(p) - 2 * Fraction(p.eta) * tau(p),
    "third-line": lambda p: 100**p.theta * p.rank * (p.window - columns(p)) * (Fraction(1, 5) - Fraction(109, 990)),
    "large-psi": lambda p: budget(p) - 40 * p.rank * p.window,
    "large-tau": lambda p: tau(p) - 20 * p.rank * p.window,
    "large-root": lambda p: budget(p) - 100**p.theta,
    "columns-of-c": remainder,
    "fraction": lambda p: p.rank * (p.window - columns(p)) * (Fraction(109, 990) - Fraction(1, 5)),
}


@theorem_19.supports("geometric-sum", grade="symbolic", region="every theta: (100^theta - 100)/99")
@theorem_19.supports("error-second-line", grade="derived", region="every parameter: a (100/99) <= 2d")
@theorem_19.supports("third-line", grade="symbolic", region="every parameter: 109/990 <= 1/5")
@theorem_19.supports("large-psi", grade="derived", region="every parameter: d/l >= 2a/l = k/(10 eta)")
@theorem_19.supports(
    "large-tau", grade="derived", region="every parameter: tau = 2 100^theta W d/l >= 100^theta W k/(5 eta)"
)
@theorem_19.supports("large-root", grade="derived", region="every parameter: 2 tau^2 >= 2 (2/5)^2 100^(2 theta)")
@theorem_19.refutes(
    "multiplicative-part",
    grade="symbolic",
    region="48 points: W = 900 and 10^5, k = 1, 3, l = 4, 7, theta = 1, 2, 4, eta = 1/3, 9/10",
)
@theorem_19.refutes("columns-of-c", grade="derived", region="every c, by W = 900 c, rounded up")
@theorem_19.refutes("fraction", grade="symbolic", region="every parameter: 1/5 > 109/990")
def test_the_budget_of_the_error(statements) -> None:
    """With u = 100^theta/l: the second line is at most a W u (1 + 1/99) <= d W u, as a <= d/2; it may be 2 d W u.

    Psi >= 4 * 100 W d/l >= 400 W k/(10 eta) >= 40 k W, and tau is half of the first term, at least 100^theta W k/5, so
    that Psi >= 2 tau^2 >= 2 (2/5)^2 100^(2 theta) >= 32 * 100^theta. With d >= 2a = k l/(10 eta), 2 eta tau =
    4 eta u W d is at least (2/5) 100^theta k W, more than 109/990 of it.

    Every c of "columns-of-c": Psi has 2 tau^2 >= 2 (2/5)^2 100^(2 theta) k^2 W^2, and the rest of the inequality is at
    most 100^theta (2 d W/l + k W/5 + c d): for d, k, l, theta and eta fixed, W^2 outgrows W and c at W >= 900 c.
    """
    by_name = by_step(statements)
    assert by_name.keys() == FORMULAS.keys()
    for name, statement in by_name.items():
        bind(statement, ((p, FORMULAS[name](p)) for p in CHAINS))
        assert not statement.strict
        for inside in (CORNER, Chain(50, 40, 2, 3, 3, Fraction(1, 50), Fraction(1, 50))):
            bind_hypotheses(statement, inside, CHAIN_OUTSIDE)
        sound = name not in ("multiplicative-part", "columns-of-c", "fraction")
        for p in (*CHAINS, CORNER):
            if statement.applies(p) is Truth.TRUE:
                assert (statement.at(p) is Truth.TRUE) is sound
    theta = sympy.symbols("theta", positive=True, integer=True)
    block = sympy.symbols("block")
    assert sympy.simplify(sympy.summation(100**block, (block, 1, theta - 1)) - (100**theta - 100) / 99) == 0
    assert Fraction(1, 10) + Fraction(1, 99) == Fraction(109, 990) < Fraction(1, 5) < Fraction(2, 5)
    u, w, k, l, eta, over = sympy.symbols("u w k l eta over", positive=True)
    wide = k * l / (10 * eta) + over  # d = 2a + over, u = 100^theta
    rest = 2 * u * w * wide / l - u * w * k / 5
    assert sympy.expand(rest - u * w * (k * (1 - eta) / (5 * eta) + 2 * over / l)) == 0
    assert 2 * Fraction(2, 5) ** 2 * 100 == 32, "k >= 1, W >= 2, and 100^(2 theta) >= 100 * 100^theta"
    by_name["columns-of-c"].refute(
        lambda constant: attrs.evolve(CHAINS[0], window=900 * int(rational(constant).ceil()), constant=constant)
    )
