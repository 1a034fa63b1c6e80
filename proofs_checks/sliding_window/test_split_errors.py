"""Lemma 5 of `sliding-window`: what P_1 keeps, and the errors E_2, E_3 and E_4."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window import split_errors as module
from dpmatrix.spec.sliding_window.loewner import squared_norm
from dpmatrix.spec.sliding_window.split_errors import WeighedSplit
from proofs_checks.steps import by_step

lemma_5 = cite("sliding-window.lemma-5@15c43418")

SPLIT = WeighedSplit(
    (3, 2, 1),
    fmpq_mat([[fmpq(5, 4), 0, 2], [0, 1, -1]]),
    2,
    fmpq(9, 16),
    fmpq_mat([[1, 2, 0], [0, 3, -1], [5, 0, 1]]),
)
LINE = WeighedSplit((2,), fmpq_mat([[3]]), 1, 0, fmpq_mat([[1]]))
SHAPES = {
    "Phi is m x d and 1 <= k <= d": attrs.evolve(SPLIT, sketch=fmpq_mat([[1, 2]])),
    "the singular values decrease and are not negative": attrs.evolve(SPLIT, values=(3, 2, fmpq(-1, 9))),
}
POINTS = [
    WeighedSplit(
        (5, Fraction(7, 2), 3, 0),
        fmpq_mat(rows, 4, [(i * i + seed) % 7 - 3 for i in range(4 * rows)]),
        k,
        0,
        fmpq_mat(4, 4, [(3 * i + seed * i * i) % 5 - 1 for i in range(16)]),
    )
    for rows, seed, k in product((1, 3), range(3), (1, 2, 3, 4))
]


@lemma_5.supports("second-error", grade="derived", region="every d, m, k: P S P is symmetric where S is")
@lemma_5.supports("fourth-error", grade="derived", region="every d, m, k, W: E_4 = E_3', and |X'|_F = |X|_F")
@lemma_5.supports("kept-directions", grade="derived", region="every d and k: in the bases of the singular vectors")
def test_errors_of_a_split(statements) -> None:
    """A^'Phi'Phi A^ - A^'A^ is symmetric and P_1, P_2 are: E_2' = E_2, and E_3' = P_2 (...) P_1 = E_4.

    A^P_2 has the last d - k singular values, and by the theorem of Eckart and Young the sum of their squares is the
    squared distance of A^ from the matrices of rank k.
    """
    by_name = by_step(statements)
    entries = sympy.symbols("s:6", real=True)
    whole = sympy.Matrix(3, 3, [entries[place] for place in (0, 1, 2, 1, 3, 4, 2, 4, 5)])
    for k in (1, 2):
        first = sympy.diag(*[int(place < k) for place in range(3)])
        rest = sympy.eye(3) - first
        assert rest * whole * rest == (rest * whole * rest).T
        assert rest * whole * first == (first * whole * rest).T
        assert (rest * first).is_zero_matrix
    assert {(len(p.values), p.k) for p in POINTS} == {(4, k) for k in (1, 2, 3, 4)}
    for name in ("second-error", "kept-directions", "fourth-error"):
        bind(by_name[name], ((p, 0) for p in POINTS))
        assert all(by_name[name].at(p) is Truth.TRUE for p in (*POINTS, SPLIT, LINE))
    for name, statement in by_name.items():
        assert not statement.strict
        more = {"W is d x d": attrs.evolve(SPLIT, weight=fmpq_mat([[1]]))} if name == "fourth-error" else {}
        for inside in (SPLIT, LINE, POINTS[0]):
            bind_hypotheses(statement, inside, SHAPES | more)
        assert statement.applies(attrs.evolve(SPLIT, values=(2, 3, 1))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SPLIT, k=4)) is Truth.FALSE
        assert statement.applies(attrs.evolve(SPLIT, k=0)) is Truth.FALSE
    uneven = attrs.evolve(SPLIT, weight=fmpq_mat([[1, 0, 0], [0, 1, 0]]))
    assert by_name["fourth-error"].applies(uneven) is Truth.FALSE
    assert by_name["fourth-error"].applies(attrs.evolve(SPLIT, weight=uneven.weight.transpose())) is Truth.FALSE


@lemma_5.controls("kept-directions", grade="symbolic", region="P_2 for P_1, as printed; values that do not decrease")
def test_the_other_projection_is_noticed(statement) -> None:
    def rest(p: WeighedSplit) -> fmpq_mat:
        return diagonal([int(place >= p.k) for place in range(len(p.values))])

    swapped = redefined(statement, module, "leading", rest)
    assert swapped.at(SPLIT) is Truth.FALSE
    assert swapped.margin(SPLIT) == -2 - (3**2 + 2**2 - 1**2), "both axes are lost, and both squares for the third"
    assert redefined(statement, module, "trailing", module.leading).at(SPLIT) is Truth.FALSE
    values = "the singular values decrease and are not negative"
    assert statement.without(values).at(attrs.evolve(SPLIT, values=(1, 2, 3))) is Truth.FALSE


@lemma_5.controls("second-error", grade="symbolic", region="P_1 on one side; a difference that is not symmetric")
@lemma_5.controls("fourth-error", grade="symbolic", region="twice E_4; E_3 added to it")
def test_other_errors_are_noticed(statements) -> None:
    by_name = by_step(statements)
    second, fourth = by_name["second-error"], by_name["fourth-error"]
    third = module.third_error(SPLIT)
    crossed = redefined(second, module, "second_error", module.third_error)
    assert crossed.at(SPLIT) is Truth.FALSE
    assert crossed.margin(SPLIT) == -2 * sum(abs(entry) for entry in third.entries())
    original = module.fourth_error
    for other in (lambda p: 2 * original(p), lambda p: original(p).transpose() + original(p)):
        assert redefined(fourth, module, "fourth_error", other).at(SPLIT) is Truth.FALSE
    doubled = redefined(fourth, module, "fourth_error", lambda p: 2 * original(p))
    assert doubled.margin(SPLIT) == -3 * squared_norm(SPLIT.weight * third)
    tilted = redefined(second, module, "difference", lambda _: SPLIT.weight + fmpq_mat(3, 3, list(range(9))))
    assert tilted.at(attrs.evolve(SPLIT, k=1)) is Truth.FALSE
