"""The Davis-Kahan theorem and the property of projectors: with sqrt(k) it fails, with sqrt(2k) it holds."""

from __future__ import annotations

import random

import mpmath
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import SpectralPair, frobenius_norm, projector, projector_difference, spectral_norm
from dpmatrix.spec.wishart.projectors import FramePair, davis_kahan_bound, span_difference
from proofs_checks.exact_matrices import cayley
from proofs_checks.projector_algebra import P, Q, reduced

lemma_3 = cite("wishart.lemma-3@7dcbda15")
projector_norm_property = cite("wishart.projector-norm-property@9c75ace9")

ENTRIES = random.Random(20120218)
DIGITS = 60
"""At more digits mpmath's singular values of a matrix with equal ones do not converge."""
ONE = fmpq_mat([[1, 0], [0, 1]])
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
SWAP = fmpq_mat([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
UNIT = fmpq_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
TURNED_AXES = fmpq_mat([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
TIGHT = SpectralPair((1, 0), ONE, (1, 0), TURN, 1)
OUTSIDE = {
    "k >= 1, an integer": SpectralPair((1, 0), ONE, (1, 0), TURN, 0),
    "k < d": SpectralPair((1, 0), ONE, (1, 0), TURN, 2),
    "the eigenvectors are orthonormal": SpectralPair((1, 0), ONE, (1, 0), TURN + TURN, 1),
    "the eigenvalues are in decreasing order": SpectralPair((4, 1, 0), UNIT, (1, 0, 4), TURNED_AXES, 1),
    "lambda_k(A) > lambda_{k+1}(Ahat)": SpectralPair((1, 0), ONE, (1, 1), TURN, 1),
}
A, B = sympy.symbols("A B", commutative=False)


def orthogonal(order: int) -> fmpq_mat:
    numbers = [fmpq(ENTRIES.randint(-9, 9), ENTRIES.randint(1, 5)) for _ in range(order * order)]
    return cayley(fmpq_mat(order, order, numbers))


def leading(matrix: fmpq_mat, k: int) -> fmpq_mat:
    """First k columns."""
    return fmpq_mat([row[:k] for row in matrix.tolist()])


def mp_norms(matrix: mpmath.matrix) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Spectral and Frobenius norm."""
    return max(mpmath.svd_r(matrix, compute_uv=False)), mpmath.sqrt(sum(x**2 for x in matrix))


def drawn_pairs() -> list[SpectralPair]:
    """Pairs of spectra in dimensions 2 to 4 with lambda_k(A) > lambda_{k+1}(Ahat), every k, ties among them."""
    pairs = []
    for d in (2, 3, 4):
        for k in range(1, d):
            for _ in range(4):
                top, low = ENTRIES.randint(5, 9), ENTRIES.randint(-3, 3)
                values = sorted((top + ENTRIES.randint(0, 2) if i < k else low for i in range(d)), reverse=True)
                other = sorted((top if i < k else ENTRIES.randint(-2, 4) for i in range(d)), reverse=True)
                pairs.append(SpectralPair(tuple(values), orthogonal(d), tuple(other), orthogonal(d), k))
    return pairs


def mp_davis_kahan(p: SpectralPair) -> mpmath.mpf:
    """Compute ``||A - Ahat|| / (lambda_k - lambdahat_{k+1}) - ||P - Phat||``."""
    frame, other = real_matrix(p.frame), real_matrix(p.perturbed_frame)
    d = len(p.values)
    change = frame * mpmath.diag(p.values) * frame.T - other * mpmath.diag(p.perturbed_values) * other.T
    difference = mpmath.zeros(d)
    for i in range(p.k):
        difference += frame[:, i] * frame[:, i].T - other[:, i] * other[:, i].T
    return mp_norms(change)[0] / (p.values[p.k - 1] - p.perturbed_values[p.k]) - mp_norms(difference)[0]


@lemma_3.supports(
    grade="derived",
    region="every d, k < d and choice of eigenvectors by the docstring's derivation; its identities machine-checked "
    "without reference to a dimension, the equality of two spectra exactly at 24 points",
)
def test_davis_kahan(statement) -> None:
    """Derivation, for every d; P and Q are the projectors of A and Ahat = B, of the same rank k.

    (P - Q)^2 = P(1 - Q)P + (1 - P)Q(1 - P) (1), two blocks, so ||P - Q|| is the larger of ||(1 - Q)P|| and ||Q(1 -
    P)||. On range P the first block is 1 - PQP and on range Q the analogue of the second is 1 - QPQ (2). With frames
    V and Vhat and X = V'Vhat these are 1 - XX' and 1 - X'X, which have the same eigenvalues as X is square (3). So
    ||P - Q|| is s = ||(1 - Q)P||. If s > 0, take a top singular pair: (1 - Q)Pu = sw and P(1 - Q)w = su, so that u is
    in range P, w in range 1 - Q, (1 - Q)u = sw and Pw = su. P commutes with A, Q with B, hence w'Au = s u'Au and w'Bu
    = s w'Bw (4), and ||A - B|| >= w'(A - B)u = s(u'Au - w'Bw) >= s(lambda_k(A) - lambda_{k+1}(B)), as weighted means
    lie within range (5).
    """
    assert reduced((P - Q) ** 2 - P * (1 - Q) * P - (1 - P) * Q * (1 - P)) == 0, "(1)"
    assert reduced(P * (1 - Q) * P - (P - P * Q * P)) == 0, "(2)"
    assert reduced(Q * (1 - P) * Q - (Q - Q * P * Q)) == 0, "(2)"
    u, w, ut, wt = sympy.symbols("u w ut wt", commutative=False)
    s = sympy.Symbol("s")
    first = (wt * A * (P * u)).subs(A * P, P * A).subs(wt * P, s * ut)
    assert first == s * ut * A * u, "(4): u = Pu, AP = PA, w'P = s u'"
    second = ((wt * (1 - Q)).expand() * B * u).expand()
    moved = (wt * B * (u - Q * u)).expand()
    assert (second - moved).expand().subs(Q * B, B * Q) == 0, "(4): w' = w'(1 - Q), QB = BQ"
    assert (wt * B * (s * w)) == s * wt * B * w, "(4): (1 - Q)u = s w"
    weights, drops = sympy.symbols("c1:4", nonnegative=True), sympy.symbols("x1:4", nonnegative=True)
    excess = sum(c * sum(drops[: i + 1]) for i, c in enumerate(weights)) - sum(weights) * drops[0]
    assert all(coefficient > 0 for coefficient in sympy.Poly(excess, *weights, *drops).coeffs()), "(5)"
    pairs = drawn_pairs()
    for p in pairs:
        product = leading(p.frame, p.k).transpose() * leading(p.perturbed_frame, p.k)
        assert (product * product.transpose()).charpoly() == (product.transpose() * product).charpoly(), "(3)"
        assert statement.at(p) is Truth.TRUE
    bind_formula(statement, pairs, mp_davis_kahan, digits=DIGITS)
    bind_hypotheses(statement, TIGHT, OUTSIDE)


@lemma_3.controls(grade="interval", region="two lines in the plane, where equality holds")
def test_davis_kahan_is_sharp_and_needs_its_hypotheses(statement) -> None:
    """For two projectors of rank one A - Ahat = P - Phat and the separation is 1; 99 % of the bound is too little."""
    with pytest.raises(ValueError, match="no negative number"):
        projector(ONE, -1)
    assert statement.at(TIGHT) is not Truth.FALSE

    def smaller(p: SpectralPair) -> arb:
        return davis_kahan_bound(p) * 99 / 100 - spectral_norm(projector_difference(p))

    assert statement.nudged(margin=smaller).at(TIGHT) is Truth.FALSE
    assert statement.at(SpectralPair((1, 0), ONE, (1, 0), ONE, 1)) is Truth.TRUE, "0 <= 0"
    assert statement.applies(SpectralPair((1, 0), TURN + TURN, (1, 0), ONE, 1)) is Truth.FALSE
    tall = fmpq_mat([[1, 0], [0, 1], [0, 0]])
    other = fmpq_mat([[0, 0], [0, 1], [1, 0]])
    missing = SpectralPair((1, -5), tall, (1, -5), other, 1)
    assert statement.applies(missing) is Truth.FALSE, "the eigenvalue 0 of the third direction is not listed"
    assert statement.conclusion(missing) is Truth.FALSE
    assert statement.applies(SpectralPair((1, 0), ONE, (0, 1), TURN, 1)) is Truth.FALSE


def drawn_frames() -> list[FramePair]:
    shapes = [(d, k) for d in (1, 2, 3, 4) for k in range(1, d + 1)]
    return [FramePair(leading(orthogonal(d), k), leading(orthogonal(d), k)) for d, k in shapes for _ in range(3)]


def mp_projector(p: FramePair, factor: int) -> mpmath.mpf:
    """``sqrt(factor k) ||VV' - Vhat Vhat'||_2 - ||VV' - Vhat Vhat'||_F``."""
    frame, other = real_matrix(p.frame), real_matrix(p.other)
    spectral, frobenius = mp_norms(frame * frame.T - other * other.T)
    return mpmath.sqrt(factor * frame.cols) * spectral - frobenius


@projector_norm_property.refutes(grade="interval", region="two orthogonal lines in the plane")
def test_printed_projector_property_fails(statement) -> None:
    """e1 and e2: the difference is diag(1, -1), of Frobenius norm sqrt(2) and spectral norm 1; k = 1."""
    point = FramePair(fmpq_mat([[1], [0]]), fmpq_mat([[0], [1]]))
    assert statement.at(point) is Truth.FALSE
    assert statement.at(FramePair(leading(ONE, 1), leading(TURN, 1))) is Truth.FALSE
    bind_formula(statement, drawn_frames(), lambda p: mp_projector(p, 1), digits=DIGITS)
    assert statement.at(FramePair(point.frame, point.frame)) is Truth.TRUE, "0 <= 0"
    bind_hypotheses(statement, point, {"V'V = Vhat'Vhat = I_k": FramePair(point.frame + point.frame, point.other)})


@projector_norm_property.supports_repair(
    grade="derived",
    region="every d and k by the docstring's derivation; its factorisation and rank exactly at 30 points",
)
def test_projector_property(statement) -> None:
    """Derivation, for every d.

    VV' - Vhat Vhat' = [V, Vhat] diag(I, -I) [V, Vhat]' factors through 2k columns, so it has at most 2k non-zero
    eigenvalues (1). Each of their squares is at most the square of the spectral norm, and the squared Frobenius norm
    is their sum (2).
    """
    frames = drawn_frames()
    for p in frames:
        k = p.frame.ncols()
        joined = fmpq_mat([left + right for left, right in zip(p.frame.tolist(), p.other.tolist(), strict=True)])
        signs = fmpq_mat(2 * k, 2 * k, [(1 if i < k else -1) * (i == j) for i in range(2 * k) for j in range(2 * k)])
        difference = p.frame * p.frame.transpose() - p.other * p.other.transpose()
        assert joined * signs * joined.transpose() == difference, "(1)"
        assert difference.rank() <= 2 * k, "(1)"
    for k in (1, 2, 3):
        largest, rest = sympy.Symbol("m", nonnegative=True), sympy.symbols(f"r1:{2 * k + 1}", nonnegative=True)
        slack = 2 * k * largest - sum(largest - r for r in rest)
        assert sympy.expand(slack - sum(rest)) == 0, "(2): 2k m - sum of 2k squares is the sum of the shortfalls"
    bind_formula(statement, frames, lambda p: mp_projector(p, 2), digits=DIGITS)


@projector_norm_property.controls("+repair", grade="interval", region="orthogonal planes in d = 4")
def test_projector_property_is_sharp(statement) -> None:
    first, second = fmpq_mat([[1, 0], [0, 1], [0, 0], [0, 0]]), fmpq_mat([[0, 0], [0, 0], [1, 0], [0, 1]])
    tight = FramePair(first, second)
    assert statement.at(tight) is not Truth.FALSE
    assert statement.margin(tight).contains(0)

    def smaller(p: FramePair) -> arb:
        difference = span_difference(p)
        return arb(2 * p.frame.ncols()).sqrt() * 99 / 100 * spectral_norm(difference) - frobenius_norm(difference)

    assert statement.nudged(margin=smaller).at(tight) is Truth.FALSE, "99 % of the constant"
    assert statement.at(FramePair(first, first)) is Truth.TRUE, "0 <= 0"
    bind_hypotheses(statement, tight, {"V'V = Vhat'Vhat = I_k": FramePair(first + first, second)})
    assert statement.applies(FramePair(first, second + second)) is Truth.FALSE
    assert statement.applies(FramePair(first, leading(second, 1))) is Truth.FALSE, "another number of columns"
