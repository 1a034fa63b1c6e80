"""Lemma 2 and Corollary 1 of `sliding-window`: the lines of their proofs, (6) to (14) and the substitution."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window import sketch_bounds as module
from dpmatrix.spec.sliding_window.sketch_bounds import ScaleParameters, SketchDirection
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream
from dpmatrix.tracing import bind_expression

lemma_2 = cite("sliding-window.lemma-2@ef53d955")
corollary_1 = cite("sliding-window.corollary-1@5fc59cfb")

HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)

k1, k2, n1, n2, w, s2, eta = sympy.symbols("k1 k2 n1 n2 w s2 eta")
FIELDS = {"first": k1, "second": k2, "noisy_first": n1, "noisy_second": n2, "window": w, "ridge": s2}
SOUND = SketchDirection(5, 4, 8, 7, 5, HALF, 3)
EVENT = {
    "(7) u'K(2)u <= |A_W u|^2 <= u'K(1)u": attrs.evolve(SOUND, window=6),
    "(8) (1 - eta) u'K^(1)u <= u'K^(2)u": attrs.evolve(SOUND, second=0, noisy_second=3),
    "(9) K~(1), K~(2) within 1 +- eta/4 of K^(1), K^(2)": attrs.evolve(SOUND, noisy_first=10),
    "eta >= 0": attrs.evolve(SOUND, eta=-1),
    "eta < 1": attrs.evolve(SOUND, eta=1),
}
SEVEN, EIGHT, NINE, *RANGE = EVENT
NEEDED = {
    10: (NINE,),
    11: (SEVEN, NINE, *RANGE),
    12: (NINE,),
    13: (EIGHT, NINE, *RANGE),
    14: (SEVEN, EIGHT, NINE, *RANGE),
}
STILL = SketchDirection(1, 1, 1, 1, 1, 0, 0)
NEAR = Fraction(1, 64)
NINE_EDGES = {"noisy_first": (7, 9), "noisy_second": (Fraction(49, 8), Fraction(63, 8))}
"""SOUND has 8 and 7 with the ridge: 7/8 and 9/8 of both."""
EIGHT_EDGE = attrs.evolve(SOUND, second=1, noisy_second=4)
"""With the ridge 8 and 4: half of it."""
FORMULAS = {
    10: n1 - (1 - eta / 4) * (k1 + s2),
    11: n1 - (1 - eta / 4) * (w + s2),
    12: (1 + eta / 4) * (k1 + s2) - n1,
    13: (1 + eta / 4) / (1 - eta) * (k2 + s2) - n1,
    14: (1 + eta / 4) / (1 - eta) * (w + s2) - n1,
}


@lemma_2.supports("equation-10", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-11", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-12", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-13", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-14", grade="derived", region="any one direction: an identity, coefficients >= 0")
def test_the_chain_of_lemma_2(statements) -> None:
    """X <= Y means u'Xu <= u'Yu for every unit u, and each line is a sum of hypotheses with coefficients >= 0."""
    low, high = n1 - (1 - eta / 4) * (k1 + s2), (1 + eta / 4) * (k1 + s2) - n1
    old, new, update = k1 - w, w - k2, (k2 + s2) - (1 - eta) * (k1 + s2)
    factor = (1 + eta / 4) / (1 - eta)
    certificates = {
        10: low,
        11: low + (1 - eta / 4) * old,
        12: high,
        13: high + factor * update,
        14: high + factor * update + factor * new,
    }
    for line, formula in FORMULAS.items():
        assert sympy.simplify(formula - certificates[line]) == 0
    chosen = {f"sliding-window.lemma-2/equation-{line}": formula for line, formula in FORMULAS.items()}
    for line, (name, formula) in zip(FORMULAS, chosen.items(), strict=True):
        statement = statements[name]
        bind_expression(statement, formula, fields=FIELDS, points=[SOUND])
        assert statement.at(SOUND) is Truth.TRUE
        assert statement.at(STILL) is Truth.TRUE, "equality is attained"
        assert not statement.strict
        for inside in (SOUND, STILL):
            bind_hypotheses(statement, inside, {says: EVENT[says] for says in NEEDED[line]})
        for beyond in (
            attrs.evolve(SOUND, noisy_first=6),
            attrs.evolve(SOUND, noisy_second=9),
            attrs.evolve(SOUND, noisy_second=5),
        ):
            assert statement.applies(beyond) is Truth.FALSE
        for name, (least, most) in NINE_EDGES.items():
            for value, answer in ((least, Truth.TRUE), (most, Truth.TRUE), (least - NEAR, Truth.FALSE)):
                assert statement.applies(attrs.evolve(SOUND, **{name: value})) is answer
            assert statement.applies(attrs.evolve(SOUND, **{name: most + NEAR})) is Truth.FALSE
        if EIGHT in NEEDED[line]:
            assert statement.applies(EIGHT_EDGE) is Truth.TRUE
            assert statement.applies(attrs.evolve(EIGHT_EDGE, second=1 - NEAR)) is Truth.FALSE
    for line in (11, 14):
        assert (
            statements[f"sliding-window.lemma-2/equation-{line}"].applies(attrs.evolve(SOUND, window=3)) is Truth.FALSE
        )


@corollary_1.supports("factor", grade="derived", region="0 < eta <= 3/8: two factors that are not negative")
def test_the_factor_of_the_corollary(statement) -> None:
    """1 + 2 eta - (1+eta/4)/(1-eta) = 2 eta (3/8 - eta)/(1-eta)."""
    gap = 1 + 2 * eta - (1 + eta / 4) / (1 - eta)
    assert sympy.simplify(gap - 2 * eta * (sympy.Rational(3, 8) - eta) / (1 - eta)) == 0
    bind_expression(statement, gap)
    assert not statement.strict
    bind_hypotheses(
        statement,
        ScaleParameters(1, Fraction(3, 8), 1, TENTH),
        {"eta > 0": ScaleParameters(1, 0, 1, TENTH), "eta <= 3/8": ScaleParameters(1, Fraction(2, 5), 1, TENTH)},
    )
    assert statement.at(ScaleParameters(1, Fraction(1, 8), 1, TENTH)) is Truth.TRUE


SCALE = ScaleParameters(1, HALF, 1, TENTH)
SCALES = {
    "rank >= 1, an integer": attrs.evolve(SCALE, rank=0),
    "eta > 0": attrs.evolve(SCALE, eta=0),
    "eta < 1": attrs.evolve(SCALE, eta=1),
    "epsilon > 0": attrs.evolve(SCALE, epsilon=0),
    "delta > 0": attrs.evolve(SCALE, delta=0),
    "delta < 1": attrs.evolve(SCALE, delta=1),
}


@lemma_2.refutes("equation-9", grade="interval", region="d = 1, r = 1, eta = 1/2, 1/10")
@lemma_2.refutes("substitution", grade="derived", region="every parameter and c")
def test_two_steps_fail(statements) -> None:
    """The two requirements on c add up to sigma^2 (1 - (1+eta/4)/(1-eta)) >= 0, which is false for eta > 0."""
    gap = sympy.simplify(1 - (1 + eta / 4) / (1 - eta) + sympy.Rational(5, 4) * eta / (1 - eta))
    assert gap == 0
    sketch, one = (statements[f"sliding-window.lemma-2/{name}"] for name in ("equation-9", "substitution"))
    for e, most in ((HALF, 0.2), (Fraction(1, 10), 0.1)):
        point = attrs.evolve(SCALE, eta=e)
        assert sketch.at(point) is Truth.FALSE
        assert sketch.margin(point) < most - 0.9
    shown = attrs.evolve(SCALE, eta=HALF)
    lemma_2.tells("the event (9) has probability {} at r = 1, eta = 1/2", sketch.law.quantity(shown))
    one.refute(lambda constant: attrs.evolve(SCALE, constant=constant))
    forty, ten = arb(40).log(), arb(10).log()
    missed = ten**2 - arb(9) / 4 * (16 * forty.sqrt() + forty) ** 2
    assert abs(one.margin(SCALE) - missed) < arb(10) ** -9, "c = 1 is too small for (14)"
    rank, epsilon, delta, constant = sympy.symbols("rank epsilon delta constant")
    rows = 4 * rank / eta
    low, high = (rows * (1 + sign * eta / 4) / 2 for sign in (-1, 1))
    inside = (sympy.lowergamma(rows / 2, high) - sympy.lowergamma(rows / 2, low)) / sympy.gamma(rows / 2)
    bind_expression(sketch, inside - sympy.Rational(9, 10))
    log = sympy.log(4 / delta)
    ridge = ((16 * sympy.sqrt(rank * log) + log) / epsilon) ** 2
    extra = constant * rank * sympy.log(delta) ** 2 / epsilon**2
    bind_expression(one, sympy.Min(ridge - extra, extra - (1 + eta / 4) / (1 - eta) * ridge))
    bind_hypotheses(sketch, SCALE, SCALES)
    bind_hypotheses(one, SCALE, SCALES | {"constant > 0": attrs.evolve(SCALE, constant=0)})
    for statement in statements.values():
        assert not statement.strict


SHORT, SHORTER = fmpq(1, 2), fmpq(1, 3)
LEFT = SketchedStream(fmpq_mat([[7], [0], [0]]), fmpq_mat([[1]]), fmpq_mat([[1], [1], [1]]), 1, 2)
SPARED = "Update-Approx spares the first and the newest, as printed"
RUN = {
    "window >= 1, an integer": attrs.evolve(LEFT, window=0),
    "Phi is m x d and every g has length m": attrs.evolve(LEFT, coins=fmpq_mat([[1]])),
    SPARED: attrs.evolve(LEFT, rows=fmpq_mat([[1], [1]]), coins=fmpq_mat([[1], [1]]), deleted=((2, 1),)),
}


def streams():
    for total, window in product(range(1, 7), range(1, 6)):
        rows = fmpq_mat(total, 2, [fmpq((3 * i * i + 1) % 11 - 4, 2) for i in range(2 * total)])
        base, coins = fmpq_mat([[1, 2]]), fmpq_mat(total, 1, [1] * total)
        for deleted in ((), ((3, 2),), ((4, 3),), ((4, 2), (5, 4))):
            if all(t <= total and s > t - window + 1 for t, s in deleted):
                yield SketchedStream(rows, base, coins, fmpq(3, 2), window, deleted)


@lemma_2.supports("equation-6", grade="derived", region="every A: product of blocks")
@lemma_2.supports("equation-7", grade="derived", region="every stream: stamps below")
@lemma_2.refutes("equation-8", grade="symbolic", region="rows 7, 0, 0, W = 2, sigma = 1")
def test_equations_6_to_8(statements) -> None:
    """(7): one stamp is born at a time, and the printed expiry makes t_2 the first as soon as it is before t - W + 1.

    So t_1 <= max(1, t - W + 1) <= t_2, with equality allowed, and sums over nested stretches of rows are ordered.
    """
    ridge, order, near = (statements[f"sliding-window.lemma-2/equation-{line}"] for line in (6, 7, 8))
    for run in streams():
        assert ridge.at(run) is Truth.TRUE
        assert ridge.margin(run) == 0
        if run.window > 1:
            assert order.at(run) is Truth.TRUE
    assert near.at(LEFT) is Truth.FALSE
    assert near.margin(LEFT) == -48, "1 - (49 + 1)/2, doubled"
    assert near.margin(attrs.evolve(LEFT, rows=fmpq_mat([[7], [2], [0]]))) == -44, "5 - (53 + 1)/2, doubled"
    assert near.at(attrs.evolve(LEFT, rows=fmpq_mat([[1], [0], [0]]))) is Truth.TRUE, "1 = (1 + 1)/2"
    later = SketchedStream(fmpq_mat([[3], [7], [1], [2]]), fmpq_mat([[1]]), fmpq_mat(4, 1, [1] * 4), 2, 2)
    assert near.margin(later) == -40, "rows 2 to 4 and 3 to 4: 2 (5 + 4) - (54 + 4)"
    alone = SketchedStream(fmpq_mat([[1]]), fmpq_mat([[1]]), fmpq_mat([[1]]), fmpq(1, 2), 2)
    assert near.at(alone) is Truth.TRUE, "one stamp is the first and the last"
    for first, second in ((SHORT, SHORTER), (SHORTER, SHORT)):
        spared = attrs.evolve(LEFT, rows=fmpq_mat([[first], [second], [1]]), deleted=((3, 2),))
        assert order.margin(spared).overlaps(arb(1) / 9), "K(1) has the first row too, and K(2) lacks the second"
    doubled = redefined(ridge, module, "identity", lambda width: 2 * identity(width))
    assert doubled.at(LEFT) is Truth.FALSE
    for run in streams():
        assert doubled.margin(run) == -9, "4 sigma^2 for 2 sigma^2, twice, at sigma = 3/2"
    bind_hypotheses(ridge, LEFT, {})
    for statement in statements.values():
        assert not statement.strict
    for statement in (order, near):
        bind_hypotheses(statement, LEFT, RUN)
        assert statement.applies(attrs.evolve(LEFT, deleted=((2, 2),))) is Truth.FALSE, "the newest"
    assert order.without(SPARED).at(RUN[SPARED]) is Truth.FALSE, "the first, which held both rows"
