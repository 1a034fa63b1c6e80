"""Definitions 1 and 2 of `near-optimal`, and the identity after (4)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.utility import CapturedEnergy, Decomposition, TopEigenvectors
from proofs_checks.near_optimal.conditions import bind_condition

definition_1 = cite("near-optimal.definition-1@47b20140")
definition_2 = cite("near-optimal.definition-2@6e32a076")
utility_identity = cite("near-optimal.utility-identity@dab411b2")

HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)
DISTINCT, GAP = "l_1, ..., l_k distinct", "l_k > l_{k+1}"
SWAPPED = CapturedEnergy((2, 1, 1), (1, 0, 1), 2)
ENERGY = {
    "1 <= k < d": attrs.evolve(SWAPPED, rank=3),
    "l_1 >= ... >= l_d >= 0": attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(11, 10))),
    "0 <= |V'v_i|^2 <= 1": attrs.evolve(SWAPPED, weights=(Fraction(11, 10), 0, Fraction(9, 10))),
    "sum |V'v_i|^2 = k": attrs.evolve(SWAPPED, weights=(1, HALF, 1)),
    "V does not span v_1, ..., v_k": attrs.evolve(SWAPPED, weights=(1, 1, 0)),
}
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
    ends = [(p, (*p.eigenvalues, 0)) for p in ENERGIES]
    bind_condition(
        statement,
        "l_1 >= ... >= l_d >= 0",
        [(p, min(values[i] - values[i + 1] for i in range(len(values) - 1))) for p, values in ends],
    )
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
    bind_hypotheses(statement, SWAPPED, ENERGY | {DISTINCT: attrs.evolve(SWAPPED, eigenvalues=(2, 2, 1))})
    first = [(p, p.eigenvalues[0] - p.eigenvalues[1] if p.rank > 1 else p.eigenvalues[0]) for p in ENERGIES]
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
    moved["l_1 >= ... >= l_d >= 0"] = attrs.evolve(inside, eigenvalues=(2, Fraction(21, 10), 1))
    assert statement.at(inside) is Truth.TRUE
    bind_hypotheses(statement, inside, moved | {GAP: SWAPPED})
    bind_hypotheses(statement, CapturedEnergy((1, 0), (0, 1), 1), moved | {GAP: SWAPPED})
    bind_condition(
        statement, GAP, [(p, p.eigenvalues[p.rank - 1] - p.eigenvalues[p.rank]) for p in ENERGIES], strict=True
    )


@definition_1.controls("+repair", grade="symbolic", region="2, 1, 1 and k = 2")
def test_without_a_gap_two_subspaces_tie(statement) -> None:
    assert statement.without(GAP).at(SWAPPED) is Truth.FALSE
    unordered = attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(1, 2), 3), weights=(1, 0, 0, 1))
    assert statement.without("l_1 >= ... >= l_d >= 0").at(unordered) is Truth.FALSE


TIE = TopEigenvectors(HALF, HALF, 0, 1)
TOP = {
    "first >= second >= 0, first + second <= 1": TopEigenvectors(HALF, Fraction(3, 5), 1, 0),
    "(cosine, sine) has norm 1": TopEigenvectors(HALF, HALF, 1, FIFTH),
    "(cosine, sine) is a top eigenvector": TopEigenvectors(HALF, FIFTH, 3 * FIFTH, 4 * FIFTH),
}
TOPS = [
    TopEigenvectors(Fraction(i, 10), Fraction(j, 10), Fraction(k, 5), Fraction(i - k, 7))
    for i, j, k in product((2, 5, 9), (1, 2, 4), (-4, 0, 3))
]


def bind_top(statement: Statement) -> None:
    bind(statement, [(p, -abs(1 - abs(p.cosine))) for p in TOPS])
    assert not statement.strict
    spectrum = [(p, min(p.first - p.second, p.second, 1 - p.first - p.second)) for p in TOPS]
    bind_condition(statement, "first >= second >= 0, first + second <= 1", spectrum)
    bind_condition(statement, "(cosine, sine) has norm 1", [(p, -abs(p.cosine**2 + p.sine**2 - 1)) for p in TOPS])
    vector = [(p, -abs((p.first - p.second) * p.sine)) for p in TOPS]
    bind_condition(statement, "(cosine, sine) is a top eigenvector", vector)


@definition_2.refutes(grade="symbolic", region="records e1 and e2: A = I/2")
def test_without_an_eigengap_closeness_has_two_values(statement) -> None:
    assert statement.at(TIE) is Truth.FALSE
    bind_top(statement)
    bind_hypotheses(statement, TIE, TOP)


@definition_2.supports_repair(
    grade="derived", region="every A with an eigengap: the docstring; its equations solved for a gap of 1/2"
)
def test_an_eigengap_makes_closeness_well_defined(statement) -> None:
    """(second - first) sine = 0 with first > second gives sine = 0, so cosine^2 = 1 and |cosine| = 1."""
    cosine, sine, gap = sympy.symbols("cosine sine gap", real=True)
    assert sympy.solve([gap * sine, cosine**2 + sine**2 - 1, gap - HALF], [cosine, sine, gap]) == [
        (-1, 0, HALF),
        (1, 0, HALF),
    ]
    bind_top(statement)
    unit = TopEigenvectors(HALF, 0, -1, 0)
    assert statement.at(unit) is Truth.TRUE
    bind_hypotheses(statement, unit, TOP | {"first > second": TIE})
    bind_condition(statement, "first > second", [(p, p.first - p.second) for p in TOPS], strict=True)


@definition_2.controls("+repair", grade="symbolic", region="A = I/2")
def test_the_eigengap_is_needed(statement) -> None:
    assert statement.without("first > second").at(TIE) is Truth.FALSE


ROTATION = fmpq_mat(2, 2, [fmpq(3, 5), fmpq(-4, 5), fmpq(4, 5), fmpq(3, 5)])
ROTATED = Decomposition(ROTATION, (2, 1), (1, 0))


def decompositions() -> list[Decomposition]:
    big = fmpq_mat(3, 3, [fmpq(k, 3) for k in (1, 2, 2, 2, 1, -2, 2, -2, 1)])
    two = [Decomposition(ROTATION, (i, Fraction(1, j)), (Fraction(i, 7), j)) for i in range(1, 5) for j in range(1, 5)]
    return two + [Decomposition(big, (3, Fraction(i, 2), -1), (i, Fraction(1, 3), 1 - i)) for i in range(10)]


@utility_identity.supports(
    grade="derived",
    region="every d: v'V diag(l) V'v is the sum of l_i (V'v)_i^2; expanded for d <= 3, exact at 26 rational bases",
)
def test_energy_of_a_vector_in_the_basis_of_eigenvectors(statement) -> None:
    for d in (1, 2, 3):
        V, v = (sympy.MatrixSymbol(name, d, cols).as_explicit() for name, cols in (("V", d), ("v", 1)))
        values = sympy.symbols(f"l:{d}")
        energy = (v.T * V * sympy.diag(*values) * V.T * v)[0, 0]
        parts = values[0] * v.dot(V[:, 0]) ** 2 + sum(values[i] * v.dot(V[:, i]) ** 2 for i in range(1, d))
        assert sympy.expand(energy - parts) == 0
    for point in decompositions():
        assert statement.at(point) is Truth.TRUE
    bind(statement, [(point, Fraction(0)) for point in decompositions()])
    stretched = attrs.evolve(ROTATED, vectors=ROTATION * fmpq(21, 20))
    bind_hypotheses(statement, ROTATED, {"V is orthogonal": stretched})
    assert not statement.strict
    given = statement.given[0]
    bent = [fmpq_mat(2, 2, [1, fmpq(k, 30), 0, 1]) for k in range(1, 25)]
    sheared = [(attrs.evolve(ROTATED, vectors=matrix), -fmpq(k, 30)) for k, matrix in enumerate(bent, start=1)]
    bind(Statement(given.says, given.margin), sheared)
    assert not given.strict


@utility_identity.controls(grade="symbolic", region="d = 2, one rotated basis")
def test_a_missing_term_is_noticed(statement) -> None:
    """Without the second term the identity is off by l_2 <v, v_2>^2 = 16/25."""
    assert statement.nudged(lambda margin: margin - arb(fmpq(16, 25))).at(ROTATED) is Truth.FALSE
    assert statement.at(ROTATED) is Truth.TRUE
