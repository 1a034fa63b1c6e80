"""The least error of an approximate guarantee: by its specification, and beside what is known."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import attrs
import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPSecondMoment
from dpmatrix.exact import fraction, precision
from dpmatrix.mechanisms import approximate_lower_bounds as bounds
from dpmatrix.mechanisms import least_squared_error, least_squared_error_under
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.spec.beyond import approximate_noise, one_number

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DELTAS = (Fraction(0), Fraction(1, 10**6), Fraction(1, 100))
EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(5, 2), Fraction(8))


def as_specified(found: bounds.Functions) -> one_number.Functions:
    heights = tuple(tuple(Fraction(value, bounds.DENOMINATOR) for value in row) for row in found.heights)
    steps = (found.k // 3, 2 * found.k // 3, found.k)
    return one_number.Functions(found.k, steps, heights)


@pytest.mark.parametrize(("epsilon", "delta"), [*product(EPSILONS, DELTAS)])
def test_the_bound_is_that_of_the_claim_at_what_was_found(epsilon: Fraction, delta: Fraction) -> None:
    """The functions are those of the claim, and what they give for ever more records is met and not exceeded."""
    found = bounds.searched(float(epsilon), float(delta))
    functions = as_specified(found)
    with precision(bounds.BITS):
        assert one_number.functions_margin(functions) >= 0
        assert found.gain(arb(epsilon.numerator) / epsilon.denominator).overlaps(one_number.gain(functions, epsilon))
        assert found.cost() == one_number.cost(functions)
        exact = (
            one_number.gain(functions, epsilon) - arb(one_number.cost(functions)) * delta.numerator / delta.denominator
        )
        bound = bounds.least_square_of_one(epsilon, delta)
        assert not bound > fraction(exact.upper().fmpq())
        assert float(bound) == pytest.approx(float(exact.mid()), rel=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_any_functions_is_that_of_the_claim(seed: int) -> None:
    """With heights on both sides of zero, at the last nodes, and for kinds of records that differ."""
    rng = np.random.default_rng(seed)
    sizes = [2 * int(half) + 1 for half in rng.integers(1, 9, size=1)] * 3
    rows = [[int(value) for value in rng.integers(0, 1 << 50, size=size)] for size in sizes]
    if seed % 2:
        rows = [[0] * (len(row) - 1) + row[-1:] for row in rows]
    found = bounds.Functions(3 * (1 + seed % 3), tuple(map(tuple, rows)))
    functions = as_specified(found)
    for epsilon in (Fraction(1, 3), Fraction(2)):
        exact = one_number.gain(functions, epsilon)
        assert found.gain(arb(epsilon.numerator) / epsilon.denominator).overlaps(exact)
    assert found.cost() == one_number.cost(functions)


def staircase(epsilon: float) -> float:
    """Least variance of added noise without delta (Geng and Viswanath 2014), by a fine grid of the one parameter."""
    b = math.exp(-epsilon)

    def variance(gamma: float) -> float:
        height = (1 - b) / (2 * (gamma + b * (1 - gamma)))
        steps = ((j, j + gamma, j + 1, b**j) for j in range(int(40 / epsilon) + 5))
        return 2 * height / 3 * sum(c * (m**3 - j**3 + b * (k**3 - m**3)) for j, m, k, c in steps)

    return min(variance(step / 1000) for step in range(1, 1001))


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 1, 2, 4, 8])
def test_without_delta_it_is_just_below_the_staircase(epsilon: float) -> None:
    """Shares of thirds lose little up to epsilon = 2, and more beyond."""
    found = float(bounds.least_square_of_one(Fraction(epsilon), Fraction(0)))
    least = {0.25: 0.998, 0.5: 0.998, 1: 0.995, 2: 0.97, 4: 0.86, 8: 0.20}[epsilon]
    assert least * staircase(epsilon) < found < staircase(epsilon)


def test_laplace_noise_is_within_five_per_cent_of_the_least() -> None:
    """Its variance is 2, at epsilon = 1; no mechanism for delta = 10^-6 has 5 % less."""
    assert bounds.least_square_of_one(Fraction(1), Fraction(1, 10**6)) > Fraction(19, 10)


def test_small_epsilons_take_groups() -> None:
    """Four records at a quarter of epsilon are one: sixteen times the square, with the delta of the group."""
    epsilon, delta = Fraction(1, 16), Fraction(1, 10**5)
    lost = float(delta) * (math.exp(0.25) - 1) / (math.exp(1 / 16) - 1)
    found = bounds.searched(0.25, lost)
    expected = 16 * (float(found.gain(arb(0.25)).mid()) - float(found.cost().p) / float(found.cost().q) * lost)
    assert float(bounds.least_square_of_one(epsilon, delta)) == pytest.approx(expected, rel=1e-5)
    assert float(bounds.least_square_of_one(Fraction(1, 1000), Fraction(0))) == pytest.approx(2e6, rel=0.005)
    assert bounds.least_square_of_one(Fraction(1, 10**30), Fraction(0)) > 10**60


def test_any_functions_are_taken_at_the_epsilon_of_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least is at a third, where e^epsilon counts: 1/9 - e^(1/4)/20."""
    height = bounds.DENOMINATOR // 20
    monkeypatch.setattr(bounds, "searched", lambda _epsilon, _delta: bounds.Functions(3, ((height,), (0,), (0,))))
    found = float(bounds.least_square_of_one.__wrapped__(Fraction(1, 16), Fraction(0)))
    assert found == pytest.approx(16 * (1 / 9 - math.exp(0.25) / 20 - 1 / 36), rel=1e-9)


