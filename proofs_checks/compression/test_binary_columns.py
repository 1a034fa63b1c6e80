"""`compression`: Corollary 3.7, step by step."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import isqrt

import attrs
import mpmath
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import binary_columns
from dpmatrix.spec.compression.binary_loss import GamePair
from dpmatrix.spec.compression.covariances import inverse_difference, operator_norm
from dpmatrix.spec.compression.transformation import RawPair
from dpmatrix.spec.compression.truncated_loss import exact_loss
from proofs_checks.compression.compressed_tails import least_rows, logarithm
from proofs_checks.compression.covariance_pairs import UNIT
from proofs_checks.compression.sign_pairs import (
    ASSUMED,
    DELTA_MAX,
    FLOORED,
    INSIDE,
    MASSES,
    TIGHT,
    assert_region,
    differing,
    game,
    kept_outside,
    loss,
    radius,
    region_outside,
)
from proofs_checks.exact_matrices import correlated

corollary_3_7 = cite("compression.corollary-3-7@0947bc57")

QUARTER = attrs.evolve(INSIDE, smallness=Fraction(36, 100), ratio=6)
"""p (ln n/n)^(1/4) = 0.3484; K p^2 ln 2np = 6 * 4 * 10.597 = 254.3."""
GROWTH = {
    "p <= s (n/log n)^(1/4)": attrs.evolve(QUARTER, smallness=Fraction(34, 100)),
    "m <= K p^2 ln 2np": attrs.evolve(QUARTER, rows=255),
}
LARGE = 10**262
"""The constant K at which the family is run: for a small one n would have too many digits."""


def enough(smallness, least_records) -> tuple[int, int, Fraction]:
    """Return n and m = 4 K ln 4n, rounded down, with 16 ln n <= s^4 n, and s or 1/4."""
    s, n = min(Fraction(str(smallness)), Fraction(1, 4)), 10**4
    while n < int(str(least_records)) or s**4 * n < 16 * int(mpmath.ceil(mpmath.log(n))):
        n *= 10
    return n, int(4 * LARGE * logarithm(n, 2)), s


def almost_equal(smallness, least_records) -> GamePair:
    """Two columns that differ in about sqrt(n/(2 s)) rows, and a sign changed in one more."""
    with mpmath.workdps(400):
        n, rows, s = enough(smallness, least_records)
    sizes = {"rows": rows, "smallness": smallness, "least_records": least_records, "ratio": LARGE}
    return game(n, differing(s, n), **sizes)


@corollary_3_7.refutes(
    grade="derived", region="p = 2, C_min = 1/2: every K, s and n_0; run at K = 10^262 from 10^-12 to 10^12"
)
def test_almost_equal_columns_make_the_loss_large(statement) -> None:
    """The neighbours of Theorem D.2 with m = 4 K L, L = ln 4n, rounded down: ||Gamma|| is between 0.9 s and 0.95 s.

    The loss is at least 4.5 sqrt(m L) 0.9 s - m A/2 - ln(1 + 1/(n^2 - 1)) with A <= 2 s/n + 4/n^2. That is about 8
    sqrt(K) s L, above 1 for every large n, whatever K and s are; the growth asks 16 ln n <= s^4 n alone.
    """
    statement.refute(almost_equal)
    with mpmath.workdps(60):
        for power, s in ((12, Fraction(1, 5)), (30, Fraction(1, 8)), (100, Fraction(1, 15))):
            n = 10**power
            p = game(n, differing(s, n), smallness=s, ratio=6, rows=int(24 * logarithm(n, 2)))
            assert statement.applies(p) is Truth.TRUE
            assert statement.conclusion(p) is Truth.FALSE, "K = 6"
            with precision(512):
                assert arb("0.9") < operator_norm(inverse_difference(p)) / ball(s) < arb("0.95")
            reach = arb("4.5") * (p.rows * arb(4 * n).log()).sqrt() * arb("0.9") * ball(s)
            rest = p.rows * (2 * ball(s) / n + arb(4) / n**2) / 2 + (1 + arb(1) / (n**2 - 1)).log()
            assert exact_loss(p) > reach - rest
        sizes = (10**6, 10**9)
        shares = [Fraction(mpmath.nstr(1 / mpmath.sqrt(mpmath.log(n)), 20)) for n in sizes]
        small = [game(n, isqrt(int(n / (2 * s))) + 1, smallness=s) for n, s in zip(sizes, shares, strict=True)]
        losses = [1 - statement.formula(p) for p in small]
        corollary_3_7.tells("it is {} at n = {}, {} at {}, and grows", losses[0], sizes[0], losses[1], sizes[1])
    bind_formula(statement, [attrs.evolve(p, smallness=9) for p in TIGHT], lambda p: 1 - loss(p))
    ratio = {"ratio > 0": attrs.evolve(QUARTER, ratio=0)}
    for point in (QUARTER, attrs.evolve(QUARTER, rows=254), attrs.evolve(QUARTER, **MASSES)):
        bind_hypotheses(statement, point, ASSUMED | GROWTH | ratio)
    assert statement.applies(attrs.evolve(QUARTER, smallness=Fraction(35, 100))) is Truth.TRUE
    assert not statement.strict


def equal_columns(*column, row: int = 0) -> RawPair:
    """X_1 with the column twice, and X_2 with one sign of the second one changed."""
    data = fmpq_mat([[value, value] for value in column])
    changed = fmpq_mat(data)
    changed[row, 1] = -changed[row, 1]
    return RawPair(data, changed)


UNLIKE = {
    "two columns of X_1 are equal": RawPair(fmpq_mat([[1, 1], [1, -1]]), fmpq_mat([[1, 1], [1, 1]])),
    "X_2 has one sign changed": RawPair(fmpq_mat([[1, 1]]), fmpq_mat([[1, 1]])),
}


@corollary_3_7.supports(
    "privacy-needs-constraints",
    grade="derived",
    region="every column of signs and every row, by the docstring; bound at all 98 pairs with n <= 4",
)
def test_equal_columns_make_the_loss_infinite(statement) -> None:
    """Phi (x_1 - x_2) has independent entries of N(0, |x_1 - x_2|^2/n): 0 for X_1, and of variance 4/n for X_2.

    So Phi X_1 has equal columns with probability 1, and Phi X_2 with probability 0, for every n and m.
    """
    pairs = [
        equal_columns(*column, row=row)
        for n in range(1, 5)
        for column in product((1, -1), repeat=n)
        for row in range(n)
    ]
    for p in pairs:
        assert statement.at(p) is Truth.TRUE
    difference = fmpq_mat([[1, -1]])
    values = []
    for p in [*pairs, *UNLIKE.values()]:
        first, second = (
            (difference * x.transpose() * x * difference.transpose())[0, 0] / x.nrows() for x in (p.data, p.neighbour)
        )
        values.append((p, -first if first else second))
    bind(statement, values)
    longer = equal_columns(1, 1, 1, row=2)
    for inside in (pairs[0], longer):
        bind_hypotheses(statement, inside, UNLIKE)
    two, three = RawPair(longer.data, -longer.data), RawPair(longer.data, 3 * longer.data)
    for wrong in (RawPair(longer.data, longer.data), two, three, RawPair(longer.data * 2, longer.neighbour)):
        bind_hypotheses(statement, longer, UNLIKE | {"X_2 has one sign changed": wrong})
    assert statement.strict


@corollary_3_7.controls("privacy-needs-constraints", grade="symbolic", region="no sign changed; columns that differ")
def test_equal_columns_against_equal_columns_tell_nothing(statement) -> None:
    for says, point in UNLIKE.items():
        assert statement.without(says).at(point) is Truth.FALSE, says


def quarter(n: int, share: float, **fields) -> GamePair:
    given = {"smallness": Fraction(4, 10), "ratio": 6, "floor": Fraction(7, 10)} | fields
    return game(n, int(share * n), **given)


def region_bound(p: GamePair) -> mpmath.mpf:
    growth, n = 3 * real(p.ratio) * real(p.smallness) ** 4, mpmath.mpf(p.records)
    return (1 + 1 / (2 * n)) * growth / real(p.floor) ** 2 + mpmath.log(1 + 1 / (n**2 - 1))


@corollary_3_7.supports_repair(
    grade="derived",
    region="every p <= n, m, s, K and pair of neighbours under the hypotheses: Theorem D.2; both ends at 22 pairs",
)
def test_corollary_3_7_with_a_floor(statement) -> None:
    """Use m p^2/n <= K p^4 ln(2np)/n <= K s^4 ln(2np)/ln(n) <= 3 K s^4, as 2np <= n^3 for n >= 2 and p <= n (1).

    So p <= s' sqrt(n/m) with s'^2 = 3 K s^4 in Theorem D.2 as repaired.
    """
    n = sympy.Symbol("n", positive=True)
    assert sympy.expand(n**3 - 2 * n * n - n**2 * (n - 2)) == 0, "(1)"
    points = [
        attrs.evolve(p, smallness=Fraction(1, 3 + i), floor=Fraction(1, 2 + i % 4), ratio=1 + i)
        for i, p in enumerate(TIGHT)
    ]
    assert_region(statement, [*points, attrs.evolve(QUARTER, **MASSES)], region_bound)
    three = correlated(0, 0, 0)
    many = attrs.evolve(QUARTER, first=three, second=three, records=2, row=(1, 1, 1), flipped=(1, 1, 1))
    outside = FLOORED | GROWTH | {"p <= n": many}
    for point in (QUARTER, attrs.evolve(QUARTER, rows=254), attrs.evolve(QUARTER, **MASSES)):
        bind_hypotheses(statement, point, outside)
    bind_hypotheses(statement, QUARTER, outside | region_outside(QUARTER))
    assert statement.applies(attrs.evolve(QUARTER, smallness=Fraction(35, 100))) is Truth.TRUE
    fewest = attrs.evolve(QUARTER, records=2, first=UNIT, second=UNIT, flipped=(1, 1), rows=45, smallness=9)
    assert statement.applies(fewest) is Truth.TRUE, "p = n"
    for n_value in (10**4, 10**6, 10**9):
        assert statement.at(quarter(n_value, 0.5)) is Truth.TRUE
    assert not statement.strict


def kept_bound(p: GamePair) -> mpmath.mpf:
    size, ratio, n = p.first.nrows(), real(p.ratio), mpmath.mpf(p.records)
    length = logarithm(p.records, size)
    reach = radius(p) * mpmath.sqrt(p.rows / length) * mpmath.sqrt(ratio / 2) * size**3
    inner = reach + (1 + mpmath.sqrt(2)) * ratio * size**4 / n
    return inner * length / (n * real(p.floor) ** 2) + mpmath.log(1 + 1 / (n**2 - 1))


@corollary_3_7.supports(
    "kept-outputs",
    grade="derived",
    region="every p, n, m, K and neighbour of Sigma_1 under the hypotheses: Theorem D.2; exact supremum at 22 pairs",
)
def test_corollary_3_7_keeps_its_outputs(statement) -> None:
    """Use m <= K p^2 L, L = ln 2np, in m p^2/(n c^2) times (C sqrt(L/m)/sqrt(2) + (1 + sqrt(2))/n), which rises with m.

    That is the bound of `kept-display` before the growth is used, and gives the one that is stated (1). For p <= n and
    p <= s (n/ln n)^(1/4) its first term is at most a constant times sqrt(K) s^3 (ln n/n)^(1/4) (2), its second one a
    constant times K s^4/n. For p <= s (n/ln n)^(1/3) they are at most constants times sqrt(K) s^3 and K s^4 n^(-2/3)
    (ln n)^(-1/3), so that s -> 0 suffices with K fixed. Over |X'X/m| <= 2 an output is within C sqrt(L/m) of its own
    covariance with probability 1 - 1/(n^2 - 1) at least: off that event each law has at most 1/n^2 (Lemma 4.4), and
    the region at least 1 - 1/n^2 (3).
    """
    m, p, n, c, k, s, big, length, root = sympy.symbols("m p n c K s C L r", positive=True)
    loss_of = m * p**2 / (n * c**2) * (big * sympy.sqrt(length / m) / sympy.sqrt(2) + (1 + sympy.sqrt(2)) / n)
    stated = (big * sympy.sqrt(k / 2) * p**3 + (1 + sympy.sqrt(2)) * k * p**4 / n) * length / (n * c**2)
    assert sympy.simplify(loss_of.subs(m, k * p**2 * length) - stated) == 0, "(1)"
    few = s * (n / root) ** sympy.Rational(1, 4)
    assert sympy.simplify(few**3 * 3 * root / n - 3 * s**3 * (root / n) ** sympy.Rational(1, 4)) == 0, "(2): r = ln n"
    third = s * (n / root) ** sympy.Rational(1, 3)
    assert sympy.simplify(third**3 * 3 * root / n - 3 * s**3) == 0, "(2) for p <= s (n/ln n)^(1/3)"
    assert (
        sympy.simplify(
            third**4 * 3 * root / n**2 - 3 * s**4 * n ** sympy.Rational(-2, 3) / root ** sympy.Rational(1, 3)
        )
        == 0
    )
    assert sympy.simplify(n**-2 / (1 - n**-2) - 1 / (n**2 - 1)) == 0, "(3)"
    points = [attrs.evolve(p, floor=Fraction(1, 2 + i % 4), ratio=1 + i) for i, p in enumerate(TIGHT)]
    bind_formula(statement, points, lambda p: kept_bound(p) - loss(p))
    bounds = []
    for power in (4, 6, 9, 12):
        for share in (0.3, 0.5, 0.7):
            assert statement.at(quarter(10**power, share, floor=Fraction(1, 2))) is Truth.TRUE
        at_growth = quarter(10**power, 0.5)
        bounds.append(binary_columns.kept_bound(at_growth))
    assert all(later < earlier / 9 for earlier, later in pairwise(bounds)), "p and K fixed: like (ln n)/n"
    few_rows = {"m <= K p^2 ln 2np": GROWTH["m <= K p^2 ln 2np"]}
    outside = FLOORED | DELTA_MAX | few_rows
    for point in (QUARTER, attrs.evolve(QUARTER, rows=254), attrs.evolve(QUARTER, **MASSES)):
        bind_hypotheses(statement, point, outside)
    telling = kept_outside(attrs.evolve(QUARTER, ratio=Fraction(21, 4), floor=Fraction(9, 10)))
    telling["m <= K p^2 ln 2np"] = attrs.evolve(QUARTER, rows=10**9)
    for says, point in telling.items():
        assert statement.without(says).at(point) is Truth.FALSE, says
    bind_hypotheses(statement, QUARTER, outside | telling)
    assert not statement.strict


@corollary_3_7.controls("+repair", grade="interval", region="the floor dropped, n = 10^6; any number of rows, n = 10^4")
def test_corollary_3_7_needs_the_floor(statement) -> None:
    floor = "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c"
    assert statement.without(floor).at(quarter(10**6, 1e-6)) is Truth.FALSE
    many = quarter(10**4, 0.5, rows=10**7)
    assert statement.without("m <= K p^2 ln 2np").at(many) is Truth.FALSE
    assert least_rows(10**4, 2) > 200
