"""Theorems 13 and 19, Lemmas 11 and 12 and the conjectures of `sliding-window`."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.communication import Protocol, best_success
from dpmatrix.spec.sliding_window.lower_bound_lemmas import BlockPoint, CoefficientPoint, SpanPoint
from dpmatrix.spec.sliding_window.space import KeptSpace, SpacePoint
from dpmatrix.spec.wishart.spectra import diagonal, identity

theorem_13 = cite("sliding-window.theorem-13@faac3400")
lemma_11 = cite("sliding-window.lemma-11@62a033e6")
lemma_12 = cite("sliding-window.lemma-12@0f1b38d9")
theorem_19 = cite("sliding-window.theorem-19@d375d334")
conjecture_1 = cite("sliding-window.conjecture-1@489dafdf")
conjecture_2 = cite("sliding-window.conjecture-2@a48eec16")


def by_hand(p: Protocol):
    """Average success of the best answers, from tuples of bits, and the margin."""
    strings = list(product((0, 1), repeat=p.length))
    wins = 0
    for place in range(p.length):
        views: dict[tuple, list[int]] = {}
        for string, message in zip(strings, p.messages or [None] * len(strings), strict=True):
            views.setdefault((message, string[place + 1 :]), []).append(string[place])
        wins += sum(max(bits.count(0), bits.count(1)) for bits in views.values())
    with mpmath.workdps(60):
        error = 1 - mpmath.mpf(wins) / (p.length * 2**p.length)
        entropy = -sum(q * mpmath.log(q, 2) for q in (error, 1 - error) if q)
        return mpmath.nstr(p.sent - p.length * (1 - entropy), 50)


def protocols():
    """All messages for N <= 2 with b <= 1 and N = 3 with b = 1, some of two bits for N = 3, 4, and Bob's for N <= 5."""
    for length, sent in product(range(1, 6), (0, 1, 9)):
        yield Protocol(length, (), sent, from_alice=False)
    for length, sent in ((1, 0), (1, 1), (2, 0), (2, 1), (3, 1)):
        for messages in product(range(2**sent), repeat=2**length):
            yield Protocol(length, messages, sent)
    source = random.Random(7)
    for length in (3, 4):
        for _ in range(60):
            yield Protocol(length, tuple(source.randrange(4) for _ in range(2**length)), 2)


@theorem_13.supports(
    grade="derived",
    region="every N, message and answers, both directions: chain rule, Fano, concavity; "
    "all protocols, b <= 1, N <= 2 and b = 1, N = 3",
)
def test_information_about_each_bit_has_to_be_sent(statement) -> None:
    """B >= H(M) >= I(x; M) = sum_i I(x_i; M | x_{i+1}, ..., x_N), and each term is 1 - H(x_i | M, x_{i+1}, ..., x_N).

    Whoever guesses x_i from (M, x_{i+1}, ...) with error e_i has H(x_i | ...) <= H(e_i) (Fano for one bit), and sum
    H(e_i) <= N H(1 - s) by concavity of H. Public coins are averaged over. Machine-checked: H'' < 0; Fano's inequality
    is concavity as well, H(x | view) = E H(p_view) <= H(E min(p, 1 - p)); the whole for the protocols listed.
    When Bob sends, his view is the same for both values of x_i, s = 1/2, and the bound is b >= 0: Definition 7.
    """
    p = sympy.symbols("p", positive=True)
    entropy = -(p * sympy.log(p) + (1 - p) * sympy.log(1 - p)) / sympy.log(2)
    assert sympy.simplify(sympy.diff(entropy, p, 2) + 1 / (p * (1 - p) * sympy.log(2))) == 0
    assert 0.0817 < float(1 - entropy.subs(p, sympy.Rational(1, 3))) < 0.0818
    found = list(protocols())
    assert len(found) > 300
    for each in found:
        assert statement.at(each) is not Truth.FALSE
    assert sum(statement.at(each) is Truth.TRUE for each in found) > 300
    bind(statement, ((each, by_hand(each)) for each in found[::5]))
    outside = {
        "length >= 1, an integer": Protocol(0, (0,), 1),
        "sent >= 0, an integer": Protocol(1, (0, 0), -1),
        "2^N messages of b bits if Alice sends, none if Bob does": Protocol(1, (0, 2), 1),
    }
    deaf = Protocol(3, (), 2, from_alice=False)
    assert best_success(deaf) == fmpq(1, 2)
    assert statement.margin(deaf) == 2
    for inside in (Protocol(1, (0, 1), 1), Protocol(2, (0, 0, 0, 0), 0), deaf):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(deaf, messages=(0,) * 8)) is Truth.FALSE
    assert statement.applies(Protocol(1, (0,), 1)) is Truth.FALSE
    assert statement.applies(Protocol(1, (0, -1), 1)) is Truth.FALSE
    assert not statement.strict


