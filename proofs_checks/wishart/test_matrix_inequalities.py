"""Von Neumann's trace inequality, singular values of sums, and Weyl's inequality, each proved for every dimension.

Each item carries the derivation in its docstring, checks its algebra exactly, and binds it to the statement's margin by
formulas that are written here anew and evaluated with mpmath at 60 digits.
"""

from __future__ import annotations

import itertools
import random

import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import ranked, singular_values, trace
from dpmatrix.spec.wishart.matrix_inequalities import (
    HermitianPair,
    IndexedMatrixPair,
    MatrixPair,
    hermitian_eigenvalues,
)
from proofs_checks.exact_matrices import cayley, diagonal

trace_inequality = cite("wishart.trace-inequality@66648130")
singular_value_inequality = cite("wishart.singular-value-inequality@3f01c6e5")
lemma_4 = cite("wishart.lemma-4@64eed5f9")

ENTRIES = random.Random(20160212)


def rational_matrix(rows: int, columns: int) -> fmpq_mat:
    """Draw a matrix of small rationals."""
    numbers = [fmpq(ENTRIES.randint(-9, 9), ENTRIES.randint(1, 5)) for _ in range(rows * columns)]
    return fmpq_mat(rows, columns, numbers)


def orthogonal(order: int) -> fmpq_mat:
    return cayley(rational_matrix(order, order))


def mp_singular(matrix: fmpq_mat) -> list[mpmath.mpf]:
    return sorted(mpmath.svd_r(real_matrix(matrix), compute_uv=False), reverse=True)


ONE = fmpq_mat([[1, 0], [0, 1]])
WIDE = fmpq_mat([[1, 0, 0], [0, 1, 0]])
SQUARE = "A and B are d x d"
HERMITIAN = "H and P are Hermitian d x d matrices"
FIRST, SECOND = fmpq_mat([[1, 0], [0, 0]]), fmpq_mat([[0, 0], [0, 1]])


