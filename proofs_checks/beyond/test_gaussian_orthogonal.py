"""Symmetric Gaussian noise of second moments: what a record changes, what is published, and how large the noise is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import attrs
import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import gaussian_orthogonal
from dpmatrix.spec.beyond.approximate_noise import Columns, Shaped, best_shape, times
from dpmatrix.spec.beyond.gaussian_orthogonal import Drawn, NoisyNumbers, Products, Sized
from dpmatrix.tracing import bind_expression

orthogonal = cite("beyond.gaussian-orthogonal@1edba6b7")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
RECORDS = (
    ((1, 0), (0, 1)),
    ((Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5))),
    ((Fraction(3, 5), Fraction(-4, 5)), (0, 0)),
    ((Fraction(1, 2), Fraction(1, 3)), (Fraction(-1, 4), Fraction(2, 3))),
    ((Fraction(2, 3), Fraction(-1, 3), Fraction(2, 3)), (Fraction(1, 5), 0, Fraction(1, 7))),
    ((1,), (Fraction(1, 3),)),
)


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def stick(square: Fraction | int, variance: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """Compute the divergence of normal laws whose means differ so much, by their distribution function."""
    shift = mpmath.sqrt(real(square) / real(variance))
    near = mpmath.ncdf(shift / 2 - real(epsilon) / shift)
    return near - mpmath.exp(real(epsilon)) * mpmath.ncdf(-shift / 2 - real(epsilon) / shift)


def change(p: NoisyNumbers) -> Fraction:
    """Write the change out in squares of norms and the inner product."""
    x, y = (tuple(map(Fraction, record)) for record in (p.x, p.y))
    s, t = (sum((a * a for a in record), Fraction(0)) for record in (x, y))
    inner = sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))
    return s**2 + t**2 - 2 * inner**2 + (s - t) ** 2 if p.adjacency is REPLACE else s**2


def points() -> list[NoisyNumbers]:
    """Make points whose delta is that of the greatest change, rounded up in its twentieth digit."""
    found = []
    for (x, y), adjacency, (variance, epsilon) in product(
        RECORDS, (REPLACE, ADD), ((Fraction(4), Fraction(1)), (Fraction(1, 3), Fraction(5, 2)))
    ):
        with mpmath.workdps(60):
            most = stick(2 if adjacency is REPLACE else 1, variance, epsilon)
            delta = Fraction(int(mpmath.ceil(most * 10**20)), 10**20)
        found.append(NoisyNumbers(x, y, adjacency, variance, epsilon, delta))
    return found


POINTS = points()
OUTSIDE = {
    "variance > 0": attrs.evolve(POINTS[0], variance=0),
    "epsilon > 0": attrs.evolve(POINTS[0], epsilon=0),
    "|x| <= 1": attrs.evolve(POINTS[0], x=(1, Fraction(1, 100))),
    "|y| <= 1": attrs.evolve(POINTS[0], y=(Fraction(1, 100), 1)),
    "delta is at least that of the greatest change": attrs.evolve(POINTS[0], delta=POINTS[0].delta * Fraction(99, 100)),
}


@orthogonal.supports(
    grade="derived",
    region="every d, x, y, w, epsilon and both relations, by the docstring; 24 points, d = 1, 2, 3",
)
def test_no_two_records_cost_more_than_is_promised(statement) -> None:
    """Let s = |x|^2, t = |y|^2 and p = <x, y>. The entries of xx' - yy' have squares of sum s^2 + t^2 - 2 p^2 (1), and
    1 - s becomes 1 - t. By `exchange` the sum is at most 2. Where x is added or removed it is s^2, at most 1.

    N(0, w I) is invariant under rotation, so the divergence is that of one number that changes by the root of the sum,
    and it grows with the change (`GaussianProfile`). The sums over the records change as the numbers of one record do.
    What is published is a function of these sums with noise (`afterwards`), so its divergence is no greater: with the
    noise of each number drawn from N(0, w) it is (epsilon, delta)-private.
    """  # noqa: D205
    x1, x2, y1, y2 = sympy.symbols("x1 x2 y1 y2", real=True)
    x, y = sympy.Matrix([x1, x2]), sympy.Matrix([y1, y2])
    entries = sum(entry**2 for entry in x * x.T - y * y.T)
    assert sympy.expand(entries - (x.dot(x) ** 2 + y.dot(y) ** 2 - 2 * x.dot(y) ** 2)) == 0, "(1), d = 2"
    with mpmath.workdps(60):
        pairs = [
            (p, mpmath.nstr(real(p.delta) - (stick(change(p), p.variance, p.epsilon) if change(p) else 0), 50))
            for p in POINTS
        ]
        bind(statement, pairs)
    bind_hypotheses(statement, POINTS[0], OUTSIDE)
    assert (gaussian_orthogonal.most(REPLACE), gaussian_orthogonal.most(ADD)) == (2, 1)
    assert not statement.strict
    for p in POINTS:
        assert statement.at(p) is Truth.TRUE
        assert gaussian_orthogonal.squared_change(p) == fmpq(change(p).numerator, change(p).denominator)
    same = attrs.evolve(POINTS[0], y=POINTS[0].x)
    assert statement.margin(same).contains(fmpq(same.delta.numerator, same.delta.denominator)), "nothing changes"


@orthogonal.controls(grade="interval", region="longer records; less than the promise; a number more, of records")
def test_longer_records_and_other_numbers_cost_more(statement) -> None:
    p = POINTS[0]
    assert statement.at(p) is Truth.TRUE
    for says, field in (("|x| <= 1", "x"), ("|y| <= 1", "y")):
        longer = attrs.evolve(p, **{field: (0, Fraction(11, 10)), "x" if field == "y" else "y": (1, 0)})
        assert statement.without(says).at(longer) is Truth.FALSE
    less = attrs.evolve(p, delta=p.delta * Fraction(99, 100))
    assert statement.without("delta is at least that of the greatest change").at(less) is Truth.FALSE
    # a number that is to hide n as well would change by one more
    numbers = gaussian_orthogonal.numbers
    more = redefined(
        statement,
        gaussian_orthogonal,
        "numbers",
        lambda record, last: [*numbers(record, last=last), fmpq(int(any(record)))],
    )
    assert more.at(POINTS[8]) is Truth.FALSE
    assert POINTS[8].y == (0, 0)


EXCHANGES = [
    Products(s, t, p)
    for s, t in product((0, Fraction(1, 3), Fraction(3, 4), 1), repeat=2)
    for p in (0, Fraction(-1, 5), Fraction(2, 3))
]


@orthogonal.supports("exchange", grade="derived", region="every s, t and p, by the docstring; 48 points")
def test_a_replaced_record_changes_the_numbers_by_two(statement) -> None:
    """2 less the sum is 2 p^2 + 2 (1 - s)(1 + s - t) + 2 t (1 - t) (1), of which no factor is less than zero. It is
    zero for orthogonal unit vectors, and where one record is zero and the other a unit vector.
    """  # noqa: D205
    s, t, p = sympy.symbols("first second inner", real=True)
    stated = 2 - (s**2 + t**2 - 2 * p**2 + (s - t) ** 2)
    assert sympy.expand(stated - 2 * p**2 - 2 * (1 - s) * (1 + s - t) - 2 * t * (1 - t)) == 0, "(1)"
    bind_expression(statement, stated, fields={"first": s, "second": t, "inner": p}, points=EXCHANGES)
    bind(statement, [(q, 2 - 2 * (q.first**2 + q.second**2 - q.first * q.second - q.inner**2)) for q in EXCHANGES])
    bind_hypotheses(
        statement,
        EXCHANGES[0],
        {
            "first >= 0": Products(Fraction(-1, 9), 1, 0),
            "first <= 1": Products(Fraction(10, 9), 0, 0),
            "second >= 0": Products(1, Fraction(-1, 9), 0),
            "second <= 1": Products(0, Fraction(10, 9), 0),
        },
    )
    assert not statement.strict
    for ends in (Products(1, 1, 0), Products(1, 0, 0), Products(0, 1, 0)):
        assert statement.margin(ends) == 0


@orthogonal.controls("exchange", grade="interval", region="squares of norms below 0 and above 1")
def test_other_squares_change_the_numbers_by_more(statement) -> None:
    assert statement.at(Products(1, 1, 0)) is Truth.TRUE
    for says, p in (
        ("first >= 0", Products(Fraction(-1, 9), 1, 0)),
        ("first <= 1", Products(Fraction(10, 9), 0, 0)),
        ("second >= 0", Products(1, Fraction(-1, 9), 0)),
        ("second <= 1", Products(0, Fraction(10, 9), 0)),
    ):
        assert statement.without(says).at(p) is Truth.FALSE


MATRICES = [
    fmpq_mat(
        d,
        d,
        [fmpq((3 * i + 5 * j + 7 * seed) % 11 - 4, 1 + (i + 2 * j + seed) % 4) for i in range(d) for j in range(d)],
    )
    for d in (1, 2, 3, 5)
    for seed in range(6)
]
DRAWN = [
    Drawn(noise + noise.transpose(), other, Fraction(2 * place - 9, 7), place)
    for place, (noise, other) in enumerate(pairwise(MATRICES))
    if noise.nrows() == other.nrows()
]


@orthogonal.supports("afterwards", grade="derived", region="every d, X'X, K, k_0 and n, by the docstring; 20 points")
def test_what_is_published_is_made_of_noisy_numbers(statement) -> None:
    """The sum tr A + a is tr X'X + tr K + n - tr X'X + k_0 = n + tr K + k_0, so tr A + a - n is tr K + k_0; and
    (A + A')/2 is X'X + (K + K')/2 where X'X is symmetric.
    """  # noqa: D205
    bind(statement, [(p, 0) for p in DRAWN])
    bind_hypotheses(
        statement, DRAWN[8], {"X'X is symmetric": attrs.evolve(DRAWN[8], moments=fmpq_mat([[0, 1], [0, 0]]))}
    )
    assert not statement.strict
    for p in DRAWN:
        size = p.moments.nrows()
        found, excess = gaussian_orthogonal.from_noisy(p), sum((p.noise[i, i] for i in range(size)), fmpq(0))
        excess += fmpq(p.last.numerator, p.last.denominator)
        for i, j in product(range(size), repeat=2):
            expected = p.moments[i, j] + (p.noise[i, j] + p.noise[j, i]) / 2 - (excess / (size + 1) if i == j else 0)
            assert found[i, j] == expected
            assert gaussian_orthogonal.published(p)[i, j] == expected
    assert gaussian_orthogonal.sums_symmetric_margin(Drawn(fmpq_mat(0, 0, []), fmpq_mat(0, 0, []), 0, 1)) == -1


@orthogonal.controls("afterwards", grade="interval", region="d = 2: a mean of d numbers; sums that are not symmetric")
def test_another_mean_is_not_made_of_noisy_numbers(statement) -> None:
    p = DRAWN[8]
    assert statement.at(p) is Truth.TRUE
    lopsided = attrs.evolve(p, moments=fmpq_mat([[0, 1], [0, 0]]))
    assert statement.without("X'X is symmetric").at(lopsided) is Truth.FALSE
    other = redefined(
        statement,
        gaussian_orthogonal,
        "published",
        lambda q: q.moments + gaussian_orthogonal.symmetric_part(q.noise),
    )
    assert other.at(p) is Truth.FALSE


SIZES = [Sized(d, adjacency) for d in range(1, 11) for adjacency in (REPLACE, ADD)]


def variances(p: Sized) -> Fraction:
    """Add the variances of the entries: a half off the diagonal, and on it one, less 1/(d + 1) if a mean is taken."""
    d = p.dimension
    diagonal = Fraction(d, d + 1) if p.adjacency is REPLACE else Fraction(1)
    return d * diagonal + Fraction(d * (d - 1), 2)


@orthogonal.supports("total", grade="derived", region="every d and both relations, by the docstring; d = 1, ..., 10")
def test_the_noise_has_so_much_variance(statement) -> None:
    """(k_ij + k_ji)/2 has the variance 1/2, and k_ii has 1. Less the mean of d + 1 numbers of which it is one, it has
    1 - 1/(d + 1). The sum is d (d - 1)/2 + d^2/(d + 1) = d (d^2 + 2 d - 1)/(2 (d + 1)), or d (d - 1)/2 + d.

    It is w/2 times K of `beyond.approximate-noise` for a replaced record: w is the variance that one number needs which
    changes by 2^(1/2), so w/2 is that for a change of one, and K times this is what Gaussian noise has at least.
    """  # noqa: D205
    bind(statement, [(p, 0) for p in SIZES])
    bind_hypotheses(statement, SIZES[0], {"dimension >= 1, an integer": Sized(0, REPLACE)})
    assert not statement.strict
    for p in SIZES:
        d = p.dimension
        found = gaussian_orthogonal.total(p)
        assert found == fmpq(variances(p).numerator, variances(p).denominator)
        assert len(list(gaussian_orthogonal.responses(p))) == d * d + (p.adjacency is REPLACE)
        if p.adjacency is REPLACE:
            beside, along = best_shape(Shaped(d, REPLACE))
            best = beside * fmpq((d - 1) * (d + 2), 2) + along
            assert times(d, REPLACE).contains(2 * found)
            assert best.overlaps(times(d, REPLACE))


@orthogonal.controls("total", grade="interval", region="d = 2: noise that is copied from the upper triangle; no mean")
def test_copied_noise_has_more(statement) -> None:
    def copied(matrix: fmpq_mat) -> fmpq_mat:
        size = matrix.nrows()
        return fmpq_mat(size, size, [matrix[min(i, j), max(i, j)] for i in range(size) for j in range(size)])

    for p in SIZES[2:4]:
        assert statement.at(p) is Truth.TRUE
        assert redefined(statement, gaussian_orthogonal, "symmetric_part", copied).at(p) is Truth.FALSE
    without = redefined(
        statement,
        gaussian_orthogonal,
        "published",
        lambda q: q.moments + gaussian_orthogonal.symmetric_part(q.noise),
    )
    assert without.at(SIZES[2]) is Truth.FALSE


COLUMNS = [Columns(d) for d in range(1, 31)]


def quotient(d: int) -> mpmath.mpf:
    """Divide d^2 (d + 1)/2 by the square."""
    return mpmath.mpf(d) ** 2 * (d + 1) / 2 / ((d - 1) * mpmath.sqrt(1 + mpmath.mpf(d) / 2) + 1) ** 2


@orthogonal.supports("quotient", grade="derived", region="every d, by the docstring; d = 1, ..., 30")
def test_noise_for_an_added_record_is_near_the_least(statement) -> None:
    """Let s be the root of (d + 2)/2, so that d = 2 s^2 - 2. d^2 (d + 1)/2 - ((d - 1) s + 1)^2 = (d - 1) (s - 1)^2 (1).
    Over the square that is less than 1/(d - 1), as (s - 1)/((d - 1) s + 1) is less than that: below 0.043 from d = 25
    on. Of d = 1, ..., 24 the greatest is that of 5, 0.0421.
    """  # noqa: D205
    s = sympy.Symbol("s", positive=True)
    d = 2 * s**2 - 2
    assert sympy.expand(d**2 * (d + 1) / 2 - ((d - 1) * s + 1) ** 2 - (d - 1) * (s - 1) ** 2) == 0, "(1)"
    assert 1 / 24 < 0.043
    with mpmath.workdps(60):
        bind(
            statement,
            [(p, mpmath.nstr((real(Fraction(1043, 1000)) / quotient(p.dimension) - 1) * size(p), 50)) for p in COLUMNS],
        )
        greatest = max(range(1, 25), key=quotient)
        assert (greatest, round(float(quotient(greatest)) - 1, 4)) == (5, 0.0421)
        orthogonal.tells("at most {below} times the least", quotient(greatest))
    bind_hypotheses(statement, COLUMNS[0], {"dimension >= 1, an integer": Columns(0)})
    assert not statement.strict
    for p in COLUMNS:
        assert statement.at(p) is Truth.TRUE


def size(p: Columns) -> Fraction:
    return Fraction(p.dimension * (p.dimension + 1), 2)


@orthogonal.controls("quotient", grade="interval", region="d = 5: a smaller number")
def test_a_smaller_quotient_is_false(statement) -> None:
    assert statement.at(COLUMNS[4]) is Truth.TRUE
    other = redefined(statement, gaussian_orthogonal, "LARGEST", fmpq(1042, 1000))
    assert other.at(COLUMNS[4]) is Truth.FALSE


def test_random_records_cost_no_more() -> None:
    """Attack on the sensitivity: pairs of records in the ball, most of them at its surface, and hill climbing."""
    rng = np.random.default_rng(5)

    def square(x: np.ndarray, y: np.ndarray) -> float:
        difference = np.outer(x, x) - np.outer(y, y)
        return float((difference**2).sum() + np.trace(difference) ** 2)

    for d in (1, 2, 3, 8):
        best = 0.0
        for _ in range(50):
            pair = rng.normal(size=(2, d))
            for _ in range(200):
                moved = pair + rng.normal(size=pair.shape) * rng.choice([1e-3, 0.1, 1.0])
                moved /= np.maximum(np.linalg.norm(moved, axis=1), 1)[:, None]
                pair = max(pair / np.maximum(np.linalg.norm(pair, axis=1), 1)[:, None], moved, key=lambda p: square(*p))
            best = max(best, square(*pair))
        assert best == pytest.approx(2, abs=1e-2)
        assert best <= 2 + 1e-9
    assert float(GaussianProfile(1, 2).delta(1)) == pytest.approx(float(stick(1, Fraction(4), Fraction(1))))
