"""`compression`: what normalisation does to neighbours, and what a reference from the data reveals."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
from flint import arb_mat, fmpq, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.transformation import CompressionRun, RawPair
from proofs_checks.compression.rounded_products import DATA, nearest, normals, raw, rounding

transformation = cite("compression.transformation@7614f0ab")


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
    one_row = attrs.evolve(inside, released=fmpz_mat(1, 6, [int(x) for x in inside.released.entries()]))
    assert statement.elsewhere().at(one_row) is Truth.FALSE, "the same integers in another shape"
    one_column = attrs.evolve(inside, released=fmpz_mat(3, 1, [0] * 3))
    assert statement.elsewhere().at(one_column) is Truth.FALSE, "a column too few"
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
