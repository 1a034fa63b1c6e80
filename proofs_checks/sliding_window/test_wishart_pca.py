"""Theorem 16 of `sliding-window`: what a projection through the Wishart mechanism reveals and costs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real, symbolic
from dpmatrix.exact import ball, precision, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.projection_costs import Choice
from dpmatrix.spec.sliding_window.wishart_pca import Ends, NoisyChoice
from dpmatrix.spec.sliding_window.wishart_stream import NoisyStream
from dpmatrix.spec.sliding_window.wishart_window import WishartParameters
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.misled_choices import DEAR, FREE, SKEW_NOISE
from proofs_checks.sliding_window.symbolic_matrices import matrix

theorem_16 = cite("sliding-window.theorem-16@9a4d524b")

MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)
THEOREM = "sliding-window.theorem-16"


TILT = WishartParameters(2, 1, MILLIONTH, 427, 200)


@theorem_16.refutes(
    grade="interval",
    region="d = 2, k = 1, eps = 1, delta = 10^-6: M = 100 at tau = 195, 427, M = 200 at 427, M = 10^3 at 10^4",
)
def test_the_sign_of_one_entry_of_the_projection_tells_the_streams_apart(statement) -> None:
    """X~ = (1 + (C~ - Tr C~/2)/rho)/2 in the plane, rho > 0 almost surely: X~_12 = c_12 / (2 rho) has the sign of c_12.

    c_12 = R_12 = sum of tau products g_i h_i of standard normal variates for the row (M, 0), symmetric about 0; for the
    row (M, 1), at distance 1, it is M + R_12. E exp(-s g h) = E exp(s^2 h^2/2) = (1 - s^2)^(-1/2), and Markov's
    inequality gives the bound for every s in (0, 1); the s of the statement is where it is least, so the bound falls
    with M: by e^(-s M).
    """
    a, b, c, s, m, t = sympy.symbols("a b c s M t", positive=True)
    moments = sympy.Matrix([[a, c], [c, b]])
    rho = sympy.sqrt((a - b) ** 2 / 4 + c**2)
    projector = (sympy.eye(2) + (moments - moments.trace() / 2 * sympy.eye(2)) / rho) / 2
    assert sympy.simplify(projector * projector - projector) == sympy.zeros(2, 2)
    assert sympy.simplify(projector[0, 1] - c / (2 * rho)) == 0
    largest = (a + b) / 2 + rho
    assert sympy.simplify(moments * projector - largest * projector) == sympy.zeros(2, 2)
    h = sympy.Symbol("h", real=True)
    density = sympy.exp(-(h**2) / 2) / sympy.sqrt(2 * sympy.pi)
    half = sympy.Rational(1, 2)
    moment = sympy.integrate(density * sympy.exp(half**2 * h**2 / 2), (h, -sympy.oo, sympy.oo))
    assert sympy.simplify(moment - (1 - half**2) ** -half) == 0, "at s = 1/2"
    best = (sympy.sqrt(t**2 + 4 * m**2) - t) / (2 * m)
    assert sympy.simplify(sympy.diff(-s * m - t / 2 * sympy.log(1 - s**2), s).subs(s, best)) == 0
    assert statement.at(TILT) is Truth.FALSE
    assert -statement.margin(TILT) > fmpq(1, 2) - fmpq(2, 10**6)
    with precision(120):  # the margin is near -1/2
        bound = (statement.margin(TILT) + fmpq(1, 2) - ball(TILT.delta)) / arb(1).exp()
    theorem_16.tells("an event of probability 1/2 has probability below {below} on a neighbour", bound)
    theorem_16.tells("at M = 200 it is below {below}.", bound)
    found = {degrees: [attrs.evolve(TILT, degrees=degrees, row=row) for row in range(20, 45)] for degrees in (195, 427)}
    first = {degrees: min(p.row for p in rows if statement.at(p) is Truth.FALSE) for degrees, rows in found.items()}
    theorem_16.tells("M = {} on for the tau of line 6, 195, and from M = {} on for that", first[195], first[427])
    for row, degrees in ((100, 195), (100, 427), (1000, 10**4)):
        assert statement.at(attrs.evolve(TILT, row=row, degrees=degrees)) is Truth.FALSE
    short = attrs.evolve(TILT, row=10)
    assert statement.margin(short) > 0
    assert statement.at(short) is Truth.UNDECIDED, "the bound is above 1/2 and shows nothing"
    degrees, row, epsilon, delta = sympy.symbols("degrees row epsilon delta")
    at = best.xreplace({t: degrees, m: row})
    reached = sympy.exp(-at * row) * (1 - at**2) ** (-degrees / 2)
    bind_expression(statement, sympy.exp(epsilon) * reached + delta - half, points=[TILT])
    assert not statement.strict
    bind_hypotheses(
        statement,
        TILT,
        {
            "d = 2": attrs.evolve(TILT, dimension=3),
            "epsilon > 0": attrs.evolve(TILT, epsilon=0),
            "delta > 0": attrs.evolve(TILT, delta=0),
            "delta < 1": attrs.evolve(TILT, delta=1),
            "degrees >= 1, an integer": attrs.evolve(TILT, degrees=0),
            "row > 0": attrs.evolve(TILT, row=0),
            "tau >= floor(d + 14 log(1/delta)/eps^2)": attrs.evolve(TILT, degrees=194),
        },
    )


NOISE = ((3, 5), (9, 4), (2, 2), (1, 8))


def noisy_choice(size: int, noise: tuple[tuple[int, int], ...] = NOISE, scale: Fraction | int = 1) -> NoisyChoice:
    """Rows z e_2 three times, then z e_1; diagonal noises, all times one number."""
    rows = fmpq_mat([[0, size], [0, size], [0, size], [size, 0]])
    run = NoisyStream(rows, tuple(rational(scale) * diagonal(one) for one in noise), 4)
    return NoisyChoice(run, diagonal((1, 0)), diagonal((0, 1)), fmpq(2, 5), 10, 1)


def swamped(constant: Fraction | int) -> NoisyChoice:
    """One row z e_2, z = 1000 c, under a noise 2 z^2 e_1e_1', for which e_1 is best."""
    size = 1000 * rational(constant)
    run = NoisyStream(fmpq_mat([[0, size]]), (diagonal((2 * size**2, 0)),), 1)
    return NoisyChoice(run, diagonal((1, 0)), diagonal((0, 1)), fmpq(2, 5), 10, constant)