@trace_inequality.supports(
    grade="derived", region="every d by the docstring's derivation; its identities machine-checked for d <= 5"
)
def test_trace_inequality(statement) -> None:
    """Derivation, for every d.

    A = U S V' and B = X T Y' with S = diag(sigma_j), T = diag(tau_k). Then tr(AB) = sum_jk sigma_j tau_k P_jk Q_kj with
    the orthogonal P = V'X and Q = Y'U (1). By 2|pq| <= p^2 + q^2, |tr(AB)| <= sum_jk D_jk sigma_j tau_k with
    D_jk = (P_jk^2 + Q_kj^2)/2 >= 0, whose rows and columns have sum 1 (2). With s_i = sigma_i - sigma_{i+1} >= 0 and
    t_l = tau_l - tau_{l+1} >= 0 (0 beyond d), sum D_jk sigma_j tau_k = sum_il s_i t_l D(i, l), where D(i, l) is the
    sum of the leading i x l block (3); sum_i sigma_i tau_i is the same with min(i, l) in place of D(i, l) (4). A
    block of i rows of sum 1 and l columns of sum 1 with entries >= 0 has sum at most min(i, l) (5). All s_i t_l >= 0,
    hence the claim.
    """
    for d in range(1, 6):
        s, t = sympy.symbols(f"s1:{d + 1}"), sympy.symbols(f"t1:{d + 1}")
        sigma = [sum(s[i:]) for i in range(d)]
        tau = [sum(t[k:]) for k in range(d)]
        block = sympy.Matrix(d, d, lambda j, k: sympy.Symbol(f"D{j}_{k}"))
        left = sum(block[j, k] * sigma[j] * tau[k] for j in range(d) for k in range(d))
        right = sum(s[i] * t[l] * sum(block[: i + 1, : l + 1]) for i in range(d) for l in range(d))
        assert sympy.expand(left - right) == 0, "(3)"
        paired = sum(x * y for x, y in zip(sigma, tau, strict=True))
        least = sum(s[i] * t[l] * min(i + 1, l + 1) for i in range(d) for l in range(d))
        assert sympy.expand(paired - least) == 0, "(4)"
        row_complement = [sum(block[j, l] for l in range(d)) for j in range(d)]
        for i, l in itertools.product(range(d), repeat=2):
            rest = sum(block[: i + 1, l + 1 :]) if l + 1 < d else 0
            assert sympy.expand(sum(row_complement[: i + 1]) - sum(block[: i + 1, : l + 1]) - rest) == 0, "(5), by rows"
    p, q = sympy.symbols("p q", real=True)
    assert sympy.factor(p**2 + q**2 - 2 * p * q) == (p - q) ** 2, "(2)"
    points = []
    for number in range(24):
        d = 1 + number % 4
        u, v, x, y = (orthogonal(d) for _ in range(4))
        left = diagonal(sorted((fmpq(ENTRIES.randint(0, 9), 4) for _ in range(d)), reverse=True))
        right = diagonal(sorted((fmpq(ENTRIES.randint(0, 9), 7) for _ in range(d)), reverse=True))
        first, second = u * left * v.transpose(), x * right * y.transpose()
        rotation, other = v.transpose() * x, y.transpose() * u
        product = first * second
        assert sum(product[i, i] for i in range(d)) == sum(
            left[j, j] * right[k, k] * rotation[j, k] * other[k, j] for j in range(d) for k in range(d)
        ), "(1)"
        means = [[(rotation[j, k] ** 2 + other[k, j] ** 2) / 2 for k in range(d)] for j in range(d)]
        assert all(sum(row) == 1 for row in means), "(2), rows"
        assert all(sum(row[k] for row in means) == 1 for k in range(d)), "(2), columns"
        points.append(
            MatrixPair(first, second) if number % 3 else MatrixPair(rational_matrix(d, d), rational_matrix(d, d))
        )
    with mpmath.workdps(60):
        values = []
        for point in points:
            product = real_matrix(point.first) * real_matrix(point.second)
            trace = sum(product[i, i] for i in range(product.rows))
            paired = sum(x * y for x, y in zip(mp_singular(point.first), mp_singular(point.second), strict=True))
            values.append((point, paired - abs(trace)))
        bind(statement, values)
    bind_hypotheses(statement, MatrixPair(ONE, ONE), {SQUARE: MatrixPair(ONE, WIDE)})
    for pair in (MatrixPair(WIDE, ONE), MatrixPair(ONE, WIDE.transpose()), MatrixPair(WIDE, WIDE.transpose())):
        assert statement.applies(pair) is Truth.FALSE


def reversed_pairs_margin(p: MatrixPair) -> arb:
    """Pair the largest singular value of A with the smallest one of B."""
    pairs = zip(singular_values(p.first), singular_values(p.second)[::-1], strict=True)
    return sum((left * right for left, right in pairs), arb(0)) - abs(arb(trace(p.first * p.second)))


@trace_inequality.controls(grade="interval", region="A = B = diag(1, 0): the pairs of singular values reversed")
def test_trace_inequality_needs_its_order(statement) -> None:
    assert statement.margin(MatrixPair(ONE, ONE)).contains(0), "the two sides are equal"
    assert statement.at(MatrixPair(FIRST, FIRST)) is Truth.TRUE
    assert statement.nudged(margin=reversed_pairs_margin).at(MatrixPair(FIRST, FIRST)) is Truth.FALSE


def kernel(functionals: fmpq_mat) -> fmpq_mat | None:
    """One non-zero vector on which all functionals (rows) vanish, or None."""
    numerators, _ = functionals.numer_denom()
    basis, nullity = numerators.nullspace()
    return fmpq_mat(basis.nrows(), 1, [basis[i, 0] for i in range(basis.nrows())]) if nullity else None


