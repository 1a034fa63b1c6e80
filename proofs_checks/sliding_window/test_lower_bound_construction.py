"""Theorem 19 of `sliding-window`: the size of the construction, its places, and the planted matrix."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.lower_bound_construction import Budget, Places, Planted, entries_degree
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.lower_bound_columns import BLOCKS, COLUMNS, DIMENSION, ETA, RANK, WINDOW
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@9132f892")

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
    bind_expression(statement, formula)
    assert not statement.strict
    full = attrs.evolve(BUDGET, window=14)  # a = W/2
    for inside in (BUDGET, SHORT, full) if ROOM.keys() <= more.keys() else (BUDGET, SHORT):
        bind_hypotheses(statement, inside, BUDGET_OUTSIDE | more)


LAST = [
    Budget(w, 1, k, int(mpmath.ceil(mpmath.log(w) / real(eta))), eta, 1)
    for w, k, eta in product((10**3, 10**9), (1, 2), (Fraction(49, 50), Fraction(1, 2), Fraction(1, 5)))
]
"""With the fewest blocks that l >= log W / eta allows."""


@theorem_19.refutes("without-loss", grade="interval", region="W = 1000, eta = 1/50, d = 100")
@theorem_19.supports("polynomial-entries", grade="derived", region="every eta: l < log W/eta + 1, and log W >= log 2")
@theorem_19.refutes("block-of-rows", grade="symbolic", region="k = 5, l = 14, eta = 1/2")
@theorem_19.supports(
    "last-line",
    grade="derived",
    region="every parameter: (W - a) a >= W k l/(40 eta) >= W k log W/(40 eta^2), and eta < 1",
)
@theorem_19.supports("encoded-bits", grade="derived", region="every parameter: (W - a) a >= W a/2 for a <= W/2")
def test_the_size_of_the_construction(statements) -> None:
    """The entries: l log 10 < (1/eta + 1/log W) log 10 log W, and 1/log W <= 1/log 2."""
    by_name = by_step(statements)
    fine = attrs.evolve(BUDGET, eta=Fraction(1, 50), blocks=346)  # 50 log 1000 = 345.4
    assert by_name["without-loss"].at(fine) is Truth.FALSE
    assert by_name["without-loss"].at(attrs.evolve(fine, dimension=10**4)) is Truth.TRUE

    with precision(256):
        entries = [attrs.evolve(p, constant=entries_degree(p.eta)) for p in (*LAST, BUDGET)]
    assert all(by_name["polynomial-entries"].at(p) is Truth.TRUE for p in entries)
    with mpmath.workdps(60):
        spare = []
        for p in entries:
            degree = mpmath.log(10) * (1 / real(p.eta) + 1 / mpmath.log(2))
            spare.append((p, mpmath.nstr(degree * mpmath.log(p.window) - p.blocks * mpmath.log(10), 50)))
        bind(by_name["polynomial-entries"], spare, least=len(entries))
    theorem_19.tells("W^({}/eta)", sympy.log(10))
    assert by_name["block-of-rows"].at(BUDGET) is Truth.FALSE
    assert by_name["block-of-rows"].at(attrs.evolve(BUDGET, rank=2, blocks=20)) is Truth.TRUE, "20/(20 eta) = 2"
    check_budget(by_name["without-loss"], DIMENSION / 2 - COLUMNS, LONG)
    fewest = by_name["polynomial-entries"]
    bind_expression(fewest, sympy.Symbol("constant") * sympy.log(WINDOW) - BLOCKS * sympy.log(10))
    assert not fewest.strict
    sizes = {says: point for says, point in BUDGET_OUTSIDE.items() if says != "eta < 1"}
    for inside in (BUDGET, SHORT):
        bind_hypotheses(fewest, inside, sizes | {"l < log W/eta + 1": attrs.evolve(BUDGET, blocks=15)})
    assert fewest.applies(attrs.evolve(BUDGET, window=55, blocks=9)) is Truth.TRUE, "2 log 55 = 8.01"
    assert fewest.applies(attrs.evolve(BUDGET, window=54, blocks=9)) is Truth.FALSE, "2 log 54 = 7.98"
    check_budget(by_name["block-of-rows"], -sympy.Abs(BLOCKS / (20 * ETA) - RANK), LONG)
    last = by_name["last-line"]
    bits = (WINDOW - COLUMNS) * COLUMNS
    check_budget(last, bits - WINDOW * RANK * sympy.log(WINDOW) / (40 * ETA), LONG | ROOM)
    coarse = Budget(54, 1, 1, 1, 4, 1)
    assert last.without("eta < 1").at(coarse) is Truth.FALSE, "one block is enough, and encodes 0.67 bits for 1.35"
    bind_hypotheses(last, BUDGET, BUDGET_OUTSIDE | LONG | ROOM | {"eta < 1": coarse})
    encoded = by_name["encoded-bits"]
    check_budget(encoded, bits - WINDOW * COLUMNS / 2, ROOM)
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


@theorem_19.controls("polynomial-entries", grade="interval", region="half of the degree")
def test_half_of_the_degree_is_not_enough(statement) -> None:
    half = entries_degree(BUDGET.eta) / 2
    assert statement.at(attrs.evolve(BUDGET, constant=2 * half)) is Truth.TRUE
    assert statement.exhibits(constant=half).at(attrs.evolve(BUDGET, constant=half)) is Truth.FALSE


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
    """Minus the printed first line, the smallest eigenvalues of A'A by mpmath, at 80 digits."""
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
