"""Lemma 5 of `sliding-window`: an exact chi-square against the printed bound, and the error of a summary by blocks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, symbolic
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import projection_costs
from dpmatrix.spec.sliding_window.projection_costs import Summary
from dpmatrix.spec.sliding_window.summary_margins import (
    CrossTail,
    Displays,
    ErrorSpectrum,
    FullSketch,
    ProductShape,
    SplitSketch,
)
from dpmatrix.spec.sliding_window.summary_parameters import SummaryParameters
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.one_row_outputs import whole_above

lemma_5 = cite("sliding-window.lemma-5@b34618c7")

MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)
LEMMA = "sliding-window.lemma-5"
EMPTY = SummaryParameters(5, 100, TENTH, 74, TENTH, 1, MILLIONTH, 20)
LONG = SummaryParameters(1, 2, Fraction(2, 5), 384, Fraction(1, 200), 1, MILLIONTH, 1, 1250)
PARAMETERS = {
    "k >= 1, an integer": attrs.evolve(EMPTY, k=0),
    "k < d": attrs.evolve(EMPTY, dimension=5),
    "beta > 0": attrs.evolve(EMPTY, beta=0),
    "beta < 1": attrs.evolve(EMPTY, beta=1),
    "r = k'/eta, rounded up": attrs.evolve(EMPTY, rank=75),
    "eta > 0": attrs.evolve(EMPTY, eta=0),
    "4r/eta is an integer": attrs.evolve(EMPTY, eta=Fraction(3, 31)),
    "epsilon > 0": attrs.evolve(EMPTY, epsilon=0),
    "delta > 0": attrs.evolve(EMPTY, delta=0),
    "delta < 1": attrs.evolve(EMPTY, delta=1),
}
CONSTANT = {"constant > 0": attrs.evolve(EMPTY, constant=0)}
ROW = {"row >= 0": attrs.evolve(EMPTY, row=-1)}


def excludes_zero(statement, name: str) -> bool:
    """Whether the hypothesis on a field, asked alone, excludes 0: others cannot be asked there."""
    (condition,) = (condition for condition in statement.given if condition.says == f"{name} > 0")
    return condition.at(attrs.evolve(EMPTY, **{name: 0})) is Truth.FALSE


def sigma(p: SummaryParameters):
    log = mpmath.log(4 / real(p.delta))
    return (16 * mpmath.sqrt(p.rank * log) + log) / real(p.epsilon)


def printed_term(p: SummaryParameters):
    more = p.k + mpmath.log(1 / real(p.beta))
    return mpmath.sqrt(more * p.dimension * mpmath.log(1 / real(p.delta))) / real(p.epsilon)


def parameters():
    for k, wider, beta, (rank, eta), epsilon, constant in product(
        (1, 2),
        (1, 3),
        (Fraction(1, 2), TENTH),
        ((1, Fraction(1, 8)), (2, TENTH)),
        (1, Fraction(1, 3)),
        (1, 12),
    ):
        yield SummaryParameters(k, k + wider, beta, rank, eta, epsilon, Fraction(1, 50), constant, 3)


def small_eta(constant) -> SummaryParameters:
    """Give eta = 1/(10 c^2), c rounded up, with the rank that belongs to it."""
    number = 10 * whole_above(constant) ** 2
    with mpmath.workdps(400):
        rank = int(mpmath.ceil((5 + mpmath.log(10)) * number))
    return attrs.evolve(EMPTY, constant=constant, eta=Fraction(1, number), rank=rank)


def kept_probability(p: SummaryParameters):
    size = 4 * real(p.rank) / real(p.eta)
    bound = real(p.constant) * printed_term(p) / ((1 - 6 * real(p.eta)) * sigma(p))
    return mpmath.gammainc(size * (p.dimension - p.k) / 2, 0, size * bound**2 / 2, regularized=True)


@lemma_5.refutes(
    grade="derived",
    region="d = 100, k = 5, beta = 1/10, eps = 1, delta = 10^-6: every c by eta = 1/(10 c^2)",
)
def test_an_empty_window_costs_more_than_the_printed_term(statement) -> None:
    """Here m |Phi(1-P)|_F^2 is chi-square with n = 95 m degrees, and the bound is m t^2, m = 4r/eta.

    As r >= k'/eta, sigma >= 16 sqrt(k' log(4/delta)/eta)/eps, so t^2 <= c^2 d eta/(256 (1 - 6 eta)^2), as log(1/delta)
    is below log(4/delta). At eta = 1/(10 c^2) <= 1/10 that is at most 100/(2560 (2/5)^2) < 1/4, where the mean of
    |Phi(1-P)|_F^2 is 95. For c < 1 the bound only falls. A chi-square below a 380th of its mean n, n > 100, has
    probability at most exp(-(x - 1 - log x) n/2) < 10^-80 at x = 1/380.
    """
    statement.refute(small_eta)
    assert statement.at(EMPTY) is Truth.FALSE
    assert -statement.margin(EMPTY) > fmpq(9, 10) - fmpq(1, 10**6)
    assert statement.at(attrs.evolve(EMPTY, constant=1)) is Truth.FALSE
    assert statement.at(attrs.evolve(EMPTY, constant=22)) is Truth.TRUE
    bind_formula(statement, parameters(), lambda p: kept_probability(p) - (1 - real(p.beta)))
    assert not statement.strict
    bind_hypotheses(statement, EMPTY, PARAMETERS | CONSTANT | {"eta < 1/6": attrs.evolve(EMPTY, eta=Fraction(17, 100))})
    assert excludes_zero(statement, "eta")
    later = attrs.evolve(EMPTY, beta=Fraction(9117, 10**5))  # k'/eta is 73.95
    assert statement.applies(later) is Truth.TRUE
    assert statement.applies(attrs.evolve(later, rank=75)) is Truth.FALSE
    assert statement.applies(attrs.evolve(EMPTY, rank=73)) is Truth.FALSE
    assert statement.applies(attrs.evolve(EMPTY, eta=Fraction(4, 25), rank=46)) is Truth.TRUE
    smallest = SummaryParameters(1, 2, Fraction(1, 2), 17, TENTH, 1, MILLIONTH)
    assert statement.applies(smallest) is Truth.TRUE


@lemma_5.refutes(
    "privacy", grade="interval", region="k = 1, beta = 2/5, eta = 1/200, r = 384, eps = 1, delta = 10^-6, M = 1250"
)
@lemma_5.refutes(
    "equation-16-right",
    grade="interval",
    region="the empty window: d = 100, k = 5, beta = 1/10, eta = 1/10, r = 74, eps = 1, delta = 10^-6",
)
def test_the_floor_is_neither_private_nor_small(statements) -> None:
    private, upper = statements[f"{LEMMA}/privacy"], statements[f"{LEMMA}/equation-16-right"]
    assert private.at(LONG) is Truth.FALSE
    assert -private.margin(LONG) > fmpq(1, 10**4)
    assert private.at(EMPTY) is Truth.TRUE
    assert upper.at(EMPTY) is Truth.FALSE
    assert upper.conclusion(attrs.evolve(EMPTY, row=10**9)) is Truth.TRUE
    with mpmath.workdps(60):
        bind(
            upper,
            ((p, 3 + printed_term(p) - mpmath.sqrt(9 + sigma(p) ** 2 * (p.dimension - p.k))) for p in parameters()),
        )
    for statement in statements.values():
        assert not statement.strict
        bind_hypotheses(statement, EMPTY, PARAMETERS | ROW)


@lemma_5.supports("equation-16-left", grade="derived", region="every parameter")
def test_the_ridge_only_adds(statement) -> None:
    """|A^(1-P)|^2 = |A(1-P)|^2 + sigma^2 |1-P|^2, so the root is at least |A(1-P)|; and K is a root."""
    row, ridge = sympy.symbols("M s", nonnegative=True)
    assert sympy.expand((row**2 + ridge) - row**2) == ridge
    with mpmath.workdps(60):
        bind(
            statement,
            ((p, mpmath.sqrt(9 + sigma(p) ** 2 * (p.dimension - p.k)) - 3 + printed_term(p)) for p in parameters()),
        )
    assert statement.at(EMPTY) is Truth.TRUE
    assert statement.at(LONG) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(statement, EMPTY, PARAMETERS | ROW)


x, y, z, tail, eta, term, c = sympy.symbols("x y z t eta K c", nonnegative=True)
NORMS = Displays(10, 10, fmpq(71, 10), 10, TENTH, 0, 0)
NORM_HYPOTHESES = {
    "eta >= 0": attrs.evolve(NORMS, eta=-1),
    "eta < 1": attrs.evolve(NORMS, eta=1),
    "data >= 0": attrs.evolve(NORMS, data=-1),
    "summary >= 0": attrs.evolve(NORMS, summary=-1),
    "tail >= 0": attrs.evolve(NORMS, tail=-1),
    "|A^ - [A^]_k|_F <= |A^(1-P)|_F": attrs.evolve(NORMS, tail=11),
}


def norms():
    for a, b, d, e, f in product((3, 8), (4, 7), (2, 5), (Fraction(1, 8), TENTH), (0, 1)):
        yield Displays(a, b, d, fmpq(3, 2), e, f, f)


def on_norms(*formulas: sympy.Expr):
    for p in norms():
        numbers = {z: p.data, x: p.stacked, y: p.summary, tail: sympy.Rational(3, 2), eta: sympy.Rational(p.eta)}
        numbers |= {term: p.additive, c: p.constant}
        yield p, min(formula.subs(numbers).evalf(50) for formula in formulas)


@lemma_5.refutes(
    "last-display", grade="symbolic", region="eta = 1/10, y^2 near (1 - 5 eta) x^2 and the tail equal to x"
)
@lemma_5.supports(
    "rearrangement",
    grade="derived",
    region="every eta in [0, 1) and all norms: each conclusion is a non-negative combination of hypotheses",
)
def test_the_last_lines_of_the_proof(statements) -> None:
    display, rearranged = statements[f"{LEMMA}/last-display"], statements[f"{LEMMA}/rearrangement"]
    assert display.at(NORMS) is Truth.FALSE
    assert display.at(Displays(10, 10, 10, 10, TENTH)) is Truth.TRUE
    lower, upper = x + eta * tail - (1 - 5 * eta) * y, (1 + 5 * eta) * y - x - eta * tail
    first = z + term - (1 - 6 * eta) * y
    second = (1 + 6 * eta) * y + term - z
    above, below = z + term - x, x + term - z
    rest = 6 * eta**2 / (1 + eta) * y
    assert sympy.simplify(first - (above + (lower + eta * (x - tail)) / (1 + eta) + rest)) == 0
    assert sympy.simplify(second - (below + upper + eta * tail + eta * y)) == 0
    bind(display, on_norms(lower, upper))
    bind(rearranged, on_norms(first, second))
    seven = [condition for condition in display.given if condition.says.startswith("(1-5 eta)")]
    for p, value in on_norms(y**2 + c - (1 - 5 * eta) * x**2, (1 + 5 * eta) * x**2 - y**2 - c):
        assert abs(seven[0].margin(p) - arb(str(value))) < arb(10) ** -12
    sound = Displays(10, 10, 10, 10, TENTH, 1)
    assert rearranged.at(sound) is Truth.TRUE
    bind_hypotheses(
        display,
        NORMS,
        NORM_HYPOTHESES
        | {
            "constant >= 0": attrs.evolve(NORMS, constant=-1),
            "(1-5 eta) x^2 <= y^2 + c <= (1+5 eta) x^2": attrs.evolve(NORMS, summary=7),
            "c <= eta |A^ - [A^]_k|_F^2": attrs.evolve(NORMS, constant=11),
        },
    )
    assert display.applies(attrs.evolve(NORMS, summary=13)) is Truth.FALSE
    assert display.applies(attrs.evolve(NORMS, constant=fmpq(99, 10))) is Truth.TRUE
    bind_hypotheses(
        rearranged,
        sound,
        NORM_HYPOTHESES
        | {
            "the last display": attrs.evolve(sound, summary=7),
            "(16)": attrs.evolve(sound, data=12),
        },
    )
    assert rearranged.applies(attrs.evolve(sound, data=8)) is Truth.FALSE
    assert rearranged.applies(attrs.evolve(sound, data=9)) is Truth.TRUE
    for edge in (Displays(0, 0, 0, 0, 0), sound, Displays(0, 0, 0, 0, fmpq(19, 20))):
        assert rearranged.applies(edge) is Truth.TRUE
    for statement in statements.values():
        assert not statement.strict


KEPT = Summary(diagonal((9, 4)), diagonal((14, 9)), line(1, 2), 2, fmpq(1, 4))
EDGE = Summary(diagonal((0, 0)), diagonal((1, 1)), diagonal((1, 0)), 1, 0)


def summaries():
    for p, q, (a, b), ridge, number in product(
        (1, 6), (2, 5), ((1, 0), (1, 2), (3, -1)), (0, 3), (fmpq(1, 4), fmpq(9, 10))
    ):
        window, seen = fmpq_mat([[p, 1], [1, q + 1]]), fmpq_mat([[q, -1], [-1, p + 1]])
        yield Summary(window, seen, line(a, b), ridge, number), (p, q, a, b)


@lemma_5.supports_repair(
    grade="derived",
    region="every d, P of every rank and eta in [0, 1): traces and two polynomials in the docstring, both checked",
)
def test_costs_are_kept_on_the_event_of_lemma_2(statement) -> None:
    """Tr((I-P)X) = |B(I-P)|_F^2 >= 0 for X = B'B, so the Loewner bounds carry over to costs.

    With s^2 = sigma^2 (d-k): (1-eta/4)(x^2 + s^2) <= y^2 <= (1+eta/4)/(1-eta) (x^2 + s^2). So x^2 <= y^2/(1-eta/4) <=
    (1+eta/4)^2 y^2, and for eta <= 4/5 ((1-5 eta/4) y)^2 <= (1-eta)/(1+eta/4) y^2 <= x^2 + s^2 <= (x+s)^2; beyond 4/5
    the left side is not positive.
    """
    entries = sympy.Matrix(2, 3, sympy.symbols("b0:6"))
    u = sympy.Matrix(sympy.symbols("u0:3"))
    rest = sympy.eye(3) - u * u.T / (u.T * u)[0, 0]
    left, right = (rest * entries.T * entries).trace(), ((entries * rest).T * (entries * rest)).trace()
    assert sympy.simplify(left - right) == 0
    e = sympy.Symbol("e")
    above = (1 + e / 4) ** 2 * (1 - e / 4) - 1
    assert sympy.expand(above - e / 4 * (1 - e / 4 - e**2 / 16)) == 0
    below = (1 - e) - (1 - 5 * e / 4) ** 2 * (1 + e / 4)
    assert sympy.expand(below - e * (sympy.Rational(5, 4) - 15 * e / 16 - 25 * e**2 / 64)) == 0
    assert 1 - Fraction(1, 4) - Fraction(1, 16) > 0, "the first bracket decreases, and is positive at 1"
    assert Fraction(5, 4) - Fraction(15, 16) * Fraction(4, 5) - Fraction(25, 64) * Fraction(16, 25) > 0, "at 4/5"
    values = []
    for point, (p, q, a, b) in summaries():
        one, other = sympy.Matrix([[p, 1], [1, q + 1]]), sympy.Matrix([[q, -1], [-1, p + 1]])
        v = sympy.Matrix([a, b]) / sympy.sqrt(a**2 + b**2)
        data, seen = (sympy.sqrt(m.trace() - (v.T * m * v)[0, 0]) for m in (one, other))
        number = symbolic(point.eta)
        bounds = data - (1 - sympy.Rational(5, 4) * number) * seen + point.ridge, (1 + number / 4) * seen - data
        values.append((point, min(bound.evalf(50) for bound in bounds)))
    bind(statement, values)
    assert statement.at(KEPT) is Truth.TRUE
    wide = Summary(diagonal((9, 4, 1)), diagonal((10, 5, 2)), diagonal((1, 0, 0)), 1, fmpq(1, 9))
    bounds = (
        sympy.sqrt(5) - sympy.Rational(31, 36) * sympy.sqrt(7) + sympy.sqrt(2),
        sympy.sqrt(7) * sympy.Rational(37, 36) - sympy.sqrt(5),
    )
    bind(statement, [(wide, min(bound.evalf(50) for bound in bounds))], least=1)
    assert statement.at(wide) is Truth.TRUE
    assert not statement.strict
    skew = fmpq_mat([[fmpq(3, 8), -2], [2, fmpq(15, 8)]])
    twisted = Summary(diagonal((1, 1)), skew, diagonal((0, 1)), 0, fmpq(1, 2))
    assert statement.without(SYMMETRIC).at(twisted) is Truth.FALSE, "its eigenvalues are near, its form is not"
    bind_hypotheses(
        statement,
        EDGE,
        {
            SYMMETRIC: twisted,
            "P is an orthogonal projection": attrs.evolve(KEPT, projection=diagonal((2, 0))),
            "A_W'A_W is positive semidefinite": attrs.evolve(KEPT, window=diagonal((9, -1))),
            "eta >= 0": attrs.evolve(KEPT, eta=-1),
            "eta < 1": attrs.evolve(KEPT, eta=1),
            "ridge >= 0": attrs.evolve(KEPT, ridge=-2),
            "(11) and (14)": attrs.evolve(KEPT, summary=diagonal((14, 7))),
        },
    )
    assert statement.applies(attrs.evolve(KEPT, projection=identity(3))) is Truth.FALSE
    assert statement.applies(attrs.evolve(KEPT, eta=fmpq(19, 20))) is Truth.TRUE
    assert statement.applies(Summary(diagonal((1, 1)), diagonal((1, 1)), diagonal((1, 0)), 0, 0)) is Truth.TRUE
    (below_one,) = (condition for condition in statement.given if condition.says == "eta < 1")
    assert below_one.at(attrs.evolve(KEPT, eta=1)) is Truth.FALSE
    quarter = fmpq(17, 16) / fmpq(3, 4)
    exactly = Summary(diagonal((4, 4)), diagonal((8 * quarter, 8 * fmpq(15, 16))), line(1, 2), 2, fmpq(1, 4))
    assert statement.at(exactly) is Truth.TRUE
    for more in (diagonal((8 * quarter + fmpq(1, 100), 8)), diagonal((8, 8 * fmpq(15, 16) - fmpq(1, 100)))):
        assert statement.applies(attrs.evolve(exactly, summary=more)) is Truth.FALSE


@lemma_5.controls("+repair", grade="symbolic", region="the additive term dropped")
def test_without_the_ridge_it_fails(statement) -> None:
    point = Summary(diagonal((0, 0)), diagonal((4, 4)), line(1, 1), 2, fmpq(1, 4))
    assert statement.at(point) is Truth.TRUE

    def without(p: Summary):
        return projection_costs.kept_costs_margin(attrs.evolve(p, ridge=0))

    assert statement.nudged(margin=without).at(point) is Truth.FALSE


SYMMETRIC = "A_W'A_W and A~'A~ are symmetric, d x d"
SPLIT = SplitSketch((3, 2, 1), fmpq_mat([[fmpq(5, 4), 0, 2], [0, 1, -1]]), 2, fmpq(9, 16))
SHAPES = {
    "Phi is m x d and 1 <= k <= d": attrs.evolve(SPLIT, values=(3, 2)),
    "the singular values decrease and are not negative": attrs.evolve(SPLIT, values=(3, 2, fmpq(-1, 9))),
}


@lemma_5.supports(
    "first-error",
    grade="derived",
    region="every d, m, k: a congruence in the docstring, its identity checked for generic matrices up to d = 4",
)
@lemma_5.supports("equation-17", grade="derived", region="every d, m: P_1 P_2 = 0")
def test_the_blocks_of_the_error(statements) -> None:
    """With G the leading block of Phi'Phi - I and S = diag(s) the singular values, both sides are congruences.

    eta S^2 -+ E_1 = S_1 (eta I -+ G) S_1 + eta S_2^2, where S_1, S_2 are the leading and trailing part of S; the first
    term is positive semidefinite because the embedding says -eta I <= G <= eta I. In (17) P_1 A^'A^ P_2 = P_1 S^2 P_2
    is 0, diagonal matrices commute.
    """
    eta = sympy.Symbol("eta")
    for order in (1, 2, 3, 4):
        gaps = sympy.Matrix(order, order, lambda i, j: sympy.Symbol(f"g{min(i, j)}{max(i, j)}"))
        scale = sympy.diag(*sympy.symbols(f"s0:{order}"))
        for k in range(1, order + 1):
            first = sympy.diag(*(int(i < k) for i in range(order)))
            rest = sympy.eye(order) - first
            error = first * scale * gaps * scale * first
            for sign in (1, -1):
                pieces = scale * first * (eta * sympy.eye(order) - sign * gaps) * first * scale + eta * rest * scale**2
                assert (eta * scale**2 - sign * error - pieces).expand() == sympy.zeros(order, order)
            assert first * scale**2 * rest == sympy.zeros(order, order)
    error, cross = statements[f"{LEMMA}/first-error"], statements[f"{LEMMA}/equation-17"]
    narrow = attrs.evolve(SPLIT, sketch=fmpq_mat([[fmpq(3, 5), 0, 7], [0, 1, 0]]), eta=fmpq(16, 25))
    for point in (SPLIT, narrow, attrs.evolve(SPLIT, k=1)):
        assert error.at(point) is Truth.TRUE
        assert error.conclusion(attrs.evolve(point, eta=point.eta - fmpq(1, 100))) is Truth.FALSE
        assert cross.at(point) is Truth.TRUE
    tall = attrs.evolve(SPLIT, sketch=fmpq_mat([[1, 0, 0], [fmpq(1, 2), 1, 0], [0, 0, 9]]), eta=1)
    assert error.at(tall) is Truth.TRUE
    too_small = attrs.evolve(SPLIT, eta=fmpq(1, 2))
    bind_hypotheses(
        error,
        SPLIT,
        SHAPES
        | {
            "eta >= 0": attrs.evolve(SPLIT, eta=-1),
            "Phi is within 1 +- eta_1 on the first k directions": too_small,
        },
    )
    lopsided = attrs.evolve(narrow, eta=fmpq(15, 25))
    assert error.applies(lopsided) is Truth.FALSE
    assert error.applies(attrs.evolve(SPLIT, sketch=identity(3), eta=0)) is Truth.TRUE
    bind_hypotheses(cross, SPLIT, SHAPES)
    for wrong in (attrs.evolve(SPLIT, k=0), attrs.evolve(SPLIT, k=4)):
        assert cross.applies(wrong) is Truth.FALSE
    for right in (attrs.evolve(SPLIT, k=3), attrs.evolve(SPLIT, values=(3, 3, 0))):
        assert cross.applies(right) is Truth.TRUE
    for statement in statements.values():
        assert not statement.strict


def diagonal_sketches():
    for first, second, third, k in product((1, 2, fmpq(1, 3)), (fmpq(1, 2), 3), (0, fmpq(3, 2)), (1, 2)):
        yield SplitSketch((5, 3, 2), diagonal((first, second, third)), k, 0), (first, second, third)


@lemma_5.supports(
    "trace",
    grade="derived",
    region="every d, m, k: column by column, in the docstring; bound to its closed form for diagonal sketches",
)
@lemma_5.refutes(
    "identity-distance",
    grade="derived",
    region="every Phi with fewer rows than columns: a unit vector of the kernel gives at least 1",
)
def test_the_trace_and_the_distance_from_the_identity(statements) -> None:
    """Tr E_2 is the sum of b'(Phi'Phi - I)b over the columns b of A^P_2, each at most |Phi'Phi - I|_2 |b|^2."""
    trace, distance = statements[f"{LEMMA}/trace"], statements[f"{LEMMA}/identity-distance"]
    values, full = [], []
    for point, numbers in diagonal_sketches():
        squares = [Fraction(int(fmpq(x).p), int(fmpq(x).q)) ** 2 - 1 for x in numbers]
        most = max(abs(x) for x in squares)
        rest = list(zip((25, 9, 4), squares, strict=True))[point.k :]
        values.append((point, most * sum(s for s, _ in rest) - sum(s * x for s, x in rest)))
        wide = fmpq_mat([[numbers[0], 0, 0], [0, numbers[1], 0]])
        most = max(1, *(abs(x) for x in squares[:2]))
        full.append((FullSketch(wide, point.k, fmpq(1, 3)), Fraction(1, 3 * point.k) - most))
    bind(trace, values)
    bind(distance, full)
    assert all(trace.conclusion(point) is not Truth.FALSE for point, _ in values)
    assert trace.at(SPLIT) is Truth.TRUE
    assert all(distance.at(point) is Truth.FALSE for point, _ in full)
    loose = FullSketch(fmpq_mat([[1, 2, 3, 4], [2, -1, 1, 0]]), 1, fmpq(99, 100))
    assert distance.at(loose) is Truth.FALSE
    bind_hypotheses(trace, SPLIT, SHAPES)
    bind_hypotheses(
        distance,
        FullSketch(fmpq_mat([[1, 0]]), 1, fmpq(1, 2)),
        {
            "k >= 1, an integer": attrs.evolve(loose, k=0),
            "eta > 0": attrs.evolve(loose, eta=0),
            "eta < 1": attrs.evolve(loose, eta=1),
            "Phi has fewer rows than columns": attrs.evolve(loose, sketch=identity(2)),
        },
    )
    for statement in statements.values():
        assert not statement.strict


