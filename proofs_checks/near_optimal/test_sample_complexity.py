"""Theorem 7 of `near-optimal`: the sample size of PPCA suffices, and which lines of the printed proof do not stand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import sample_complexity_proof
from dpmatrix.spec.near_optimal.sample_complexity_proof import RatioPoint, ScorePoint, chosen_defect
from dpmatrix.spec.wishart.ppca import PpcaPoint
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_needed
from proofs_checks.near_optimal.formulas import cap
from proofs_checks.ppca_sizes import failure, needed, outside

theorem_7 = cite("near-optimal.theorem-7@92e107a9")

CLAIM = "near-optimal.theorem-7"
TENTH = Fraction(1, 10)
SIZE = "n > d/(epsilon (1-rho)(lambda_1-lambda_2)) (4 log(1/eta)/d + 2 log(8 lambda_1/((1-rho^2)(lambda_1-lambda_2))))"
INSIDE = PpcaPoint(5, 2000, TENTH, 1, 0, Fraction(3, 10), Fraction(1, 1000))


def separation(p: RatioPoint) -> mpmath.mpf:
    rho, sigma, first, second = (real(value) for value in (p.rho, p.sigma, p.first, p.second))
    rate = p.records * real(p.epsilon) / 2
    return mpmath.exp(-rate * (sigma**2 * first - rho**2 * first - (1 - rho**2) * second))


def nine(p: RatioPoint) -> mpmath.mpf:
    return separation(p) * (1 - 2 * cap(p.dimension, real(p.rho))) / (2 * cap(p.dimension, real(p.sigma)))


def ten(p: RatioPoint) -> mpmath.mpf:
    return separation(p) * (2 / (1 - real(p.sigma))) ** (mpmath.mpf(p.dimension - 1) / 2)


def grid() -> list[PpcaPoint]:
    """Points that meet the hypothesis with the least n."""
    points = []
    for d in (2, 3, 4, 5, 8):
        for first, second in ((1, 0), (Fraction(3, 5), Fraction(2, 5)), (Fraction(1, 3), Fraction(1, 4))):
            for rho, eta in ((Fraction(3, 10), Fraction(1, 20)), (Fraction(9, 10), Fraction(1, 100))):
                point = PpcaPoint(d, 1, TENTH, first, second, rho, eta)
                points.append(attrs.evolve(point, records=1 + int(mpmath.floor(needed(point, 4, 2, 8)))))
    return points


def ratio_points() -> list[RatioPoint]:
    sigmas = (Fraction(0), Fraction(1, 3), Fraction(7, 10), Fraction(19, 20))
    return [
        RatioPoint(p.dimension, 1 + p.records // share, p.epsilon, p.first, p.second, p.rho, p.eta, sigma)
        for p, sigma, share in product(grid()[::4], sigmas, (60, 7))
    ]


SCORES = [
    ScorePoint(n, Fraction(e, 3), values, (Fraction(a, 10), Fraction(b, 10), Fraction(10 - a - b, 10)), Fraction(r, 10))
    for n, e, values, (a, b), r in product(
        (1, 40),
        (1, 5),
        ((Fraction(1, 2), Fraction(1, 4), 0), (Fraction(2, 3), Fraction(1, 5), TENTH)),
        ((0, 10), (4, 0), (9, 1)),
        (3, 8),
    )
]
UNDER = ScorePoint(1, 1, (Fraction(1, 2), Fraction(1, 4), 0), (Fraction(1, 4), Fraction(3, 4), 0), Fraction(1, 2))
OVER = ScorePoint(5, 3, (Fraction(1, 2), Fraction(1, 4), 0), (Fraction(1, 4), 0, Fraction(3, 4)), Fraction(1, 2))


def score_parts(p: ScorePoint) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return n eps / 2, u'Au and the two bounds on it."""
    first, second, last = (Fraction(value) for value in p.eigenvalues)
    score = sum(Fraction(v) * Fraction(w) for v, w in zip(p.eigenvalues, p.weights, strict=True))
    rho = Fraction(p.rho) ** 2
    return (
        Fraction(p.records) * Fraction(p.epsilon) / 2,
        score,
        rho * first + (1 - rho) * second,
        rho * first + (1 - rho) * last,
    )


