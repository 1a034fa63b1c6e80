"""Algorithm 1, its lines repaired: how much it does (section 3, Lemma 1)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.update_costs import order_cost


@attrs.frozen
class UpdateTime:
    """A run of Update-Approx on l sketches of m rows and d columns.

    Parameters
    ----------
    closeness
        For each pair i < p of the checkpoints before the run, in lexicographic order, whether they are close.
    count, rows, dimension
        l, m and d.
    """

    closeness: tuple[bool, ...]
    count: int
    rows: int
    dimension: int


def tests_and_moves(p: UpdateTime) -> tuple[int, int]:
    """Execute the lines, j sought from l - 1 downwards, and count the tests and the checkpoints that are moved."""
    pairs = [(i, other) for i in range(1, p.count + 1) for other in range(i + 1, p.count + 1)]
    table = dict(zip(pairs, p.closeness, strict=True))
    held, tests, moves, i = list(range(1, p.count + 1)), 0, 0, 1
    while i <= len(held) - 2:
        j = len(held) - 1
        tests += 1
        while j > i + 1 and not table[held[i - 1], held[j - 1]]:
            j -= 1
            tests += 1
        moves += len(held) - j + 1
        held[i : j - 1] = []
        i += 1
    return tests, moves


def time_margin(p: UpdateTime) -> arb:
    """``l^2 (m d^2 + d^3)`` minus the multiplications of the tests and the numbers that are moved."""
    tests, moves = tests_and_moves(p)
    done = tests * order_cost(p.rows, p.dimension) + moves * p.rows * p.dimension
    return arb(p.count**2 * (p.rows * p.dimension**2 + p.dimension**3) - done)


def table_margin(p: UpdateTime) -> arb:
    """0 when there is an answer for each pair."""
    return flag(2 * len(p.closeness) == p.count * (p.count - 1))


RUN_TIME = Step(
    "run-time",
    Statement(
        "with the lines repaired a run on l sketches of m rows and d columns takes at most l^2 (m d^2 + d^3) "
        "multiplications for the tests of the order and numbers that are moved, a polynomial in d, m and l",
        time_margin,
        given=(
            whole("count", 1),
            whole("rows", 1),
            whole("dimension", 1),
            exceeds("there is an answer for each pair", table_margin, strict=False),
        ),
    ),
    defect=None,
    note="The document has poly(d, l), and m is 4r/eta; as printed the run does not end.",
)
