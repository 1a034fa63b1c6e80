"""The slide on decompositions, equation by equation."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.decompositions import Decomposition, product
from dpmatrix.spec.common.spectra import disagreement
from proofs_checks.analyze_gauss.drawn_matrices import drawn, unit
from proofs_checks.exact_matrices import cayley, diagonal

svd_relations = cite("analyze-gauss.svd-relations@1c09d49f")

DRAWS = random.Random(20140531)


def orthogonal(order: int) -> fmpq_mat:
    return cayley(drawn(DRAWS, order, order))


def decomposition(rows: int, values) -> Decomposition:
    columns = fmpq_mat([row[: len(values)] for row in orthogonal(rows).tolist()])
    return Decomposition(columns, tuple(values), orthogonal(len(values)))


FULL = [
    decomposition(order + extra, sorted((Fraction(DRAWS.randint(1, 9), 4) for _ in range(order)), reverse=True))
    for order in (1, 2, 3)
    for extra in (0, 1)
    for _ in range(4)
]
DEFICIENT = [decomposition(3, (Fraction(5, 2), 0)), decomposition(2, (0, 0)), decomposition(4, (3, 3, 0))]
SCALED = Decomposition(unit(2), (2, 1), unit(2))
HYPOTHESES = {
    "the columns of U and V are orthonormal": attrs.evolve(SCALED, right=diagonal([1, 2])),
    "s_1 >= ... >= s_n >= 0": attrs.evolve(SCALED, values=(1, 2)),
}
SVD = "analyze-gauss.svd-relations"


@svd_relations.refutes(grade="symbolic", region="A = S = diag(2, 1), U = V = I")
@svd_relations.refutes("left", grade="symbolic", region="A = S = diag(2, 1), U = V = I")
def test_the_transpose_is_no_inverse(statements) -> None:
    """At diag(2, 1) the entries differ by |1 - 4|; both sides agree where every singular value is 1."""
    isometry = Decomposition(unit(2), (1, 1), unit(2))
    scales = [Decomposition(unit(1), (Fraction(i, 4),), unit(1)) for i in range(21)]
    for statement in statements.values():
        assert statement.at(SCALED) is Truth.FALSE
        assert statement.at(isometry) is Truth.TRUE
        bind(statement, [(p, sympy.N(-abs(1 - sympy.Rational(*p.values) ** 2), 50)) for p in scales])
        bind_hypotheses(statement, SCALED, HYPOTHESES)
        assert statement.applies(attrs.evolve(SCALED, values=(2, -1))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SCALED, left=fmpq_mat([[1, 1], [0, 1]]))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SCALED, right=unit(3))) is Truth.FALSE


@svd_relations.controls("gram", grade="symbolic", region="A = S = diag(2, 1): S for L; U scaled")
def test_singular_values_are_no_eigenvalues(statement) -> None:
    """A'A = diag(4, 1), which is not diag(2, 1)."""

    def singular(p: Decomposition) -> arb:
        moment = product(p).transpose() * product(p)
        return disagreement(moment, p.right * diagonal(p.values) * p.right.transpose())

    assert statement.at(SCALED) is Truth.TRUE
    assert statement.nudged(margin=singular).at(SCALED) is Truth.FALSE
    stretched = attrs.evolve(SCALED, left=diagonal([1, Fraction(11, 10)]))
    assert statement.without("the columns of U and V are orthonormal").at(stretched) is Truth.FALSE