def rows(matrix: fmpq_mat, chosen: range) -> list[list[fmpq]]:
    return [matrix.tolist()[i] for i in chosen]


def norm(vector: fmpq_mat) -> arb:
    return arb(sum(x * x for x in vector.entries())).sqrt()


@singular_value_inequality.supports(
    grade="derived",
    region="every d, i, j with i + j - 1 <= d by the docstring's derivation; its dimension count machine-checked",
)
def test_singular_value_inequality(statement) -> None:
    """Derivation, for every d.

    By the min-max principle sigma_m(M) is the largest c such that some m-dimensional S has |Mu| >= c|u| on it. Let S
    have dimension m = i + j - 1. The first i - 1 right singular vectors of A and the first j - 1 of B cut out of S a
    subspace of dimension at least m - (i - 1) - (j - 1) = 1 (1). For u in it, |Au|^2 = sum_{l >= i} sigma_l(A)^2
    <v_l, u>^2 <= sigma_i(A)^2 |u|^2 (2), likewise |Bu| <= sigma_j(B) |u|, so |(A + B)u| <= (sigma_i(A) + sigma_j(B))
    |u|, whatever S is.
    """
    i, j = sympy.symbols("i j", integer=True)
    assert sympy.expand((i + j - 1) - (i - 1) - (j - 1)) == 1, "(1)"
    points = []
    for d in (2, 3, 4):
        for i, j in itertools.product(range(1, d + 1), repeat=2):
            if i + j - 1 > d:
                continue
            v, y = orthogonal(d), orthogonal(d)
            sigma = sorted((fmpq(ENTRIES.randint(0, 9), 3) for _ in range(d)), reverse=True)
            tau = sorted((fmpq(ENTRIES.randint(0, 9), 5) for _ in range(d)), reverse=True)
            first, second = (
                orthogonal(d) * diagonal(sigma) * v.transpose(),
                orthogonal(d) * diagonal(tau) * y.transpose(),
            )
            outside = rational_matrix(d - (i + j - 1), d).tolist() if i + j - 1 < d else []
            cut = [*outside, *rows(v.transpose(), range(i - 1)), *rows(y.transpose(), range(j - 1))]
            u = kernel(fmpq_mat(cut)) if cut else fmpq_mat(d, 1, [1] * d)
            assert u is not None, "(1)"
            coordinates = v.transpose() * u
            assert all(coordinates[l, 0] == 0 for l in range(i - 1))
            slack = sum((sigma[i - 1] ** 2 - sigma[l] ** 2) * coordinates[l, 0] ** 2 for l in range(i - 1, d))
            assert slack >= 0, "(2)"
            assert arb(slack).overlaps(arb(sigma[i - 1]) ** 2 * norm(u) ** 2 - norm(first * u) ** 2), "(2)"
            assert not norm((first + second) * u) > (arb(sigma[i - 1]) + arb(tau[j - 1])) * norm(u)
            points.append(IndexedMatrixPair(first, second, i, j))
    points += [IndexedMatrixPair(rational_matrix(4, 4), rational_matrix(4, 4), i, 4 - i) for i in (1, 2, 3)]
    with mpmath.workdps(60):
        values = [
            (
                p,
                mp_singular(p.first)[p.i - 1]
                + mp_singular(p.second)[p.j - 1]
                - mp_singular(p.first + p.second)[p.i + p.j - 2],
            )
            for p in points
        ]
        bind(statement, values)
    outside = {
        SQUARE: IndexedMatrixPair(ONE, WIDE, 1, 1),
        "i >= 1, an integer": IndexedMatrixPair(ONE, ONE, 0, 2),
        "j >= 1, an integer": IndexedMatrixPair(ONE, ONE, 2, 0),
        "i + j - 1 <= d": IndexedMatrixPair(ONE, ONE, 2, 2),
    }
    bind_hypotheses(statement, IndexedMatrixPair(ONE, ONE, 1, 2), outside)
    bind_hypotheses(statement, IndexedMatrixPair(ONE, ONE, 1, 1), outside)


