"""Corollary 2 of `sliding-window`: the answer is a root, no private algorithm meets the bound, and one repair does."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import cuts
from dpmatrix.spec.sliding_window.cuts import (
    CutQuery,
    cut_weight,
    quadratic_form,
)
from dpmatrix.spec.sliding_window.neighbouring_cuts import NeighbouringCuts, additive_error
from dpmatrix.spec.sliding_window.private_cuts import PrivateCuts
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.guarantees import CHANGES, DELTA, EPSILON, FAR_CONFUSION, check_far_delta, far_delta
from proofs_checks.sliding_window.one_row_outputs import whole_above

corollary_2 = cite("sliding-window.corollary-2@0509a180")

PARALLEL = CutQuery(2, ((1, 2, 10**6),), (1,), 0, 16, Fraction(1, 4), 1, 1)
CUTS = {
    "edges join vertices, S is a set of them": attrs.evolve(PARALLEL, edges=((1, 1, 3),)),
    "degrees >= 2, an integer": attrs.evolve(PARALLEL, degrees=1),
    "eta >= 0": attrs.evolve(PARALLEL, eta=Fraction(-1, 20)),
    "eta < 1": attrs.evolve(PARALLEL, eta=1),
    "epsilon > 0": attrs.evolve(PARALLEL, epsilon=0),
    "constant > 0": attrs.evolve(PARALLEL, constant=0),
    "e_S'C e_S obeys Theorem 15 with the same c": attrs.evolve(PARALLEL, noise=10**6),
}


def queries():
    graph = ((1, 2, 3), (2, 3, 5), (1, 4, 7), (3, 4, 2))
    for subset, noise, degrees, eta, epsilon in product(
        ((1,), (2, 4), (1, 2, 3)), (0, Fraction(5, 2), 10**5), (3, 20), (Fraction(1, 4), 0), (1, Fraction(3, 2))
    ):
        yield CutQuery(4, graph, subset, noise, degrees, eta, epsilon, 2)


def formulas(p: CutQuery):
    weight = sum(count for u, v, count in p.edges if len({u, v} & set(p.subset)) == 1)
    size, noise, eta = sympy.Integer(p.degrees), sympy.Rational(p.noise), sympy.Rational(p.eta)
    root = sympy.sqrt(weight + noise)
    extra = 2 * len(p.subset) * sympy.sqrt(size * sympy.log(size)) / sympy.Rational(p.epsilon)
    return sympy.Min(root - weight + extra, weight / (1 - eta) + extra - root)


def check(statement) -> None:
    bind(statement, ((p, formulas(p).evalf(50)) for p in queries()))
    assert not statement.strict
    for inside in (PARALLEL, attrs.evolve(PARALLEL, eta=0, degrees=2)):
        bind_hypotheses(statement, inside, CUTS)
    for wrong in (
        attrs.evolve(PARALLEL, subset=()),
        attrs.evolve(PARALLEL, subset=(1, 1)),
        attrs.evolve(PARALLEL, subset=(3,)),
        attrs.evolve(PARALLEL, edges=((1, 2, 0),)),
        attrs.evolve(PARALLEL, edges=((0, 2, 1),)),
        attrs.evolve(PARALLEL, noise=-45),  # 16 log 16 = 44.4
        attrs.evolve(PARALLEL, noise=333_378),
    ):
        assert statement.applies(wrong) is Truth.FALSE
    for right in ({"noise": -44}, {"noise": 333_377}, {"edges": ((1, 2, Fraction(1, 20)),)}):
        assert statement.applies(attrs.evolve(PARALLEL, **right)) is Truth.TRUE


@corollary_2.refutes("root", grade="derived", region="k^2 parallel edges, no noise: every c by growing k")
def test_the_root_of_a_cut_is_no_cut(statement) -> None:
    assert statement.at(PARALLEL) is Truth.FALSE
    for constant in (100, 10**6):
        many = attrs.evolve(PARALLEL, edges=((1, 2, 100 * constant**2),), constant=constant)
        assert statement.at(many) is Truth.FALSE
    assert statement.at(attrs.evolve(PARALLEL, edges=((1, 2, 4),))) is Truth.TRUE
    (parallel,) = (p for p in (PARALLEL,) if statement.conclusion(p) is Truth.FALSE)
    weight = cut_weight(parallel)
    corollary_2.tells("its root, {} for {} parallel edges", sympy.sqrt(int(weight)), weight)
    check(statement)


@corollary_2.supports(
    "cut", grade="derived", region="every graph and S: the identity for one edge; checked for all graphs on 4 vertices"
)
def test_the_form_of_a_cut_is_its_weight(statement) -> None:
    """(e_u - e_v)'e_S is 1, -1 or 0 as u alone, v alone, or both or neither lie in S, and forms of edges add up."""
    pairs = [(u, v) for u in range(1, 5) for v in range(u + 1, 5)]
    for chosen in product((0, 1), repeat=len(pairs)):
        edges = tuple(
            (u, v, Fraction(2**k, 3)) for k, ((u, v), used) in enumerate(zip(pairs, chosen, strict=True)) if used
        )
        for bits in range(1, 16):
            subset = tuple(vertex for vertex in range(1, 5) if bits >> (vertex - 1) & 1)
            query = CutQuery(4, edges, subset, 0, 16, 0, 1, 1)
            crossing = sum(2**k for k, (u, v) in enumerate(pairs) if chosen[k] and len({u, v} & set(subset)) == 1)
            assert quadratic_form(query) == cut_weight(query) == fmpq(crossing, 3)
            assert statement.conclusion(query) is Truth.TRUE
    assert statement.at(PARALLEL) is Truth.TRUE
    assert statement.margin(PARALLEL) == 0
    assert not statement.strict
    says = "edges join vertices, S is a set of them"
    bind_hypotheses(statement, PARALLEL, {says: CUTS[says]})


