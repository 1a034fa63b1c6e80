"""`compression`: affine masking, Phi X + Z with a redraw, in two steps of Corollary 3.7."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.exact import precision, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import affine_masking
from dpmatrix.spec.compression.affine_masking import MaskedData, MaskedPair
from proofs_checks.compression.compressed_tails import chi_square_tails, least_rows
from proofs_checks.compression.covariance_pairs import spectrum

corollary_3_7 = cite("compression.corollary-3-7@0947bc57")


def masked(rows: list[list], row: list, m: int | None = None, noise=1) -> MaskedPair:
    """Replace the first row of a database; m is the least that is allowed."""
    data, neighbour = (
        fmpq_mat([[rational(x) for x in values] for values in [one, *rows[1:]]]) for one in (rows[0], row)
    )
    return MaskedPair(data, neighbour, rows=m or least_rows(len(rows), len(row)), noise=noise)


EQUAL = masked([[1, 1]] * 10**4, [1, -1], 217)
"""X_1 with equal columns, of whose Phi X nothing is private."""
HALF = Fraction(1, 2)
SOME = (
    [masked([[1, 1], [HALF, -1], [0, Fraction(1, 3)]] * 4, [-1, HALF], noise=noise) for noise in (HALF, 1, 3)]
    + [
        masked([[1, HALF, 0], [-1, 1, 1]] * 9, row, m, noise)
        for row in ([0, 0, 0], [1, HALF, 0], [-1, HALF, 1], [1, 1, 1])
        for m, noise in ((1000, 2), (10**4, Fraction(1, 4)), (500, 1))
    ]
    + [masked([[1], [HALF], [0]] * 3, [entry], m) for entry in (0, -1, HALF) for m in (200, 4000)]
)
FEW = [masked([[1, HALF]] * 3, [0, -1], m, noise) for m in (1, 3) for noise in (1, HALF)]
"""So few rows that a draw is repeated often."""
INSIDE = SOME[0]
OUTSIDE = {
    "both databases are n x p": attrs.evolve(INSIDE, neighbour=fmpq_mat([[1, 1]])),
    "at most one row differs": masked([[1, 1]] * 10**4, [1, -1]),
    "the entries of both are in [-1, 1]": masked([[1, 1]] * 30, [10**4, 1]),
    "n >= 2": masked([[1, 1]], [1, 0], 200),
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(INSIDE, rows=INSIDE.rows - 1),
    "noise > 0": attrs.evolve(INSIDE, noise=0),
}
OUTSIDE["at most one row differs"] = attrs.evolve(EQUAL, neighbour=fmpq_mat([[1, -1]] * 10**4))


def bound(p: MaskedPair) -> mpmath.mpf:
    n, size, c = mpmath.mpf(p.data.nrows()), p.data.ncols(), real(p.noise)
    return (1 + c + 1 / (2 * n)) * p.rows * size**2 / (n * c**2) + mpmath.log(1 + 1 / (n**2 - 1))


def ends(p: MaskedPair) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Compute both ends of the loss: at G = 0 and 2 (1 + c) uu', u the signs of a row of Gamma, and by its spectrum."""
    size, cap = p.data.ncols(), 2 * (1 + real(p.noise))
    first, second = (
        real_matrix(data.transpose() * data) / data.nrows() + real(p.noise) * mpmath.eye(size)
        for data in (p.data, p.neighbour)
    )
    change, half = second**-1 - first**-1, mpmath.mpf(p.rows) / 2
    constant = half * mpmath.log(mpmath.det(second) / mpmath.det(first))
    shift = -mpmath.log(1 - size * chi_square_tails(p.rows, mpmath.mpf(1)))
    attained = abs(constant)
    for row in range(size):
        signs = [1 if change[row, j] >= -(mpmath.mpf(10) ** -50) else -1 for j in range(size)]
        form = sum(change[i, j] * signs[i] * signs[j] for i in range(size) for j in range(size))
        attained = max(attained, abs(constant + half * cap * form))
    values, entries = spectrum(change), sum(abs(x) for x in change)
    above, below = (cap * half * min(entries, size * max(x, 0)) for x in (values[-1], -values[0]))
    return attained - shift, max(constant + above, below - constant, attained) + shift


