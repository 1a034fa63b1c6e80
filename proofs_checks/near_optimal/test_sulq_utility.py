"""Theorem 15 of `near-optimal`: the correlation that MOD-SULQ reaches on its worst data set."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, precision, square
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import sulq_utility_proof
from dpmatrix.spec.near_optimal.sulq_bound import SulqBound, printed_loss
from dpmatrix.spec.near_optimal.sulq_utility import mean_distance
from dpmatrix.spec.near_optimal.sulq_utility_proof import Alignment, Dimension, Rearranged, UnitPair
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import beta, beta_expression, cap, dot

theorem_15 = cite("near-optimal.theorem-15@45265fbf")

HALF = Fraction(1, 2)
CENT = Fraction(1, 100)


def log_count(p, phi) -> mpmath.mpf:
    return (p.dimension - 1) * mpmath.log(1 / mpmath.sqrt(1 - phi**2)) - mpmath.log(8)


def bracket(p, log_size) -> mpmath.mpf:
    return 1 - (1 / beta(p) ** 2 + mpmath.log(2)) / log_size


BOUNDS = [
    SulqBound(d, n, epsilon, delta, phi)
    for (d, phi), n, epsilon, delta in product(
        (
            (2, 1 - Fraction(1, 10**6)),
            (3, Fraction(999, 1000)),
            (5, Fraction(99, 100)),
            (20, Fraction(9, 10)),
            (50, Fraction(7, 10)),
            (200, Fraction(2, 5)),
        ),
        (3, 20),
        (Fraction(1, 10), 1),
        (CENT, HALF),
    )
]
INSIDE = SulqBound(20, 3, 1, CENT, Fraction(9, 10))
SETTING_OUTSIDE = {
    "dimension >= 2, an integer": attrs.evolve(INSIDE, dimension=1),
    "records >= 1, an integer": attrs.evolve(INSIDE, records=0),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
}
ENDS = {
    "phi >= sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))": lambda p: mpmath.sqrt(
        1 - mpmath.exp(-(2 / beta(p) ** 2 + mpmath.log(256)) / (p.dimension - 1))
    ),
}
OUTSIDE = SETTING_OUTSIDE | {says: attrs.evolve(INSIDE, phi=Fraction(1, 20)) for says in ENDS}
OUTSIDE["phi < 1"] = attrs.evolve(INSIDE, phi=1)


def check_phi(statement: Statement) -> None:
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    low = SulqBound(2, 1, Fraction(1, 50), CENT, 1 - Fraction(1, 10**6))
    assert statement.applies(low) is Truth.TRUE, "d = 2 and n = 1"
    for given in statement.given:
        if given.says in ENDS:
            end = ENDS[given.says]
            bind_formula(Statement(given.says, given.margin), BOUNDS, lambda p, end=end: real(p.phi) - end(p))
            assert not given.strict
    assert not statement.strict


def both_ends(statement: Statement, function) -> None:
    """Check a margin that encloses ``function(p, log M)`` for the unknown size M of the largest family."""
    for p in BOUNDS:
        with mpmath.workdps(60), precision(200):
            cosines = (real(p.phi), mpmath.sqrt((1 + real(p.phi)) / 2))
            ends = [function(p, -mpmath.log(2 * cap(p.dimension, c))) for c in cosines]
            statement.conclusion(p)
            margin = statement.margin(p)
            assert all(margin.contains(arb(mpmath.nstr(end, 50)).mid()) for end in ends), p
            width = arb(mpmath.nstr(abs(ends[0] - ends[1]), 50))
            scale = sum((abs(arb(mpmath.nstr(end, 50))) for end in ends), arb(1) / 10**4)
            assert 2 * margin.rad() < 3 * width + scale / 10**4, p


@theorem_15.supports(
    grade="derived",
    region="every d >= 2, n, epsilon, delta and phi in Phi: derivation in the docstring from Theorem 13 and Lemma 11, "
    "its algebra machine-checked",
)
@theorem_15.supports("inequality-25", grade="derived", region="every phi in Phi, by Lemma 11")
def test_fano_over_lines(statements) -> None:
    """Let r be the size of the largest family of lines at phi; r >= K by Lemma 11, log K >= 1/beta^2 + log 2 in Phi.

    With d(a, b) = min(|a-b|, |a+b|), a pseudo-metric on the sphere, d^2 = 2 - 2|<a, b>| >= 2 (1-phi) for two members.
    Theorem 13 with gamma = 1/beta^2: some mu has E d(v^, mu) >= (tau/2) B(r), B(r) = 1 - (gamma + log 2)/log r, which
    increases with r (1), so that B(r) >= B(K) >= 0: that is (25). By Jensen 2 - 2 E|<v^, mu>| >= (E d)^2, hence 1 - E
    >= (tau^2/8) B(r)^2 = ((1-phi)/4) B(r)^2 >= ((1-phi)/4) B(K)^2 (2). The records are n copies of mu.
    """
    g, x, phi, b = sympy.symbols("g x phi b", positive=True)
    assert sympy.simplify(sympy.diff(1 - g / x, x) - g / x**2) == 0, "(1)"
    tau = sympy.sqrt(2 * (1 - phi))
    assert sympy.simplify((tau / 2 * b) ** 2 / 2 - (1 - phi) / 4 * b**2) == 0, "(2)"
    theorem, line = (statements[f"near-optimal.theorem-15{name}"] for name in ("", "/inequality-25"))

    def loss(p, log_size):
        return (1 - real(p.phi)) / 4 * bracket(p, log_size) ** 2

    def distance(p, log_size):
        return mpmath.sqrt(2 * (1 - real(p.phi))) / 2 * bracket(p, log_size)

    both_ends(theorem, lambda p, size: loss(p, size) - loss(p, log_count(p, real(p.phi))))
    both_ends(line, lambda p, size: distance(p, size) - distance(p, log_count(p, real(p.phi))))
    held = [p for p in BOUNDS if theorem.applies(p) is Truth.TRUE]
    assert len(held) >= 25
    for statement in (theorem, line):
        assert [p for p in held if statement.at(p) is not Truth.TRUE] == []
        check_phi(statement)


@theorem_15.controls(grade="interval", region="d = 20, n = 3: twice the separation; d = 1000 far below Phi")
def test_a_larger_loss_is_refused(statement) -> None:
    """The loss of (21) with 1 - phi four times as large, as for lines at twice the distance, is out of reach."""
    assert statement.at(INSIDE) is Truth.TRUE

    def wider(p: SulqBound) -> arb:
        return square(mean_distance(p)) / 2 - 4 * printed_loss(p)

    crowded = attrs.evolve(INSIDE, phi=Fraction(1, 1) - Fraction(1, 10**12))
    assert statement.at(crowded) is Truth.TRUE
    assert statement.nudged(margin=wider).at(crowded) is Truth.FALSE
    below = SulqBound(1000, 10**5, 1, CENT, HALF)
    assert statement.conclusion(below) is Truth.FALSE, "beyond the zero of the bracket its square means nothing"


@theorem_15.supports("phi-of-a-basis", grade="symbolic", region="every d >= 2: an identity")
@theorem_15.supports("phi-where-it-is-vacuous", grade="symbolic", region="every d >= 2 and beta > 0: an identity")
def test_ends_of_phi(statements) -> None:
    """1 - phi^2 = exp(-2 y/(d-1)) gives (d-1) log(1/sqrt(1-phi^2)) = y; y = log(8d), and 1/beta^2 + log 2 + log 8."""
    basis, vacuous = (
        statements[f"near-optimal.theorem-15/{name}"] for name in ("phi-of-a-basis", "phi-where-it-is-vacuous")
    )
    y, d = sympy.symbols("y d", positive=True)
    value = (d - 1) * sympy.log(1 / sympy.sqrt(sympy.exp(-2 * y / (d - 1))))
    assert sympy.simplify(sympy.expand_log(value, force=True) - y) == 0
    assert sympy.expand_log(sympy.log(256)) / 2 == sympy.expand_log(sympy.log(2) + sympy.log(8))
    bind_expression(basis, sympy.Integer(0))
    bind(vacuous, [(p, Fraction(0)) for p in BOUNDS])
    n, eps, delta = sympy.symbols("records epsilon delta", positive=True)
    squares = 1 / beta_expression(d, n, eps, delta) ** 2
    phi = sympy.sqrt(1 - sympy.exp(-(2 * squares + sympy.log(256)) / (d - 1)))
    reached = (d - 1) * sympy.log(1 / sympy.sqrt(1 - phi**2)) - sympy.log(8)
    assert sympy.expand(sympy.expand_log(reached - squares - sympy.log(2), force=True)) == 0
    bind_expression(vacuous, -sympy.Abs(reached - (squares + sympy.log(2))), fields={"dimension": d})
    bind_hypotheses(basis, Dimension(2), {"dimension >= 2, an integer": Dimension(1)})
    bind_hypotheses(vacuous, attrs.evolve(INSIDE, dimension=2, records=1), SETTING_OUTSIDE)
    for statement in (basis, vacuous):
        assert not statement.strict


@theorem_15.controls("phi-of-a-basis", grade="interval", region="d = 2 to 25: phi = 1/2, the error to 40 digits")
def test_at_another_phi_the_family_is_no_basis(statement) -> None:
    """At phi = 1/2, K = (4/3)^((d-1)/2)/8, which is d for no d."""
    half = redefined(statement, sulq_utility_proof, "basis_end", lambda _: arb(1) / 2)
    points = [Dimension(d) for d in range(2, 26)]
    bind_formula(half, points, lambda p: -abs(log_count(p, mpmath.mpf(1) / 2) - mpmath.log(p.dimension)))
    assert all(half.at(p) is Truth.FALSE for p in points)


@theorem_15.controls(
    "phi-where-it-is-vacuous", grade="interval", region="24 points: phi = 99/100, the error to 40 digits"
)
def test_at_another_phi_the_bracket_is_not_zero(statement) -> None:
    other = redefined(statement, sulq_utility_proof, "divergence_end", lambda _: arb(99) / 100)
    assert other.at(INSIDE) is Truth.FALSE
    bind_formula(other, BOUNDS, lambda p: -abs(log_count(p, mpmath.mpf(99) / 100) - 1 / beta(p) ** 2 - mpmath.log(2)))


def circle(k: int, rest: tuple = ()) -> tuple:
    slope = Fraction(k, 4)
    return ((1 - slope**2) / (1 + slope**2), 2 * slope / (1 + slope**2), *rest)


PAIRS = [
    UnitPair(circle(i, rest), circle(j, rest), deviation, phi)
    for (i, j), rest, (deviation, phi) in product(
        ((0, 4), (1, -3), (2, 5), (3, 3)), ((), (0,)), ((HALF, Fraction(9, 10)), (3, HALF), (Fraction(7, 5), 1))
    )
] + [
    UnitPair((Fraction(2, 3), Fraction(2, 3), Fraction(1, 3)), (0, Fraction(3, 5), Fraction(4, 5)), 2, Fraction(7, 10))
]
PAIR = PAIRS[0]
LONG_PAIRS = [attrs.evolve(p, mu=tuple(x * (1 + Fraction(k, 7)) for x in p.mu)) for k, p in enumerate(PAIRS)]
"""The first vectors are not of norm 1, but for one."""
PAIR_OUTSIDE = {
    "mu and nu have norm 1": attrs.evolve(PAIR, mu=(1, Fraction(1, 4))),
    "deviation > 0": attrs.evolve(PAIR, deviation=0),
}


def half_square(p) -> Fraction:
    """Half the squared norm: entries on and above the diagonal of mu mu' - nu nu'."""
    d = len(p.mu)
    entries = [(i, j) for i in range(d) for j in range(i, d)]
    return sum((Fraction(p.mu[i] * p.mu[j]) - Fraction(p.nu[i] * p.nu[j])) ** 2 for i, j in entries) / 2


def check_pairs(statement: Statement, more: dict) -> None:
    inside = attrs.evolve(PAIR, nu=(0, 1), deviation=Fraction(1, 20))
    bind_hypotheses(statement, inside, PAIR_OUTSIDE | more)
    assert statement.applies(attrs.evolve(PAIR, nu=(HALF, HALF))) is Truth.FALSE
    assert not statement.strict
    norms = next(given for given in statement.given if "norm 1" in given.says)
    assert not norms.strict


@theorem_15.supports("divergence", grade="derived", region="Sigma = beta^2 I, every d: the docstring; 25 pairs exactly")
@theorem_15.supports(
    "inequality-23", grade="derived", region="unit vectors of every d: the docstring; expanded for d <= 3"
)
@theorem_15.supports(
    "inequality-24", grade="derived", region="unit vectors of every d: the docstring; expanded for d <= 3"
)
@theorem_15.supports("data-set", grade="derived", region="unit vectors of every d: the docstring; expanded for d <= 3")
def test_pairs_of_means(statements) -> None:
    """The entries on and above the diagonal are some of those of mu mu' - nu nu', whose squared norm is 2 - 2<mu,nu>^2.

    (1) that norm, (2) |mu - nu|^2 = 2 - 2<mu, nu> >= 2 - 2 phi, (3) mu mu' mu = |mu|^2 mu; for Sigma = beta^2 I the
    form is |m-k|^2/beta^2. The identities are expanded for d <= 3; they hold term by term.
    """
    names = ("divergence", "inequality-23", "inequality-24", "data-set")
    divergence, bound, apart, copies = (statements[f"near-optimal.theorem-15/{name}"] for name in names)
    for d in (1, 2, 3):
        m, n = (sympy.Matrix(sympy.symbols(f"{name}:{d}", real=True)) for name in "mn")
        gap = m * m.T - n * n.T
        norm = sum(entry**2 for entry in gap)
        form = (m.T * m)[0] ** 2 + (n.T * n)[0] ** 2 - 2 * (m.T * n)[0] ** 2
        assert sympy.expand(norm - form) == 0, "(1)"
        assert sympy.expand(((m - n).T * (m - n))[0] - (m.T * m)[0] - (n.T * n)[0] + 2 * (m.T * n)[0]) == 0, "(2)"
        assert sympy.expand(m * m.T * m - (m.T * m)[0] * m) == sympy.zeros(d, 1), "(3)"
    bind(divergence, [(p, Fraction(0)) for p in PAIRS])
    bind(bound, [(p, (1 - half_square(p)) / Fraction(p.deviation) ** 2) for p in PAIRS])
    bind(apart, [(p, 2 * (Fraction(p.phi) - dot(p.mu, p.nu))) for p in PAIRS])
    bind(copies, [(p, Fraction(0)) for p in PAIRS])
    bind(copies, [(p, -abs(dot(p.mu, p.mu) - 1) * max(abs(Fraction(x)) for x in p.mu)) for p in LONG_PAIRS])
    long = attrs.evolve(PAIR, mu=(Fraction(6, 5), 0))
    assert copies.without("mu and nu have norm 1").at(long) is Truth.FALSE
    for statement in (divergence, bound, copies):
        check_pairs(statement, {})
        assert [p for p in PAIRS if statement.at(p) is not Truth.TRUE] == []
    wide = UnitPair((1, 0), (-1, 0), 1, Fraction(19, 20))
    check_pairs(apart, {"|<mu, nu>| <= phi": wide})
    assert apart.applies(attrs.evolve(wide, nu=(1, 0))) is Truth.FALSE
    assert all(apart.at(p) is Truth.TRUE for p in PAIRS if apart.applies(p) is Truth.TRUE)
    assert bound.at(attrs.evolve(PAIR, mu=(1, 0), nu=(0, 1))) is Truth.TRUE, "equality"
    equal = attrs.evolve(PAIR, mu=(1, 0), nu=(Fraction(3, 5), Fraction(4, 5)), phi=Fraction(3, 5))
    assert apart.at(equal) is Truth.TRUE, "equality"
    share = apart.given[-1]
    bind(Statement(share.says, share.margin), [(p, Fraction(p.phi) - abs(dot(p.mu, p.nu))) for p in PAIRS])


@theorem_15.controls("divergence", grade="symbolic", region="25 pairs: Sigma = I for beta^2 I, the error exactly")
def test_the_divergence_has_the_variance(statement) -> None:
    """(m-k)'(m-k)/2 differs from |m-k|^2/(2 beta^2) by the factor beta^2."""
    plain = redefined(statement, sulq_utility_proof, "form", lambda _, x, y: (x.transpose() * y)[0, 0])
    errors = [(p, -half_square(p) * abs(1 - 1 / Fraction(p.deviation) ** 2)) for p in PAIRS]
    bind(plain, errors)
    assert plain.at(PAIR) is Truth.FALSE


