"""`compression`: Proposition C.1, Lemma C.2, Theorem 4.6, Remark 4.7 and Theorem 3.2, step by step."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.spec.compression.covariances import CovariancePair
from dpmatrix.spec.compression.distributional_loss import SmallDeltaMax, SmallDeltaMaxOutput, ThreeCovariances
from dpmatrix.spec.compression.eigenvalue_assumption import EigenvalueAssumption
from dpmatrix.spec.compression.log_determinants import OneOrder, PathPoint
from dpmatrix.spec.compression.truncated_loss import OutputPoint, TruncatedPair

ENTRIES = random.Random(20090625)
SKEW = fmpq_mat([[1, 0], [fmpq(1, 7), 1]])
INDEFINITE = fmpq_mat([[1, 2], [2, 1]])
WIDE = fmpq_mat([[2, 0], [0, 1]])
UNIT = fmpq_mat([[1, 0], [0, 1]])


def correlated(*values) -> fmpq_mat:
    """Give a unit diagonal with the given upper triangle, row by row."""
    size = next(p for p in range(1, 12) if p * (p - 1) // 2 == len(values))
    rest = iter(values)
    matrix = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    for i in range(size):
        for j in range(i + 1, size):
            value = Fraction(next(rest))
            matrix[i, j] = matrix[j, i] = fmpq(value.numerator, value.denominator)
    return matrix


def drawn(count: int = 22, spread: int = 60) -> list[tuple[fmpq_mat, fmpq_mat]]:
    """Correlation matrices of sizes 2 and 3, the second one near the first."""
    pairs = []
    for index in range(count):
        number = 1 if index % 2 else 3
        first = [Fraction(ENTRIES.randint(-9, 9), 30) for _ in range(number)]
        second = [value + Fraction(ENTRIES.choice((-3, -2, -1, 1, 2, 3)), spread) for value in first]
        pairs.append((correlated(*first), correlated(*second)))
    return pairs


def spectrum(matrix) -> list[mpmath.mpf]:
    matrix = real_matrix(matrix) if isinstance(matrix, fmpq_mat) else matrix
    return sorted(mpmath.eigsy(matrix, eigvals_only=True))


def norm(matrix) -> mpmath.mpf:
    return max(abs(value) for value in spectrum(matrix))


def frobenius(matrix) -> mpmath.mpf:
    return mpmath.sqrt(sum(x**2 for x in matrix))


def gamma(p: CovariancePair) -> mpmath.matrix:
    return real_matrix(p.second) ** -1 - real_matrix(p.first) ** -1


def trace(matrix) -> mpmath.mpf:
    return sum(matrix[i, i] for i in range(matrix.rows))


def remainder(p: CovariancePair) -> mpmath.mpf:
    """Compute A from the eigenvalues g of Gamma Sigma_1: the sum of g - log(1 + g)."""
    root = mpmath.cholesky(real_matrix(p.first))
    return sum(g - mpmath.log(1 + g) for g in spectrum(root.T * gamma(p) * root))


PAIRS = [CovariancePair(first, second) for first, second in drawn()]
NEAR = CovariancePair(correlated(Fraction(1, 10)), correlated(Fraction(1, 5)), Fraction(1, 10))
DEFINITE = {
    "the covariances are symmetric": attrs.evolve(NEAR, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(NEAR, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(NEAR, second=INDEFINITE),
}
SCALED = CovariancePair(fmpq_mat([[2, 0], [0, 2]]), fmpq_mat([[3, 0], [0, 3]]))
CLOSE = "||Sigma_1|| ||Gamma|| < 1"
FAR = CovariancePair(UNIT, fmpq_mat([[fmpq(1, 2), 0], [0, 1]]))
"""Gamma = diag(1, 0): x is exactly 1."""


def assert_definite(statement, more=None) -> None:
    bind_hypotheses(statement, NEAR, DEFINITE | (more or {}))
    bind_hypotheses(statement, SCALED, DEFINITE | (more or {}))


@pytest.mark.evidence(
    "compression.proposition-c-1@2d4d0eb6",
    role="supports",
    grade="symbolic",
    region="every p and positive definite pair: the docstring's derivation; the integral enclosed at 20 points, p <= 3",
)
def test_proposition_c_1(statement) -> None:
    """Let g be the eigenvalues of S Gamma S, S the root of Sigma_1; I + S Gamma S = S Theta_2 S is positive definite.

    vec(G)'(B (x) B)vec(G) = tr(G B G B) for symmetric B (1), and B = (Theta_1 + v Gamma)^-1 = S (I + v S Gamma S)^-1
    S, so the integrand is the sum of (1 - v) g^2/(1 + v g)^2, whose integral is g - log(1 + g) (2). tr(Gamma Sigma_1)
    = sum g and ln|Theta_2| - ln|Theta_1| = sum log(1 + g).
    """
    g11, g12, g22, b11, b12, b22 = sympy.symbols("g11 g12 g22 b11 b12 b22", real=True)
    change, factor = sympy.Matrix([[g11, g12], [g12, g22]]), sympy.Matrix([[b11, b12], [b12, b22]])
    vector = sympy.Matrix([change[0, 0], change[1, 0], change[0, 1], change[1, 1]])
    quadratic = (vector.T * sympy.kronecker_product(factor, factor) * vector)[0]
    assert sympy.expand(quadratic - (change * factor * change * factor).trace()) == 0, "(1)"
    v = sympy.Symbol("v", nonnegative=True)
    g = sympy.Symbol("g", positive=True)
    primitive = -(1 + g) / (1 + v * g) - sympy.log(1 + v * g)
    assert sympy.simplify(sympy.diff(primitive, v) - (1 - v) * g**2 / (1 + v * g) ** 2) == 0, "(2)"
    assert sympy.simplify(primitive.subs(v, 1) - primitive.subs(v, 0) - (g - sympy.log(1 + g))) == 0, "(2)"
    ones = [CovariancePair(fmpq_mat([[a]]), fmpq_mat([[b]])) for a in (1, 2, 5) for b in (1, 3, 4, 7, 9, 11)]
    bind(statement, ((p, fmpq(0)) for p in [*ones, *PAIRS[:2]]))
    for p in PAIRS[2:6]:
        margin = statement.margin(p)
        assert abs(margin) < arb(2) ** -40
        assert not margin < 0
    assert_definite(statement)
    assert not statement.strict


@pytest.mark.evidence(
    "compression.proposition-c-1@2d4d0eb6",
    role="control",
    grade="interval",
    region="p = 1, tr(Gamma Sigma_1) counted twice",
)
def test_another_expansion_is_noticed(statement) -> None:
    p = CovariancePair(fmpq_mat([[1]]), fmpq_mat([[2]]))
    assert statement.at(p) is not Truth.FALSE
    assert statement.nudged(lambda margin: margin - arb(fmpq(1, 2))).at(p) is Truth.FALSE


def lower(p) -> mpmath.mpf:
    least, change = spectrum(p.first)[0], gamma(p)
    return remainder(p) - frobenius(change) ** 2 * least**2 / (2 * (1 + least * norm(change)) ** 2)


def upper(p) -> mpmath.mpf:
    top, change = norm(p.first), gamma(p)
    return frobenius(change) ** 2 * top**2 / (2 * (1 - top * norm(change)) ** 2) - remainder(p)


EVERY = "every p: the docstring's derivation; bound at 22 pairs, p <= 3"


@pytest.mark.evidence("compression.lemma-c-2+repair@bcf477b8", role="supports-repair", grade="symbolic", region=EVERY)
def test_lemma_c_2(statement) -> None:
    """A = int (1 - v) vec(G)'(B (x) B)vec(G) dv with eigenvalues mu_i mu_j of B (x) B, mu those of B(v).

    mu_i mu_j lies between 1/||Theta_1 + v G||^2 and 1/lambda_min(Theta_1 + v G)^2, and int (1 - v) dv = 1/2 (1). The
    norm is at most ||Theta_1|| + ||G|| = (1 + l ||G||)/l, l = lambda_min(Sigma_1) (2); lambda_min(Theta_1 + v G) is at
    least 1/||Sigma_1|| - ||G|| = (1 - x)/||Sigma_1|| > 0 (3).
    """
    v, least, g, top = sympy.symbols("v l g S", positive=True)
    assert sympy.integrate(1 - v, (v, 0, 1)) == sympy.Rational(1, 2), "(1)"
    assert sympy.simplify(1 / (2 * (1 / least + g) ** 2) - least**2 / (2 * (1 + least * g) ** 2)) == 0, "(2)"
    assert sympy.simplify((1 / top - g) - (1 - top * g) / top) == 0, "(3)"
    bind_formula(statement, PAIRS, lambda p: min(lower(p), upper(p)))
    for p in PAIRS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    assert_definite(statement, {CLOSE: FAR})
    assert not statement.strict


@pytest.mark.evidence(
    "compression.lemma-c-2+repair@bcf477b8",
    role="control",
    grade="interval",
    region="multiples of I: nearly equal; x >= 1",
)
def test_lemma_c_2_is_nearly_sharp(statement) -> None:
    """For small Gamma both bounds tend to ||Gamma||_F^2 lambda^2 / 2; beyond x = 1 the upper one is false."""
    p = CovariancePair(fmpq_mat([[100, 0], [0, 100]]), fmpq_mat([[101, 0], [0, 101]]))
    assert statement.at(p) is Truth.TRUE
    size = arb(fmpq(2, 101**2)) / 2
    assert statement.nudged(lambda margin: margin - size / 10).at(p) is Truth.FALSE
    apart = CovariancePair(UNIT, fmpq_mat([[fmpq(1, 100), 0], [0, fmpq(1, 100)]]))
    assert statement.without(CLOSE).at(apart) is Truth.FALSE, "x = 99: A = 189 and the bound is 1.02"


def shrinking(k: int) -> EigenvalueAssumption:
    """Set eta = 1/k^2 and a change of eta^(3/2) = 1/k^3: the middle term is about 2 k."""
    eta, t = Fraction(1, k * k), Fraction(1, k**3)
    first, second = correlated(1 - eta, 0, 0, 0, 0, 0), correlated(1 - eta, 0, 0, 0, 0, t)
    return EigenvalueAssumption(first, second, Fraction(1, 2), 2 * t, 1)


def middle(p) -> mpmath.mpf:
    return (
        norm(real_matrix(p.first) - real_matrix(p.second))
        * norm(p.first)
        / (spectrum(p.first)[0] * spectrum(p.second)[0])
    )


MILD = EigenvalueAssumption(
    correlated(Fraction(1, 4)), correlated(Fraction(1, 5)), Fraction(3, 4), Fraction(1, 8), Fraction(1, 9)
)


@pytest.mark.evidence(
    "compression.lemma-c-2@bcf477b8",
    role="refutes",
    grade="interval",
    region="C_min = 1/2, s = 2/k^3, k = 2, 10, 100, 10^4: the middle term is about 2k; every k by its formula",
)
def test_the_middle_term_is_not_small_under_assumption_1(statement) -> None:
    for k in (2, 10, 100, 10**4):
        assert statement.at(shrinking(k)) is Truth.FALSE
    points = [EigenvalueAssumption(p.first, p.second, Fraction(1, 9), 1, 1) for p in PAIRS]
    bind_formula(statement, points, lambda p: 1 - middle(p))
    bind_hypotheses(
        statement,
        MILD,
        {
            "the covariances are symmetric": attrs.evolve(MILD, first=SKEW, second=SKEW),
            "Sigma_1 is positive definite": attrs.evolve(MILD, first=INDEFINITE),
            "Sigma_j is positive definite": attrs.evolve(MILD, second=INDEFINITE),
            "the columns are normalised as in (4)": attrs.evolve(MILD, second=WIDE),
            "c_min > 0": attrs.evolve(MILD, c_min=0),
            "1/lambda_max(Sigma_1) >= C_min": attrs.evolve(MILD, c_min=Fraction(81, 100)),
            "||Gamma||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 18)),
            "||Delta||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 21)),
        },
    )
    assert not statement.strict


def relative(p) -> mpmath.mpf:
    return norm(p.first) * norm(gamma(p))


def bounds(p) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Find the supremum of the norm and the infimum of the least eigenvalue, over 33 places of the segment."""
    start, change = real_matrix(p.first) ** -1, gamma(p)
    spectra = [spectrum(start + change * mpmath.mpf(k) / 32) for k in range(33)]
    return max(values[-1] for values in spectra), min(values[0] for values in spectra)


