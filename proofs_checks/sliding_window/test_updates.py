"""Algorithms 1 and 6 of `sliding-window`: the printed loop, the mended one, and the code that follows it."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import updates
from dpmatrix.spec.sliding_window.update_time import UpdateTime
from dpmatrix.spec.sliding_window.updates import LoopState, UpdateRun, survivors
from dpmatrix.streaming import Ending, Slip, printed_update, thin

algorithm_1 = cite("sliding-window.algorithm-1@cd4b304e")
algorithm_6 = cite("sliding-window.algorithm-6@37851ddc")

BOTH = ("sliding-window.algorithm-1", "sliding-window.algorithm-6")
STATE = LoopState(2, 4, 6, 3)
LOOP_OUTSIDE = {
    "i >= 1, an integer": LoopState(0, 4, 6, 3),
    "k >= 1, an integer": LoopState(2, 4, 6, 0),
    "i < j": LoopState(2, 2, 6, 3),
    "j <= l - 1": LoopState(2, 6, 6, 3),
    "i + k <= l": LoopState(2, 4, 6, 5),
}
STATES = [LoopState(i, j, l, k) for i, j, l, k in product((1, 2, 4), (5, 6), (8, 9), (1, 3))]


def every_run(count: int):
    """Every closeness relation on ``count`` checkpoints, as a table."""
    pairs = list(combinations(range(1, count + 1), 2))
    for answers in product((False, True), repeat=len(pairs)):
        yield answers, dict(zip(pairs, answers, strict=True))


def check_loop(statement) -> None:
    for inside in (STATE, LoopState(1, 2, 3, 1), LoopState(2, 4, 6, 4)):
        bind_hypotheses(statement, inside, LOOP_OUTSIDE)
    assert not statement.strict


@algorithm_1.refutes(grade="symbolic", region="25 states of the inner loop")
@algorithm_6.refutes(grade="symbolic", region="25 states of the inner loop")
def test_the_printed_inner_loop_never_ends(statements) -> None:
    for name in BOTH:
        assert statements[name].at(STATE) is Truth.FALSE
        check_loop(statements[name])
        # executed, the loop is left by force after l + 1 rounds, where l - i - k + 1 were enough
        bind(statements[name], ((s, s.length - s.i - s.k + 1 - (s.length + 1)) for s in STATES))
        assert statements[name].margin(LoopState(2, 4, 6, 4)) == -6, "one round is left, and seven are executed"
        mended = redefined(statements[name], updates, "PRINTED_INCREMENT", 1)
        assert mended.at(STATE) is Truth.TRUE, "with an increment it ends, in exactly so many rounds"
        assert mended.margin(STATE) == 0
        assert mended.conclusion(LoopState(1, 2, 9, 1)) is Truth.TRUE
    endless = printed_update(4, lambda *_: True, frozenset({Slip.EMPTY, Slip.BOUND, Slip.LENGTH}))
    assert endless.ending is Ending.ENDLESS
    assert (endless.i, endless.j, endless.k) == (1, 3, 1)


def test_each_slip_shows_by_itself() -> None:
    """With all other slips mended, each of the four ends the run in its own way, or leaves duplicates."""
    every = frozenset(Slip)
    endings = {
        Slip.COUNTER: Ending.ENDLESS,
        Slip.BOUND: Ending.BEYOND,
        Slip.EMPTY: Ending.UNDEFINED,
    }
    for slip, ending in endings.items():
        answer = slip is not Slip.EMPTY
        trace = printed_update(5, lambda *_, answer=answer: answer, every - {slip})
        assert trace.ending is ending
    assert printed_update(5, lambda *_: True, every - {Slip.LENGTH}).checkpoints == (1, 4, 4, 5, 5)
    assert printed_update(5, lambda *_: True, every).checkpoints == (1, 4, 5)
    assert printed_update(2, lambda *_: True).ending is Ending.RETURNED, "two checkpoints need no loop"


@algorithm_1.supports_repair(
    grade="symbolic", region="every closeness relation on up to 5 checkpoints; on 6, every seventh by the code alone"
)
@algorithm_6.supports_repair(
    grade="symbolic", region="every closeness relation on up to 5 checkpoints; on 6, every seventh by the code alone"
)
def test_code_keeps_what_the_mended_lines_keep(statements) -> None:
    """The code deletes in place, the statement jumps from survivor to survivor, the printed lines shift entries."""
    for count in range(1, 6):
        for answers, table in every_run(count):
            kept = [place + 1 for place in thin(count, lambda i, p, table=table: table[i + 1, p + 1])]
            for name in BOTH:
                assert statements[f"{name}+repair"].margin(UpdateRun(answers, count, tuple(kept))) == 0
            trace = printed_update(count, lambda i, p, table=table: table[i, p], frozenset(Slip))
            assert trace.ending is Ending.RETURNED
            assert list(trace.checkpoints) == kept
    for _, table in list(every_run(6))[::7]:
        assert [place + 1 for place in thin(6, lambda i, p, table=table: table[i + 1, p + 1])] == survivors(
            6, lambda i, p, table=table: table[i, p]
        )
    by_hand = {
        (True,) * 10: (1, 4, 5),
        (False,) * 10: (1, 2, 3, 4, 5),
        (False, True, False, False, False, False, False, True, True, True): (1, 3, 4, 5),
        (True, False, True, False, True, True, False, True, True, True): (1, 4, 5),
        (True, False, False, False, False, True, False, True, True, True): (1, 2, 4, 5),
    }
    for name in BOTH:
        statement = statements[f"{name}+repair"]
        for answers, kept in by_hand.items():
            assert statement.at(UpdateRun(answers, 5, kept)) is Truth.TRUE
        assert statement.given == ()
        assert not statement.strict


@algorithm_1.controls("+repair", grade="symbolic", region="deleting one too many or few")
@algorithm_6.controls("+repair", grade="symbolic", region="deleting one too many or few")
def test_another_selection_is_noticed(statements) -> None:
    for name in BOTH:
        statement = statements[f"{name}+repair"]
        for wrong in ((1, 5), (1, 3, 4, 5), (1, 4), (4, 5), (1, 2, 3, 4, 5)):
            assert statement.elsewhere().at(UpdateRun((True,) * 10, 5, wrong)) is Truth.FALSE
        assert statement.at(UpdateRun((True,), 2, (1, 2))) is Truth.TRUE, "the last two always remain"


@algorithm_1.refutes("reads-inside", grade="symbolic", region="i = 2, j = 4, l = 6, k = 4")
def test_the_printed_bound_reads_beyond_the_end(statement) -> None:
    assert statement.at(LoopState(2, 4, 6, 4)) is Truth.FALSE
    bind(statement, ((p, p.length - p.j - p.k + 1) for p in STATES))
    check_loop(statement)


def work_by_hand(p: UpdateTime, table) -> int:
    """Count by the checkpoints that survive: from i, with j the next one, tests of l - 1 down to j, l - j + 1 moves.

    Where none is close, i + 1 is tested as well, and comes next.
    """
    kept = survivors(p.count, lambda i, other: table[i, other])
    steps = [(i, j) for i, j in pairwise(kept) if j < p.count]
    tests, moves = sum(p.count - j for _, j in steps), sum(p.count - j + 1 for _, j in steps)
    one = p.rows * p.dimension * (p.dimension + 1) // 2 + (p.dimension**3 - p.dimension) // 6
    return tests * one + moves * p.rows * p.dimension


@algorithm_1.supports(
    "run-time", grade="derived", region="every l, m, d and relation: sums of tests and moves; all relations for l <= 5"
)
def test_a_run_takes_polynomial_time(statement) -> None:
    """Round i has at most l - 1 - i tests and l - i moves, and there are at most l - 2 rounds.

    So there are at most (l-1)(l-2)/2 tests and (l-2)(l+1)/2 moves, and the work is at most m d^2 l (l-2) + d^3 (l-1)
    (l-2)/12, as d(d+1)/2 <= d^2.
    """
    l, i = sympy.symbols("l i", positive=True)
    tests, moves = (sympy.summation(each, (i, 1, l - 2)) for each in (l - 1 - i, l - i))
    assert sympy.expand(tests - (l - 1) * (l - 2) / 2) == 0
    assert sympy.expand(moves - (l - 2) * (l + 1) / 2) == 0
    assert sympy.expand(tests + moves - l * (l - 2)) == 0
    values = []
    for count, (rows, dimension) in product(range(1, 6), ((1, 1), (2, 3), (7, 2))):
        for answers, table in every_run(count):
            p = UpdateTime(answers, count, rows, dimension)
            values.append((p, count**2 * (rows * dimension**2 + dimension**3) - work_by_hand(p, table)))
    bind(statement, values)
    never = UpdateTime((False,) * 190, 20, 2, 3)
    bind(statement, [(never, 400 * (18 + 27) - 171 * 16 - 189 * 6)], least=1)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values[-50:])
    outside = {
        "count >= 1, an integer": UpdateTime((), 0, 2, 3),
        "rows >= 1, an integer": UpdateTime((True,), 2, 0, 3),
        "dimension >= 1, an integer": UpdateTime((True,), 2, 2, 0),
        "there is an answer for each pair": UpdateTime((True,), 3, 2, 3),
    }
    for inside in (never, UpdateTime((), 1, 1, 1)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@algorithm_1.supports("length", grade="derived", region="every i < j <= l: j - 1 - i checkpoints lie between")
def test_length_after_deletion(statement) -> None:
    i, j, l = sympy.symbols("i j l")
    assert sympy.expand((l + i - j + 1) - (i + (l - j + 1))) == 0
    assert sympy.expand((l + i - j + 1) - (l - (j - 1 - i))) == 0, "j - 1 - i checkpoints are deleted"
    bind(statement, ((p, 0) for p in STATES))
    outside = {
        "i >= 1, an integer": LoopState(-1, 4, 6, 3),
        "i < j": LoopState(3, 3, 6, 3),
        "j <= l - 1": LoopState(2, 8, 6, 3),
    }
    for inside in (STATE, LoopState(1, 2, 3, 1)):
        bind_hypotheses(statement, inside, outside)
    before = [(LoopState(-n, 4, 6, 1), -n) for n in range(8)]
    beyond = [(LoopState(2, 6 + n, 6, 1), -abs(n - 1)) for n in range(1, 8)]
    bind(statement, [*before, *beyond, *((LoopState(n, n, 6, 1), -1) for n in range(1, 7))])
    for says, point in outside.items():
        assert statement.without(says).at(point) is Truth.FALSE
    assert not statement.strict
    for answers, table in every_run(5):
        close = [p for p in range(2, 5) if table[1, p]]
        if close and not any(table[i, p] for i in (2, 3, 4) for p in range(i + 1, 5)):
            assert len(survivors(5, lambda i, p, table=table: table[i, p])) == 5 + 1 - max(close) + 1, answers
