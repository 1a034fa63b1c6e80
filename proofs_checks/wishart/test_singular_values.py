"""`wishart.singular-value-inequality`: what section 2 says of singular values."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.singular_values import LowRankRival, SingularValues, Stretch
from proofs_checks.exact_matrices import diagonal, rotation

inequality = cite("wishart.singular-value-inequality@3f01c6e5")

DRAWS = random.Random(20160214)
SPECTRA = ((3,), (2, 0), (Fraction(7, 2), 1), (5, 2, 2), (4, Fraction(1, 3), 0), (1, 1, 1), (6, 3, 2, 0))
ONE = fmpq_mat([[1, 0], [0, 1]])
TURNED = fmpq_mat([[0, -1], [1, 0]])
PLAIN = SingularValues(ONE, (2, 1), ONE)
FRAMES, ORDER = "the columns of U and of V are orthonormal", "sigma_1 >= ... >= sigma_n >= 0"


def drawn(rows: int, columns: int) -> fmpq_mat:
    return fmpq_mat(rows, columns, [fmpq(DRAWS.randint(-6, 6), DRAWS.randint(1, 4)) for _ in range(rows * columns)])


def decompositions() -> list[SingularValues]:
    """Square and tall matrices of order up to 4, with ties, zeros and full rank."""
    found = []
    for values in SPECTRA:
        for more in (0, 1, 2):
            tall = rotation(DRAWS, len(values) + more, 4).tolist()
            left = fmpq_mat([row[: len(values)] for row in tall])
            found.append(SingularValues(left, values, rotation(DRAWS, len(values), 5)))
    return found


def product(p: SingularValues) -> fmpq_mat:
    """Sum of the sigma_i u_i v_i', entry by entry."""
    n, m = len(p.values), p.left.nrows()
    values = [rational(value) for value in p.values]
    places = [(i, j) for i in range(m) for j in range(n)]
    terms = [sum((values[t] * p.left[i, t] * p.right[j, t] for t in range(n)), fmpq(0)) for i, j in places]
    return fmpq_mat(m, n, terms)


def frames(point: SingularValues) -> list[SingularValues]:
    """Points at which a frame is not orthonormal, or has another number of columns."""
    left, right = point.left, point.right
    wide = fmpq_mat([[1, 0, 0], [0, 1, 0]])
    changes = ({"left": 2 * left}, {"right": 2 * right}, {"left": wide}, {"right": wide}, {"right": wide.transpose()})
    return [attrs.evolve(point, **change) for change in changes]


def check_hypotheses(statement, inside: SingularValues, more: dict[str, SingularValues]) -> None:
    for point in frames(inside):
        bind_hypotheses(statement, inside, {FRAMES: point} | more)


@inequality.supports("rank", grade="derived", region="every U, S and V, by the docstring; 21 decompositions exactly")
def test_the_rank_is_the_number_of_singular_values(statement) -> None:
    """U'ZV = S and Z = USV': neither has a larger rank than the other; S has as many as it has nonzero values."""
    points = decompositions()
    for p in points:
        assert statement.at(p) is Truth.TRUE
        assert product(p).rank() == sum(value != 0 for value in p.values)
    bind(statement, [(p, 0) for p in points])
    check_hypotheses(statement, PLAIN, {})
    empty = attrs.evolve(PLAIN, left=fmpq_mat(2, 2))
    assert statement.margin(empty) == -2, "0 in place of 2"
    assert statement.without(FRAMES).at(empty) is Truth.FALSE