def score_violations(inside: ScorePoint, where: str, there: ScorePoint) -> dict[str, ScorePoint]:
    return {
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
        "l1 >= l2 >= l_d >= 0": attrs.evolve(inside, eigenvalues=(Fraction(1, 4), Fraction(1, 2), 0)),
        "<u, v_i>^2 >= 0": attrs.evolve(inside, weights=(Fraction(1, 4), 1, Fraction(-1, 4))),
        "|u| = 1": attrs.evolve(inside, weights=(Fraction(1, 4), Fraction(1, 4), Fraction(1, 4))),
        "rho > 0": attrs.evolve(inside, rho=0),
        "rho < 1": attrs.evolve(inside, rho=1),
        where: there,
    }


@theorem_7.refutes("inequality-7", grade="symbolic", region="n = epsilon = 1, u between v_1 and v_2")
@theorem_7.refutes("inequality-8", grade="symbolic", region="n = 5, epsilon = 3, u between v_1 and v_d")
@theorem_7.supports(
    "outside-exponent",
    grade="derived",
    region="every u and spectrum: the docstring; on v_1, v_2 and v_d an identity, times n epsilon/2",
)
@theorem_7.supports(
    "inside-exponent",
    grade="derived",
    region="every u and spectrum: the docstring; on v_1, v_2 and v_d an identity, times n epsilon/2",
)
def test_the_exponent_and_not_the_score_is_bounded(statements) -> None:
    """With a, b, c the squared coordinates, a + b + c = 1, the differences are sums of products of numbers >= 0.

    rho^2 l1 + (1 - rho^2) l2 - (a l1 + b l2 + c l_d) = (rho^2 - a)(l1 - l2) + c (l2 - l_d), and (a l1 + b l2 + c l_d)
    - (rho^2 l1 + (1 - rho^2) l_d) = (a - rho^2)(l1 - l_d) + b (l2 - l_d). In d dimensions the other coordinates have
    eigenvalues between l_d and l2: move their weight to v_2 for the first, to v_d for the second.
    """
    a, b, r, first, second, last = sympy.symbols("a b r l1 l2 ld")
    c = 1 - a - b
    score = a * first + b * second + c * last
    above = r * first + (1 - r) * second - score - ((r - a) * (first - second) + c * (second - last))
    below = score - r * first - (1 - r) * last - ((a - r) * (first - last) + b * (second - last))
    assert sympy.expand(above) == sympy.expand(below) == 0
    n, epsilon, rho = sympy.symbols("records epsilon rho")
    fields = {f"eigenvalues[{i}]": value for i, value in enumerate((first, second, last), start=1)}
    shares = sympy.symbols("a b c")
    fields |= {f"weights[{i}]": value for i, value in enumerate(shares, start=1)}
    value = sum(share * level for share, level in zip(shares, (first, second, last), strict=True))
    for name, sign, other in (("inside-exponent", 1, last), ("outside-exponent", -1, second)):
        level = rho**2 * first + (1 - rho**2) * other
        bind_expression(statements[f"{CLAIM}/{name}"], sign * n * epsilon / 2 * (value - level), fields=fields)
    triples = list(product((Fraction(-1, 10), Fraction(1, 4), Fraction(3, 5)), repeat=3))
    shared = {
        "l1 >= l2 >= l_d >= 0": [
            (attrs.evolve(UNDER, eigenvalues=v), min(v[0] - v[1], v[1] - v[2], v[2])) for v in triples
        ],
        "<u, v_i>^2 >= 0": [(attrs.evolve(UNDER, weights=w), min(w)) for w in triples],
        "|u| = 1": [(attrs.evolve(UNDER, weights=w), -abs(sum(w) - 1)) for w in triples],
    }
    where = {"inequality-7": "|<u, v_1>| <= rho", "outside-exponent": "|<u, v_1>| <= rho"}
    formulas = {
        "inequality-7": lambda n, rate, score, upper, _: rate * upper - n * score,
        "inequality-8": lambda n, rate, score, _, lower: n * score - rate * lower,
        "outside-exponent": lambda _, rate, score, upper, __: rate * (upper - score),
        "inside-exponent": lambda _, rate, score, __, lower: rate * (score - lower),
    }
    for name, formula in formulas.items():
        statement = statements[f"{CLAIM}/{name}"]
        bind(statement, [(p, formula(p.records, *score_parts(p))) for p in SCORES])
        side = where.get(name, "|<u, v_1>| >= rho")
        crossing = attrs.evolve(UNDER, rho=Fraction(2, 5) if "<=" in side else Fraction(3, 5))
        violations = score_violations(UNDER, side, crossing)
        bind_hypotheses(statement, UNDER, violations)
        if name.endswith("exponent"):
            tilted = (Fraction(1, 4), Fraction(7, 4), -1) if "<=" in side else (Fraction(1, 4), -1, Fraction(7, 4))
            negative = {"<u, v_i>^2 >= 0": attrs.evolve(UNDER, weights=tilted)}
            bind_needed(statement, UNDER, violations, negative)
        for edge in ((Fraction(1, 4), Fraction(1, 4), Fraction(1, 4)), (1, 0, 0)):
            assert statement.applies(attrs.evolve(UNDER, eigenvalues=edge)) is Truth.TRUE, (
                "equal eigenvalues, last zero"
            )
        for given in statement.given:
            if given.says in shared:
                bind(Statement(given.says, given.margin), shared[given.says])
            if given.says == side:
                sign = 1 if "<=" in side else -1
                values = [(p, sign * (Fraction(p.rho) ** 2 - Fraction(p.weights[0]))) for p in SCORES]
                bind(Statement(side, given.margin), values)
        assert not statement.strict
        if name.endswith("exponent"):
            assert all(
                statement.at(p) is Truth.TRUE for p in (*SCORES, UNDER, OVER) if statement.applies(p) is Truth.TRUE
            )
    assert statements[f"{CLAIM}/inequality-7"].at(UNDER) is Truth.FALSE
    assert statements[f"{CLAIM}/inequality-8"].at(OVER) is Truth.FALSE
    assert statements[f"{CLAIM}/inequality-7"].at(attrs.evolve(UNDER, records=9)) is Truth.FALSE, "whatever n is"
    assert statements[f"{CLAIM}/inequality-7"].at(attrs.evolve(UNDER, epsilon=2)) is Truth.TRUE
    assert statements[f"{CLAIM}/inequality-8"].at(attrs.evolve(OVER, epsilon=2)) is Truth.TRUE


