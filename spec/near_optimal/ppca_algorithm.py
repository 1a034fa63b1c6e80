"""Algorithm 2: PPCA, what an implementation draws and returns, and what a chain is worth (sections 3.2 and 7)."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, at_most, equality, positive, whole
from dpmatrix.spec.near_optimal.bingham_series import SERIES_STEP


@attrs.frozen
class PpcaRun:
    """One run of an implementation of Algorithm 2 for k = 1 on a grid.

    Parameters
    ----------
    dimension, records, epsilon
        The inputs.
    norm_bound
        Bound on the Euclidean norm of a record.
    moment
        XX' of the records that were used, exactly; shape (d, d).
    exponent
        The B of the density exp(v'Bv) that was drawn from.
    direction
        The ideal draw, enclosed: shape (d, 1).
    output, grid
        What was released, in units of the grid: shape (d, 1).
    data
        The records that were used, in columns: shape (d, n).
    """

    dimension: int
    records: int
    epsilon: Exact
    norm_bound: Exact = 1
    moment: fmpq_mat | None = None
    exponent: fmpq_mat | None = None
    direction: arb_mat | None = None
    output: fmpz_mat | None = None
    grid: Exact = 1
    data: fmpq_mat | None = None


@attrs.frozen
class Published:
    """The probabilities of the values that a program can publish, finitely many."""

    probabilities: tuple[Exact, ...]


def atom_margin(p: Published) -> arb:
    """Minus the largest probability of a value: a law with a density has none above 0."""
    return arb(-max((rational(value) for value in p.probabilities), default=fmpq(1)))


def mass_margin(p: Published) -> arb:
    """Least probability."""
    return arb(min((rational(value) for value in p.probabilities), default=fmpq(-1)))


def sum_margin(p: Published) -> arb:
    """The probabilities sum to 1."""
    return equality(arb(sum((rational(value) for value in p.probabilities), fmpq(0)) - 1), arb(0))


def records_margin(p: PpcaRun) -> arb:
    """The smaller of minus the largest entry of the moment - XX', and of R^2 - |x_i|^2."""
    if p.data is None or p.moment is None or (p.data.nrows(), p.data.ncols()) != (p.dimension, p.records):
        return arb(-1)
    residual = max(abs(entry) for entry in (p.moment - p.data * p.data.transpose()).entries())
    norms = p.data.transpose() * p.data
    longest = max(norms[i, i] for i in range(p.records))
    return arb(min(-residual, rational(p.norm_bound) * rational(p.norm_bound) - longest))


def exponent_margin(p: PpcaRun) -> arb:
    """``B = n (eps/2) A``, that is (eps/2) XX', exactly."""
    if p.moment is None or p.exponent is None:
        return arb(-1)
    difference = p.exponent - p.moment * (rational(p.epsilon) / 2)
    return -arb(max(abs(entry) for entry in difference.entries()))


def rounding_margin(p: PpcaRun) -> arb:
    """Half the grid minus the distance of what was released from the draw, coordinate by coordinate."""
    if p.direction is None or p.output is None:
        return arb(-1)
    released = arb_mat(p.output) * ball(p.grid)
    farthest = arb(0)
    for i in range(p.dimension):
        farthest = farthest.max(abs(released[i, 0] - p.direction[i, 0]))
    return ball(p.grid) / 2 - farthest


def length_margin(p: PpcaRun) -> arb:
    """``2^-100`` minus the error of the length of the enclosed draw."""
    if p.direction is None:
        return arb(-1)
    return arb(2) ** -100 - abs((p.direction.transpose() * p.direction)[0, 0] - 1)


def run_margin(p: PpcaRun) -> arb:
    """The least margin of the records, of the exponent, of the rounding and of the length."""
    return records_margin(p).min(exponent_margin(p)).min(rounding_margin(p)).min(length_margin(p))


@attrs.frozen
class SampledPair:
    """Probabilities of one event: under the exact laws for two neighbours, and under samplers close to them.

    Parameters
    ----------
    exact_first, exact_second
        Under the exact laws.
    first, second
        Under the samplers.
    exponential
        ``e^eps``.
    delta
        Bound on the total variation distance of either sampler from its law.
    """

    exact_first: Exact
    exact_second: Exact
    first: Exact
    second: Exact
    exponential: Exact
    delta: Exact


def sampled_margin(p: SampledPair) -> arb:
    """``e^eps Q(S) + delta - P(S)``, for the samplers."""
    return arb(rational(p.exponential) * rational(p.second) + rational(p.delta) - rational(p.first))


def event_margin(p: SampledPair) -> arb:
    """``e^eps Q(S) - P(S)``, for the exact laws."""
    return arb(rational(p.exponential) * rational(p.exact_second) - rational(p.exact_first))


def complement_margin(p: SampledPair) -> arb:
    """``e^eps (1 - Q(S)) - (1 - P(S))``, for the exact laws."""
    return arb(rational(p.exponential) * (1 - rational(p.exact_second)) - (1 - rational(p.exact_first)))


def first_distance_margin(p: SampledPair) -> arb:
    """``delta - |P(S) - P~(S)|``."""
    return arb(rational(p.delta) - abs(rational(p.exact_first) - rational(p.first)))


def second_distance_margin(p: SampledPair) -> arb:
    """``delta - |Q(S) - Q~(S)|``."""
    return arb(rational(p.delta) - abs(rational(p.exact_second) - rational(p.second)))


SAMPLERS = (
    at_least("second", 0),
    at_most("first", 1),
    at_least("exponential", 1),
    Condition("P(S) <= e^eps Q(S)", event_margin),
    Condition("1 - P(S) <= e^eps (1 - Q(S))", complement_margin),
    Condition("the first sampler is within delta", first_distance_margin),
    Condition("the second sampler is within delta", second_distance_margin),
)
SETTING = (whole("dimension", 2), whole("records", 1), positive("epsilon"))

ALGORITHM_2 = Claim(
    id="near-optimal.algorithm-2",
    kind=Kind.ALGORITHM,
    source=Locator(
        "near-optimal",
        "Algorithm 2",
        "inputs X, eps, k; A = XX'/n; sample V_k = BMF(n (eps/2) A), of density exp(tr V'BV) / 1F1(k/2, d/2, B)",
    ),
    statement=Statement(
        "what a program publishes, one of finitely many values, can have the density (6): no value has a positive "
        "probability",
        atom_margin,
        given=(
            Condition("the probabilities are at least 0", mass_margin),
            Condition("the probabilities sum to 1", sum_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "k = 1, where the law is drawn exactly and its normaliser is enclosed; the guarantee for every k is "
        "near-optimal.theorem-6. The density (6) is with respect to the uniform probability. One run is judged: that "
        "the direction has its law is shown on samples."
    ),
    because=(
        "Changed lines: (1) A real vector cannot be published, as section 7 says of finite precision: the release is "
        "its correct rounding to a public grid. (2) The document samples by a Gibbs chain, whose law is not the matrix "
        "Bingham law at any finite time; the implementation draws from it by rejection, each decision made for ideal "
        "real variates. (3) The bound |x_i| <= 1, which section 2 assumes, is part of the input and enforced, since "
        "the change of a score is in proportion to its square. (4) Records are truncated to a grid, so that XX' is an "
        "exact matrix of integers.\n\n"
        "Section 7 would repair a chain by total variation delta and state (epsilon, delta); "
        "it is (epsilon, (1 + e^epsilon) delta), and the distance must hold for every data set."
    ),
    repair=Repair(
        "an exact draw for k = 1, rounded correctly to a public grid; records of norm at most 1 on a grid",
        Statement(
            "the release is the nearest grid point to a unit vector drawn with exponent (epsilon/2) XX', for records "
            "of norm at most the bound",
            run_margin,
            instance=True,
            given=(whole("dimension", 1), *SETTING[1:], at_most("norm_bound", 1)),
        ),
    ),
    steps=(
        Step(
            "total-variation",
            Statement(
                "a sampler within total variation delta of an epsilon-DP law is (epsilon, delta)-DP",
                sampled_margin,
                given=SAMPLERS,
            ),
            defect=Defect.FORMULA,
            note="delta moves both probabilities: (eps, (1 + e^eps) delta) is what follows, and it is attained.",
        ),
        SERIES_STEP,
    ),
)
