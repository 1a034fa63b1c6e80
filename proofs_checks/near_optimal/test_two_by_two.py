"""Theorem 8 of `near-optimal`: symmetric matrices of two rows, as (11) has them."""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import two_by_two
from dpmatrix.spec.near_optimal.two_by_two import Block
from dpmatrix.tracing import bind_expression

theorem_8 = cite("near-optimal.theorem-8@fdfb1f01")

HALF = Fraction(1, 2)
MATRICES = ((2, 1, 2), (HALF, Fraction(1, 3), 0), (1, 2, -2), (4, 0, 1))
BLOCKS = [Block(a, b, c, v) for a, b, c in MATRICES for v in range(-3, 4)]


@theorem_8.supports("characteristic", grade="symbolic", region="every a, b, c, l: an identity")
@theorem_8.supports("discriminant", grade="symbolic", region="every a, b, c: an identity")
@theorem_8.supports(
    "direction", grade="symbolic", region="every a, b, c, l: the residual is the characteristic polynomial"
)
def test_matrices_of_two_rows(statements) -> None:
    """(a-l) b - b (a-l) = 0, and b^2 - (c-l)(a-l) is minus the characteristic polynomial; b > 0: not zero."""
    names = ("characteristic", "discriminant", "direction")
    polynomial, discriminant, direction = (statements[f"near-optimal.theorem-8/{name}"] for name in names)
    a, b, c, v = sympy.symbols("a b c l", real=True)
    matrix = sympy.Matrix([[a, b], [b, c]])
    char = v**2 - (a + c) * v + a * c - b**2
    assert sympy.expand((matrix - v * sympy.eye(2)).det() - char) == 0
    assert sympy.expand((a + c) ** 2 - 4 * (a * c - b**2) - (a - c) ** 2 - 4 * b**2) == 0
    image = (matrix - v * sympy.eye(2)) * sympy.Matrix([b, -(a - v)])
    assert sympy.expand(image[0]) == 0
    assert sympy.expand(image[1] + (c - v) * (a - v) - b**2) == 0
    bind_expression(polynomial, sympy.Integer(0))
    bind_expression(discriminant, sympy.Integer(0))

    def value(p):
        return (p.value - p.a) * (p.value - p.c) - p.b**2

    bind(direction, [(p, -abs(Fraction(value(p)))) for p in BLOCKS])
    bind_expression(direction, -sympy.Abs(char), fields={"value": v})
    inside = Block(2, 1, 2, 3)
    outside = {"b > 0": Block(4, 0, 1, 4), "l is an eigenvalue": Block(2, 1, 2, Fraction(7, 2))}
    bind_hypotheses(direction, inside, outside)
    assert direction.at(inside) is direction.at(Block(2, 1, 2, 1)) is Truth.TRUE
    root = direction.given[-1]
    bind(Statement(root.says, root.margin), [(p, -abs(Fraction(value(p)))) for p in BLOCKS])
    bind_expression(Statement(root.says, root.margin), -sympy.Abs(char), fields={"value": v})
    assert direction.applies(Block(2, Fraction(1, 20), 2, Fraction(41, 20))) is Truth.TRUE
    assert not any(statement.strict for statement in statements.values())


@theorem_8.controls("characteristic", grade="symbolic", region="28 matrices: a c + b^2 for a c - b^2, exactly 2 b^2")
@theorem_8.controls("discriminant", grade="symbolic", region="28 matrices: b^2 for 4 b^2, exactly 3 b^2")
def test_another_sign_or_factor_is_no_identity(statements) -> None:
    polynomial, discriminant = (statements[f"near-optimal.theorem-8/{x}"] for x in ("characteristic", "discriminant"))

    def turned(p: Block) -> fmpq:
        a, b, c, value = map(rational, (p.a, p.b, p.c, p.value))
        return value * value - (a + c) * value + (a * c + b * b)

    other = redefined(polynomial, two_by_two, "characteristic", turned)
    quarter = redefined(
        discriminant, two_by_two, "discriminant", lambda p: (rational(p.a) - rational(p.c)) ** 2 + rational(p.b) ** 2
    )
    bind(other, [(p, -2 * Fraction(p.b) ** 2) for p in BLOCKS])
    bind(quarter, [(p, -3 * Fraction(p.b) ** 2) for p in BLOCKS])
    assert other.at(BLOCKS[0]) is quarter.at(BLOCKS[0]) is Truth.FALSE