OPPOSITE = Alignment((-1,), (1,))
ALIGNMENTS = [
    OPPOSITE,
    *(
        Alignment((Fraction(i, 10), Fraction(j, 7)), (Fraction(k, 9), 1 - Fraction(k, 9)))
        for i, j, k in product((-9, 0, 5, 10), (-7, 2), (1, 4, 8))
    ),
]


def jensen(p) -> mpmath.mpf:
    values, chances = [real(s) for s in p.values], [real(q) for q in p.probabilities]
    lines = sum(q * 2 * (1 - abs(s)) for q, s in zip(chances, values, strict=True))
    return lines - sum(q * mpmath.sqrt(2 - 2 * abs(s)) for q, s in zip(chances, values, strict=True)) ** 2


@theorem_15.supports("jensen", grade="derived", region="every law of v^: the docstring; bound at 25 points")
def test_jensen_for_the_distance_of_lines(statement) -> None:
    """|v^ - mu|^2 = 2 - 2 <v^, mu> and |v^ + mu|^2 = 2 + 2 <v^, mu>, so the smaller one is y^2 = 2 (1 - |<v^, mu>|).

    E y^2 - (E y)^2 = E (y - E y)^2 >= 0 (1).
    """
    y, z, q = sympy.symbols("y z q", real=True)
    mean = q * y + (1 - q) * z
    assert sympy.expand(q * y**2 + (1 - q) * z**2 - mean**2 - q * (y - mean) ** 2 - (1 - q) * (z - mean) ** 2) == 0, (
        "(1)"
    )
    assert statement.at(OPPOSITE) is Truth.TRUE
    assert all(statement.at(p) is not Truth.FALSE for p in ALIGNMENTS)
    assert statement.at(Alignment((1, -1), (HALF, HALF))) is Truth.TRUE
    assert statement.at(Alignment((HALF, Fraction(4, 5)), (HALF, HALF))) is Truth.TRUE
    bind_formula(statement, ALIGNMENTS, jensen)
    assert not statement.strict
    outside = {
        "|<v^, mu>| <= 1": Alignment((Fraction(-21, 20),), (1,)),
        "the probabilities are at least 0": Alignment((0, 1), (Fraction(21, 20), Fraction(-1, 20))),
        "the probabilities sum to 1": Alignment((0, 1), (HALF, Fraction(11, 20))),
    }
    bind_hypotheses(statement, OPPOSITE, outside)
    within = [(p, min(1 - abs(Fraction(s)) for s in p.values)) for p in ALIGNMENTS]
    bind_condition(statement, "|<v^, mu>| <= 1", within)
    assert not any(given.strict for given in statement.given)
    assert statement.applies(Alignment((0, 1), (0, 1))) is Truth.TRUE
    assert statement.applies(Alignment((0, 1), (HALF, Fraction(9, 20)))) is Truth.FALSE


