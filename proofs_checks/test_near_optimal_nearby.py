"""Lemma 12 and Theorem 13 of `near-optimal`: what privacy, and what a small divergence, cost on average."""

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
from dpmatrix.spec.near_optimal.fano import Estimation
from dpmatrix.spec.near_optimal.nearby import PrivateFamily, bound, total_correlation
from proofs_checks.near_optimal_formulas import dot

lemma_12 = cite("near-optimal.lemma-12@dcc755b3")
theorem_13 = cite("near-optimal.theorem-13@71eb377b")


HALF = Fraction(1, 2)


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

LOUD = [respond(fan, Fraction(k), 1, 1) for fan in FANS for k in (1, 4, 90)] + [wheel(fan, 1, 1) for fan in FANS]
"""Laws without any promise."""


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
        "/eighth": lambda p: (missed(p) / 4 - Fraction(count(p) - 1, 8)) * gap(p),
        "/rewritten": lambda _: Fraction(0),
        "/last": lambda p: (1 - farthest(p)) * (Fraction(count(p) - 1, 8) - Fraction(count(p), 16)),
    }


LAW_LINES = ("/disjoint", "/markov", "/rewritten", "/last")
FIRST = FAMILIES[1]
LAW_OUTSIDE = {
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


def check_family(statement: Statement, outside: dict) -> None:
    bind_hypotheses(statement, FIRST, outside)
    assert not statement.strict
    norms = next(given for given in statement.given if "norm 1" in given.says)
    assert norms.at(attrs.evolve(FIRST, eigenvectors=(*FANS[1][:3], (Fraction(4, 5), HALF)))) is Truth.FALSE
    assert statement.applies(FAMILIES[0]) is Truth.TRUE, "K = 2 and one law"
    for says in outside.keys() - {"epsilon > 0"}:
        assert next(given for given in statement.given if given.says == says).strict is False
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
@lemma_12.supports("eighth", grade="derived", region="as for (13)")
@lemma_12.supports("rewritten", grade="derived", region="unit vectors")
@lemma_12.supports("last", grade="derived", region="every K >= 2")
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
        check_family(statement, LAW_OUTSIDE if line_name in LAW_LINES else OUTSIDE)
        assert [p for p in points if statement.at(p) is not Truth.TRUE] == []
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
    assert statement.nudged(lambda margin: margin - 4 * arb(fmpq(8, 16))).at(answer) is Truth.FALSE
    exact = respond(basis, Fraction(10**4), Fraction(1095, 1000), 1)
    promise = "the laws of two databases are private at their distance"
    assert statement.without(promise).at(exact) is Truth.FALSE
    far = attrs.evolve(exact, epsilon=10)
    assert statement.without("two databases differ in at most ln(K-1)/eps points").at(far) is Truth.FALSE
    conditions = {given.says: given for given in statement.given}
    private = conditions[promise]
    bind_formula(Statement(private.says, private.margin), FAMILIES, least_ratio)
    near = conditions["two databases differ in at most ln(K-1)/eps points"]
    values = decimals(FAMILIES, lambda p: mpmath.log(count(p) - 1) / real(p.epsilon) - p.distance)
    bind(Statement(near.says, near.margin), values)


def estimation(laws, errors, separation=1, divergence=1) -> Estimation:
    return Estimation(tuple(map(tuple, laws)), tuple(map(tuple, errors)), separation, divergence)


def blurred(r: int, share: Fraction, divergence) -> Estimation:
    """Observe J itself with chance ``share``, else something uniform; the estimate is the theta that is observed."""
    laws = [[share * (i == j) + (1 - share) / r for i in range(r)] for j in range(r)]
    errors = [[int(i != j) for j in range(r)] for i in range(r)]
    return estimation(laws, errors, 1, divergence)


SKEWED = estimation(
    [
        [HALF, Fraction(1, 3), Fraction(1, 6)],
        [Fraction(1, 4), HALF, Fraction(1, 4)],
        [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)],
    ],
    [[Fraction(1, 3), 1, Fraction(3, 4)], [1, Fraction(1, 5), 2], [Fraction(5, 4), Fraction(2, 3), Fraction(1, 3)]],
    1,
    Fraction(1, 3),
)
ESTIMATIONS = [
    *(blurred(r, Fraction(k, 10), 2) for r in (2, 3, 6, 9) for k in (1, 4, 6)),
    blurred(4, Fraction(0), 0),
    *(attrs.evolve(SKEWED, separation=Fraction(k, 8), divergence=Fraction(k + 3, 9)) for k in range(9)),
]


def worst_error(p: Estimation) -> Fraction:
    return max(
        sum(Fraction(f) * Fraction(row[j]) for f, row in zip(law, p.errors, strict=True))
        for j, law in enumerate(p.laws)
    )


def fano(p: Estimation) -> mpmath.mpf:
    bracket = 1 - (real(p.divergence) + mpmath.log(2)) / mpmath.log(len(p.laws))
    return real(worst_error(p)) - real(p.separation) / 2 * bracket


def divergence(p: Estimation) -> mpmath.mpf:
    def one(first, second):
        return sum(real(f) * mpmath.log(real(f) / real(g)) for f, g in zip(first, second, strict=True) if f)

    return real(p.divergence) - max(one(first, second) for first, second in permutations(p.laws, 2))


