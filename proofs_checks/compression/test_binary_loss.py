"""`compression`: Theorem D.2, step by step."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import binary_loss, binary_region, tails
from dpmatrix.spec.compression.binary_loss import GamePair
from dpmatrix.spec.compression.covariances import inverse_difference, largest_entry, operator_norm
from proofs_checks.compression.compressed_tails import least_rows
from proofs_checks.compression.covariance_pairs import sheared
from proofs_checks.compression.sign_pairs import (
    ASSUMED,
    BASE,
    CHANGE,
    DEFINITE,
    DELTA_MAX,
    FLOORED,
    INSIDE,
    MASSES,
    TIGHT,
    assert_region,
    differing,
    from_data,
    game,
    isqrt_of_root_log,
    kept_outside,
    loss,
    orthogonal_data,
    radius,
    region_outside,
)
from proofs_checks.exact_matrices import correlated

theorem_d_2 = cite("compression.theorem-d-2@8a523f97")

MANY = game(10**8, 5 * 10**7, rows=10**6, smallness=Fraction(201, 1000), floor=Fraction(99, 100))
"""Orthogonal columns, p sqrt(m/n) = 1/5, and so many rows that the region costs far more than (12)."""
GROWTH = {"p <= s sqrt(n/m)": attrs.evolve(INSIDE, smallness=Fraction(29, 100))}


def almost_equal(smallness, least_records) -> GamePair:
    """Two columns that differ in about sqrt(n/(2 s)) rows, m >= 1/s^2, and n so large that p <= s sqrt(n/m)."""
    s, n = min(Fraction(str(smallness)), Fraction(1, 4)), 10**4
    while n < int(str(least_records)) or s**2 * n < 4 * max(least_rows(n, 2), int(1 / s**2) + 1):
        n *= 10
    rows = max(least_rows(n, 2), int(1 / s**2) + 1)
    return game(n, differing(s, n), rows=rows, smallness=smallness, least_records=least_records)


@theorem_d_2.refutes(grade="derived", region="p = 2, C_min = 1/2: every s and n_0; run from 10^-12 to 10^12")
def test_almost_equal_columns_make_the_loss_large(statement, record_property) -> None:
    """Let the columns differ in k rows, eta = 2k/n: Sigma_1 has the eigenvalues eta and 2 - eta, Delta = (2/n) offdiag.

    1/lambda_max > 1/2 and ||Delta|| = 2/n. Gamma is -g = -n/(2 k (k + 1)) along (1, -1)/sqrt(2) (1) and h < 1/n along
    (1, 1)/sqrt(2); with k as chosen 0.9 s <= g <= 0.95 s for large n. The corner G = Sigma_1 + r (1, -1)'(1, -1) of
    (12), r >= C sqrt(L/m), L = ln 4n, is an output, and there tr(Gamma (G - Sigma_1)) = -2 r g. So the loss is at least
    m r g - m A/2 - ln(1 + 1/(n^2 - 1)), and m r g >= 4.5 sqrt(m L) 0.9 s >= 4 sqrt(L) for m >= 1/s^2. The eigenvalues
    of Gamma Sigma_1 are -1/(k + 1) and at most 2 h, so A <= 1/(k + 1)^2 + 4/n^2 <= 2 s/n + 4/n^2, and m <= s^2 n/4
    makes m A small.
    """
    k, n = sympy.symbols("k n", positive=True)
    before, after = 2 * k / n, 2 * (k + 1) / n
    assert sympy.simplify(1 / after - 1 / before + n / (2 * k * (k + 1))) == 0, "(1)"
    statement.refute(almost_equal)
    large, s = almost_equal(Fraction(1, 5), 10**12), arb(fmpq(1, 5))
    assert arb("0.9") * s <= operator_norm(inverse_difference(large)) <= arb("0.95") * s
    assert tails.squared_constant().sqrt() >= arb("4.5")
    assert arb("4.5") * arb("0.9") >= 4
    found, losses = [], []
    for power, least in ((6, 82), (9, 98), (12, 111)):
        p = game(10**power, isqrt_of_root_log(power), smallness=Fraction(1, 3))
        assert statement.formula(p) < -least
        assert statement.applies(p) is Truth.TRUE
        found.append(f"n = 10^{power}, least m: loss above {least + 1}")
        losses.append(1 - statement.formula(p))
    record_property("detail", "; ".join(found))
    theorem_d_2.tells("it is {} at n = 10^6 and grows", losses[0])
    theorem_d_2.tells("at the least m the loss is {} at n = 10^6, {} at n = 10^9, and grows", *losses[:2])
    theorem_d_2.tells("it exceeds {above} at n = 10^4 for columns", 1 - statement.formula(game(10**4, 1)))
    assert statement.conclusion(INSIDE) is Truth.TRUE
    assert statement.formula(game(10**4, 1)) < -(10**5), "one row against two, beyond Assumption 1"
    bind_formula(statement, [attrs.evolve(p, smallness=9) for p in TIGHT], lambda p: 1 - loss(p))
    outside = ASSUMED | GROWTH
    for point in (INSIDE, attrs.evolve(INSIDE, rows=217), attrs.evolve(INSIDE, **MASSES)):
        bind_hypotheses(statement, point, outside)
    near = {"||Gamma||_2, ||Delta||_2 <= s": game(10**6, 1)}
    bind_hypotheses(statement, INSIDE, outside | near)
    assert statement.applies(game(4000, 2000, rows=250, smallness=Fraction(1, 2))) is Truth.TRUE, "p = s sqrt(n/m)"
    still = attrs.evolve(INSIDE, second=INSIDE.first, flipped=INSIDE.row)
    assert statement.applies(attrs.evolve(still, c_min=1)) is Truth.TRUE, "1/lambda_max = C_min"
    [small] = [condition for condition in statement.given if condition.says in near]
    assert small.at(attrs.evolve(still, smallness=0)) is Truth.TRUE
    assert statement.applies(attrs.evolve(INSIDE, c_min=Fraction(99, 100))) is Truth.TRUE
    assert not statement.strict


def display(p: GamePair) -> mpmath.mpf:
    """Compute the display of the proof of Theorem D.2, with its o(1)."""
    spectra = [mpmath.eigsy(real_matrix(matrix), eigvals_only=True) for matrix in (p.first, p.second)]
    least = min(spectra[0]) * min(spectra[1])
    n, m, size = mpmath.mpf(p.records), mpmath.mpf(p.rows), p.first.nrows()
    inner = radius(p) + 2 / n + 2 * max(spectra[0]) ** 2 / (n * least)
    return m * size**2 / (n * least) * inner + mpmath.log(1 + 1 / (n**2 - 1))


def region_bound(p: GamePair) -> mpmath.mpf:
    growth, n = real(p.smallness) ** 2, mpmath.mpf(p.records)
    return (1 + 1 / (2 * n)) * growth / real(p.floor) ** 2 + mpmath.log(1 + 1 / (n**2 - 1))


@theorem_d_2.supports_repair(
    grade="derived",
    region="every p, n, m and pair of neighbours under the hypotheses: the docstring; both ends bound at 22 pairs",
)
def test_theorem_d_2_with_a_floor(statement) -> None:
    """Let S, T be the covariances of neighbours, S - T = (xx' - yy')/n, a = x'S^-1 x and b = y'S^-1 y, at most p/c.

    ln det is concave: k = ln|T|/|S| <= -tr(S^-1 (S - T)) = (b - a)/n. For G = X'X/m in the region tr G <= 2p, so tr(
    Gamma G) <= 2 p l, l the largest eigenvalue of Gamma, or 0. l <= ||S - T||/c^2 <= p/(n c^2) (Proposition D.1). For a
    < n also T^-1 <= (S - xx'/n)^-1 = S^-1 + S^-1 xx' S^-1/(n - a), so l <= |S^-1 x|^2/(n - a) <= a/(c (n - a)).
    With h = n p/(n c + p) < n the two bounds on l are one number at a = h (1). For a >= h the first one gives k + 2 p l
    <= (p/c - h)/n + 2 p^2/(n c^2) (2); for a < h the second one gives (p/c - a)/n + 2 p a/(c (n - a)), which rises with
    a (3), as c <= tr/p = 1 < 2p, and is the same number at h. So k + 2 p l <= (2 + 1/n) p^2/(n c^2), and so is -k + ...
    with S and T exchanged, and (m/2) times that is at most (1 + 1/(2n)) s^2/c^2. The region loses at most 1/n^2 of each
    law: off it some entry of X'X/m is more than 1 >= tau from that of its own covariance (Lemma 4.4 with that
    covariance as the reference and Delta_max = 0), so renormalisation adds at most ln(1 + 1/(n^2 - 1)) (Remark 4.3).
    """
    p, n, c, a = sympy.symbols("p n c a", positive=True)
    h = n * p / (n * c + p)
    assert sympy.simplify(h / (c * (n - h)) - p / (n * c**2)) == 0, "(1)"
    whole = p**2 / (n * c**2) * (2 + 1 / (n + p / c))
    assert sympy.simplify((p / c - h) / n + 2 * p**2 / (n * c**2) - whole) == 0, "(2)"
    slope = sympy.diff((p / c - a) / n + 2 * p * a / (c * (n - a)), a)
    assert sympy.simplify(slope - (2 * p * n / (c * (n - a) ** 2) - 1 / n)) == 0, "(3)"
    points = [attrs.evolve(p, smallness=Fraction(1, 3 + i), floor=Fraction(1, 2 + i % 4)) for i, p in enumerate(TIGHT)]
    lighter = attrs.evolve(INSIDE, first_mass=Fraction(1, 10**8))
    assert_region(statement, [*points, attrs.evolve(INSIDE, **MASSES), lighter], region_bound)
    for n_value in (10**4, 10**6, 10**9):
        for columns_differ in (0.3, 0.5, 0.7):
            p = game(n_value, int(columns_differ * n_value), smallness=Fraction(3, 10), floor=Fraction(1, 2))
            assert statement.at(p) is Truth.TRUE
    data = from_data(orthogonal_data(40000), 0, [-1, 1, -1], smallness=Fraction(1, 4), floor=Fraction(9, 10))
    assert statement.at(data) is Truth.TRUE, "three columns"
    outside = FLOORED | GROWTH
    for point in (INSIDE, attrs.evolve(INSIDE, smallness=1, rows=217), attrs.evolve(INSIDE, **MASSES)):
        bind_hypotheses(statement, point, outside)
    still = attrs.evolve(INSIDE, second=INSIDE.first, flipped=INSIDE.row, floor=1)
    assert statement.applies(still) is Truth.TRUE, "lambda_min = c"
    low = {"lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": attrs.evolve(INSIDE, first=correlated(Fraction(51, 100)))}
    bind_hypotheses(statement, INSIDE, outside | low)
    bind_hypotheses(statement, INSIDE, outside | region_outside(INSIDE))
    assert not statement.strict


@theorem_d_2.controls(
    "+repair",
    grade="interval",
    region="the floor or the growth dropped; |X'X/m| <= 3 for 2, or 19/20 for the 1, at n = 10^8, m = 10^6",
)
def test_theorem_d_2_needs_the_floor(statement) -> None:
    floor, growth = "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c", "p <= s sqrt(n/m)"
    assert statement.without(floor).at(game(10**6, 1, smallness=Fraction(1, 10))) is Truth.FALSE
    assert statement.without(growth).at(attrs.evolve(INSIDE, smallness=Fraction(1, 1000))) is Truth.FALSE
    assert statement.at(MANY) is Truth.TRUE
    wide = redefined(statement, binary_region, "LARGEST", 3)
    assert wide.at(MANY) is Truth.FALSE
    whole = binary_loss.region_bound
    lower = redefined(statement, binary_loss, "region_bound", lambda *given: whole(*given) * fmpq(19, 20))
    assert lower.at(MANY) is Truth.FALSE


@theorem_d_2.supports(
    "plugged-in",
    grade="derived",
    region="every pair of the game: Theorem 4.6 and Proposition D.1; exact supremum at 22 pairs",
)
def test_the_display_of_theorem_d_2(statement) -> None:
    """||Delta||_F <= sqrt(2) p/n in the bound of Theorem 4.6, whose first factor then is m p^2/(sqrt(2) n l_2 l_1).

    So the terms are (1/sqrt(2)) (C sqrt(L/m) + 2/n) + 2 ||Sigma_1||^2/(n l_2 l_1) times m p^2/(n l_2 l_1), at most the
    display.
    """
    m, p, n, l1, l2, top, r = sympy.symbols("m p n l1 l2 S r", positive=True)
    change = sympy.sqrt(2) * p / n
    bound = m * p * change / (2 * l1 * l2) * (r + 2 * change * top**2 / (p * l1 * l2))
    split = m * p**2 / (n * l1 * l2) * (r / sympy.sqrt(2) + 2 * top**2 / (n * l1 * l2))
    assert sympy.simplify(bound - split) == 0
    bind_formula(statement, TIGHT, lambda p: display(p) - loss(p))
    for p in TIGHT:
        assert statement.at(p) is Truth.TRUE
    bind_hypotheses(statement, INSIDE, BASE | DELTA_MAX | DEFINITE)
    skew = attrs.evolve(INSIDE, first=sheared(1250), second=sheared(1250) - CHANGE)
    two = {"records": 2, "delta_max": 1}
    telling = {
        "the covariances are symmetric": skew,
        "Sigma_1 is positive definite": attrs.evolve(
            INSIDE, **two, first=correlated(Fraction(11, 10)), second=correlated(Fraction(1, 10))
        ),
        "Sigma_j is positive definite": attrs.evolve(
            INSIDE, **two, first=correlated(Fraction(-1, 10)), second=correlated(Fraction(-11, 10))
        ),
    }
    bind_hypotheses(statement, INSIDE, BASE | DELTA_MAX | DEFINITE | telling)
    assert statement.applies(attrs.evolve(INSIDE, **MASSES)) is Truth.TRUE
    assert not statement.strict


def kept_bound(p: GamePair) -> mpmath.mpf:
    growth, n = (real(p.smallness) / real(p.floor)) ** 2, mpmath.mpf(p.records)
    return growth * (radius(p) / mpmath.sqrt(2) + (1 + mpmath.sqrt(2)) / n) + mpmath.log(1 + 1 / (n**2 - 1))


@theorem_d_2.supports(
    "kept-display",
    grade="derived",
    region="every p, n, m and neighbour of Sigma_1 under the hypotheses: the docstring; exact supremum at 22 pairs",
)
def test_theorem_d_2_keeps_its_outputs(statement, record_property) -> None:
    """Let 1 + g be the eigenvalues of |Theta_2|^(1/2) Sigma_1 |Theta_2|^(1/2), Theta = Sigma^-1.

    A is the sum of g - ln(1 + g), and each is at most g^2/(1 + g) as ln(1 + g) >= g/(1 + g) (1); the sum of those is
    tr(Theta_2 Delta Theta_1 Delta) <= ||Delta||_F^2/c^2 <= 2 p^2/(n^2 c^2) by Proposition D.1, and A >= 0. On (12) the
    other term is at most (m/2)(C sqrt(L/m) + 2/n) p ||Gamma||_F, L = ln 2np, and ||Gamma||_F <= sqrt(2) p/(n c^2). So
    the loss is at most m p^2/(n c^2) times (C sqrt(L/m)/sqrt(2) + (1 + sqrt(2))/n) (2), and m p^2/n <= s^2.
    """
    g, m, p, n, c, r = sympy.symbols("g m p n c r", positive=True)
    gain = sympy.log(1 + g) - g / (1 + g)
    assert gain.subs(g, 0) == 0
    assert sympy.simplify(gain.diff(g) - g / (1 + g) ** 2) == 0, "(1): falls before 0 and rises after it"
    quadratic, linear = m / 2 * 2 * p**2 / (n * c) ** 2, m / 2 * (r + 2 / n) * p * sympy.sqrt(2) * p / (n * c**2)
    whole = m * p**2 / (n * c**2) * (r / sympy.sqrt(2) + (1 + sympy.sqrt(2)) / n)
    assert sympy.simplify(quadratic + linear - whole) == 0, "(2)"
    points = [attrs.evolve(p, smallness=Fraction(1, 3 + i), floor=Fraction(1, 2 + i % 4)) for i, p in enumerate(TIGHT)]
    bind_formula(statement, points, lambda p: kept_bound(p) - loss(p))
    for power in (4, 6, 9):
        for share in (0.3, 0.5, 0.7):
            near = game(10**power, int(share * 10**power), smallness=Fraction(3, 10), floor=Fraction(1, 2))
            assert statement.at(near) is Truth.TRUE
    assert statement.at(MANY) is Truth.TRUE
    losses = binary_loss.exact_loss(MANY), binary_loss.region_loss(MANY)
    theorem_d_2.tells("the loss is {} on (12) and {} on the region", *losses)
    record_property(
        "detail", f"n = 10^8, m = 10^6: {losses[0].str(2, radius=False)}, region {losses[1].str(2, radius=False)}"
    )
    outside = FLOORED | DELTA_MAX | GROWTH
    for point in (INSIDE, attrs.evolve(INSIDE, smallness=1, rows=217), attrs.evolve(INSIDE, **MASSES)):
        bind_hypotheses(statement, point, outside)
    telling = kept_outside(attrs.evolve(INSIDE, floor=Fraction(9, 10)))
    telling["p <= s sqrt(n/m)"] = attrs.evolve(INSIDE, smallness=Fraction(1, 1000))
    bind_hypotheses(statement, INSIDE, outside | telling)
    for says, point in telling.items():
        assert statement.without(says).at(point) is Truth.FALSE, says
    assert not statement.strict


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
    unchanged = attrs.evolve(data, flipped=data.row, second=data.first)
    assert entries.at(unchanged) is Truth.TRUE
    double = redefined(entries, binary_loss, "largest_entry", lambda m: 2 * largest_entry(m))
    assert double.at(points[0]) is Truth.FALSE, "1/n for 2/n"
    assert frobenius.at(game(100, 50)) is Truth.FALSE
    largest = [max(abs(x) for x in (p.first - p.second).entries()) for p in points]
    values = [(p, fmpq(2, p.records) - top) for p, top in zip(points, largest, strict=True)]
    bind(entries, [*values, (unchanged, fmpq(2, unchanged.records))])

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