@theorem_16.refutes(
    "accuracy", grade="derived", region="T = W = 4, tau = 10, eta = 2/5: every c by longer rows; three diagonal noises"
)
def test_the_printed_lines_forget_most_of_the_window(statement) -> None:
    """Lines 12 to 14 leave the pair of the newest row z e_1 alone, as no earlier matrix is above z^2 e_1e_1' + R.

    For z^2 above all entries of the noise its output is best kept by e_1: the cost is 3 z^2, and e_2 costs z^2.
    Every c: 3 z^2 - (1 + 2 eta) z^2 = 6 z^2/5 exceeds 2 c tau log tau < 47 c for z = 7 (1 + c), as z^2 > 49 c. The
    noises are c times fixed ones of norm at most 9, below c tau log tau > 23 c.
    """

    def family(constant):
        size = 7 + 7 * int(rational(constant).ceil())
        return attrs.evolve(noisy_choice(size, scale=constant), constant=constant)

    statement.refute(family)
    for noise in (((3, 5), (9, 4), (2, 2), (1, 8)), ((1, 1),) * 4, ((9, 0), (0, 9), (5, 5), (7, 0))):
        assert statement.at(noisy_choice(10**3, noise)) is Truth.FALSE
    point = noisy_choice(10**6)
    assert statement.at(attrs.evolve(point, constant=10**6)) is Truth.FALSE
    assert statement.at(noisy_choice(6)) is Truth.TRUE
    assert statement.at(attrs.evolve(point, other=point.chosen)) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for size, eta, degrees, constant in product((3, 50, 900), (fmpq(1, 5), fmpq(2, 5)), (4, 9), (1, 3)):
            extra = constant * 2 * degrees * mpmath.log(degrees)
            value = (1 + 2 * real(Fraction(int(eta.p), int(eta.q)))) * size**2 + extra - 3 * size**2
            candidate = attrs.evolve(noisy_choice(size), eta=eta, degrees=degrees, constant=constant)
            values.append((candidate, value))
        wide = noisy_choice(50)
        shorter = attrs.evolve(wide, run=attrs.evolve(wide.run, window=3))  # the first row has left the window
        values.append((shorter, (mpmath.mpf(9) / 5 - 2) * 50**2 + 2 * 10 * mpmath.log(10)))
        bind(statement, values)
    assert not statement.strict
    for wrong in (attrs.evolve(point, chosen=diagonal((2, 0))), attrs.evolve(point, other=diagonal((0, 2)))):
        assert statement.applies(wrong) is Truth.FALSE
    broken = attrs.evolve(point.run, noise=point.run.noise[:3])
    outside = {
        "eta > 0": attrs.evolve(point, eta=0),
        "eta < 1/2": attrs.evolve(point, eta=fmpq(1, 2)),
        "degrees >= 1, an integer": attrs.evolve(point, degrees=0),
        "the run is well formed": attrs.evolve(point, run=attrs.evolve(point.run, window=0)),
        "both are orthogonal projections of rank k": attrs.evolve(point, other=diagonal((1, 1))),
        "X~ is best for the output": attrs.evolve(point, chosen=diagonal((0, 1))),
        "lambda_1(R) <= c tau log tau": swamped(1),
    }
    for inside in (point, attrs.evolve(noisy_choice(10**6, ((0, 0),) * 4), degrees=1)):
        bind_hypotheses(statement, inside, outside)
    for constant in (Fraction(1, 50), 1, 40):
        assert statement.without("lambda_1(R) <= c tau log tau").at(swamped(constant)) is Truth.FALSE, "a large noise"
        assert statement.applies(swamped(constant)) is Truth.FALSE
    # 10 log 10 = 23.02...
    for first, answer in ((23, Truth.TRUE), (fmpq(2303, 100), Truth.FALSE)):
        edge = attrs.evolve(point.run, noise=(diagonal((0, first)), *point.run.noise[1:]))
        assert statement.applies(attrs.evolve(point, run=edge)) is answer
    nothing = NoisyStream(fmpq_mat([[0, 0]]), (diagonal((0, 0)),), 1)
    assert statement.applies(attrs.evolve(point, run=nothing)) is Truth.TRUE, "any projection is best for 0"
    (best,) = (condition for condition in statement.given if condition.says == "X~ is best for the output")
    assert best.at(attrs.evolve(point, chosen=line(1, 1))) is Truth.FALSE, "it mixes the eigenvectors"
    middle = NoisyStream(fmpq_mat([[3, 0, 0]]), (diagonal((0, 2, 1)),), 1)
    for axes, answer in (((1, 1, 0), Truth.TRUE), ((1, 0, 1), Truth.FALSE)):
        three = attrs.evolve(point, run=middle, chosen=diagonal(axes), other=diagonal((0, 1, 1)))
        assert best.at(three) is answer, "9, 2 and 1: the two largest"
    (well_formed,) = (condition for condition in statement.given if condition.says == "the run is well formed")
    assert well_formed.at(attrs.evolve(point, run=broken)) is Truth.FALSE
    assert statement.applies(attrs.evolve(point, eta=fmpq(49, 100))) is Truth.TRUE


