"""Algorithms 2 and 3 of `sliding-window`, traced: what the printed lines leave out, and what the repaired ones keep."""

from __future__ import annotations

from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sketch_algorithms import SketchShape
from dpmatrix.spec.sliding_window.sketched_stream import Lines, SketchedStream, history
from proofs_checks.sliding_window.histogram_by_hand import deletion_patterns

algorithm_3 = cite("sliding-window.algorithm-3@1bf8710d")
algorithm_2 = cite("sliding-window.algorithm-2@0c8f08c3")

TWO_ROWS = SketchedStream(fmpq_mat([[1], [1]]), fmpq_mat([[1]]), fmpq_mat([[2], [3]]), 5, 2)
LEFT = SketchedStream(fmpq_mat([[7], [0], [0]]), fmpq_mat([[1]]), fmpq_mat([[1], [1], [1]]), 1, 2)
WINDOW = "window >= 1, an integer"
SHAPE = "Phi is m x d and every g has length m"
SPARED = "Update-Approx spares the first and the newest checkpoint"
HYPOTHESES = {
    WINDOW: attrs.evolve(TWO_ROWS, window=0),
    SHAPE: attrs.evolve(TWO_ROWS, base=fmpq_mat([[1], [1]])),
    SPARED: attrs.evolve(TWO_ROWS, deleted=((2, 2),)),
}
PRINTED_SPARED = "Update-Approx spares the first and the newest, as printed"
PRINTED = {PRINTED_SPARED if says == SPARED else says: point for says, point in HYPOTHESES.items()}
"""At t = 3 with W = 2 the printed expiry leaves 1, 2 and 3, where the repaired one leaves 2 and 3."""


def stream(total: int, window: int, deleted: tuple[tuple[int, int], ...] = (), width: int = 2) -> SketchedStream:
    """Rows and variates whose products are distinct powers of two: no two different sums agree."""
    size = 2
    rows = fmpq_mat(total, width, [2 ** (t * width + j) for t in range(total) for j in range(width)])
    coins = fmpq_mat(total, size, [fmpq(2) ** (40 * (t + 1) + 20 * i) for t in range(total) for i in range(size)])
    base = fmpq_mat(size, width, [fmpq(1, 3 ** (i * width + j + 1)) for i in range(size) for j in range(width)])
    return SketchedStream(rows, base, coins, fmpq(5, 7), window, deleted)


def written_out(p: SketchedStream, stamp: int, time: int) -> fmpq_mat:
    """Sketch of the rows from a stamp on, entry by entry."""
    size, width = p.base.nrows(), p.rows.ncols()
    return fmpq_mat(
        size,
        width,
        [
            p.floor * p.base[i, j]
            + sum((p.coins[s - 1, i] * p.rows[s - 1, j] for s in range(stamp, time + 1)), fmpq(0))
            for i in range(size)
            for j in range(width)
        ],
    )


@algorithm_3.refutes(grade="symbolic", region="rows 1, 1 with variates 2, 3 and rows 0, 1 with variates 2, -3, W = 2")
@algorithm_2.refutes(
    "output", grade="symbolic", region="rows 1, 1 with variates 2, 3 and rows 0, 1 with variates 2, -3, W = 2"
)
def test_the_first_pair_never_receives_a_later_row(statements) -> None:
    for statement in statements.values():
        assert statement.at(TWO_ROWS) is Truth.FALSE
        assert statement.margin(TWO_ROWS) == -3, "g_2'a_2 is missing"
        assert statement.at(attrs.evolve(TWO_ROWS, rows=fmpq_mat([[1], [0]]))) is Truth.TRUE, "a zero row is not missed"
        assert (
            statement.at(attrs.evolve(TWO_ROWS, rows=fmpq_mat([[0], [1]]), coins=fmpq_mat([[2], [-3]]))) is Truth.FALSE
        )
        assert not statement.strict
        bind_hypotheses(statement, TWO_ROWS, PRINTED)
        assert statement.applies(attrs.evolve(LEFT, deleted=((3, 2),))) is Truth.TRUE
        assert statement.applies(attrs.evolve(LEFT, deleted=((3, 1),))) is Truth.FALSE
        later = SketchedStream(fmpq_mat([[7]] * 4), fmpq_mat([[1]]), fmpq_mat([[1]] * 4), 1, 2, ((4, 2),))
        assert statement.applies(later) is Truth.FALSE, "2 has become the first, one step late"
        long = stream(4, 4)
        held = history(long, Lines(2, 1))
        assert [pair.sketch == written_out(long, pair.stamp, 4) for pair in held[-1]] == [False, True, True, True]


@algorithm_2.refutes("output", grade="symbolic", region="rows 1, 1, 1, 1 with variates 2, 3, 5, 7, W = 2")
def test_the_second_pair_receives_no_row_after_the_third(statement) -> None:
    """At t = 4 the first pair has expired, and the second one is the output: it was updated at t = 3 at the latest."""
    units = SketchedStream(fmpq_mat([[1]] * 4), fmpq_mat([[1]]), fmpq_mat([[2], [3], [5], [7]]), 5, 2)
    assert [pair.stamp for pair in history(units, Lines(2, 1))[-1]] == [2, 3, 4]
    assert statement.at(units) is Truth.FALSE
    assert statement.margin(units) == -7, "row 3 came while the pair was second"


