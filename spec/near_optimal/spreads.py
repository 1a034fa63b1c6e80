"""How much the statistic of Figure 2 varies between runs (section 6.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import whole
from dpmatrix.spec.near_optimal.data_sets import SPECTRUM, Eigenvalues, captured_by


@attrs.frozen
class Spread(Eigenvalues):
    """The spectrum of one data set with its k, beside another data set; draws of PPCA are independent.

    Parameters
    ----------
    utility
        The expected q_F of PPCA on the first data set, or a lower bound of it.
    other_rank
        The k of the other data set.
    """

    utility: Real
    other_rank: int


def first_weight(p: Spread) -> arb:
    """The least mean of ``|V'v_1|^2`` with that expected q_F.

    The means e_i of |V'v_i|^2 are at most 1 and sum to k, so that the q_F is at most
    ``l_1 e_1 + l_2 + ... + l_k + l_(k+1) (1 - e_1)``.
    """
    first, following = rational(p.values[0]), rational(p.values[p.rank])
    return (ball(p.utility) - arb(captured_by(p) - first + following)) / arb(first - following)


def least_spread(p: Spread) -> arb:
    """A lower bound of ``(e_1^2 + ... + e_d^2)/k^3`` on the first data set, from e_1 and the sum k of all."""
    k, d = p.rank, len(p.values)
    first = first_weight(p).max(arb(fmpq(k, d)))
    return (first * first + (k - first) * (k - first) / (d - 1)) / k**3


def largest_spread(p: Spread) -> arb:
    """``1/k^2`` for the other data set: each e_i is at most 1, so that their squares sum to at most k."""
    return arb(fmpq(1, p.other_rank**2))


def wider_margin(p: Spread) -> arb:
    """The least spread of the first data set less the largest one of the other."""
    return least_spread(p) - largest_spread(p)


def gap_margin(p: Spread) -> arb:
    """``l_1 - l_(k+1)``, and -1 where there is no ``l_(k+1)``."""
    if p.rank >= len(p.values):
        return arb(-1)
    return arb(rational(p.values[0]) - rational(p.values[p.rank]))


@attrs.frozen
class IndependentStates:
    """The law of a state, equally likely matrices with entries row by row; all of one norm, mean 0."""

    states: tuple[tuple[Exact, ...], ...]
    steps: int


def square_moments(p: IndependentStates) -> tuple[fmpq, fmpq]:
    """Mean and mean square of ``|X(1) + ... + X(T)|^2`` for independent states, step by step through its law."""
    states = [tuple(rational(value) for value in state) for state in p.states]
    sums: dict[tuple[fmpq, ...], fmpq] = {tuple(fmpq(0) for _ in states[0]): fmpq(1)}
    for _ in range(p.steps):
        after: dict[tuple[fmpq, ...], fmpq] = {}
        for reached, chance in sums.items():
            for state in states:
                place = tuple(a + b for a, b in zip(reached, state, strict=True))
                after[place] = after.get(place, fmpq(0)) + chance / len(states)
        sums = after
    squares = [(sum((value * value for value in place), fmpq(0)), chance) for place, chance in sums.items()]
    first, second = (sum((square**power * chance for square, chance in squares), fmpq(0)) for power in (1, 2))
    return first, second


def second_moment(p: IndependentStates) -> list[list[fmpq]]:
    """The mean of x x' over the states."""
    states = [[rational(value) for value in state] for state in p.states]
    places = range(len(states[0]))
    return [[sum((x[i] * x[j] for x in states), fmpq(0)) / len(states) for j in places] for i in places]


def variance_margin(p: IndependentStates) -> arb:
    """Minus the distance of ``Var |X(1) + ... + X(T)|^2`` from ``2 T (T-1) tr M^2``, M the second moment of a state."""
    first, second = square_moments(p)
    squares = sum((value * value for row in second_moment(p) for value in row), fmpq(0))
    return -arb(abs(second - first * first - 2 * p.steps * (p.steps - 1) * squares))


def centred_margin(p: IndependentStates) -> arb:
    """Minus the largest entry of the mean."""
    columns = zip(*p.states, strict=True)
    return -arb(max(abs(sum((rational(value) for value in column), fmpq(0))) for column in columns))


def norm_margin(p: IndependentStates) -> arb:
    """Minus the difference of the largest and the least norm."""
    squares = [sum((rational(value) ** 2 for value in state), fmpq(0)) for state in p.states]
    return -arb(max(squares) - min(squares))


SPREAD_STEPS = (
    Step(
        "variance-of-the-statistic",
        Statement(
            "for T independent states of mean 0 and one norm the variance of |X(1) + ... + X(T)|^2 is 2 T (T-1) tr "
            "M^2, M the mean of x x' for the vector x of the entries of a state",
            variance_margin,
            given=(
                Condition("the states have mean 0", centred_margin),
                Condition("the states have one norm", norm_margin),
                whole("steps", 1),
            ),
        ),
        defect=None,
        note=(
            "Not printed. Under PPCA M is E VV'/k for each column, so that F^2 has the relative variance "
            "2 (1 - 1/T) (e_1^2 + ... + e_d^2)/k^3, e_i the mean of |V'v_i|^2; that of log F is about a quarter of it."
        ),
    ),
    Step(
        "wider-on-kddcup",
        Statement(
            "for independent draws F has a larger relative variance on kddcup than on insurance",
            wider_margin,
            instance=True,
            given=(*SPECTRUM, Condition("l_1 > l_(k+1)", gap_margin, strict=True), whole("other_rank", 1)),
            strict=True,
        ),
        defect=None,
        note=(
            "By the utility of PPCA in recorded runs of a chain on half of kddcup with epsilon = 0.1, for any n of "
            "insurance; Figure 2 names neither n nor epsilon. k counts for more than the number of records: (e_1^2 + "
            "... + e_d^2)/k^3 is at most 1/k^2, and k is 4 on kddcup and 11 on insurance."
        ),
    ),
)
