"""Algorithm 1 of `near-optimal`: what its third step takes, and what a run may contain."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.mod_sulq_algorithm import ModSulqRun, Perturbed
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import beta

algorithm_1 = cite("near-optimal.algorithm-1@1b63d989")

SHAPE = "A and N have shape (d, d), v has d coordinates"
COPIES, DOWN = fmpq_mat(2, 2, [1, 0, 0, 0]), fmpq_mat(2, 2, [-2, fmpq(1, 3), fmpq(1, 3), 1])
LOST = Perturbed(COPIES, DOWN, (1, 0))
PERTURBED = [
    Perturbed(
        fmpq_mat(2, 2, [fmpq(i, 4), fmpq(1, 8), fmpq(1, 8), fmpq(1, 2)]),
        fmpq_mat(2, 2, [j, fmpq(k, 3), fmpq(k, 3), -1]),
        (Fraction(k, 2), j),
    )
    for i, j, k in product((1, 2), (-3, 1, 2), (-2, 0, 1, 5))
]


def quadratic(matrix: fmpq_mat, v: tuple) -> Fraction:
    entries = [[Fraction(int(x.p), int(x.q)) for x in row] for row in matrix.tolist()]
    return sum(entries[i][j] * v[i] * v[j] for i in range(len(v)) for j in range(len(v)))


@algorithm_1.refutes(grade="symbolic", region="d = 2, copies of e_1 and one value of the noise, at v = e_1")
def test_the_noisy_matrix_is_not_semidefinite(statement) -> None:
    """N_11 = -2 takes more than the eigenvalue 1 of A; the density of N is positive there."""
    assert statement.at(LOST) is Truth.FALSE
    bind(statement, [(p, quadratic(p.moment, p.direction) + quadratic(p.noise, p.direction)) for p in PERTURBED])
    small = attrs.evolve(LOST, noise=fmpq_mat(2, 2, [fmpq(-1, 2), 0, 0, 0]))
    assert statement.at(small) is Truth.TRUE
    outside = {
        SHAPE: attrs.evolve(LOST, direction=(1, 0, 0)),
        "A = A' and N = N'": attrs.evolve(LOST, noise=fmpq_mat(2, 2, [0, 1, 0, 0])),
        "v'Av >= 0": attrs.evolve(LOST, moment=DOWN),
    }
    bind_hypotheses(statement, LOST, outside)
    bind_condition(statement, SHAPE, [(outside[SHAPE], -1), *((p, 1) for p in PERTURBED)])
    bind_condition(statement, "v'Av >= 0", [(p, quadratic(p.moment, p.direction)) for p in PERTURBED])
    assert not statement.strict


PARTS = ("gram", "noise", "output", "vectors", "data")


def by_hand() -> ModSulqRun:
    """Two records (3/5, 0) and (0, 4/5) on a grid of tenths, and both elementary vectors."""
    gram, noise = fmpz_mat(2, 2, [36, 0, 0, 64]), fmpz_mat(2, 2, [1, 2, 2, -3])
    run = ModSulqRun(2, 2, 1, Fraction(1, 100), unit=Fraction(1, 10), data=fmpz_mat(2, 2, [6, 0, 0, 8]))
    with mpmath.workdps(60):
        deviation = Fraction(mpmath.nstr(beta(run) * (1 + mpmath.mpf(2) ** -21), 40))
    plane = fmpq_mat(2, 2, [1, 0, 0, 1])
    return attrs.evolve(run, deviation=deviation, gram=gram, noise=noise, output=gram + noise, vectors=plane)


@algorithm_1.controls("+repair", grade="symbolic", region="a run by hand, with one fault at a time")
def test_the_size_of_a_fault_is_the_margin(statement) -> None:
    """A run that names no grid has its records in integers, and one that names no standard deviation has 1."""
    run = by_hand()
    skew, level, corner = fmpz_mat(2, 2, [1, 4, 2, -3]), fmpz_mat(2, 2, [1, 0, 0, -3]), fmpz_mat(2, 2, [5, 0, 0, 0])
    missed = Fraction(61 - 37, 1 + 37 + 61)
    first = fmpq_mat(2, 1, [1, 0])
    faults = [
        ({}, 0),
        ({"data": None}, -1),
        ({"noise": None}, -1),
        ({"vectors": None}, -1),
        ({"gram": run.gram + corner, "output": run.output + corner}, -5),
        ({"unit": Fraction(1, 5)}, 1 - Fraction(8, 5) ** 2),
        ({"output": run.output + corner}, -5),
        ({"noise": skew, "output": run.gram + skew}, -2),
        ({"noise": level, "output": run.gram + level, "vectors": first}, Fraction(1, 2**30) - missed),
    ]
    bare = ModSulqRun(2, 2, 1, Fraction(1, 100), **{name: getattr(run, name) for name in PARTS})
    integers, level_one = attrs.evolve(bare, deviation=run.deviation), attrs.evolve(bare, unit=run.unit)
    with mpmath.workdps(60):
        short = Fraction(mpmath.nstr(1 - beta(run), 50))
    unnamed = [(integers, 1 - 8**2), (level_one, short)]
    points = [*((attrs.evolve(run, **change), value) for change, value in faults), *unnamed]
    bind(statement.elsewhere(), points, least=11)
    assert all(statement.elsewhere().at(attrs.evolve(run, **change)) is Truth.FALSE for change, _ in faults[1:])
