"""Appendix A of `sliding-window`: the form of two outputs that are quoted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.quoted_outputs import QuotedOutputs

theorem_12 = cite("sliding-window.theorem-12@86101e30")

TALL = fmpq_mat([[1, 2], [0, 1], [3, -1]])
SKETCH = fmpq_mat([[1, 0, 2], [0, 1, 1]])


@theorem_12.supports("output-forms", grade="derived", region="every A^, Phi, A and symmetric N: x'M'Mx = |Mx|^2")
def test_the_forms_of_quoted_outputs(statement) -> None:
    """x'A^'Phi'Phi A^x = |Phi A^x|^2 >= 0; and (A'A)' = A'A."""
    a, x = sympy.Matrix(2, 2, sympy.symbols("a0:4")), sympy.Matrix(2, 1, sympy.symbols("x0:2"))
    assert sympy.expand((x.T * a.T * a * x)[0] - (a * x).dot(a * x)) == 0
    values = []
    for i, j, k in product((1, 2, 3), (1, Fraction(1, 3)), (0, 1, -2)):
        entry, weight = rational(Fraction(i, 4)), rational(j)
        point = QuotedOutputs(fmpq_mat([[entry], [0]]), fmpq_mat([[weight, 5]]), fmpq_mat([[k]]))
        values.append((point, min(Fraction(1), (Fraction(i, 4) * j) ** 2)))
        other = QuotedOutputs(TALL, SKETCH, fmpq_mat([[1, k], [0, 2]]))
        values.append((other, -2 * abs(k)))
    bind(statement, values)
    inside = QuotedOutputs(TALL, SKETCH, fmpq_mat([[-9, 1], [1, 0]]))
    assert statement.at(inside) is Truth.TRUE
    assert statement.at(QuotedOutputs(TALL, 0 * SKETCH, fmpq_mat([[0, 1], [1, 0]]))) is Truth.TRUE
    skew = QuotedOutputs(TALL, SKETCH, fmpq_mat([[0, fmpq(1, 50)], [0, 0]]))
    bind_hypotheses(statement, inside, {"N is symmetric": skew})
    assert statement.conclusion(skew) is Truth.FALSE
    assert not statement.strict
