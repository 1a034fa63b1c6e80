"""Runs of `wishart.theorem-7`, of noise of one sign and of either: shared by the evidence, no evidence by itself."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
from flint import fmpq_mat

from dpmatrix.exact import rational
from dpmatrix.spec.wishart.closeness_proof import TopVectorRun
from dpmatrix.spec.wishart.private_closeness import PrivateRun
from proofs_checks.exact_matrices import conjugated, diagonal, rotation

DRAWS = random.Random(19700301)
ONE, SWAP, WIDE, LINE = diagonal([1, 1]), fmpq_mat([[0, 1], [1, 0]]), diagonal([1, 1, 1]), diagonal([1])
NOTHING, TENTH, HALF = diagonal([0, 0]), Fraction(1, 10), Fraction(1, 2)


def least_turn(m: int, n: int, shift: Fraction = Fraction(0)) -> TopVectorRun:
    """Turn diag(1, 0) by theta = 2 arctan(n/m) with the least noise W >= 0 of rank one, ||W|| = sin 2 theta."""
    c, s = Fraction(m * m - n * n, m * m + n * n), Fraction(2 * m * n, m * m + n * n)
    frame = fmpq_mat([[rational(c), rational(-s)], [rational(s), rational(c)]])
    values = (c * c + s * c + shift, s * s + s * c + shift)
    return TopVectorRun((1, 0), ONE, values, frame, 1, 100, 1, Fraction(3, 4), TENTH)


QUIET = TopVectorRun((1, 0), ONE, (Fraction(11, 10), TENTH), ONE, 1, 100, 1, Fraction(3, 4), TENTH)
"""A = diag(1, 0), W = I/10; 80.4 records are the printed number, and 35.5 are enough."""
TIE = attrs.evolve(QUIET, perturbed_values=(HALF, HALF), perturbed_frame=SWAP)
"""W = diag(-1, 1)/2 leaves a tie, in which e2 may come first."""
TURNED = attrs.evolve(
    QUIET,
    perturbed_values=(3, 2),
    perturbed_frame=fmpq_mat(
        [[rational(Fraction(3, 5)), rational(Fraction(-4, 5))], [rational(Fraction(4, 5)), rational(Fraction(3, 5))]]
    ),
)
"""A turn by 53 degrees, with noise of norm 2.8."""
AXES = attrs.evolve(
    QUIET,
    values=(1, 1, 0),
    frame=WIDE,
    perturbed_values=(1, 1, 0),
    perturbed_frame=fmpq_mat([[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
)
SHAPES = {
    "k = 1": attrs.evolve(AXES, k=2),
    "the eigenvectors are orthonormal": attrs.evolve(
        QUIET, perturbed_values=(4, 0), perturbed_frame=diagonal([HALF, 1])
    ),
    "k < d": attrs.evolve(QUIET, values=(1,), frame=LINE, perturbed_values=(1,), perturbed_frame=LINE),
    "the eigenvalues are in decreasing order": attrs.evolve(
        AXES,
        values=(1, 0, 1),
        perturbed_values=(1, 0, 1),
        perturbed_frame=fmpq_mat([[0, 0, 1], [0, 1, 0], [1, 0, 0]]),
        records=200,
    ),
}
EQUAL = attrs.evolve(QUIET, values=(1, 1), perturbed_values=(1, 1), perturbed_frame=SWAP)
PARAMETERS = {
    "records >= 1, an integer": attrs.evolve(QUIET, records=0),
    "epsilon > 0": attrs.evolve(QUIET, epsilon=0),
    "eta > 0": attrs.evolve(QUIET, eta=0),
    "eta < 1": attrs.evolve(QUIET, eta=1),
    "rho < 1": attrs.evolve(QUIET, rho=2),
}


def private(run: TopVectorRun, removed: fmpq_mat | None = None) -> PrivateRun:
    """Read the noise of a run as W_1 - W_2 with the given W_2, or 0."""
    d = run.frame.nrows()
    fields = {field.name: getattr(run, field.name) for field in attrs.fields(TopVectorRun)}
    return PrivateRun(**fields, removed=diagonal([0] * d) if removed is None else removed)


def drawn_runs(shifted: bool) -> list[TopVectorRun]:
    """Draw small turns of spectra with a gap: noise of either sign, or shifted until it has one; n is set apart."""
    runs = []
    for number in range(24):
        d = 2 + number % 3
        values = (DRAWS.randint(10, 12), *sorted((DRAWS.randint(0, 2) for _ in range(d - 1)), reverse=True))
        frame = rotation(DRAWS, d, 3)
        turned = frame * rotation(DRAWS, d, 800)
        size = norm_bound(conjugated(values, turned) - conjugated(values, frame))
        moved = tuple(x + size if shifted else x - Fraction(i, 9) for i, x in enumerate(values))
        rho, eta = Fraction(DRAWS.randint(71, 80), 100), Fraction(1, DRAWS.choice((3, 10, 1000)))
        runs.append(TopVectorRun(values, frame, moved, turned, 1, 1, Fraction(1, DRAWS.randint(10, 99)), rho, eta))
    return runs


def norm_bound(matrix: fmpq_mat) -> Fraction:
    """Give a multiple of 1/64 that is at least the spectral norm: more than the Frobenius norm."""
    return Fraction(int(64 * sum(float(x) ** 2 for x in matrix.entries()) ** 0.5) + 1, 64)


def swapping(first: Fraction, second: Fraction, removed: fmpq_mat, **changes) -> PrivateRun:
    """Make A + W_1 - W_2 = diag(second, first), in which e2 comes first."""
    run = attrs.evolve(QUIET, perturbed_values=(first, second), perturbed_frame=SWAP)
    return attrs.evolve(private(run, removed), **changes)