@theorem_7.supports(
    "inequality-9",
    grade="derived",
    region="every d >= 2, spectrum, sigma: derivation in the docstring, its terms evaluated at 64 points",
)
@theorem_7.supports(
    "inequality-10", grade="derived", region="every d >= 2 and sigma, from Lemma 10; its terms evaluated at 64 points"
)
def test_nine_and_ten(statements) -> None:
    """(9): P(outside) <= P(outside)/P(U_sigma), as the denominator is at most 1; the normalisers cancel.

    The exponent outside is at most (n eps/2)(rho^2 l1 + (1 - rho^2) l2), on U_sigma at least (n eps/2) sigma^2 l1, by
    the steps before with l_d >= 0; so the integrals are at most and at least that exponential times the measure.
    (10): the measure outside is at most 1. U_sigma is two caps, disjoint for sigma > 0 and everything for sigma = 0,
    each at least (1/2) exp(-((d-1)/2) log(2/(1-sigma))) by Lemma 10; the halves add up.
    """
    d, sigma = sympy.symbols("d sigma", positive=True)
    cap = sympy.exp(-(d - 1) / 2 * sympy.log(2 / (1 - sigma))) / 2
    assert sympy.simplify(1 / (2 * cap) - sympy.exp((d - 1) / 2 * sympy.log(2 / (1 - sigma)))) == 0
    points = ratio_points()
    inside = points[0]
    with mpmath.workdps(60):
        bind(statements[f"{CLAIM}/inequality-9"], [(p, mpmath.nstr(nine(p) - failure(p), 50)) for p in points[:40]])
        bind(statements[f"{CLAIM}/inequality-10"], [(p, mpmath.nstr(ten(p) - nine(p), 50)) for p in points[:40]])
    n, eps, rho, l1, l2 = sympy.symbols("records epsilon rho first second")
    inside_rate = n * eps / 2 * (rho**2 * l1 + (1 - rho**2) * l2 - sigma**2 * l1)
    half = sympy.Rational(1, 2)
    inner, outer = (sympy.betainc_regularized((d - 1) / 2, half, 0, 1 - c**2) for c in (sigma, rho))
    formula = sympy.exp(inside_rate) * (1 / (2 * cap) - (1 - outer) / inner)
    bind_expression(statements[f"{CLAIM}/inequality-10"], formula, fields={"dimension": d})
    for name in ("inequality-9", "inequality-10"):
        statement = statements[f"{CLAIM}/{name}"]
        assert not statement.strict
        assert all(statement.at(p) is Truth.TRUE for p in points)
        sigmas = {
            "sigma >= 0": attrs.evolve(inside, sigma=Fraction(-1, 100)),
            "sigma < 1": attrs.evolve(inside, sigma=1),
        }
        assert statement.applies(attrs.evolve(inside, sigma=Fraction(99, 100))) is Truth.TRUE
        bind_hypotheses(statement, attrs.evolve(inside, sigma=0), outside(inside, **sigmas))
    nine_of = statements[f"{CLAIM}/inequality-9"]
    fallen = {"lambda_1 > lambda_2": RatioPoint(2, 1, TENTH, 0, 1, Fraction(199, 200), TENTH, 0)}
    bind_needed(nine_of, attrs.evolve(inside, sigma=0), outside(inside, **sigmas), fallen)


