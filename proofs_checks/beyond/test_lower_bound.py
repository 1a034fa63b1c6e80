"""The noise of every mechanism of a pure guarantee: how little it can be, and that staircases keep to it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import lower_bound
from dpmatrix.spec.beyond.lower_bound import Decay, Moved, Spectrum, Staircase, Symmetric

least_noise = cite("beyond.least-noise@9f0831c1")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
FLAT = (Fraction(1),)
STEPS = (Fraction(3), Fraction(5, 2), Fraction(2), Fraction(1))
HOLLOW = (Fraction(1), Fraction(3, 2), Fraction(2))
GENTLE = (Fraction(21, 20), Fraction(26, 25), Fraction(1))
RISING = (Fraction(1), Fraction(1), Fraction(26, 25))
# the mean of |N|_F^2 at |N| = 1: (D + 2)/D times that over the ball, which test_k_norm integrates: 109/140 and 5/12
ON_SPHERE = {(1, REPLACE): 1, (1, ADD): 1, (2, REPLACE): Fraction(109, 84), (2, ADD): Fraction(25, 36)}


def height(p: Staircase, step: int) -> mpmath.mpf:
    """Give the density on a step, up to a factor."""
    value = p.heights[min(step, len(p.heights) - 1)]
    past = max(step + 1 - len(p.heights), 0)
    return mpmath.mpf(value.numerator) / value.denominator * mpmath.exp(-past * real(p.epsilon))


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def square(p: Staircase) -> mpmath.mpf:
    """Add up step by step until nothing is left to add at this precision."""
    order = p.dimension * (p.dimension + 1) // 2
    totals = [mpmath.mpf(0), mpmath.mpf(0)]
    for step in range(int(170 / p.epsilon) + 20):
        for which, power in enumerate((order, order + 2)):
            rise = mpmath.mpf((step + 1) ** power - step**power) / power
            totals[which] += height(p, step) * rise
    return real(ON_SPHERE[p.dimension, p.adjacency]) * totals[1] / totals[0]


def bound(dimension: int, epsilon: Fraction, adjacency: Adjacency, stretch: Fraction) -> mpmath.mpf:
    """Give the bound, with its parts written out for either relation."""
    s, eps, more = real(stretch), real(epsilon), dimension * (dimension + 1) // 2 - 1
    trace = (1 + mpmath.exp(-eps)) * mpmath.exp(eps) / (mpmath.exp(eps) - 1) ** 2
    if adjacency is REPLACE:
        rho, quotient, idle = (more * mpmath.log(1 + s) / eps - 1) / s, 4, dimension - 2
    else:
        rho, quotient, idle = (more * mpmath.log(1 + s) / eps - 2) / s, 1, 2 * dimension - 4
    if rho <= 0 or eps * (s * rho - idle) <= mpmath.log(1 + eps * s * rho / 2):
        rho = mpmath.mpf(0)
    return max(dimension * trace, (trace + quotient * rho**2) / dimension)


def staircases() -> Iterator[tuple[Staircase, str]]:
    """Yield staircases, and by how much each exceeds the bound, with 50 digits."""
    coarse = product((FLAT, STEPS, HOLLOW), ((Fraction(7, 10), Fraction(1)),))
    fine = product((FLAT, GENTLE, RISING), ((Fraction(1, 10), Fraction(1, 4)),))
    with mpmath.workdps(70):
        for dimension, adjacency, (heights, (epsilon, stretch)) in product((1, 2), (REPLACE, ADD), (*coarse, *fine)):
            point = Staircase(dimension, heights, epsilon, adjacency, stretch)
            value = square(point) - bound(dimension, epsilon, adjacency, stretch)
            yield point, mpmath.nstr(value, 50)


POINT = Staircase(2, FLAT, Fraction(1), REPLACE, Fraction(5))
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(POINT, dimension=0),
    "d <= 2": attrs.evolve(POINT, dimension=3),
    "epsilon > 0": attrs.evolve(POINT, epsilon=0),
    "stretch > 0": attrs.evolve(POINT, stretch=0),
    "heights are positive": attrs.evolve(POINT, heights=(Fraction(1), Fraction(0))),
    "steps differ by e^epsilon at most": attrs.evolve(POINT, heights=(Fraction(3), Fraction(1))),
}


@least_noise.supports(
    grade="derived", region="every mechanism, d, epsilon and s, by the docstring; 24 staircases, d = 1 and 2"
)
def test_no_mechanism_has_less_noise(statement) -> None:
    """Every private mechanism has an error of such a law, and such a law has a second moment of at least the bound.

    Let M be (eps, 0)-private with E |M(X) - X'X|_F^2 <= v for all X. Fix a finite set V of records in the ball, with
    the zero record, and let X hold c_x copies of x, for counts c_x in [L, 3L] of all x in V but zero; under replace-one
    zeros fill it up to a fixed size. Let p_c be the density of M(X) + h G, G with independent normal entries, and
    f_c(z) = p_c(z + X'X). If k changes of records lead from c to c + u, and X'X to X'X + w, then p_c <= e^(k eps)
    p_(c+u), so f_c(z) <= e^(k eps) f_(c+u)(z - w). Average over the box: all but a share of O(1/L) of its points stay
    in it when moved by u, and p_c is bounded by what h alone gives. The averages have second moments of at most
    v + h^2 E |G|^2, and gradients that are bounded by what h gives: so a subsequence tends, locally uniformly, to a
    density f with f(z) <= e^(k eps) f(z - w), as L grows and then V grows to a dense set, for every w that k changes of
    any records can make, because f is continuous (1).

    By records-needed w = P - Q, P and Q the parts of either sign, takes k = max(rank P, rank Q, ceil tr P, ceil tr Q)
    replacements, or max(rank P, ceil tr P) + max(rank Q, ceil tr Q) additions and removals. If tr w = 0 and w is not
    zero, both ranks are at most d - 1, their sum is at most d, and both traces are equal: so k is at most
    max(r + g, g (d - 1)), g = 1 and r = tr P for replace-one, g = 2 and r = tr P + tr Q for add/remove-one (2).

    Write z = z0 + (tr z/d) I. The map z -> z + s z0 has the Jacobian (1+s)^(D-1), so 1, the integral of f at its values
    times that, is by (1) and (2) at least (1+s)^(D-1) E exp(-eps max(s r + g, g (d-1))), r that of z0. By the step
    tangent this is at least 1 + eps s (rho^2 - E r^2)/(2 rho): so E r^2 >= rho^2. By flat-spectrum |z0|_F^2 is at least
    |z0|_*^2/d, and |z0|_* is 2 r or r: |z0|_F^2 >= (2 r/g)^2/d (3).

    t, the trace of z or an entry z_ii, moves by 1 with the record e_i for a zero record. By (1) with w = -e_i e_i',
    P(t >= a + 1) is at least e^-eps P(t >= a), and likewise for -t: so P(|t| >= a) >= e^(-eps (j+1)) for a <= j + 1,
    and E t^2 is at least the sum of one-entry. |z|_F^2 = |z0|_F^2 + (tr z)^2/d, it is at least the sum of z_ii^2, and h
    tends to zero (4).

    What is bound here are staircases: steps that differ by e^eps at most are private by `beyond.k-norm-privacy`, as
    |N| moves by one at most.
    """
    points = list(staircases())
    bind(statement, points)
    bind_hypotheses(statement, POINT, OUTSIDE)
    assert not statement.strict
    check_more_columns()
    assert lower_bound.order_margin(POINT) == 0
    assert lower_bound.heights_margin(attrs.evolve(POINT, heights=())) == -1
    for point, _ in points:
        assert statement.at(point) is Truth.TRUE
    near = Staircase(1, FLAT, Fraction(1, 100), REPLACE, Fraction(1))
    assert statement.margin(near) < lower_bound.staircase_square(near) / 50, (
        "nearly met: steps on a line, small epsilon"
    )


def check_more_columns() -> None:
    """Every part decides somewhere: one entry, the part of trace zero, and a stretch that few records could reach."""
    parts = set()
    for dimension, adjacency, epsilon, stretch in product(
        (1, 2, 3, 5, 8, 20),
        (REPLACE, ADD),
        (Fraction(1, 10), Fraction(1), Fraction(4)),
        (Fraction(1, 8), Fraction(7, 16), Fraction(1)),
    ):
        expected = bound(dimension, epsilon, adjacency, stretch)
        found = lower_bound.least_square(dimension, epsilon, adjacency, stretch)
        assert abs(float(found.mid()) / float(expected) - 1) < 1e-12
        few = lower_bound.few_records_margin(dimension, epsilon, adjacency, stretch)
        margin = few_records(dimension, epsilon, adjacency, stretch)
        assert abs(float(few.mid()) - float(margin)) < 1e-9
        parts.add((few > 0, float(found.mid()) > 1.0001 * dimension * float(lower_bound.entry_square(epsilon).mid())))
    assert parts == {(False, False), (True, False), (True, True)}


def few_records(dimension: int, epsilon: Fraction, adjacency: Adjacency, stretch: Fraction) -> mpmath.mpf:
    """Give the hypothesis of the step tangent, written out for either relation."""
    s, eps, more = real(stretch), real(epsilon), dimension * (dimension + 1) // 2 - 1
    at_once = 1 if adjacency is REPLACE else 2
    risen = more * mpmath.log(1 + s) - at_once * eps
    idle = eps * (dimension - 2) if adjacency is REPLACE else eps * (2 * dimension - 4)
    return min(risen / (eps * s), risen - idle - (mpmath.log(1 + risen / 2) if risen > 0 else 0))


@least_noise.controls(grade="interval", region="noise that is not private; a tenth more on a line; more reach")
def test_more_is_not_true(statement) -> None:
    small = Staircase(1, FLAT, Fraction(1, 10), ADD, Fraction(1))
    assert statement.at(small) is Truth.TRUE
    formula = lower_bound.entry_square
    more = redefined(statement, lower_bound, "entry_square", lambda epsilon: formula(epsilon) * 11 / 10)
    assert more.at(small) is Truth.FALSE
    wide = Staircase(2, FLAT, Fraction(1, 1000), REPLACE, Fraction(1, 20))
    assert statement.at(wide) is Truth.TRUE
    bound_ = lower_bound.reach
    longer = redefined(statement, lower_bound, "reach", lambda *where: bound_(*where) * 5 / 3)
    assert longer.at(wide) is Truth.FALSE
    narrow = attrs.evolve(small, heights=(Fraction(100), Fraction(1)), epsilon=Fraction(1, 5))
    assert statement.without("steps differ by e^epsilon at most").at(narrow) is Truth.FALSE


SPECTRA = [
    Spectrum(values, records)
    for values, records in (
        ((Fraction(1, 3),), 1),
        ((Fraction(1),), 4),
        ((Fraction(7, 2), Fraction(1, 9)), 4),
        ((Fraction(5), Fraction(1, 2), Fraction(1, 2)), 6),
        ((Fraction(9, 10), Fraction(9, 10), Fraction(9, 10)), 3),
        *(((Fraction(j, 3), Fraction(2), Fraction(1, j)), 3 + j) for j in range(1, 17)),
    )
]


def spread_out(values: tuple[Fraction, ...], records: int) -> np.ndarray:
    """Turn pairs of records, which keeps the sum of all xx', until all have the same length."""
    found = np.zeros((records, len(values)))
    for row, value in enumerate(values):
        found[row, row] = float(value) ** 0.5
    mean = float(sum(values)) / records
    for row in range(records - 1):
        squares = (found[row:] ** 2).sum(axis=1)
        found[[row, row + int(squares.argmax())]] = found[[row + int(squares.argmax()), row]]
        least = row + 1 + int((found[row + 1 :] ** 2).sum(axis=1).argmin())
        low, high = 0.0, np.pi / 2
        for _ in range(60):
            angle = (low + high) / 2
            turned = np.cos(angle) * found[row] + np.sin(angle) * found[least]
            low, high = (angle, high) if turned @ turned > mean else (low, angle)
        turn = np.array([[np.cos(low), np.sin(low)], [-np.sin(low), np.cos(low)]])
        found[[row, least]] = turn @ found[[row, least]]
    return found


def lead(p: Spectrum) -> Fraction:
    """Give by how much the largest eigenvalues are ahead of their share."""
    values = sorted(p.values, reverse=True)
    total = sum(values, Fraction(0))
    parts = range(1, p.records)
    return min((sum(values[:j], Fraction(0)) - total * Fraction(j, p.records) for j in parts), default=Fraction(0))


@least_noise.supports("records-needed", grade="derived", region="every rank and trace, by the docstring; 21 spectra")
def test_few_records_make_a_matrix(statement) -> None:
    """Begin with k rows, X'X = P: roots of the eigenvalues times eigenvectors, and zeros, as k >= rank P.

    Turning two rows keeps X'X. If one is longer than the root of t/k, t = tr P, another is shorter, and a turn by a
    right angle exchanges both: in between the first has this length. Leave it; the others have the same mean, so after
    k - 1 turns all have a length of the root of t/k <= 1. That equal numbers are majorised by the eigenvalues is
    necessary too: it is what Schur (1923) says of the diagonal of XX'.
    """
    bind(statement, ((point, lead(point)) for point in SPECTRA))
    outside = {
        "records >= 1, an integer": attrs.evolve(SPECTRA[0], records=0),
        "eigenvalues are positive": attrs.evolve(SPECTRA[1], values=(Fraction(1), Fraction(0))),
        "rank and trace are at most k": attrs.evolve(SPECTRA[1], values=(Fraction(5),)),
    }
    many = Spectrum((Fraction(1, 4), Fraction(1, 5), Fraction(1, 3)), 2)
    assert lower_bound.enough_margin(many) == -1, "too few for the rank"
    assert lower_bound.enough_margin(attrs.evolve(many, values=(Fraction(5, 4), Fraction(1, 2)))) == 0
    assert lower_bound.enough_margin(attrs.evolve(many, values=(Fraction(9, 4),))) == -0.25
    assert lower_bound.values_margin(Spectrum((), 1)) == -1
    bind_hypotheses(statement, SPECTRA[1], outside)
    assert not statement.strict
    for point in SPECTRA:
        rows = spread_out(point.values, point.records)
        expected = np.diag([float(value) for value in point.values])
        assert np.abs(rows.T @ rows - expected).max() < 1e-12
        assert (rows**2).sum(axis=1).max() < 1 + 1e-9
        assert statement.at(point) is Truth.TRUE


@least_noise.controls("records-needed", grade="interval", region="fewer records than the rank")
def test_fewer_records_than_the_rank_do_not_make_it(statement) -> None:
    few = Spectrum((Fraction(1, 4), Fraction(1, 4)), 1)
    assert statement.at(attrs.evolve(few, records=2)) is Truth.TRUE
    assert statement.without("rank and trace are at most k").at(few) is Truth.FALSE, "half of the trace is missing"


def tangent(p: Moved) -> mpmath.mpf:
    """Give the difference with the exponents written out."""
    s, r, eps, more = real(p.stretch), real(p.norm), real(p.epsilon), p.dimension * (p.dimension + 1) // 2 - 1
    at_once = 1 if p.adjacency is REPLACE else 2
    rho = more * mpmath.log(1 + s) / (eps * s) - at_once / s
    records = max(s * r + at_once, mpmath.mpf(at_once * (p.dimension - 1)))
    return mpmath.exp(-eps * records) * (1 + s) ** more - 1 - eps * s * (rho - r**2 / rho) / 2


def moved() -> Iterator[tuple[Moved, str]]:
    with mpmath.workdps(70):
        for (dimension, epsilon, stretch), adjacency, norm in product(
            ((2, Fraction(1, 2), Fraction(3)), (3, Fraction(1, 5), Fraction(1)), (8, Fraction(1), Fraction(1))),
            (REPLACE, ADD),
            (Fraction(0), Fraction(1, 3), Fraction(9), Fraction(40)),
        ):
            point = Moved(dimension, norm, epsilon, adjacency, stretch)
            yield point, mpmath.nstr(tangent(point), 50)


PLACE = Moved(8, Fraction(25), Fraction(1), REPLACE, Fraction(1))


@least_noise.supports("tangent", grade="derived", region="every d, epsilon, s and r, by the docstring; 24 points")
def test_the_tangent_lies_below(statement) -> None:
    """The left side is convex in q = r^2 from some q0 on, and constant before.

    It is (1+s)^(D-1) e^(-eps g (d-1)) up to q0 = (g (d-2)/s)^2, and beyond it (1+s)^(D-1) exp(-eps (s sqrt q + g)),
    which is convex: its derivative, minus eps s/(2 sqrt q) times itself, rises. At q = rho^2 it is 1 by the choice of
    rho, with the slope -eps s/(2 rho) (1), and rho^2 >= q0, as the hypothesis makes s rho >= g (d-2). So the right
    side, the tangent there, lies below it for q >= q0. For q <= q0 the left side is constant and the right side at
    most 1 + eps s rho/2, which is below it by the hypothesis (2).
    """
    q, rho, s, eps, g, d, c = sympy.symbols("q rho s eps g d c", positive=True)
    curve = c * sympy.exp(-eps * (s * sympy.sqrt(q) + g))
    chosen = {c: sympy.exp(eps * (s * rho + g))}
    assert sympy.simplify(curve.subs(q, rho**2).subs(chosen)) == 1, "(1)"
    assert sympy.simplify(curve.diff(q).subs(q, rho**2).subs(chosen) + eps * s / (2 * rho)) == 0, "(1)"
    at_rest = sympy.log(c.subs(chosen)) - eps * g * (d - 1)
    assert sympy.expand(sympy.expand_log(at_rest) - (eps * s * rho - eps * g * (d - 2))) == 0, "(2)"
    bind(statement, moved())
    outside = {
        "dimension >= 2, an integer": attrs.evolve(PLACE, dimension=1),
        "norm >= 0": attrs.evolve(PLACE, norm=-1),
        "epsilon > 0": attrs.evolve(PLACE, epsilon=0),
        "stretch > 0": attrs.evolve(PLACE, stretch=0),
        "few records could not do more": attrs.evolve(PLACE, stretch=Fraction(1, 10)),
    }
    bind_hypotheses(statement, PLACE, outside)
    assert not statement.strict
    for point, _ in moved():
        assert statement.at(point) is Truth.TRUE


@least_noise.controls("tangent", grade="interval", region="a stretch that few records reach; a longer reach")
def test_a_longer_reach_is_above_the_curve(statement) -> None:
    assert statement.at(PLACE) is Truth.TRUE
    formula = lower_bound.reach
    longer = redefined(statement, lower_bound, "reach", lambda *where: formula(*where) * 11 / 10)
    assert longer.at(PLACE) is Truth.FALSE
    flat = attrs.evolve(PLACE, norm=Fraction(0), stretch=Fraction(1, 10))
    assert statement.without("few records could not do more").at(flat) is Truth.FALSE


MATRICES = [
    Symmetric(fmpq_mat([[a, b, 0], [b, c, 1], [0, 1, -a - c]]))
    for a, b, c in product((0, 1, 4), (0, 2, -3), (0, -1, 5))
]


def flat(matrix: fmpq_mat) -> mpmath.mpf:
    """Give the difference from a numerical solver of eigenvalues."""
    entries = mpmath.matrix(
        [[mpmath.mpf(int(matrix[i, j].p)) / int(matrix[i, j].q) for j in range(3)] for i in range(3)]
    )
    values = mpmath.eigsy(entries, eigvals_only=True)
    return 3 * sum(v**2 for v in values) - sum(abs(v) for v in values) ** 2


@least_noise.supports("flat-spectrum", grade="derived", region="every matrix, by the docstring; 27 matrices, d = 3")
def test_the_nuclear_norm_is_at_most_that_of_a_flat_spectrum(statement) -> None:
    """Cauchy and Schwarz: the sum of d sizes is at most the root of d times the root of the sum of their squares."""
    with mpmath.workdps(60):
        bind(statement, ((point, mpmath.nstr(flat(point.matrix), 50)) for point in MATRICES))
    bind_hypotheses(statement, MATRICES[0], {})
    assert not statement.strict
    even = Symmetric(fmpq_mat([[1, 0], [0, -1]]))
    assert statement.at(even) is Truth.TRUE, "met exactly"
    assert statement.margin(even) == 0


@least_noise.controls("flat-spectrum", grade="interval", region="eigenvalues counted twice")
def test_larger_sizes_exceed_the_flat_spectrum(statement) -> None:
    even = Symmetric(fmpq_mat([[1, 0], [0, -1]]))
    assert statement.at(even) is Truth.TRUE
    formula = lower_bound.eigenvalues
    twice = redefined(statement, lower_bound, "eigenvalues", lambda matrix: formula(matrix) * 2)
    assert twice.at(even) is Truth.FALSE


DECAYS = [Decay(left, steps) for left, steps in product((Fraction(1, 3), Fraction(2, 5), Fraction(9, 10)), range(8))]


@least_noise.supports("one-entry", grade="symbolic", region="every b and J: the rest is a series shifted by J")
def test_the_series_of_the_trace(statement) -> None:
    """The sum of (2j + 1) b^(j+1) is 2 b^2/(1-b)^2 + b/(1-b), by the series of 1/(1-b) and of its derivative (1).

    The tail P(|t| >= a) is at least b^(j+1) for a <= j + 1, and E t^2 is the integral of 2 a times it: that over
    [j, j + 1] is at least ((j + 1)^2 - j^2) b^(j+1).
    """
    b, j = sympy.symbols("b j")
    assert sympy.simplify(2 * b * (b * sympy.diff(1 / (1 - b), b)) + b / (1 - b) - lower_bound.line_square(b)) == 0, (
        "(1)"
    )
    assert sympy.expand((j + 1) ** 2 - j**2 - (2 * j + 1)) == 0
    bind(statement, ((point, 0) for point in DECAYS))
    outside = {
        "left > 0": attrs.evolve(DECAYS[0], left=0),
        "left < 1": attrs.evolve(DECAYS[0], left=1),
        "steps >= 0, an integer": attrs.evolve(DECAYS[0], steps=-1),
    }
    bind_hypotheses(statement, DECAYS[0], outside)
    assert not statement.strict
    for point in DECAYS:
        assert statement.at(point) is Truth.TRUE


@least_noise.controls("one-entry", grade="interval", region="the second moment of a law that falls from one at zero")
def test_another_second_moment_is_not_the_sum(statement) -> None:
    assert statement.at(DECAYS[3]) is Truth.TRUE
    other = redefined(statement, lower_bound, "line_square", lambda b: (1 + b) / (1 - b) ** 2)
    assert other.at(DECAYS[3]) is Truth.FALSE