@theorem_13.controls(grade="interval", region="longer messages; Alice answers")
def test_longer_messages_are_noticed(statement) -> None:
    everything = Protocol(2, (0, 1, 2, 3), 1)
    assert statement.applies(everything) is Truth.FALSE
    assert statement.without("2^N messages of b bits if Alice sends, none if Bob does").at(everything) is Truth.FALSE
    assert statement.at(attrs.evolve(everything, sent=2)) is Truth.TRUE, "equality: 2 bits for 2 bits"
    # If Alice were to answer, the b bits of an index among 2^b would do: s = 1, and b < N.
    named = Protocol(8, (), 3, from_alice=False)
    assert statement.at(named) is Truth.TRUE
    assert statement.nudged(margin=lambda p: arb(p.sent - p.length)).at(named) is Truth.FALSE


EXACT = SpanPoint(fmpq_mat([[2, 0], [0, 0]]), fmpq_mat([[2, 0], [1, 0]]), fmpq_mat([[1], [0]]), 2, 1)
SPAN_OUTSIDE = {
    "psi >= 1": attrs.evolve(EXACT, psi=Fraction(49, 50), approximation=EXACT.original),
    "gamma >= 2 Psi^2": attrs.evolve(EXACT, gamma=Fraction(99, 50)),
    "|A - B|_F^2 <= Psi": attrs.evolve(EXACT, approximation=fmpq_mat([[2, 0], [fmpq(51, 50), 0]])),
    "leading spans the column space of [A]_1": attrs.evolve(EXACT, leading=fmpq_mat([[1], [fmpq(1, 50)]])),
}


@lemma_11.refutes(
    grade="symbolic",
    region="A = (320000, 0; 10, 0), B = (320000, 0; 0, 0), Psi = 400; A = (2, 0; 0, 0), B = (2, 0; 1, 0), Psi = 1",
)
def test_columns_of_an_approximation_span_another_space(statement) -> None:
    gamma = 2 * 400**2
    inside = SpanPoint(
        fmpq_mat([[gamma, 0], [10, 0]]), fmpq_mat([[gamma, 0], [0, 0]]), fmpq_mat([[gamma], [10]]), gamma, 400
    )
    assert statement.at(inside) is Truth.FALSE, "entries 10^1 of Alice, gamma of Bob: |A - B|^2 = 100"
    assert statement.at(EXACT) is Truth.FALSE
    same = attrs.evolve(EXACT, approximation=fmpq_mat([[fmpq(3, 2), 0], [0, 0]]))
    assert statement.at(same) is Truth.TRUE
    assert statement.margin(EXACT) == -1
    assert statement.margin(same) == 0
    for inside in (EXACT, same, attrs.evolve(EXACT, gamma=3)):
        bind_hypotheses(statement, inside, SPAN_OUTSIDE)
    second = attrs.evolve(EXACT, leading=fmpq_mat([[0], [1]]))
    assert statement.applies(second) is Truth.FALSE, "an eigenvector for a smaller eigenvalue"
    assert not statement.strict


def block(changes, gamma=2, psi=1) -> BlockPoint:
    return BlockPoint(fmpq_mat([[gamma + changes[0], changes[1]], [changes[2], gamma + changes[3]]]), gamma, psi)


BLOCKS = [
    block(tuple(fmpq(each, 3) for each in changes), g, p)
    for changes in product((-1, 0, 1), (-1, 1), (0, 1), (-1, 0))
    for g, p in ((2, 1), (9, 2))
]


