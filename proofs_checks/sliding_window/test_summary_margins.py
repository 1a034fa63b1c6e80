"""Lemma 5 of `sliding-window`: the lines of its proof, block by block and norm by norm."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import symbolic
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import summary_margins as module
from dpmatrix.spec.sliding_window.summary_margins import (
    CrossTail,
    Displays,
    ErrorSpectrum,
    FullSketch,
    ProductShape,
    SplitSketch,
)
from dpmatrix.tracing import bind_expression

lemma_5 = cite("sliding-window.lemma-5@15c43418")

MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)
LEMMA = "sliding-window.lemma-5"

x, y, z, tail, eta, term, c = sympy.symbols("x y z t eta K c", nonnegative=True)
NORMS = Displays(10, 10, fmpq(71, 10), 10, TENTH, 0, 0)
SOUND = Displays(10, 10, 10, 10, TENTH, 1)
TAIL = "|A^ - [A^]_k|_F <= |A^(1-P)|_F"
NORM_HYPOTHESES = {
    "eta >= 0": attrs.evolve(NORMS, eta=-1),
    "eta < 1": attrs.evolve(NORMS, eta=1),
    "data >= 0": attrs.evolve(NORMS, data=-1),
    "summary >= 0": attrs.evolve(NORMS, summary=-1),
    "tail >= 0": attrs.evolve(NORMS, tail=-1),
    TAIL: attrs.evolve(NORMS, tail=11),
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
    fields = {"data": z, "stacked": x, "summary": y, "tail": tail, "additive": term, "constant": c}
    bind_expression(display, sympy.Min(lower, upper), fields=fields, points=[NORMS])
    bind_expression(rearranged, sympy.Min(first, second), fields=fields, points=[SOUND])
    seven = [condition for condition in display.given if condition.says.startswith("(1-5 eta)")]
    for p, value in on_norms(y**2 + c - (1 - 5 * eta) * x**2, (1 + 5 * eta) * x**2 - y**2 - c):
        assert abs(seven[0].margin(p) - arb(str(value))) < arb(10) ** -12
    assert display.applies(Displays(4, 4, 1, 4, fmpq(3, 16))) is Truth.TRUE, "1/16 of 16, and nothing beside it"
    assert display.applies(Displays(4, 4, fmpq(31, 32), 4, fmpq(3, 16))) is Truth.FALSE
    assert rearranged.margin(Displays(10, 10, 10, 10, TENTH)).overlaps(arb(6)), "10 - 4/10 of 10, without K"
    assert rearranged.at(SOUND) is Truth.TRUE
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
    both = Displays(4, 4, 2, 4, Fraction(1, 8), 0, 2)
    assert display.applies(both) is Truth.TRUE, "3/8 of 16 is 4 + 2, and 1/8 of 16 is 2"
    long_tail = Displays(0, 0, 1, 96, Fraction(1, 100))
    bind_hypotheses(
        rearranged,
        SOUND,
        NORM_HYPOTHESES
        | {
            "the last display": attrs.evolve(SOUND, summary=7),
            "(16)": attrs.evolve(SOUND, data=12),
            TAIL: long_tail,
        },
    )
    assert rearranged.without(TAIL).at(long_tail) is Truth.FALSE, "a tail of 96 stands for a norm 1 of the sketch"
    assert rearranged.applies(attrs.evolve(SOUND, data=8)) is Truth.FALSE
    assert rearranged.applies(attrs.evolve(SOUND, data=9)) is Truth.TRUE
    for edge in (Displays(0, 0, 0, 0, 0), SOUND, Displays(0, 0, 0, 0, fmpq(19, 20))):
        assert rearranged.applies(edge) is Truth.TRUE
    for statement in statements.values():
        assert not statement.strict


SPLIT = SplitSketch((3, 2, 1), fmpq_mat([[fmpq(5, 4), 0, 2], [0, 1, -1]]), 2, fmpq(9, 16))
SHAPES = {
    "Phi is m x d and 1 <= k <= d": attrs.evolve(SPLIT, values=(3, 2)),
    "the singular values decrease and are not negative": attrs.evolve(SPLIT, values=(3, 2, fmpq(-1, 20))),
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
    # eta S^2 - E_1 = diag(9/16, 5/2, 5/8), of which the determinant is the least elementary symmetric polynomial
    determinant = fmpq(9, 16) * fmpq(5, 2) * fmpq(5, 8)
    assert error.margin(attrs.evolve(SPLIT, eta=fmpq(5, 8))).contains(determinant)
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
    (within,) = (condition for condition in error.given if condition.says.startswith("Phi is within"))
    assert within.at(SHAPES["Phi is m x d and 1 <= k <= d"]) is Truth.FALSE, "nothing to be within"
    bind_hypotheses(cross, SPLIT, SHAPES)
    assert cross.applies(attrs.evolve(SPLIT, values=(2, 3, 1))) is Truth.FALSE
    every = redefined(cross, module, "_trailing", lambda p: identity(len(p.values)))
    assert every.margin(SPLIT) == -13, "P_1 A^'A^ itself is diag(9, 4, 0)"
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
    bind_hypotheses(total, ErrorSpectrum((1,), 1), {"1 <= k <= d": ErrorSpectrum((1,), -1)})
    for outside in (ErrorSpectrum((1, 2), 0), ErrorSpectrum((1,), 2)):
        assert total.applies(outside) is Truth.FALSE
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
    beta = sympy.Symbol("beta")
    second = sympy.exp(-(k - sympy.log(beta)) / eta**2 * c)
    bind_expression(statement, beta - 2**k * beta * sympy.exp(-k) - second)
    for number, chance, other in product((1, 2, 5), (Fraction(1, 2), TENTH, MILLIONTH), (Fraction(33, 100), TENTH)):
        assert statement.at(CrossTail(number, chance, other)) is Truth.TRUE
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