def unshifted_margin(p: IndexedMatrixPair) -> arb:
    """Compare with sigma_{i+j-2} instead: one index too far."""
    largest = ranked(singular_values(p.first), p.i) + ranked(singular_values(p.second), p.j)
    return largest - ranked(singular_values(p.first + p.second), p.i + p.j - 2)


@singular_value_inequality.controls(grade="interval", region="diag(1, 0) and diag(0, 1)")
def test_singular_value_inequality_needs_its_shift(statement) -> None:
    """Both sides are 1 for i = 1, j = 2; one index less on the left fails for i = j = 2 in dimension 3."""
    tight = IndexedMatrixPair(FIRST, SECOND, 1, 2)
    assert statement.at(tight) is Truth.TRUE
    assert statement.margin(tight).contains(0)
    wide = IndexedMatrixPair(diagonal([1, 0, 0]), diagonal([0, 1, 0]), 2, 2)
    assert statement.at(wide) is Truth.TRUE
    assert statement.nudged(margin=unshifted_margin).at(wide) is Truth.FALSE


def symmetric(order: int) -> fmpq_mat:
    drawn = rational_matrix(order, order)
    return drawn + drawn.transpose()


def antisymmetric(order: int) -> fmpq_mat:
    drawn = rational_matrix(order, order)
    return drawn - drawn.transpose()


def mp_hermitian(real: fmpq_mat, imaginary: fmpq_mat) -> list[mpmath.mpf]:
    eigenvalues = mpmath.eighe(real_matrix(real) + mpmath.mpc(0, 1) * real_matrix(imaginary), eigvals_only=True)
    return sorted(eigenvalues, reverse=True)


@lemma_4.supports_repair(
    grade="derived",
    region="every d and i in [d] by the docstring's derivation; dimension count machine-checked for every d",
)
def test_weyl(statement) -> None:
    """Derivation, for every d and Hermitian H, P.

    The span of the top i eigenvectors of M = H + P and that of the last d - i + 1 eigenvectors of H have dimensions
    with sum d + 1, so they share a unit vector u (1). On the first u*Mu >= mu_i, on the second u*Hu <= nu_i, because
    a weighted mean of numbers is at least the smallest and at most the largest (2); u*Pu <= rho_1. So mu_i <= u*Mu =
    u*Hu + u*Pu <= nu_i + rho_1. With H = M + (-P), whose perturbation has largest eigenvalue -rho_d, the same reads
    nu_i <= mu_i - rho_d (3).
    """
    i, d = sympy.symbols("i d", integer=True)
    assert sympy.expand(i + (d - i + 1) - d) == 1, "(1)"
    weights, values = sympy.symbols("c1:4", nonnegative=True), sympy.symbols("x1:4", nonnegative=True)
    mean_excess = sum(c * sum(values[: k + 1]) for k, c in enumerate(weights)) - sum(weights) * values[0]
    assert all(coefficient > 0 for coefficient in sympy.Poly(mean_excess, *weights, *values).coeffs()), "(2)"
    points = []
    for number in range(24):
        order = 1 + number % 4
        real, imaginary = symmetric(order), antisymmetric(order)
        points.append(HermitianPair(real, imaginary, symmetric(order), antisymmetric(order), 1 + number % order, 9))
    with mpmath.workdps(60):
        bound = []
        for p in points:
            mu = mp_hermitian(p.first + p.second, p.first_imaginary + p.second_imaginary)[p.i - 1]
            nu = mp_hermitian(p.first, p.first_imaginary)[p.i - 1]
            rho = mp_hermitian(p.second, p.second_imaginary)
            minus = mp_hermitian(-p.second, -p.second_imaginary)
            assert abs(minus[0] + rho[-1]) < mpmath.mpf(10) ** -50, "(3)"
            bound.append((p, min(mu - nu - rho[-1], nu + rho[0] - mu)))
        bind(statement, bound)
    assert all(statement.at(p) is Truth.TRUE for p in points if p.first.nrows() > 1)