@pytest.mark.evidence(
    "compression.lemma-c-2/first-inequality@bcf477b8", role="supports", grade="symbolic", region=EVERY
)
@pytest.mark.evidence("compression.lemma-c-2/lower-spectrum@bcf477b8", role="supports", grade="symbolic", region=EVERY)
@pytest.mark.evidence("compression.lemma-c-2/norm-of-the-sum@bcf477b8", role="supports", grade="symbolic", region=EVERY)
@pytest.mark.evidence(
    "compression.lemma-c-2/lower-bound-rewritten@bcf477b8", role="supports", grade="symbolic", region=EVERY
)
@pytest.mark.evidence("compression.lemma-c-2/upper-spectrum@bcf477b8", role="supports", grade="symbolic", region=EVERY)
@pytest.mark.evidence("compression.lemma-c-2/supremum@bcf477b8", role="supports", grade="symbolic", region=EVERY)
def test_the_lines_of_the_proof_of_lemma_c_2(statements) -> None:
    """Each line on its own; the suprema over v are attained at the ends (convex norm, concave least eigenvalue).

    First display: ||Gamma|| = ||Theta_2 Delta Theta_1|| <= ||Delta||/(l_1 l_2). Spectra: as in the repaired lemma.
    Norm: the triangle inequality with v <= 1. Supremum: lambda_min(Theta_1 + v Gamma) >= (1 - x)/||Sigma_1||.
    """
    names = {name.partition("/")[2]: statement for name, statement in statements.items()}
    formulas = {
        "first-inequality": lambda p: middle(p) - relative(p),
        "lower-spectrum": lambda p: remainder(p) - frobenius(gamma(p)) ** 2 / (2 * bounds(p)[0] ** 2),
        "norm-of-the-sum": lambda p: 1 / spectrum(p.first)[0] + norm(gamma(p)) - bounds(p)[0],
        "lower-bound-rewritten": lambda _: mpmath.mpf(0),
        "upper-spectrum": lambda p: frobenius(gamma(p)) ** 2 / (2 * bounds(p)[1] ** 2) - remainder(p),
        "supremum": lambda p: norm(p.first) / (1 - relative(p)) - 1 / bounds(p)[1],
    }
    assert set(formulas) == set(names)
    for name, statement in names.items():
        bind_formula(statement, PAIRS, formulas[name])
        assert_definite(statement, {CLOSE: FAR} if name == "supremum" else None)
        assert not statement.strict
        for p in PAIRS:
            if statement.applies(p) is Truth.TRUE:
                assert statement.at(p) is not Truth.FALSE