CHOICE = Choice(diagonal((9, 4)), fmpq_mat([[10, 1], [1, 5]]), line(1, 0), line(1, 2), fmpq(1, 4), 1, 2)
TIGHT = Choice(diagonal((8, 4)), diagonal((7, 3)), line(1, 0), line(1, 0), 0, 1, 0)
EQUAL = Choice(diagonal((8, 4)), diagonal((8, 4)), line(1, 0), line(1, 0), 0, 0, 0)
SAME_RANK = {"both are orthogonal projections of rank k": attrs.evolve(CHOICE, other=identity(2))}
FACTORS = {"eta >= 0": attrs.evolve(CHOICE, eta=-1), "eta < 1": attrs.evolve(CHOICE, eta=1)}
SKEW = Choice(diagonal((0, 0)), SKEW_NOISE, DEAR, FREE, 0, 1, 1)
"""Within (41) by its eigenvalues; its form is 50 on the complement of one projection and -50 on that of the other."""
SYMMETRIC = {"A_W'A_W and C~ are symmetric": SKEW}
LOWER = {"A_W'A_W - lower <= C~": attrs.evolve(CHOICE, lower=-1)}
UPPER = {"C~ <= A_W'A_W/(1 - eta) + upper": attrs.evolve(CHOICE, upper=-3)}


