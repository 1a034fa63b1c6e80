"""How little noise one number can have under approximate privacy, by test functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, positive, whole


@attrs.frozen
class Functions:
    """Functions y_1, ..., y_T >= 0, each linear between neighbouring multiples of 1/k, and zero far out.

    Parameters
    ----------
    k
        Nodes to the unit.
    steps
        r_t of 1, ..., k: what one record can change, times k.
    heights
        For each t the values at the nodes -N/k, ..., N/k; at the next nodes and beyond, the function is zero.
    """

    k: int
    steps: tuple[int, ...]
    heights: tuple[tuple[Exact, ...], ...]


def height(heights: Sequence[Exact], node: int) -> fmpq:
    """Value of a test function at a node."""
    place = node + len(heights) // 2
    return rational(heights[place]) if 0 <= place < len(heights) else fmpq(0)


def gain(functions: Functions, epsilon: Real) -> arb:
    """Least of ``x^2 + sum_t y_t(x) + y_t(-x) - e^eps (y_t(x - s_t) + y_t(-x - s_t))``, s_t = r_t/k, less 1/(4 k^2).

    The least over nodes is taken; between them the sum is at most 1/(4 k^2) less. Beyond the last one it is x^2.
    """
    factor = ball(epsilon).exp()
    last = max((len(heights) // 2 for heights in functions.heights), default=0) + max(functions.steps, default=0) + 1

    def at(node: int) -> arb:
        near, far = fmpq(node * node, functions.k**2), fmpq(0)
        for r, heights in zip(functions.steps, functions.heights, strict=True):
            near += height(heights, node) + height(heights, -node)
            far += height(heights, node - r) + height(heights, -node - r)
        return arb(near) - factor * far

    found = at(0)
    for node in range(1, last + 1):
        found = found.min(at(node))
    return found - arb(bend(functions.k))


def bend(k: int) -> fmpq:
    """``1/(4 k^2)``: how far x^2 is below a chord between nodes, at most."""
    return fmpq(1, 4 * k**2)


def cost(functions: Functions) -> fmpq:
    """``2 (mu_1 + ... + mu_T)``, mu_t the greatest value of y_t."""
    return 2 * sum((max(map(rational, heights)) for heights in functions.heights), fmpq(0))


def lost(delta: Exact, count: int) -> fmpq:
    """``(1 + m delta)/(m + 1)``."""
    return (1 + count * rational(delta)) / (count + 1)


def least_square(functions: Functions, epsilon: Real, delta: Exact, count: int) -> arb:
    """Gain minus cost times what is lost."""
    return gain(functions, epsilon) - arb(cost(functions) * lost(delta, count))


def functions_margin(functions: Functions) -> arb:
    """The least height, or minus one where the functions are not of the form that is described."""
    alike = len(functions.steps) == len(functions.heights) and functions.k >= 1
    steps = all(1 <= r <= functions.k for r in functions.steps)
    if not (alike and steps and all(len(heights) % 2 for heights in functions.heights)):
        return arb(-1)
    return arb(min((rational(value) for heights in functions.heights for value in heights), default=fmpq(0)))


@attrs.frozen
class Runs:
    """A mechanism with finitely many outputs, by its laws.

    Parameters
    ----------
    functions
        The test functions.
    count
        m: for each t at most m records count, each s_t. The value is ``s_1 c_1 + ... + s_T c_T``.
    outputs
        The numbers that it may answer.
    weights
        For each (c_1, ..., c_T), the last one running first, non-negative integers to which the probabilities of the
        outputs are proportional.
    epsilon, delta
        The stated guarantee.
    """

    functions: Functions
    count: int
    outputs: tuple[Exact, ...]
    weights: tuple[tuple[int, ...], ...]
    epsilon: Real
    delta: Exact


def counts_of(p: Runs) -> list[tuple[int, ...]]:
    """Every (c_1, ..., c_T), in the order of the laws."""
    return list(product(range(p.count + 1), repeat=len(p.functions.steps)))


def probabilities(weights: Sequence[int]) -> list[fmpq]:
    """Weights over their sum."""
    return [fmpq(weight, sum(weights)) for weight in weights]


def mean_square(p: Runs, counts: Sequence[int], weights: Sequence[int]) -> fmpq:
    """Mean square of the error where these records count."""
    value = fmpq(sum(c * r for c, r in zip(counts, p.functions.steps, strict=True)), p.functions.k)
    chances = probabilities(weights)
    return sum((q * (rational(x) - value) ** 2 for q, x in zip(chances, p.outputs, strict=True)), fmpq(0))


def one_number_margin(p: Runs) -> arb:
    """The greatest mean square of the error minus the bound."""
    squares = [mean_square(p, counts, weights) for counts, weights in zip(counts_of(p), p.weights, strict=True)]
    return arb(max(squares)) - least_square(p.functions, p.epsilon, p.delta, p.count)


def divergence(first: Sequence[int], second: Sequence[int], epsilon: Real) -> arb:
    """``sum of max(P - e^eps Q, 0)``."""
    factor, zero = ball(epsilon).exp(), arb(0)
    pairs = zip(probabilities(first), probabilities(second), strict=True)
    return sum(((arb(p) - factor * q).max(zero) for p, q in pairs), zero)


def neighbours(p: Runs) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield the laws of each two data sets of which one has one record more that counts."""
    laws = dict(zip(counts_of(p), p.weights, strict=True))
    for counts, law in laws.items():
        for t in range(len(counts)):
            more = (*counts[:t], counts[t] + 1, *counts[t + 1 :])
            if more in laws:
                yield law, laws[more]


