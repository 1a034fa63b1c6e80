"""`compression`: what normalisation does to neighbours, what a reference from the data reveals, and rejection."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.procedures import RejectionTable, TruncationRun, TwoCentres
from dpmatrix.spec.compression.transformation import CompressionRun, RawPair

transformation = cite("compression.transformation@bf9e6ab6")
procedure_4_1 = cite("compression.procedure-4-1@b85d4d19")
procedure_4_2 = cite("compression.procedure-4-2@428ed6d3")


def raw(*rows) -> fmpq_mat:
    return fmpq_mat([list(row) for row in rows])


def normalised_changes(p: RawPair) -> int:
    """Count the rows that differ after division by the column norms, in 60 digits."""
    with mpmath.workdps(60):
        scaled = []
        for matrix in (p.data, p.neighbour):
            rows = [[real(x) for x in row] for row in matrix.tolist()]
            norms = [mpmath.sqrt(sum(row[j] ** 2 for row in rows)) for j in range(matrix.ncols())]
            scaled.append([[x / norm for x, norm in zip(row, norms, strict=True)] for row in rows])
        return sum(
            any(abs(x - y) > mpmath.mpf(10) ** -40 for x, y in zip(a, b, strict=True))
            for a, b in zip(*scaled, strict=True)
        )


PAIRS = [
    RawPair(raw((1, 2), (3, -1), (2, 2)), raw((1, 2), (3, -1), (a, b))) for a in (-2, 0, 2, 5, 9) for b in (-2, 1, 2, 7)
]


@transformation.refutes(grade="symbolic", region="n = 3, p = 1: one record of three changes all rows")
def test_normalisation_changes_every_row(statement) -> None:
    """(1, 1, 1) and (1, 1, 5) become (1, 1, 1) and (1, 1, 5)/3."""
    assert statement.at(RawPair(raw((1,), (1,), (1,)), raw((1,), (1,), (5,)))) is Truth.FALSE
    signs = RawPair(raw((1,), (1,), (1,)), raw((1,), (1,), (-1,)))
    assert statement.at(signs) is Truth.TRUE, "signs keep the norm"
    bind(statement, ((p, fmpq(1 - normalised_changes(p))) for p in PAIRS))
    assert {normalised_changes(p) for p in PAIRS} == {0, 1, 3}
    inside = PAIRS[0]
    two = RawPair(raw((1, 2), (3, -1)), raw((2, 2), (3, 1)))
    for zero in (RawPair(raw((0, 1), (0, 1)), raw((0, 1), (0, 1))), RawPair(raw((1, 1)), raw((0, 1)))):
        bind_hypotheses(statement, inside, {"at most one row differs": two, "no column is zero": zero})
    assert statement.applies(PAIRS[1]) is Truth.TRUE
    assert statement.applies(RawPair(inside.data, inside.data)) is Truth.TRUE
    assert statement.applies(RawPair(raw((fmpq(1, 9),)), raw((fmpq(1, 9),)))) is Truth.TRUE
    assert not statement.strict


def radius(p: TwoCentres) -> mpmath.mpf:
    constants = 2 * (4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi) + mpmath.sqrt(8) * mpmath.e)
    tail = mpmath.sqrt(constants * mpmath.log(2 * p.records * p.columns) / p.rows)
    return tail + real(p.delta_max)


def centres(n: int, entry=0, **fields) -> TwoCentres:
    """Two covariances that differ by 2/n in one entry."""
    return TwoCentres(n, 2, 20 * n, Fraction(2, n), entry=entry, first=0, second=Fraction(2, n), **fields)


def between(n: int) -> TwoCentres:
    """Place an output entry between the faces of the two boxes."""
    with mpmath.workdps(30):
        face = Fraction(int(radius(centres(n)) * 10**12), 10**12)
    return centres(n, face + Fraction(1, n))


@procedure_4_1.refutes(
    grade="interval", region="p = 2, n = 10, 100, 10^4: an entry between the faces of boxes whose centres differ by 2/n"
)
def test_the_reference_is_not_without_loss_of_generality(statement) -> None:
    """The output is kept for X_2 and thrown away for X_1: infinite loss when each run uses its own covariance."""
    for n in (10, 100, 10**4):
        assert statement.at(between(n)) is Truth.FALSE
        assert statement.at(centres(n)) is Truth.TRUE

    points = [centres(n, Fraction(k, 4)) for n in (10, 40, 99, 200) for k in range(-6, 8, 2)]
    with mpmath.workdps(65):
        values = []
        for p in points:
            both = [abs(real(p.entry) - mpmath.mpf(k) / p.records) for k in (0, 2)]
            values.append((p, mpmath.nstr((radius(p) - both[0]) * (radius(p) - both[1]), 55)))
        bind(statement, values)
    inside = centres(10)
    outside = {
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "columns >= 1, an integer": attrs.evolve(inside, columns=0),
        "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(inside, rows=75),
        "|s_1 - s_2| <= Delta_max": attrs.evolve(inside, second=Fraction(21, 100)),
    }
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(inside, rows=76), outside)
    small = TwoCentres(1, 1, 15, Fraction(1, 9), first=Fraction(1, 9))
    bind_hypotheses(statement, small, outside)
    bind_hypotheses(statement, inside, outside | {"|s_1 - s_2| <= Delta_max": attrs.evolve(inside, first=1)})
    assert not statement.strict


LAW = (fmpq(1, 2), fmpq(1, 3), fmpq(1, 6))
TABLES = [
    RejectionTable(LAW, kept, output, k)
    for kept in ((True, True, True), (True, False, True), (False, True, False), (False, False, True))
    for output in range(3)
    if kept[output]
    for k in (1, 2, 5)
]


@procedure_4_2.supports(grade="derived", region="every law: the geometric series; 21 tables exactly")
def test_rejection_draws_from_the_renormalised_law(statement) -> None:
    """Sum_{j<k} q^j f = f (1 - q^k)/(1 - q), q = P(E) < 1."""
    bind(statement, ((p, fmpq(0)) for p in TABLES))
    for p in TABLES:
        assert statement.at(p) is Truth.TRUE
        share = sum((x for x, keep in zip(p.law, p.kept, strict=True) if not keep), fmpq(0))
        assert p.law[p.output] * (1 - share**p.attempts) == (1 - share) * sum(
            (share**j * p.law[p.output] for j in range(p.attempts)), fmpq(0)
        )
    inside = TABLES[3]
    outside = {
        "the table is a probability law": attrs.evolve(inside, law=(fmpq(1, 2), fmpq(1, 3), fmpq(1, 3))),
        "the output is kept": attrs.evolve(inside, kept=(False, False, True), output=1),
        "P(E) < 1": RejectionTable((fmpq(0), fmpq(1)), (True, False), 0, 1),
        "attempts >= 1, an integer": attrs.evolve(inside, attempts=0),
    }
    bind_hypotheses(statement, inside, outside)
    negative = attrs.evolve(inside, law=(fmpq(1, 2), fmpq(2, 3), fmpq(-1, 6)))
    bind_hypotheses(statement, inside, outside | {"the table is a probability law": negative})
    assert not statement.strict


@procedure_4_2.controls(grade="symbolic", region="21 tables: the margin lower by 1/1000")
def test_a_share_that_is_too_large_by_a_thousandth_is_noticed(statement) -> None:
    for p in TABLES:
        assert statement.nudged(lambda margin: margin - arb(fmpq(1, 1000))).at(p) is Truth.FALSE


DATA = raw((1, 2), (3, -1), (2, 2), (0, 1))
"""Squared column norms 14 and 10."""


def normals(seed: int, rows: int = 3) -> list[list[int]]:
    """Whole numbers stand for the normal variates: the statements are about any."""
    return [[(seed * (3 * i + 5 * j + 1) + i * j) % 7 - 3 for j in range(4)] for i in range(rows)]


def ideal(values: list[list[int]]) -> mpmath.matrix:
    """Phi X with Phi = Z/sqrt(n) and columns scaled by sqrt(n)/|x|."""
    product = mpmath.matrix(values) / 2 * real_matrix(DATA)
    scale = [2 / mpmath.sqrt(14), 2 / mpmath.sqrt(10)]
    return mpmath.matrix([[product[i, j] * scale[j] for j in (0, 1)] for i in range(product.rows)])


def rounding(values: list[list[int]], released: list[list[int]], grid) -> mpmath.mpf:
    output = ideal(values)
    least = mpmath.mpf(1)
    for i, row in enumerate(released):
        for j, integer in enumerate(row):
            least = min(least, mpmath.mpf(1) / 2 - abs(output[i, j] / real(grid) - integer))
    return least


def nearest(values: list[list[int]], grid) -> list[list[int]]:
    output = ideal(values)
    return [[int(mpmath.nint(output[i, j] / real(grid))) for j in (0, 1)] for i in range(output.rows)]


@transformation.controls("+repair", grade="interval", region="n = 4, m = 3, p = 2: releases off by one and two")
def test_a_wrong_rounding_of_the_compression_is_noticed(statement) -> None:
    with mpmath.workdps(65):
        bound, points = [], []
        for seed in range(1, 9):
            for off in (0, 1, 2):
                grid, released = Fraction(seed, 9), nearest(normals(seed), Fraction(seed, 9))
                released[seed % 3][seed % 2] += off
                point = CompressionRun(DATA, arb_mat(normals(seed)), fmpz_mat(released), grid)
                bound.append((point, mpmath.nstr(rounding(normals(seed), released, grid), 55)))
                points.append((point, off))
        bind(statement.elsewhere(), bound)
    for point, off in points:
        assert statement.elsewhere().at(point) is (Truth.FALSE if off else Truth.TRUE)
    inside = points[0][0]
    square = attrs.evolve(
        inside, normals=arb_mat(normals(1, 4)), released=fmpz_mat(nearest(normals(1, 4), Fraction(1, 9)))
    )
    outside = {
        "no column is zero": attrs.evolve(inside, data=raw((0, 1), (0, 1), (0, 2), (0, 1))),
        "m <= n": attrs.evolve(inside, normals=arb_mat(normals(1, 5))),
        "grid > 0": attrs.evolve(inside, grid=0),
    }
    for point in (inside, square, attrs.evolve(inside, data=DATA * fmpq(1, 99), grid=Fraction(1, 99))):
        bind_hypotheses(statement, point, outside)
    assert not statement.strict


REFERENCE = fmpq_mat([[1, fmpq(1, 3)], [fmpq(1, 3), 1]])


def slack(values: list[list[int]], delta_max) -> mpmath.mpf:
    output = ideal(values)
    gram = output.T * output / output.rows
    constants = 2 * (4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi) + mpmath.sqrt(8) * mpmath.e)
    width = mpmath.sqrt(constants * mpmath.log(16) / output.rows) + real(delta_max)
    return min(width - abs(gram[i, j] - real_matrix(REFERENCE)[i, j]) for i in (0, 1) for j in (0, 1))


def truncation(
    seeds: tuple[int, ...], limit: int, *, refused: bool, delta_max=Fraction(1, 5), factor: int = 1
) -> TruncationRun:
    values = [[[factor * x for x in row] for row in normals(seed)] for seed in seeds]
    released = None if refused else fmpz_mat(nearest(values[-1], Fraction(1, 9)))
    made = tuple(arb_mat(value) for value in values)
    return TruncationRun(DATA, Fraction(1, 9), made, released, REFERENCE, delta_max, limit)


@procedure_4_1.controls("+repair", grade="interval", region="n = 4, m = 3, p = 2: runs that keep or refuse wrongly")
def test_a_wrong_choice_of_the_attempt_is_noticed(statement) -> None:
    with mpmath.workdps(65):
        bound = []
        for limit in (1, 2, 4):
            for seeds in ((1,), (2, 3), (5, 1), (4, 2, 6)):
                for refused in (False, True):
                    for factor in (0, 1):
                        point = truncation(seeds, limit, refused=refused, factor=factor)
                        values = [[[factor * x for x in row] for row in normals(seed)] for seed in seeds]
                        least = mpmath.mpf(limit - len(seeds))
                        thrown = values if refused else values[:-1]
                        least = min([least, *(-slack(value, point.delta_max) for value in thrown)])
                        if refused:
                            least = min(least, mpmath.mpf(len(seeds) - limit))
                        else:
                            released = nearest(values[-1], Fraction(1, 9))
                            least = min(
                                least, slack(values[-1], point.delta_max), rounding(values[-1], released, point.grid)
                            )
                        bound.append((point, mpmath.nstr(least, 55)))
        bind(statement.elsewhere(), [(p, "0" if abs(mpmath.mpf(v)) < mpmath.mpf(10) ** -50 else v) for p, v in bound])
    small, large = truncation((1,), 1, refused=False, factor=0), truncation((1,), 1, refused=True, factor=9)
    assert statement.at(small) is Truth.TRUE
    assert statement.at(large) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(small, released=None)) is Truth.FALSE
    assert statement.elsewhere().at(truncation((1,), 1, refused=False, factor=9)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(large, limit=2)) is Truth.FALSE
    outside = {
        "no column is zero": attrs.evolve(small, data=raw((0, 1), (0, 1), (0, 2), (0, 1))),
        "grid > 0": attrs.evolve(small, grid=0),
        "limit >= 1, an integer": attrs.evolve(small, limit=0),
    }
    for point in (small, attrs.evolve(small, data=DATA * fmpq(1, 99), grid=Fraction(1, 99))):
        bind_hypotheses(statement, point, outside)
    assert not statement.strict
