"""Algorithms 7 and 8 of `sliding-window`, traced: what the printed lines lose, and what differences of sums keep."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import wishart_algorithms as module
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, PRINTED, NoisyStream, history, repaired_history
from proofs_checks.exact_matrices import scalars
from proofs_checks.sliding_window.histogram_by_hand import deletion_patterns

algorithm_7 = cite("sliding-window.algorithm-7@7007ea37")
algorithm_8 = cite("sliding-window.algorithm-8@2c7e5094")

ONES = NoisyStream(fmpq_mat([[1], [1]]), scalars(3, 3), 2)
UNEQUAL = attrs.evolve(ONES, noise=scalars(1, 5))
GONE = NoisyStream(fmpq_mat([[7], [0], [0]]), scalars(3, 2, 1), 2)
SHAPES = {
    "window >= 1, an integer": attrs.evolve(ONES, window=0),
    "there is one d x d noise for each row": attrs.evolve(ONES, noise=scalars(3)),
    "Update spares the first and the newest checkpoint": attrs.evolve(ONES, deleted=((2, 2),)),
}
RUN = SHAPES | {"every noise is positive semidefinite": attrs.evolve(ONES, noise=scalars(1, -1))}
INSIDE = (ONES, attrs.evolve(ONES, noise=scalars(0, 0)))


def stream(total: int, window: int, deleted: tuple[tuple[int, int], ...] = ()) -> NoisyStream:
    """Rows and errors that are powers of two: no two different sums of products agree."""
    rows = fmpq_mat(total, 2, [2 ** (6 * t + 3 * j) for t in range(total) for j in range(2)])
    noise = tuple(fmpq_mat([[fmpq(1, 2**t), 0], [0, fmpq(-1, 3**t)]]) for t in range(1, total + 1))
    return NoisyStream(rows, noise, window, deleted)


def summed(p: NoisyStream, first: int, last: int) -> fmpq_mat:
    rows = p.rows.tolist()[max(first, 1) - 1 : last]
    return fmpq_mat([[sum((r[i] * r[j] for r in rows), fmpq(0)) for j in range(2)] for i in range(2)])


@algorithm_7.refutes(
    grade="symbolic", region="rows 1, 1 with W = 2, noise 3, 3; rows 1, 1, 1 with W = 3, noise 9, 3, 1"
)
@algorithm_8.refutes(
    grade="symbolic", region="rows 1, 1 with W = 2, noise 3, 3; rows 1, 1, 1 with W = 3, noise 9, 3, 1"
)
def test_the_first_matrix_misses_later_rows(statements) -> None:
    longer = NoisyStream(fmpq_mat([[1], [1], [1]]), scalars(9, 3, 1), 3)
    for statement in statements.values():
        assert statement.at(ONES) is Truth.FALSE
        assert statement.margin(ONES) == -1
        assert statement.at(attrs.evolve(ONES, rows=fmpq_mat([[1], [0]]))) is Truth.TRUE
        assert not statement.strict
        for inside in INSIDE:
            bind_hypotheses(statement, inside, RUN)
        assert statement.margin(longer) < -1
    held = history(attrs.evolve(longer, noise=scalars(9, 3, 1)), PRINTED)[-1]
    assert [(pair.stamp, pair.matrix[0, 0]) for pair in held] == [(1, 10), (2, 5), (3, 2)]
    assert statements["sliding-window.algorithm-7"].margin(longer) == -2
    assert statements["sliding-window.algorithm-8"].margin(longer) == -2
    lines = statements["sliding-window.algorithm-7"]
    assert lines.at(UNEQUAL) is Truth.TRUE, "at time 1 row 1, at time 2 row 2: lines 12 to 14 delete what lacks it"
    short = NoisyStream(fmpq_mat([[5], [1], [1]]), scalars(9, 3, 1), 2)
    assert statements["sliding-window.algorithm-8"].at(short) is Truth.TRUE, "25 stored, 2 in the window"
    four = NoisyStream(fmpq_mat([[0], [fmpq(2, 3)], [0], [fmpq(1, 2)]]), scalars(9, 7, 3, 1), 2)
    slack = statements["sliding-window.algorithm-8"].margin(four)
    assert slack.overlaps(arb(7) / 36), "4/9 of stamp 2, which is the first now, and 1/4 in the window"


@algorithm_7.refutes("order", grade="symbolic", region="d = 1: rows 1, 1 with noise 1, 5")
def test_the_ordering_deletes_the_window(statement) -> None:
    """K~(1) = 1 + 1 + 1 is not above K~(2) = 1 + 5."""
    assert statement.at(UNEQUAL) is Truth.FALSE
    assert [pair.stamp for pair in history(UNEQUAL, attrs.evolve(MENDED, ordered=True))[-1]] == [2]
    assert statement.at(ONES) is Truth.TRUE
    level = attrs.evolve(ONES, noise=scalars(1, 2))
    assert statement.at(level) is Truth.TRUE, "a matrix is above its equal"
    assert statement.at(attrs.evolve(UNEQUAL, window=1)) is Truth.TRUE, "row 1 has left the window anyway"
    noise = (fmpq_mat([[4, 0], [0, 1]]), fmpq_mat([[1, 0], [0, 4]]))
    assert statement.at(NoisyStream(fmpq_mat([[1, 0], [0, 1]]), noise, 2)) is Truth.FALSE, "neither is above the other"
    (spared,) = (condition for condition in statement.given if condition.says.startswith("Update spares"))
    for window, deleted, answer in (
        (2, (3, 2), Truth.FALSE),  # stamp 1 has expired
        (1, (2, 1), Truth.TRUE),  # of the two stamps it is the first that has expired
        (3, (3, 2), Truth.TRUE),
        (3, (3, 1), Truth.FALSE),
        (3, (4, 4), Truth.TRUE),  # there is no time 4
    ):
        assert spared.at(attrs.evolve(GONE, window=window, deleted=(deleted,))) is answer
    assert not statement.strict
    for inside in INSIDE:
        bind_hypotheses(statement, inside, RUN)


@algorithm_7.supports_repair(
    grade="derived",
    region="every T, W, d and deletion: derivation below; T, W <= 5 with every deletion of up to three, exactly",
)
@algorithm_8.supports_repair(
    grade="derived",
    region="every T, W, d and deletion: derivation below; T, W <= 5 with every deletion of up to three, exactly",
)
def test_differences_of_noisy_sums_hold_the_window(statements) -> None:
    """(S_t + E_t) - (S_{t_i - 1} + E_{t_i - 1}) is the sum over [t_i, t] plus E_t - E_{t_i - 1}, whatever is deleted.

    One stamp is born at each time, so at each time at most one stamp reaches t - W + 1; then it becomes the first. As
    the first pair is never deleted otherwise, t_1 <= max(1, t - W + 1) < t_2, and the sum over [t_1, t] exceeds that
    over the window by a_s'a_s for t_1 <= s <= t - W: positive semidefinite. That over [t_2, t] lacks those of t - W + 1
    <= s < t_2.
    """
    stored, output = (statements[f"sliding-window.algorithm-{number}+repair"] for number in (7, 8))
    for total, window in product(range(1, 6), repeat=2):
        for deleted in deletion_patterns(total, window):
            run = stream(total, window, deleted)
            assert stored.at(run) is Truth.TRUE
            assert output.at(run) is Truth.TRUE
            for time, held in enumerate(repaired_history(run), start=1):
                assert held[-1].stamp == time
                for number, pair in enumerate(held):
                    error = run.noise[time - 1] - (run.noise[pair.stamp - 2] if pair.stamp > 1 else 0 * run.noise[0])
                    assert pair.matrix == summed(run, pair.stamp, time) + error
                    begin = time - window + 1
                    assert pair.stamp > begin if number else pair.stamp <= max(1, begin)
    # the first pair has a row of norm 1/2 before the window, the second lacks one of norm 1/3 inside
    for third, deleted in ((1, ((3, 2),)), (0, ((3, 2), (4, 3)))):
        rows = fmpq_mat([[fmpq(1, 2)], [fmpq(1, 3)], [third], [1]])
        assert output.margin(NoisyStream(rows, (fmpq_mat([[1]]),) * 4, 3, deleted)).contains(fmpq(1, 9))
    for statement in (stored, output):
        assert not statement.strict
        bind_hypotheses(statement, ONES, SHAPES)


@algorithm_7.controls("+repair", grade="symbolic", region="the noisy sum up to t_i subtracted; expiry one step late")
@algorithm_8.controls("+repair", grade="symbolic", region="windows of other lengths")
def test_a_wrong_sum_is_noticed(statements) -> None:
    run = stream(5, 2)
    stored, output = (statements[f"sliding-window.algorithm-{number}+repair"] for number in (7, 8))
    for statement in (stored, output):
        assert statement.at(run) is Truth.TRUE

    def without_own_row(p: NoisyStream):
        return [
            [attrs.evolve(pair, matrix=pair.matrix - summed(p, pair.stamp, pair.stamp)) for pair in held]
            for held in repaired_history(p)
        ]

    def late(p: NoisyStream):
        return repaired_history(attrs.evolve(p, window=p.window + 1))

    for wrong in (without_own_row, late):
        assert redefined(stored, module, "repaired_history", wrong).at(run) is Truth.FALSE
    lacking = redefined(stored, module, "repaired_history", without_own_row)
    assert lacking.margin(run) == -((2**24 + 2**27) ** 2), "the entries of a'a for the last row, which is the longest"
    held = repaired_history(run)[-1]
    assert [pair.stamp for pair in held] == [4, 5]

    def precedes_sum(first: int):
        def margin(p: NoisyStream):
            window, last = summed(p, first, 5), held[0].stamp
            return module.precedes_margin(window, summed(p, last, 5)).min(
                module.precedes_margin(summed(p, last + 1, 5), window)
            )

        return margin

    assert output.nudged(margin=precedes_sum(4)).at(run) is Truth.TRUE
    assert output.nudged(margin=precedes_sum(3)).at(run) is Truth.FALSE, "W + 1 rows are not below K(1)"
    assert output.nudged(margin=precedes_sum(6)).at(run) is Truth.FALSE, "W - 2 rows are not above K(2)"
