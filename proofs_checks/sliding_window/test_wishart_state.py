"""Algorithms 7 and 8 of `sliding-window`: what their matrices can be, and what they are before a change."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import wishart_state as module
from dpmatrix.spec.sliding_window.wishart_state import TwoStreams
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, PRINTED, NoisyCheckpoint, NoisyStream, history
from proofs_checks.steps import by_step

algorithm_7 = cite("sliding-window.algorithm-7@7007ea37")
theorem_14 = cite("sliding-window.theorem-14@763b3875")


def scalars(*values) -> tuple[fmpq_mat, ...]:
    return tuple(fmpq_mat([[value]]) for value in values)


ONES = NoisyStream(fmpq_mat([[1], [1]]), scalars(3, 3), 2)
PLANE = NoisyStream(
    fmpq_mat([[1, 2], [0, 3], [2, -1]]),
    (fmpq_mat([[2, 1], [1, 1]]), fmpq_mat([[1, -1], [-1, 1]]), fmpq_mat([[0, 0], [0, 4]])),
    2,
)
RUN = {
    "window >= 1, an integer": attrs.evolve(ONES, window=0),
    "there is one d x d noise for each row": attrs.evolve(ONES, noise=scalars(3)),
    "Update spares the first and the newest checkpoint": attrs.evolve(ONES, deleted=((2, 2),)),
    "every noise is positive semidefinite": attrs.evolve(ONES, noise=scalars(1, -1)),
}


def lines_by_hand(rows, noise, window) -> int:
    """Least value that is stored at any time, for rows of one number and the lines as stated."""
    held, least = [], None
    for time, row in enumerate(rows, start=1):
        if len(held) > 1 and held[1][0] < time - window + 1:
            held = held[1:]
        held = [(stamp, value + (row**2 if number else 0)) for number, (stamp, value) in enumerate(held)]
        newest = (time, row**2 + noise[time - 1])
        above = next((place for place, (_, value) in enumerate(held) if value < newest[1]), len(held))
        held = [*held[:above], newest]
        least = min([value for _, value in held] + ([] if least is None else [least]))
    return least


@algorithm_7.supports("semidefinite", grade="derived", region="every stream and noise: sums of semidefinite matrices")
def test_stored_matrices_are_semidefinite(statement) -> None:
    """A new pair holds a'a + R with R semidefinite; later lines add a'a to it or delete it.

    u'(K + a'a)u = u'Ku + (a u)^2 >= 0. On the line the least stored number is bound.
    """
    k, square = sympy.symbols("k square", nonnegative=True)
    assert (k + square**2).is_nonnegative
    values = []
    for rows, noise, window in product(((1, 2, 0), (0, 0, 3), (2, 1, 1)), ((1, 2, 3), (3, 2, 1), (0, 5, 0)), (1, 2, 3)):
        run = NoisyStream(fmpq_mat([[row] for row in rows]), scalars(*noise), window)
        # the coefficients of x - k are 1 and -k, so that the smaller of 1 and k stands in the margin
        values.append((run, min(1, lines_by_hand(rows, noise, window))))
    half = NoisyStream(fmpq_mat([[0], [0], [0]]), scalars(fmpq(1, 2), 2, 3), 3)
    values.append((half, lines_by_hand((0, 0, 0), (Fraction(1, 2), 2, 3), 3)))
    bind(statement, values)
    assert {value for _, value in values} >= {1, Fraction(1, 2)}
    assert all(statement.at(run) is Truth.TRUE for run in (*[run for run, _ in values], ONES, PLANE))
    assert not statement.strict
    for inside in (ONES, PLANE, attrs.evolve(ONES, noise=scalars(0, 0))):
        bind_hypotheses(statement, inside, RUN)


@algorithm_7.controls("semidefinite", grade="symbolic", region="a noise of -3; the mended lines with the row taken off")
def test_the_noise_has_to_be_semidefinite(statement) -> None:
    negative = attrs.evolve(ONES, noise=scalars(3, -3))
    assert statement.without("every noise is positive semidefinite").at(negative) is Truth.FALSE
    tilted = attrs.evolve(PLANE, noise=(fmpq_mat([[0, 9], [9, 0]]), *PLANE.noise[1:]))
    assert statement.without("every noise is positive semidefinite").at(tilted) is Truth.FALSE
    skew = attrs.evolve(PLANE, noise=(fmpq_mat([[2, 1], [0, 1]]), *PLANE.noise[1:]))
    assert statement.applies(skew) is Truth.FALSE, "nor is it symmetric by itself"

    def less(p, _):
        return [[attrs.evolve(one, matrix=-one.matrix) for one in held] for held in history(p, MENDED)]

    assert redefined(statement, module, "history", less).at(ONES) is Truth.FALSE


def pair(time: int, window: int, seed: int) -> TwoStreams:
    """Two streams of four rows in the plane that agree before a time."""
    rows = [[(seed + 2 * i + j) % 5 for j in range(2)] for i in range(4)]
    other = [line if i < time - 1 else [9, i] for i, line in enumerate(rows)]
    noise = tuple(fmpq_mat([[3 + i, seed % 2], [seed % 2, 5 - i]]) for i in range(4))
    changed = (*noise[: time - 1], *(2 * one for one in noise[time - 1 :]))
    return TwoStreams(NoisyStream(fmpq_mat(rows), noise, window), NoisyStream(fmpq_mat(other), changed, window), time)


PAIRS = [pair(time, window, seed) for time, window, seed in product((1, 2, 3, 4), (1, 2, 3), (0, 1))]
SQUARE = "both streams have rows of length d, and a d x d noise for each"


@theorem_14.supports("real-outputs", grade="derived", region="every two streams and noises: sums of a'a and R")
@theorem_14.supports("before-the-change", grade="derived", region="every pair of streams: the same lines, by induction")
def test_outputs_of_two_streams(statements) -> None:
    """What is stored at a time is a function of the rows, the noise and the deletions up to that time.

    An output is the sum of d x d matrices: one noise and some a'a, each d x 1 times 1 x d.
    """
    by_name = by_step(statements)
    square, before = by_name["real-outputs"], by_name["before-the-change"]
    nothing = NoisyStream(fmpq_mat(0, 1), (), 1)
    apart = (TwoStreams(ONES, ONES, 1), TwoStreams(PLANE, PAIRS[0].second, 1), TwoStreams(nothing, nothing, 1))
    assert square.applies(apart[-1]) is Truth.TRUE, "no rows, and no outputs"
    bind(square, ((p, 0) for p in (*PAIRS, *apart)))
    assert all(square.at(p) is Truth.TRUE for p in PAIRS)
    wide = attrs.evolve(ONES, noise=(fmpq_mat([[1, 2], [3, 4]]), fmpq_mat([[1, 0], [0, 1]])))
    for inside in (PAIRS[0], TwoStreams(ONES, ONES, 1)):
        bind_hypotheses(square, inside, {SQUARE: TwoStreams(ONES, wide, 1)})
    for wrong in (TwoStreams(wide, ONES, 1), TwoStreams(ONES, PLANE, 1), TwoStreams(PLANE, ONES, 1)):
        assert square.applies(wrong) is Truth.FALSE
    bind(before, ((p, 0) for p in PAIRS))
    assert all(before.at(p) is Truth.TRUE for p in PAIRS)
    base = pair(3, 2, 1)
    outside = {
        "time >= 1, an integer": attrs.evolve(base, time=0),
        "both streams have a noise for each row": attrs.evolve(
            base, first=attrs.evolve(base.first, noise=base.first.noise[:3])
        ),
        "rows, noise and deletions before t agree": attrs.evolve(base, time=4),
    }
    for inside in (base, pair(1, 1, 0)):
        bind_hypotheses(before, inside, outside)
    for wrong in (
        attrs.evolve(base, time=5),
        attrs.evolve(base, second=attrs.evolve(base.second, window=3)),
        attrs.evolve(base, second=attrs.evolve(base.second, deleted=((2, 1),))),
        attrs.evolve(base, second=attrs.evolve(base.second, noise=tuple(2 * one for one in base.second.noise))),
    ):
        assert before.applies(wrong) is Truth.FALSE
    longer = NoisyStream(fmpq_mat([[1], [1], [1]]), scalars(3, 3, 3), 2)
    assert before.at(TwoStreams(longer, longer, 3)) is Truth.TRUE
    for runs in ((ONES, longer), (longer, ONES)):
        assert before.applies(TwoStreams(*runs, 3)) is Truth.FALSE, "time 3 is a time of one of them"
    assert before.applies(attrs.evolve(base, second=attrs.evolve(base.second, deleted=((3, 2),)))) is Truth.TRUE
    assert not square.strict
    assert not before.strict


@theorem_14.controls(
    "real-outputs", grade="symbolic", region="AA' of four rows, A itself, and 3 x 3 matrices, for d = 2"
)
def test_outputs_of_other_shapes_are_noticed(statement) -> None:
    def held_as(shape):
        return lambda run, _: [[NoisyCheckpoint(1, shape(run.rows))]]

    for shape, distance in (
        (lambda rows: rows * rows.transpose(), 4),
        (lambda rows: rows, 2),
        (lambda rows: fmpq_mat(rows.ncols() + 1, rows.ncols() + 1), 2),
    ):
        other = redefined(statement, module, "history", held_as(shape))
        assert other.at(PAIRS[0]) is Truth.FALSE
        assert other.margin(PAIRS[0]) == -distance
    good = NoisyCheckpoint(1, fmpq_mat(2, 2))
    last = redefined(statement, module, "history", lambda run, _: [[good], [NoisyCheckpoint(1, run.rows)]])
    assert last.at(PAIRS[0]) is Truth.FALSE, "an output of the right shape comes first"


@theorem_14.controls("before-the-change", grade="symbolic", region="outputs of the row that differs as well")
def test_later_outputs_differ(statement) -> None:
    one = NoisyStream(fmpq_mat([[1], [2]]), scalars(3, 9), 1)
    two = attrs.evolve(one, rows=fmpq_mat([[1], [3]]))
    base = TwoStreams(one, two, 2)
    assert statement.at(base) is Truth.TRUE
    late = attrs.evolve(base, first=attrs.evolve(one, rows=fmpq_mat([[5], [2]])))
    unlike = statement.without("rows, noise and deletions before t agree")
    assert unlike.at(late) is Truth.FALSE
    assert unlike.margin(late) == -24, "25 + 3 for 1 + 3"
    again = attrs.evolve(one, rows=fmpq_mat([[1], [2], [2]]), noise=scalars(3, 9, 1))
    for rows in ([[5], [2], [2]], [[1], [5], [2]]):
        later = TwoStreams(again, attrs.evolve(again, rows=fmpq_mat(rows)), 3)
        assert unlike.at(later) is Truth.FALSE, "one of two outputs is enough"
    assert history(one, PRINTED)[1] != history(two, PRINTED)[1]
