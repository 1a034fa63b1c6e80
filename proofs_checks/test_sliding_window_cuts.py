"""Corollary 2 of `sliding-window`: the answer to a cut query is a root, and the bound is not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import cuts
from dpmatrix.spec.sliding_window.cuts import CutQuery, cut_weight, quadratic_form

corollary_2 = cite("sliding-window.corollary-2@71876135")


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
        ((1,), (2, 4), (1, 2, 3)), (0, Fraction(5, 2)), (3, 20), (Fraction(1, 4), 0), (1, Fraction(3, 2))
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
        attrs.evolve(PARALLEL, noise=-100),
        attrs.evolve(PARALLEL, noise=334_000),
    ):
        assert statement.applies(wrong) is Truth.FALSE


@corollary_2.refutes("root", grade="derived", region="k^2 parallel edges, no noise: every c by growing k")
def test_the_root_of_a_cut_is_no_cut(statement) -> None:
    assert statement.at(PARALLEL) is Truth.FALSE
    for constant in (100, 10**6):
        many = attrs.evolve(PARALLEL, edges=((1, 2, 100 * constant**2),), constant=constant)
        assert statement.at(many) is Truth.FALSE
    assert statement.at(attrs.evolve(PARALLEL, edges=((1, 2, 4),))) is Truth.TRUE
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
    assert statement.nudged(lambda margin: margin - 1).at(PARALLEL) is Truth.FALSE
    assert not statement.strict
    says = "edges join vertices, S is a set of them"
    bind_hypotheses(statement, PARALLEL, {says: CUTS[says]})


@corollary_2.controls("cut", grade="symbolic", region="an edge that is counted twice")
def test_a_form_without_the_sign_is_noticed(statement) -> None:
    assert statement.at(PARALLEL) is Truth.TRUE
    without_sign = redefined(statement, cuts, "quadratic_form", lambda p: 2 * cut_weight(p))
    assert without_sign.at(PARALLEL) is Truth.FALSE
