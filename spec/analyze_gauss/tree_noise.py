"""Algorithm 3 with its noise in the nodes of a binary tree over the steps, in place of fresh noise in every step."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import (
    GaussianPromise,
    repaired_deviation,
    second_moment_sensitivity,
)


@attrs.frozen
class TreePromise(GaussianPromise):
    """A guarantee for the outputs of m steps, and a step t of them.

    Nodes are the intervals ((j - 1) 2^i, j 2^i] of steps, i >= 0, that end at m or before.
    """

    steps: int
    time: int


def levels(p: TreePromise) -> int:
    """``L = floor(log2 m) + 1``, the number of sizes of nodes."""
    return p.steps.bit_length()


def nodes_of_row(p: TreePromise) -> int:
    """Number of the nodes in which step t is."""
    ends = [-(-p.time >> size << size) for size in range(levels(p))]
    return sum(end <= p.steps for end in ends)


def nodes_of_sum(p: TreePromise) -> int:
    """Number of nodes that make up the steps 1, ..., t: the digits 1 of t, each of which is a node that ends there."""
    return p.time.bit_count()


def tree_divergence(p: TreePromise) -> arb:
    """Exact delta at epsilon of all nodes together, each with deviation sqrt(L) s Delta', for a row of step t."""
    sensitivity = second_moment_sensitivity(p)
    noise = arb(levels(p)).sqrt() * sensitivity * repaired_deviation(p.epsilon, p.delta)
    return GaussianProfile(arb(nodes_of_row(p)).sqrt() * sensitivity, noise).delta(p.epsilon)


def tree_noise_margin(p: TreePromise) -> arb:
    """M minus the variance of an entry of E_t, which is L for each node, in units of (s Delta')^2."""
    return arb(p.steps - levels(p) * nodes_of_sum(p))


def time_margin(p: TreePromise) -> arb:
    """``m - t``."""
    return arb(p.steps - p.time)
