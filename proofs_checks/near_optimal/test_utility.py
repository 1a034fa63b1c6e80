"""Definitions 1 and 2 of `near-optimal`, and the identity after (4)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.utility import CapturedEnergy, Decomposition, OtherTop
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed

definition_1 = cite("near-optimal.definition-1@1b781609")
definition_2 = cite("near-optimal.definition-2@0a4ce8ac")
utility_identity = cite("near-optimal.utility-identity@db2bcee6")

HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)
DISTINCT, GAP = "l_1, ..., l_k distinct", "l_k > l_{k+1}"
SEMIDEFINITE = "A is positive semidefinite"
SWAPPED = CapturedEnergy((2, 1, 1), (1, 0, 1), 2)
ENERGY = {
    "one weight for each eigenvalue": attrs.evolve(SWAPPED, weights=(1, 1)),
    "1 <= k < d": attrs.evolve(SWAPPED, rank=3),
    "l_1 >= ... >= l_d": attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(11, 10))),
    "0 <= |V'v_i|^2 <= 1": attrs.evolve(SWAPPED, weights=(Fraction(11, 10), 0, Fraction(9, 10))),
    "sum |V'v_i|^2 = k": attrs.evolve(SWAPPED, weights=(1, HALF, 1)),
    "V does not span v_1, ..., v_k": attrs.evolve(SWAPPED, weights=(1, 1, 0)),
}
UNORDERED = attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(1, 2), 3), weights=(1, 0, 0, 1))
ENERGIES = [
    CapturedEnergy(
        tuple(Fraction(i + j * k, 3) for j in range(d, 0, -1)), tuple(Fraction(j + i, 9) for j in range(d)), rank
    )
    for d, rank in ((2, 1), (3, 1), (3, 2), (5, 3))
    for i, k in product((0, 1, 4), (1, 2))
]


def bind_energy(statement: Statement) -> None:
    def captured(p: CapturedEnergy) -> Fraction:
        inside = sum(a * (1 - w) for a, w in list(zip(p.eigenvalues, p.weights, strict=True))[: p.rank])
        return inside - sum(a * w for a, w in list(zip(p.eigenvalues, p.weights, strict=True))[p.rank :])

    bind(statement, [(p, captured(p)) for p in ENERGIES])
    steps = [(p, min(p.eigenvalues[i] - p.eigenvalues[i + 1] for i in range(len(p.weights) - 1))) for p in ENERGIES]
    single = CapturedEnergy((1,), (1,), 1)
    bind_condition(statement, "l_1 >= ... >= l_d", [(single, -1), *steps])
    bind_condition(statement, "one weight for each eigenvalue", [(p, Fraction(0)) for p in ENERGIES])
    bind_condition(statement, "1 <= k < d", [(p, Fraction(min(p.rank, len(p.weights) - p.rank) - 1)) for p in ENERGIES])
    inner = [(p, min(min(w, 1 - w) for w in p.weights)) for p in ENERGIES]
    bind_condition(statement, "0 <= |V'v_i|^2 <= 1", inner)
    bind_condition(statement, "sum |V'v_i|^2 = k", [(p, -abs(sum(p.weights) - p.rank)) for p in ENERGIES])
    left = [(p, sum(p.weights) - sum(p.weights[: p.rank])) for p in ENERGIES]
    bind_condition(statement, "V does not span v_1, ..., v_k", left, strict=True)


@definition_1.refutes(grade="symbolic", region="eigenvalues 2, 1, 1 and k = 2")
def test_distinct_eigenvalues_do_not_determine_the_subspace(statement) -> None:
    assert statement.at(SWAPPED) is Truth.FALSE
    assert statement.strict
    bind_energy(statement)
    more = {
        DISTINCT: attrs.evolve(SWAPPED, eigenvalues=(2, 2, 1)),
        SEMIDEFINITE: attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(-1, 20))),
    }
    bind_hypotheses(statement, SWAPPED, ENERGY | more)
    none = CapturedEnergy((), (), 0)
    bind_condition(statement, SEMIDEFINITE, [(none, -1), *((p, min(p.eigenvalues)) for p in ENERGIES)])
    first = [(p, p.eigenvalues[0] - p.eigenvalues[1] if p.rank > 1 else Fraction(1)) for p in ENERGIES]
    bind_condition(statement, DISTINCT, first, strict=True)
    uneven = attrs.evolve(SWAPPED, eigenvalues=(5, 4, 4, 1), weights=(1, 1, 0, 1), rank=3)
    assert statement.applies(uneven) is Truth.FALSE, "the second and the third agree"


@definition_1.supports_repair(
    grade="derived",
    region="every d, k < d and spectrum: derivation in the docstring, its identity machine-checked for d <= 5",
)
def test_a_gap_determines_the_subspace(statement) -> None:
    """The margin is sum_{i<=k} (l_i - l_k)(1 - w_i) + sum_{i>k} (l_{k+1} - l_i) w_i + Delta_k T, T = sum_{i>k} w_i.

    The first two sums are not negative and Delta_k T > 0; T = 0 says that V'v_i = 0 for i > k.
    """
    for d in range(2, 6):
        values, weights = sympy.symbols(f"l:{d}"), sympy.symbols(f"w:{d}")
        for k in range(1, d):
            last = k - sum(weights[:-1])
            w = [*weights[:-1], last]
            margin = sum(values[:k]) - sum(a * b for a, b in zip(values, w, strict=True))
            terms = sum((values[i] - values[k - 1]) * (1 - w[i]) for i in range(k))
            terms += sum((values[k] - values[i]) * w[i] for i in range(k, d))
            terms += (values[k - 1] - values[k]) * sum(w[k:])
            assert sympy.expand(margin - terms) == 0
    bind_energy(statement)
    assert statement.strict
    inside = attrs.evolve(SWAPPED, eigenvalues=(2, 2, 1))
    moved = {says: attrs.evolve(p, eigenvalues=(2, 2, 1)) for says, p in ENERGY.items()}
    moved["l_1 >= ... >= l_d"] = attrs.evolve(inside, eigenvalues=(2, Fraction(21, 10), 1))
    assert statement.at(inside) is Truth.TRUE
    assert statement.at(attrs.evolve(inside, eigenvalues=(2, -1, -3))) is Truth.TRUE, "A need not be semidefinite"
    bind_hypotheses(statement, inside, moved | {GAP: SWAPPED})
    needed = {
        "l_1 >= ... >= l_d": UNORDERED,
        "0 <= |V'v_i|^2 <= 1": CapturedEnergy((10, 1, 0), (3, -2, 1), 2),
        GAP: SWAPPED,
    }
    bind_needed(statement, CapturedEnergy((1, 0), (0, 1), 1), moved, needed)
    bind_condition(
        statement, GAP, [(p, p.eigenvalues[p.rank - 1] - p.eigenvalues[p.rank]) for p in ENERGIES], strict=True
    )


@definition_1.controls("+repair", grade="symbolic", region="2, 1, 1 and k = 2")
def test_without_a_gap_two_subspaces_tie(statement) -> None:
    assert statement.without(GAP).at(SWAPPED) is Truth.FALSE
    assert statement.without("l_1 >= ... >= l_d").at(UNORDERED) is Truth.FALSE


ROTATION = fmpq_mat(2, 2, [fmpq(3, 5), fmpq(-4, 5), fmpq(4, 5), fmpq(3, 5)])
BIG = fmpq_mat(3, 3, [fmpq(k, 3) for k in (1, 2, 2, 2, 1, -2, 2, -2, 1)])


def exact(value) -> fmpq:
    return fmpq(Fraction(value).numerator, Fraction(value).denominator)


def decomposed(vectors: fmpq_mat, eigenvalues: tuple, output: tuple) -> Decomposition:
    """Build A from orthonormal columns."""
    size = len(eigenvalues)
    entries = [exact(eigenvalues[i]) if i == j else fmpq(0) for i in range(size) for j in range(size)]
    matrix = vectors * fmpq_mat(size, size, entries) * vectors.transpose()
    return Decomposition(matrix, vectors, eigenvalues, output)


def beside(p: Decomposition, other: tuple) -> OtherTop:
    return OtherTop(p.matrix, p.vectors, p.eigenvalues, p.output, other)


ROTATED = decomposed(ROTATION, (2, 1), (1, 0))
DECOMPOSITIONS = [
    *(decomposed(ROTATION, (i, Fraction(1, j)), (Fraction(i, 7), j)) for i in range(1, 5) for j in range(1, 5)),
    *(decomposed(BIG, (3, Fraction(i, 2), -1), (i, Fraction(1, 3), 1 - i)) for i in range(10)),
]
SHAPE, ORTHOGONAL, EIGENVECTORS = (
    "A and V have shape (d, d), and the output has d coordinates",
    "V is orthogonal",
    "A v_i = l_i v_i",
)
NOTHING = Decomposition(fmpq_mat(0, 0), fmpq_mat(0, 0), (), ())
DOUBLED = attrs.evolve(
    ROTATED, matrix=fmpq_mat(2, 2, [2, 0, 0, 2]), vectors=fmpq_mat(2, 2, [2, 0, 0, 2]), eigenvalues=(2, 2)
)


def outside(p: Decomposition) -> dict:
    return {
        SHAPE: attrs.evolve(p, output=(1, 0, 0)),
        ORTHOGONAL: attrs.evolve(p, vectors=ROTATION * fmpq(21, 20)),
        EIGENVECTORS: attrs.evolve(p, matrix=fmpq_mat(2, 2, [1, 0, 0, 3])),
    }


def check_decomposition(statement: Statement, wrap) -> None:
    bent = [fmpq_mat(2, 2, [1, fmpq(k, 30), 0, 1]) for k in range(1, 25)]
    sheared = [(wrap(attrs.evolve(ROTATED, vectors=matrix)), -fmpq(k, 30)) for k, matrix in enumerate(bent, start=1)]
    bind_condition(statement, ORTHOGONAL, sheared)
    unit = fmpq_mat(2, 2, [1, 0, 0, 1])
    off = [(fmpq_mat(2, 2, [2, fmpq(k, 30), fmpq(k, 30), 1]), -fmpq(k, 30)) for k in range(1, 25)]
    moved = [(wrap(attrs.evolve(ROTATED, matrix=matrix, vectors=unit)), value) for matrix, value in off]
    bind_condition(statement, EIGENVECTORS, moved)
    sizes = [(wrap(p), Fraction(len(p.eigenvalues) - 1)) for p in DECOMPOSITIONS]
    bind_condition(statement, SHAPE, [(wrap(outside(ROTATED)[SHAPE]), -1), *sizes])
    for says in (ORTHOGONAL, EIGENVECTORS):
        bind_condition(statement, says, [(wrap(NOTHING), 0)], least=1)


def energy_of(p: Decomposition) -> Fraction:
    """Give l_1 (3/5)^2 + l_2 (4/5)^2, the energy of e_1 in the rotated basis."""
    first, second = p.eigenvalues
    return Fraction(9 * first + 16 * second, 25)


@utility_identity.supports(
    grade="derived",
    region="every d: derivation in the docstring, its identity expanded for d <= 3; 26 matrices exactly",
)
def test_energy_of_a_vector_in_the_basis_of_eigenvectors(statement) -> None:
    """A V = V diag(l) and V V' = I, as V is square and V'V = I, so that A = V diag(l) V'.

    Then v'Av = (V'v)' diag(l) (V'v) is the sum of l_i <v, v_i>^2; expanded for d <= 3, it holds term by term.
    """
    for d in (1, 2, 3):
        V, v = (sympy.MatrixSymbol(name, d, cols).as_explicit() for name, cols in (("V", d), ("v", 1)))
        values = sympy.symbols(f"l:{d}")
        energy = (v.T * V * sympy.diag(*values) * V.T * v)[0, 0]
        parts = values[0] * v.dot(V[:, 0]) ** 2 + sum(values[i] * v.dot(V[:, i]) ** 2 for i in range(1, d))
        assert sympy.expand(energy - parts) == 0
    for point in DECOMPOSITIONS:
        assert statement.at(point) is Truth.TRUE
    bind(statement, [(point, Fraction(0)) for point in DECOMPOSITIONS])
    other = [attrs.evolve(ROTATED, eigenvalues=(i, j), output=(1, 0)) for i in range(5) for j in range(5)]
    bind(statement, [(p, -abs(energy_of(ROTATED) - energy_of(p))) for p in other])
    bind_hypotheses(statement, ROTATED, outside(ROTATED))
    check_decomposition(statement, lambda p: p)
    assert not statement.strict


@utility_identity.controls(
    grade="symbolic", region="d = 2: a basis of length 2, another matrix, the second term left out"
)
def test_a_missing_term_is_noticed(statement) -> None:
    """Without the second term the identity is off by l_2 <v, v_2>^2 = 16/25."""
    assert statement.without(ORTHOGONAL).at(DOUBLED) is Truth.FALSE
    assert statement.without(EIGENVECTORS).at(outside(ROTATED)[EIGENVECTORS]) is Truth.FALSE

    def first_term_alone(p: Decomposition) -> arb:
        column = fmpq_mat(2, 1, [exact(x) for x in p.output])
        energy = (column.transpose() * p.matrix * column)[0, 0]
        along = sum((exact(x) * p.vectors[j, 0] for j, x in enumerate(p.output)), fmpq(0))
        return -abs(arb(energy - exact(p.eigenvalues[0]) * along * along))

    changed = statement.nudged(margin=first_term_alone)
    assert changed.at(ROTATED) is Truth.FALSE
    assert changed.at(decomposed(ROTATION, (2, 0), (1, 0))) is Truth.TRUE, "where the second term is 0"


TIE = beside(decomposed(fmpq_mat(2, 2, [1, 0, 0, 1]), (HALF, HALF), (1, 0)), (0, 1))
TILTED = beside(ROTATED, (Fraction(-3, 5), Fraction(-4, 5)))


ONE = beside(decomposed(fmpq_mat(1, 1, [1]), (3,), (1,)), (1,))
"""In dimension one there is no second eigenvalue."""


def top_outside(p: OtherTop) -> dict:
    return outside(p) | {
        "l_1 >= ... >= l_d": attrs.evolve(p, eigenvalues=(1, 2)),
        "the other vector has norm 1": attrs.evolve(p, other=(Fraction(3, 5), Fraction(3, 5))),
        "it is an eigenvector for l_1": attrs.evolve(TILTED, other=(1, 0)),
    }


TOPS = [
    beside(p, tuple(sign * p.vectors[i, 0] for i in range(len(p.eigenvalues))))
    for p in DECOMPOSITIONS
    for sign in (1, -1)
]


def check_top(statement: Statement) -> None:
    check_decomposition(statement, lambda p: beside(p, tuple(1 if i == 0 else 0 for i in range(len(p.eigenvalues)))))
    falls = [(p, min(a - b for a, b in zip(p.eigenvalues, p.eigenvalues[1:], strict=False))) for p in TOPS]
    falls.append((ONE, 0))
    bind_condition(statement, "l_1 >= ... >= l_d", [(p, Fraction(value)) for p, value in falls])
    stretched = [(attrs.evolve(TIE, other=(0, Fraction(k, 9))), -abs(Fraction(k, 9) ** 2 - 1)) for k in range(24)]
    bind_condition(statement, "the other vector has norm 1", stretched)
    flat = fmpq_mat(2, 2, [2, 0, 0, 1])
    turned = [attrs.evolve(TIE, matrix=flat, eigenvalues=(2, 1), other=(1, Fraction(k, 9))) for k in range(24)]
    bind_condition(statement, "it is an eigenvector for l_1", [(p, -Fraction(p.other[1])) for p in turned])
    shares = [attrs.evolve(TIE, output=(Fraction(i, 5), Fraction(j, 7))) for i in range(5) for j in range(5)]
    bind(statement, [(p, -abs(abs(p.output[0]) - abs(p.output[1]))) for p in shares])
    assert not statement.strict


@definition_2.refutes(grade="symbolic", region="records e1 and e2: A = I/2")
def test_without_an_eigengap_closeness_has_two_values(statement) -> None:
    assert statement.at(TIE) is Truth.FALSE
    check_top(statement)
    bind_hypotheses(statement, TIE, top_outside(TIE))


@definition_2.supports_repair(
    grade="derived", region="every d and symmetric A with an eigengap: the docstring; 52 matrices and vectors exactly"
)
def test_an_eigengap_makes_closeness_well_defined(statement) -> None:
    """Let u = sum c_i v_i have norm 1 and A u = l_1 u. Then (l_1 - l_i) c_i = 0 for every i, so that c_i = 0 for i > 1.

    Hence u = c_1 v_1 with |c_1| = 1, and |<v, u>| = |<v, v_1>| for every output v.
    """
    coordinates, values = sympy.symbols("c:3"), sympy.symbols("l:3")
    image = [values[i] * coordinates[i] - values[0] * coordinates[i] for i in range(3)]
    assert [sympy.factor(entry) for entry in image[1:]] == [
        sympy.factor(coordinates[i] * (values[i] - values[0])) for i in (1, 2)
    ]
    check_top(statement)
    held = [p for p in TOPS if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 30
    assert all(statement.at(p) is Truth.TRUE for p in (*held, TILTED))
    bind_hypotheses(statement, TILTED, top_outside(TILTED) | {"l_1 > l_2": TIE})
    misnamed = attrs.evolve(TIE, matrix=fmpq_mat(2, 2, [1, 0, 0, 2]), eigenvalues=(2, 1))
    cube = fmpq_mat(3, 3, [1, 0, 0, 0, 1, 0, 0, 0, 1])
    needed = {
        EIGENVECTORS: misnamed,
        "l_1 >= ... >= l_d": beside(decomposed(cube, (2, 1, 2), (1, 0, 0)), (0, 0, 1)),
        "the other vector has norm 1": attrs.evolve(TILTED, other=(Fraction(6, 5), Fraction(8, 5))),
        "l_1 > l_2": TIE,
    }
    bind_needed(statement, TILTED, top_outside(TILTED), needed)
    gaps = [(p, Fraction(p.eigenvalues[0]) - Fraction(p.eigenvalues[1])) for p in TOPS]
    bind_condition(statement, "l_1 > l_2", [(ONE, 1), *gaps], strict=True)


@definition_2.controls("+repair", grade="symbolic", region="A = I/2; a vector that is no top eigenvector")
def test_the_eigengap_is_needed(statement) -> None:
    assert statement.without("l_1 > l_2").at(TIE) is Truth.FALSE
    second = attrs.evolve(TILTED, other=(Fraction(-4, 5), Fraction(3, 5)))
    assert statement.without("it is an eigenvector for l_1").at(second) is Truth.FALSE