@corollary_2.controls("cut", grade="symbolic", region="an edge that is counted twice")
def test_a_form_without_the_sign_is_noticed(statement) -> None:
    assert statement.at(PARALLEL) is Truth.TRUE
    without_sign = redefined(statement, cuts, "quadratic_form", lambda p: 2 * cut_weight(p))
    assert without_sign.at(PARALLEL) is Truth.FALSE


HALF = Fraction(1, 2)
MILLIONTH = Fraction(1, 10**6)


CUT = NeighbouringCuts(2, Fraction(1, 10), 1, MILLIONTH, 1, Fraction(126, 5), Fraction(7, 10), 4)
NEIGHBOURS = NeighbouringCuts(2, Fraction(1, 10), 1, MILLIONTH, 1, 0, Fraction(7, 10))
"""One change, as no number of changes is given."""
CUT_OUTSIDE = {
    "vertices >= 2, an integer": attrs.evolve(CUT, vertices=1),
    "eta > 0": attrs.evolve(CUT, eta=0),
    "eta < 1": attrs.evolve(CUT, eta=1),
    "epsilon > 0": attrs.evolve(CUT, epsilon=0),
    "delta > 0": attrs.evolve(CUT, delta=0),
    "delta < 1": attrs.evolve(CUT, delta=1),
    "length >= 0": attrs.evolve(CUT, length=-1),
    "change >= 0": attrs.evolve(CUT, change=Fraction(-1, 10)),
    "y sqrt(2) <= 1": attrs.evolve(CUT, change=Fraction(71, 100)),
    "changes >= 1, an integer": attrs.evolve(CUT, changes=0),
    "failure >= 0": attrs.evolve(CUT, failure=-1),
}


def farthest(p: NeighbouringCuts) -> NeighbouringCuts:
    """Take x = g y (1 - eta)/eta."""
    return attrs.evolve(p, length=p.changes * Fraction(p.change) * (1 - Fraction(p.eta)) / Fraction(p.eta))