@theorem_7.supports("threshold", grade="symbolic", region="every spectrum, rho: an identity")
@theorem_7.supports("exponent-at-sigma", grade="symbolic", region="every spectrum, rho: an identity")
@theorem_7.supports("equal-logarithms", grade="symbolic", region="every spectrum, rho: an identity")
@theorem_7.supports("one-minus-rho", grade="symbolic", region="0 < rho < 1: rho (1 - rho)")
@theorem_7.supports("logarithm", grade="derived", region="every spectrum, rho: the docstring; bound as an expression")
def test_the_choice_of_sigma(statements) -> None:
    """With w = 1 - sigma^2 in (0, 1/2]: 4/w - 2/(1 - sigma) = 2(1 - sigma)/w > 0, as (1 - sigma)(1 + sigma) = w."""
    rho, first, second, sigma = sympy.symbols("rho l1 l2 sigma", positive=True)
    share = second / first
    defect = (1 - rho**2) * (1 - share) / 2
    assert sympy.simplify(1 - (rho**2 + (1 - rho**2) * share) - (1 - rho**2) * (1 - share)) == 0
    exponent = (1 - defect) * first - (rho**2 * first + (1 - rho**2) * second)
    assert sympy.simplify(exponent - (1 - rho**2) * (first - second) / 2) == 0
    assert sympy.simplify(4 / defect - 8 * first / ((1 - rho**2) * (first - second))) == 0
    assert sympy.expand((1 - rho**2) - (1 - rho) - rho * (1 - rho)) == 0
    w = 1 - sigma**2
    assert sympy.simplify(4 / w - 2 / (1 - sigma) - 2 * (1 - sigma) / w) == 0
    points = grid()
    fields = {"rho": rho, "first": first, "second": second}
    wanted = sympy.log(4 / defect) - sympy.log(2 / (1 - sympy.sqrt(1 - defect)))
    bind_expression(statements[f"{CLAIM}/logarithm"], wanted, fields=fields)
    bind_expression(statements[f"{CLAIM}/one-minus-rho"], rho * (1 - rho), fields=fields)
    share_of_one = sympy.Symbol("x", positive=True)
    assert (rho * (1 - rho)).subs(rho, 1 / (1 + share_of_one)).is_positive, "every rho in (0, 1) is of this form"
    for name in ("threshold", "exponent-at-sigma", "equal-logarithms"):
        bind_expression(statements[f"{CLAIM}/{name}"], sympy.Integer(0))
    for p in points:
        wanted = (1 - Fraction(p.rho) ** 2) * (1 - Fraction(p.second) / Fraction(p.first)) / 2
        assert chosen_defect(p) == fmpq(wanted.numerator, wanted.denominator)
    for name, statement in statements.items():
        assert statement.strict is (name.endswith(("/logarithm", "/one-minus-rho"))), "printed as < or ="
        assert all(statement.at(p) is Truth.TRUE for p in points)
        bind_hypotheses(statement, INSIDE, outside(INSIDE))
        bind_hypotheses(statement, INSIDE, outside(INSIDE) | {"lambda_1 > lambda_2": attrs.evolve(INSIDE, first=0)})


