"""Algorithm 2 of `near-optimal`: what can be published, and what a sampler that is only close is worth."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.ppca_algorithm import PpcaRun, Published, SampledPair
from proofs_checks.near_optimal.conditions import bind_condition

algorithm_2 = cite("near-optimal.algorithm-2@7d677fd9")


HALF = Fraction(1, 2)
COIN = Published((HALF, HALF))


@algorithm_2.refutes(grade="derived", region="a fair coin; every finite set of values by the docstring")
def test_a_published_value_has_a_positive_probability(statement) -> None:
    """One of m probabilities that sum to 1 is at least 1/m, and under a density every value has probability 0."""
    assert statement.at(COIN) is Truth.FALSE
    many = [Published((*[Fraction(1, 2 * m)] * m, *[Fraction(1, 6)] * 3)) for m in range(1, 25)]
    assert all(statement.at(p) is Truth.FALSE for p in many)
    nothing = Published(())
    bind(statement, [(nothing, -1), *((p, -max(p.probabilities)) for p in many)])
    outside = {
        "the probabilities are at least 0": Published((Fraction(3, 2), -HALF)),
        "the probabilities sum to 1": Published((HALF, Fraction(1, 3))),
    }
    bind_hypotheses(statement, COIN, outside)
    least = [(nothing, -1), *((p, min(p.probabilities)) for p in many)]
    bind_condition(statement, "the probabilities are at least 0", least)
    assert not statement.strict


CLOSE = SampledPair(Fraction(1, 2), Fraction(1, 4), Fraction(11, 20), Fraction(1, 5), 2, Fraction(1, 20))


@algorithm_2.refutes("total-variation", grade="symbolic", region="two outcomes, e^epsilon = 2, delta = 1/20")
def test_a_sampler_close_in_total_variation_pays_twice(statement) -> None:
    """Laws (1/2, 1/2) and (1/4, 3/4) are log 2 apart; moved by delta each, they exceed by (1 + e^eps) delta."""
    assert statement.at(CLOSE) is Truth.FALSE
    assert statement.nudged(lambda margin: margin + 2 * ball(CLOSE.delta)).at(CLOSE) is not Truth.FALSE
    assert statement.nudged(lambda margin: margin + ball(Fraction(19, 10)) * ball(CLOSE.delta)).at(CLOSE) is Truth.FALSE
    points = [
        SampledPair(Fraction(1, 2), Fraction(1, 3), Fraction(i, 7), Fraction(j, 9), Fraction(k, 2), Fraction(i + j, 40))
        for i, j, k in product((1, 3, 6), (2, 5, 8), (2, 5, 9))
    ]
    bind(statement, [(p, p.exponential * p.second + p.delta - p.first) for p in points])
    assert not statement.strict
    formulas = {
        "P(S) <= e^eps Q(S)": lambda p: p.exponential * p.exact_second - p.exact_first,
        "1 - P(S) <= e^eps (1 - Q(S))": lambda p: p.exponential * (1 - p.exact_second) - 1 + p.exact_first,
        "the first sampler is within delta": lambda p: p.delta - abs(p.exact_first - p.first),
        "the second sampler is within delta": lambda p: p.delta - abs(p.exact_second - p.second),
    }
    for given in statement.given:
        if given.says in formulas:
            bind(Statement(given.says, given.margin), [(p, formulas[given.says](p)) for p in points])
    far = attrs.evolve(CLOSE, exact_second=Fraction(1, 5), second=Fraction(3, 20))
    bind_hypotheses(
        statement,
        CLOSE,
        {
            "second >= 0": attrs.evolve(CLOSE, second=Fraction(-1, 100)),
            "first <= 1": attrs.evolve(CLOSE, first=Fraction(101, 100)),
            "exponential >= 1": attrs.evolve(CLOSE, exponential=Fraction(99, 100)),
            "P(S) <= e^eps Q(S)": far,
            "1 - P(S) <= e^eps (1 - Q(S))": SampledPair(0, Fraction(1, 2), 0, Fraction(1, 2), Fraction(3, 2), 0),
            "the first sampler is within delta": attrs.evolve(CLOSE, first=Fraction(56, 100)),
            "the second sampler is within delta": attrs.evolve(CLOSE, second=Fraction(19, 100)),
        },
    )
    edge = SampledPair(1, 1, 1, 0, 1, 1)
    assert statement.applies(edge) is Truth.TRUE, "every bound is attained"


def column(*entries: Fraction) -> arb_mat:
    with precision(300):
        return arb_mat(len(entries), 1, [ball(entry) for entry in entries])


@algorithm_2.controls("+repair", grade="symbolic", region="a run by hand, with one fault at a time")
def test_the_size_of_a_fault_is_the_margin(statement) -> None:
    """Two records (3/5, 0) and (0, 4/5), the draw (3/5, 4/5), and a grid of hundredths.

    A run that names no grid releases integers, and one that names no bound on the norms has records of norm at most 1.
    """
    data = fmpq_mat(2, 2, [fmpq(3, 5), 0, 0, fmpq(4, 5)])
    moment, corner = data * data.transpose(), fmpq_mat(2, 2, [3, 0, 0, 0])
    plain = PpcaRun(
        2,
        2,
        1,
        moment=moment,
        exponent=moment / 2,
        direction=column(Fraction(3, 5), Fraction(4, 5)),
        output=fmpz_mat(2, 1, [60, 80]),
        data=data,
    )
    run = attrs.evolve(plain, grid=Fraction(1, 100))
    doubled = attrs.evolve(run, moment=4 * moment, exponent=2 * moment, data=2 * data)
    twice = {"direction": column(Fraction(6, 5), Fraction(8, 5)), "output": fmpz_mat(2, 1, [120, 160])}
    faults = [
        ({}, 0),
        ({"data": None}, -1),
        ({"exponent": None}, -1),
        ({"output": None}, -1),
        ({"direction": None}, -1),
        ({"moment": moment + corner, "exponent": (moment + corner) / 2}, -3),
        ({"norm_bound": HALF}, Fraction(1, 4) - Fraction(16, 25)),
        ({"exponent": moment / 2 + corner}, -3),
        ({"output": fmpz_mat(2, 1, [60, 83])}, Fraction(1, 200) - Fraction(3, 100)),
        (twice, Fraction(1, 2**100) - 3),
    ]
    unnamed = [(plain, HALF - 80 + Fraction(4, 5)), (doubled, 1 - Fraction(8, 5) ** 2)]
    points = [*((attrs.evolve(run, **change), value) for change, value in faults), *unnamed]
    bind(statement.elsewhere(), points, least=12)
    assert all(statement.elsewhere().at(attrs.evolve(run, **change)) is Truth.FALSE for change, _ in faults[1:])
