"""Theorem 19 of `sliding-window`: the entries of an approximation, and how the bit is read."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.lower_bound_entries import Block, Entry, Roots, Success
from dpmatrix.tracing import bind_expression
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@9132f892")

ROOT, RANK, DIAGONAL, ENTRY, COEFFICIENT, SCALE = sympy.symbols("root rank diagonal entry coefficient scale")
BLOCK = Block(3, 2, 162, 5, Fraction(1, 400), 3)
BLOCKS = [
    Block(root, k, diagonal, entry, coefficient, scale)
    for root, k, (diagonal, entry, coefficient, scale) in product(
        (2, Fraction(5, 2), 7),
        (1, 2),
        ((0, 3, 0, 2), (33, -5, Fraction(1, 9), 10), (80, 12, Fraction(1, 4), 100), (500, 0, 1, Fraction(1, 3))),
    )
]
SMALLEST = Block(Fraction(3, 2), 1, Fraction(81, 8), 1, 0, 1)  # Psi = 9/4
ATTAINED = Block(10, 3, 0, 0, Fraction(2, 10**3), 10)
"""10^theta = sqrt(Psi) and coefficients 2/Psi^(3/2): the combination is 4k/Psi."""
BLOCK_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(BLOCK, rank=0),
    "Psi >= 2k": attrs.evolve(BLOCK, rank=5),
    "root >= 1": attrs.evolve(BLOCK, root=Fraction(-49, 50), rank=0),
}


@theorem_19.supports("diagonal", grade="derived", region="every Psi >= 1: 2 Psi^2 - sqrt(Psi) >= Psi^2")
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

    formulas = {
        "diagonal": DIAGONAL - ROOT**4,
        "contradiction": (ROOT**3 / RANK - 1) * ROOT**4 - ROOT,
        "quarter": (ROOT**4 - RANK * ROOT) ** 2 - ROOT**8 / 4,
        "combination": RANK * (4 / ROOT**2 - COEFFICIENT * (ROOT + SCALE)),
        "entries-at-least": sympy.Abs(ENTRY) - ROOT,
    }
    more = {
        "diagonal": {"|Y_jj - gamma| <= sqrt(Psi)": attrs.evolve(BLOCK, diagonal=Fraction(3306, 20))},
        "combination": {
            "scale > 0": attrs.evolve(BLOCK, scale=0),
            "10^theta <= sqrt(Psi)": attrs.evolve(ATTAINED, scale=30),
            "coefficient >= 0": attrs.evolve(BLOCK, coefficient=Fraction(-1, 50)),
            "eta_ij^2 <= 4/Psi^3": attrs.evolve(BLOCK, coefficient=Fraction(2, 26)),
        },
        "entries-at-least": {
            "scale > 0": attrs.evolve(BLOCK, scale=0, entry=1),
            "|V~ - M|^2 <= Psi": attrs.evolve(BLOCK, entry=Fraction(301, 50)),
        },
    }
    for name, statement in by_name.items():
        bind_expression(statement, formulas[name], points=[SMALLEST])
        assert statement.strict is (name == "contradiction")
        insides = [SMALLEST, attrs.evolve(SMALLEST, root=Fraction(10, 7), diagonal=Fraction(8, 1), coefficient=0)]
        insides += [attrs.evolve(SMALLEST, diagonal=2 * Fraction(81, 16) + sign * Fraction(3, 2)) for sign in (1, -1)]
        insides.append(Block(2, 2, 32, 1, 0, 1))  # Psi = 2k
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
    below = attrs.evolve(BLOCK, entry=Fraction(-1, 50))  # further than sqrt(Psi) = 3 from 3
    assert by_name["entries-at-least"].applies(below) is Truth.FALSE
    assert by_name["entries-at-least"].applies(attrs.evolve(BLOCK, entry=6)) is Truth.TRUE, "just as far"
    lost = Block(11, 1, 0, 0, 0, 10)
    assert by_name["entries-at-least"].at(lost) is Truth.FALSE
    assert by_name["entries-at-least"].at(attrs.evolve(lost, entry=-11, root=30)) is Truth.FALSE
    assert by_name["entries-at-least"].at(attrs.evolve(lost, entry=12)) is Truth.TRUE
    assert sympy.expand(k * (2 / s**3) * (s + s) - 4 * k / s**2) == 0
    assert by_name["combination"].at(ATTAINED) is Truth.TRUE
    assert by_name["combination"].margin(ATTAINED) == 0
    assert by_name["combination"].applies(attrs.evolve(BLOCK, scale=Fraction(153, 50))) is Truth.FALSE


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
    grade="derived",
    region="every eta < 1 and tau >= 16: the difference is tau (s (s - 2(1 + eta)) + 1 - eta^2), s = sqrt(tau)",
)
@theorem_19.supports(
    "columns-outside", grade="derived", region="every m >= 10, x >= 0: the difference is x (m^2 - 2m + x)"
)
@theorem_19.supports("two-thirds", grade="derived", region="all probabilities: 1 - 1/6 - 109/990 > 2/3")
def test_three_last_inequalities(statements) -> None:
    by_name = by_step(statements)
    square, outside, success = (by_name[name] for name in ("square-of-a-sum", "columns-outside", "two-thirds"))
    s, eta = sympy.symbols("s eta", positive=True)
    slack = 2 * (1 + eta) * s**2 + 2 * s**4 - ((1 + eta) * s + s**2) ** 2
    assert sympy.expand(slack - s**2 * (s * (s - 2 * (1 + eta)) + 1 - eta**2)) == 0
    bind_expression(square, slack.xreplace({s: ROOT}))
    least = max(sympy.solve((slack / s**3).expand().subs(eta, 1), s))
    theorem_19.tells("For tau >= {}, and in the proof", least**2)
    small = {s: sympy.Rational(11, 10), eta: sympy.Rational(1, 10)}
    sides = [side.xreplace(small) for side in (((1 + eta) * s + s**2) ** 2, 2 * (1 + eta) * s**2 + 2 * s**4)]
    theorem_19.tells("tau = 121/100 it is {} against {}", *sides)
    for inside in (Roots(4, Fraction(49, 50)), Roots(50, Fraction(1, 2)), Roots(5, Fraction(1, 50))):
        assert square.at(inside) is Truth.TRUE
        bind_hypotheses(
            square,
            inside,
            {"root >= 4": Roots(Fraction(199, 50), Fraction(1, 2)), "eta > 0": Roots(4, 0), "eta < 1": Roots(4, 1)},
        )
    m, x = sympy.symbols("m x")
    assert sympy.expand((m - x) ** 2 - m**2 * (1 - x) - x * (m * (m - 2) + x)) == 0
    entries = [Entry(size, Fraction(shift, 3)) for size, shift in product((10, 100, 1000), range(9))]
    bind_expression(outside, x * (m * (m - 2) + x), fields={"size": m, "shift": x})
    assert all(outside.at(p) is Truth.TRUE for p in entries)
    for inside in (Entry(10, 0), Entry(10, 5)):
        bind_hypotheses(
            outside, inside, {"size >= 10": Entry(Fraction(49, 5), 0), "shift >= 0": Entry(10, Fraction(-1, 50))}
        )
    worst = Success(Fraction(166, 1000), Fraction(110, 1000))
    assert success.at(worst) is Truth.TRUE
    assert success.nudged(lambda margin: margin - (arb(1) / 5 - arb(109) / 990)).at(worst) is Truth.FALSE
    failed, wrong = sympy.symbols("failure wrong")
    bind_expression(success, sympy.Rational(1, 3) - failed - wrong)
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
    assert statement.margin(Roots(isqrt(16), 1)) == 0
    beyond = Roots(4, 2)
    assert statement.without("eta < 1").at(beyond) is Truth.FALSE
