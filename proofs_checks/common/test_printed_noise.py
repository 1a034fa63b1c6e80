"""Where the printed noise keeps its guarantee, certified over boxes of (epsilon, delta), and where it fails."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.experiments.printed_noise import PRINTED, Setting, judge, margin

NOISE = {(noise.claim, noise.adjacency.value): noise for noise in PRINTED}
REPLACE, ADD = "replace-one", "add-remove-one"
LARGEST_CELLS = 60_000

# Lower and upper ends of epsilon and of delta.
KEEPS = [
    ("wishart.theorem-2", REPLACE, (fmpq(1, 20), fmpq(1)), (fmpq(1, 10**12), fmpq(1, 2))),
    ("analyze-gauss.algorithm-1", ADD, (fmpq(1, 20), fmpq(4)), (fmpq(1, 10**12), fmpq(1, 2))),
    ("near-optimal.sulq", REPLACE, (fmpq(1, 20), fmpq(10)), (fmpq(1, 10**12), fmpq(1, 4))),
    ("near-optimal.algorithm-1", REPLACE, (fmpq(1, 20), fmpq(10)), (fmpq(1, 10**12), fmpq(1, 2))),
    ("sliding-window.theorem-11", ADD, (fmpq(1, 20), fmpq(2)), (fmpq(1, 10**12), fmpq(1, 2))),
    ("sliding-window.algorithm-7", ADD, (fmpq(1, 20), fmpq(1)), (fmpq(1, 10**12), fmpq(1, 20))),
    ("sliding-window.theorem-12", ADD, (fmpq(1, 20), fmpq(10)), (fmpq(1, 10**12), fmpq(1, 2))),
    ("sliding-window.algorithm-3", ADD, (fmpq(1, 20), fmpq(10)), (fmpq(1, 10**12), fmpq(1, 2))),
]


def hull(ends):
    return arb(ends[0]).union(arb(ends[1]))


def halves(cell):
    """Split the relatively longer side at its geometric mean, roughly."""
    ratios = [float(side[1] / side[0]) for side in cell]
    longest = ratios.index(max(ratios))
    lower, upper = cell[longest]
    middle = fmpq(*(float(lower) * float(upper / lower) ** 0.5).as_integer_ratio())
    for part in ((lower, middle), (middle, upper)):
        yield tuple(part if index == longest else side for index, side in enumerate(cell))


def certified_everywhere(noise, cell, dimension, rows):
    """Subdivide until the margin is certainly at least 0 on every cell; False at a cell with a certain failure."""
    waiting, visited = [cell], 0
    while waiting:
        part = waiting.pop()
        visited += 1
        assert visited <= LARGEST_CELLS, f"undecided near {part}"
        try:
            found = margin(noise, Setting(hull(part[0]), hull(part[1]), dimension, rows))
        except InvalidParameterError:
            # A ball so wide that it reaches beyond the domain says nothing.
            found = arb("nan")
        if found >= 0:
            continue
        if found < 0:
            return False
        waiting.extend(halves(part))
    return True


@pytest.mark.parametrize("dimension", [2, 5, 50])
@pytest.mark.parametrize(("claim", "adjacency", "epsilon", "delta"), KEEPS)
def test_printed_noise_keeps_its_guarantee_over_a_box(claim, adjacency, epsilon, delta, dimension):
    # Theorem 12 asks for d < r; the other formulas have no r.
    with precision(64):
        assert certified_everywhere(NOISE[claim, adjacency], (epsilon, delta), dimension, dimension + 1)


FAILS = [
    ("wishart.theorem-2", REPLACE, 5, Fraction(1, 2), 2),
    ("wishart.algorithm-2", REPLACE, Fraction(1, 100), 0, 1),
    ("analyze-gauss.algorithm-1", ADD, 20, Fraction(1, 2), 2),
    ("analyze-gauss.algorithm-1", REPLACE, Fraction(1, 2), Fraction(1, 10**9), 2),
    ("near-optimal.sulq", REPLACE, 20, Fraction(1, 2), 1),
    ("sliding-window.theorem-11", ADD, 5, Fraction(1, 10**9), 1),
    ("sliding-window.algorithm-7", ADD, 5, Fraction(1, 2), 10),
]


@pytest.mark.parametrize(("claim", "adjacency", "epsilon", "delta", "dimension"), FAILS)
def test_printed_noise_certainly_fails(claim, adjacency, epsilon, delta, dimension):
    judgement = judge(NOISE[claim, adjacency], Setting(epsilon, delta, dimension))
    assert judgement.keeps is False
    assert judgement.excess is None or judgement.excess < 1


def test_subdivision_finds_a_failure():
    # Control: the box of Theorem 2 stretched beyond epsilon = 1 holds points that fail.
    with precision(64):
        cell = ((fmpq(1, 20), fmpq(20)), (fmpq(1, 10**12), fmpq(1, 2)))
        assert not certified_everywhere(NOISE["wishart.theorem-2", REPLACE], cell, 2, 1)
