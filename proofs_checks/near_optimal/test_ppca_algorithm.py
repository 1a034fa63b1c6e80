"""Algorithm 2 of `near-optimal`: what can be published, raw data, and what a sampler that is only close is worth."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.ppca_algorithm import PpcaRun, Published, SampledPair, raw_loss_margin
from proofs_checks.near_optimal.conditions import bind_condition

algorithm_2 = cite("near-optimal.algorithm-2@1a331284")


def log_constant(first: mpmath.mpf, second: mpmath.mpf, dimension: int) -> mpmath.mpf:
    """Sum (1/2)_i (1/2)_j / (d/2)_{i+j} x^i y^j / (i! j!): the mean of exp(x v_1^2 + y v_2^2) over the sphere."""
    half, total, reach = mpmath.mpf(1) / 2, mpmath.mpf(0), 90
    rows = [mpmath.rf(half, i) * first**i / mpmath.factorial(i) for i in range(reach)]
    columns = [mpmath.rf(half, j) * second**j / mpmath.factorial(j) for j in range(reach)]
    rising = [mpmath.rf(mpmath.mpf(dimension) / 2, k) for k in range(2 * reach)]
    for i, row in enumerate(rows):
        total += mpmath.fsum(row * column / rising[i + j] for j, column in enumerate(columns))
    return mpmath.log(total)


def raw_margin(p: PpcaRun) -> mpmath.mpf:
    unit = real(p.epsilon) * real(p.norm_bound) ** 2 / 2
    before = log_constant(p.records * unit, mpmath.mpf(0), p.dimension)
    after = log_constant((p.records - 1) * unit, unit, p.dimension)
    return real(p.epsilon) - (unit - after + before)


LONG = PpcaRun(2, 1, Fraction(1, 3), 2)


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


@algorithm_2.refutes(
    "raw-data", grade="interval", region="d = 2, n = 1, epsilon = 1/3, a record 2 e_1 against 2 e_2, at e_2"
)
def test_longer_records_break_ppca(statement) -> None:
    """With one record the normalisers agree by symmetry, and the loss is R^2 epsilon / 2."""
    assert statement.at(LONG) is Truth.FALSE
    assert PpcaRun(2, 1, 1) == PpcaRun(2, 1, 1, norm_bound=1, grid=1)
    with precision(200):
        assert abs(raw_loss_margin(LONG) + ball(Fraction(1, 3))) < ball(Fraction(1, 10**40))
    assert statement.at(attrs.evolve(LONG, norm_bound=1)) is Truth.TRUE
    assert statement.at(attrs.evolve(LONG, norm_bound=1, records=60)) is Truth.TRUE
    assert not statement.strict, "a loss of epsilon is allowed"
    with mpmath.workdps(60):
        points = [
            PpcaRun(d, n, Fraction(e, 3), Fraction(r, 2)) for d, n, e, r in product((2, 3, 6), (1, 3), (1, 4), (1, 3))
        ]
        bind(statement, [(p, mpmath.nstr(raw_margin(p), 50)) for p in points])
    bind_hypotheses(
        statement,
        LONG,
        {
            "dimension >= 2, an integer": attrs.evolve(LONG, dimension=1),
            "norm_bound > 0": attrs.evolve(LONG, norm_bound=0),
            "records >= 1, an integer": attrs.evolve(LONG, records=0),
            "epsilon > 0": attrs.evolve(LONG, epsilon=0),
        },
    )


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
    """Two records (3/5, 0) and (0, 4/5), the draw (3/5, 4/5), and a grid of hundredths."""
    data = fmpq_mat(2, 2, [fmpq(3, 5), 0, 0, fmpq(4, 5)])
    moment, corner = data * data.transpose(), fmpq_mat(2, 2, [3, 0, 0, 0])
    run = PpcaRun(
        2,
        2,
        1,
        moment=moment,
        exponent=moment / 2,
        direction=column(Fraction(3, 5), Fraction(4, 5)),
        output=fmpz_mat(2, 1, [60, 80]),
        grid=Fraction(1, 100),
        data=data,
    )
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
    bind(statement.elsewhere(), [(attrs.evolve(run, **change), value) for change, value in faults], least=10)
    assert all(statement.elsewhere().at(attrs.evolve(run, **change)) is Truth.FALSE for change, _ in faults[1:])
