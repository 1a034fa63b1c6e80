"""Algorithm 3 with noise in the nodes of a binary tree: what it costs, and when it is less."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import repaired_deviation
from dpmatrix.spec.analyze_gauss.tree_noise import TreePromise
from proofs_checks.analyze_gauss.online_guarantees import GUARANTEE, outside, sufficient

algorithm_3 = cite("analyze-gauss.algorithm-3@313a4582")

SMALL = Fraction(1, 10**6)
TREES = [
    TreePromise(epsilon, delta, bound, adjacency, steps, time)
    for epsilon, delta, bound, adjacency, (steps, time) in product(
        (Fraction(1, 10), 20),
        (SMALL, Fraction(1, 10)),
        (1, 3),
        tuple(Adjacency),
        ((1, 1), (7, 1), (7, 7), (20, 15), (1000, 991)),
    )
]
INSIDE = TreePromise(1, SMALL, 1, Adjacency.ADD_REMOVE_ONE, 1000, 991)


def nodes(steps: int) -> list[range]:
    """List every interval ((j - 1) 2^i, j 2^i] of steps that ends at m or before."""
    sizes = [2**i for i in range(steps + 1) if 2**i <= steps]
    return [range(end - size + 1, end + 1) for size in sizes for end in range(size, steps + 1, size)]


def parts(steps: int, time: int) -> int:
    """Least number of disjoint nodes that cover the steps 1, ..., t, taking the longest one each time."""
    begin, count, known = 1, 0, nodes(steps)
    while begin <= time:
        begin = max(node.stop for node in known if node.start == begin and node.stop <= time + 1)
        count += 1
    return count


@algorithm_3.supports(
    "tree",
    grade="derived",
    region="every m, t, R, delta < 1 and epsilon, both relations, by the docstring; 80 points, the nodes counted",
)
@algorithm_3.supports(
    "tree-noise",
    grade="derived",
    region="every m >= 21 and t by the docstring; every t for m <= 70, nodes counted one by one",
)
def test_noise_in_the_nodes_of_a_tree(statements) -> None:
    """Step t is in one interval of each size 2^i at most, and only sizes up to m have nodes: L of them. So a row of
    step t moves the vector of all node sums by at most sqrt(L) s, and `analyze-gauss.algorithm-1+repair`, divided by
    sqrt(L) s, hides it. C_t is the sum of the nodes that its binary digits cut off, at most L; C_t + E_t is a function
    of the noisy nodes. The variance is at most L^2. For m >= 64, 2^(L - 1) <= m and L >= 7, and 2^(L - 1) > L^2 holds
    at L = 7 and with each L at the next, as (L + 1)^2 < 2 L^2. For 37 <= m < 64 L^2 = 36, and below 37 it is counted.
    """  # noqa: D205
    private, quiet = (statements[f"analyze-gauss.algorithm-3/{name}"] for name in ("tree", "tree-noise"))
    assert 2**6 > 7**2
    assert all((size + 1) ** 2 < 2 * size**2 for size in range(7, 99))
    assert (64).bit_length() == 7
    assert all(steps.bit_length() ** 2 == 36 < steps for steps in range(37, 64))
    values, sums = [], []
    with mpmath.workdps(80):
        for p in TREES:
            holding = sum(p.time in node for node in nodes(p.steps))
            epsilon, mu = real(p.epsilon), mpmath.sqrt(mpmath.mpf(holding) / p.steps.bit_length()) / sufficient(p)
            found = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
            values.append((p, real(p.delta) / 2 - found))
            assert private.at(p) is Truth.TRUE
        bind(private, values)
    for steps in range(21, 71):
        for time in range(1, steps + 1):
            p = attrs.evolve(INSIDE, steps=steps, time=time)
            assert quiet.at(p) is Truth.TRUE
            sums.append((p, steps - len({len(node) for node in nodes(steps)}) * parts(steps, time)))
    bind(quiet, sums)
    late = {"t <= m": {"steps": 21, "time": 31}, "time >= 1, an integer": {"time": 0}}
    bind_hypotheses(quiet, INSIDE, outside(INSIDE, late | {"steps >= 21, an integer": {"steps": 20, "time": 15}}))
    others = {"norm_bound > 0": {"norm_bound": 0}, "steps >= 1, an integer": {"steps": 0}}
    bind_hypotheses(private, INSIDE, outside(INSIDE, GUARANTEE | others))


@algorithm_3.controls("tree", grade="interval", region="m = 7, t = 1: three nodes with the noise of one")
def test_the_noise_of_one_node_is_not_enough(statement) -> None:
    point = attrs.evolve(INSIDE, steps=7, time=1)
    assert statement.at(point) is Truth.TRUE

    def one(p: TreePromise) -> arb:
        noise = GaussianProfile(arb(3).sqrt(), repaired_deviation(p.epsilon, p.delta))
        return arb(rational(p.delta)) / 2 - noise.delta(p.epsilon)

    assert statement.nudged(margin=one).at(point) is Truth.FALSE


@algorithm_3.controls("tree-noise", grade="symbolic", region="m = 20, t = 15; m = 21, t = 31; m = t = 23: L + 1 for L")
def test_short_streams_gain_nothing(statement) -> None:
    short = attrs.evolve(INSIDE, steps=20, time=15)
    assert statement.without("steps >= 21, an integer").at(short) is Truth.FALSE
    assert statement.without("t <= m").at(attrs.evolve(INSIDE, steps=21, time=31)) is Truth.FALSE

    def more(p: TreePromise) -> arb:
        return arb(p.steps - (p.steps.bit_length() + 1) * p.time.bit_count())

    assert statement.nudged(margin=more).at(attrs.evolve(INSIDE, steps=23, time=23)) is Truth.FALSE
