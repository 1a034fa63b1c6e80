"""`compression`: rejection of what leaves a box, and the law that remains."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import procedures
from dpmatrix.spec.compression.procedures import (
    RejectionTable,
    TruncationRun,
    TwoCentres,
    released_chance,
    renormalised,
)
from dpmatrix.spec.compression.truncated_mass import threshold
from dpmatrix.tracing import bind_expression
from proofs_checks.compression.rounded_products import DATA, ideal, nearest, normals, raw, rounding

procedure_4_1 = cite("compression.procedure-4-1@5f90c6a5")
procedure_4_2 = cite("compression.procedure-4-2@14b29262")


def dependent(n: int, reference=0, own=1, **fields) -> TwoCentres:
    """Two equal columns, n = m, and a reference in which these columns are orthogonal."""
    return TwoCentres(n, 2, n, Fraction(2, n), first=reference, second=own, **fields)


@procedure_4_1.refutes(grade="interval", region="p = 2, n = m = 800, 10^4, 10^6, two equal columns, Sigma_1 = I")
def test_some_inputs_keep_no_output(statement) -> None:
    """Every output of two equal columns has g in all four places: g within r of 1 and of 0 takes r >= 1/2."""
    for n in (800, 10**4, 10**6):
        assert statement.at(dependent(n)) is Truth.FALSE
        assert statement.at(dependent(n, own=-1)) is Truth.FALSE
        for sign in (1, -1):
            assert statement.at(dependent(n, sign, sign)) is Truth.TRUE, "the reference has the same columns"
    n, p, m, delta_max, first, second = sympy.symbols("records columns rows delta_max first second")
    constants = 2 * (4 * sympy.E / sympy.sqrt(6 * sympy.pi) + sympy.sqrt(8) * sympy.E)
    width = sympy.sqrt(constants * sympy.log(2 * n * p) / m) + delta_max
    inside = dependent(800)
    bind_expression(statement, 2 * width - sympy.Abs(first - second), points=[inside])
    outside = {
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "columns >= 1, an integer": attrs.evolve(inside, columns=0),
        "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(inside, rows=75),
        "two columns of X are equal or opposite": attrs.evolve(inside, second=Fraction(9, 10)),
        "|Sigma_1(j,k)| <= 1, by (4)": attrs.evolve(inside, first=Fraction(11, 10)),
    }
    small = TwoCentres(1, 1, 15, Fraction(1, 9), first=0, second=-1)
    for point in (inside, attrs.evolve(inside, first=1), attrs.evolve(inside, first=-1, second=-1), small):
        bind_hypotheses(statement, point, outside)
    beyond = {
        "two columns of X are equal or opposite": attrs.evolve(inside, second=Fraction(-11, 10)),
        "|Sigma_1(j,k)| <= 1, by (4)": attrs.evolve(inside, first=Fraction(-11, 10)),
    }
    bind_hypotheses(statement, inside, outside | beyond)
    fewest = attrs.evolve(inside, records=10, rows=76)
    bind_hypotheses(statement, fewest, outside)
    assert not statement.strict


def centres(n: int, **fields) -> TwoCentres:
    """Two covariances that differ by 2/n in one entry."""
    return attrs.evolve(TwoCentres(n, 2, 20 * n, Fraction(2, n), first=0, second=Fraction(2, n)), **fields)


NEAR = "|s_1 - s_2| <= Delta_max"


@procedure_4_1.supports(
    "one-centre-for-all",
    grade="derived",
    region="every n, p, m, Delta_max and two entries within it: the docstring; bound at 32 points",
)
def test_own_centres_keep_different_outputs(statement) -> None:
    """With d = |s_1 - s_2| the entry is r + d/2 from the lower centre and r - d/2 from the upper one, d <= Delta_max.

    r is at least Delta_max, so the slacks are -d/2 and d/2, and minus their product is d^2/4.
    """
    points = [
        TwoCentres(n, p, m, Fraction(1, 3), first=a, second=a + b)
        for n, p, m in ((10, 2, 200), (10, 2, 2000), (100, 3, 9), (1, 1, 1))
        for a in (0, Fraction(-1, 2))
        for b in (Fraction(1, 3), Fraction(-1, 3), Fraction(1, 100), Fraction(-1, 7))
    ]
    for p in [*points, *(centres(n) for n in (10, 100, 10**4))]:
        assert statement.at(p) is Truth.TRUE
    bind_formula(statement, points, lambda p: (real(p.second) - real(p.first)) ** 2 / 4)
    for inside in (centres(10), attrs.evolve(centres(10), first=Fraction(1, 5), second=0), points[-1]):
        outside = {
            "records >= 1, an integer": attrs.evolve(inside, records=0),
            "columns >= 1, an integer": attrs.evolve(inside, columns=0),
            "rows >= 1, an integer": attrs.evolve(inside, rows=0),
            NEAR: attrs.evolve(inside, second=3),
            "s_1 and s_2 differ": attrs.evolve(inside, second=inside.first),
        }
        bind_hypotheses(statement, inside, outside)
        bind_hypotheses(statement, inside, outside | {NEAR: attrs.evolve(inside, first=-3)})
    assert statement.strict


@procedure_4_1.controls("one-centre-for-all", grade="interval", region="p = 2, n = 10: one centre; boxes far apart")
def test_one_centre_keeps_the_same_outputs(statement) -> None:
    point = centres(10)

    def slack(p: TwoCentres, entry) -> arb:
        return threshold(p) + ball(p.delta_max) - abs(ball(entry) - ball(p.first))

    assert statement.at(point) is Truth.TRUE
    for entry in (0, 1, 10):
        same = statement.nudged(margin=lambda p, entry=entry: -slack(p, entry) * slack(p, entry))
        assert same.at(point) is Truth.FALSE, "a product of equal slacks"
    far = attrs.evolve(point, delta_max=0, second=10**3)
    assert statement.without(NEAR).at(far) is Truth.FALSE


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
    """After j rejections a run goes on with probability q^j: sum_{j<k} q^j f = f (1 - q^k)/(1 - q), q = P(E) < 1."""
    bind(statement, ((p, fmpq(0)) for p in TABLES))
    never = RejectionTable(LAW, (True, False, True), 1, 2)
    assert statement.at(never) is Truth.TRUE, "an output of E is never released"
    seldom = RejectionTable((fmpq(19, 20), fmpq(1, 20)), (False, True), 1, 1)
    assert statement.at(seldom) is Truth.TRUE, "P(E) = 19/20"
    for p in TABLES:
        assert statement.at(p) is Truth.TRUE
        share = sum((x for x, keep in zip(p.law, p.kept, strict=True) if not keep), fmpq(0))
        assert p.law[p.output] * (1 - share**p.attempts) == (1 - share) * sum(
            (share**j * p.law[p.output] for j in range(p.attempts)), fmpq(0)
        )
    inside = TABLES[3]
    outside = {
        "the table is a probability law": attrs.evolve(inside, law=(fmpq(1, 2), fmpq(1, 3), fmpq(1, 3))),
        "P(E) < 1": RejectionTable((fmpq(0), fmpq(1)), (True, False), 0, 1),
        "attempts >= 1, an integer": attrs.evolve(inside, attempts=0),
    }
    bind_hypotheses(statement, inside, outside)
    negative = attrs.evolve(inside, law=(fmpq(1, 2), fmpq(2, 3), fmpq(-1, 6)))
    bind_hypotheses(statement, inside, outside | {"the table is a probability law": negative})
    assert not statement.strict


@procedure_4_2.controls(
    grade="symbolic", region="12 tables with an output in E: f without its factor; any number of attempts for k"
)
def test_another_law_is_no_law_of_the_rejection(statement) -> None:
    plain = redefined(statement, procedures, "renormalised", lambda p: p.law[p.output])
    endless = statement.nudged(margin=lambda p: -abs(arb(released_chance(p) - renormalised(p))))
    some = [p for p in TABLES if not all(p.kept)]
    assert len(some) == 12
    for p in some:
        assert plain.at(p) is Truth.FALSE
        share = sum((x for x, keep in zip(p.law, p.kept, strict=True) if not keep), fmpq(0))
        off = p.law[p.output] * (1 / (1 - share) - 1) * (1 - share**p.attempts)
        assert abs(plain.formula(p) + off) < arb(2) ** -40
        assert endless.at(p) is Truth.FALSE


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
    assert statement.elsewhere().at(attrs.evolve(small, attempts=())) is Truth.FALSE, "a release out of nothing"
    turned = fmpz_mat(2, 3, [0] * 6)
    assert statement.elsewhere().at(attrs.evolve(small, released=turned)) is Truth.FALSE, "of another shape"
    outside = {
        "no column is zero": attrs.evolve(small, data=raw((0, 1), (0, 1), (0, 2), (0, 1))),
        "grid > 0": attrs.evolve(small, grid=0),
        "limit >= 1, an integer": attrs.evolve(small, limit=0),
    }
    for point in (small, attrs.evolve(small, data=DATA * fmpq(1, 99), grid=Fraction(1, 99))):
        bind_hypotheses(statement, point, outside)
    assert not statement.strict
