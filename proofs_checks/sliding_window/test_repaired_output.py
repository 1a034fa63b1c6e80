"""Lemma 3 of `sliding-window`: what the repaired lines output in many dimensions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.repaired_output import UpdatedRun, held_at_the_end

lemma_3 = cite("sliding-window.lemma-3@1910e44e")

HALF = Fraction(1, 2)
POSITION = "no sum of rows is in the row space of a later sketch"


def run(kept: tuple[int, ...], window: int, width: int = 4, size: int = 2, **changes) -> UpdatedRun:
    """Take a row of length 3, 4, ... along a direction of its own where ``kept`` says so, and zero rows elsewhere."""
    total = len(kept)
    rows = fmpq_mat(
        [[fmpq(kept[t] * (t * t + 3 * t * j + j * j) % 7 - 3 * kept[t]) for j in range(width)] for t in range(total)]
    )
    base = fmpq_mat(
        [[fmpq((3 * i * i + 5 * i * j + 7 * j * j) % 31 - 15, 3) for j in range(width)] for i in range(size)]
    )
    coins = fmpq_mat([[fmpq((11 * t * t + 6 * i * t + i * i) % 29 - 13, 5) for i in range(size)] for t in range(total)])
    return attrs.evolve(UpdatedRun(rows, base, coins, 2, window, HALF), **changes)


PATTERNS = [kept for total in (1, 3, 5, 6) for kept in product((0, 1), repeat=total)]
INSIDE = run((1, 0, 0, 0, 1, 0), 4)
LINE = UpdatedRun(fmpq_mat([[1]] * 5), fmpq_mat([[50]]), fmpq_mat([[1]] * 5), 2, 4, HALF)

SEEN = UpdatedRun(fmpq_mat([[2, 1, 0], [0, 1, 0]]), fmpq_mat([[1, 0, 0]]), fmpq_mat([[1], [1]]), 2, 2, HALF)
"""The first row is what the sketch of the second one is, 2 e_1 + e_2, and in its row space."""


ALONE = UpdatedRun(fmpq_mat([[1]]), fmpq_mat([[50]]), fmpq_mat([[1]]), 2, 4, HALF)
"""One row, and so no later sketch: whatever Phi is."""
IN_THE_SPAN = (
    UpdatedRun(fmpq_mat([[1], [0]]), fmpq_mat([[50]]), fmpq_mat([[1], [1]]), 2, 4, HALF),
    attrs.evolve(LINE, rows=fmpq_mat([[1], [0], [0], [0], [0]])),
    UpdatedRun(fmpq_mat([[2, 1], [0, 1]]), fmpq_mat([[1, 0]]), fmpq_mat([[1], [1]]), 2, 4, HALF),
)
"""The first row is in the row space of every later sketch: of 100, and of (2, 1) = 2 (1, 0) + (0, 1)."""


@lemma_3.supports(
    "output-as-repaired",
    grade="derived",
    region="every run: derivation below; exactly for d = 4, m = 2: zero rows at all places, T = 1, 3, 5, 6, W = 2 to 5",
)
def test_in_many_dimensions_the_output_is_the_sketch_of_the_window(statement) -> None:
    """If (1 - eta/2) K~_i precedes K~_p, then A~_i vanishes where A~_p does, and its rows are in the row space of A~_p.

    So are those of A~_i - A~_p, the sum of g_u'a_u over i <= u < p. By the hypothesis the rows a_i, ..., a_{p-1} are
    zero. By induction over the times, between two stamps that are held next to each other all rows from the first to
    the one before the second are zero, or there is no stamp between: an insertion and an expiry keep this, and a
    deletion joins stretches of zero rows. At T the first stamp is at or before the window's begin b and the second one
    is after it, so that all rows from the first stamp to b - 1 are zero, and they are all that is added to the sketch
    of the window.

    The hypothesis has probability one for d > m = 4r/eta. The sum over s <= u < p is zero only where all these rows
    are; it is independent of the rows of A~_[p,t], which are independent normal ones of the covariance (sigma^2 I +
    A'A)/m; and m < d of these span a given vector that is not zero with probability zero.
    """
    points = [run(kept, window) for kept in PATTERNS for window in (2, 3, 4, 5)]
    inside = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert inside == points
    early = [p for p in points if held_at_the_end(p)[0].stamp < p.rows.nrows() - p.window + 1]
    assert len(early) > 20, "of these the first stamp is before the window"
    bind(statement, [(p, 0) for p in points])
    assert held_at_the_end(LINE)[0].stamp == 1, "in one dimension the row before the window stays: 1 beside the others"
    longer = attrs.evolve(LINE, rows=fmpq_mat([[2], [1], [1], [1], [1]]))
    bind(statement.without(POSITION), [(LINE, -1), (longer, -2)], least=2)
    near, close = (attrs.evolve(LINE, eta=Fraction(each, 400)) for each in (30, 31))
    bind(statement.without(POSITION), [(near, 0), (close, -1)], least=2)
    assert all(statement.applies(p) is Truth.FALSE for p in (near, close, SEEN))
    assert not statement.strict
    outside = {
        "window >= 2, an integer": run((1, 1, 1), 1),
        "Phi is m x d and every g has length m": attrs.evolve(INSIDE, base=fmpq_mat([[1, 2, 3]])),
        "eta > 0": attrs.evolve(INSIDE, eta=0),
        "eta < 1": attrs.evolve(INSIDE, eta=1),
        POSITION: LINE,
    }
    for inside in (INSIDE, ALONE):
        bind_hypotheses(statement, inside, outside)
    assert statement.at(ALONE) is Truth.TRUE
    for p in IN_THE_SPAN:
        assert statement.applies(p) is Truth.FALSE
