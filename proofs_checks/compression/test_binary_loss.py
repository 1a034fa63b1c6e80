"""`compression`: Theorem D.2 and Corollary 3.7, step by step."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.binary_loss import GamePair
from proofs_checks.compression.compressed_tails import least_rows, logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import INDEFINITE, SKEW, WIDE, gamma
from proofs_checks.exact_matrices import correlated

corollary_3_7 = cite("compression.corollary-3-7@51c69395")
theorem_d_2 = cite("compression.theorem-d-2@4bf729a4")


def game(n: int, differing: int, **fields) -> GamePair:
    """Two columns of n signs that differ in some rows, and a sign changed where they agree."""
    first = 1 - Fraction(2 * differing, n)
    given = {"records": n, "rows": least_rows(n, 2), "row": (1, 1), "flipped": (1, -1)} | fields
    return GamePair(correlated(first), correlated(first - Fraction(2, n)), Fraction(2, n), **given)


def from_data(data: fmpq_mat, row: int, flipped: list[int], **fields) -> GamePair:
    """Compute both covariances from a database of signs."""
    n = data.nrows()
    other = fmpq_mat([flipped if i == row else values for i, values in enumerate(data.tolist())])
    signs = tuple(int(x.p) for x in data.tolist()[row])
    return GamePair(
        data.transpose() * data / n,
        other.transpose() * other / n,
        Fraction(2, n),
        records=n,
        row=signs,
        flipped=tuple(flipped),
        **({"rows": least_rows(n, data.ncols())} | fields),
    )


def orthogonal_data(n: int) -> fmpq_mat:
    """Three columns of n signs, nearly orthogonal for n a multiple of four."""
    return fmpq_mat([[1, 1 if i % 2 else -1, 1 if (i // 2) % 2 else -1] for i in range(n)])


def printed_radius(p: GamePair) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * logarithm(p.records, p.first.nrows()) / p.rows)


def loss(p: GamePair) -> mpmath.mpf:
    """Compute the supremum where both corners of the box are outputs: (m/2)(A + r ||vec Gamma||_1) or its like."""
    change = gamma(p)
    product_matrix = change * real_matrix(p.first)
    linear = sum(product_matrix[i, i] for i in range(p.first.nrows()))
    ratio = mpmath.log(mpmath.det(real_matrix(p.second)) / mpmath.det(real_matrix(p.first)))
    centre = mpmath.mpf(p.rows) / 2 * (ratio + linear)
    reach = mpmath.mpf(p.rows) / 2 * (printed_radius(p) + real(p.delta_max)) * sum(abs(x) for x in change)
    return max(centre + reach, reach - centre)


TIGHT = [
    *(game(n, round(n * share), rows=m) for n in (400, 10**4) for share in (0.4, 0.5, 0.6) for m in (2000, 5000, 9000)),
    *(
        from_data(orthogonal_data(n), 0, flips, rows=8000 + n)
        for n in (400, 404)
        for flips in ([-1, -1, -1], [1, 1, -1])
    ),
]
"""Pairs with so many rows that both corners are outputs, and the loss is exact."""


INSIDE = game(10**4, 5000, smallness=Fraction(3, 10), rows=220)
"""Orthogonal columns; p sqrt(m/n) = 0.2966."""
BASE = {
    "the covariances are symmetric": attrs.evolve(INSIDE, first=SKEW, second=SKEW),
    "the columns are normalised as in (4)": attrs.evolve(INSIDE, first=WIDE, second=WIDE),
    "max |Delta_jk| <= Delta_max": attrs.evolve(INSIDE, delta_max=Fraction(199, 10**6)),
    "records >= 2, an integer": attrs.evolve(INSIDE, records=1),
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(INSIDE, rows=216),
    "first_mass >= 0": attrs.evolve(INSIDE, first_mass=Fraction(-1, 10**9)),
    "second_mass >= 0": attrs.evolve(INSIDE, second_mass=Fraction(-1, 10**9)),
    "P_1(E) <= 1/n^2": attrs.evolve(INSIDE, first_mass=Fraction(11, 10**9)),
    "P_i(E) <= 1/n^2": attrs.evolve(INSIDE, second_mass=Fraction(11, 10**9)),
    "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs": attrs.evolve(INSIDE, flipped=(1, 1)),
    "Delta_max <= 2/n": attrs.evolve(INSIDE, delta_max=Fraction(201, 10**6)),
}
DEFINITE = {
    "Sigma_1 is positive definite": attrs.evolve(INSIDE, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(INSIDE, second=INDEFINITE),
}
SINGULAR = {
    "the covariances are positive semidefinite": attrs.evolve(INSIDE, second=INDEFINITE),
    "not both are singular": attrs.evolve(INSIDE, first=correlated(1), second=correlated(-1)),
    "smallness > 0": attrs.evolve(INSIDE, smallness=0),
}
GROWTH = {"p <= s sqrt(n/m)": attrs.evolve(INSIDE, smallness=Fraction(29, 100))}
QUARTER = game(10**4, 5000, smallness=Fraction(36, 100), rows=220)
"""p (ln n/n)^(1/4) = 0.3484."""
QUARTER_GROWTH = {"p <= s (n/log n)^(1/4)": attrs.evolve(QUARTER, smallness=Fraction(34, 100))}
INFINITE = (
    "p = 2, n = 10^6, 10^9, 10^12, every small s by growing n: one changed sign where the columns are equal (one "
    "output for certain against never), differ in 1 row, or in sqrt(n sqrt(ln n)/2) rows"
)


@corollary_3_7.refutes(grade="derived", region=INFINITE)
@theorem_d_2.refutes(grade="derived", region=INFINITE)
def test_almost_equal_columns_make_the_loss_large(statements, record_property) -> None:
    """Along (1, -1) the variances are 2/n and 4/n; an output of (12) may have variance 2r there."""
    theorem, corollary = statements["compression.theorem-d-2"], statements["compression.corollary-3-7"]
    found = []
    for power in (6, 9, 12):
        n = 10**power
        for statement, bound in ((theorem, isqrt(n) // 50), (corollary, int((n / (power * 2.4)) ** 0.25))):
            small = Fraction(2, bound)
            assert statement.at(game(n, 1, smallness=small)) is Truth.FALSE
            assert statement.at(game(n, 0, smallness=small)) is Truth.FALSE, "X_1 has equal columns"
        found.append(f"n = {n}: s = {float(Fraction(2, isqrt(n) // 50)):.2g}")
        # Assumption 1 holds along these: lambda_max(Sigma_1) < 2, and |Gamma| = 2/n / ((2k/n)(2(k+1)/n)) tends to 0.
        differing = isqrt(int(n * (power * 2.302585) ** 0.5 / 2))
        within = game(n, differing, smallness=small)
        assert all(statement.at(within) is Truth.FALSE for statement in (theorem, corollary))
        assert theorem.margin(within) < -80
        assert abs(n / (2.0 * differing * (differing + 1)) - (power * 2.302585) ** -0.5) < 0.001
    record_property("detail", "; ".join(found))
    data = fmpq_mat([[1, 1]] * 400)
    assert corollary.at(from_data(data, 0, [1, -1], smallness=1)) is Truth.FALSE, "an explicit database"
    assert theorem.at(INSIDE) is Truth.TRUE
    points = [attrs.evolve(p, smallness=9) for p in TIGHT]
    for statement, growth, inside in ((theorem, GROWTH, INSIDE), (corollary, QUARTER_GROWTH, QUARTER)):
        bind_formula(statement, points, lambda p: 1 - loss(p))
        bind_hypotheses(statement, inside, BASE | SINGULAR | growth)
        bind_hypotheses(statement, attrs.evolve(inside, rows=217), BASE | SINGULAR | growth)
        mass = {"first_mass": Fraction(1, 10**8), "second_mass": Fraction(1, 10**8)}
        bind_hypotheses(statement, attrs.evolve(inside, **mass), BASE | SINGULAR | growth)
        other = BASE | SINGULAR | growth
        other["the covariances are positive semidefinite"] = attrs.evolve(inside, first=INDEFINITE)
        bind_hypotheses(statement, inside, other)
        assert not statement.strict


def display(p: GamePair) -> mpmath.mpf:
    """Compute the display of the proof of Theorem D.2, with its o(1)."""
    spectra = [mpmath.eigsy(real_matrix(matrix), eigvals_only=True) for matrix in (p.first, p.second)]
    least = min(spectra[0]) * min(spectra[1])
    n, m, size = mpmath.mpf(p.records), mpmath.mpf(p.rows), p.first.nrows()
    inner = printed_radius(p) + 2 / n + 2 * max(spectra[0]) ** 2 / (n * least)
    return m * size**2 / (n * least) * inner + mpmath.log(1 + 1 / (n**2 - 1))


def vanishing(p: GamePair, growth: mpmath.mpf) -> mpmath.mpf:
    n, m, c = mpmath.mpf(p.records), mpmath.mpf(p.rows), real(p.floor)
    return growth / c**2 * (1 + 2 / n + 2 * growth / (m * c**2)) + mpmath.log(1 + 1 / (n**2 - 1))


FLOORED = (
    BASE
    | DEFINITE
    | {
        "smallness > 0": attrs.evolve(INSIDE, smallness=0),
        "floor > 0": attrs.evolve(INSIDE, floor=0),
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": attrs.evolve(INSIDE, second=correlated(Fraction(51, 100))),
    }
)


@theorem_d_2.supports_repair(
    grade="derived",
    region="every p, n, m, s <= c under the hypotheses: Theorem 4.6 and Proposition D.1; exact supremum at 22 pairs",
)
@theorem_d_2.supports(
    "plugged-in",
    grade="derived",
    region="every pair of the game with x <= 1/2: Theorem 4.6 and Proposition D.1; exact supremum at 22 pairs",
)
def test_theorem_d_2_with_a_floor(statements) -> None:
    """||Delta||_F <= sqrt(2) p/n in the bound of Theorem 4.6, whose first factor then is m p^2/(sqrt(2) n l_2 l_1) (1).

    So the terms are (1/sqrt(2)) (C sqrt(L/m) + 2/n) + 2 ||Sigma_1||^2/(n l_2 l_1) times m p^2/(n l_2 l_1) (2), at most
    the display. With l >= c, ||Sigma_1|| <= tr = p, m p^2/n <= s^2 and C sqrt(L/m) <= 1: the explicit bound (3). And
    ||Sigma_1|| ||Gamma|| <= p (p/n)/c^2 <= s^2/(m c^2) <= 1/m <= 1/2 for s <= c, as Theorem 4.6 asks (4).
    """
    m, p, n, l1, l2, top, r, c = sympy.symbols("m p n l1 l2 S r c", positive=True)
    change = sympy.sqrt(2) * p / n
    bound = m * p * change / (2 * l1 * l2) * (r + 2 * change * top**2 / (p * l1 * l2))
    split = m * p**2 / (n * l1 * l2) * (r / sympy.sqrt(2) + 2 * top**2 / (n * l1 * l2))
    assert sympy.simplify(bound - split) == 0, "(1), (2)"
    growth = m * p**2 / n
    third = growth / c**2 * 2 * p**2 / (n * c**2)
    assert sympy.simplify(third - growth / c**2 * 2 * growth / (m * c**2)) == 0, "(3)"
    assert least_rows(2, 1) >= 2, "(4)"
    repair, plugged = statements["compression.theorem-d-2+repair"], statements["compression.theorem-d-2/plugged-in"]
    points = [attrs.evolve(p, smallness=Fraction(1, 3 + i), floor=Fraction(1, 2 + i % 4)) for i, p in enumerate(TIGHT)]
    bind_formula(plugged, points, lambda p: display(p) - loss(p))
    bind_formula(repair, points, lambda p: vanishing(p, real(p.smallness) ** 2) - loss(p))
    for p in TIGHT:
        assert plugged.at(p) is Truth.TRUE
    for n_value in (10**4, 10**6, 10**9):
        for columns_differ in (0.3, 0.5, 0.7):
            p = game(n_value, int(columns_differ * n_value), smallness=Fraction(3, 10), floor=Fraction(1, 2))
            assert repair.at(p) is Truth.TRUE
            assert plugged.at(p) is Truth.TRUE
    outside = FLOORED | GROWTH | {"s <= c": attrs.evolve(INSIDE, smallness=Fraction(51, 100))}
    bind_hypotheses(repair, INSIDE, outside)
    bind_hypotheses(repair, attrs.evolve(INSIDE, smallness=Fraction(1, 2), rows=217), outside)
    low = outside | {
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": attrs.evolve(INSIDE, first=correlated(Fraction(51, 100)))
    }
    bind_hypotheses(repair, INSIDE, low)
    half = {"||Sigma_1|| ||Gamma|| <= 1/2": attrs.evolve(INSIDE, second=correlated(Fraction(2, 5)))}
    bind_hypotheses(plugged, INSIDE, BASE | DEFINITE | half)
    for statement in (repair, plugged):
        mass = {"first_mass": Fraction(1, 10**8), "second_mass": Fraction(1, 10**8)}
        assert statement.applies(attrs.evolve(INSIDE, **mass)) is Truth.TRUE
        assert not statement.strict


@theorem_d_2.controls("+repair", grade="interval", region="the floor dropped; n = 10^6")
def test_theorem_d_2_needs_the_floor(statements) -> None:
    statement = statements["compression.theorem-d-2+repair"]
    free = statement.without("lambda_min(Sigma_1), lambda_min(Sigma_2) >= c")
    assert free.at(game(10**6, 1, smallness=Fraction(1, 10))) is Truth.FALSE


@theorem_d_2.supports(
    "largest-entry",
    grade="derived",
    region="every pair of signs: entries of xx' - yy' are 0, 2 or -2; bound at 23 pairs",
)
@theorem_d_2.refutes("frobenius-norm", grade="interval", region="p = 2, n = 100, orthogonal columns, one sign")
def test_the_norms_of_a_changed_row(statements) -> None:
    """Entries of xx' - yy' are differences of signs: 0, 2 or -2."""
    assert {a - b for a in (1, -1) for b in (1, -1)} == {0, 2, -2}
    entries = statements["compression.theorem-d-2/largest-entry"]
    frobenius = statements["compression.theorem-d-2/frobenius-norm"]
    points = [*TIGHT, game(10**6, 3)]
    for p in points:
        assert entries.at(p) is Truth.TRUE
    data = from_data(orthogonal_data(8), 0, [1, -1, -1])
    assert entries.at(attrs.evolve(data, flipped=data.row, second=data.first)) is Truth.TRUE
    assert frobenius.at(game(100, 50)) is Truth.FALSE
    largest = [max(abs(x) for x in (p.first - p.second).entries()) for p in points]
    bind(entries, ((p, fmpq(2, p.records) - top) for p, top in zip(points, largest, strict=True)))

    def formula(p: GamePair) -> mpmath.mpf:
        squares = sum(x**2 for x in real_matrix(p.first - p.second))
        return mpmath.mpf(p.first.nrows()) / p.records - mpmath.sqrt(squares)

    bind_formula(frobenius, points, formula)
    says = "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs"
    for statement in (entries, frobenius):
        bind_hypotheses(statement, INSIDE, {says: BASE[says]})
        numbers = attrs.evolve(INSIDE, row=(1, 2), flipped=(1, 2), second=INSIDE.first)
        assert statement.applies(numbers) is Truth.FALSE, "no signs"
        assert not statement.strict


def quarter(n: int, share: float, **fields) -> GamePair:
    given = {"smallness": Fraction(4, 10), "ratio": 6, "floor": Fraction(7, 10)} | fields
    return game(n, int(share * n), **given)


@corollary_3_7.supports_repair(
    grade="derived",
    region="every p <= n, m, s, K under the hypotheses: Theorem D.2 repaired; exact supremum at 22 pairs",
)
def test_corollary_3_7_with_a_floor(statement) -> None:
    """Use m p^2/n <= K p^4 ln(2np)/n <= K s^4 ln(2np)/ln(n) <= 3 K s^4, as 2np <= n^3 for n >= 2 and p <= n (1).

    So p <= s' sqrt(n/m) with s'^2 = 3 K s^4, and s' <= c is asked.
    """
    n = sympy.Symbol("n", positive=True)
    assert sympy.expand(n**3 - 2 * n * n - n**2 * (n - 2)) == 0, "(1)"
    points = [
        attrs.evolve(p, smallness=Fraction(1, 3 + i), floor=Fraction(1, 2 + i % 4), ratio=1 + i)
        for i, p in enumerate(TIGHT)
    ]
    bind_formula(statement, points, lambda p: vanishing(p, 3 * real(p.ratio) * real(p.smallness) ** 4) - loss(p))
    inside = quarter(10**4, 0.5, rows=240)
    # K p^2 ln 2np = 6 * 4 * 10.597 = 254.3; 3 K s^4 = 0.4608 <= 0.49; p (ln n/n)^(1/4) = 0.3484.
    outside = {
        name: attrs.evolve(p, ratio=6, floor=Fraction(7, 10) if p.floor else 0) for name, p in FLOORED.items()
    } | {
        "smallness > 0": attrs.evolve(inside, smallness=0),
        "p <= s (n/log n)^(1/4)": attrs.evolve(inside, smallness=Fraction(34, 100)),
        "ratio > 0": attrs.evolve(inside, ratio=0),
        "m <= K p^2 ln 2np": attrs.evolve(inside, rows=255),
        "3 K s^4 <= c^2": attrs.evolve(inside, ratio=Fraction(64, 10)),
        "p <= n": attrs.evolve(
            inside, first=fmpq_mat(3, 3, [int(i == j) for i in range(3) for j in range(3)]), records=2
        ),
    }
    three = fmpq_mat(3, 3, [int(i == j) for i in range(3) for j in range(3)])
    outside["p <= n"] = attrs.evolve(inside, first=three, second=three, records=2, row=(1, 1, 1), flipped=(1, 1, 1))
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(inside, rows=254), outside)
    assert statement.applies(attrs.evolve(inside, smallness=Fraction(35, 100))) is Truth.TRUE
    assert statement.applies(attrs.evolve(inside, ratio=Fraction(63, 10))) is Truth.TRUE
    assert statement.at(inside) is Truth.TRUE
    for n_value in (10**4, 10**6, 10**9):
        p = quarter(n_value, 0.5)
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict


@corollary_3_7.controls("+repair", grade="interval", region="the floor dropped; n = 10^6")
def test_corollary_3_7_needs_the_floor(statement) -> None:
    free = statement.without("lambda_min(Sigma_1), lambda_min(Sigma_2) >= c")
    assert free.at(quarter(10**6, 1e-6)) is Truth.FALSE
    assert ceil(float(least_rows(10**6, 2)) / 15.2) >= 20
