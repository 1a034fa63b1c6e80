"""`compression`: what normalisation does to neighbours, what a reference from the data reveals, and rejection."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.spec.compression.procedures import RejectionTable, TwoCentres
from dpmatrix.spec.compression.transformation import RawPair


def raw(*rows) -> fmpq_mat:
    return fmpq_mat([list(row) for row in rows])


def normalised_changes(p: RawPair) -> int:
    """Count the rows that differ after division by the column norms, in 60 digits."""
    with mpmath.workdps(60):
        scaled = []
        for matrix in (p.data, p.neighbour):
            rows = [[mpmath.mpf(int(x.p)) / int(x.q) for x in row] for row in matrix.tolist()]
            norms = [mpmath.sqrt(sum(row[j] ** 2 for row in rows)) for j in range(matrix.ncols())]
            scaled.append([[x / norm for x, norm in zip(row, norms, strict=True)] for row in rows])
        return sum(
            any(abs(x - y) > mpmath.mpf(10) ** -40 for x, y in zip(a, b, strict=True))
            for a, b in zip(*scaled, strict=True)
        )


PAIRS = [
    RawPair(raw((1, 2), (3, -1), (2, 2)), raw((1, 2), (3, -1), (a, b))) for a in (-2, 0, 2, 5, 9) for b in (-2, 1, 2, 7)
]


@pytest.mark.evidence(
    "compression.transformation@83c56f3c",
    role="refutes",
    grade="symbolic",
    region="n = 3, p = 1: one record of three changes all rows",
)
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
    return tail + mpmath.mpf(Fraction(p.delta_max).numerator) / Fraction(p.delta_max).denominator


def centres(n: int, entry=0, **fields) -> TwoCentres:
    """Two covariances that differ by 2/n in one entry."""
    return TwoCentres(n, 2, 20 * n, Fraction(2, n), entry=entry, first=0, second=Fraction(2, n), **fields)


def between(n: int) -> TwoCentres:
    """Place an output entry between the faces of the two boxes."""
    with mpmath.workdps(30):
        face = Fraction(int(radius(centres(n)) * 10**12), 10**12)
    return centres(n, face + Fraction(1, n))


@pytest.mark.evidence(
    "compression.procedure-4-1@b963a77f",
    role="refutes",
    grade="interval",
    region="p = 2, n = 10, 100, 10^4: an entry between the faces of boxes whose centres differ by 2/n",
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
            both = [
                abs(mpmath.mpf(p.entry.numerator) / p.entry.denominator - mpmath.mpf(k) / p.records) for k in (0, 2)
            ]
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


@pytest.mark.evidence(
    "compression.procedure-4-2@428ed6d3",
    role="supports",
    grade="symbolic",
    region="every law: the geometric series; 21 tables exactly",
)
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


@pytest.mark.evidence(
    "compression.procedure-4-2@428ed6d3", role="control", grade="symbolic", region="a table that is no law"
)
def test_a_share_that_is_not_a_probability_is_noticed(statement) -> None:
    for p in TABLES:
        assert statement.nudged(lambda margin: margin - arb(fmpq(1, 1000))).at(p) is Truth.FALSE
