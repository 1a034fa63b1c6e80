"""Corollary 2 of `sliding-window`: the answer to a cut query is a root, and the bound is not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import pytest
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.spec.sliding_window.cuts import CutQuery, cut_weight, quadratic_form

PARALLEL = CutQuery(2, ((1, 2, 10**6),), (1,), 0, 16, Fraction(1, 4), 1, 1)
CUTS = {
    "edges join vertices, S is a set of them": attrs.evolve(PARALLEL, edges=((1, 1, 3),)),
    "degrees >= 2, an integer": attrs.evolve(PARALLEL, degrees=1),
    "eta >= 0": attrs.evolve(PARALLEL, eta=-1),
    "eta < 1": attrs.evolve(PARALLEL, eta=1),
    "epsilon > 0": attrs.evolve(PARALLEL, epsilon=-1),
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
    full = 2 * len(p.subset) * size * sympy.log(size)
    printed = sympy.Min(root - weight + extra, weight / (1 - eta) + extra - root)
    return printed, sympy.Min(noise + full, weight / (1 - eta) + full - weight - noise)


def check(statement, which: int) -> None:
    bind(statement, ((p, formulas(p)[which].evalf(50)) for p in queries()))
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


@pytest.mark.evidence(
    "sliding-window.corollary-2@8168124a",
    role="refutes",
    grade="symbolic",
    region="k^2 parallel edges, no noise: every c by growing k",
)
def test_the_root_of_a_cut_is_no_cut(statement) -> None:
    assert statement.at(PARALLEL) is Truth.FALSE
    for constant in (100, 10**6):
        many = attrs.evolve(PARALLEL, edges=((1, 2, 100 * constant**2),), constant=constant)
        assert statement.at(many) is Truth.FALSE
    assert statement.at(attrs.evolve(PARALLEL, edges=((1, 2, 4),))) is Truth.TRUE
    check(statement, 0)


@pytest.mark.evidence(
    "sliding-window.corollary-2+repair@8168124a",
    role="supports-repair",
    grade="symbolic",
    region="every graph and S, on the event of Theorem 15; the identity checked for all graphs on 4 vertices",
)
def test_the_form_of_a_cut_is_its_weight(statement) -> None:
    """(e_u - e_v)'e_S is 1, -1 or 0 as u alone, v alone, or both or neither lie in S, so the form counts the cut.

    |e_S|^2 = |S|, and Theorem 15 for e_S / |S|^(1/2), multiplied by |S|, is the repaired bound.
    """
    pairs = [(u, v) for u in range(1, 5) for v in range(u + 1, 5)]
    for chosen in product((0, 1), repeat=len(pairs)):
        edges = tuple((u, v, 2**k) for k, ((u, v), used) in enumerate(zip(pairs, chosen, strict=True)) if used)
        for bits in range(1, 16):
            subset = tuple(vertex for vertex in range(1, 5) if bits >> (vertex - 1) & 1)
            query = CutQuery(4, edges, subset, 0, 16, 0, 1, 1)
            assert quadratic_form(query) == fmpq(cut_weight(query))
    assert statement.at(PARALLEL) is Truth.TRUE
    assert statement.at(attrs.evolve(PARALLEL, noise=-40)) is Truth.TRUE
    check(statement, 1)


@pytest.mark.evidence(
    "sliding-window.corollary-2+repair@8168124a", role="control", grade="symbolic", region="no additive error"
)
def test_noise_beyond_the_bound_is_noticed(statement) -> None:
    below = attrs.evolve(PARALLEL, noise=-40)
    assert statement.at(below) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 16 * 2.8).at(below) is Truth.FALSE
