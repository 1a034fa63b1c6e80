"""Corollary 2: cuts of a graph whose edges are rows of the stream (appendix C.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.compared_errors import CITED_ERROR
from dpmatrix.spec.sliding_window.dyadic_release import SEQUENCE_CHANGE
from dpmatrix.spec.sliding_window.graphs import cut_weight, indicator, is_graph, second_moment
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.neighbouring_cuts import norm_margin, some_algorithm
from dpmatrix.spec.sliding_window.private_choice import RELEASE_STEPS
from dpmatrix.spec.sliding_window.private_cuts import CUTS_ON_THE_EVENT
from dpmatrix.spec.sliding_window.window_noise import small_noise


@attrs.frozen
class CutQuery:
    """A graph in the window, a set of vertices, and the noise that Algorithm 8 adds in its direction.

    Parameters
    ----------
    vertices
        n.
    edges
        Triples (u, v, w): an edge of weight w, the row sqrt(w) (e_u - e_v) of the window.
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
    edges: tuple[tuple[int, int, Exact], ...]
    subset: tuple[int, ...]
    noise: Real
    degrees: int
    eta: Exact
    epsilon: Exact
    constant: Exact


def quadratic_form(p: CutQuery) -> fmpq:
    """``e_S' A_W'A_W e_S`` from the rows."""
    ones = indicator(p, p.vertices)
    return (ones.transpose() * second_moment(p.edges, p.vertices) * ones)[0, 0]


def answer(p: CutQuery) -> arb:
    """``e_S'C e_S``, of which the stated answer is the root."""
    return arb(quadratic_form(p)) + ball(p.noise)


def root_margin(p: CutQuery) -> arb:
    """Least margin of both stated bounds on the root, with ``c |S| sqrt(tau log tau) / epsilon``."""
    size = arb(p.degrees)
    extra = ball(p.constant) * len(p.subset) * (size * size.log()).sqrt() / ball(p.epsilon)
    root, weight = answer(p).sqrt(), arb(cut_weight(p))
    return (root - weight + extra).min(weight / (1 - ball(p.eta)) + extra - root)


def identity_margin(p: CutQuery) -> arb:
    """``e_S' A_W'A_W e_S`` against the weight of the cut."""
    return -arb(abs(quadratic_form(p) - cut_weight(p)))


def event_margin(p: CutQuery) -> arb:
    """Theorem 15 in the direction e_S / |S|^(1/2): least margin with ``c tau log tau`` times |S|."""
    size = arb(p.degrees)
    extra = ball(p.constant) * size * size.log() * len(p.subset)
    exact = arb(quadratic_form(p))
    return (answer(p) - exact + extra).min(exact / (1 - ball(p.eta)) + extra - answer(p))


def graph_margin(p: CutQuery) -> arb:
    """0 when edges join different vertices of 1 to n, weights are positive, and S is a non-empty set of vertices."""
    return flag(is_graph(p.vertices, p.edges, p.subset))


GRAPH = exceeds("edges join vertices, S is a set of them", graph_margin, strict=False)
CUTS = (
    GRAPH,
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
        "an (eps, delta)-DP algorithm outputs C with Phi_S - c|S| sqrt(tau log tau)/eps <= Out_S <= Phi_S/(1-eta) + "
        "c|S| sqrt(tau log tau)/eps for every S, Out_S = sqrt(e_S'C e_S), tau = n + 14 log(4/delta)/eps^2",
    ),
    statement=Statement(
        "for all n, eta and eps there is a constant c with which, for every delta and all windows of one row, x (e_1 - "
        "e_2) or (x + g y)(e_1 - e_2), g changes of norm at most 1 apart, some answer to S = {1} meets both bounds, or "
        "answers that fail with probability beta are rare enough for an (eps, delta)-private algorithm: 1 - beta <= "
        "e^(g eps) beta + delta (e^(g eps) - 1)/(e^eps - 1)",
        some_algorithm,
        given=(
            whole("vertices", 2),
            positive("eta"),
            below("eta", 1),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            at_least("length", 0),
            at_least("change", 0),
            exceeds("y sqrt(2) <= 1", norm_margin, strict=False),
            whole("changes", 1),
            at_least("failure", 0),
        ),
        exists=(Chosen("constant", after=("vertices", "epsilon", "eta")),),
    ),
    verdict=Verdict.REFUTED,
    defect=Defect.CONCLUSION,
    headline=(
        "No private algorithm is so accurate, at any eta: no answer is right for two weights of an edge that g changes "
        "take into each other, and g may be as large as log(1/delta)/eps."
    ),
    reading=(
        "Phi_S is the weight of the edges of the window that leave S; an edge of weight w is the row sqrt(w)(e_u - "
        "e_v). The neighbouring relation of section 1.1: rows have any length. One c for all n, eta, eps, delta and "
        "streams is stated; it is refuted even if it may depend on n, eta and eps. For neighbours any beta < (1 - "
        "delta)/(1 + e^eps) is refuted."
    ),
    because=(
        "No algorithm at all can do it, whatever it answers. Edges of weight x^2 and (x + g y)^2, y = 7/10, are g "
        "changes apart; at x = g y (1-eta)/eta their right answers are g^2 y^2/eta - 2c sqrt(tau log tau)/eps apart, "
        "and disjoint where that is positive. At n = 2, eps = 1, delta = 10^-6, c = 1 it is so for neighbours, g = 1, "
        "from 1/eta = 139 on, and at eta = 1/10 with g = 4, even if one answer in 60 fails.\n\n"
        "No edge and an edge of weight 70.56 are g = 12 changes apart and have no answer in common whatever eta is, "
        "for c = 1 and delta = e^-12/8; a larger c takes more changes, as the root of tau log tau grows less than "
        "g^2.\n\n"
        "The stated answer fails without any noise too: e_S'C e_S estimates the weight, and Out_S is its root, 1000 "
        "for 10^6 parallel edges.\n\n"
        "For weights up to 1, one edge present or absent, it can be done without the root. An edge has norm at "
        "most sqrt(2), so rows are halved in energy; the noise N of the window has norm at most zeta but for beta, as "
        "for theorem-4, and |e_S|^2 = |S|. The error 2 |S| zeta is of the order |S| log W sqrt(n log(1/delta))/eps."
    ),
    repair=Repair(
        SEQUENCE_CHANGE + "; edges of weight at most 1, as rows divided by sqrt(2); Out_S = e_S'C e_S; error 2 |S| "
        "zeta, without a factor; space as for theorem-4's repair",
        small_noise("|e_S'C e_S - Phi_S| <= 2 |S| zeta for every S, where d is n and the rows are a_t / sqrt(2)"),
    ),
    steps=(
        CUTS_ON_THE_EVENT,
        *RELEASE_STEPS,
        Step(
            "cut",
            Statement("e_S'A_W'A_W e_S = Phi_S", identity_margin, given=(GRAPH,)),
            defect=None,
        ),
        Step(
            "root",
            Statement(
                "if e_S'C e_S obeys Theorem 15, both bounds hold for its root",
                root_margin,
                given=CUTS,
            ),
            defect=Defect.FORMULA,
            note="They hold for e_S'C e_S, with c |S| tau log tau.",
        ),
        CITED_ERROR,
    ),
)
