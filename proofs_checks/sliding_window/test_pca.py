"""Algorithm 4 of `sliding-window`: what minimises, and what a projection reveals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import projection_costs
from dpmatrix.spec.sliding_window.pca import Minimiser
from dpmatrix.spec.sliding_window.projection_costs import SpectralChoice
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.symbolic_matrices import matrix

algorithm_4 = cite("sliding-window.algorithm-4@bf2db6aa")
theorem_16 = cite("sliding-window.theorem-16@9a4d524b")

MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)


OBLIQUE = Minimiser(fmpq_mat([[1, 0]]), fmpq_mat([[1, 0], [7, 0]]), 1)


@algorithm_4.refutes(grade="symbolic", region="sketches with a kernel: k = 1, d = 2 and k = 2, d = 3")
def test_a_sketch_with_a_kernel_has_oblique_answers(statement) -> None:
    wide = Minimiser(fmpq_mat([[3, 0, 0], [0, 2, 0]]), fmpq_mat([[1, 0, 0], [0, 1, 0], [5, -4, 0]]), 2)
    for point in (OBLIQUE, wide):
        assert statement.at(point) is Truth.FALSE
    assert statement.at(attrs.evolve(OBLIQUE, solution=diagonal((1, 0)))) is Truth.TRUE
    assert statement.conclusion(attrs.evolve(OBLIQUE, solution=diagonal((2, 0)))) is Truth.FALSE
    assert statement.margin(OBLIQUE) == -14, "7 in place of 0, and 0 in place of 7"
    assert not statement.strict
    bind_hypotheses(
        statement,
        OBLIQUE,
        {
            "k >= 1, an integer": attrs.evolve(OBLIQUE, k=0),
            "rank P <= k": attrs.evolve(OBLIQUE, solution=identity(2)),
            "P is d x d and attains the least cost": attrs.evolve(OBLIQUE, solution=diagonal((0, 0))),
        },
    )
    assert statement.applies(attrs.evolve(OBLIQUE, solution=diagonal((1, 0, 0)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(OBLIQUE, solution=diagonal((fmpq(9, 10), 0)))) is Truth.FALSE


TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5), 0], [fmpq(4, 5), fmpq(3, 5), 0], [0, 0, 1]])
SPECTRAL = SpectralChoice((4, 1, -2), TURN, line(1, 2, 2))
SPECTRAL_HYPOTHESES = {
    "the frame is orthogonal and P an orthogonal projection": attrs.evolve(SPECTRAL, frame=diagonal((1, 1, 2))),
    "the eigenvalues decrease": attrs.evolve(SPECTRAL, values=(4, -2, 1)),
}


def spectral_choices():
    others = (line(1, 2, 2), line(0, 1, 0), identity(3) - line(1, -1, 3), diagonal((1, 0, 1)))
    for values, other in product(((4, 1, -2), (0, -1, -5), (3, 3, 3), (7, 2, 2), (fmpq(1, 2), 0, -9)), others):
        yield SpectralChoice(values, TURN, other)


@algorithm_4.supports_repair(grade="derived", region="every d and k: the identity of the docstring, checked for d <= 6")
@theorem_16.supports(
    "optimality", grade="derived", region="every d and k: the identity of the docstring, checked for d <= 6"
)
def test_the_first_eigenvectors_are_best(statements) -> None:
    """For eigenvectors v_i the w_i = v_i'Pv_i lie in [0, 1] and their sum is Tr P = k.

    Then Tr((1-P)C) - Tr((1-X)C) = l_1 + ... + l_k - sum l_i w_i is the sum over i <= k of (l_i - l_k)(1 - w_i) plus
    that over i > k of (l_k - l_i) w_i, and each term is non-negative. Signs of the eigenvalues play no part.
    """
    for order in range(1, 7):
        values, weights = sympy.symbols(f"l1:{order + 1}"), sympy.symbols(f"w1:{order + 1}")
        for k in range(1, order + 1):
            last = values[k - 1]
            gain = sum(values[:k]) - sum(a * b for a, b in zip(values, weights, strict=True))
            pieces = sum((values[i] - last) * (1 - weights[i]) for i in range(k))
            pieces += sum((last - values[i]) * weights[i] for i in range(k, order))
            assert sympy.expand(gain - pieces - last * (k - sum(weights))) == 0
    bound = []
    for point in spectral_choices():
        frame, other = matrix(point.frame), matrix(point.other)
        moments = frame * sympy.diag(*(symbolic(value) for value in point.values)) * frame.T
        best = sum(symbolic(value) for value in point.values[: other.rank()])
        bound.append((point, (best - (other * moments).trace()).evalf(50)))
    assert sum(bool(value > 0) for _, value in bound) > 10
    for statement in statements.values():
        bind(statement, bound)
        assert all(statement.at(point) is Truth.TRUE for point, _ in bound)
        assert not statement.strict
        for inside in (SPECTRAL, SpectralChoice((5,), identity(1), identity(1))):
            bind_hypotheses(statement, inside, SPECTRAL_HYPOTHESES)
        assert statement.applies(attrs.evolve(SPECTRAL, other=diagonal((2, 0, 0)))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SPECTRAL, other=identity(2))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SPECTRAL, frame=identity(2))) is Truth.FALSE


@algorithm_4.controls("+repair", grade="symbolic", region="the last eigenvectors, and the first ones by modulus")
def test_other_eigenvectors_are_not_best(statement) -> None:
    point = SpectralChoice((4, 1, -9), TURN, TURN * diagonal((1, 0, 0)) * TURN.transpose())
    assert statement.at(point) is Truth.TRUE
    for place in (1, 2):
        taken = diagonal([int(i == place) for i in range(3)])

        def margin(p: SpectralChoice, taken: fmpq_mat = taken):
            moments = p.frame * diagonal(p.values) * p.frame.transpose()
            answer = p.frame * taken * p.frame.transpose()
            return arb(projection_costs.cost(moments, p.other) - projection_costs.cost(moments, answer))

        assert statement.nudged(margin=margin).at(point) is Truth.FALSE
