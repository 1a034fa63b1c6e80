"""Algorithm 1: Gaussian noise of deviation Delta on the second-moment matrix, and what Delta promises."""

from __future__ import annotations

import attrs
from flint import arb, fmpz_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.conditions import at_most, below, exceeds, positive


@attrs.frozen
class GaussianPromise:
    """A promise, a bound R on the norm of a row, and the relation between data sets."""

    epsilon: Real
    delta: Real
    norm_bound: Real
    adjacency: Adjacency


def tail_root(delta: Real) -> arb:
    """``sqrt(2 log(1/delta))``."""
    return (2 * (1 / ball(delta)).log()).sqrt()


def printed_deviation(epsilon: Real, delta: Real) -> arb:
    """``Delta = (1 + sqrt(2 log(1/delta))) / epsilon``."""
    return (1 + tail_root(delta)) / ball(epsilon)


def second_moment_sensitivity(p: GaussianPromise) -> arb:
    """Largest l2 norm of a change of the upper triangle: R^2 for a row added or removed, sqrt(2) R^2 if replaced."""
    factor = arb(2).sqrt() if p.adjacency is Adjacency.REPLACE_ONE else arb(1)
    return factor * square(ball(p.norm_bound))


def printed_margin(p: GaussianPromise) -> arb:
    """Promised delta minus the exact delta of noise of deviation Delta."""
    noise = GaussianProfile(second_moment_sensitivity(p), printed_deviation(p.epsilon, p.delta))
    return ball(p.delta) - noise.delta(p.epsilon)


def repaired_margin(p: GaussianPromise) -> arb:
    """Half the promised delta minus the exact delta of noise of deviation Delta times the sensitivity."""
    sensitivity = second_moment_sensitivity(p)
    noise = GaussianProfile(sensitivity, sensitivity * printed_deviation(p.epsilon, p.delta))
    return ball(p.delta) / 2 - noise.delta(p.epsilon)


def small_epsilon_margin(p: GaussianPromise) -> arb:
    """``2 (1 + sqrt(2 log(1/delta))) - epsilon``."""
    return 2 * (1 + tail_root(p.delta)) - ball(p.epsilon)


def added_margin(p: GaussianPromise) -> arb:
    """Non-negative when neighbours differ by a row that is added or removed."""
    return arb(1 if p.adjacency is Adjacency.ADD_REMOVE_ONE else -1)


def replaced_margin(p: GaussianPromise) -> arb:
    """Non-negative when neighbours differ by a row that is replaced."""
    return -added_margin(p)


@attrs.frozen
class GaussianRun:
    """What an implementation draws, in units of a grid: the integer matrix that it rounds A'A to, noise and output.

    Parameters
    ----------
    promise
        What the run is for.
    variance
        Variance of each entry of the noise on and above the diagonal, in squared units of A'A.
    moment, noise, output
        n x n.
    """

    promise: GaussianPromise
    variance: Real
    moment: fmpz_mat
    noise: fmpz_mat
    output: fmpz_mat


def run_margin(p: GaussianRun) -> arb:
    """Zero when the output is moment + noise with symmetric noise whose variance is at least (s Delta)^2."""
    exact = p.output == p.moment + p.noise and p.noise == p.noise.transpose()
    if not exact:
        return arb(-1)
    deviation = second_moment_sensitivity(p.promise) * printed_deviation(p.promise.epsilon, p.promise.delta)
    return ball(p.variance) - square(deviation)


def order_margin(p: GaussianRun) -> arb:
    """Order of the matrix minus one."""
    return arb(p.output.nrows() - 1)


PRINTED = (positive("epsilon"), positive("delta"), below("delta", 1), positive("norm_bound"))
UNIT_ROWS = (*PRINTED, at_most("norm_bound", 1))
ADDED = exceeds("one row is added or removed", added_margin)
REPLACED = exceeds("one row is replaced", replaced_margin)
SMALL_EPSILON = exceeds("epsilon <= 2 (1 + sqrt(2 log(1/delta)))", small_epsilon_margin, strict=False)

ALGORITHM_1 = Claim(
    id="analyze-gauss.algorithm-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "analyze-gauss",
        "Algorithm 1",
        "E symmetric, upper triangle i.i.d. N(0, Delta^2), Delta = (1 + sqrt(2 log(1/delta))) / eps; output A^T A + E",
    ),
    statement=Statement(
        "for every matrix A and all epsilon, delta > 0 noise of deviation Delta is (epsilon, delta)-private",
        printed_margin,
        given=PRINTED,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "The promise is (epsilon, delta)-differential privacy, as Algorithms 1 and 3 name their parameters; log is "
        "natural; delta < 1, without which Delta need not be real. The relation is not stated: both are judged."
    ),
    because=(
        "Changed lines: (1) rows have norm at most R, which only Algorithm 3 says: a row of norm 5 is given away with "
        "delta above 0.92 at epsilon = 1, delta = 1e-6. (2) Delta is for one row added; a replaced row moves A'A by "
        "sqrt(2), and fails at epsilon = 1/2, delta = 1e-9. (3) epsilon is bounded: at epsilon = 20, delta = 1/2 even "
        "an added row fails. With s Delta, s the sensitivity, and epsilon <= 2 (1 + sqrt(2 log(1/delta))) half of "
        "delta suffices: the loss exceeds epsilon with probability at most Phi(-sqrt(2 log(1/delta))) <= delta/2. The "
        "release is on a lattice, with discrete Gaussian noise and its own profile."
    ),
    repair=Repair(
        "rows of norm at most R, deviation s Delta, s = R^2 or sqrt(2) R^2; epsilon <= 2 (1 + sqrt(2 log(1/delta)))",
        Statement(
            "noise of deviation s Delta is (epsilon, delta/2)-private", repaired_margin, given=(*PRINTED, SMALL_EPSILON)
        ),
    ),
    steps=(
        Step(
            "row-added",
            Statement(
                "with rows of norm at most 1, deviation Delta hides a row that is added, for every epsilon",
                printed_margin,
                given=(*UNIT_ROWS, ADDED),
            ),
            sound=False,
            note="for epsilon <= 2 (1 + sqrt(2 log(1/delta))) it does",
        ),
        Step(
            "row-replaced",
            Statement(
                "with rows of norm at most 1 and epsilon <= 2 (1 + sqrt(2 log(1/delta))), deviation Delta hides a row "
                "that is replaced",
                printed_margin,
                given=(*UNIT_ROWS, REPLACED, SMALL_EPSILON),
            ),
            sound=False,
            note="sqrt(2) Delta",
        ),
        Step(
            "output",
            Statement(
                "the output is the moment plus symmetric noise, of variance (s Delta)^2 at least",
                run_margin,
                instance=True,
                given=(exceeds("n >= 1", order_margin, strict=False),),
            ),
            sound=True,
        ),
    ),
)