@theorem_7.controls("threshold", grade="symbolic", region="30 points: 1 - rho for 1 - rho^2, the error exactly")
@theorem_7.controls("exponent-at-sigma", grade="symbolic", region="30 points: 1 - sigma^2 doubled, the error exactly")
@theorem_7.controls("equal-logarithms", grade="symbolic", region="30 points: 1 - sigma^2 doubled, the error exactly")
def test_another_sigma_solves_no_equation(statements) -> None:
    """With w the chosen 1 - sigma^2, twice w takes w l1 from the exponent and 2/w from 4/w."""
    threshold, exponent, logarithms = (
        statements[f"{CLAIM}/{name}"] for name in ("threshold", "exponent-at-sigma", "equal-logarithms")
    )
    chosen = sample_complexity_proof.chosen_defect
    sparse = redefined(
        threshold, sample_complexity_proof, "above_threshold", lambda p: (1 - rational(p.rho)) * (1 - share(p))
    )
    bind(sparse, [(p, -rational(p.rho) * (1 - rational(p.rho)) * (1 - share(p))) for p in grid()])
    defects = [(p, (1 - rational(p.rho) ** 2) * (1 - share(p)) / 2) for p in grid()]
    low, flat = (
        redefined(one, sample_complexity_proof, "chosen_defect", lambda p: 2 * chosen(p))
        for one in (exponent, logarithms)
    )
    bind(low, [(p, -w * rational(p.first)) for p, w in defects])
    bind(flat, [(p, -2 / w) for p, w in defects])
    assert all(one.at(p) is Truth.FALSE for one in (sparse, low, flat) for p in grid())


def share(p: PpcaPoint) -> fmpq:
    return rational(p.second) / rational(p.first)