@lemma_5.supports(
    "eigenvalue-sum", grade="derived", region="every k <= d: Lagrange's identity in the docstring, checked for k <= 6"
)
@lemma_5.refutes(
    "equation-18-product",
    grade="symbolic",
    region="k = 1, d = 1, n + d = 2; k = 1, d = 5, n + d = 9; k = 4, d = 5, n + d = 6",
)
def test_cauchy_schwarz_and_a_product_that_does_not_exist(statements) -> None:
    """With x_i = |lambda_i|, k sum x_i^2 - (sum x_i)^2 = sum over pairs of (x_i - x_j)^2; other x_i only add."""
    for k in range(1, 7):
        x = sympy.symbols(f"x0:{k}")
        pairs = sum((x[i] - x[j]) ** 2 for i in range(k) for j in range(i))
        assert sympy.expand(k * sum(v**2 for v in x) - sum(x) ** 2 - pairs) == 0
    total, shape = statements[f"{LEMMA}/eigenvalue-sum"], statements[f"{LEMMA}/equation-18-product"]
    values = []
    for a, b, c, k in product((1, -2, 5), (3, -7), (0, fmpq(1, 2)), (1, 2, 3)):
        numbers = list(map(symbolic, (a, b, c)))
        formula = sympy.sqrt(k) * sympy.sqrt(sum(x**2 for x in numbers)) - sum(abs(x) for x in numbers[:k])
        values.append((ErrorSpectrum((a, b, c), k), formula.evalf(50)))
    bind(total, values)
    assert all(total.at(point) is Truth.TRUE for point, _ in values)
    for k, d, rows in ((1, 1, 2), (1, 5, 9), (4, 5, 6)):
        point = ProductShape(d, k, rows)
        assert shape.at(point) is Truth.FALSE
        assert shape.margin(point) == k - rows
        assert shape.conclusion(attrs.evolve(point, k=rows)) is Truth.TRUE
    bind_hypotheses(total, ErrorSpectrum((1,), 1), {"1 <= k <= d": ErrorSpectrum((1,), 2)})
    assert total.applies(ErrorSpectrum((1, 2), 0)) is Truth.FALSE
    bind_hypotheses(
        shape,
        ProductShape(1, 1, 2),
        {"k >= 1, an integer": ProductShape(2, 0, 4), "A^ has n + d rows, n >= 1": ProductShape(2, 1, 2)},
    )
    assert shape.applies(ProductShape(2, 3, 9)) is Truth.FALSE
    for statement in statements.values():
        assert not statement.strict