@algorithm_3.supports("equation-5", grade="derived", region="every m, d: block product")
def test_equation_5(statement) -> None:
    """(Phi g')(sigma I; a) is Phi times sigma I plus g' times a, by blocks; checked entry by entry for m, d <= 3."""
    for size, width in product((1, 2, 3), repeat=2):
        base = fmpq_mat(size, width, [fmpq(3**k, 7) for k in range(size * width)])
        run = SketchedStream(
            fmpq_mat(1, width, [2**k for k in range(width)]),
            base,
            fmpq_mat(1, size, [5**k for k in range(size)]),
            11,
            1,
        )
        assert statement.at(run) is Truth.TRUE
        (only,) = history(run, Lines(1, 2))[0]
        assert only.sketch == written_out(run, 1, 1)
    assert statement.margin(TWO_ROWS) == 0
    bind_hypotheses(statement, TWO_ROWS, {SHAPE: HYPOTHESES[SHAPE]})


@algorithm_3.supports_repair(
    grade="derived",
    region="every T, W, d, m and deletion: induction below; T, W <= 5 with every deletion of up to three, exactly",
)
@algorithm_2.supports_repair(
    grade="derived",
    region="every T, W, d, m and deletion: induction below; T, W <= 5 with every deletion of up to three, exactly",
)
def test_every_pair_is_the_sketch_of_its_rows(statements) -> None:
    """Induction over t.

    A pair is born as sigma Phi + g_t'a_t (equation 5); afterwards the loop adds g_t'a_t to every
    pair once at each t, and a deletion removes a pair whole. So it is sigma Phi + sum of g_s'a_s from its stamp on.

    Stamps are born in order, one at each time, so at most one of them, t_2, reaches t - W + 1 at time t: the single
    shift of line 3 makes it the first, and it is then at most t - W + 1 itself. Until then the first is 1 or at most
    t - W + 1, and is spared. Whether a row is counted is independent of its value: products that are distinct powers
    of two tell every multiset of rows from every other.
    """
    stored, output = (statements[f"sliding-window.algorithm-{number}+repair"] for number in (3, 2))
    for total, window in product(range(1, 6), repeat=2):
        for deleted in deletion_patterns(total, window):
            run = stream(total, window, deleted)
            assert output.at(run) is Truth.TRUE
            if window > 1:
                assert stored.at(run) is Truth.TRUE
            for time, held in enumerate(history(run, Lines(1, 2)), start=1):
                assert all(pair.sketch == written_out(run, pair.stamp, time) for pair in held)
                assert held[0].stamp <= max(1, time - window + 1)
                assert all(pair.stamp > time - max(window, 2) + 1 for pair in held[1:])
    assert stored.conclusion(stream(2, 1)) is Truth.FALSE, "W = 1: the expiry stands before the insertion"
    outside = HYPOTHESES | {"window >= 2, an integer": attrs.evolve(TWO_ROWS, window=1)}
    del outside[WINDOW]
    bind_hypotheses(stored, TWO_ROWS, outside)
    bind_hypotheses(output, TWO_ROWS, HYPOTHESES)
    for statement in statements.values():
        assert statement.applies(attrs.evolve(LEFT, deleted=((3, 2),))) is Truth.FALSE, "2 has become the first"
        assert statement.applies(attrs.evolve(LEFT, deleted=((4, 4),))) is Truth.TRUE, "there is no time 4"
    assert not stored.strict
    assert not output.strict


@algorithm_3.controls("+repair", grade="symbolic", region="one line as printed at a time")
def test_each_printed_line_is_noticed(statement) -> None:
    from dpmatrix.spec.sliding_window import sketch_algorithms as spec

    assert statement.at(LEFT) is Truth.TRUE
    for lines in (Lines(2, 2), Lines(1, 1), Lines(1, 2, inserted_first=True), Lines(1, 3)):

        def margin(point: SketchedStream, lines: Lines = lines):
            return spec.sums_margin(point, lines).min(spec.expiry_margin(point, lines))

        assert statement.nudged(margin=margin).at(stream(6, 4)) is Truth.FALSE, lines


@algorithm_2.controls(
    "+repair", grade="symbolic", region="lines 3 and 9 as printed; a deletion of the first checkpoint"
)
def test_an_output_that_misses_a_row_is_noticed(statement) -> None:
    from dpmatrix.spec.sliding_window import sketch_algorithms as spec

    run = stream(5, 2)
    assert statement.at(run) is Truth.TRUE
    assert redefined(statement, spec, "REPAIRED", Lines(2, 2)).at(run) is Truth.FALSE, "the first never gains a row"
    early = attrs.evolve(stream(3, 3), deleted=((2, 1),))
    assert statement.applies(early) is Truth.FALSE
    assert statement.without(SPARED).at(early) is Truth.FALSE, "the output begins inside the window"


@algorithm_2.refutes(grade="symbolic", region="m = 1, 4, 16 and d = 1, 2, 17: d + 2 columns against d + 1 rows")
def test_the_drawn_matrix_does_not_fit(statement) -> None:
    for size, width in product((1, 4, 16), (1, 2, 17)):
        point = SketchShape(size, width + 1, width)
        assert statement.at(point) is Truth.FALSE
        assert statement.margin(point) == -1
        assert statement.conclusion(attrs.evolve(point, columns=width)) is Truth.TRUE
        assert statement.conclusion(attrs.evolve(point, columns=width - 1)) is Truth.FALSE
        assert statement.margin(attrs.evolve(point, columns=width + 4)) == -4
    assert not statement.strict
    bind_hypotheses(
        statement,
        SketchShape(1, 2, 1),
        {
            "size >= 1, an integer": SketchShape(0, 2, 1),
            "dimension >= 1, an integer": SketchShape(1, 1, 0),
            "Phi has d + 1 columns": SketchShape(1, 1, 1),
        },
    )
