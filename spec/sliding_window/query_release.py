"""What Theorem 5 becomes: one noisy release of the window, from which queries that were fixed before are answered.

The noise has independent entries N(0, s^2) on and above the diagonal; s is that of `dyadic_release` for a single sum.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Repair, Statement, Step
from dpmatrix.exact import Exact, ball, square
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.common.conditions import below, exceeds, positive
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm


@attrs.frozen
class FixedQueries:
    """Queries x, and a bound on the errors |x'Cx - |A_W x|^2| = |x'Nx|, N the noise.

    Parameters
    ----------
    directions
        q x d: the queries, unit vectors.
    epsilon, delta
        The guarantee of the release.
    beta
        Allowed probability of failure.
    bound
        E.
    """

    directions: fmpq_mat
    epsilon: Exact
    delta: Exact
    beta: Exact
    bound: Exact


def noise_variance(epsilon: Exact, delta: Exact) -> arb:
    """``s^2``, s = (z + sqrt(z^2 + 2 epsilon))/(2 epsilon), z = sqrt(2 log(1/delta))."""
    return square(deviation(DyadicRelease(0, 0, epsilon, delta)))


def missed_probabilities(p: FixedQueries) -> list[arb]:
    """Probability, for each query, that its error exceeds E: x'Nx has the variance s^2 (2 - sum x_i^4)."""
    noise = noise_variance(p.epsilon, p.delta)
    fourths = [sum((x**4 for x in query), fmpq(0)) for query in p.directions.tolist()]
    return [(ball(p.bound) / (2 * noise * arb(2 - fourth)).sqrt()).erfc() for fourth in fourths]


def answered_probability(p: FixedQueries) -> arb:
    """Probability that all errors are at most E: exact for one query, else between the union bound and the worst."""
    missed = missed_probabilities(p)
    most = sum(missed, arb(0))
    if len(missed) == 1:
        return 1 - most
    least = missed[0]
    for other in missed[1:]:
        least = least.max(other)
    return (1 - most).union(1 - least)


def success_asked(p: FixedQueries) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.beta)


def unit_margin(p: FixedQueries) -> arb:
    """0 when there is a query and each is a unit vector."""
    rows = p.directions.nrows()
    return flag(rows > 0 and all(squared_norm(row(p.directions, k)) == 1 for k in range(1, rows + 1)))


def bound_margin(p: FixedQueries) -> arb:
    """``E - 2 s sqrt(log(q/beta))``."""
    exponent = (p.directions.nrows() / ball(p.beta)).log()
    return ball(p.bound) - 2 * (noise_variance(p.epsilon, p.delta) * exponent).sqrt()


@attrs.frozen
class ReleasedRow:
    """The row, 1 x d, that is present in a window or replaced by zero, and the guarantee of the release."""

    row: fmpq_mat
    epsilon: Exact
    delta: Exact


def release_margin(p: ReleasedRow) -> arb:
    """Delta minus the exact profile, at epsilon, of the release: the triangle of a'a over s."""
    entries, width = p.row.entries(), p.row.ncols()
    moved = sum(((entries[i] * entries[j]) ** 2 for i in range(width) for j in range(i, width)), fmpq(0))
    if moved == 0:
        return ball(p.delta)
    noise = noise_variance(p.epsilon, p.delta).sqrt()
    return ball(p.delta) - GaussianProfile(arb(moved).sqrt(), noise).delta(p.epsilon)


def row_margin(p: ReleasedRow) -> arb:
    """``1 - |a|^2``; -1 when there is not one row."""
    return arb(1 - squared_norm(p.row)) if p.row.nrows() == 1 else arb(-1)


GUARANTEE = (positive("epsilon"), positive("delta"), below("delta", 1))
ONE_RELEASE = Step(
    "one-release",
    Statement(
        "A_W'A_W with independent noise N(0, s^2) on and above the diagonal, s = (z + sqrt(z^2 + 2 eps))/(2 eps), z = "
        "sqrt(2 log(1/delta)), is (eps, delta)-DP for rows of norm at most 1, one of which is replaced by zero",
        release_margin,
        given=(exceeds("one row, of norm at most 1", row_margin, strict=False), *GUARANTEE),
    ),
    defect=None,
    note="The privacy of the repair; what is computed from the release is as private.",
)
FEW_QUERIES = Repair(
    "rows of norm at most 1, one replaced by zero; one release of A_W'A_W, at one time, with Gaussian noise in the "
    "triangle; no factor 1/(1-eta), and 2 s sqrt(log(q/beta)) for c log q log d/eps; the window itself is held",
    Statement.of_law(
        "with s of the step `one-release`, the answers x'Cx to q unit queries, fixed before the noise is drawn, are "
        "all within E = 2 s sqrt(log(q/beta)) of |A_W x|^2 with probability at least 1 - beta",
        answered_probability,
        at_least=success_asked,
        given=(
            exceeds("the queries are unit vectors", unit_margin, strict=False),
            *GUARANTEE,
            positive("beta"),
            below("beta", 1),
            exceeds("E >= 2 s sqrt(log(q/beta))", bound_margin, strict=False),
        ),
    ),
)
