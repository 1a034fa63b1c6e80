"""Corollary 2: cuts of a graph whose edges are rows of the stream (appendix C.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.spec.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class CutQuery:
    """A graph in the window, a set of vertices, and the noise that Algorithm 8 adds in its direction.

    Parameters
    ----------
    vertices
        n.
    edges
        Triples (u, v, count): the row e_u - e_v occurs so often in the window.
    subset
        S, vertices from 1 to n.
    noise
        e_S'(C - A_W'A_W)e_S.
    degrees
        tau.
    eta, epsilon, constant
        eta, epsilon, and the c of the bound.
    """

    vertices: int
    edges: tuple[tuple[int, int, int], ...]
    subset: tuple[int, ...]
    noise: Real
    degrees: int
    eta: Exact
    epsilon: Exact
    constant: Exact


def cut_weight(p: CutQuery) -> int:
    """Number of edges with one end in S."""
    return sum(count for u, v, count in p.edges if (u in p.subset) != (v in p.subset))


def quadratic_form(p: CutQuery) -> fmpq:
    """``e_S' A_W'A_W e_S`` from the rows."""
    indicator = fmpq_mat([[int(vertex in p.subset)] for vertex in range(1, p.vertices + 1)])
    total = fmpq(0)
    for u, v, count in p.edges:
        row = fmpq_mat([[int(vertex == u) - int(vertex == v) for vertex in range(1, p.vertices + 1)]])
        total += count * (row * indicator)[0, 0] ** 2
    return total


def answer(p: CutQuery) -> arb:
    """``e_S'C e_S``, of which the printed answer is the root."""
    return arb(quadratic_form(p)) + ball(p.noise)


def root_margin(p: CutQuery) -> arb:
    """Least margin of both printed bounds on the root, with ``c |S| sqrt(tau log tau) / epsilon``."""
    size = arb(p.degrees)
    extra = ball(p.constant) * len(p.subset) * (size * size.log()).sqrt() / ball(p.epsilon)
    printed, weight = answer(p).sqrt(), arb(cut_weight(p))
    return (printed - weight + extra).min(weight / (1 - ball(p.eta)) + extra - printed)


def weight_margin(p: CutQuery) -> arb:
    """Least margin of both bounds on e_S'C e_S itself, with ``c |S| tau log tau``."""
    size = arb(p.degrees)
    extra = ball(p.constant) * len(p.subset) * size * size.log()
    weight = arb(cut_weight(p))
    return (answer(p) - weight + extra).min(weight / (1 - ball(p.eta)) + extra - answer(p))


def event_margin(p: CutQuery) -> arb:
    """Theorem 15 in the direction e_S / |S|^(1/2): least margin with ``c tau log tau`` times |S|."""
    size = arb(p.degrees)
    extra = ball(p.constant) * size * size.log() * len(p.subset)
    exact = arb(quadratic_form(p))
    return (answer(p) - exact + extra).min(exact / (1 - ball(p.eta)) + extra - answer(p))


def graph_margin(p: CutQuery) -> arb:
    """0 when edges join different vertices of 1 to n, counts are positive, and S is a non-empty set of vertices."""
    inside = range(1, p.vertices + 1)
    edges = all(u in inside and v in inside and u != v and count > 0 for u, v, count in p.edges)
    return flag(edges and len(set(p.subset)) == len(p.subset) > 0 and all(vertex in inside for vertex in p.subset))


CUTS = (
    exceeds("edges join vertices, S is a set of them", graph_margin, strict=False),
    whole("degrees", 2),
    at_least("eta", 0),
    below("eta", 1),
    positive("epsilon"),
    positive("constant"),
    exceeds("e_S'C e_S obeys Theorem 15 with the same c", event_margin, strict=False),
)

COROLLARY_2 = Claim(
    id="sliding-window.corollary-2",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Corollary 2",
        "Phi_S - c|S| sqrt(tau log tau)/eps <= Out_S <= Phi_S/(1-eta) + c|S| sqrt(tau log tau)/eps, Out_S = "
        "sqrt(e_S'C e_S), tau = n + 14 log(4/delta)/eps^2",
    ),
    statement=Statement("both bounds hold for the root of e_S'C e_S", root_margin, given=CUTS),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="Phi_S is the number of edges of the window that leave S; on the event of Theorem 15.",
    because=(
        "e_S'C e_S estimates the weight of the cut, and the answer is its root: a million parallel edges across the "
        "cut, without any noise, give 1000 against 10^6. Without the root the bound is Theorem 15 for e_S, of "
        "squared length |S|: additive error c |S| tau log tau, without 1/eps, which tau contains. A row e_u - e_v "
        "has norm sqrt(2), so the promise for rows of norm 1 asks for half the data or twice the noise."
    ),
    repair=Repair(
        "Out_S = e_S'C e_S and c |S| tau log tau",
        Statement(
            "Phi_S - c|S| tau log tau <= e_S'C e_S <= Phi_S/(1-eta) + c|S| tau log tau",
            weight_margin,
            given=CUTS,
        ),
    ),
)