@inequality.supports(
    "frobenius-norm", grade="derived", region="every U, S and V, by the docstring; 21 decompositions exactly"
)
@inequality.supports(
    "largest-stretch", grade="derived", region="every U, S, V and x, by the docstring; 42 vectors exactly"
)
def test_the_norms_by_singular_values(statements) -> None:
    """The trace of Z'Z = V S^2 V' is that of S^2; |Zx|^2 = sum sigma_i^2 (v_i'x)^2 <= sigma_1^2 |x|^2, equal at v_1."""
    norm, stretch = (
        statements[f"wishart.singular-value-inequality/{x}"] for x in ("frobenius-norm", "largest-stretch")
    )
    vectors = []
    for p in decompositions():
        entries = sum((entry * entry for entry in product(p).entries()), fmpq(0))
        assert entries == sum((rational(value) ** 2 for value in p.values), fmpq(0))
        assert norm.at(p) is Truth.TRUE
        for vector in (drawn(len(p.values), 1), drawn(len(p.values), 1)):
            point = Stretch(p.left, p.values, p.right, vector)
            assert stretch.at(point) is Truth.TRUE
            vectors.append((point, 0))
    bind(norm, [(p, 0) for p in decompositions()])
    bind(stretch, vectors)
    check_hypotheses(norm, PLAIN, {})
    assert norm.margin(attrs.evolve(PLAIN, left=2 * ONE)) == -15, "20 against 5"
    inside = Stretch(ONE, (2, 1), ONE, fmpq_mat([[3], [1]]))
    unordered = attrs.evolve(inside, values=(1, 2))
    check_hypotheses(stretch, inside, {ORDER: unordered})
    check_hypotheses(stretch, inside, {ORDER: attrs.evolve(inside, values=(1, Fraction(-1, 99)))})
    assert stretch.without(ORDER).margin(unordered) == -3, "10 against 9 + 4"
    assert stretch.without(ORDER).at(unordered) is Truth.FALSE
    longer = attrs.evolve(inside, left=2 * ONE, vector=fmpq_mat([[0], [1]]))
    assert stretch.margin(longer) == -12, "|Zv_1|^2 = 16 is not 4"


def rivals() -> list[LowRankRival]:
    found = []
    for p in decompositions():
        n, m = len(p.values), p.left.nrows()
        for k in range(1, n + 1):
            for _ in range(2):
                rival = product(p) * fmpq(4, 5) if k == n else drawn(m, k) * drawn(k, n)
                found.append(LowRankRival(p.left, p.values, p.right, k, rival))
    return found


def advantage(p: LowRankRival) -> mpmath.mpf:
    tail = [real(value) for value in (*p.values, 0)][p.rank :]
    distance = real_matrix(product(p) - p.rival)
    frobenius = sum(x**2 for x in distance) - sum(value**2 for value in tail)
    return min(frobenius, max(mpmath.svd_r(distance, compute_uv=False)) - tail[0])


