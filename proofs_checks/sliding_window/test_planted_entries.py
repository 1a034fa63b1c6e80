"""Theorem 19 of `sliding-window`: single sentences about the entries of A and of B."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import planted_entries as module
from dpmatrix.spec.sliding_window.lower_bound_construction import Planted, planted
from dpmatrix.spec.sliding_window.planted_entries import Approximated, Letters
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@9132f892")


@theorem_19.refutes("letters", grade="symbolic", region="both orders of the letters, blocks 1 to 12")
def test_both_letters_have_one_sign(statement) -> None:
    pairs = [Letters(x, -x, block) for x, block in product((1, -1), range(1, 13))]
    bind(statement, ((p, -2 * 10**p.block) for p in pairs))
    assert all(statement.at(p) is Truth.FALSE for p in pairs)
    meant = redefined(statement, module, "encoded", lambda letter, block: letter * 10**block)
    assert all(meant.at(p) is Truth.TRUE for p in pairs)
    assert statement.without("the letters are 1 and -1").at(Letters(0, 1, 3)) is Truth.TRUE, "letters 0 and 1"
    assert not statement.strict
    outside = {"block >= 1, an integer": Letters(1, -1, 0), "the letters are 1 and -1": Letters(1, 1, 1)}
    for inside in (Letters(1, -1, 1), Letters(-1, 1, 4)):
        bind_hypotheses(statement, inside, outside)
    for other in (Letters(1, 0, 1), Letters(-1, -1, 1), Letters(3, -1, 1)):
        assert statement.applies(other) is Truth.FALSE


def signs(rows: int, count: int) -> fmpq_mat:
    return fmpq_mat(rows, count, [1 if (i * i + i // 3) % 3 else -1 for i in range(rows * count)])


TINY = Planted(fmpq_mat([[1, 1], [1, -1]]), 2, 1, 1, 10**6)


@theorem_19.supports(
    "planted-norm", grade="derived", region="every sign and gamma: W - a squares of 10^theta, and one of gamma"
)
def test_norms_of_the_planted_columns(statement) -> None:
    """A column of C has gamma once, in the first a rows, and W - a entries 10^theta or -10^theta below them."""
    points = [
        Planted(signs(rows, count), blocks, theta, rank, gamma)
        for (rows, count, blocks, rank), theta, gamma in product(
            ((2, 2, 2, 1), (3, 4, 2, 1), (2, 4, 2, 2), (3, 6, 3, 2)), (1, 2), (0, Fraction(7, 2), 10**6)
        )
    ]
    assert all(statement.at(p) is Truth.TRUE for p in points)
    for change in (1, Fraction(1, 9)):

        def moved(p: Planted, last: int, change=change) -> fmpq_mat:
            matrix = planted(p, last)
            column = (p.theta - 1) * module.width(p) + p.rank - 1
            matrix[column, column] += rational(change)
            return matrix

        off = redefined(statement, module, "planted", moved)
        bind(off, ((p, -abs(2 * Fraction(p.gamma) * change + Fraction(change) ** 2)) for p in points))
    assert not statement.strict
    outside = {
        "blocks >= 1, an integer": attrs.evolve(TINY, blocks=-1, theta=-1),
        "theta >= 1, an integer": attrs.evolve(TINY, theta=0),
        "rank >= 1, an integer": attrs.evolve(TINY, rank=0),
        "signs in l equal blocks, k columns in block theta": attrs.evolve(TINY, signs=fmpq_mat([[1, 2], [1, -1]])),
    }
    for inside in (TINY, Planted(signs(1, 1), 1, 1, 1, 0)):
        bind_hypotheses(statement, inside, outside)


@theorem_19.controls("planted-norm", grade="symbolic", region="10^theta for 100^theta; a column too few")
def test_other_norms_are_noticed(statement) -> None:
    later = attrs.evolve(TINY, theta=2)
    assert statement.at(later) is Truth.TRUE
    earlier = redefined(statement, module, "width", lambda _: 0)
    assert earlier.at(later) is Truth.FALSE, "the first column for that of block 2"


def near(gamma, entries, first: int = 1, rank: int = 1, shift: int = 1) -> Approximated:
    """Give A with the block gamma I and given rows below, and B with every entry moved by its own amount."""
    width = len(entries[0])
    block = range(first - 1, first - 1 + rank)
    top = [[gamma if i == j and i in block else 0 for j in range(width)] for i in range(width)]
    original = [[Fraction(entry) for entry in line] for line in [*top, *entries]]
    other = [
        [entry + Fraction(shift * ((3 * i + 5 * j) % 7 - 3), 4) for j, entry in enumerate(line)]
        for i, line in enumerate(original)
    ]
    return Approximated(exact(original), exact(other), gamma, first, rank)


def exact(table) -> fmpq_mat:
    return fmpq_mat([[rational(entry) for entry in line] for line in table])


POINTS = [
    near(gamma, entries, first, rank, shift)
    for (entries, first, rank), gamma, shift in product(
        (
            ([[10]], 1, 1),
            ([[10, -10, 0]], 1, 2),
            ([[10, 100, 0, 0], [-10, 100, 0, 0]], 2, 1),
            ([[10, -10, 10, 0], [10, 10, -10, 0]], 1, 3),
        ),
        (0, 50, Fraction(10**6, 3)),
        (1, 2),
    )
]
SIMPLE = Approximated(fmpq_mat([[50, 0], [10, 0]]), fmpq_mat([[49, 0], [9, 0]]), 50, 1, 1)
SHAPE = "A and B have one shape, A has gamma I in its block"
OUTSIDE = {
    "first >= 1, an integer": attrs.evolve(SIMPLE, first=0),
    "rank >= 1, an integer": attrs.evolve(SIMPLE, rank=0),
    SHAPE: attrs.evolve(SIMPLE, gamma=51),
}
RANK = "B has rank k, and so has B(C)"


def table(matrix: fmpq_mat) -> list[list[Fraction]]:
    return [[Fraction(int(entry.p), int(entry.q)) for entry in line] for line in matrix.tolist()]


def errors(p: Approximated) -> list[list[Fraction]]:
    pairs = zip(table(p.original), table(p.approximation), strict=True)
    return [[(a - b) ** 2 for a, b in zip(one, two, strict=True)] for one, two in pairs]


def others(p: Approximated, kind: str) -> Fraction:
    """Sum the squared errors outside what a step speaks of."""
    block = range(p.first - 1, p.first - 1 + p.rank)
    inside = {
        "equation-45": lambda i, j: i == j and i in block,
        "equation-46": lambda i, j: i != j and i in block and j in block,
    }[kind]
    return sum(error for i, line in enumerate(errors(p)) for j, error in enumerate(line) if not inside(i, j))


@theorem_19.supports("equation-45", grade="derived", region="every A, B: some of the squares of A - B")
@theorem_19.supports("equation-46", grade="derived", region="every A, B: some of the squares of A - B")
@theorem_19.supports(
    "empty-columns", grade="derived", region="every A, B: squares |0 - B_j|^2 vanish, and no rank grows by zeros"
)
@theorem_19.supports(
    "empty-rows", grade="derived", region="every A, B: squares |0 - B_i|^2 vanish, and no rank grows by zeros"
)
def test_parts_of_the_error(statements) -> None:
    """The block of A is gamma I, so that Y_jj - gamma and the other Y_pj are entries of B - A.

    B with some columns set to zero is B times a diagonal matrix, of no larger rank; where A is zero the squares of its
    columns leave the error. The same is true of rows, with the diagonal matrix on the left.
    """
    by_name = by_step(statements)
    for kind in ("equation-45", "equation-46"):
        bind(by_name[kind], ((p, others(p, kind)) for p in POINTS))
        assert all(by_name[kind].at(p) is Truth.TRUE for p in POINTS)
    empty, rows = by_name["empty-columns"], by_name["empty-rows"]

    def gone(p: Approximated) -> Fraction:
        lost = [j for j in range(p.original.ncols()) if not any(line[j] for line in table(p.original))]
        kept = exact([[0 if j in lost else x for j, x in enumerate(line)] for line in table(p.approximation)])
        energy = sum(line[j] ** 2 for line in table(p.approximation) for j in lost)
        return min(energy, Fraction(p.approximation.rank() - kept.rank()))

    def turned(p: Approximated) -> Approximated:
        return attrs.evolve(p, original=p.original.transpose(), approximation=p.approximation.transpose())

    slight = attrs.evolve(SIMPLE, approximation=exact([[50, 0], [10, Fraction(1, 2)]]))
    points = [*POINTS, slight, turned(slight)]
    assert gone(slight) == Fraction(1, 4), "here the error decides, elsewhere the rank"
    bind(empty, ((p, gone(p)) for p in points))
    bind(rows, ((p, gone(turned(p))) for p in points))
    for sizes in ({gone(p) for p in points}, {gone(turned(p)) for p in points}):
        assert len(sizes) > 2
    assert all(statement.at(p) is Truth.TRUE for statement in (empty, rows) for p in points)
    full = attrs.evolve(SIMPLE, approximation=fmpq_mat([[49, 98], [9, 18]]))
    for statement in by_name.values():
        assert not statement.strict
        for inside in (SIMPLE, full, near(50, [[10]], shift=0)):
            bind_hypotheses(statement, inside, OUTSIDE)
        for wrong in WRONG:
            assert statement.applies(wrong) is Truth.FALSE


WRONG = (
    attrs.evolve(SIMPLE, approximation=fmpq_mat([[1, 0, 0], [0, 1, 0]])),
    attrs.evolve(SIMPLE, rank=3),
    attrs.evolve(SIMPLE, original=fmpq_mat([[50, 1], [10, 50]]), rank=2),
    near(50, [[10, 10]], rank=3, shift=0),
)


def combined(spans: list[list[int]], weights: list[list[Fraction]], gamma: int = 50) -> Approximated:
    """Give B whose first columns are given, and whose others are combinations of them."""
    rank, height = len(spans), len(spans[0])
    columns = [
        *spans,
        *([sum(w * span[i] for w, span in zip(line, spans, strict=True)) for i in range(height)] for line in weights),
    ]
    original = [[gamma if i == j < rank else 0 for j in range(len(columns))] for i in range(height)]
    return Approximated(exact(original), exact([list(line) for line in zip(*columns, strict=True)]), gamma, 1, rank)


COMBINED = [
    combined(spans, weights, gamma)
    for (spans, weights), gamma in product(
        (
            ([[49, 9]], [[Fraction(2)]]),
            ([[49, 9]], [[Fraction(0)]]),
            ([[49, 9, -8]], [[Fraction(1, 3)], [Fraction(0)]]),
            ([[50, 1, 7], [2, 51, -9]], [[Fraction(1, 2), Fraction(-3)]]),
            ([[50, 1, 7, 8], [2, 51, -9, 1]], [[Fraction(0), Fraction(0)], [Fraction(5, 7), Fraction(1)]]),
        ),
        (50, 320_000),
    )
]


@theorem_19.supports(
    "column-combinations", grade="derived", region="every B of rank k whose k columns of C are independent"
)
def test_columns_are_combinations(statement) -> None:
    """The columns of B span a space of dimension k, in which k independent ones, those of B(C), are a basis.

    The distance is bound on the line and in the plane, also where B is of larger rank: for one column v of B(C) and
    another w it is |w|^2 - <v, w>^2/|v|^2.
    """

    def beyond(p: Approximated) -> Fraction:
        first, *rest = zip(*table(p.approximation), strict=True)
        return sum(
            sum(x * x for x in w)
            - Fraction(sum(x * y for x, y in zip(first, w, strict=True))) ** 2 / sum(x * x for x in first)
            for w in rest
        )

    pairs = [
        attrs.evolve(SIMPLE, approximation=fmpq_mat([[a, b], [c, d]]))
        for (a, c), (b, d) in product(
            ((49, 9), (50, -1), (1, 0)), ((0, 0), (98, 18), (1, 2), (-3, 5), (0, 7), (1, 0), (9, 9))
        )
    ]
    bind(statement, ((p, -beyond(p)) for p in pairs))
    assert len({beyond(p) for p in pairs}) > 10
    assert all(statement.at(p) is Truth.TRUE for p in COMBINED)
    assert not statement.strict
    apart = attrs.evolve(SIMPLE, approximation=fmpq_mat([[1, 0], [0, 1]]))
    numbers = {says: point for says, point in OUTSIDE.items() if says != SHAPE}
    for inside in (SIMPLE, *COMBINED):
        bind_hypotheses(statement, inside, numbers | {RANK: apart})
    lost = attrs.evolve(SIMPLE, approximation=fmpq_mat([[0, 1], [0, 1]]))
    wide = near(50, [[10, 10]], rank=2, shift=0)
    assert statement.applies(wide) is Truth.TRUE
    for wrong in (
        attrs.evolve(SIMPLE, rank=3),
        attrs.evolve(SIMPLE, first=3),
        lost,
        attrs.evolve(wide, approximation=fmpq_mat([[1, 1], [1, 1], [1, 1]])),
    ):
        assert statement.applies(wrong) is Truth.FALSE


@theorem_19.controls("column-combinations", grade="symbolic", region="B of larger rank; B(C) one column too far")
def test_combinations_need_the_rank(statement) -> None:
    apart = attrs.evolve(SIMPLE, approximation=fmpq_mat([[1, 0], [0, 1]]))
    assert statement.without(RANK).at(apart) is Truth.FALSE
    assert statement.without(RANK).margin(apart) == -1
    shifted = redefined(
        statement, module, "planted_columns", lambda p: fmpq_mat([[line[1]] for line in p.approximation.tolist()])
    )
    zero = Approximated(fmpq_mat([[50, 0, 0], [0, 0, 0]]), fmpq_mat([[49, 0, 9], [9, 1, 2]]), 50, 1, 1)
    assert shifted.without(RANK).at(zero) is Truth.FALSE


@theorem_19.controls("equation-45", grade="symbolic", region="A with another scale in its block")
@theorem_19.controls("equation-46", grade="symbolic", region="A with other entries in its block")
@theorem_19.controls("empty-columns", grade="symbolic", region="the first column set to zero in place of the last")
@theorem_19.controls("empty-rows", grade="symbolic", region="all rows but the block's set to zero")
def test_the_block_is_needed(statements) -> None:
    by_name = by_step(statements)
    bare = attrs.evolve(SIMPLE, gamma=55)
    assert by_name["equation-45"].without(SHAPE).at(bare) is Truth.FALSE
    mixed = Approximated(fmpq_mat([[50, 7], [0, 50]]), fmpq_mat([[50, 7], [0, 50]]), 50, 1, 2)
    assert by_name["equation-46"].without(SHAPE).at(mixed) is Truth.FALSE

    def wrong(p: Approximated) -> fmpq_mat:
        return fmpq_mat([[0, *line[1:]] for line in p.approximation.tolist()])

    assert redefined(by_name["empty-columns"], module, "emptied", wrong).at(SIMPLE) is Truth.FALSE

    def all_others(p: Approximated) -> fmpq_mat:
        block = range(p.first - 1, p.first - 1 + p.rank)
        return fmpq_mat([line if i in block else [0] * len(line) for i, line in enumerate(p.approximation.tolist())])

    every = redefined(by_name["empty-rows"], module, "emptied_rows", all_others)
    for entries in ([[10]], [[10], [-10]], [[10, 0]], [[10, -100]]):
        exactly = near(320_000, entries, shift=0)
        assert by_name["empty-rows"].at(exactly) is Truth.TRUE
        assert every.at(exactly) is Truth.FALSE, "Alice's entries are lost"