def private_margin(p: Runs) -> arb:
    """``delta`` minus the greatest divergence of neighbours."""
    margin = arb(rational(p.delta))
    for one, other in neighbours(p):
        for first, second in ((one, other), (other, one)):
            margin = margin.min(arb(rational(p.delta)) - divergence(first, second, p.epsilon))
    return margin


def laws_margin(p: Runs) -> arb:
    """The least weight, or minus one where the weights are not those of a law for each count."""
    size = (p.count + 1) ** len(p.functions.steps) if p.count >= 0 else 0
    if not p.weights or len(p.weights) != size or any(len(law) != len(p.outputs) or sum(law) <= 0 for law in p.weights):
        return arb(-1)
    return arb(min(weight for law in p.weights for weight in law))


@attrs.frozen
class Transport:
    """Two laws on the same finite set, by weights, the values of a function on it, and epsilon."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    values: tuple[Exact, ...]
    epsilon: Real


def transport_margin(p: Transport) -> arb:
    """``e^eps Q f + mu delta - P f``, mu the greatest value of f, delta the divergence of P from Q."""
    values = [rational(value) for value in p.values]
    laws = map(probabilities, (p.first, p.second))
    first, second = (sum((q * f for q, f in zip(law, values, strict=True)), fmpq(0)) for law in laws)
    return ball(p.epsilon).exp() * second + max(values) * divergence(p.first, p.second, p.epsilon) - arb(first)


def two_laws_margin(p: Transport) -> arb:
    """The least weight, or minus one where they are not two laws."""
    if not len(p.first) == len(p.second) == len(p.values) or not p.first or not sum(p.first) or not sum(p.second):
        return arb(-1)
    return arb(min(*p.first, *p.second))


def function_margin(p: Transport) -> arb:
    """The least value of f."""
    return arb(min(map(rational, p.values), default=fmpq(-1)))


@attrs.frozen
class Cell:
    """A node i, nodes k to the unit, the values a and b of a linear function there and at the next node, and a share.

    The share, of 0 to 1, says how far between them x is.
    """

    node: int
    k: int
    left: Exact
    right: Exact
    share: Exact


def cell_margin(p: Cell) -> arb:
    """``x^2`` and the linear function at x, minus the lesser sum at the nodes, plus 1/(4 k^2)."""
    a, b, s = rational(p.left), rational(p.right), rational(p.share)
    begin, end, x = fmpq(p.node, p.k), fmpq(p.node + 1, p.k), (p.node + s) / p.k
    return arb(x**2 + (1 - s) * a + s * b - min(begin**2 + a, end**2 + b) + bend(p.k))


def share_margin(p: Cell) -> arb:
    """The lesser of ``s`` and ``1 - s``."""
    return arb(rational(p.share)).min(arb(1 - rational(p.share)))


def described_margin(p: Any) -> arb:  # noqa: ANN401 - any point that has test functions
    """The margin of the functions of a point."""
    return functions_margin(p.functions)


FUNCTIONS = exceeds("test functions are of the form that is described", described_margin, strict=False)

ONE_NUMBER = Claim(
    id="beyond.one-number",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "beyond",
        "Every mechanism",
        "for every (eps, delta)-private M, max_c E (M(c) - s.c)^2 >= g - 2 sum_t mu_t (1 + m delta)/(m + 1), c in "
        "{0, ..., m}^T, g = min x^2 + sum_t y_t(x) + y_t(-x) - e^eps (y_t(x - s_t) + y_t(-x - s_t)) - 1/(4k^2)",
    ),
    statement=Statement(
        "a mechanism that is (epsilon, delta)-private for one record more that counts s_t has, for some counts of at "
        "most m each, a mean square error of at least g - 2 (mu_1 + ... + mu_T) (1 + m delta)/(m + 1)",
        one_number_margin,
        given=(
            whole("count", 0),
            positive("epsilon"),
            at_least("delta", 0),
            FUNCTIONS,
            exceeds("each count has a law", laws_margin, strict=False),
            exceeds("neighbours are within epsilon and delta", private_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    headline="For a sum of numbers of [0, 1], eps = 1 and delta = 10^-6, Laplace noise is within 5 % of the least.",
    because=(
        "For every mechanism, of any form and with any outputs. Let X_c = M(c) - s.c. With one record more, privacy "
        "says E y(X_(c+e)) <= e^eps E y(X_c - s) + mu delta, and E y(-X_c) <= e^eps E y(-X_(c+e) - s) + mu delta (step "
        "`transport`). The mean over all c of E X_c^2 is at least g, less the mean of E y(X_c) + E y(-X_c) - e^eps "
        "(...), in which these terms cancel but for mu delta each, on the m/(m+1) of all c that have such a neighbour, "
        "and a term of at most mu on the others.\n\n"
        "For noise that is added such bounds are known: by duality in closed form (Geng and Viswanath 2016; Geng, "
        "Ding, Guo and Kumar 2018), by dual programmes that converge to the optimum (Selvi, Liu and Wiesemann 2023), "
        "and for delta = 0 the staircase of Geng and Viswanath (2014). Means over all c, as Hunt and Stein take them, "
        "reach mechanisms of any form. Where all s_t are 1 the sum is a count, and the bound less."
    ),
    steps=(
        Step(
            "transport",
            Statement(
                "P f <= e^epsilon Q f + mu delta for f between 0 and mu, delta the divergence of P from Q",
                transport_margin,
                given=(
                    positive("epsilon"),
                    exceeds("both are laws on one set", two_laws_margin, strict=False),
                    exceeds("f is not negative", function_margin, strict=False),
                ),
            ),
            defect=None,
        ),
        Step(
            "between-nodes",
            Statement(
                "x^2 plus a function that is linear from node to node is at least the lesser of both sums at the nodes "
                "beside x, less 1/(4 k^2)",
                cell_margin,
                given=(whole("k", 1), exceeds("x is between the nodes", share_margin, strict=False)),
            ),
            defect=None,
        ),
    ),
    reading=(
        "The records that count are of T kinds, at most m of each, and one of kind t counts s_t of 0 to 1; replaced by "
        "one that does not count, or left out. As m grows the bound tends to g - 2 delta (mu_1 + ... + mu_T)."
    ),
)
