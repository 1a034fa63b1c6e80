"""Theorem 8 of `near-optimal`: its databases, and (11) to (18)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import fraction, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import private_bound_proof
from dpmatrix.spec.near_optimal.databases import (
    FirstFamily,
    SecondFamily,
    first_database,
    second_database,
    second_moment,
    top_eigenvalue,
)
from dpmatrix.spec.near_optimal.nearby import PrivateFamily
from dpmatrix.spec.near_optimal.private_bound_proof import Fractions, Rotated
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_needed

theorem_8 = cite("near-optimal.theorem-8@fdfb1f01")

HALF = Fraction(1, 2)
DIRECTIONS = ((1, 0), (Fraction(3, 5), Fraction(-4, 5)), (Fraction(2, 3), Fraction(2, 3), Fraction(1, 3)))
TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (20, 21, 29), (4, 3, 5), (12, 5, 13), (1, 0, 1))
"""beta : side : gap."""
FAMILIES = [
    FirstFamily(2 * hypotenuse * scale, short * scale, HALF, Fraction(long, 2 * hypotenuse), w)
    for (short, long, hypotenuse), scale, w in product(TRIPLES, (1,), DIRECTIONS)
] + [FirstFamily(100, 3, Fraction(5, 100), Fraction(4, 100), DIRECTIONS[1])]
FIRST = FAMILIES[1]
SIDES = [(f, Fraction(f.moved, f.records), Fraction(f.side), Fraction(f.gap)) for f in FAMILIES]

LOOSE = [
    FirstFamily(n, moved, Fraction(3, 7), Fraction(side, 9), w)
    for (n, moved), side, w in product(((5, 1), (7, 3), (10, 9)), (-2, 1, 5, 8), (DIRECTIONS[1], (20, -9)))
]
"""The sides do not fit the gap, and half of the w are long: here what is 0 on the databases is not."""
LOOSE_SIDES = [(f, Fraction(f.moved, f.records), Fraction(f.side), Fraction(f.gap)) for f in LOOSE]

OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(FIRST, records=-10),
    "moved >= 1, an integer": attrs.evolve(FIRST, moved=0, side=HALF),
    "gap > 0": attrs.evolve(FIRST, gap=Fraction(-1, 2)),
    "Delta <= 1/2": FirstFamily(1, 1, 1, 0, DIRECTIONS[0]),
    "|w| = 1": attrs.evolve(FIRST, w=(1, Fraction(1, 4))),
    "beta <= Delta": attrs.evolve(FIRST, moved=6),
    "side^2 = Delta^2 - beta^2": attrs.evolve(FIRST, side=Fraction(41, 100)),
    "side >= 0": attrs.evolve(FIRST, side=-Fraction(FIRST.side)),
}


def check(statement: Statement, *, strict: bool = False) -> None:
    bind_hypotheses(statement, FIRST, OUTSIDE)
    assert statement.strict is strict
    one = FirstFamily(2, 1, HALF, 0, DIRECTIONS[0])
    assert statement.applies(one) is Truth.TRUE, "beta = Delta, one point moved"
    conditions = {given.says: given for given in statement.given}
    assert conditions["|w| = 1"].at(attrs.evolve(FIRST, w=(HALF, HALF))) is Truth.FALSE
    assert conditions["side^2 = Delta^2 - beta^2"].at(attrs.evolve(FIRST, side=Fraction(39, 100))) is Truth.FALSE
    for says in ("Delta <= 1/2", "beta <= Delta"):
        assert not conditions[says].strict
    bind(Statement("", conditions["Delta <= 1/2"].margin), [(f, HALF - g) for f, _, _, g in SIDES])
    bind(Statement("", conditions["beta <= Delta"].margin), [(f, g - b) for f, b, _, g in SIDES])
    tiny = FirstFamily(100, 1, Fraction(1, 50), Fraction(1, 60), DIRECTIONS[0])
    assert conditions["gap > 0"].at(tiny) is Truth.TRUE
    bent = attrs.evolve(tiny, gap=Fraction(1, 60), side=Fraction(1, 50))
    value = -abs(Fraction(1, 50) ** 2 + Fraction(1, 100) ** 2 - Fraction(1, 60) ** 2)
    assert conditions["side^2 = Delta^2 - beta^2"].margin(bent).contains(rational(value))


def moment(p) -> list[list[Fraction]]:
    """Compute the second moment point by point."""
    records = [(copies.number, fraction(copies.scale), copies.direction) for copies in p]
    size, total = len(records[0][2]), sum(number for number, _, _ in records)

    def entry(i, j):
        return sum(n * s * Fraction(x[i]) * Fraction(x[j]) for n, s, x in records) / total

    return [[entry(i, j) for j in range(size)] for i in range(size)]


def test_databases_are_what_they_are_said_to_be() -> None:
    """Whole numbers of points of norm at most 1; two databases of one family differ in the moved points alone."""
    for family in FAMILIES:
        first = first_database(family)
        assert [copies.number for copies in first] == [family.records - family.moved, family.moved]
        norms = [rational(copies.scale) * sum(rational(x) ** 2 for x in copies.direction) for copies in first]
        assert all(0 <= norm <= 1 for norm in norms)
        assert norms[1] == 1
        assert first[1].direction == (*family.w, 1)
        assert first[0].direction[-1] == 1
        assert sum(abs(x) for x in first[0].direction) == 1
        matrix = moment(first)
        exact = second_moment(first)
        assert all(exact[i, j] == rational(matrix[i][j]) for i in range(len(matrix)) for j in range(len(matrix)))
        value = top_eigenvalue(family)
        size = len(matrix)
        shifted = fmpq_mat(size, size, [exact[i, j] - value * int(i == j) for i in range(size) for j in range(size)])
        assert shifted.det() == 0
        assert value <= 1
    for records, moved, gap in ((10, 8, HALF), (4, 9, Fraction(1, 3)), (5, 3, HALF), (1, 2, HALF)):
        second = second_database(SecondFamily(records, moved, gap, DIRECTIONS[2]))
        assert [copies.number for copies in second] == [max(records - moved, 0), min(records, moved)]
        assert rational(second[1].scale) <= 1
        trace = second_moment(second)
        assert sum((trace[i, i] for i in range(3)), fmpq(0)) == rational(gap), "rank one: the eigengap"


@theorem_8.refutes("second-moment", grade="symbolic", region="n = 10, three points moved, Delta = 1/2, w = (3/5, -4/5)")
@theorem_8.refutes(
    "eigenvector", grade="symbolic", region="n = 10, three points moved, Delta = 1/2, w = (3/5, -4/5): beta < Delta"
)
@theorem_8.refutes("two-eigenvalues", grade="symbolic", region="n = 2, one point moved, Delta = 1/2 = beta")
@theorem_8.refutes("square-of-the-difference", grade="symbolic", region="the 22 databases of the test: equal")
def test_slips_about_the_first_family(statements) -> None:
    names = ("second-moment", "eigenvector", "two-eigenvalues", "square-of-the-difference")
    moment_of, eigenvector, two, square = (statements[f"near-optimal.theorem-8/{name}"] for name in names)
    single = FirstFamily(2, 1, HALF, 0, DIRECTIONS[1])
    assert moment_of.at(FIRST) is Truth.FALSE
    assert eigenvector.at(FIRST) is Truth.FALSE
    assert two.at(single) is Truth.FALSE
    assert two.at(FIRST) is Truth.TRUE
    assert all(square.at(p) is Truth.FALSE for p in FAMILIES)
    bind(square, [(p, Fraction(0)) for p in FAMILIES])
    bind(square, [(f, (g - s) ** 2 / 4 - b**4 / (4 * (s + g) ** 2)) for f, b, s, g in LOOSE_SIDES])
    bind(two, [(f, b / 2 + s / 2 - g / 2) for f, b, s, g in SIDES])
    missing = [(f, -b / 2 * max(abs(Fraction(x)) for x in f.w)) for f, b, _, _ in (*SIDES, *LOOSE_SIDES)]
    bind(moment_of, missing)

    def residual(f, b, s, g):
        """Compute A u - l u at u = (b/2) y - t w, t = l - a: along y -b t, along w (b/2)^2 - t (b/2 - l)."""
        t = (g - s) / 2
        top = b / 2 + s / 2 + g / 2
        along = (b / 2) ** 2 - t * b / 2 + t * top
        return max(abs(b * t), abs(along) * max(abs(Fraction(x)) for x in f.w))

    bind(eigenvector, [(f, -residual(f, b, s, g)) for f, b, s, g in SIDES])
    check(moment_of)
    check(eigenvector)
    check(two, strict=True)
    check(square, strict=True)


SOUND = ("block", "gap", "mended-eigenvector", "ratio", "difference", "weight")


@theorem_8.supports("block", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("gap", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("mended-eigenvector", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("ratio", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("difference", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("weight", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("long-side", grade="derived", region="every database: the docstring; 22 databases exactly")
@theorem_8.supports("inequality-18", grade="derived", region="every database: the docstring; 22 databases exactly")
def test_eigenvalues_and_eigenvectors_of_the_first_family(statements) -> None:
    """A = (1-t) m yy' + (t/2)(y+w)(y+w)' with t = beta, m = s/(1-t), s = sqrt(D^2 - t^2), D the gap.

    (1) the coefficients of yy', wy' + yw', ww' are s + t/2, t/2, t/2; (2) (a-c)^2 + 4b^2 = s^2 + t^2 = D^2; (3) l - a =
    (D-s)/2, l - c = (D+s)/2, product t^2/4 = b^2; (4) the weight is t^2/(t^2 + (s+D)^2); (5) its denominator is 2D^2 +
    2Ds <= 4 D^2 < 5 D^2. (6) m <= 1: (1-t)^2 - s^2 = 1 - 2t + 2t^2 - D^2 >= 1/2 - 1/4. The eigenvector is that of (11).
    """
    t, s, D, y, w = sympy.symbols("t s D y w", positive=True)
    m = s / (1 - t)
    quadratic = sympy.expand(sympy.cancel((1 - t) * m) * y**2 + t * (y + w) ** 2 / 2)
    assert sympy.expand(quadratic - ((s + t / 2) * y**2 + t * y * w + t * w**2 / 2)) == 0, "(1)"
    a, b = s + t / 2, t / 2
    top = (a + b) / 2 + D / 2
    assert sympy.expand((a - b) ** 2 + 4 * b**2 - s**2 - t**2) == 0, "(2)"
    assert sympy.expand(top - a - (D - s) / 2) == sympy.expand(top - b - (D + s) / 2) == 0, "(3)"
    on_circle = {s: sympy.sqrt(D**2 - t**2)}
    assert sympy.simplify(((top - a) * (top - b) - b**2).subs(on_circle)) == 0, "(3)"
    weight = (a - top) ** 2 / (b**2 + (a - top) ** 2)
    assert sympy.simplify((weight - t**2 / (t**2 + (s + D) ** 2)).subs(on_circle)) == 0, "(4)"
    assert sympy.expand((t**2 + (s + D) ** 2).subs(on_circle) - 2 * D**2 - 2 * D * sympy.sqrt(D**2 - t**2)) == 0, "(5)"
    assert sympy.expand(1 - 2 * t + 2 * t**2 - sympy.Rational(1, 2) - 2 * (t - sympy.Rational(1, 2)) ** 2) == 0, "(6)"
    for name in SOUND:
        statement = statements[f"near-optimal.theorem-8/{name}"]
        bind(statement, [(p, Fraction(0)) for p in FAMILIES])
        check(statement)
        assert [p for p in FAMILIES if statement.at(p) is not Truth.TRUE] == []
    misfit = [(f, -abs(s**2 + b**2 - g**2)) for f, b, s, g in LOOSE_SIDES]
    bind(statements["near-optimal.theorem-8/gap"], misfit)
    bind(statements["near-optimal.theorem-8/ratio"], [(f, value / 4) for f, value in misfit])
    along = [(f, value / 4 * max(abs(Fraction(x)) for x in f.w)) for f, value in misfit if f.w == DIRECTIONS[1]]
    bind(statements["near-optimal.theorem-8/mended-eigenvector"], along, least=12)
    shares = [(f, (g - s) ** 2 / (b**2 + (g - s) ** 2), b**2 / (b**2 + (s + g) ** 2)) for f, b, s, g in LOOSE_SIDES]
    bind(statements["near-optimal.theorem-8/weight"], [(f, -abs(x - y)) for f, x, y in shares])
    longest = statements["near-optimal.theorem-8/long-side"]
    bind(longest, [(f, min(s / (1 - b), 1 - s / (1 - b))) for f, b, s, _ in SIDES])
    check(longest)
    assert longest.without("side >= 0").at(OUTSIDE["side >= 0"]) is Truth.FALSE
    bound = statements["near-optimal.theorem-8/inequality-18"]
    bind(bound, [(f, b**2 / (b**2 + (s + g) ** 2) - b**2 / (5 * g**2)) for f, b, s, g in SIDES])
    check(bound, strict=True)
    for statement in (longest, bound):
        assert all(statement.at(p) is Truth.TRUE for p in FAMILIES)


@theorem_8.controls("block", grade="symbolic", region="34 databases: without the b of y and w, the error exactly")
@theorem_8.controls("difference", grade="symbolic", region="34 databases: the smaller eigenvalue, exactly Delta below")
def test_other_entries_or_another_eigenvalue_are_no_identity(statements) -> None:
    """The entries of b (y w' + w y') are those of w times b = beta/2; the eigenvalues are Delta apart."""
    block, difference = (statements[f"near-optimal.theorem-8/{name}"] for name in ("block", "difference"))
    entries, top = private_bound_proof.entries, private_bound_proof.top_eigenvalue
    sides = [*SIDES, *LOOSE_SIDES]
    straight = redefined(block, private_bound_proof, "entries", lambda p: (entries(p)[0], fmpq(0), entries(p)[2]))
    bind(straight, [(f, -b / 2 * max(abs(Fraction(x)) for x in f.w)) for f, b, _, _ in sides])
    smaller = redefined(difference, private_bound_proof, "top_eigenvalue", lambda p: top(p) - rational(p.gap))
    bind(smaller, [(f, -g) for f, _, _, g in sides])
    assert straight.at(FIRST) is smaller.at(FIRST) is Truth.FALSE


ROTATED = [
    Rotated(q, x, phi)
    for q, x, phi in product((0, HALF, Fraction(9, 10), 1), (Fraction(-3, 5), 0, HALF), (Fraction(3, 5), 1))
]
FRACTIONS = [
    Fractions(low, low + step, v) for low, step, v in product((0, HALF, 3), (0, Fraction(1, 7), 5), (HALF, 2, 9))
]


@theorem_8.supports("inequality-17", grade="derived", region="0 <= q <= 1: the docstring; bound as an expression")
@theorem_8.supports(
    "monotone", grade="symbolic", region="0 <= low <= high, v > 0: v (high - low)/((v + high)(v + low))"
)
def test_inner_products_of_the_eigenvectors(statements) -> None:
    """|1 - q + q x| <= 1 - q + q |x| <= 1 - q (1-phi) for 0 <= q <= 1; h/(v+h) - l/(v+l) = v (h-l)/((v+h)(v+l))."""
    cap, monotone = (statements[f"near-optimal.theorem-8/{name}"] for name in ("inequality-17", "monotone"))
    h, low, v, q, phi = sympy.symbols("h low v q phi", positive=True)
    least, step = sympy.symbols("least step", nonnegative=True)
    difference = v * (h - low) / ((v + h) * (v + low))
    bind_expression(monotone, difference, fields={"high": h})
    assert difference.subs({low: least, h: least + step}, simultaneous=True).is_nonnegative
    assert sympy.expand(1 - q + q * phi - (1 - q * (1 - phi))) == 0
    x = sympy.Symbol("x", real=True)
    inner = [(p, Fraction(p.weight), Fraction(p.inner)) for p in ROTATED]
    bind(cap, [(p, 1 - weight * (1 - p.phi) - abs(1 - weight + weight * cosine)) for p, weight, cosine in inner])
    bind_expression(cap, 1 - q * (1 - phi) - sympy.Abs(1 - q + q * x), fields={"weight": q, "inner": x})
    outside = {
        "weight >= 0": Rotated(Fraction(-1, 20), 0, HALF),
        "weight <= 1": Rotated(Fraction(21, 20), 0, HALF),
        "|<w_i, w_j>| <= phi": Rotated(HALF, Fraction(-11, 20), HALF),
    }
    bind_hypotheses(cap, Rotated(1, HALF, HALF), outside)
    assert cap.applies(Rotated(0, -HALF, HALF)) is Truth.TRUE
    assert cap.at(Rotated(1, HALF, HALF)) is Truth.TRUE, "equality"
    within = cap.given[-1]
    bind(Statement(within.says, within.margin), [(p, Fraction(p.phi) - abs(Fraction(p.inner))) for p in ROTATED])
    outside = {
        "low >= 0": Fractions(Fraction(-1, 20), 1, 1),
        "v > 0": Fractions(HALF, 1, 0),
        "low <= high": Fractions(1, Fraction(19, 20), 1),
    }
    bind_hypotheses(monotone, Fractions(0, 0, Fraction(1, 20)), outside)
    order = monotone.given[-1]
    bind(Statement(order.says, order.margin), [(p, Fraction(p.high) - Fraction(p.low)) for p in FRACTIONS])
    for statement in (cap, monotone):
        assert not statement.strict


SECONDS = [
    SecondFamily(n, moved, gap, w)
    for (n, moved), gap, w in product(((10, 8), (7, 5), (20, 13), (4, 3)), (Fraction(2, 5), HALF), DIRECTIONS)
]


@theorem_8.refutes("gap-of-the-second-family", grade="symbolic", region="beta = 4/5, Delta = 2/5")
def test_the_second_family_lacks_a_root(statement) -> None:
    """The eigengap of the printed databases is Delta^2/beta: 1/5 for 2/5."""
    assert statement.at(SecondFamily(10, 8, Fraction(2, 5), DIRECTIONS[2])) is Truth.FALSE
    bind(statement, [(p, -abs(Fraction(p.gap) ** 2 * p.records / p.moved - p.gap)) for p in SECONDS])
    inside = SECONDS[0]
    outside = {
        "records >= 1, an integer": attrs.evolve(inside, records=-1),
        "moved >= 1, an integer": attrs.evolve(inside, moved=0),
        "gap > 0": attrs.evolve(inside, gap=0),
        "Delta <= 1/2": attrs.evolve(inside, gap=Fraction(51, 100)),
        "|w| = 1": attrs.evolve(inside, w=(1, Fraction(1, 4))),
        "beta > Delta": SecondFamily(10, 4, Fraction(2, 5), DIRECTIONS[0]),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.applies(SecondFamily(1, 1, Fraction(1, 20), DIRECTIONS[0])) is Truth.TRUE
    share = statement.given[-1]
    bind(Statement(share.says, share.margin), [(p, Fraction(p.moved, p.records) - p.gap) for p in SECONDS])
    assert share.strict
    assert not statement.strict


def answers(count: int, favour: Fraction, epsilon) -> PrivateFamily:
    """Publish one of ``count`` orthogonal lines, the right one with ``favour`` times the chance of each other one."""
    basis = tuple(tuple(int(i == j) for j in range(count)) for i in range(count))
    rows = tuple(
        tuple((favour if i == j else Fraction(1)) / (favour + count - 1) for j in range(count)) for i in range(count)
    )
    return PrivateFamily(basis, basis, rows, epsilon, 1)


ANSWERS = [answers(k, 1 + Fraction(j, 9), Fraction(3, 5)) for k in (3, 4, 5) for j in range(7)]
CLOSE = PrivateFamily(
    ((1, 0), (Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5))),
    ((1, 0), (0, 1)),
    ((HALF, HALF), (Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 5), Fraction(3, 5))),
    Fraction(3, 5),
    1,
)


def one_law(outputs, *weights) -> PrivateFamily:
    """Answer in the same way on two databases of the plane."""
    return PrivateFamily(((1, 0), (0, 1)), outputs, (weights, weights), 1, 0)


@theorem_8.supports("inequality-14", grade="derived", region="every private family, by Lemma 12; 22 families exactly")
def test_some_database_has_a_poor_answer(statement) -> None:
    """The least of K numbers is at most their mean, which Lemma 12 bounds."""
    values = [(p, Fraction(15, 16) - p.probabilities[0][0]) for p in ANSWERS]
    bind(statement, [*values, (CLOSE, Fraction(79, 80) - HALF)])
    assert [p for p in (*ANSWERS, CLOSE) if statement.at(p) is not Truth.TRUE] == []
    middle = answers(3, Fraction(1), Fraction(3, 5))
    outside = {
        "K laws on the outputs, vectors of one length": PrivateFamily(((1, 0), (0, 1)), ((1, 0),), ((1,),), 1, 0),
        "K >= 2": PrivateFamily(((1, 0),), ((1, 0),), ((1,),), 1, 0),
        "eigenvectors and outputs have norm 1": attrs.evolve(middle, outputs=((1, 0, 0), (0, 1, 0), (0, HALF, 1))),
        "the probabilities are at least 0": attrs.evolve(
            middle, probabilities=((Fraction(-1, 20), HALF, Fraction(11, 20)), *middle.probabilities[1:])
        ),
        "the probabilities of each database sum to 1": attrs.evolve(
            middle, probabilities=((Fraction(1, 3), Fraction(1, 3), HALF), *middle.probabilities[1:])
        ),
        "epsilon > 0": attrs.evolve(middle, epsilon=0),
        "distance >= 0, an integer": attrs.evolve(middle, distance=-1),
        "the laws of two databases are private at their distance": answers(3, Fraction(2), Fraction(3, 5)),
        "two databases differ in at most ln(K-1)/eps points": attrs.evolve(middle, distance=2),
    }
    bind_hypotheses(statement, middle, outside)
    certain = answers(3, Fraction(10**4), Fraction(3, 5))
    balanced = ((Fraction(20, 29), Fraction(21, 29)), (1, 0), (0, 1))
    needed = {
        "eigenvectors and outputs have norm 1": one_law(((3, 3),), 1),
        "the probabilities are at least 0": one_law(balanced, 11, -5, -5),
        "the probabilities of each database sum to 1": one_law(balanced[:1], 2),
        "the laws of two databases are private at their distance": certain,
        "two databases differ in at most ln(K-1)/eps points": attrs.evolve(certain, epsilon=10),
    }
    bind_needed(statement, middle, outside, needed)
    assert not statement.strict