@pytest.mark.evidence(
    "compression.lemma-c-2/least-eigenvalue-on-the-path@bcf477b8",
    role="supports",
    grade="symbolic",
    region=EVERY + ", v in [0, 1]",
)
def test_the_path_stays_positive_definite(statement) -> None:
    """Weyl: lambda_min(Theta_1 + v Gamma) >= lambda_min(Theta_1) - v ||Gamma|| = (1 - v x)/||Sigma_1||, and v x < 1."""
    points = [PathPoint(p.first, p.second, place=Fraction(i % 5, 4)) for i, p in enumerate(PAIRS)]

    def formula(p: PathPoint) -> mpmath.mpf:
        least = spectrum(real_matrix(p.first) ** -1 + gamma(p) * real(p.place))[0]
        bound = (1 - real(p.place) * relative(p)) / norm(p.first)
        return min(least - bound, bound)

    bind_formula(statement, points, formula)
    for p in points:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is not Truth.FALSE
    inside = PathPoint(NEAR.first, NEAR.second, place=1)
    outside = {name: PathPoint(p.first, p.second) for name, p in (DEFINITE | {CLOSE: FAR}).items()}
    outside |= {
        "place >= 0": attrs.evolve(inside, place=Fraction(-1, 9)),
        "place <= 1": attrs.evolve(inside, place=Fraction(10, 9)),
    }
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(inside, place=0), outside)
    assert not statement.strict