@corollary_2.refutes(
    grade="derived",
    region="n = 2, eps = 1: every algorithm, eta and c, by g changes of an edge and delta = 8^-(g/2 + 1)",
)
def test_no_private_algorithm_answers_cuts_so_well(statement) -> None:
    """(x + gy)^2 - x^2/(1-eta) is (gy)^2/eta at x = g y (1-eta)/eta, and nowhere more; above 2E no answer is right.

    Every c and eta, with n = 2, eps = 1, y = 7/10 and g even: delta = 2^-(3g/2 + 3) is below e^-g/8, so that what the
    guarantee for groups allows is below 1/13. tau = 2 + 14 log(2) (5 + 3g/2) < 40 g, and log tau < 4 + log g < 3g, so
    that E < sqrt(120) c g < 11 c g, and g = 2 K with K >= 23 eta c has 49/100 g > 22 c eta.
    """
    x, step, e = sympy.symbols("x step eta", positive=True)
    apart = (x + step) ** 2 - x**2 / (1 - e)
    assert sympy.simplify(step**2 / e - apart - e / (1 - e) * (x - step * (1 - e) / e) ** 2) == 0
    check_far_delta(2)
    assert sympy.log(40) < 4
    assert 4 + sympy.log(2) < 6, "4 + log g < 3g at g = 2"
    assert Fraction(46 * 49, 100) > 22

    def far(bend, constant):
        changes = 2 * whole_above(23 * rational(bend) * rational(constant))
        point = attrs.evolve(CUT, eta=bend, constant=constant, delta=far_delta(changes), changes=changes)
        return farthest(point)

    for bend in (Fraction(1, 10**4), Fraction(1, 20), HALF, Fraction(99, 100)):
        statement.refute(lambda constant, bend=bend: far(bend, constant))
    assert statement.at(CUT) is Truth.FALSE
    assert farthest(CUT) == CUT
    rare = attrs.evolve(CUT, failure=Fraction(1, 60))
    assert statement.at(rare) is Truth.FALSE
    corollary_2.tells("with g = {}, even if one answer in {} fails", rare.changes, 1 / rare.failure)
    assert statement.at(attrs.evolve(CUT, failure=Fraction(1, 50))) is Truth.TRUE, "so rare an error may be private"
    assert statement.at(farthest(attrs.evolve(CUT, changes=3))) is Truth.TRUE
    assert statement.at(attrs.evolve(CUT, change=HALF)) is Truth.TRUE
    assert statement.applies(NEIGHBOURS) is Truth.TRUE
    ones = [farthest(attrs.evolve(NEIGHBOURS, eta=Fraction(1, size))) for size in range(130, 150)]
    for p in ones:
        disjoint = arb(fmpq(49, 100)) / rational(p.eta) > 2 * additive_error(p)
        assert disjoint is (statement.conclusion(p) is Truth.FALSE), p.eta
    corollary_2.tells("from 1/eta = {} on", min(1 / p.eta for p in ones if statement.conclusion(p) is Truth.FALSE))
    for p in ones[10:]:
        assert statement.at(attrs.evolve(p, failure=Fraction(1, 4))) is Truth.FALSE
        assert statement.at(attrs.evolve(p, failure=Fraction(27, 100))) is Truth.TRUE
    for bend in (Fraction(1, 10**9), HALF, 1 - Fraction(1, 10**9)):
        none = attrs.evolve(CUT, eta=bend, length=0, changes=12, delta=arb(-12).exp() / 8)
        assert statement.at(none) is Truth.FALSE, "no edge, and an edge"
        assert statement.at(attrs.evolve(none, changes=11, delta=arb(-11).exp() / 8)) is Truth.TRUE
    corollary_2.tells("an edge of weight {} are g = {} changes apart", (none.changes * none.change) ** 2, none.changes)
    vertices, eta, constant, length, change = sympy.symbols("vertices eta constant length change")
    tau = vertices + 14 * sympy.log(4 / DELTA) / EPSILON**2
    extra = constant * sympy.sqrt(tau * sympy.log(tau)) / EPSILON
    overlap = length**2 / (1 - eta) + extra - ((length + CHANGES * change) ** 2 - extra)
    bind_expression(statement, sympy.Max(overlap, FAR_CONFUSION))
    assert not statement.strict
    for inside in (CUT, attrs.evolve(CUT, length=0, change=0)):
        bind_hypotheses(statement, inside, CUT_OUTSIDE)
    assert CUT.failure == 0, "the corollary's bounds always hold"
    one = NeighbouringCuts(2, HALF, 1, MILLIONTH, 1, 0, HALF)
    assert one.changes == 1, "neighbours, unless more changes are named"


