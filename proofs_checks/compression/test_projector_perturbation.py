"""`compression`: Proposition 3.4, on exact rational matrices."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import SpectralPair, gap
from dpmatrix.spec.compression import projector_perturbation
from proofs_checks.compression.covariance_pairs import frobenius
from proofs_checks.exact_matrices import diagonal, rotation

proposition_3_4 = cite("compression.proposition-3-4@e54bb74d")

ENTRIES = random.Random(20041213)
ONE = fmpq_mat([[1, 0], [0, 1]])


def drawn_spectra() -> list[SpectralPair]:
    """Pairs in dimensions 2 to 4, every k; the second one is turned a little and has slightly other eigenvalues."""
    pairs = []
    for d in (2, 3, 4):
        for k in range(1, d):
            for _ in range(4):
                values = tuple(sorted(ENTRIES.sample(range(2, 14), d), reverse=True))
                frame = rotation(ENTRIES, d, 3)
                shift = Fraction(ENTRIES.randint(-5, 5), 20)
                turned = frame * rotation(ENTRIES, d, 900)
                pairs.append(SpectralPair(values, frame, tuple(x + shift for x in values), turned, k))
    return pairs


def change(p: SpectralPair) -> mpmath.matrix:
    frame, other = real_matrix(p.frame), real_matrix(p.perturbed_frame)
    first = frame * mpmath.diag([real(x) for x in p.values]) * frame.T
    return other * mpmath.diag([real(x) for x in p.perturbed_values]) * other.T - first


def projector_slack(p: SpectralPair) -> mpmath.mpf:
    frame, other = real_matrix(p.frame), real_matrix(p.perturbed_frame)
    turned = frame[:, : p.k] * frame[:, : p.k].T - other[:, : p.k] * other[:, : p.k].T
    half_gap = (real(p.values[p.k - 1]) - real(p.values[p.k])) / 2
    return frobenius(change(p)) / half_gap - frobenius(turned)


INSIDE = SpectralPair((4, 0), ONE, (Fraction(9, 2), 0), ONE, 1)
OUTSIDE = {
    "k >= 1, an integer": attrs.evolve(INSIDE, k=0),
    "k < d": attrs.evolve(INSIDE, k=2),
    "the eigenvectors are orthonormal": attrs.evolve(INSIDE, frame=diagonal([2, 1])),
    "the eigenvalues are in decreasing order": attrs.evolve(INSIDE, perturbed_values=(0, 4)),
    "A is positive semidefinite": attrs.evolve(INSIDE, values=(4, -1)),
    "A + B is positive": attrs.evolve(INSIDE, perturbed_values=(4, Fraction(-1, 9))),
    "delta_D > 0": SpectralPair((4, 4, 0), diagonal([1] * 3), (4, 2, 0), diagonal([1] * 3), 1),
}
THREE = diagonal([1] * 3)


@proposition_3_4.supports(
    grade="derived",
    region="every finite dimension and D: the docstring; sums machine-checked for d <= 5, bound at 24 pairs, d <= 4",
)
def test_proposition_3_4(statement) -> None:
    """P and Q project on the first D eigenvectors of A and A + B, m_i = v_i'Qv_i in [0, 1], f = ||P - Q||_F, g the gap.

    f^2 = 2 sum_{i<=D} (1 - m_i), and tr(A(P - Q)) - (g/2) f^2 = sum_{i<=D} (l_i - l_D)(1 - m_i) + sum_{i>D} (l_{D+1} -
    l_i) m_i >= 0 (1). tr((A + B)(Q - P)) >= 0, as Q is optimal for A + B. Together (g/2) f^2 <= tr(B(Q - P)) <= ||B||_F
    f (2).
    """
    for d in range(2, 6):
        for k in range(1, d):
            values, mass = sympy.symbols(f"l1:{d + 1}"), list(sympy.symbols(f"m1:{d}"))
            mass.append(k - sum(mass))
            half = sum(1 - m for m in mass[:k])
            score = sum(values[:k]) - sum(x * m for x, m in zip(values, mass, strict=True))
            rest = sum((values[i] - values[k - 1]) * (1 - mass[i]) for i in range(k))
            rest += sum((values[k] - values[i]) * mass[i] for i in range(k, d))
            assert sympy.expand(score - (values[k - 1] - values[k]) * half - rest) == 0, "(1)"
    a, b, c, x, y, z = sympy.symbols("a b c x y z", real=True)
    gram = (a * y - b * x) ** 2 + (a * z - c * x) ** 2 + (b * z - c * y) ** 2
    squares = (a**2 + b**2 + c**2) * (x**2 + y**2 + z**2)
    assert sympy.expand(squares - (a * x + b * y + c * z) ** 2 - gram) == 0, "(2), Cauchy-Schwarz"
    points = drawn_spectra()
    bind_formula(statement, points, projector_slack)
    met = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert met
    for p in met:
        assert statement.at(p) is Truth.TRUE
    swapped = SpectralPair((4, 0), ONE, (0, 4), fmpq_mat([[0, 1], [1, 0]]), 1)
    turned = {"the eigenvalues are in decreasing order": swapped}
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    bind_hypotheses(statement, INSIDE, OUTSIDE | turned)
    assert statement.at(attrs.evolve(INSIDE, perturbed_values=(9, 8))) is Truth.TRUE, "B as large as you like"
    assert statement.at(SpectralPair((4, 0, 0), THREE, (5, 1, 0), THREE, 1)) is Truth.TRUE, "the others may be equal"
    assert statement.applies(SpectralPair((4, 1, 0), THREE, (4, 1, 0), THREE, 1)) is Truth.TRUE
    assert not statement.strict


@proposition_3_4.controls(grade="interval", region="d = 2, a small turn of diag(4, 0): twice delta_D")
def test_proposition_3_4_is_sharp_but_for_a_factor(statement) -> None:
    """Turning diag(4, 0) by a small angle, both sides are about sqrt(2) theta and 2 sqrt(2) theta: half of it fails."""
    n = 20
    c, s = Fraction(n * n - 1, n * n + 1), Fraction(2 * n, n * n + 1)
    frame = fmpq_mat([[rational(c), rational(-s)], [rational(s), rational(c)]])
    p = SpectralPair((4, 0), ONE, (4, 0), frame, 1)
    assert statement.at(p) is Truth.TRUE
    double = redefined(statement, projector_perturbation, "gap", lambda point: 2 * gap(point) + arb(fmpq(1, 5)))
    assert double.at(p) is Truth.FALSE, "||B||_F / (2 delta_D), but for a twentieth"
