"""`compression`: what normalisation does to neighbours, and what a reference from the data reveals."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import transformation as spec
from dpmatrix.spec.compression.transformation import CompressionRun, Ensemble, Mask, RawPair, output_covariance
from proofs_checks.compression.rounded_products import DATA, nearest, normals, raw, rounding
from proofs_checks.exact_matrices import diagonal

transformation = cite("compression.transformation@ea9951f2")


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


def entries(rows: int, columns: int, seed: int) -> fmpq_mat:
    numbers = [fmpq((seed * (5 * i + 3) + i * i) % 11 - 5, 1 + (i + seed) % 3) for i in range(rows * columns)]
    return fmpq_mat(rows, columns, numbers)


@transformation.supports(
    "underdetermined", grade="derived", region="every Phi with m < n, by the docstring; 24 of them exactly"
)
def test_a_revealed_mask_leaves_other_databases(statement) -> None:
    """The rank of Phi is at most m < n: some k other than 0 has Phi k = 0, and Phi (X + k u') = Phi X for every u."""
    shapes = [(1, 2), (2, 3), (2, 5), (3, 4), (1, 6), (4, 7)]
    points = [Mask(entries(m, n, seed)) for m, n in shapes for seed in (1, 2, 4, 6)]
    for p in points:
        assert statement.at(p) is Truth.TRUE
        n = p.mask.ncols()
        reduced, rank = p.mask.rref()
        pivots = [next(j for j in range(n) if reduced[i, j]) for i in range(rank)]
        free = next(j for j in range(n) if j not in pivots)
        kernel = fmpq_mat(n, 1)
        kernel[free, 0] = fmpq(1)
        for i, pivot in enumerate(pivots):
            kernel[pivot, 0] = -reduced[i, free]
        data = entries(n, 2, 3)
        other = data + kernel * fmpq_mat([[1, 2]])
        assert other != data
        assert p.mask * other == p.mask * data
    bind(statement, [(p, fmpq(p.mask.ncols() - p.mask.rref()[1] - 1)) for p in points])
    square = Mask(fmpq_mat([[2, 1], [1, 1]]))
    bind_hypotheses(statement, points[0], {"m < n": square})
    assert statement.without("m < n").at(square) is Truth.FALSE, "an invertible Phi gives X away"


@transformation.supports(
    "gaussian-ensemble", grade="derived", region="every X and m, by the docstring; d, n, m <= 4 exactly at 24 databases"
)
@transformation.controls("gaussian-ensemble", grade="symbolic", region="n = 2: variance 1 for 1/n")
def test_the_rows_of_the_output_are_independent_normal_vectors(statement) -> None:
    """Cov(Y_ij, Y_kl) = sum_ab x_aj x_bl Cov(Phi_ia, Phi_kb) = [i = k] (X'X)_jl / n; Y is a linear image of Phi."""
    points = [
        Ensemble(entries(n, size, seed), m)
        for n, size, m in ((1, 1, 2), (2, 3, 2), (3, 2, 3), (4, 3, 1))
        for seed in range(6)
    ]
    for p in points:
        assert statement.at(p) is Truth.TRUE
        covariance, size, n = output_covariance(p), p.data.ncols(), p.data.nrows()
        for i, j, k, l in ((0, 0, 0, size - 1), (p.rows - 1, 0, 0, 0), (p.rows - 1, size - 1, p.rows - 1, 0)):
            inner = sum((p.data[a, j] * p.data[a, l] for a in range(n)), fmpq(0))
            assert covariance[i * size + j, k * size + l] == (inner / n if i == k else 0)
    bind(statement, [(p, 0) for p in points])
    point = Ensemble(fmpq_mat([[1], [1]]), 2)

    def unscaled(p: Ensemble) -> fmpq_mat:
        return output_covariance(p) * p.data.nrows()

    larger = redefined(statement, spec, "output_covariance", unscaled)
    assert larger.at(point) is Truth.FALSE
    sums = [(p, sum(map(abs, (p.data.transpose() * p.data).entries()), fmpq(0))) for p in points]
    bind(larger, [(p, -p.rows * (1 - fmpq(1, p.data.nrows())) * total) for p, total in sums])
    assert statement.given == ()


def sign_pairs() -> list[RawPair]:
    """Square matrices of signs that differ in one entry, both regular, with different covariances."""
    found = []
    for bits in range(2**9):
        data = fmpq_mat(3, 3, [1 if bits >> place & 1 else -1 for place in range(9)])
        for place in range(3):
            other = fmpq_mat(data)
            other[0, place] = -other[0, place]
            apart = data.transpose() * data != other.transpose() * other
            if apart and data.det() and other.det():
                found.append(RawPair(data, other))
    return found


HADAMARD = fmpq_mat([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


@transformation.refutes(
    "needs-fewer-columns-than-rows",
    grade="symbolic",
    region="a Hadamard matrix of order 4 and one changed sign; p = n = 3: all pairs of regular matrices of signs that "
    "differ in one entry of the first row",
)
def test_as_many_columns_as_rows_do(statement) -> None:
    """A regular square X has det X'X = (det X)^2 > 0; for p > n the rank of X'X is at most n < p.

    With H'H = N I and one sign changed X'X/N differs from I by 2/N, up to signs, in N - 1 entries of one row and one
    column: its eigenvalues are 1 and 1 +- (2/N) sqrt(N - 1), which for N = 4 is 1 +- sqrt(3)/2, far from 0.
    """
    changed = fmpq_mat(HADAMARD)
    changed[0, 0] = -changed[0, 0]
    assert HADAMARD.transpose() * HADAMARD == 4 * diagonal([1] * 4)
    level = sympy.Symbol("t")
    gram = (changed.transpose() * changed / 4).tolist()
    second = sympy.Matrix([[sympy.Rational(int(x.p), int(x.q)) for x in row] for row in gram])
    polynomial = (level - 1) ** 2 * ((level - 1) ** 2 - sympy.Rational(3, 4))
    assert sympy.expand(second.charpoly(level).as_expr() - polynomial) == 0
    pairs = [RawPair(HADAMARD, changed), *sign_pairs()]
    assert len(pairs) >= 20
    for p in pairs:
        assert statement.at(p) is Truth.FALSE
    bind(statement, [(p, -((p.data.det() * p.neighbour.det()) ** 2)) for p in pairs])
    wide = RawPair(fmpq_mat([[1, 1, 1], [1, -1, 1]]), fmpq_mat([[1, 1, -1], [1, -1, 1]]))
    assert statement.at(wide) is Truth.TRUE, "p > n: both covariances are singular"
    assert statement.margin(wide) == 0
    inside = pairs[1]
    twice = fmpq_mat(inside.data)
    for i in range(2):
        for j in range(3):
            twice[i, j] = -twice[i, j]
    long = RawPair(fmpq_mat([[1, 1], [1, -1], [1, 1]]), fmpq_mat([[-1, 1], [1, -1], [1, 1]]))
    stretched = fmpq_mat(inside.data)
    stretched[0, 0] = stretched[0, 0] * fmpq(101, 100)
    for scaled in (RawPair(inside.data, stretched), RawPair(stretched, inside.data)):
        outside = {
            "at most one row differs": RawPair(inside.data, twice),
            "the columns have squared norm n": scaled,
            "X'X differs": RawPair(inside.data, inside.data),
            "p >= n": long,
        }
        bind_hypotheses(statement, inside, outside)
