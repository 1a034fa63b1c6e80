"""What corollary 2 becomes: cuts from the private window of theorem-4's repair."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.graphs import cut_weight, indicator, is_graph, second_moment
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag
from dpmatrix.spec.sliding_window.private_window import within_bound


@attrs.frozen
class PrivateCuts:
    """A cut of the graph in the window, and the noise of the signed sum of the rows a_t / sqrt(2).

    Parameters
    ----------
    vertices
        n.
    edges
        As in `CutQuery`, with weights up to 1.
    subset
        S.
    noise
        n x n, symmetric.
    bound
        zeta, a bound on the norm of the noise.
    """

    vertices: int
    edges: tuple[tuple[int, int, Exact], ...]
    subset: tuple[int, ...]
    noise: fmpq_mat
    bound: Exact


def private_answer(p: PrivateCuts) -> fmpq:
    """``e_S'C e_S`` for C twice the noisy sum of the a_t'a_t / 2."""
    ones = indicator(p, p.vertices)
    released = fmpq(1, 2) * second_moment(p.edges, p.vertices) + p.noise
    return 2 * (ones.transpose() * released * ones)[0, 0]


def private_cut_margin(p: PrivateCuts) -> arb:
    """``2 |S| zeta - |e_S'C e_S - Phi_S|``."""
    return 2 * len(p.subset) * ball(p.bound) - arb(abs(private_answer(p) - cut_weight(p)))


def private_graph_margin(p: PrivateCuts) -> arb:
    """0 when S and the edges are as in a graph, of weight at most 1; noise symmetric, n x n."""
    fits = are_symmetric((p.noise,), p.vertices)
    light = all(rational(weight) <= 1 for _, _, weight in p.edges)
    return flag(fits and light and is_graph(p.vertices, p.edges, p.subset))


def small_noise_margin(p: PrivateCuts) -> arb:
    """Non-negative exactly when the noise has norm at most zeta."""
    return within_bound(p.noise, p.bound)


CUTS_ON_THE_EVENT = Step(
    "on-the-event",
    Statement(
        "wherever the noise N of the rows a_t / sqrt(2) has norm at most zeta, C = A_W'A_W + 2N has |e_S'C e_S "
        "- Phi_S| <= 2 |S| zeta for every S",
        private_cut_margin,
        given=(
            exceeds("edges of weight at most 1; symmetric noise, n x n", private_graph_margin, strict=False),
            exceeds("|N| <= zeta", small_noise_margin, strict=False),
        ),
    ),
    defect=None,
    note="The deterministic half of the repair.",
)