@lemma_5.supports(
    "equation-18-bound",
    grade="derived",
    region="every k, beta, eta <= 1/3 and every A^: Chernoff bounds in the docstring, their algebra checked",
)
def test_the_cross_terms_are_small_with_the_printed_number_of_rows(statement) -> None:
    """X = Phi V_k and Y = Phi A^ P_2 are independent, as the columns of A^P_2 are orthogonal to V_k.

    Let w_j be the squared singular values of A^P_2 over their sum, the squared tail, which we take as 1. |Y|_F^2 = sum
    w_j chi^2_m(j)/m, and as -log(1 - 2 s w) is convex in w and 0 at 0, E exp(s m |Y|_F^2) = prod (1 - 2 s w_j)^(-m/2)
    <= (1 - 2s)^(-m/2). With s = 1/6 the probability of |Y|_F^2 > 3/2 is at most (3/2)^(m/2) e^(-m/4), for m = 4k'/eta^2
    the second term. Given Y with |Y|_F^2 = L <= 3/2, m |X'Y|_F^2 is a sum of k copies of sum l_j chi^2_1, sum l_j = L,
    and likewise E exp(t m |X'Y|_F^2 / L) <= (1 - 2t)^(-k/2). With t = 3/8 the probability of |X'Y|_F^2 > eta^2, where
    m eta^2 / L >= 8k'/3, is at most 4^(k/2) e^(-k'), the first term.

    Divided by beta = e^(k - k') the terms are (2/e)^k and exp(-c k/eta^2) beta^(c/eta^2 - 1), c = 1 - 2 log(3/2); for
    eta <= 1/3 the exponent of beta is positive, and both are largest at k = 1, eta = 1/3, beta = 1.
    """
    k, more, eta = sympy.symbols("k k1 eta", positive=True)
    rows = 4 * more / eta**2
    c = 1 - 2 * sympy.log(sympy.Rational(3, 2))
    s, t = sympy.Rational(1, 6), sympy.Rational(3, 8)
    length = -rows / 2 * sympy.log(1 - 2 * s) - s * rows * sympy.Rational(3, 2)
    assert sympy.simplify(sympy.expand_log(length + more / eta**2 * c, force=True)) == 0
    inner = -k / 2 * sympy.log(1 - 2 * t) - t * rows * eta**2 / sympy.Rational(3, 2)
    assert sympy.simplify(sympy.expand_log(inner - (k * sympy.log(2) - more), force=True)) == 0
    constant = 1 - 2 * (arb(3) / 2).log()
    assert constant > 0
    assert 9 * constant > 1
    assert 2 * (-arb(1)).exp() + (-9 * constant).exp() < 1
    values = []
    with mpmath.workdps(60):
        for number, beta, other in product(
            (1, 2, 5), (Fraction(1, 2), TENTH, MILLIONTH), (Fraction(33, 100), TENTH, 2)
        ):
            total = number + mpmath.log(1 / real(beta))
            second = mpmath.exp(-total / real(other) ** 2 * (1 - 2 * mpmath.log(mpmath.mpf(3) / 2)))
            values.append((CrossTail(number, beta, other), real(beta) - 2**number * mpmath.exp(-total) - second))
        bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values if p.eta != 2)
    assert statement.conclusion(CrossTail(1, TENTH, 2)) is Truth.FALSE
    inside = CrossTail(1, Fraction(99, 100), fmpq(33, 100))
    assert statement.at(inside) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(
        statement,
        CrossTail(1, Fraction(1, 2), fmpq(1, 4)),
        {
            "k >= 1, an integer": attrs.evolve(inside, k=0),
            "beta > 0": attrs.evolve(inside, beta=0),
            "beta < 1": attrs.evolve(inside, beta=1),
            "eta > 0": attrs.evolve(inside, eta=0),
            "eta <= 1/3": attrs.evolve(inside, eta=fmpq(7, 20)),
        },
    )
