"""What becomes of symmetry when every entry of A gets noise of its own (section 3.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Real, ball, rational
from dpmatrix.spec.common.conditions import positive, whole

QUARTER = fmpq(1, 4)


@attrs.frozen
class NearSymmetry:
    """A + N of order d, the standard deviation of an entry of N, and how far N_ij may be from N_ji."""

    dimension: int
    deviation: Real
    distance: Real


def near_symmetry(p: NearSymmetry) -> arb:
    """``P(|N_ij - N_ji| <= t for all i < j)``: d (d-1)/2 independent differences of variance 2 beta^2."""
    one = (ball(p.distance) / (2 * ball(p.deviation))).erf()
    return one ** (p.dimension * (p.dimension - 1) // 2)


def near_bound(p: NearSymmetry) -> arb:
    """``t/(beta sqrt(pi))``, which tends to 0 with t."""
    return ball(p.distance) / (ball(p.deviation) * arb.pi().sqrt())


@attrs.frozen
class NoisyMatrix:
    """A matrix A, shape (d, d), and the standard deviation of each entry of the noise."""

    matrix: fmpq_mat
    deviation: Real


def turned(order: int) -> fmpq_mat:
    """A quarter turn in the plane of the first two coordinates, 0 elsewhere.

    Raises
    ------
    ValueError
        If the order is below 2: there is no plane.
    """
    if order < 2:
        raise ValueError("a quarter turn takes a plane")
    rows = fmpq_mat(order, order)
    rows[0, 1], rows[1, 0] = fmpq(-1), fmpq(1)
    return rows


def entry_chance(shift: fmpq, radius: fmpq, deviation: arb) -> arb:
    """``P(|N - shift| < radius)`` for N of mean 0 and the deviation."""
    unit = deviation * arb(2).sqrt()
    return ((arb(shift + radius) / unit).erf() - (arb(shift - radius) / unit).erf()) / 2


def turned_chance(p: NoisyMatrix) -> arb:
    """``P(|(A + N - Q)_ij| < 1/(4d) for all i and j)`` with Q the quarter turn.

    Then the spectral norm of A + N - Q is below 1/4. Q is normal with the eigenvalues i, -i and 0, so that A + N has
    one eigenvalue within 1/4 of i, one within 1/4 of -i, and all others within 1/4 of 0: the leading two are not real.
    """
    order, chance = p.matrix.nrows(), arb(1)
    shifts = turned(order) - p.matrix
    for shift in shifts.entries():
        chance *= entry_chance(rational(shift), QUARTER / order, ball(p.deviation))
    return chance


SYMMETRY_STEPS = (
    Step(
        "never-symmetric",
        Statement.of_law(
            "for d >= 2 A + N is symmetric with probability 0: within t of it with at most t/(beta sqrt(pi))",
            near_symmetry,
            at_most=near_bound,
            given=(whole("dimension", 2), positive("deviation"), positive("distance")),
        ),
        defect=None,
        note="Whatever symmetric A is. For d = 1 it is symmetric.",
    ),
    Step(
        "leading-eigenvalue-not-real",
        Statement(
            "whatever A is, with positive probability the eigenvalues of A + N of largest modulus are not real",
            turned_chance,
            given=(positive("deviation"),),
            strict=True,
        ),
        defect=None,
        note="For d >= 2. A real matrix has no real eigenvector for an eigenvalue that is not real.",
    ),
)