def private_cuts(edges, subset, noise, order=3, bound=1) -> PrivateCuts:
    matrix = fmpq_mat(order, order, [rational(entry) for entry in noise])
    return PrivateCuts(order, tuple(edges), tuple(subset), matrix, bound)


EDGES = ((1, 2, 1), (2, 3, HALF), (1, 2, Fraction(1, 3)))
SMALL = (Fraction(1, 9), 0, Fraction(1, 8), 0, Fraction(-1, 7), 0, Fraction(1, 8), 0, Fraction(1, 6))
SAFE = private_cuts(EDGES, (2,), SMALL)
LARGEST = private_cuts(EDGES, (2,), (0, 0, 0, 0, HALF, 0, 0, 0, 0), bound=HALF)
EDGES_SAY = "edges of weight at most 1; symmetric noise, n x n"
NOISE_SAYS = "|N| <= zeta"


@corollary_2.supports(
    "on-the-event",
    grade="derived",
    region="every graph, S, n and zeta: derivation, each line checked; cuts of a path and a triangle",
)
def test_cuts_from_the_noisy_moment(statement) -> None:
    """An edge of weight w <= 1 is the row a = sqrt(w/2)(e_u - e_v) of the release, of norm sqrt(w) <= 1.

    C is twice the noisy signed sum, A_W'A_W + 2N, and e_S'C e_S = Phi_S + 2 e_S'N e_S by the step `cut`; |e_S'N e_S| <=
    zeta |e_S|^2 = zeta |S| for every S at once where |N| <= zeta.
    """
    w = sympy.symbols("w", positive=True)
    row = sympy.sqrt(w / 2) * sympy.Matrix([1, -1, 0])
    assert sympy.simplify(row.dot(row) - w) == 0
    values = []
    for bound, noise, subset in product((1, Fraction(1, 9), 90), ((0,) * 9, SMALL), ((1,), (2,), (1, 3), (1, 2, 3))):
        form = sum(2 * rational(noise[3 * (i - 1) + j - 1]) for i in subset for j in subset)
        p = private_cuts(EDGES, subset, noise, bound=bound)
        values.append((p, 2 * len(subset) * rational(bound) - abs(form)))
    bind(statement, [*values, (LARGEST, fmpq(0))])
    for subset in ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3)):
        assert statement.at(attrs.evolve(SAFE, subset=subset)) is Truth.TRUE
        triangle = ((1, 2, 1), (2, 3, 1), (1, 3, 1))
        assert statement.at(attrs.evolve(SAFE, subset=subset, edges=triangle)) is Truth.TRUE
    assert not statement.strict
    outside = {
        EDGES_SAY: attrs.evolve(SAFE, edges=((1, 2, Fraction(11, 10)),)),
        NOISE_SAYS: attrs.evolve(SAFE, bound=Fraction(1, 9)),
    }
    bind_hypotheses(statement, SAFE, outside)
    for wrong in (
        {"edges": ((1, 1, 1),)},
        {"edges": ((1, 2, 0),)},
        {"edges": ((1, 4, 1),)},
        {"edges": ((0, 1, 1),)},
        {"subset": ()},
        {"subset": (4,)},
        {"subset": (1, 1)},
        {"noise": fmpq_mat(3, 3, [0, 1, 0, 0, 0, 0, 0, 0, 0])},
        {"noise": fmpq_mat([[1]])},
    ):
        assert statement.applies(attrs.evolve(SAFE, **wrong)) is Truth.FALSE


@corollary_2.controls("on-the-event", grade="interval", region="a ninth of the noise's norm; |S| zeta for 2 |S| zeta")
def test_a_smaller_error_of_cuts_is_noticed(statement) -> None:
    assert statement.at(LARGEST) is Truth.TRUE
    small = attrs.evolve(LARGEST, bound=HALF / 9)
    assert statement.applies(small) is Truth.FALSE
    assert statement.without(NOISE_SAYS).at(small) is Truth.FALSE

    def once(p: PrivateCuts):
        return statement.formula(p) - len(p.subset) * arb(rational(p.bound))

    assert statement.nudged(margin=once).at(LARGEST) is Truth.FALSE