@corollary_3_7.supports(
    "affine-masking",
    grade="derived",
    region="every p, n, c, m >= 2 (C_1 + C_2) ln 2np and neighbours in [-1, 1]: the docstring; both ends at 26 pairs",
)
def test_affine_masking_is_private_for_all_data(statement) -> None:
    """The rows of Y are N(0, S), S = X'X/n + c I >= c I, and S - T = (xx' - yy')/n with |x|^2, |y|^2 <= p.

    The proof of Theorem D.2 as repaired, with 2 (1 + c) for the cap 2: let a = x'S^-1 x <= p/c. k = ln|T|/|S| <= (p/c -
    a)/n, tr G <= 2 (1 + c) p =: L, and l, the largest eigenvalue of Gamma or 0, is at most p/(n c^2) and, for a < n, at
    most a/(c (n - a)); both are one number at h = n p/(n c + p) < n (1). For a >= h that gives k + L l <= (p/c - h)/n +
    L p/(n c^2) (2); for a < h (p/c - a)/n + L a/(c (n - a)), which rises with a as L > c (3), and is the same at h. So
    k + L l <= (2 (1 + c) + 1/n) p^2/(n c^2), -k + ... with S and T exchanged, and m/2 times that is the bound. An entry
    of column j of Y has a variance of at most 1 + c, so |Y_j|^2 > 2 (1 + c) m has a probability of at most Pr(chi^2_m >
    2m) <= exp(-m (1 - ln 2)/2) (4), p times that is at most p (2np)^(-3) <= 1/n^2 for m >= 20 ln 2np (5), so that
    renormalisation adds at most ln(1 + 1/(n^2 - 1)), and a draw is kept in the end. With m <= K p^2 ln 2np, p <= s
    (n/ln n)^(1/4) and p <= n also m p^2/n <= 3 K s^4, as in the repair.
    """
    p, n, c, a, t = sympy.symbols("p n c a t", positive=True)
    h, cap = n * p / (n * c + p), 2 * (1 + c) * p
    assert sympy.simplify(h / (c * (n - h)) - p / (n * c**2)) == 0, "(1)"
    whole = p**2 / (n * c**2) * (2 * (1 + c) + 1 / (n + p / c))
    assert sympy.simplify((p / c - h) / n + cap * p / (n * c**2) - whole) == 0, "(2)"
    slope = sympy.diff((p / c - a) / n + cap * a / (c * (n - a)), a)
    assert sympy.simplify(slope - (cap * n / (c * (n - a) ** 2) - 1 / n)) == 0, "(3): at least (L/c - 1)/n"
    exponent = -2 * t - sympy.log(1 - 2 * t) / 2
    assert sympy.solve(exponent.diff(t), t) == [sympy.Rational(1, 4)]
    assert sympy.simplify(exponent.subs(t, sympy.Rational(1, 4)) + (1 - sympy.log(2)) / 2) == 0, "(4): Chernoff"
    assert 20 * (1 - arb(2).log()) / 2 > 3, "(5)"
    with mpmath.workdps(60), precision(300):
        for point in [*SOME, *FEW]:
            low, high = ends(point)
            margin = statement.formula(point)
            for end, value in ((margin.upper(), low), (margin.lower(), high)):
                assert abs(end - arb(mpmath.nstr(bound(point) - value, 40))) < arb(2) ** -26 * max(1, int(high))
    for point in [*SOME, EQUAL]:
        assert statement.at(point) is Truth.TRUE
    most, reached = affine_masking.masked_bound(EQUAL), affine_masking.masked_loss(EQUAL)
    corollary_3_7.tells("alpha is at most {}, and the equal columns above reach {}", most, reached)
    for point in (INSIDE, attrs.evolve(INSIDE, rows=1000), masked([[1, 1]] * 2, [0, 0], noise=9)):
        outside = OUTSIDE | {"m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(point, rows=1)}
        bind_hypotheses(statement, point, outside)
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    taller = attrs.evolve(INSIDE, neighbour=fmpq_mat([[1, 1]] * 40))
    longer = attrs.evolve(INSIDE, neighbour=fmpq_mat([[1, 1, 1]] * 12))
    wide = masked([[1, 1]] * 12, [1, Fraction(101, 100)])
    shape, entries = "both databases are n x p", "the entries of both are in [-1, 1]"
    for says, point in ((shape, taller), (shape, longer), (entries, wide)):
        bind_hypotheses(statement, INSIDE, OUTSIDE | {says: point})
    swapped = attrs.evolve(wide, data=wide.neighbour, neighbour=wide.data)
    bind_hypotheses(statement, INSIDE, OUTSIDE | {entries: swapped})
    assert not statement.strict


@corollary_3_7.controls(
    "affine-masking",
    grade="interval",
    region="two rows or more, or long rows; the cap 4 (1 + c) for 2 (1 + c), equal columns, n = 10^4",
)
def test_affine_masking_needs_its_hypotheses(statement) -> None:
    for says in ("at most one row differs", "the entries of both are in [-1, 1]"):
        assert statement.without(says).at(OUTSIDE[says]) is Truth.FALSE, says
    assert statement.at(EQUAL) is Truth.TRUE
    whole = affine_masking.capped_loss
    wide = redefined(statement, affine_masking, "capped_loss", lambda pair, cap: whole(pair, 2 * cap))
    assert wide.at(EQUAL) is Truth.FALSE


DATA = [
    MaskedData(p.data, rows, noise)
    for p in (SOME[0], SOME[5], SOME[-1])
    for rows in (1, 7, 60)
    for noise in (0, HALF, 5)
]


@corollary_3_7.supports(
    "masked-components",
    grade="derived",
    region="every n, p, m, c >= 0 and data in [-1, 1]: the docstring; exact at 27 points",
)
def test_masked_components(statement) -> None:
    """For a Gaussian row u of covariance S Var(u_j u_k) = S_jk^2 + S_jj S_kk (Theorem 5.1, scaled).

    So E ||Y'Y/m - S||_F^2 = (||S||_F^2 + (tr S)^2)/m, and ||S||_F <= tr S <= p (1 + c), as S is semidefinite.
    """
    values = []
    for p in DATA:
        size, n = p.data.ncols(), p.data.nrows()
        rows = [[Fraction(int(x.p), int(x.q)) for x in row] for row in p.data.tolist()]
        noise = Fraction(p.noise)
        covariance = [
            [sum(row[j] * row[k] for row in rows) / n + (noise if j == k else 0) for k in range(size)]
            for j in range(size)
        ]
        variances = sum(
            covariance[j][k] ** 2 + covariance[j][j] * covariance[k][k] for j in range(size) for k in range(size)
        )
        values.append((p, 2 * (1 + noise) ** 2 * size**2 / p.rows - variances / p.rows))
        assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    one = MaskedData(fmpq_mat([[1], [-1]]), 3, 0)
    assert statement.formula(one) == 0, "equality for one column of signs"
    outside = {
        "the entries of X are in [-1, 1]": attrs.evolve(one, data=fmpq_mat([[1], [2]])),
        "rows >= 1, an integer": attrs.evolve(one, rows=0),
        "noise >= 0": attrs.evolve(one, noise=Fraction(-5, 2)),
    }
    for point in (one, DATA[-1], attrs.evolve(one, rows=1)):
        bind_hypotheses(statement, point, outside)
    assert not statement.strict


@corollary_3_7.controls(
    "masked-components",
    grade="interval",
    region="one column of signs: 19/10 for 2; an entry of 2; one column of zeros with c = -3/2",
)
def test_masked_components_need_their_factor(statement) -> None:
    one = MaskedData(fmpq_mat([[1], [-1]]), 3, 0)
    lower = statement.nudged(margin=lambda p: statement.formula(p) - arb(1) / (10 * p.rows))
    assert lower.at(one) is Truth.FALSE
    long = attrs.evolve(one, data=fmpq_mat([[1], [2]]))
    assert statement.without("the entries of X are in [-1, 1]").at(long) is Truth.FALSE
    minus = MaskedData(fmpq_mat([[0], [0]]), 3, Fraction(-3, 2))
    assert statement.without("noise >= 0").at(minus) is Truth.FALSE