def test_where_nothing_can_be_found_it_is_zero() -> None:
    assert bounds.least_square_of_one(Fraction(1, 1000), Fraction(1, 2)) == 0
    assert bounds.least_square_of_one(Fraction(33), Fraction(0)) == 0
    assert bounds.least_square_of_one(Fraction(10**6), Fraction(0)) == 0
    assert bounds.least_square_of_one(Fraction(32), Fraction(0)) >= 0


@pytest.mark.parametrize(("dimension", "adjacency"), [*product((1, 2, 3, 8, 50), (REPLACE, ADD))])
def test_matrices_have_as_many_times_as_the_claim_says(dimension: int, adjacency: Adjacency) -> None:
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), adjacency)
    one = bounds.least_square_of_one(Fraction(1), Fraction(1, 10**6))
    with precision(200):
        many = approximate_noise.times(dimension, adjacency)
        found = least_squared_error_under(guarantee, dimension)
        assert float(found) == pytest.approx(float(many.mid()) * float(one), rel=1e-14)
        assert not arb(found.numerator) / found.denominator > many * one.numerator / one.denominator
    assert least_squared_error_under(guarantee, dimension, divisor=7) == found / 49


@pytest.mark.parametrize(("dimension", "adjacency"), [*product((1, 2, 8, 20, 50), (REPLACE, ADD))])
def test_it_is_below_what_gaussian_noise_has(dimension: int, adjacency: Adjacency) -> None:
    """At delta = 10^-6 normal noise for one number has 6.7 and 9.4 times the bound, and for matrices up to twice that.

    The mechanism has d^2 times the variance of an entry, in squared sensitivities, where the best shape has K.
    """
    swaps = 2 if adjacency is REPLACE and dimension > 1 else 1
    shape = dimension**2 * swaps / float(approximate_noise.times(dimension, adjacency).mid())
    assert 1 <= shape < 2
    for epsilon, ratio in ((0.1, 6.7), (1, 9.44)):
        estimator = DPSecondMoment(epsilon=epsilon, delta=1e-6, adjacency=adjacency.value, mechanism="gaussian")
        error = estimator.expected_error(1, dimension).frobenius ** 2
        bound = float(least_squared_error_under(PrivacyGuarantee(epsilon, 1e-6, adjacency), dimension))
        assert error / bound == pytest.approx(ratio * shape, rel=0.02)


def test_without_delta_the_better_of_both_bounds_is_taken() -> None:
    for epsilon, dimension in ((1, 2), (Fraction(1, 1000), 20)):
        guarantee = PrivacyGuarantee(epsilon, 0, REPLACE)
        own = least_squared_error(epsilon, dimension)
        found = least_squared_error_under(guarantee, dimension, divisor=3)
        assert found * 9 >= own
    assert found * 9 == own, "many columns: the bound of pure privacy"
    added = least_squared_error_under(PrivacyGuarantee(Fraction(1, 1000), 0, ADD), 20)
    assert added == least_squared_error(Fraction(1, 1000), 20, ADD) < own
    assert least_squared_error_under(PrivacyGuarantee(1, 0, REPLACE), 2) > 3 * least_squared_error(1, 2)


def test_more_privacy_is_more_noise() -> None:
    found = [
        least_squared_error_under(PrivacyGuarantee(epsilon, delta, REPLACE), 3)
        for epsilon, delta in ((0.5, 0), (0.5, 1e-6), (0.5, 1e-3), (1, 1e-3), (2, 1e-3))
    ]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("changed", [{"dimension": 0}, {"dimension": 1.5}, {"divisor": 0}, {"divisor": -1}])
def test_numbers_out_of_range_are_refused_by_name(changed: dict[str, float]) -> None:
    arguments = {"dimension": 2, "divisor": 1} | changed
    guarantee = PrivacyGuarantee(1, 0, REPLACE)
    with pytest.raises(InvalidParameterError, match=next(iter(changed))):
        least_squared_error_under(guarantee, int_or(arguments["dimension"]), divisor=int_or(arguments["divisor"]))


def int_or(value: float) -> int:
    """Pass a number on as it is, whatever its type says."""
    return value  # type: ignore[return-value]  # a wrong type is what is tried


def test_heights_are_whole_and_not_negative() -> None:
    found = bounds.searched(1.0, 1e-6)
    assert found.k == bounds.NODES
    assert bounds.searched(5.0, 1e-6).k == 3 * bounds.NODES
    assert bounds.searched(20.0, 0.0).k == bounds.MOST_NODES
    assert all(type(value) is int and value >= 0 for row in found.heights for value in row)
    assert {len(row) for row in found.heights} == {2 * 12 * bounds.NODES + 1}
    assert {len(row) for row in bounds.searched(4.0, 0.0).heights} == {2 * 6 * 2 * bounds.NODES + 1}
    raised = attrs.evolve(found, heights=((10**20, *found.heights[0][1:]), *found.heights[1:]))
    assert raised.cost() > found.cost()
