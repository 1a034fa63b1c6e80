"""Streams and neighbours of `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import streams as module
from dpmatrix.spec.sliding_window.streams import StreamPair, StreamPoint, window_matrix

neighbours = cite("sliding-window.neighbours@3e2bb28e")

ROWS = {"zero": (0, 0), "short": (fmpq(3, 5), fmpq(-4, 5)), "long": (fmpq(3, 5), fmpq(9, 10))}


def stream(total: int, width: int, shift: int = 0) -> fmpq_mat:
    return fmpq_mat(
        total,
        width,
        [fmpq((7 * i * i + 3 * i * j + shift) % 11 - 5, 1 + j) for i in range(total) for j in range(width)],
    )


def pair(*kinds: str) -> StreamPair:
    """Two streams whose difference has the named rows, one for each time."""
    base = stream(len(kinds), 2)
    return StreamPair(base + fmpq_mat([ROWS[kind] for kind in kinds]), base)


@neighbours.supports(
    grade="derived",
    region="every T: the relation sees of a row only whether it is 0, short or long; all 3^T patterns with T <= 5",
)
def test_neighbours_differ_in_one_short_row(statement) -> None:
    """A longer pattern that is no neighbour has a long row or two that are not zero, and so has one with T <= 5."""
    for total in range(1, 6):
        for kinds in product(ROWS, repeat=total):
            assert statement.at(pair(*kinds)) is Truth.TRUE
            assert statement.margin(pair(*kinds)) == 0
    edge = (fmpq(3, 5), fmpq(4, 5))
    for first, second in product(((0, 0), edge, (1, fmpq(1, 5)), (fmpq(1, 4), 0)), repeat=2):
        close = StreamPair(fmpq_mat([first, second]), fmpq_mat([[0, 0], [0, 0]]))
        assert statement.at(close) is Truth.TRUE, "squared lengths 1/16, 1 and 26/25"
    assert statement.given == ()
    assert not statement.strict


@neighbours.controls(grade="symbolic", region="two short rows, and one long row")
def test_the_relation_is_neither_empty_nor_everything(statement) -> None:
    from dpmatrix.spec.sliding_window.streams import are_neighbours_margin

    assert statement.at(pair("short", "short")) is Truth.TRUE
    relation = statement.nudged(margin=are_neighbours_margin)
    assert relation.at(pair("short", "zero")) is Truth.TRUE
    assert relation.at(pair("zero", "zero")) is Truth.TRUE
    assert relation.at(pair("short", "short")) is Truth.FALSE
    assert relation.at(pair("zero", "long")) is Truth.FALSE
    far = StreamPair(fmpq_mat([[fmpq(101, 100), 0]]), fmpq_mat([[0, 0]]))
    assert relation.at(far) is Truth.FALSE, "one per cent beyond the bound"
    anything = redefined(statement, module, "one_short_change", lambda _: True)
    assert anything.at(pair("zero", "long")) is Truth.FALSE, "a relation that forgets the length is another one"


@neighbours.supports(
    "window",
    grade="derived",
    region="every stream and window: the Gram matrix of a stack is the sum over its rows; symbolically for T, W <= 4",
)
def test_window_matrix_holds_the_last_rows(statement) -> None:
    for total, window in product(range(1, 7), repeat=2):
        p = StreamPoint(stream(total, 3), window)
        assert statement.at(p) is Truth.TRUE
        assert statement.margin(p) == 0
        rows = p.rows.tolist()
        expected = rows + [[fmpq(0)] * 3] * (window - total) if total <= window else rows[-window:]
        assert window_matrix(p).tolist() == expected
    for total, window in product(range(1, 5), repeat=2):
        entries = sympy.Matrix(total, 2, sympy.symbols(f"a0:{2 * total}"))
        kept = entries[max(0, total - window) :, :]
        padded = kept.col_join(sympy.zeros(window - kept.rows, 2)) if kept.rows < window else kept
        outer = sum((kept[i, :].T * kept[i, :] for i in range(kept.rows)), sympy.zeros(2, 2))
        assert (padded.T * padded - outer).expand() == sympy.zeros(2, 2)
    bind_hypotheses(statement, StreamPoint(stream(2, 2), 1), {"window >= 1, an integer": StreamPoint(stream(2, 2), 0)})


@neighbours.controls("window", grade="symbolic", region="T = 4 rows, W = 2")
def test_a_window_of_another_size_is_noticed(statement) -> None:
    from dpmatrix.spec.common.spectra import disagreement
    from dpmatrix.spec.sliding_window.loewner import between, gram

    assert statement.at(StreamPoint(stream(4, 3), 2)) is Truth.TRUE
    late = statement.nudged(margin=lambda p: disagreement(gram(window_matrix(p)), between(p.rows, 2, 4)))
    assert late.at(StreamPoint(stream(4, 3), 2)) is Truth.FALSE
    assert late.at(StreamPoint(stream(4, 3), 3)) is Truth.TRUE
    longer = redefined(statement, module, "window_matrix", lambda p: fmpq_mat([*window_matrix(p).tolist(), [0, 0, 0]]))
    assert longer.at(StreamPoint(stream(4, 3), 2)) is Truth.FALSE, "a row of zeros too many"


@neighbours.supports(
    "rank-one",
    grade="derived",
    region="every stream: the difference has one row v, so its Gram matrix is v'v with eigenvalues |v|^2 <= 1 and 0",
)
def test_difference_of_neighbours_has_rank_one(statement) -> None:
    first, second = sympy.symbols("x y", real=True)
    vector = sympy.Matrix([[first, second]])
    assert sympy.factor((vector.T * vector).charpoly().as_expr()) == sympy.factor(
        sympy.Symbol("lambda") * (sympy.Symbol("lambda") - first**2 - second**2)
    )
    values = []
    for k in range(1, 12):
        for place in (0, 2):
            change = [[0, 0] for _ in range(3)]
            change[place] = [fmpq(k, 20), fmpq(-k, 30)]
            point = StreamPair(stream(3, 2) + fmpq_mat(change), stream(3, 2))
            assert statement.at(point) is Truth.TRUE
            norm = sympy.sqrt(sympy.Rational(k, 20) ** 2 + sympy.Rational(k, 30) ** 2)
            values.append((point, (1 - norm).evalf(50)))
    bind(statement, values)
    assert not statement.strict
    bind_hypotheses(statement, pair("zero", "short"), {"A - A' is in N": pair("zero", "long")})
    assert statement.without("A - A' is in N").at(pair("short", "short")) is Truth.FALSE


@neighbours.supports("gram-change", grade="derived", region="every pair of neighbours: one row y becomes y + b")
def test_the_gram_matrix_of_neighbours_changes_with_the_length_of_a_row(statement) -> None:
    """(y + b)'(y + b) - y'y = y'b + b'y + b'b has norm at most 2 |y||b| + |b|^2, and |b| <= 1, |y| <= M."""
    for size in (1, 10, 1000):
        point = StreamPair(fmpq_mat([[size + fmpq(19, 20)]]), fmpq_mat([[size]]))
        assert statement.at(point) is Truth.TRUE
    for kinds in (("zero", "short", "zero"), ("short",), ("zero", "zero")):
        assert statement.at(pair(*kinds)) is Truth.TRUE
    beside = StreamPair(fmpq_mat([[fmpq(119, 20)], [0]]), fmpq_mat([[5], [0]]))
    assert statement.at(beside) is Truth.TRUE, "a long row changes, beside a row of zeros"
    values = [
        (StreamPair(fmpq_mat([[fmpq(k + 10, 20)]]), fmpq_mat([[fmpq(k, 20)]])), Fraction(300 + 20 * k, 400))
        for k in range(1, 22)
    ]
    absent = StreamPair(fmpq_mat([[0, 0]]), fmpq_mat([[fmpq(3, 5), fmpq(4, 5)]]))
    bind(statement, [*values, (absent, Fraction(2))])
    assert not statement.strict
    bind_hypotheses(statement, absent, {"A - A' is in N": pair("long", "short")})


@neighbours.controls("gram-change", grade="symbolic", region="2 M in place of 2 M + 1; a row that grows by 2")
def test_a_smaller_change_is_not_enough(statement) -> None:
    grown = StreamPair(fmpq_mat([[fmpq(109, 10)]]), fmpq_mat([[10]]))
    assert statement.at(grown) is Truth.TRUE

    def twice(p: StreamPair):
        return module.gram_change_margin(p) - 1

    less = StreamPair(fmpq_mat([[fmpq(199, 10)]]), fmpq_mat([[19]]))
    assert statement.nudged(margin=twice).at(less) is Truth.TRUE, "2 (0.9) 19 + 0.81 is below 38"
    long = StreamPair(fmpq_mat([[11]]), fmpq_mat([[10]]))
    assert statement.nudged(margin=twice).at(long) is Truth.FALSE
    assert statement.without("A - A' is in N").at(StreamPair(fmpq_mat([[12]]), fmpq_mat([[10]]))) is Truth.FALSE
