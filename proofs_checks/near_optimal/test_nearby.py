"""Lemma 12 of `near-optimal`: what privacy costs on average over nearby databases."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, decimals, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.nearby import PrivateFamily, bound, total_correlation
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed
from proofs_checks.near_optimal.formulas import dot

lemma_12 = cite("near-optimal.lemma-12@28998fbb")

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def line(slope) -> tuple[Fraction, Fraction]:
    """Return a rational unit vector of the plane."""
    slope = Fraction(slope)
    return (1 - slope**2) / (1 + slope**2), 2 * slope / (1 + slope**2)


FANS = [
    tuple(line(Fraction(k, 3)) for k in range(2)),
    tuple(line(Fraction(k, 5)) for k in (0, 1, 3, 5)),
    tuple(line(Fraction(k, 7)) for k in (-6, -3, 0, 2, 5)),
    ((1, 0, 0), (0, 1, 0), (0, 0, 1), (Fraction(2, 3), Fraction(2, 3), Fraction(1, 3))),
    tuple(line(Fraction(k, 9)) for k in (-9, -6, -4, -1, 1, 3, 5, 7)),
]


def respond(fan, favour: Fraction, epsilon, distance: int) -> PrivateFamily:
    """Publish the right eigenvector with ``favour`` times the chance of each other one."""
    count = len(fan)
    rows = tuple(
        tuple((favour if i == j else Fraction(1)) / (favour + count - 1) for j in range(count)) for i in range(count)
    )
    return PrivateFamily(fan, fan, rows, epsilon, distance)


def wheel(fan, epsilon, distance: int) -> PrivateFamily:
    """Publish one of three fixed vectors, with chances that hardly depend on the database."""
    outputs = (
        (line(Fraction(1, 4)), line(2), line(Fraction(-2, 5))) if len(fan[0]) == 2 else ((1, 0, 0), (0, 0, -1), fan[3])
    )
    rows = tuple((Fraction(20 + i, 60), Fraction(20 - i, 60), Fraction(1, 3)) for i in range(len(fan)))
    return PrivateFamily(fan, outputs, rows, epsilon, distance)


FAMILIES = [
    respond(FANS[0], Fraction(1), 1, 0),
    respond(FANS[1], Fraction(5, 2), Fraction(1, 1), 1),
    respond(FANS[1], Fraction(29, 10), Fraction(109, 100), 1),
    respond(FANS[2], Fraction(7, 2), Fraction(27, 40), 2),
    respond(FANS[3], Fraction(29, 10), Fraction(27, 25), 1),
    respond(FANS[3], Fraction(2), Fraction(7, 10), 1),
    respond(FANS[4], Fraction(6), Fraction(19, 30), 3),
    respond(FANS[4], Fraction(3), Fraction(3, 2), 1),
    *(wheel(fan, Fraction(9, 10), 1) for fan in FANS[1:]),
    *(respond(fan, Fraction(k, 3), Fraction(2, 5), 2) for fan in FANS[1:] for k in (4, 5, 6)),
]
"""Private at their distance."""

NEAR_THE_EDGE = PrivateFamily(
    (line(0), line(Fraction(8, 11))),
    (line(0), line(Fraction(4, 13)), line(Fraction(3, 10)), line(Fraction(8, 11))),
    ((HALF, Fraction(1, 5), Fraction(1, 5), TENTH), (TENTH, Fraction(2, 5), Fraction(1, 5), Fraction(3, 10))),
    1,
    1,
)
"""The second output is at half the distance of the two lines from the first one, the third a little nearer."""
LOUD = [respond(fan, Fraction(k), 1, 1) for fan in FANS for k in (1, 4, 90)] + [wheel(fan, 1, 1) for fan in FANS]
LOUD += [NEAR_THE_EDGE]
"""Laws without any guarantee."""


def farthest(p: PrivateFamily) -> Fraction:
    return max(abs(dot(x, y)) for x, y in permutations(p.eigenvectors, 2))


def correlation(p: PrivateFamily) -> Fraction:
    return sum(
        Fraction(q) * abs(dot(x, u))
        for u, row in zip(p.eigenvectors, p.probabilities, strict=True)
        for x, q in zip(p.outputs, row, strict=True)
    )


def hits(p: PrivateFamily, i: int, j: int) -> Fraction:
    """``P(A(D_i) in G_j)`` through inner products: 2 - 2|<x, u>| < (2 - 2 max)/4."""
    bar = (2 - 2 * farthest(p)) / 4
    pairs = zip(p.outputs, p.probabilities[i], strict=True)
    return sum((Fraction(q) for x, q in pairs if 2 - 2 * abs(dot(x, p.eigenvectors[j])) < bar), Fraction(0))


def missed(p: PrivateFamily) -> Fraction:
    return sum(1 - hits(p, i, i) for i in range(len(p.eigenvectors)))


def count(p: PrivateFamily) -> int:
    return len(p.eigenvectors)


def exact_lines() -> dict:
    """Give the margin of each line, from inner products."""

    def gap(p):
        return 2 - 2 * farthest(p)

    def disjoint(p):
        return min(1 - sum(hits(p, i, j) for j in range(count(p))) for i in range(count(p)))

    def group(p):
        pairs = permutations(range(count(p)), 2)
        return min(hits(p, i, j) - hits(p, j, j) / (count(p) - 1) for i, j in pairs)

    return {
        "": lambda p: count(p) - Fraction(count(p), 16) * (1 - farthest(p)) - correlation(p),
        "/disjoint": disjoint,
        "/group-privacy": group,
        "/inequality-13": lambda p: missed(p) - Fraction(count(p) - 1, 2),
        "/markov": lambda p: 2 * count(p) - 2 * correlation(p) - missed(p) * gap(p) / 4,
        "/by-inequality-13": lambda p: (missed(p) / 4 - Fraction(count(p) - 1, 8)) * gap(p),
        "/as-inner-products": lambda _: Fraction(0),
        "/constant-1-16": lambda p: (1 - farthest(p)) * (Fraction(count(p) - 1, 8) - Fraction(count(p), 16)),
    }


STRETCHED = [
    attrs.evolve(p, eigenvectors=tuple(tuple(x * Fraction(i + j, 3) for x in u) for j, u in enumerate(p.eigenvectors)))
    for p in FAMILIES[:6]
    for i in (1, 2, 5, 6)
]
"""Eigenvectors that do not have norm 1."""


def rewritten(p: PrivateFamily) -> Fraction:
    """Compute by what the squared distances differ from 2 K - 2 sum E|<., .>|, and from 2 - 2 max."""
    rows = zip(p.eigenvectors, p.probabilities, strict=True)
    cells = [(x, u, Fraction(q)) for u, row in rows for x, q in zip(p.outputs, row, strict=True)]
    total = sum(q * (dot(x, x) + dot(u, u)) for x, u, q in cells) - 2 * count(p)
    pairs = [(dot(x, x) + dot(y, y), abs(dot(x, y))) for x, y in permutations(p.eigenvectors, 2)]
    least = min(squares - 2 * product_ for squares, product_ in pairs) - 2 + 2 * farthest(p)
    return -max(abs(total), abs(least))


LAW_LINES = ("/disjoint", "/markov", "/as-inner-products", "/constant-1-16")
FIRST = FAMILIES[1]
LAW_OUTSIDE = {
    "K laws on the outputs, vectors of one length": PrivateFamily(((1, 0), (0, 1)), ((1, 0),), ((1,),), 1, 0),
    "K >= 2": PrivateFamily((line(0),), (line(0),), ((1,),), 1, 0),
    "eigenvectors and outputs have norm 1": attrs.evolve(FIRST, outputs=(*FANS[1][:3], (1, Fraction(1, 4)))),
    "the probabilities are at least 0": attrs.evolve(
        FIRST, probabilities=(*FIRST.probabilities[:3], (Fraction(-1, 20), Fraction(21, 20), 0, 0))
    ),
    "the probabilities of each database sum to 1": attrs.evolve(
        FIRST, probabilities=(*FIRST.probabilities[:3], (Fraction(19, 20), 0, 0, 0))
    ),
}
OUTSIDE = LAW_OUTSIDE | {
    "epsilon > 0": attrs.evolve(FIRST, epsilon=0),
    "distance >= 0, an integer": attrs.evolve(FIRST, distance=-1),
    "the laws of two databases are private at their distance": respond(FANS[1], Fraction(3), 1, 1),
    "two databases differ in at most ln(K-1)/eps points": attrs.evolve(FIRST, distance=2),
}


PLANE = ((1, 0), (0, 1))
MIDDLE = (Fraction(20, 29), Fraction(21, 29))
"""A unit vector outside the caps around both axes."""
SHAPES, NORMS = "K laws on the outputs, vectors of one length", "eigenvectors and outputs have norm 1"
LIKELY, SUMS = "the probabilities are at least 0", "the probabilities of each database sum to 1"
GUARANTEE = "the laws of two databases are private at their distance"
NEAR = "two databases differ in at most ln(K-1)/eps points"


def one_law(outputs, *weights, fan=PLANE) -> PrivateFamily:
    """Answer in the same way on every database, so that any weights are private at distance 0."""
    return PrivateFamily(fan, outputs, (weights,) * len(fan), 1, 0)


EXACT = respond(((1, 0, 0), (0, 1, 0), (0, 0, 1)), Fraction(10**4), Fraction(3, 5), 1)
UNFIT = {SHAPES: PrivateFamily(((1, 0), (1,)), ((1, 0),), ((1,), (1,)), 1, 0)}
FAR = {GUARANTEE: EXACT, NEAR: attrs.evolve(EXACT, epsilon=10)}
OUTWARD = one_law((PLANE[0], MIDDLE), 9, -8)
TWICE = one_law((MIDDLE,), 2)
NEEDED = {
    "": {NORMS: one_law(((3, 3),), 1), LIKELY: one_law((MIDDLE, PLANE[0]), 10, -9), SUMS: TWICE, **FAR},
    "/disjoint": {LIKELY: OUTWARD, SUMS: one_law(PLANE, 1, 1)},
    "/group-privacy": {LIKELY: one_law(EXACT.outputs, -1, 2, 0, fan=EXACT.outputs), **FAR},
    "/inequality-13": {LIKELY: OUTWARD, SUMS: one_law(PLANE, 3, 3), **FAR},
    "/markov": {LIKELY: one_law((PLANE[0], MIDDLE), -1, 2), SUMS: one_law(PLANE, 0, 0)},
    "/by-inequality-13": {LIKELY: OUTWARD, SUMS: one_law(PLANE, 3, 3), **FAR},
    "/as-inner-products": {NORMS: one_law(((3, 3),), 1), SUMS: TWICE},
    "/constant-1-16": {NORMS: one_law(((1, 0),), 1, fan=((1, 0), (2, 0), (0, 1)))},
}
"""Points at which a line fails that lacks one hypothesis alone."""


def check_family(statement: Statement, outside: dict, needed: dict) -> None:
    bind_hypotheses(statement, FIRST, outside)
    bind_needed(statement, FIRST, outside | UNFIT, needed)
    assert not statement.strict
    norms = next(given for given in statement.given if "norm 1" in given.says)
    assert norms.at(attrs.evolve(FIRST, eigenvectors=(*FANS[1][:3], (Fraction(4, 5), HALF)))) is Truth.FALSE
    assert statement.applies(FAMILIES[0]) is Truth.TRUE, "K = 2 and one law"
    for says in outside.keys() - {"epsilon > 0"}:
        assert next(given for given in statement.given if given.says == says).strict is False
    shapes = "K laws on the outputs, vectors of one length"
    bind_condition(statement, shapes, [(outside[shapes], -1), *((p, 0) for p in FAMILIES)])
    sums = next(given for given in statement.given if "sum to 1" in given.says)
    over = attrs.evolve(FIRST, probabilities=(*FIRST.probabilities[:3], (Fraction(21, 20), 0, 0, 0)))
    assert sums.at(over) is Truth.FALSE


@lemma_12.supports(
    grade="derived",
    region="every K >= 2 and every private mechanism: derivation in the docstring, its algebra machine-checked, each "
    "line exactly on mechanisms with finitely many outputs",
)
@lemma_12.supports("disjoint", grade="derived", region="every mechanism, triangle inequality")
@lemma_12.supports("group-privacy", grade="derived", region="every private mechanism")
@lemma_12.supports("inequality-13", grade="derived", region="every private mechanism")
@lemma_12.supports("markov", grade="derived", region="every mechanism")
@lemma_12.supports("by-inequality-13", grade="derived", region="as for (13)")
@lemma_12.supports("as-inner-products", grade="derived", region="unit vectors")
@lemma_12.supports("constant-1-16", grade="derived", region="every K >= 2")
def test_a_miss_on_one_database_is_a_hit_on_another(statements) -> None:
    """G_j: |x - u_j| < t/2 or |x + u_j| < t/2, t the least distance of two lines: disjoint by the triangle inequality.

    Group privacy at distance m <= ln(K-1)/eps: P_i(G_j) >= exp(-m eps) P_j(G_j) >= P_j(G_j)/(K-1). With x_i = P_i(not
    G_i): sum_i x_i >= sum_i sum_(j != i) P_i(G_j) >= sum_j (1 - x_j), as each j occurs K - 1 times, so sum x_i >= K/2
    >= (K-1)/2 (1). Outside G_i the squared distance is at least t^2/4. For unit vectors min |x -+ u|^2 = 2 - 2|<x, u>|
    (2), t^2 = 2 - 2c. So 2K - 2 sum E|<.,.>| >= (K/2) t^2/4 = K (1-c)/4: the sum is at most K (1 - (1-c)/8) (3), and
    with (K-1)/2 in place of K/2 the printed lines; (K-1)/K >= 1/2 (4).
    """
    x, K, c, s = sympy.symbols("x K c s", positive=True)
    assert sympy.solve(sympy.Eq(x, K - x), x) == [K / 2], "(1)"
    assert sympy.expand(1 - 2 * s + 1 - (2 - 2 * s)) == 0, "(2): |x|^2 - 2<x,u> + |u|^2"
    total = sympy.solve(sympy.Eq(2 * K - 2 * s, K / 2 * (2 - 2 * c) / 4), s)[0]
    assert sympy.expand(total - K * (1 - (1 - c) / 8)) == 0, "(3)"
    assert sympy.expand((K - 1) - K / 2 - (K - 2) / 2) == 0, "(4)"
    for line_name, formula in exact_lines().items():
        statement = statements[f"near-optimal.lemma-12{line_name}"]
        points = FAMILIES + LOUD if line_name in LAW_LINES else FAMILIES
        assert len(points) >= 20
        bind(statement, [(p, formula(p)) for p in points])
        check_family(statement, LAW_OUTSIDE if line_name in LAW_LINES else OUTSIDE, NEEDED[line_name])
        assert [p for p in points if statement.at(p) is not Truth.TRUE] == []
    bind(statements["near-optimal.lemma-12/as-inner-products"], [(p, rewritten(p)) for p in STRETCHED])
    assert all(bound(p, fmpq(1, 8)) >= total_correlation(p) for p in FAMILIES), "the constant 1/8"


def least_ratio(p: PrivateFamily) -> mpmath.mpf:
    factor = mpmath.exp(p.distance * real(p.epsilon))
    pairs = permutations(p.probabilities, 2)
    return min(factor * real(b) - real(a) for first, second in pairs for a, b in zip(first, second, strict=True))


@lemma_12.controls(grade="symbolic", region="4 orthogonal lines of R^4")
def test_the_average_needs_privacy_and_a_small_constant(statement) -> None:
    """Randomised response over an orthonormal basis has correlation 0.498 K; 9/16 for 1/16 would forbid it."""
    basis = tuple(tuple(int(i == j) for j in range(4)) for i in range(4))
    answer = respond(basis, Fraction(298, 100), Fraction(1095, 1000), 1)
    assert statement.at(answer) is Truth.TRUE
    assert (
        statement.nudged(margin=lambda p: arb(bound(p, fmpq(9, 16)) - total_correlation(p))).at(answer) is Truth.FALSE
    )
    assert abs(total_correlation(answer) / arb(len(basis)) - arb("0.498")) < arb("0.0005")
    exact = respond(basis, Fraction(10**4), Fraction(1095, 1000), 1)
    guarantee = "the laws of two databases are private at their distance"
    assert statement.without(guarantee).at(exact) is Truth.FALSE
    far = attrs.evolve(exact, epsilon=10)
    assert statement.without("two databases differ in at most ln(K-1)/eps points").at(far) is Truth.FALSE
    conditions = {given.says: given for given in statement.given}
    private = conditions[guarantee]
    bind_formula(Statement(private.says, private.margin), FAMILIES, least_ratio)
    near = conditions["two databases differ in at most ln(K-1)/eps points"]
    values = decimals(FAMILIES, lambda p: mpmath.log(count(p) - 1) / real(p.epsilon) - p.distance)
    bind(Statement(near.says, near.margin), values)