@lemma_11.supports_repair(
    grade="derived",
    region="every k and Psi >= 1: Yx = 0 gives gamma |x| = |(Y - gamma I)x| <= sqrt(Psi)|x| < gamma |x| unless x = 0",
)
def test_the_planted_block_keeps_its_rank(statement) -> None:
    psi = sympy.symbols("psi", positive=True)
    assert sympy.factor((2 * psi**2) ** 2 - psi) == psi * sympy.factor(4 * psi**3 - 1), "gamma^2 > Psi for Psi >= 1"
    c, x = sympy.Matrix(2, 2, sympy.symbols("c0:4")), sympy.Matrix(2, 1, sympy.symbols("x0:2"))
    slack = sum(e**2 for e in c) * x.dot(x) - (c * x).dot(c * x)
    squares = (c[0] * x[1] - c[1] * x[0]) ** 2 + (c[2] * x[1] - c[3] * x[0]) ** 2
    assert sympy.expand(slack - squares) == 0, "|Cx| <= |C|_F |x|"
    for p in BLOCKS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.conclusion(p) is Truth.TRUE
    ranks = [BlockPoint(diagonal([a, b, c]), 2, 1) for a, b, c in product((0, 1, 2), repeat=3)]
    bind(statement, ((p, sum(p.block[i, i] != 0 for i in range(3)) - 3) for p in ranks))
    outside = {
        "psi >= 1": BlockPoint(2 * identity(2), 2, Fraction(49, 50)),
        "gamma >= 2 Psi^2": BlockPoint(fmpq(99, 50) * identity(2), Fraction(99, 50), 1),
        "|Y - gamma I|_F^2 <= Psi": block((fmpq(51, 50), 0, 0, 0)),
    }
    for inside in (block((1, 0, 0, 0)), block((0, 0, -1, 0)), block((fmpq(1, 2),) * 4), block((1, 1, 0, 0), 8, 2)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_11.controls("+repair", grade="symbolic", region="an error larger than gamma^2")
def test_a_large_error_loses_the_rank(statement) -> None:
    lost = block((-2, 0, 0, 0))
    assert statement.applies(lost) is Truth.FALSE
    assert statement.without("|Y - gamma I|_F^2 <= Psi").at(lost) is Truth.FALSE
    small = BlockPoint(diagonal([0, 1]), 1, 1)
    assert statement.without("gamma >= 2 Psi^2").at(small) is Truth.FALSE


def coefficients(first, second=0, in_block=0, psi=2, gamma=8, shift=0) -> CoefficientPoint:
    return CoefficientPoint(
        (rational(gamma) + shift) * identity(2), fmpq_mat([[fmpq(first)], [fmpq(second)]]), in_block, gamma, psi
    )


OWN = coefficients(1, 0, 1)
COEFFICIENTS_OUTSIDE = {
    "psi >= 1": coefficients(0, 0, 0, Fraction(49, 50)),
    "gamma >= 2 Psi^2": coefficients(0, 0, 0, 2, Fraction(399, 50)),
    "the squared error is at most Psi": coefficients(0, 0, 0, shift=fmpq(51, 50)),
    "a column of C is itself": coefficients(1, fmpq(1, 50), 1),
}
POINTS = [
    coefficients(fmpq(i, 10), fmpq(j, 7), 0, psi, 50)
    for i, j, psi in product((-2, 0, 1, 3), (-1, 0, 2), (1, 2, Fraction(7, 2)))
]


def check_coefficients(statement, outside, insides) -> None:
    values = []
    for p in POINTS:
        largest = max(Fraction(int(e.p), int(e.q)) ** 2 for e in p.coefficients.entries())
        values.append((p, 4 / Fraction(p.psi) ** 3 - largest))
    bind(statement, values)
    for inside in insides:
        bind_hypotheses(statement, inside, COEFFICIENTS_OUTSIDE | outside)
    assert statement.applies(coefficients(0, 1, 1)) is Truth.FALSE
    assert not statement.strict


@lemma_12.refutes(grade="symbolic", region="Psi = 2, gamma = 8: a column of the block")
def test_a_column_of_the_block_has_a_coefficient_one(statement) -> None:
    assert statement.at(OWN) is Truth.FALSE
    assert statement.at(coefficients(0, 1, 2)) is Truth.FALSE
    outside = {"in_block >= 1": coefficients(0, 0, 0)}
    check_coefficients(statement, outside, (OWN, coefficients(0, 1, 2), coefficients(1, 0, 1, shift=1)))


@lemma_12.supports_repair(
    grade="derived",
    region="every k and Psi >= 1: |Y eta| <= sqrt(Psi), |Y eta| >= (gamma - sqrt(Psi))|eta| >= Psi^2|eta|",
)
def test_coefficients_outside_the_block_are_small(statement) -> None:
    """eta_j^2 <= |eta|^2 <= Psi/(gamma - sqrt(Psi))^2 <= Psi/Psi^4, a quarter of what is printed."""
    root = sympy.symbols("root", positive=True)
    assert sympy.factor((2 * root**4 - root) - root**4) == sympy.factor(root * (root**3 - 1)), "root = sqrt(Psi) >= 1"
    assert sympy.simplify(root**2 / (root**4) ** 2 - 1 / (root**2) ** 3) == 0
    edge = coefficients(fmpq(1, 6), 0, 0, 2, 8)
    for p in (edge, coefficients(0, 0), coefficients(fmpq(1, 10), fmpq(1, 10)), coefficients(fmpq(-1, 3), 0, 0, 1, 2)):
        assert statement.at(p) is Truth.TRUE
    outside = {"in_block <= 0": OWN}
    check_coefficients(statement, outside, (edge, coefficients(0, 0, shift=1), coefficients(fmpq(1, 2), 0, 0, 1, 2)))
    assert statement.applies(coefficients(fmpq(51, 100), 0, 0, 1, 2)) is Truth.FALSE


@lemma_12.controls("+repair", grade="symbolic", region="an error of the column beyond Psi")
def test_a_large_column_is_noticed(statement) -> None:
    large = coefficients(1, 0)
    assert statement.applies(large) is Truth.FALSE
    assert statement.without("the squared error is at most Psi").at(large) is Truth.FALSE
    attained = coefficients(fmpq(1, 2), 0, 0, 1, 2)
    assert statement.at(attained) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 4).at(attained) is Truth.FALSE


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
    "constant > 0": attrs.evolve(SPACES[0], constant=0),
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