@pytest.mark.evidence(
    "compression.lemma-c-2/one-order@bcf477b8",
    role="supports",
    grade="symbolic",
    region="every p, K, s with K s < 1; bound at 22 pairs",
)
def test_eigenvalues_of_one_order_make_the_middle_term_small(statement) -> None:
    """Under (4) ||Sigma_1|| >= 1, so l_1 >= 1/K; l_2 >= l_1 - s by Lemma 3.3; ||Sigma_1||/l_1 <= K.

    So the middle term is at most s K/(1/K - s) = K^2 s/(1 - K s).
    """
    k, s = sympy.symbols("K s", positive=True)
    assert sympy.simplify(s * k / (1 / k - s) - k**2 * s / (1 - k * s)) == 0
    points = [OneOrder(p.first, p.second, order=5, smallness=Fraction(1, 6 + i % 3)) for i, p in enumerate(PAIRS)]

    def formula(p: OneOrder) -> mpmath.mpf:
        order, small = real(p.order), real(p.smallness)
        return order**2 * small / (1 - order * small) - middle(p)

    bind_formula(statement, points, formula)
    met = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert met
    for p in met:
        assert statement.at(p) is Truth.TRUE
    inside = OneOrder(correlated(Fraction(1, 4)), correlated(Fraction(1, 5)), order=2, smallness=Fraction(1, 10))
    outside = {name: OneOrder(p.first, p.second) for name, p in DEFINITE.items()} | {
        "the columns are normalised as in (4)": attrs.evolve(inside, second=WIDE),
        "||Sigma_1|| <= K lambda_min(Sigma_1)": attrs.evolve(inside, order=Fraction(16, 10)),
        "||Delta||_2 <= s": attrs.evolve(inside, smallness=Fraction(1, 21)),
        "K s < 1": attrs.evolve(inside, smallness=Fraction(1, 2)),
        "order > 0": attrs.evolve(inside, order=0),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(inside, order=Fraction(17, 10))) is Truth.TRUE, "5/4 <= K 3/4"
    assert statement.applies(attrs.evolve(inside, smallness=Fraction(1, 19))) is Truth.TRUE
    assert statement.applies(attrs.evolve(inside, smallness=Fraction(49, 100))) is Truth.TRUE
    assert not statement.strict


def squared_constant() -> mpmath.mpf:
    return 2 * (4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi) + mpmath.sqrt(8) * mpmath.e)


def logarithm(p) -> mpmath.mpf:
    return mpmath.log(2 * p.records * p.first.nrows())


def radius(p) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * logarithm(p) / p.rows) + real(p.delta_max)


def printed(p) -> mpmath.mpf:
    """(15) as the document prints it, without its o(1)."""
    size, change = p.first.nrows(), frobenius(real_matrix(p.first - p.second))
    least = spectrum(p.first)[0] * spectrum(p.second)[0]
    inner = radius(p) + 2 * change * norm(p.first) ** 2 / (size * least)
    return p.rows * size * change / (2 * least) * inner


def loss(p) -> mpmath.mpf:
    """Search the corners of the box for the largest absolute log-ratio, by brute force over all sign patterns."""
    shift = mpmath.log((1 - real(p.second_mass)) / (1 - real(p.first_mass)))
    size, change = p.first.nrows(), gamma(p)
    places = [(i, j) for i in range(size) for j in range(i, size)]
    best = mpmath.mpf(0)
    ratio = mpmath.log(mpmath.det(real_matrix(p.second)) / mpmath.det(real_matrix(p.first)))
    for pattern in range(2 ** len(places)):
        corner = real_matrix(p.first)
        for bit, (i, j) in enumerate(places):
            step = radius(p) if pattern >> bit & 1 else -radius(p)
            corner[i, j] += step
            corner[j, i] = corner[i, j]
        value = p.rows * (ratio + trace(change * corner)) / 2 + shift
        best = max(best, abs(value))
    return best


def truncated(first, second, delta, **fields) -> TruncatedPair:
    return TruncatedPair(first, second, delta, **({"records": 1000, "rows": 9000} | fields))


def truncated_points() -> list[TruncatedPair]:
    """Pairs with many rows, so that the corners of the box are positive definite and the supremum is attained."""
    points = []
    for i, (first, second) in enumerate(drawn(20, spread=300)):
        delta = max(abs(Fraction(int(x.p), int(x.q))) for x in (first - second).entries())
        masses = {"first_mass": Fraction(i % 3, 2 * 10**6), "second_mass": Fraction(i % 4, 4 * 10**6)}
        points.append(truncated(first, second, delta + Fraction(i % 3, 900), **masses))
    # Equal covariances: the loss is that of the renormalisation, of either sign.
    points += [truncated(UNIT, UNIT, 0, **{mass: Fraction(1, 2 * 10**6)}) for mass in ("first_mass", "second_mass")]
    return points