def second_eigenvalue_margin(p: HermitianPair) -> arb:
    """Compare with nu_i + rho_2."""
    mu, nu, rho = (
        hermitian_eigenvalues(*parts)
        for parts in (
            (p.first + p.second, p.first_imaginary + p.second_imaginary),
            (p.first, p.first_imaginary),
            (p.second, p.second_imaginary),
        )
    )
    return nu[p.i - 1] + rho[1] - mu[p.i - 1]


@lemma_4.controls("+repair", grade="interval", region="H = 0, P = diag(1, 0): nu_i + rho_2 in place of nu_i + rho_1")
def test_weyl_fails_with_less_or_outside_its_hypotheses(statement) -> None:
    zero = fmpq_mat(2, 2)
    tight = HermitianPair(FIRST, zero, ONE, zero, 2, 1)
    assert statement.at(tight) is Truth.TRUE
    assert statement.margin(tight).contains(0)
    single = HermitianPair(zero, zero, FIRST, zero, 1, 1)
    assert statement.at(single) is Truth.TRUE
    assert statement.nudged(margin=second_eigenvalue_margin).at(single) is Truth.FALSE
    lopsided, turn = fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[0, 1], [-1, 0]])
    outside = {
        HERMITIAN: HermitianPair(lopsided, zero, ONE, zero, 1, 9),
        "i >= 1, an integer": HermitianPair(ONE, zero, ONE, zero, 0, 9),
        "i <= d": HermitianPair(ONE, zero, ONE, zero, 3, 9),
    }
    bind_hypotheses(statement, HermitianPair(ONE, turn, ONE, turn, 2, 9), outside)
    big = fmpq_mat(3, 3)
    for parts in ((ONE, ONE, ONE, zero), (ONE, zero, lopsided, zero), (ONE, zero, ONE, ONE), (ONE, zero, big, big)):
        assert statement.applies(HermitianPair(*parts, 1, 9)) is Truth.FALSE


@lemma_4.refutes(grade="symbolic", region="d = 1, n = 2, i = 2: no second eigenvalue")
def test_the_printed_range_leaves_the_spectrum(statement) -> None:
    """The repair has the same margin: where the eigenvalue exists the printed range changes nothing."""
    one, zero = fmpq_mat([[1]]), fmpq_mat(1, 1)
    beyond = HermitianPair(one, zero, one, zero, 2, 2)
    assert statement.at(beyond) is Truth.FALSE
    assert statement.at(HermitianPair(FIRST, fmpq_mat(2, 2), ONE, fmpq_mat(2, 2), 2, 2)) is Truth.TRUE
    outside = {
        HERMITIAN: HermitianPair(fmpq_mat([[0, 1], [0, 0]]), fmpq_mat(2, 2), ONE, fmpq_mat(2, 2), 1, 9),
        "i >= 1, an integer": HermitianPair(one, zero, one, zero, 0, 2),
        "i <= n": HermitianPair(one, zero, one, zero, 3, 2),
    }
    bind_hypotheses(statement, beyond, outside)
    margins = []
    for number in range(20):
        order = 2 + number % 3
        size = fmpq(number + 1, 7)
        plain = fmpq_mat([[size if i == j else 0 for j in range(order)] for i in range(order)])
        blank = fmpq_mat(order, order)
        margins.append((HermitianPair(symmetric(order), blank, plain, blank, 1 + number % order, 9), 0))
    bind(statement, margins)
    apart = HermitianPair(diagonal([3, 0]), fmpq_mat(2, 2), diagonal([0, 6]), fmpq_mat(2, 2), 1, 1)
    assert statement.margin(apart) == 3, "mu = 6, 0; nu = 3, 0; rho = 6, 0"
