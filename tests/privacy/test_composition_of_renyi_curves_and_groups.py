"""Closed forms of concentrated privacy, their conversion to (epsilon, delta), and groups of records."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, rational
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    ChainedProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    WishartProfile,
    bounded_range_rho,
    concentrated,
    discrete_gaussian_rho,
    gaussian_rho,
    group_guarantee,
    group_profile,
    laplace_renyi,
    pure_rho,
    renyi_delta,
    renyi_epsilon,
)

RHOS = (Fraction(1, 1000), Fraction(1, 8), Fraction(1, 2), Fraction(3), Fraction(50))
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(4), Fraction(20))
ADD = Adjacency.ADD_REMOVE_ONE


def test_parameters_of_concentrated_privacy() -> None:
    assert gaussian_rho(2, 3).overlaps(ball(Fraction(2, 9)))
    assert discrete_gaussian_rho(4, 9) == Fraction(2, 9)
    assert pure_rho(3).overlaps(ball(Fraction(9, 2)))
    assert bounded_range_rho(2).overlaps(ball(Fraction(1, 2)))


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_conversion_lies_above_the_exact_gaussian_profile(rho, epsilon) -> None:
    """Gaussian noise has this rho and is a little better than the conversion, which serves all that have it."""
    exact = GaussianProfile((2 * ball(rho)).sqrt(), 1).delta(epsilon)
    assert exact <= renyi_delta(concentrated(rho), epsilon).upper()


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_search_finds_the_best_order(rho, epsilon) -> None:
    """The other way to the same number: the root of the derivative, by bisection (Canonne, Kamath and Steinke)."""
    lower, upper = 1 + 1e-12, 2.0
    rate, level = float(rho), float(epsilon)

    def slope(order: float) -> float:
        return (2 * order - 1) * rate - level + math.log1p(-1 / order)

    while slope(upper) < 0:
        upper *= 2
    for _ in range(100):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if slope(middle) < 0 else (lower, middle)
    log = (upper - 1) * (upper * rate - level) + upper * math.log1p(-1 / upper) - math.log(upper - 1)
    assert float(renyi_delta(concentrated(rho), epsilon)) == pytest.approx(min(1.0, math.exp(log)), rel=1e-9)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
def test_epsilon_and_delta_are_inverse(rho, delta) -> None:
    epsilon = renyi_epsilon(concentrated(rho), delta)
    found = renyi_delta(concentrated(rho), Fraction(*float(epsilon).as_integer_ratio()))
    if epsilon > 0:
        assert float(found) == pytest.approx(float(delta), rel=1e-9)
    else:
        assert found <= ball(delta)


def test_the_other_account_of_renyi_privacy_agrees() -> None:
    """On a fine grid of orders, which cannot do better than all orders."""
    library = pytest.importorskip(
        "dp_accounting.rdp.rdp_privacy_accountant", reason="dp-accounting is an extra of its own"
    )
    orders = 1 + np.geomspace(1e-2, 1e8, 8000)
    curves = {"gaussian": (concentrated(Fraction(1, 2)), orders / 2)}
    laplace = laplace_renyi(1, 2)
    curves["laplace"] = (laplace, np.array([float(laplace(Fraction(float(order)))) for order in orders]))
    for curve, values in curves.values():
        for delta in (1e-2, 1e-6):
            theirs, _ = library.compute_epsilon(orders, values, delta)
            ours = float(renyi_epsilon(curve, delta))
            assert ours <= theirs * (1 + 1e-12)
            assert ours == pytest.approx(theirs, rel=1e-3)
        theirs, _ = library.compute_delta(orders, values, 0.25)
        assert float(renyi_delta(curve, 0.25)) == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("order", [Fraction(101, 100), Fraction(2), Fraction(17, 2), Fraction(400)])
def test_the_laplace_curve_is_its_integral(order) -> None:
    """The mean of e^(a L) under the shifted law, L the loss, by certified integration over its three pieces."""
    level = Fraction(3, 2)
    a, s = ball(order), ball(level)
    left = ((a - 1) * s).exp() / 2
    right = (-a * s).exp() / 2
    # Between the two centres p^a q^(1-a) is e^(-a s) e^((2a-1) x) / 2 for x in [0, s].
    middle = (-a * s).exp() * ((2 * a - 1) * s).expm1() / (2 * (2 * a - 1))
    exact = (left + middle + right).log() / (a - 1)
    assert laplace_renyi(level, 1)(order).overlaps(exact)
    assert laplace_renyi(level, 1)(order) < s


def test_the_laplace_curve_of_a_huge_order_is_the_pure_epsilon() -> None:
    assert float(laplace_renyi(3, 2)(Fraction(10**12))) == pytest.approx(1.5, abs=1e-9)
    assert renyi_epsilon(laplace_renyi(1, 1), Fraction(1, 10**30)) <= 1.0001


def test_range_and_purity_give_valid_conversions() -> None:
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        assert BoundedRangeProfile(2).delta(epsilon) <= renyi_delta(concentrated(bounded_range_rho(2)), epsilon).upper()
        assert LaplaceProfile(2, 1).delta(epsilon) <= renyi_delta(concentrated(pure_rho(2)), epsilon).upper()
        assert LaplaceProfile(2, 1).delta(epsilon) <= renyi_delta(laplace_renyi(2, 1), epsilon).upper()
        noise = DiscreteGaussianProfile(4, Fraction(5, 2))
        assert noise.delta(epsilon) <= renyi_delta(concentrated(discrete_gaussian_rho(4, Fraction(5, 2))), epsilon)


def test_a_smaller_rho_than_the_true_one_is_caught() -> None:
    """Control: with half of the rho the conversion falls below the profile of the noise."""
    exact = GaussianProfile(1, 1).delta(4)
    assert not exact <= renyi_delta(concentrated(Fraction(1, 4)), 4)


def test_a_guarantee_to_a_group() -> None:
    one = PrivacyGuarantee(Fraction(1, 10), Fraction(1, 10**6), ADD)
    three = group_guarantee(one, 3)
    exact = sum((ball(Fraction(step, 10)).exp() for step in range(3)), arb(0)) / 10**6
    assert three.epsilon == Fraction(3, 10)
    assert three.adjacency is ADD
    assert exact.lower() <= arb(rational(three.delta))
    assert ball(three.delta) < exact * ball(1 + Fraction(1, 10**12))
    assert group_guarantee(one, 1) == one
    pure = PrivacyGuarantee(Fraction(1, 10), 0, ADD)
    assert group_guarantee(pure, 7) == PrivacyGuarantee(Fraction(7, 10), 0, ADD)
    with pytest.raises(InvalidParameterError, match="nothing is guaranteed"):
        group_guarantee(one, 200)
    with pytest.raises(InvalidParameterError, match="records"):
        group_guarantee(one, 0)


GROUPS = [
    (GaussianProfile(1, 2), GaussianProfile(3, 2)),
    (LaplaceProfile(2, 2, 1), LaplaceProfile(6, 2, 3)),
    (LaplaceProfile(arb(2).sqrt(), 2), LaplaceProfile(3 * arb(2).sqrt(), 2)),
    (DiscreteLaplaceProfile(2, 2, 1), DiscreteLaplaceProfile(6, 2, 3)),
    (DiscreteGaussianProfile(4, 7), DiscreteGaussianProfile(36, 7)),
    (BoundedRangeProfile(Fraction(1, 3)), BoundedRangeProfile(1)),
]


@pytest.mark.parametrize(("one", "three"), GROUPS, ids=lambda profile: type(profile).__name__)
def test_a_group_of_three_changes_three_times_as_much(one, three) -> None:
    found = group_profile(one, 3)
    chained = ChainedProfile(one, 3)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(3)):
        assert found.delta(epsilon).overlaps(three.delta(epsilon))
        assert found.delta(epsilon).lower() <= chained.delta(epsilon).upper()
        assert chained.delta(epsilon).lower() <= found.delta(epsilon).upper()


def test_any_other_profile_is_chained() -> None:
    noise = WishartProfile(2, 60, 1, 1, ADD)
    group = group_profile(noise, 2)
    assert isinstance(group, ChainedProfile)
    step = noise.delta(Fraction(1, 2))
    bound = step * (1 + ball(Fraction(1, 2)).exp())
    assert group.delta(1).upper() >= bound.lower()
    assert group.delta(1).contains(noise.delta(1))
    assert group_profile(noise, 1) is noise
    assert ChainedProfile(noise, 3).delta(0).upper() >= 3 * noise.delta(0).lower()
    with pytest.raises(InvalidParameterError, match="records"):
        group_profile(noise, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gaussian_rho(-1, 1),
        lambda: gaussian_rho(1, 0),
        lambda: discrete_gaussian_rho(1, 0),
        lambda: discrete_gaussian_rho(Fraction(1, 2), 1),
        lambda: pure_rho(-1),
        lambda: bounded_range_rho(math.inf),
        lambda: concentrated(-1),
        lambda: laplace_renyi(1, 0),
        lambda: renyi_delta(concentrated(1), -1),
        lambda: renyi_epsilon(concentrated(1), 0),
        lambda: renyi_epsilon(concentrated(1), 1),
    ],
)
def test_wrong_use_is_refused(call) -> None:
    with pytest.raises(InvalidParameterError):
        call()
