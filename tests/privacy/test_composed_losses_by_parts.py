"""What is added to the other library's numbers: rounding on the safe side, bounds of its errors, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from attrs import define, field

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import GaussianProfile, LaplaceProfile, compose, privacy_loss
from dpmatrix.privacy.composition import ComposedLoss
from dpmatrix.privacy.loss_envelope import loss_envelope

UNIT = 2.0**-48


@define
class Distribution:
    """Stand for a distribution of dp-accounting: it answers as it is told and remembers what it was asked."""

    delta: Callable[[float], float] = lambda _: 0.0
    epsilon: float = 0.0
    asked: list = field(factory=list)

    def get_delta_for_epsilon(self, epsilon: float) -> float:
        """Answer with the function."""
        self.asked.append(epsilon)
        return self.delta(epsilon)

    def get_epsilon_for_delta(self, delta: float) -> float:
        """Answer with the number."""
        self.asked.append(delta)
        return self.epsilon

    def self_compose(self, *arguments: float) -> tuple:
        """Return what was asked."""
        return ("repeated", *arguments)

    def compose(self, *arguments: object) -> tuple:
        """Return what was asked."""
        return ("composed", *arguments)


def loss(distribution: Distribution, size: int = 8, norm: float = 0.5, rounding: float = 0.0) -> ComposedLoss:
    return ComposedLoss(distribution, 0.25, size, norm, rounding)


@pytest.mark.parametrize(
    ("epsilon", "asked"),
    [
        (0, 0.0),
        (0.1, 0.1),
        (Fraction(1, 10), math.nextafter(0.1, 0)),
        (Fraction(1, 3), 1 / 3),
        (2**40 + 1, 2.0**40),
        (10**400, 2.0**40),
    ],
)
def test_an_epsilon_between_floats_is_asked_at_the_one_below(epsilon, asked) -> None:
    """The float 0.1 is above 1/10, and the float of 1/3 is below it."""
    distribution = Distribution()
    loss(distribution).delta(epsilon)
    assert distribution.asked == [asked]


@pytest.mark.parametrize(
    ("found", "expected"),
    [(0.5, 0.5 * (1 + 1024 * UNIT) + 1e-3), (0.0, 1e-3), (-1e-9, 1e-3), (0.9999, 1.0), (7.0, 1.0)],
)
def test_a_delta_counts_the_rounding_and_is_a_probability(found, expected) -> None:
    distribution = Distribution(lambda _: found)
    assert loss(distribution, size=1024, rounding=1e-3).delta(1) == expected


def test_an_epsilon_is_asked_for_what_rounding_leaves_of_delta() -> None:
    distribution = Distribution(epsilon=0.75)
    assert loss(distribution, rounding=0.125).epsilon(Fraction(1, 2)) == 0.75
    assert distribution.asked == [0.375, 0.75]
    assert loss(distribution, rounding=0.125).epsilon(Fraction(1, 8)) == 0.75
    assert loss(distribution, rounding=0.125).epsilon(Fraction(1, 9)) == math.inf
    assert loss(Distribution(epsilon=math.inf)).epsilon(0) == math.inf


@pytest.mark.parametrize(
    ("beyond", "moved"),
    [(0, 0), (1, 1), (2, 3), (3, 3), (4, 7), (2**20, 2**21 - 1), (2**40 - 1, 2**40 - 1), (2**40, math.inf)],
)
def test_an_epsilon_that_does_not_suffice_is_moved_by_doubling_steps(beyond, moved) -> None:
    """In units of 2^-40 above the answer of the library; more than about one is not believed."""
    distribution = Distribution(lambda epsilon: 0.0 if epsilon >= 2 + beyond * 2.0**-40 else 0.5, 2.0)
    assert loss(distribution).epsilon(Fraction(1, 4)) == 2 + moved * 2.0**-40


@pytest.mark.parametrize("times", [2, 3, 10])
def test_repeated_releases_add_their_errors_and_those_of_the_transforms(times: int) -> None:
    """A transform of at most twice as many losses for the one, one back, and a power for each release."""
    found = loss(Distribution(), size=8, norm=0.5, rounding=1e-9).repeated(times)
    size = 8 * times
    lost = math.sqrt(size) * (times + 2) * UNIT * (math.log2(2 * size) + 1) * 0.5
    assert found._distribution == ("repeated", times, 1e-15)
    assert (found.spacing, found.size, found.norm) == (0.25, size, 0.5)
    assert found.rounding == pytest.approx(times * 1e-9 + lost, rel=1e-12, abs=0)
    assert lost < 1e-9 * times


@pytest.mark.parametrize("norms", [(0.5, 0.25), (0.25, 0.5)])
def test_two_releases_add_their_errors_and_those_of_four_transforms(norms) -> None:
    other = Distribution()
    found = loss(Distribution(), 8, norms[0], 1e-12).composed(loss(other, 24, norms[1], 3e-12))
    assert found._distribution == ("composed", other, 1e-15)
    assert (found.spacing, found.size, found.norm) == (0.25, 32, 0.25)
    assert found.rounding == pytest.approx(4e-12 + math.sqrt(32) * 4 * UNIT * 7 * 0.25, rel=1e-12, abs=0)


def test_one_release_has_the_size_and_the_norm_of_its_envelope() -> None:
    found = privacy_loss(GaussianProfile(1, 2), Fraction(1, 16), Fraction(1, 10**6))
    masses = loss_envelope(GaussianProfile(1, 2), Fraction(1, 16), Fraction(1, 10**6)).masses
    assert found.size == max(masses) - min(masses) + 1
    assert found.norm == pytest.approx(math.sqrt(math.fsum(mass**2 for mass in masses.values())), rel=1e-13)
    assert Fraction(found.norm) ** 2 > sum(Fraction(mass) ** 2 for mass in masses.values())
    assert (found.spacing, found.rounding) == (1 / 16, 0.0)
    assert "distribution" not in repr(found)
    assert found == privacy_loss(GaussianProfile(1, 2), Fraction(1, 16), Fraction(1, 10**6))
    assert found != privacy_loss(GaussianProfile(1, 2), Fraction(1, 8), Fraction(1, 10**6))


def test_the_default_grid_has_512_losses_in_one_and_a_tail_of_ten_to_minus_15() -> None:
    profile = GaussianProfile(1, 8)
    expected = privacy_loss(profile, Fraction(1, 512), Fraction(1, 10**15))
    other = privacy_loss(profile, Fraction(1, 512), Fraction(1, 10**14))
    for found in (privacy_loss(profile), compose([(profile, 1)])):
        assert (found.spacing, found.size) == (1 / 512, expected.size)
    assert other.size < expected.size


def test_a_composition_takes_the_grid_that_it_is_given() -> None:
    profile, spacing, tail = GaussianProfile(1, 2), Fraction(1, 8), Fraction(1, 10**4)
    assert compose([(profile, 1)], spacing, tail).size == privacy_loss(profile, spacing, tail).size
    assert compose([(profile, 2), (profile, 1)], spacing, tail).size == 3 * privacy_loss(profile, spacing, tail).size


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda one: one.delta(-1), "epsilon"),
        (lambda one: one.delta(Fraction(-1, 10**30)), "epsilon"),
        (lambda one: one.delta(math.nan), "epsilon"),
        (lambda one: one.epsilon(-1), "delta"),
        (lambda one: one.epsilon(1), "delta"),
        (lambda one: one.epsilon(math.nan), "delta"),
        (lambda one: one.repeated(0), "times"),
        (lambda one: one.composed(ComposedLoss(Distribution(), 0.5, 8, 0.5, 0.0)), "spacing"),
        (lambda _: compose([]), "releases"),
        (lambda _: privacy_loss(LaplaceProfile(1000, 1), Fraction(1, 4)), "profile"),
    ],
)
def test_what_is_refused_is_named(call, name) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        call(loss(Distribution()))
    assert caught.value.parameter == name