@svd_relations.supports_repair(
    grade="derived",
    region="every m >= n, by substitution of U'U = V'V = I; exact at 27 points, some rank-deficient, n <= 3",
)
@svd_relations.supports(
    "gram", grade="derived", region="every m >= n, by substitution of U'U = I; exact at 27 points, some rank-deficient"
)
@svd_relations.supports(
    "existence",
    grade="derived",
    region="every m >= n, from the spectral theorem for A'A; exact at 27 points, some rank-deficient, n <= 3",
)
def test_repaired_relations(statements) -> None:
    """A'A = V S U'U S V' = V S^2 V'. A V = U S V'V = U S, so A V S^-1 = U where S is invertible.

    Existence: take V and S^2 from the spectral theorem for A'A, which is positive semidefinite. |A v_i|^2 = s_i^2, and
    A v_i and A v_j are orthogonal, so the u_i = A v_i / s_i with s_i > 0 are orthonormal; A v_i = 0 = s_i u_i with any
    u_i where s_i = 0. So U S V' = A V V' = A.
    """
    cosine, sine, first, second = sympy.symbols("c s s1 s2", positive=True)
    turn = sympy.Matrix([[cosine, -sine], [sine, cosine]])
    middle = sympy.diag(first, second)
    matrix = turn * middle * turn.T

    def vanishes(difference: sympy.Matrix) -> bool:
        return all(sympy.rem(sympy.expand(x), sine**2 + cosine**2 - 1, sine) == 0 for x in difference)

    assert vanishes(matrix.T * matrix - turn * middle**2 * turn.T)
    assert vanishes(matrix * turn - turn * middle)
    assert vanishes(matrix * turn * middle.inv() - turn)
    repaired, existence, gram = (statements[f"{SVD}{name}"] for name in ("+repair", "/existence", "/gram"))
    assert all(repaired.at(p) is Truth.TRUE for p in FULL + DEFICIENT)
    assert all(existence.at(p) is Truth.TRUE for p in FULL + DEFICIENT)
    bind(repaired, [(p, 0) for p in FULL + DEFICIENT])
    bind(existence, [(p, 0) for p in FULL + DEFICIENT])
    assert all(gram.at(p) is Truth.TRUE for p in FULL + DEFICIENT)
    bind(gram, [(p, 0) for p in FULL + DEFICIENT])
    orthonormal = {"the columns of U and V are orthonormal": HYPOTHESES["the columns of U and V are orthonormal"]}
    bind_hypotheses(existence, DEFICIENT[0], orthonormal)
    bind_hypotheses(gram, DEFICIENT[0], orthonormal)
    stretched = attrs.evolve(SCALED, left=diagonal([1, Fraction(11, 10)]))
    assert existence.without("the columns of U and V are orthonormal").at(stretched) is Truth.FALSE
    bind(existence, [(stretched, -Fraction(21, 100))], least=1)
    bind(gram, [(stretched, -Fraction(21, 100))], least=1)
    bind(repaired, [(stretched, -Fraction(42, 100))], least=1)
    singular = attrs.evolve(SCALED, right=diagonal([1, 0]))
    assert existence.without("the columns of U and V are orthonormal").at(singular) is Truth.FALSE
    bind(repaired, [(singular, -3)], least=1)  # 1 of the u_i, 1 of A V = U S, 1 of U = A V S^-1
    bind_hypotheses(repaired, DEFICIENT[0], orthonormal)


@svd_relations.controls(
    "+repair", grade="symbolic", region="a rank-deficient matrix: A V S^+ is not U; A V = U S with S^2 for S; U scaled"
)
def test_rank_matters_for_the_left_factor(statement) -> None:
    """With 1/0 read as 0 the product A V S^-1 has a column of zeros, and U has none."""

    def whatever_the_rank(p: Decomposition) -> arb:
        factors = [1 / Fraction(value) if value else 0 for value in p.values]
        return disagreement(p.left, product(p) * p.right * diagonal(factors))

    assert statement.at(DEFICIENT[0]) is Truth.TRUE
    assert statement.nudged(margin=whatever_the_rank).at(DEFICIENT[0]) is Truth.FALSE

    def squared(p: Decomposition) -> arb:
        return disagreement(product(p) * p.right, p.left * diagonal(p.values) * diagonal(p.values))

    assert statement.nudged(margin=squared).at(DEFICIENT[0]) is Truth.FALSE
    scaled = attrs.evolve(SCALED, left=diagonal([1, Fraction(11, 10)]))
    assert statement.without("the columns of U and V are orthonormal").at(scaled) is Truth.FALSE
