"""`wishart.definition-6`: as printed it depends on a choice that it does not make; repaired it does not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.top_eigenvector import TopVectorOutput, is_close, is_close_up_to_sign

definition_6 = cite("wishart.definition-6@6eb3fa95")

E1, E2 = fmpq_mat([[1], [0]]), fmpq_mat([[0], [1]])
DIRECTIONS = [(1, 0), (0, 1), (-1, 0), (Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5))]
SPREAD = fmpq_mat([[1, 1, 0], [0, 0, 1]])
"""Two records e1 and one e2: the top eigenvector is e1 or -e1."""


def vector(direction) -> fmpq_mat:
    return fmpq_mat([[rational(x)] for x in direction])


def exact_output(**changes) -> TopVectorOutput:
    """Return v_1 = e1 itself, judged against both of its signs."""
    return attrs.evolve(TopVectorOutput(SPREAD, E1, -E1, ((E1, 1),), Fraction(1, 2), Fraction(1, 10)), **changes)


CHOICES = {
    "v and v' are unit eigenvectors of the largest eigenvalue of XX'/n": exact_output(other_top=E2),
    "the output is a random unit vector": exact_output(outputs=((E1, Fraction(9, 10)),)),
}


def points() -> list[tuple[TopVectorOutput, tuple, tuple, tuple]]:
    """List outputs, with thresholds met exactly or not, against two choices of the top eigenvector."""
    found = []
    for (i, j), rho in product([(0, 2), (0, 1), (0, 3), (1, 4), (3, 3)], (Fraction(3, 5), Fraction(4, 5), 1)):
        for eta, weight in (
            (Fraction(1, 4), Fraction(3, 4)),
            (Fraction(1, 5), Fraction(3, 4)),
            (Fraction(1, 3), Fraction(1, 2)),
        ):
            law = ((DIRECTIONS[0], weight), (DIRECTIONS[3], 1 - weight))
            outputs = tuple((vector(direction), mass) for direction, mass in law)
            chosen = vector(DIRECTIONS[i]), vector(DIRECTIONS[j])
            found.append((TopVectorOutput(SPREAD, *chosen, outputs, rho, eta), law, DIRECTIONS[i], DIRECTIONS[j]))
    return found


def closeness(law, top, rho, eta, size) -> bool:
    """Evaluate the definition, with ``size`` either the identity or the absolute value."""
    values = [(size(sum(x * y for x, y in zip(v, top, strict=True))), mass) for v, mass in law]
    return sum(mass for value, mass in values if value >= rho) >= 1 - eta


def bind_choices(statement, size, judged) -> set[int]:
    values = []
    for point, law, top, other in points():
        first, second = (closeness(law, v, point.rho, point.eta, size) for v in (top, other))
        assert [judged(point, point.top), judged(point, point.other_top)] == [first, second]
        values.append((point, fmpq(-abs(first - second))))
    bind(statement, values)
    return {int(value) for _, value in values}


def check_unit_eigenvectors(statement) -> None:
    """Too long, too short, of the smaller eigenvalue, or none: each choice is excluded by its own hypothesis.

    A long vector makes v'Av I - A positive definite, which must not make up for the length.
    """
    [choice] = [
        c for c in statement.given if c.says == "v and v' are unit eigenvectors of the largest eigenvalue of XX'/n"
    ]
    heavy = fmpq_mat([[3], [0]])
    lengths = (2, Fraction(6, 5), Fraction(101, 100), Fraction(1001, 1000), Fraction(99, 100), 0)
    wrong = [vector((length, 0)) for length in lengths]
    for data in (SPREAD, heavy):
        assert choice.at(exact_output(data=data)) is Truth.TRUE
        for v in (*wrong, E2, vector((Fraction(3, 5), Fraction(4, 5)))):
            assert choice.at(exact_output(data=data, top=v)) is Truth.FALSE
            assert choice.at(exact_output(data=data, other_top=v)) is Truth.FALSE


@definition_6.refutes(
    grade="symbolic",
    region="d = 2, output e_1: records e_1, e_1, e_2 with v_1 = e_1 or -e_1; records e_1, e_2 with e_1 or e_2",
)
def test_printed_definition_depends_on_the_choice(statement) -> None:
    """The algorithm that returns e1 passes for v_1 = e1 and fails for -e1, or e2 if the eigenvalues are equal."""
    assert statement.at(exact_output()) is Truth.FALSE
    tied = exact_output(data=fmpq_mat([[1, 0], [0, 1]]), other_top=E2)
    assert statement.at(tied) is Truth.FALSE
    assert statement.at(exact_output(other_top=E1)) is Truth.TRUE
    bind_hypotheses(statement, exact_output(), CHOICES)
    check_unit_eigenvectors(statement)
    assert bind_choices(statement, lambda value: value, is_close) == {0, -1}, (
        "the formula is bound where it is 0 and where it is -1"
    )


@definition_6.supports_repair(
    grade="derived",
    region="every data set with lambda_1 > lambda_2, every d, rho, eta and law, by the docstring's derivation",
)
def test_repaired_definition_does_not_depend_on_the_choice(statement) -> None:
    """Derivation, for every d.

    lambda_1 > lambda_2 makes the eigenspace one-dimensional, so v' = c v, and c^2 = 1 as both have norm 1 (1). Then
    |<u, v'>| = |c| |<u, v>| = |<u, v>| for every output u (2), so both choices give the same event and probability.
    """
    for point, *_ in points():
        line = fmpq_mat(
            [[*row, *other] for row, other in zip(point.top.tolist(), point.other_top.tolist(), strict=True)]
        )
        if line.rank() == 1:
            sign = (point.top.transpose() * point.other_top)[0, 0]
            assert sign * sign == 1, "(1)"
            assert sign * point.top == point.other_top, "(1)"
            for output, _ in point.outputs:
                inner = [(output.transpose() * top)[0, 0] for top in (point.top, point.other_top)]
                assert abs(inner[0]) == abs(inner[1]), "(2)"
    assert bind_choices(statement, abs, is_close_up_to_sign) == {0, -1}, (
        "bound also at choices that are not eigenvectors"
    )
    assert statement.at(exact_output()) is Truth.TRUE
    tied = exact_output(data=fmpq_mat([[1, 0], [0, 1]]), other_top=E2)
    bind_hypotheses(statement, exact_output(), CHOICES | {"lambda_1 > lambda_2": tied})


@definition_6.controls("+repair", grade="symbolic", region="records e_1, e_2: two equal eigenvalues")
def test_repaired_definition_needs_the_gap(statement) -> None:
    tied = exact_output(data=fmpq_mat([[1, 0], [0, 1]]), other_top=E2)
    assert statement.without("lambda_1 > lambda_2").at(tied) is Truth.FALSE
    check_unit_eigenvectors(statement)
    for law in (((E1 + E1, 1),), ((E1, Fraction(3, 2)), (E2, Fraction(-1, 2)))):
        assert statement.applies(exact_output(outputs=law)) is Truth.FALSE