FANO_OUTSIDE = {
    "r >= 2": estimation([[HALF, HALF]], [[0], [1]]),
    "the probabilities are at least 0": attrs.evolve(
        SKEWED, laws=((Fraction(-1, 20), Fraction(21, 20), 0), *SKEWED.laws[1:])
    ),
    "each law sums to 1": attrs.evolve(
        SKEWED, laws=(*SKEWED.laws[:2], (Fraction(1, 5), Fraction(1, 5), Fraction(11, 20)))
    ),
    "distances are at least 0": attrs.evolve(SKEWED, errors=(*SKEWED.errors[:2], (Fraction(-1, 20), 2, 2))),
    "separation >= 0": attrs.evolve(SKEWED, separation=Fraction(-1, 20)),
    "d(e, theta_i) + d(e, theta_j) >= d(theta_i, theta_j) >= tau for i != j": attrs.evolve(
        SKEWED, separation=Fraction(101, 100)
    ),
    "KL(f_i|f_j) <= gamma": attrs.evolve(SKEWED, divergence=Fraction(1, 10)),
}


@theorem_13.supports(
    grade="derived",
    region="every family of densities and every pseudo-metric: derivation in the docstring, its identities and scalar "
    "inequalities machine-checked; convexity of the divergence and data processing cited",
)
def test_fano_from_two_coins(statement) -> None:
    """J uniform on 1..r, X ~ f_J, psi the index of the theta nearest to the estimate, p = P(psi != J).

    Where psi != j, tau <= d(theta_psi, theta_j) <= 2 d(estimate, theta_j): E_j d >= (tau/2) P_j(psi != j), and the
    maximum over j is at least the mean (tau/2) p. With M the mean of the f_j, (1/r) sum_j KL(f_j|M) <= (1/r^2) sum_jk
    KL(f_j|f_k) <= gamma by convexity of the divergence in its second argument. The left side is the divergence of the
    law of (J, X) from the product of its marginals; the event psi = J has the chances 1 - p and 1/r, so by data
    processing it is at least kl(1-p, 1/r) = (1-p) log r + p log(r/(r-1)) - h(p) (1), h(p) = -p log p - (1-p) log(1-p)
    <= log 2 (2). Hence p >= 1 - (gamma + log 2)/log r, which is what is asked for when tau >= 0.
    """
    p, r, g = sympy.symbols("p r gamma", positive=True)
    kl = (1 - p) * sympy.log((1 - p) * r) + p * sympy.log(p / (1 - 1 / r))
    h = -p * sympy.log(p) - (1 - p) * sympy.log(1 - p)
    split = (1 - p) * sympy.log(r) + p * sympy.log(r / (r - 1)) - h
    difference = kl - split
    assert max(abs(difference.subs({p: Fraction(k, 9), r: k + 2}).evalf(40)) for k in range(1, 9)) < 1e-30, "(1)"
    assert sympy.simplify(sympy.expand_log(sympy.diff(difference, p), force=True)) == 0, "(1)"
    assert sympy.simplify(sympy.diff(h, p).subs(p, sympy.Rational(1, 2))) == 0, "(2)"
    assert sympy.simplify(h.subs(p, sympy.Rational(1, 2)) - sympy.log(2)) == 0
    assert sympy.simplify(sympy.diff(h, p, 2) + 1 / (p * (1 - p))) == 0, "h is concave"
    solved = sympy.solve(sympy.Eq((1 - p) * sympy.log(r) - sympy.log(2), g), p)[0]
    assert sympy.simplify(solved - (1 - (g + sympy.log(2)) / sympy.log(r))) == 0
    bind_formula(statement, ESTIMATIONS, fano)
    held = [point for point in ESTIMATIONS if statement.applies(point) is Truth.TRUE]
    assert len(held) >= 15
    assert [point for point in held if statement.at(point) is not Truth.TRUE] == []
    bind_hypotheses(statement, SKEWED, FANO_OUTSIDE)
    assert statement.applies(blurred(2, Fraction(0), 0)) is Truth.TRUE, "r = 2, equal laws, gamma = 0"
    assert statement.applies(attrs.evolve(SKEWED, separation=0)) is Truth.TRUE
    assert not statement.strict
    conditions = {given.says: given for given in statement.given}
    assert not any(given.strict for given in statement.given)
    largest = conditions["KL(f_i|f_j) <= gamma"]
    bind_formula(Statement(largest.says, largest.margin), ESTIMATIONS, divergence)
    singular = estimation([[1, 0], [HALF, HALF]], [[0, 1], [1, 0]], 1, 100)
    assert statement.applies(singular) is Truth.FALSE, "an infinite divergence"
    over = attrs.evolve(SKEWED, laws=(*SKEWED.laws[:2], (Fraction(1, 5), Fraction(2, 5), Fraction(9, 20))))
    assert statement.applies(over) is Truth.FALSE


@theorem_13.controls(grade="interval", region="equal laws, r = 50")
def test_tau_in_place_of_half_tau_is_refused(statement) -> None:
    """Nothing is observed and the estimate is half-way to each theta: tau (1 - log 2/log 50) > tau/2 is false."""
    blind = estimation([[1]] * 50, [[HALF] * 50], 1, 0)
    assert statement.at(blind) is Truth.TRUE
    assert statement.nudged(lambda margin: 2 * margin - arb(fmpq(1, 2))).at(blind) is Truth.FALSE
    certain = blurred(50, Fraction(1), 0)
    assert statement.without("KL(f_i|f_j) <= gamma").at(certain) is Truth.FALSE