@theorem_19.refutes(
    grade="derived",
    region="W = 1000, d = 100, k = 5, 64 bits: c = 1, 10^-3, 10^-9, every c by eta = c k log2(W)/(2 d b), rounded",
)
def test_storing_the_window_is_cheaper_than_the_bound(statement) -> None:
    for constant in (Fraction(1), Fraction(1, 10**3), Fraction(1, 10**9)):
        eta = constant * 5 * 9 / (2 * 100 * 64)
        assert statement.at(SpacePoint(1000, 100, 5, 64, eta, constant)) is Truth.FALSE
        assert statement.at(SpacePoint(1000, 100, 5, 64, 4 * eta, constant)) is Truth.TRUE
    check_space(statement, lambda p, log, c, e: c * p.window * p.rank * log / e)


@conjecture_1.refutes(
    "every-eta", grade="derived", region="W = 1000, d = 100, 64 bits: c = 1, 10^-9, every c by small eta"
)
def test_the_first_conjecture_needs_a_regime(statement) -> None:
    for constant in (Fraction(1), Fraction(1, 10**9)):
        eta = constant * 100 * 9 / (2 * 1000 * 64)
        assert statement.at(SpacePoint(1000, 100, 1, 64, eta, constant)) is Truth.FALSE
    check_space(statement, lambda p, log, c, e: c * p.columns**2 * log / e)


@conjecture_2.refutes(
    "every-eta", grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: c = 1, 10^-8, every c by small eta"
)
def test_the_second_conjecture_needs_a_regime(statement) -> None:
    for constant, eta in ((Fraction(1), Fraction(1, 50)), (Fraction(1, 10**8), Fraction(1, 500000))):
        assert statement.at(SpacePoint(1000, 100, 5, 64, eta, constant)) is Truth.FALSE
    check_space(statement, lambda p, log, c, e: c * p.columns * p.rank * log / e**2)
    assert statement.nudged(lambda margin: margin + arb(10) ** 9).at(SPACES[0]) is Truth.TRUE


@conjecture_1.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_first_conjecture(statement) -> None:
    """Without its regime the window itself, exact storage that is no private algorithm's output, would refute it."""
    check_regime(statement, "W d b >= c d^2 log2(W)/eta", lambda p, log, c, e: c * p.columns**2 * log / e)


@conjecture_2.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_second_conjecture(statement) -> None:
    check_regime(statement, "W d b >= c d k log2(W)/eta^2", lambda p, log, c, e: c * p.columns * p.rank * log / e**2)


def check_regime(statement, says, claimed) -> None:
    window_bits = 1000 * 100 * 64
    fine = KeptSpace(1000, 100, 1, 64, Fraction(1, 10**6), 1, window_bits)
    wide = attrs.evolve(fine, eta=Fraction(1, 10))
    assert statement.applies(fine) is Truth.FALSE
    assert statement.without(says).at(fine) is Truth.FALSE
    assert statement.applies(wide) is Truth.TRUE
    assert statement.at(wide) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - window_bits).at(wide) is Truth.FALSE
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
    bind_hypotheses(statement, wide, outside)
