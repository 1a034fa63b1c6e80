"""Graphs in a window: an edge of weight w between u and v is the row sqrt(w) (e_u - e_v)."""

from __future__ import annotations

from typing import Protocol

from flint import fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational


class Cut(Protocol):
    """Edges, triples (u, v, w), and a set of vertices."""

    @property
    def edges(self) -> tuple[tuple[int, int, Exact], ...]:
        """Edges of the graph."""

    @property
    def subset(self) -> tuple[int, ...]:
        """``S``."""


def cut_weight(p: Cut) -> fmpq:
    """Phi_S, the weight of the edges with one end in S."""
    return sum((rational(w) for u, v, w in p.edges if (u in p.subset) != (v in p.subset)), fmpq(0))


def indicator(p: Cut, vertices: int) -> fmpq_mat:
    """``e_S``."""
    return fmpq_mat([[int(vertex in p.subset)] for vertex in range(1, vertices + 1)])


def second_moment(edges: tuple[tuple[int, int, Exact], ...], vertices: int) -> fmpq_mat:
    """``A_W'A_W``, the sum of w (e_u - e_v)(e_u - e_v)'."""
    total = fmpq_mat(vertices, vertices, [0] * vertices**2)
    for u, v, weight in edges:
        ends = fmpq_mat([[int(vertex == u) - int(vertex == v)] for vertex in range(1, vertices + 1)])
        total += rational(weight) * (ends * ends.transpose())
    return total


def is_graph(vertices: int, edges: tuple[tuple[int, int, Exact], ...], subset: tuple[int, ...]) -> bool:
    """Whether edges of positive weight join different vertices, and the subset is a set of them, not empty."""
    inside = range(1, vertices + 1)
    joined = all(u in inside and v in inside and u != v and rational(weight) > 0 for u, v, weight in edges)
    return joined and len(set(subset)) == len(subset) > 0 and all(vertex in inside for vertex in subset)
