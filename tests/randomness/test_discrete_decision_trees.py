"""The exact samplers, checked leaf by leaf: every bit string up to a depth, with the rest of the mass accounted for."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from flint import arb, fmpq

from dpmatrix.randomness.discrete import bernoulli, bernoulli_exp, discrete_gaussian, discrete_laplace, uniform_below


class OutOfBitsError(Exception):
    """The script is shorter than the sampler needs."""


class ScriptedEntropy:
    """Replays a bit string and remembers how much of it was used."""

    private = False
    description = "script"

    def __init__(self, word, length):
        self.word, self.left = word, length
        self.asked = 0

    def bits(self, count):
        """Give the next bits, or stop the run."""
        if count > self.left:
            self.asked = count - self.left
            raise OutOfBitsError
        self.left -= count
        return self.word >> self.left & (1 << count) - 1


def masses(sampler, depth):
    """Enumerate the decision tree: exact mass of each outcome within ``depth`` bits, and the mass beyond."""
    found, beyond, open_nodes = defaultdict(Fraction), Fraction(0), [(0, 0)]
    while open_nodes:
        word, length = open_nodes.pop()
        script = ScriptedEntropy(word, length)
        try:
            outcome = sampler(script)
        except OutOfBitsError:
            if length + script.asked > depth:
                beyond += Fraction(1, 2**length)
            else:
                open_nodes += [(word << script.asked | more, length + script.asked) for more in range(2**script.asked)]
        else:
            assert script.left == 0
            found[outcome] += Fraction(1, 2**length)
    assert sum(found.values()) + beyond == 1
    return found, beyond


def certainly_within(probability, mass, beyond):
    """Whether ``mass <= probability <= mass + beyond``, certified."""
    return arb(fmpq(mass.numerator, mass.denominator)) <= probability and probability <= arb(
        fmpq((mass + beyond).numerator, (mass + beyond).denominator)
    )


def ball_of(value):
    return arb(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 6, 7, 8, 11])
def test_uniform_gives_every_value_the_same_mass(bound):
    found, beyond = masses(lambda entropy: uniform_below(bound, entropy), 12)
    assert set(found) == set(range(bound))
    assert len(set(found.values())) == 1
    assert beyond < Fraction(1, 4)


@pytest.mark.parametrize("probability", [Fraction(0), Fraction(1), Fraction(1, 3), Fraction(3, 8), Fraction(5, 7)])
def test_bernoulli_splits_the_mass_in_the_exact_proportion(probability):
    found, beyond = masses(lambda entropy: bernoulli(probability, entropy), 15)
    assert found[True] == probability * (1 - beyond)


@pytest.mark.parametrize(
    "rate", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2, 3), Fraction(3, 2), Fraction(7, 4)]
)
def test_bernoulli_exp_encloses_the_exponential(rate):
    found, beyond = masses(lambda entropy: bernoulli_exp(rate, entropy), 18)
    assert beyond < Fraction(1, 25)
    assert certainly_within((-ball_of(rate)).exp(), found[True], beyond)


def test_control_the_enumeration_excludes_a_neighbouring_rate():
    found, beyond = masses(lambda entropy: bernoulli_exp(Fraction(1, 2), entropy), 16)
    assert not certainly_within((-ball_of(Fraction(3, 8))).exp(), found[True], beyond)
    assert not certainly_within((-ball_of(Fraction(2, 3))).exp(), found[True], beyond)


def laplace_mass(value, scale):
    ratio = (-1 / ball_of(scale)).exp()
    return (1 - ratio) / (1 + ratio) * ratio ** abs(value)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(2, 3)])
def test_discrete_laplace_encloses_its_masses(scale):
    found, beyond = masses(lambda entropy: discrete_laplace(scale, entropy), 16)
    assert beyond < Fraction(1, 3)
    assert len(found) >= 3
    for value, mass in found.items():
        assert certainly_within(laplace_mass(value, scale), mass, beyond)
        assert found[-value] == mass


def test_control_the_enumeration_excludes_three_quarters_of_the_scale():
    found, beyond = masses(lambda entropy: discrete_laplace(Fraction(1), entropy), 15)
    assert not certainly_within(laplace_mass(0, Fraction(3, 4)), found[0], beyond)


def gaussian_mass(value, variance):
    weights = [(-ball_of(Fraction(k * k) / (2 * variance))).exp() for k in range(1, 40)]
    # The tail beyond 40 is below exp(-40 * 40 / 2) for variances up to one.
    total = 1 + 2 * sum(weights, arb(0)) + arb(0, 1e-100)
    return (-ball_of(Fraction(value * value) / (2 * variance))).exp() / total


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(1)])
def test_discrete_gaussian_encloses_its_masses(variance):
    found, beyond = masses(lambda entropy: discrete_gaussian(variance, entropy), 14)
    assert beyond < Fraction(3, 5)
    for value, mass in found.items():
        assert certainly_within(gaussian_mass(value, variance), mass, beyond)