@inequality.supports(
    "best-approximation",
    grade="derived",
    region="every Z, k and B, by the docstring; its sum with symbols for n <= 5, 108 rivals",
)
@inequality.controls("best-approximation", grade="symbolic", region="Z = diag(2, 1): a rival of rank 2 for k = 1")
def test_the_cut_decomposition_is_nearest(statement) -> None:
    """Derivation, for every B of rank at most k; Q is the projection onto the span of its rows, so that B = BQ.

    Frobenius: |Z - B|^2 = |(Z - B)Q|^2 + |Z(1 - Q)|^2 >= sum sigma_i^2 (1 - m_i), where m_i = v_i'Qv_i is in [0, 1] and
    sum m_i <= k; that is sum_{i>k} sigma_i^2 + sum_{i<=k} (sigma_i^2 - s)(1 - m_i) + sum_{i>k} (s - sigma_i^2) m_i +
    s (k - sum m_i) with s = sigma_k^2, and no term is negative (1). Spectral: the kernel of B has dimension n - k at
    least and meets the span of v_1, ..., v_{k+1} in a unit vector u; |(Z - B)u| = |Zu| >= sigma_{k+1}. Z - Z_k has the
    singular values from k + 1 on, so that it attains both.
    """
    for n in range(1, 6):
        for k in range(1, n + 1):
            squares, mass = sympy.symbols(f"q1:{n + 1}"), sympy.symbols(f"m1:{n + 1}")
            s = squares[k - 1]
            rest = sum((squares[i] - s) * (1 - mass[i]) for i in range(k))
            rest += sum((s - squares[i]) * mass[i] for i in range(k, n)) + s * (k - sum(mass))
            kept = sum(q * (1 - m) for q, m in zip(squares, mass, strict=True))
            assert sympy.expand(kept - sum(squares[k:]) - rest) == 0, "(1)"
    points = rivals()
    bind_formula(statement, points, advantage)
    for p in points:
        assert statement.at(p) is Truth.TRUE
    nearest = LowRankRival(ONE, (3, 1), ONE, 1, diagonal([3, 0]))
    assert statement.conclusion(nearest) is not Truth.FALSE, "Z_k itself"
    inside = LowRankRival(ONE, (2, 1), ONE, 1, diagonal([1, 0]))
    too_good = attrs.evolve(inside, rival=diagonal([2, Fraction(1, 2)]))
    short = "B has rank k at most"
    more = {
        ORDER: attrs.evolve(inside, values=(1, 2)),
        "rank >= 1, an integer": attrs.evolve(inside, rank=0),
        "k <= n": attrs.evolve(inside, rank=3),
        short: too_good,
    }
    check_hypotheses(statement, inside, more)
    assert statement.applies(attrs.evolve(inside, rank=2)) is Truth.TRUE, "k = n"
    assert statement.without(short).at(too_good) is Truth.FALSE
    assert statement.without(ORDER).at(LowRankRival(ONE, (1, 2), ONE, 1, diagonal([0, 2]))) is Truth.FALSE
    far = LowRankRival(ONE, (5, 1), ONE, 1, diagonal([5, 0]) + fmpq_mat([[0, fmpq(1, 2)], [0, 0]]))
    assert statement.margin(far) > arb(1) / 10
    small = LowRankRival(ONE, (Fraction(1, 4), Fraction(1, 8)), ONE, 1, fmpq_mat(2, 2))
    assert statement.margin(small) == arb(1) / 16, "5/64 against 1/64, and 1/4 against 1/8"


@inequality.supports(
    "semidefinite",
    grade="derived",
    region="every A >= 0 and each of its decompositions, by the docstring; 21 of them exactly",
)
def test_a_decomposition_of_a_semidefinite_matrix_is_spectral(statement) -> None:
    """A^2 = A'A = V S^2 V' = (V S V')^2, and a semidefinite matrix has one semidefinite root: A = V S V'."""
    points = []
    for values in SPECTRA:
        for _ in range(3):
            frame = rotation(DRAWS, len(values), 5)
            signs = diagonal([1 if value else -1 for value in values])
            points.append(SingularValues(frame * signs, values, frame))
    for p in points:
        assert statement.at(p) is Truth.TRUE
        assert product(p) == p.right * diagonal(p.values) * p.right.transpose()
    bind(statement, [(p, 0) for p in points])
    symmetric, semidefinite = "A is symmetric", "A is positive semidefinite"
    turned, negative = SingularValues(fmpq_mat([[4, -3], [3, 4]]) / 5, (1, 1), ONE), SingularValues(-ONE, (2, 1), ONE)
    swapped = SingularValues(diagonal([1, -1]), (2, -1), ONE)
    check_hypotheses(statement, PLAIN, {ORDER: swapped, symmetric: turned, semidefinite: negative})
    for says, point in ((ORDER, swapped), (symmetric, turned), (semidefinite, negative)):
        assert statement.without(says).at(point) is Truth.FALSE
    assert statement.margin(negative) == -6
    tall = SingularValues(fmpq_mat([[1, 0], [0, 1], [0, 0]]), (2, 1), ONE)
    assert [one.at(tall) for one in statement.given if one.says == symmetric] == [Truth.FALSE]
    assert statement.applies(SingularValues(TURNED, (0, 0), ONE)) is Truth.TRUE, "A = 0"