def choices():
    for (a, b), (e, f), eta, lower, upper in product(
        ((1, 0), (1, 3)), ((1, -2), (0, 1)), (0, fmpq(1, 5)), (1, fmpq(5, 2)), (2, 3)
    ):
        window, published = fmpq_mat([[6, 1], [1, 2]]), fmpq_mat([[4, 3], [3, -1]])
        yield Choice(window, published, line(a, b), line(e, f), eta, lower, upper)


def numbers_of(p: Choice):
    """Costs of the chosen and the other projection on the window, then on the published matrix; factor and errors."""
    found = []
    for moments in (p.window, p.published):
        found += [((sympy.eye(2) - matrix(each)) * matrix(moments)).trace() for each in (p.chosen, p.other)]
    return *found, 1 / (1 - symbolic(p.eta)), symbolic(p.lower), symbolic(p.upper)


def check_edges(statement, outside) -> None:
    """Hypotheses of a statement on choices, and that each side of (41) is as sharp as it says."""
    assert statement.at(CHOICE) is Truth.TRUE
    for edge in (TIGHT, EQUAL):
        assert statement.applies(edge) is Truth.TRUE
    assert statement.applies(attrs.evolve(CHOICE, eta=fmpq(19, 20))) is Truth.TRUE
    assert not statement.strict
    (below_one,) = (condition for condition in statement.given if condition.says == "eta < 1")
    assert below_one.at(attrs.evolve(CHOICE, eta=1)) is Truth.FALSE
    bind_hypotheses(statement, CHOICE, outside)
    assert statement.applies(attrs.evolve(CHOICE, chosen=diagonal((2, 0)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(CHOICE, other=diagonal((2, 0)))) is Truth.FALSE
    for wrong in ({"window": fmpq_mat([[9, 1], [0, 4]])}, {"published": fmpq_mat([[10, 1], [fmpq(49, 50), 5]])}):
        assert statement.applies(attrs.evolve(CHOICE, **wrong)) is Truth.FALSE
    assert statement.without("A_W'A_W and C~ are symmetric").at(SKEW) is Truth.FALSE
    if set(LOWER) <= set(outside):
        assert statement.applies(attrs.evolve(TIGHT, lower=fmpq(99, 100))) is Truth.FALSE
    if set(UPPER) <= set(outside):
        at = attrs.evolve(TIGHT, published=diagonal((18, 9)), eta=fmpq(1, 2), upper=2)
        assert statement.applies(at) is Truth.TRUE
        assert statement.applies(attrs.evolve(at, upper=fmpq(199, 100))) is Truth.FALSE


@theorem_16.supports(
    "equation-43",
    grade="derived",
    region="every d and k: traces against a projection keep the Loewner order; identities checked for d = 3",
)
@theorem_16.supports(
    "equation-44",
    grade="derived",
    region="every d and k: traces against a projection keep the Loewner order; identities checked for d = 3",
)
def test_costs_follow_from_the_loewner_order(statements) -> None:
    """For a projection Q = 1 - P and X = B'B, Tr(QX) = |BQ|_F^2 >= 0; Tr Q = d - k <= d.

    (43) with slack Tr((1-X)(A'A/(1-eta) + upper - C~)) + k upper; (44) with Tr((1-P)(C~ - A'A + lower)) + k lower.
    """
    entries = sympy.Matrix(2, 3, sympy.symbols("b0:6"))
    u = sympy.Matrix(sympy.symbols("u0:3"))
    rest = sympy.eye(3) - u * u.T / (u.T * u)[0, 0]
    left, right = (rest * entries.T * entries).trace(), ((entries * rest).T * (entries * rest)).trace()
    assert sympy.simplify(left - right) == 0
    window, published, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "gcpx"
    )
    eta, lower, upper = sympy.symbols("eta a b")
    unit = sympy.eye(3)
    above = ((unit - other) * (window / (1 - eta) + upper * unit - published)).trace()
    below = ((unit - chosen) * (published - window + lower * unit)).trace()
    upper_43 = ((unit - other) * window).trace() / (1 - eta) + 3 * upper - ((unit - other) * published).trace()
    assert sympy.simplify(upper_43 - above - other.trace() * upper) == 0
    lower_44 = ((unit - chosen) * (published - window)).trace() + 3 * lower
    assert sympy.simplify(lower_44 - below - chosen.trace() * lower) == 0
    first, second = (statements[f"{THEOREM}/equation-{number}"] for number in (43, 44))
    formulas = {first: [], second: []}
    for p in choices():
        x, y, seen_x, seen_y, factor, a, b = numbers_of(p)
        formulas[first].append((p, (factor * y + 2 * b - seen_y).evalf(50)))
        formulas[second].append((p, (seen_x - x + 2 * a).evalf(50)))
    for statement, values in formulas.items():
        bind(statement, values)
    check_edges(first, FACTORS | SAME_RANK | SYMMETRIC | UPPER | {"upper >= 0": attrs.evolve(CHOICE, upper=-1)})
    check_edges(second, FACTORS | SAME_RANK | SYMMETRIC | LOWER | {"lower >= 0": attrs.evolve(CHOICE, lower=-1)})


@theorem_16.refutes("first-display-43", grade="symbolic", region="d = 2, k = 1")
def test_a_matrix_is_added_to_a_trace(statement) -> None:
    assert statement.at(CHOICE) is Truth.FALSE
    assert statement.margin(CHOICE) == -1
    wide = Choice(identity(3), identity(3), diagonal((1, 0, 0)), diagonal((0, 1, 0)), 0, 0, 0)
    assert statement.margin(wide) == -2
    unit = fmpq_mat([[1]])
    assert statement.at(Choice(unit, unit, unit, unit, 0, 0, 0)) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(statement, CHOICE, SAME_RANK)


@theorem_16.supports(
    "combination",
    grade="derived",
    region="every eta in [0, 1/2] and all costs: a sum of hypotheses and eta(1 - 2 eta)/(1 - eta) times the least cost",
)
def test_the_last_lines_combine(statement) -> None:
    seen, chosen, least, eta, extra = sympy.symbols("seen chosen least eta extra")
    conclusion = (1 + 2 * eta) * least + 2 * extra - chosen
    first, second = least / (1 - eta) + extra - seen, seen - chosen + extra
    assert sympy.simplify(conclusion - first - second - least * eta * (1 - 2 * eta) / (1 - eta)) == 0
    bind_expression(statement, conclusion)
    inside = Ends(4, 5, 3, fmpq(1, 3), 1)
    assert statement.at(inside) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(
        statement,
        Ends(0, 0, 0, 0, 0),
        {
            "least >= 0": attrs.evolve(inside, least=-1),
            "eta >= 0": attrs.evolve(inside, eta=-1),
            "eta <= 1/2": attrs.evolve(inside, eta=fmpq(11, 20)),
            "(43)": attrs.evolve(inside, seen=6),
            "(44)": attrs.evolve(inside, chosen=6),
        },
    )
    assert statement.applies(attrs.evolve(inside, eta=fmpq(1, 2))) is Truth.TRUE
    assert statement.applies(Ends(7, 8, 3, fmpq(1, 2), 1)) is Truth.TRUE, "(43) and (44) are sharp"
    assert statement.applies(Ends(fmpq(71, 10), 8, 3, fmpq(1, 2), 1)) is Truth.FALSE
    assert statement.applies(Ends(7, fmpq(81, 10), 3, fmpq(1, 2), 1)) is Truth.FALSE