@theorem_7.supports(
    "sufficient", grade="derived", region="every d, spectrum, epsilon, rho, eta: the docstring; bound as an expression"
)
def test_the_sample_size_is_sufficient(statement) -> None:
    """At n equal to the size the left side is (1 + rho)(log(1/eta) + (d/2) L), L = log(8 l1/((1-rho^2) Delta)) > 0.

    That exceeds log(1/eta) + ((d-1)/2) L by rho log(1/eta) + (rho d + 1) L/2; a larger n only adds.
    """
    d, n, epsilon, g, rho, size_log, eta_log = sympy.symbols("d n epsilon g rho L M", positive=True)
    size = d / (epsilon * g * (1 - rho)) * (4 * eta_log / d + 2 * size_log)
    left = (n * epsilon / 4 * (1 - rho**2) * g).subs(n, size)
    excess = left - eta_log - (d - 1) / 2 * size_log
    assert sympy.simplify(excess - (rho * eta_log + (rho * d + 1) * size_log / 2)) == 0
    first, second, eta = sympy.symbols("first second eta", positive=True)
    written = {size_log: sympy.log(8 * first / ((1 - rho**2) * (first - second))), eta_log: -sympy.log(eta)}
    margin = n * epsilon / 4 * (1 - rho**2) * g - eta_log - (d - 1) / 2 * size_log
    fields = {"dimension": d, "records": n}
    bind_expression(statement, margin.subs(written).subs(g, first - second), fields=fields)
    points = grid()
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert statement.strict
    bind_size(statement, "n above the sample size")


def bind_size(statement: Statement, says: str) -> None:
    with mpmath.workdps(30):
        for p in (*grid()[::7], INSIDE):
            least = 1 + int(mpmath.floor(needed(p, 4, 2, 8)))
            assert statement.applies(attrs.evolve(p, records=least)) is Truth.TRUE
            assert statement.applies(attrs.evolve(p, records=least - 1)) is Truth.FALSE
    given = next(given for given in statement.given if given.says == says)
    assert given.strict
    bind_formula(Statement(says, given.margin), grid(), lambda p: p.records - needed(p, 4, 2, 8))
    bind_hypotheses(statement, INSIDE, outside(INSIDE, **{says: attrs.evolve(INSIDE, records=100)}))


@theorem_7.supports(
    grade="derived",
    region="every d >= 2, spectrum with lambda_1 > lambda_2, epsilon, rho and eta: the steps of the printed proof with "
    "u'Bu for q_F; their composition machine-checked for symbolic d, evaluated at 30 points with d <= 8",
)
def test_theorem_7(statement) -> None:
    """By (10) and the identities, P(outside) <= exp(-(n eps/4)(1-rho^2) Delta) exp(((d-1)/2) log(2/(1-sigma))).

    The second logarithm is below L = log(8 l1/((1-rho^2) Delta)), and the first exponent exceeds log(1/eta) +
    ((d-1)/2) L: the product is below eta. Every step holds for every spectrum with the given lambda_1 and lambda_2,
    in particular for lambda_1, lambda_2, ..., lambda_2, of which the margin is evaluated.
    """
    points = grid()
    with mpmath.workdps(60):
        small = [attrs.evolve(p, records=1 + p.records // 40) for p in points]
        bind(statement, [(p, mpmath.nstr(real(p.eta) - failure(p), 55)) for p in (*points, *small)])
        for p in points:
            w = (1 - real(p.rho) ** 2) * (1 - real(p.second) / real(p.first)) / 2
            rate = p.records * real(p.epsilon) / 4 * (1 - real(p.rho) ** 2) * (real(p.first) - real(p.second))
            chain = mpmath.exp(-rate) * (2 / (1 - mpmath.sqrt(1 - w))) ** (mpmath.mpf(p.dimension - 1) / 2)
            assert failure(p) < chain < real(p.eta), "(10)"
            assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    bind_size(statement, SIZE)


@theorem_7.controls(
    grade="interval",
    region="three tenths of the sample size; all records e_1, d = 5, epsilon = 1/10, rho = 3/10, eta = 1/1000",
)
def test_three_tenths_of_the_sample_size_are_not_enough(statement) -> None:
    p = attrs.evolve(INSIDE, records=205)
    assert statement.applies(p) is Truth.FALSE
    assert statement.without(SIZE).at(p) is Truth.FALSE
    assert 3 * 205 < needed(INSIDE, 4, 2, 8) < 4 * 205