@theorem_15.controls("jensen", grade="interval", region="v^ = -mu: |v^ - mu| in place of the distance of the lines")
def test_the_euclidean_distance_forgets_the_sign(statement) -> None:
    """E[2 (1 - |<v^, mu>|)] = 0 and E|v^ - mu| = 2; an eigenvector of random sign is half as bad."""

    def euclidean(p: Alignment) -> arb:
        pairs = [(ball(q), ball(s)) for q, s in zip(p.probabilities, p.values, strict=True)]
        lines = sum((q * 2 * (1 - abs(s)) for q, s in pairs), arb(0))
        return lines - sum((q * (2 - 2 * s).sqrt() for q, s in pairs), arb(0)) ** 2

    for point in (OPPOSITE, Alignment((1, -1), (HALF, HALF))):
        assert statement.nudged(margin=euclidean).at(point) is Truth.FALSE


REARRANGED = [
    Rearranged(Fraction(i, 6), Fraction(j, 5), Fraction(k, 4)) for i, j, k in product((0, 2, 5), (1, 2, 4), (0, 1, 4))
]


@theorem_15.supports(
    "inequality-26", grade="symbolic", region="every correlation, phi < 1 and bracket >= 0: half of the hypothesis"
)
def test_rearranged(statement) -> None:
    """Half of 2 (1 - x) - ((1-phi)/2) b^2 is 1 - ((1-phi)/4) b^2 - x."""
    x, phi, b = sympy.symbols("x phi b", real=True)
    assert sympy.expand((2 * (1 - x) - (1 - phi) / 2 * b**2) / 2 - (1 - (1 - phi) / 4 * b**2 - x)) == 0

    def margin(p):
        return 1 - (1 - p.phi) / 4 * p.bracket**2 - p.correlation

    names = {"correlation": x, "phi": phi, "bracket": b}
    bind_expression(statement, 1 - (1 - phi) / 4 * b**2 - x, fields=names)
    inside = Rearranged(HALF, HALF, 0)
    outside = {
        "bracket >= 0": Rearranged(HALF, HALF, Fraction(-1, 20)),
        "phi < 1": Rearranged(HALF, 1, HALF),
        "2 (1 - E|<v^, mu>|) >= ((1-phi)/2) bracket^2": Rearranged(Fraction(99, 100), HALF, 1),
    }
    bind_hypotheses(statement, inside, outside)
    squared = statement.given[-1]
    bind(Statement(squared.says, squared.margin), [(p, 2 * margin(p)) for p in REARRANGED])
    bind_expression(Statement(squared.says, squared.margin), 2 * (1 - (1 - phi) / 4 * b**2 - x), fields=names)
    assert statement.at(Rearranged(Fraction(7, 8), HALF, 1)) is Truth.TRUE, "equality"
    assert not statement.strict
