"""Theorem 6 of `near-optimal`: PPCA keeps its guarantee for every k, and the printed proof covers k = 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import fraction
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import ppca, ppca_proof
from dpmatrix.spec.near_optimal.ppca import PpcaNeighbours
from dpmatrix.spec.near_optimal.ppca_proof import FiniteMechanism, PpcaPair, Products, ScoreChange
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import dot
from proofs_checks.near_optimal.normalising_series import check_series

theorem_6 = cite("near-optimal.theorem-6@bf9f5d3e")

CLAIM = "near-optimal.theorem-6"
INSIDE = PpcaPair(1, 1, 0, 3, 2, Fraction(1, 2))
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(INSIDE, dimension=0),
    "rank >= 1, an integer": attrs.evolve(INSIDE, rank=0),
    "k <= d": attrs.evolve(INSIDE, rank=4),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "v_squared >= 0": attrs.evolve(INSIDE, v_squared=-1),
    "v_squared <= 1": attrs.evolve(INSIDE, v_squared=2),
    "w_squared >= 0": attrs.evolve(INSIDE, w_squared=-1),
    "w_squared <= 1": attrs.evolve(INSIDE, w_squared=2),
    "<v, w>^2 <= |v|^2 |w|^2": attrs.evolve(INSIDE, inner=2),
}
PAIRS = [
    PpcaPair(Fraction(i, 6), Fraction(j, 5), Fraction(i * j * k, 100), d, rank, Fraction(i + j, 3))
    for i, j, k in product((1, 4, 6), (2, 5), (-1, 0, 2))
    for d, rank in ((1, 1), (2, 1), (4, 3), (4, 4))
]


def rational(value) -> sympy.Rational:
    return sympy.Rational(Fraction(value))


def loss_margin(p: PpcaPair) -> sympy.Expr:
    """Compute eps - (eps/2)(l_1 - l_2) with the two eigenvalues from trace and determinant of a 2 x 2 compression."""
    a, b, s, epsilon = (rational(value) for value in (p.v_squared, p.w_squared, p.inner, p.epsilon))
    if p.rank == p.dimension:
        return epsilon
    trace, determinant = a - b, -(a * b - s**2)
    return epsilon - epsilon / 2 * sympy.sqrt(trace**2 - 4 * determinant)


SHAPE = "X and X' have one shape, d, n >= 1"


def data(*columns) -> fmpq_mat:
    """Put records into columns."""
    entries = [Fraction(column[i]) for i in range(len(columns[0])) for column in columns]
    return fmpq_mat(len(columns[0]), len(columns), [fmpq(x.numerator, x.denominator) for x in entries])


def neighbours() -> list[PpcaNeighbours]:
    """Replace the last record, among none, two or five others."""
    found = []
    for d in (2, 3):
        first, second = (tuple(int(i == place) for i in range(d)) for place in (0, 1))
        slanted = (Fraction(3, 5), Fraction(4, 5), 0)[:d]
        for rest, (old, new) in product(
            ([], [first] * 2, [first, second, slanted, slanted, second]),
            ((first, second), (slanted, first), (tuple(0 for _ in range(d)), second)),
        ):
            pair = data(*rest, old), data(*rest, new)
            found += [PpcaNeighbours(*pair, rank, Fraction(1, 2)) for rank in range(1, d + 1)]
    return found


NEIGHBOURS = neighbours()
SWAPPED = PpcaNeighbours(data((1, 0)), data((0, 1)), 1, Fraction(1, 2))
TWO = PpcaNeighbours(data((1, 0), (1, 0)), data((0, 1), (0, 1)), 1, Fraction(1, 2))
LONG = PpcaNeighbours(data((2, 0)), data((0, 2)), 1, Fraction(1, 2))
PPCA_OUTSIDE = {
    SHAPE: attrs.evolve(SWAPPED, neighbour=data((0, 1), (0, 0))),
    "they differ in at most one record": TWO,
    "records have norm at most 1": LONG,
    "rank >= 1, an integer": attrs.evolve(SWAPPED, rank=0),
    "k <= d": attrs.evolve(SWAPPED, rank=3),
    "epsilon > 0": attrs.evolve(SWAPPED, epsilon=0),
}


def mean_exponential(matrix: mpmath.matrix, weight: mpmath.mpf) -> mpmath.mpf:
    """Give E exp(w v'Mv) on the unit sphere, d = 2 or 3, by the eigenvalues of M and Bessel functions."""
    values = sorted(mpmath.eigsy(matrix, eigvals_only=True))
    low, high = values[0] * weight, values[1] * weight
    if len(values) == 2:
        return mpmath.exp((low + high) / 2) * mpmath.besseli(0, (high - low) / 2)
    # Given the coordinate z along the third eigenvector the other two are on a circle of radius (1 - z^2)^(1/2).
    top = values[2] * weight

    def along(z):
        rest = 1 - z**2
        return mpmath.exp(top * z**2 + rest * (low + high) / 2) * mpmath.besseli(0, rest * (high - low) / 2)

    return mpmath.quad(along, [0, 1])


def gram(matrix: fmpq_mat) -> mpmath.matrix:
    product_ = matrix * matrix.transpose()
    return mpmath.matrix([[mpmath.mpf(int(x.p)) / int(x.q) for x in row] for row in product_.tolist()])


def largest_loss(p: PpcaNeighbours) -> mpmath.mpf:
    """Give the largest log-ratio of the densities at the k top eigenvectors of XX' - X'X''."""
    before, after, half = gram(p.data), gram(p.neighbour), real(p.epsilon) / 2
    values = sorted(mpmath.eigsy(before - after, eigvals_only=True), reverse=True)
    size = len(values)

    def normaliser(matrix):
        trace = sum(matrix[i, i] for i in range(size))
        if p.rank == size:
            return half * trace
        return (
            mpmath.log(mean_exponential(matrix, half))
            if p.rank == 1
            else half * trace + mpmath.log(mean_exponential(matrix, -half))
        )

    return half * sum(values[: p.rank]) - normaliser(before) + normaliser(after)


@theorem_6.supports(
    grade="derived",
    region="every d, k <= d, n, epsilon and pair of data sets: the docstring with the step `range`; all outputs of 45 "
    "pairs with d = 2, 3 and every k",
)
def test_ppca_keeps_its_guarantee(statement) -> None:
    """Let L(V) be the log-ratio of the densities: (eps/2) tr V'(vv' - ww')V less a constant.

    By the step `range` it moves within an interval of length (eps/2)(l_1 - l_2) <= eps. Both densities have integral 1
    with respect to one probability law, so L is neither positive everywhere nor negative everywhere: |L| <= eps.
    """
    check_series()
    bind_formula(statement, NEIGHBOURS, lambda p: real(p.epsilon) - largest_loss(p))
    assert len(NEIGHBOURS) == 45
    for point in NEIGHBOURS:
        assert statement.at(point) is Truth.TRUE
    wide = PpcaNeighbours(data((1, 0, 0, 0)), data((0, 1, 0, 0)), 2, Fraction(1, 2))
    assert statement.conclusion(wide) is Truth.UNDECIDED, "no normaliser is known for k = 2 and d = 4"
    bind_hypotheses(statement, SWAPPED, PPCA_OUTSIDE)
    bind_condition(statement, "k <= d", [(p, Fraction(p.data.nrows() - p.rank)) for p in NEIGHBOURS])
    sizes = [(p, Fraction(min(p.data.nrows(), p.data.ncols()) - 1)) for p in NEIGHBOURS]
    bind_condition(statement, SHAPE, [(PPCA_OUTSIDE[SHAPE], -1), *sizes])
    assert ppca.log_normaliser(fmpq_mat(2, 2, [1, fmpq(1, 3), fmpq(1, 3), -5]), 2) == -4, "V'BV has the trace of B"
    bind_condition(statement, "they differ in at most one record", [(p, Fraction(0)) for p in NEIGHBOURS])
    lengths = [attrs.evolve(SWAPPED, data=data((Fraction(k, 9), 0)), neighbour=data((0, 0))) for k in range(24)]
    values = [(p, 1 - Fraction(k, 9) ** 2) for k, p in enumerate(lengths)]
    bind_condition(statement, "records have norm at most 1", values)
    assert not statement.strict


@theorem_6.controls(
    grade="interval",
    region="twelve records e_1, one of which becomes e_2: twice the weight; two records; a record of norm 2",
)
def test_a_sharper_density_breaks_the_guarantee(statement) -> None:
    """At n = 1 the loss is eps/2, and it grows to eps; with n eps A in place of n (eps/2) A it passes eps."""
    many = PpcaNeighbours(data(*[(1, 0)] * 11, (0, 1)), data(*[(1, 0)] * 12), 1, Fraction(2))
    assert statement.at(many) is Truth.TRUE

    def doubled(p: PpcaNeighbours) -> arb:
        return ppca.promised(p) - ppca.worst_loss(attrs.evolve(p, epsilon=2 * p.epsilon))

    assert statement.nudged(margin=doubled).at(many) is Truth.FALSE
    several = PpcaNeighbours(data(*[(1, 0)] * 8, *[(0, 1)] * 4), data(*[(1, 0)] * 12), 1, Fraction(1, 2))
    assert statement.without("they differ in at most one record").at(several) is Truth.FALSE
    assert statement.without("records have norm at most 1").at(LONG) is not Truth.TRUE
    longer = attrs.evolve(LONG, data=data((3, 0)), neighbour=data((0, 3)))
    assert statement.without("records have norm at most 1").at(longer) is Truth.FALSE


@theorem_6.supports(
    "range",
    grade="derived",
    region="every d, k <= d and pair of records: derivation in the docstring, its algebra machine-checked",
)
def test_range_of_the_score_is_at_most_two(statement) -> None:
    """The score tr V'MV is a sum of the eigenvalues of M with weights in [0, 1] that sum to k.

    M = vv' - ww' has at most one positive and one negative eigenvalue, l_1 >= 0 >= l_2, and zeros; for k < d the sum
    ranges over [l_2, l_1] at most. l_1 and l_2 are the eigenvalues of [[a, s], [-s, -b]] (M maps v to a v - s w and w
    to s v - b w), so (l_1 - l_2)^2 = (a+b)^2 - 4 s^2 <= 4. The log-ratio is (eps/2) tr V'MV plus a constant, thus in
    an interval of length (eps/2)(l_1 - l_2) <= eps; it contains 0, or one density would exceed the other everywhere.
    """
    a, b, s = sympy.symbols("a b s", real=True)
    matrix = sympy.Matrix([[a, s], [-s, -b]])
    assert sympy.expand(matrix.det() - (s**2 - a * b)) == 0, "not positive by Cauchy-Schwarz: opposite signs"
    assert sympy.expand(matrix.trace() ** 2 - 4 * matrix.det() - ((a + b) ** 2 - 4 * s**2)) == 0
    v, w = sympy.Matrix(sympy.symbols("v:3", real=True)), sympy.Matrix(sympy.symbols("w:3", real=True))
    change = v * v.T - w * w.T
    assert (change * v - (v.dot(v) * v - v.dot(w) * w)).expand() == sympy.zeros(3, 1)
    assert (change * w - (v.dot(w) * v - w.dot(w) * w)).expand() == sympy.zeros(3, 1)
    assert sympy.expand(4 - ((a + b) ** 2 - 4 * s**2) - ((2 - a - b) * (2 + a + b) + 4 * s**2)) == 0
    bind(statement, [(p, loss_margin(p).evalf(50)) for p in PAIRS])
    epsilon, rank, dimension = sympy.symbols("epsilon rank dimension")
    length = epsilon * sympy.sqrt((a + b) ** 2 - 4 * s**2) / 2
    formula = sympy.Piecewise((epsilon - length, rank < dimension), (epsilon, True))
    bind_expression(statement, formula, fields={"v_squared": a, "w_squared": b, "inner": s})
    for point in PAIRS:
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is Truth.TRUE
    assert statement.at(INSIDE) is Truth.TRUE, "orthogonal unit records: equality"
    assert not statement.strict
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    bind_hypotheses(statement, PpcaPair(0, 0, 0, 1, 1, 1), OUTSIDE)
    ranks = next(given for given in statement.given if given.says == "k <= d")
    bind(Statement("k <= d", ranks.margin), [(p, Fraction(p.dimension - p.rank)) for p in PAIRS])


@theorem_6.controls("range", grade="symbolic", region="a record of norm sqrt(2)")
def test_a_longer_record_has_a_larger_range(statement) -> None:
    longer = attrs.evolve(INSIDE, v_squared=2)
    assert statement.without("v_squared <= 1").at(longer) is Truth.FALSE
    assert statement.at(attrs.evolve(INSIDE, rank=3)) is Truth.TRUE


@theorem_6.refutes("one-column", grade="symbolic", region="d = 3, k = 2")
def test_two_columns_are_no_vector(statement) -> None:
    assert statement.at(INSIDE) is Truth.FALSE
    assert statement.at(attrs.evolve(INSIDE, rank=1)) is Truth.TRUE
    bind(statement, [(p, Fraction(1 - p.rank)) for p in PAIRS])
    bind_hypotheses(statement, INSIDE, OUTSIDE)


PRODUCTS = [Products(Fraction(j, 7), Fraction(k, 5)) for j, k in product((-6, -2, 1, 3, 7), (-4, 0, 2, 3, 5))]
CHANGES = [
    ScoreChange(data(*rest, old), data(*rest, new), output)
    for rest, (old, new), output in product(
        ([], [(1, 2, 0)], [(0, 1, 1), (3, 0, -1)]),
        (((1, 0, 2), (0, 1, -1)), ((0, 0, 0), (2, 1, 1)), ((1, 1, 1), (1, 1, 1))),
        ((1, 0, 0), (Fraction(1, 3), Fraction(2, 3), Fraction(-2, 3)), (0, 2, 5)),
    )
]
ALL_MOVED = [
    ScoreChange(data(first, (j, 1, 0), old), data((1, j, 2), (0, 1, -1), new), output)
    for first, j, (old, new), output in product(
        ((0, 1, 1), (2, Fraction(1, 3), 0)),
        (-1, 0, 2),
        (((1, 0, 2), (0, 1, -1)), ((0, 0, 0), (2, 1, 1))),
        ((1, 0, 0), (Fraction(1, 3), Fraction(2, 3), Fraction(-2, 3))),
    )
]
"""Every record differs: here the score changes by more than the last one tells."""
LAST = "only the last record differs"


def score_of_the_others(matrix: fmpq_mat, p: ScoreChange) -> Fraction:
    """Sum ``<v, x_i>^2`` over all records but the last."""
    records = [[fraction(entry) for entry in record] for record in matrix.transpose().tolist()[:-1]]
    return sum((dot(p.output, record) ** 2 for record in records), Fraction(0))


@theorem_6.supports(
    "score-difference", grade="derived", region="every v, n and data: the docstring; 27 pairs of data sets exactly"
)
@theorem_6.supports(
    "score-bound", grade="derived", region="every v and pair of records: the docstring; bound at 25 points"
)
def test_one_record_changes_the_score_by_at_most_one(statements) -> None:
    """Here n v'Av = sum <v, x_i>^2, so all terms but the last cancel: an identity for any vectors.

    Both squares lie in [0, 1] by Cauchy-Schwarz, so 1 - (p - q) = (1 - p) + q is not negative.
    """
    rest, p, q = sympy.symbols("R p q")
    assert sympy.expand((rest + p) - (rest + q) - (p - q)) == 0
    assert sympy.expand(1 - (p - q) - ((1 - p) + q)) == 0
    difference, bound = statements[f"{CLAIM}/score-difference"], statements[f"{CLAIM}/score-bound"]
    bind(difference, [(point, Fraction(0)) for point in CHANGES])
    bind(bound, [(point, 1 - abs(point.new**2 - point.old**2)) for point in PRODUCTS])
    new, old = sympy.symbols("new old", real=True)
    bind_expression(bound, 1 - sympy.Abs(new**2 - old**2))
    bind(
        difference, [(p, -abs(score_of_the_others(p.neighbour, p) - score_of_the_others(p.data, p))) for p in ALL_MOVED]
    )
    for point in CHANGES:
        assert difference.at(point) is Truth.TRUE
    inside = CHANGES[9]
    outside = {
        SHAPE: attrs.evolve(inside, data=data((1, 0))),
        LAST: attrs.evolve(inside, neighbour=data((0, 0, 1), (0, 1, -1))),
        "v has d coordinates": attrs.evolve(inside, output=(1, 0)),
    }
    bind_hypotheses(difference, inside, outside)
    for says, value in ((LAST, 0), ("v has d coordinates", 0)):
        bind_condition(difference, says, [(point, Fraction(value)) for point in CHANGES])
    assert not difference.strict
    assert not bound.strict
    assert bound.at(Products(0, 1)) is Truth.TRUE, "attained"
    names = {
        "|<v, x_n>| <= 1": Products(Fraction(21, 20), 0),
        "|<v, x'_n>| <= 1": Products(0, Fraction(21, 20)),
    }
    bind_hypotheses(bound, Products(1, -1), names)
    for says, field in (("|<v, x_n>| <= 1", "old"), ("|<v, x'_n>| <= 1", "new")):
        given = next(given for given in bound.given if given.says == says)
        bind(Statement(says, given.margin), [(point, 1 - getattr(point, field) ** 2) for point in PRODUCTS])


@theorem_6.controls("score-difference", grade="symbolic", region="two records that differ")
def test_another_record_is_noticed(statement) -> None:
    moved = attrs.evolve(CHANGES[9], neighbour=data((0, 0, 1), (0, 1, -1)))
    assert statement.without(LAST).at(moved) is Truth.FALSE


MECHANISMS = [
    FiniteMechanism(
        (Fraction(i, 2), Fraction(j, 3), Fraction(0)),
        (Fraction(i, 2) - Fraction(k, 2), Fraction(j, 3) + Fraction(k, 2), Fraction(1, 4)),
        Fraction(e, 2),
    )
    for i, j, k, e in product((0, 3), (1, 5), (-2, 1, 2), (1, 4))
]


def finite_loss(p: FiniteMechanism) -> mpmath.mpf:
    half = real(p.epsilon) / 2
    laws = [[mpmath.exp(half * real(score)) for score in scores] for scores in (p.before, p.after)]
    first, second = ([weight / sum(law) for weight in law] for law in laws)
    return mpmath.log(max(a / b for a, b in zip(first, second, strict=True)))


@theorem_6.supports(
    "exponential-mechanism", grade="derived", region="every epsilon and score: the docstring; 24 pairs of three outputs"
)
@theorem_6.controls(
    "exponential-mechanism", grade="interval", region="a score that changes by 3; the weight eps for eps/2"
)
def test_exponential_mechanism(statement) -> None:
    """Each weight exp(eps q/2) changes by a factor of at most exp(eps/2), and so does their sum: eps in all."""
    epsilon, change = sympy.symbols("epsilon D", positive=True)
    assert (
        sympy.simplify(sympy.exp(epsilon * change / 2) / sympy.exp(-epsilon * change / 2) - sympy.exp(epsilon * change))
        == 0
    )
    bind_formula(statement, MECHANISMS, lambda p: real(p.epsilon) - finite_loss(p))
    for point in MECHANISMS:
        assert statement.at(point) is Truth.TRUE
    inside = MECHANISMS[0]
    outside = {
        "both data sets have the same outputs, at least one": attrs.evolve(inside, after=(Fraction(0),)),
        "no score changes by more than 1": attrs.evolve(inside, after=(Fraction(2), *inside.after[1:])),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
    }
    bind_hypotheses(statement, inside, outside)
    same = "both data sets have the same outputs, at least one"
    bind_condition(statement, same, [(outside[same], -1), *((p, 2) for p in MECHANISMS)])
    changes = [(p, 1 - max(abs(a - b) for a, b in zip(p.before, p.after, strict=True))) for p in MECHANISMS]
    bind_condition(statement, "no score changes by more than 1", changes)
    assert not statement.strict
    rare = (Fraction(-20), *[Fraction(0)] * 2)
    jump = FiniteMechanism(rare, (Fraction(-23), *rare[1:]), Fraction(1))
    assert statement.without("no score changes by more than 1").at(jump) is Truth.FALSE
    opposite = FiniteMechanism((Fraction(1), *[Fraction(0)] * 9), (Fraction(0), *[Fraction(1)] * 9), Fraction(1))
    assert statement.at(opposite) is Truth.TRUE

    def doubled(p: FiniteMechanism) -> arb:
        return arb(fmpq(p.epsilon.numerator, p.epsilon.denominator)) - ppca_proof.mechanism_loss(
            attrs.evolve(p, epsilon=2 * p.epsilon)
        )

    assert statement.nudged(margin=doubled).at(opposite) is Truth.FALSE


def test_a_sampler_close_in_total_variation_pays_twice() -> None:
    """Section 7 states delta for a sampler within delta of the exact law; here the excess is (1 + e^eps) delta."""
    growth, delta, p = 2, Fraction(1, 20), Fraction(1, 4)
    exact, other = growth * p, p
    assert exact - growth * other <= 0, "the exact laws meet (log 2, 0) on this event; on its complement too"
    assert (1 - other) - growth * (1 - exact) <= 0
    assert (exact + delta) - growth * (other - delta) == (1 + growth) * delta