SIMPLE = truncated(correlated(Fraction(1, 10)), correlated(Fraction(1, 5)), Fraction(1, 10), records=10, rows=76)
TRUNCATED_OUTSIDE = {
    "the covariances are symmetric": attrs.evolve(SIMPLE, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(SIMPLE, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(SIMPLE, second=INDEFINITE),
    "the columns are normalised as in (4)": attrs.evolve(SIMPLE, first=WIDE, second=WIDE),
    "max |Delta_jk| <= Delta_max": attrs.evolve(SIMPLE, delta_max=Fraction(99, 1000)),
    "records >= 2, an integer": attrs.evolve(SIMPLE, records=1),
    "rows >= 1, an integer": attrs.evolve(SIMPLE, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SIMPLE, rows=75),
    "first_mass >= 0": attrs.evolve(SIMPLE, first_mass=Fraction(-1, 900)),
    "second_mass >= 0": attrs.evolve(SIMPLE, second_mass=Fraction(-1, 900)),
    "P_1(E) <= 1/n^2": attrs.evolve(SIMPLE, first_mass=Fraction(11, 1000)),
    "P_i(E) <= 1/n^2": attrs.evolve(SIMPLE, second_mass=Fraction(11, 1000)),
    "||Sigma_1|| ||Gamma|| <= 1/2": attrs.evolve(SIMPLE, second=correlated(Fraction(2, 5)), delta_max=1),
}


@pytest.mark.evidence(
    "compression.theorem-4-6@4206796a",
    role="supports",
    grade="symbolic",
    region="every p, n >= 2, m, Delta_max under the hypotheses: the docstring; exact supremum at 20 pairs, p <= 3",
)
def test_theorem_4_6(statement) -> None:
    """With G = X'X/m in the box of width r: ln f_1/f_i = (m/2)(A + tr(Gamma (G - Sigma_1))) by Proposition C.1 (1).

    |tr| <= r ||vec Gamma||_1 <= r p ||Gamma||_F. A <= ||Gamma||_F^2 ||Sigma_1||^2 / (2 (1 - x)^2) <= 2 ||Gamma||_F^2
    ||Sigma_1||^2 for x <= 1/2 (2). (8) bounds ||Gamma||_F by D = ||Delta||_F/(l_i l_1), and (m p D/2) r + m D^2
    ||Sigma_1||^2 is the printed bound (3). Renormalisation adds at most ln(1 + 1/(n^2 - 1)) (Remark 4.3).
    """
    x, m, p, r, top, l1, l2, f = sympy.symbols("x m p r S l1 l2 F", positive=True)
    assert sympy.simplify(2 - 1 / (2 * (1 - x) ** 2) - (2 * (1 - x) - 1) * (2 * (1 - x) + 1) / (2 * (1 - x) ** 2)) == 0
    change = f / (l1 * l2)
    bound = m * p * f / (2 * l1 * l2) * (r + 2 * f * top**2 / (p * l1 * l2))
    assert sympy.simplify(bound - (m * p * change * r / 2 + m * change**2 * top**2)) == 0, "(3)"

    def formula(point: TruncatedPair) -> mpmath.mpf:
        extra = mpmath.log(1 + mpmath.mpf(1) / (point.records**2 - 1))
        return printed(point) + extra - loss(point)

    points = truncated_points()
    bind_formula(statement, points, formula)
    for point in points:
        assert statement.at(point) is Truth.TRUE
    assert statement.at(SIMPLE) is Truth.TRUE, "here the corner may be no output, and the supremum is enclosed"
    bind_hypotheses(statement, SIMPLE, TRUNCATED_OUTSIDE)
    full = attrs.evolve(SIMPLE, first_mass=Fraction(1, 100), second_mass=Fraction(1, 100), rows=77)
    bind_hypotheses(statement, full, TRUNCATED_OUTSIDE)
    least = truncated(UNIT, UNIT, 0, records=2, rows=50)
    bind_hypotheses(statement, least, TRUNCATED_OUTSIDE)
    # x = (1 + c) c / (1 - c)... at Sigma_1 = I it is c/(1 - c), so c = 1/3 is the edge.
    assert statement.applies(truncated(UNIT, correlated(Fraction(33, 100)), 1)) is Truth.TRUE
    assert statement.applies(truncated(UNIT, correlated(Fraction(34, 100)), 1)) is Truth.FALSE
    assert statement.applies(truncated(correlated(0), correlated(Fraction(-34, 100)), 1)) is Truth.FALSE
    assert not statement.strict


@pytest.mark.evidence(
    "compression.theorem-4-6@4206796a",
    role="control",
    grade="interval",
    region="p = 2, m = 2000, correlation 1/100: 6.18 of 9.00",
)
def test_theorem_4_6_at_two_thirds_fails(statement) -> None:
    """The bound cut to 2/3 is below the exact supremum, and without the closeness of the pair it is false."""
    point = truncated(UNIT, correlated(Fraction(1, 100)), Fraction(1, 100), rows=2000)
    assert statement.at(point) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 3).at(point) is Truth.FALSE
    tiny = correlated(1 - Fraction(1, 10**6))
    assert statement.without("max |Delta_jk| <= Delta_max").at(attrs.evolve(point, delta_max=0)) is Truth.TRUE
    assert statement.applies(truncated(UNIT, tiny, 1)) is Truth.FALSE


def outputs() -> list[OutputPoint]:
    points = []
    for i, p in enumerate(PAIRS):
        size, rows = p.first.nrows(), 2 + i % 4
        entries = [fmpq(ENTRIES.randint(-9, 9), 5) for _ in range(rows * size)]
        points.append(OutputPoint(p.first, p.second, output=fmpq_mat(rows, size, entries)))
    return points


OUTPUTS = outputs()
OUTPUT_OUTSIDE = {
    name: OutputPoint(p.first, p.second, output=fmpq_mat([[1, 2], [3, 5]])) for name, p in DEFINITE.items()
}
PLAIN = OutputPoint(NEAR.first, NEAR.second, output=fmpq_mat([[1, 2], [3, 5]]))


def gram(p: OutputPoint) -> mpmath.matrix:
    return real_matrix(p.output).T * real_matrix(p.output) / p.output.nrows()


def trace_term(p: OutputPoint) -> mpmath.mpf:
    return trace(gamma(p) * (gram(p) - real_matrix(p.first)))


@pytest.mark.evidence(
    "compression.theorem-4-6/density-ratio@4206796a",
    role="supports",
    grade="symbolic",
    region="every output: sums over rows",
)
def test_density_ratio_step(statement) -> None:
    """Sum of x'(Theta_2 - Theta_1)x over the rows is m tr(Gamma X'X/m); the factors 2 pi cancel."""
    bind_formula(statement, OUTPUTS, lambda _: mpmath.mpf(0))
    a, b, c, u, v, w, z = sympy.symbols("a b c u v w z")
    change, output = sympy.Matrix([[a, b], [b, c]]), sympy.Matrix([[u, v], [w, z]])
    total = sum((output.row(i) * change * output.row(i).T)[0] for i in range(2))
    assert sympy.expand(total - (change * output.T * output).trace()) == 0
    for p in OUTPUTS[:4]:
        assert abs(statement.margin(p)) < arb(2) ** -30
    bind_hypotheses(statement, PLAIN, OUTPUT_OUTSIDE)
    assert not statement.strict


@pytest.mark.evidence(
    "compression.theorem-4-6/absolute-values@4206796a",
    role="refutes",
    grade="interval",
    region="an output with a negative trace term",
)
def test_absolute_values_do_not_add(statement) -> None:
    """At X = 0 the trace term is -tr(Gamma Sigma_1), here negative, while A > 0."""
    p = OutputPoint(UNIT, fmpq_mat([[fmpq(1, 2), 0], [0, fmpq(1, 2)]]), output=fmpq_mat([[0, 0]]))
    assert statement.at(p) is Truth.FALSE
    bind_formula(
        statement,
        OUTPUTS,
        lambda p: -abs(abs(remainder(p) + trace_term(p)) - abs(remainder(p)) - abs(trace_term(p))),
    )
    bind_hypotheses(statement, PLAIN, OUTPUT_OUTSIDE)
    assert not statement.strict


@pytest.mark.evidence(
    "compression.theorem-4-6/largest-entry@4206796a", role="supports", grade="symbolic", region="every output"
)
@pytest.mark.evidence(
    "compression.theorem-4-6/vector-norm@4206796a", role="supports", grade="symbolic", region="every pair"
)
@pytest.mark.evidence(
    "compression.theorem-4-6/remainder@4206796a", role="supports", grade="symbolic", region="x <= 1/2: Lemma C.2"
)
@pytest.mark.evidence(
    "compression.theorem-4-6/gamma@4206796a", role="supports", grade="symbolic", region="every pair: (8)"
)
def test_the_inequalities_of_the_proof_of_theorem_4_6(statements) -> None:
    """Hoelder for the entries; Cauchy-Schwarz for p^2 entries; Lemma C.2 with 2 (1 - x)^2 >= 1/2; Proposition 3.1."""
    a, b, c, d = sympy.symbols("a b c d", real=True)
    entries = (a, b, c, d)
    squares = sum((x - y) ** 2 for i, x in enumerate(entries) for y in entries[:i])
    assert sympy.expand(4 * sum(x**2 for x in entries) - sum(entries) ** 2 - squares) == 0

    def largest(p: OutputPoint) -> mpmath.mpf:
        return max(abs(x) for x in gram(p) - real_matrix(p.first))

    names = {name.partition("/")[2]: statement for name, statement in statements.items()}
    formulas = {
        "largest-entry": lambda p: sum(abs(x) for x in gamma(p)) * largest(p) - abs(trace_term(p)),
        "vector-norm": lambda p: p.first.nrows() * frobenius(gamma(p)) - sum(abs(x) for x in gamma(p)),
        "remainder": lambda p: (frobenius(gamma(p)) * norm(p.first)) ** 2 - remainder(p) / 2,
        "gamma": lambda p: (
            frobenius(real_matrix(p.first - p.second)) / (spectrum(p.first)[0] * spectrum(p.second)[0])
            - frobenius(gamma(p))
        ),
    }
    half = {"||Sigma_1|| ||Gamma|| <= 1/2": OutputPoint(UNIT, correlated(Fraction(34, 100)), output=UNIT)}
    for name, formula in formulas.items():
        bind_formula(names[name], OUTPUTS, formula)
        bind_hypotheses(names[name], PLAIN, OUTPUT_OUTSIDE | (half if name == "remainder" else {}))
        for p in OUTPUTS:
            if names[name].applies(p) is Truth.TRUE:
                assert names[name].at(p) is not Truth.FALSE
        assert not names[name].strict


def triples() -> list[ThreeCovariances]:
    return [
        ThreeCovariances(p.first, p.second, correlated(*[0] * (1 if p.first.nrows() == 2 else 3)), p.output)
        for p in OUTPUTS
    ]


@pytest.mark.evidence(
    "compression.remark-4-7@b2e82295",
    role="supports",
    grade="symbolic",
    region="every three covariances and output: triangle inequality",
)
def test_remark_4_7(statement) -> None:
    """Write ln f_k/f_j = (ln f_k - ln f_1) + (ln f_1 - ln f_j)."""

    def density(covariance, p: ThreeCovariances) -> mpmath.mpf:
        inverse, matrix = real_matrix(covariance) ** -1, real_matrix(p.output)
        quadratic = trace(matrix * inverse * matrix.T)
        return -(quadratic + p.output.nrows() * mpmath.log(mpmath.det(real_matrix(covariance)))) / 2

    def formula(p: ThreeCovariances) -> mpmath.mpf:
        k, j, one = (density(m, p) for m in (p.first, p.second, p.reference))
        return abs(one - k) + abs(one - j) - abs(k - j)

    bind_formula(statement, triples(), formula)
    for p in triples():
        assert statement.at(p) is not Truth.FALSE
    p = triples()[1]
    says = "the three covariances are positive definite"
    for field in ("first", "second", "reference"):
        bind_hypotheses(statement, p, {says: attrs.evolve(p, **{field: INDEFINITE})})
        assert statement.applies(attrs.evolve(p, **{field: correlated(1)})) is Truth.FALSE
    assert not statement.strict


@pytest.mark.evidence(
    "compression.remark-4-7@b2e82295", role="control", grade="interval", region="Sigma_k and Sigma_j on either side"
)
def test_remark_4_7_is_sharp(statement) -> None:
    """With the reference between the two, the sum is attained, so nine tenths of it fails."""
    p = ThreeCovariances(UNIT * fmpq(1, 2), UNIT * fmpq(2), UNIT, fmpq_mat([[0, 0]]))
    assert statement.at(p) is not Truth.FALSE
    assert statement.nudged(lambda margin: margin - arb(fmpq(1, 10))).at(p) is Truth.FALSE


def small(first, second, delta, **fields) -> SmallDeltaMax:
    given = {"records": 10**6, "rows": 400, "floor": Fraction(1, 2), "smallness": Fraction(1, 16)} | fields
    return SmallDeltaMax(first, second, delta, **given)


def small_points() -> list[SmallDeltaMax]:
    points = []
    for i, (first, second) in enumerate(drawn(20, spread=10**5)):
        delta = max(abs(Fraction(int(x.p), int(x.q))) for x in (first - second).entries())
        fields = {"floor": Fraction(1, 2 + i % 3), "smallness": Fraction(1, 128 - i), "rows": 40000 + i}
        points.append(small(first, second, delta, **fields))
    return points


# At n = 10^6, p = 2: ln 2np = 15.2, so p^2 sqrt(m ln 2np) is 312 at m = 400.
SMALL = small(correlated(Fraction(1, 4)), correlated(Fraction(1, 4) + Fraction(1, 6000)), Fraction(1, 6000))
SMALL_OUTSIDE = {
    name: small(p.first, p.second, p.delta_max, **{k: getattr(p, k) for k in ("first_mass", "second_mass")})
    for name, p in TRUNCATED_OUTSIDE.items()
    if name != "||Sigma_1|| ||Gamma|| <= 1/2"
} | {
    "records >= 2, an integer": attrs.evolve(SMALL, records=1),
    "rows >= 1, an integer": attrs.evolve(SMALL, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SMALL, rows=309),
    "floor > 0": attrs.evolve(SMALL, floor=0),
    "lambda_min(Sigma_1) >= c": attrs.evolve(SMALL, floor=Fraction(76, 100)),
    "lambda_min(Sigma_i) >= c": attrs.evolve(SMALL, second=correlated(Fraction(3, 4))),
    "||Sigma_1|| <= 1/c": attrs.evolve(SMALL, floor=Fraction(81, 100)),
    "Delta_max <= s / (p^2 sqrt(m ln 2np))": attrs.evolve(SMALL, smallness=Fraction(1, 20)),
    "smallness > 0": attrs.evolve(SMALL, smallness=0),
    "s <= c^3/2": attrs.evolve(SMALL, smallness=Fraction(1, 15)),
}


def assert_sufficient(statement) -> None:
    bind_hypotheses(statement, SMALL, SMALL_OUTSIDE)
    bind_hypotheses(statement, small(UNIT, UNIT, 0, records=2, rows=50), SMALL_OUTSIDE)
    assert statement.applies(attrs.evolve(SMALL, rows=311)) is Truth.TRUE, "2 (C_1 + C_2) ln 2np = 309.9"
    third = Fraction(74, 100)
    assert statement.applies(attrs.evolve(SMALL, floor=third)) is Truth.TRUE
    assert statement.applies(attrs.evolve(SMALL, smallness=Fraction(1, 19))) is Truth.TRUE, "312/6000 = 1/19.2"
    masses = {"first_mass": Fraction(1, 10**12), "second_mass": Fraction(1, 10**12)}
    assert statement.applies(attrs.evolve(SMALL, **masses)) is Truth.TRUE
    assert not statement.strict


@pytest.mark.evidence(
    "compression.theorem-3-2+repair@66e82688",
    role="supports-repair",
    grade="symbolic",
    region="every p, n >= 2, m and pair under the hypotheses: Theorem 4.6; exact supremum at 20 pairs, p <= 3",
)
def test_theorem_3_2(statement) -> None:
    """||Delta||_F <= p Delta_max <= s/(p sqrt(m L)), L = ln 2np >= 1, l_1, l_i >= c, ||Sigma_1|| <= 1/c.

    x <= p Delta_max/c^3 <= s/c^3 <= 1/2, as Theorem 4.6 asks. Its terms: (m p ||Delta||_F/(2c^2)) C sqrt(L/m) <= C
    s/(2c^2) (1); (m p ||Delta||_F/(2c^2)) Delta_max <= s^2/(2 c^2 p^2 L) (2); m ||Delta||_F^2/c^6 <= s^2/(c^6 p^2 L)
    (3).
    """
    p, m, big, s, c, k = sympy.symbols("p m L s c C", positive=True)
    delta = s / (p**2 * sympy.sqrt(m * big))
    size = p * delta
    assert sympy.simplify(m * p * size / (2 * c**2) * k * sympy.sqrt(big / m) - k * s / (2 * c**2)) == 0, "(1)"
    assert sympy.simplify(m * p * size / (2 * c**2) * delta - s**2 / (2 * c**2 * p**2 * big)) == 0, "(2)"
    assert sympy.simplify(m * size**2 / c**2 / c**4 - s**2 / (c**6 * p**2 * big)) == 0, "(3)"
    assert arb(4).log() >= 1, "n >= 2, p >= 1"

    def formula(point: SmallDeltaMax) -> mpmath.mpf:
        floor, smallness = real(point.floor), real(point.smallness)
        explicit = mpmath.sqrt(squared_constant()) * smallness / (2 * floor**2)
        explicit += smallness**2 * (1 / (2 * floor**2) + floor**-6)
        return explicit + mpmath.log(1 + mpmath.mpf(1) / (point.records**2 - 1)) - loss(point)

    bind_formula(statement, small_points(), formula)
    assert statement.at(SMALL) is Truth.TRUE
    for point in small_points():
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is Truth.TRUE
    assert_sufficient(statement)


@pytest.mark.evidence(
    "compression.theorem-3-2+repair@66e82688", role="control", grade="interval", region="(9) dropped: correlation 1/10"
)
def test_theorem_3_2_needs_a_small_delta_max(statement) -> None:
    far = small(UNIT, correlated(Fraction(1, 10)), Fraction(1, 10), rows=10**5)
    assert statement.without("Delta_max <= s / (p^2 sqrt(m ln 2np))").at(far) is Truth.FALSE


UNTRUNCATED = SmallDeltaMaxOutput(
    UNIT,
    correlated(Fraction(1, 10**6)),
    Fraction(1, 10**6),
    records=10**6,
    rows=400,
    floor=Fraction(1, 2),
    smallness=Fraction(1, 16),
    output=fmpq_mat([[10**6, 10**6]] * 400),
)


@pytest.mark.evidence(
    "compression.theorem-3-2@66e82688",
    role="refutes",
    grade="interval",
    region="p = 2, m = 400, n = 10^6, a correlation of 10^-6 and every row (10^6, 10^6): the loss is 4 10^8",
)
def test_theorem_3_2_needs_truncated_tails(statement) -> None:
    """At rows (t, t), t'(Sigma_i^-1 - I)t = -2 t^2 r/(1 + r), m times and halved, and m/2 ln(1 - r^2): r = 10^-6."""
    assert statement.at(UNTRUNCATED) is Truth.FALSE

    def formula(p: SmallDeltaMaxOutput) -> mpmath.mpf:
        floor, smallness = real(p.floor), real(p.smallness)
        explicit = mpmath.sqrt(squared_constant()) * smallness / (2 * floor**2)
        explicit += smallness**2 * (1 / (2 * floor**2) + floor**-6) + mpmath.log(1 + mpmath.mpf(1) / (p.records**2 - 1))
        r, t = real(Fraction(int(p.second[0, 1].p), int(p.second[0, 1].q))), real(int(p.output[0, 0].p))
        return explicit - p.rows * abs(mpmath.log(1 - r**2) / 2 - t**2 * r / (1 + r))

    scales = [(r, t) for r in range(6, 10) for t in (0, 1, 2, 10, 10**3, 10**6)]
    points = [
        attrs.evolve(
            UNTRUNCATED,
            second=correlated(Fraction(1, 10**r)),
            delta_max=Fraction(1, 10**r),
            output=fmpq_mat([[t, t]] * 400),
        )
        for r, t in scales
    ]
    bind_formula(statement, points, formula)
    small_outputs = [p for p in points if p.output[0, 0] <= 1]
    assert len(small_outputs) == 8
    for p in small_outputs:
        assert statement.at(p) is Truth.TRUE
    outside = {
        name: SmallDeltaMaxOutput(**attrs.asdict(p, recurse=False), output=fmpq_mat([[0] * p.first.nrows()] * p.rows))
        for name, p in SMALL_OUTSIDE.items()
        if p.rows
    }
    outside["rows >= 1, an integer"] = attrs.evolve(UNTRUNCATED, rows=0, output=fmpq_mat(0, 2))
    outside["the output is m x p"] = attrs.evolve(UNTRUNCATED, output=fmpq_mat([[1, 1]] * 399))
    bind_hypotheses(statement, UNTRUNCATED, outside)
    assert statement.applies(attrs.evolve(UNTRUNCATED, output=fmpq_mat([[1] * 3] * 400))) is Truth.FALSE
    assert not statement.strict


@pytest.mark.evidence(
    "compression.theorem-3-2/conditions-16@66e82688",
    role="supports",
    grade="symbolic",
    region="every point: p^2 ln 2np >= 1",
)
@pytest.mark.evidence(
    "compression.theorem-3-2/assumption-1@66e82688",
    role="supports",
    grade="symbolic",
    region="every point: (7), (8) and the floor",
)
def test_the_sound_steps_of_theorem_3_2(statements) -> None:
    """(m p^2 Delta_max^2) p^2 L = (p^2 Delta_max sqrt(m L))^2 <= s^2; ||Gamma|| <= ||Delta||_F/c^2."""
    conditions = statements["compression.theorem-3-2/conditions-16"]
    assumption = statements["compression.theorem-3-2/assumption-1"]

    def growth(p: SmallDeltaMax) -> mpmath.mpf:
        first = real(p.smallness) - real(p.delta_max) * p.first.nrows() ** 2 * mpmath.sqrt(p.rows * logarithm(p))
        return min(first, real(p.smallness) ** 2 - p.rows * (p.first.nrows() * real(p.delta_max)) ** 2)

    bind_formula(conditions, small_points(), growth)
    bind_formula(
        assumption,
        small_points(),
        lambda p: p.first.nrows() * real(p.delta_max) / real(p.floor) ** 2 - norm(gamma(p)),
    )
    for statement in (conditions, assumption):
        assert statement.at(SMALL) is Truth.TRUE
        assert_sufficient(statement)


@pytest.mark.evidence(
    "compression.theorem-3-2/equal-norms@66e82688",
    role="refutes",
    grade="interval",
    region="p = 2, one correlation changed",
)
def test_the_norms_of_delta_differ(statement) -> None:
    """At p = 2 the eigenvalues of Delta are t and -t: ||Delta||_2 = t, ||Delta||_F = sqrt(2) t, p Delta_max = 2 t."""
    assert statement.at(SMALL) is Truth.FALSE

    def formula(p: SmallDeltaMax) -> mpmath.mpf:
        change = real_matrix(p.first - p.second)
        bound = p.first.nrows() * real(p.delta_max)
        return -abs(norm(change) - frobenius(change)) - abs(frobenius(change) - bound)

    bind_formula(statement, small_points(), formula)
    assert_sufficient(statement)
