"""The least error of pure privacy: by its specification, near its limit, and below what the mechanisms do."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, precision
from dpmatrix.mechanisms import (
    CoupledTracesMechanism,
    KNormMechanism,
    SymmetrisedWishartMechanism,
    least_squared_error,
    lower_bounds,
)
from dpmatrix.privacy import Adjacency
from dpmatrix.spec.beyond import lower_bound

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
EPSILONS = (Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(9, 2), Fraction(30))
PLACES = tuple(product(EPSILONS, (1, 2, 3, 4, 5, 8, 20, 50), (REPLACE, ADD)))


@pytest.mark.parametrize(("epsilon", "dimension", "adjacency"), PLACES)
def test_it_is_the_best_that_the_claim_gives_for_any_stretch(
    epsilon: Fraction, dimension: int, adjacency: Adjacency
) -> None:
    """By the specification at each stretch, the greatest of 241 is met, and never exceeded."""
    with precision(160):
        bounds = [
            lower_bound.least_square(dimension, epsilon, adjacency, stretch) for stretch in lower_bounds.STRETCHES
        ]
        greatest = max(float(bound.mid()) for bound in bounds)
        found = least_squared_error(epsilon, dimension, adjacency)
        assert float(found) == pytest.approx(greatest, rel=1e-14)
        exact = [bound - fraction_ball(found) for bound in bounds]
        assert any(difference >= 0 for difference in exact), "rounded down"


def fraction_ball(value: Fraction) -> Any:
    return lower_bounds.arb(value.numerator) / value.denominator


def test_stretches_are_a_fine_grid_from_tiny_to_huge() -> None:
    stretches = lower_bounds.STRETCHES
    assert (stretches[0], stretches[-1]) == (Fraction(1, 2**20), 1024)
    quotients = [after / before for before, after in pairwise(stretches)]
    assert min(quotients) > 1
    assert max(quotients) == Fraction(9, 8)
    assert len(stretches) == 241
    assert least_squared_error(1, 2) > 0, "so that a change of the grid is asked about here"


NEAR = (
    (3, REPLACE, 1, 41),
    (3, ADD, 1, 103),
    (5, REPLACE, 1, 28),
    (5, ADD, 1, 62),
    (8, ADD, 4, 284),
    (5, REPLACE, 4, 168),
)


@pytest.mark.parametrize(("dimension", "adjacency", "epsilon", "border"), NEAR)
def test_a_stretch_that_few_records_could_reach_is_not_believed(
    dimension: int, adjacency: Adjacency, epsilon: int, border: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stretch is chosen in floating point, on either side of where the hypothesis begins to hold."""
    sides = set()
    for stretch in (Fraction(border + more, 64) for more in (-20, -3, -1, 0, 1, 2, 3, 5, 40)):
        monkeypatch.setattr(lower_bounds, "STRETCHES", (stretch,))
        found = float(least_squared_error(epsilon, dimension, adjacency))
        with precision(160):
            bound = lower_bound.least_square(dimension, epsilon, adjacency, stretch)
            sides.add(lower_bound.few_records_margin(dimension, epsilon, adjacency, stretch) > 0)
        assert found == pytest.approx(float(bound.mid()), rel=1e-14)
    assert sides == {False, True}


@pytest.mark.parametrize(("dimension", "adjacency"), tuple(product((2, 3, 8, 20), (REPLACE, ADD))))
def test_it_tends_to_its_limit(dimension: int, adjacency: Adjacency) -> None:
    epsilon = Fraction(1, 10**8)
    spread = (dimension - 1) ** 2 * (dimension + 2) ** 2 / (1 if adjacency is REPLACE else 4)
    limit = max(2 * dimension, (spread + 2) / dimension)
    found = float(least_squared_error(epsilon, dimension, adjacency) * epsilon**2)
    assert limit * (1 - 1e-3) < found < limit


@pytest.mark.parametrize("kind", [SymmetrisedWishartMechanism, CoupledTracesMechanism, KNormMechanism])
@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_no_mechanism_is_below_it(kind: Any, adjacency: Adjacency) -> None:
    for epsilon, dimension in product(EPSILONS, (1, 2, 3, 5, 8)):
        error = kind(epsilon, adjacency=adjacency).mean_squared_error(dimension, 7)
        assert error >= least_squared_error(epsilon, dimension, adjacency, divisor=7)


def test_on_a_line_it_is_that_of_geometric_noise_a_step_nearer() -> None:
    """The difference of two geometric variates has the variance 2 b / (1 - b)^2; at b = 1/2 the bound is 3."""
    for divisor in (1, 3):
        found = least_squared_error(Fraction(2), 1, ADD, divisor=divisor)
        left = 2.718281828459045**-2
        assert float(found) * divisor**2 == pytest.approx(left * (1 + left) / (1 - left) ** 2, rel=1e-14)


def test_a_replaced_record_is_the_default_and_numbers_are_exact() -> None:
    assert least_squared_error(1, 5) == least_squared_error(Fraction(1), 5, REPLACE)
    assert least_squared_error(1, 5) > 5 * least_squared_error(1, 5, ADD)
    assert isinstance(least_squared_error(1, 2), Fraction)
    assert fraction(least_squared_error(1, 2)).denominator.bit_length() > 60, "not rounded to a float"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 2), "epsilon"),
        ((-1, 2), "epsilon"),
        ((float("inf"), 2), "epsilon"),
        ((1, 0), "dimension"),
        ((1, 2.5), "dimension"),
    ],
)
def test_a_number_out_of_range_is_refused(arguments: tuple[Any, Any], name: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        least_squared_error(*arguments)
    assert caught.value.parameter == name
    with pytest.raises(InvalidParameterError, match="divisor"):
        least_squared_error(1, 2, divisor=0)
