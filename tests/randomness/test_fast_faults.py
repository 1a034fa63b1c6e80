"""What can go wrong in the vectorised samplers: typed errors, and nothing released."""

from __future__ import annotations

import math
import os
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError, OutOfRangeError
from dpmatrix.randomness import fast_discrete
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_bernoulli import bernoulli, bernoulli_exp
from dpmatrix.randomness.fast_rectangles import CHUNK, RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight, build_tables

LAWS = {
    "geometric": (fast_discrete.geometric, "scale", Fraction(10)),
    "Laplace": (fast_discrete.discrete_laplace, "scale", Fraction(10)),
    "Gaussian": (fast_discrete.discrete_gaussian, "variance", Fraction(100)),
    "Bernoulli": (bernoulli, "probability", Fraction(1, 3)),
    "Bernoulli exp": (bernoulli_exp, "rate", Fraction(1, 3)),
}
SIZE = 10 * CHUNK


@pytest.mark.parametrize("value", [-1, Fraction(-1, 3), math.inf, -math.inf, math.nan, 1j, "1", None, Decimal("0.5")])
@pytest.mark.parametrize("law", LAWS)
def test_parameters_that_are_not_rationals_of_the_domain_are_refused(law, value):
    draw, name, _ = LAWS[law]
    with pytest.raises(InvalidParameterError) as caught:
        draw(value, 10, SeededEntropy(0))
    assert caught.value.parameter == name


@pytest.mark.parametrize("law", ["geometric", "Laplace", "Gaussian"])
@pytest.mark.parametrize("value", [0, Fraction(1, 10**7), 2**81])
def test_scales_outside_their_bounds_are_refused(law, value):
    draw, name, _ = LAWS[law]
    with pytest.raises(InvalidParameterError, match=name):
        draw(value, 10, SeededEntropy(0))


@pytest.mark.parametrize("shape", [-1, (3, -1), 1.5, (2, "3"), None, [3]])
@pytest.mark.parametrize("law", LAWS)
def test_shapes_that_are_none_are_refused(law, shape):
    draw, _, parameter = LAWS[law]
    with pytest.raises(InvalidParameterError, match="shape"):
        draw(parameter, shape, SeededEntropy(0))


@pytest.mark.parametrize("shape", [0, 7, (), (3,), (2, 0), (2, 3, 4), (np.int64(5), 1)])
@pytest.mark.parametrize("law", LAWS)
def test_any_shape_is_drawn(law, shape):
    draw, _, parameter = LAWS[law]
    expected = tuple(shape) if isinstance(shape, tuple) else (shape,)
    assert draw(parameter, shape, SeededEntropy(0)).shape == expected


@pytest.mark.parametrize("probability", [0, 1, Fraction(0), 1.0])
def test_certain_events(probability):
    assert (bernoulli(probability, 5000, SystemEntropy()) == bool(probability)).all()
    assert bernoulli_exp(0, 5000, SystemEntropy()).all()


class FailingEntropy(SeededEntropy):
    """Fails, or gives something else than words, after some calls."""

    def __init__(self, calls, outcome):
        super().__init__(1)
        self.calls, self.outcome = calls, outcome

    def words(self, count):
        """Give words, or the outcome when the calls are used up."""
        self.calls -= 1
        if self.calls >= 0:
            return super().words(count)
        return self.outcome(super().words(count))


def fail(words):
    raise EntropyError("the source is dry")


@pytest.mark.parametrize(
    "outcome",
    [fail, lambda w: w[:-1], lambda w: w[:0], lambda w: w.astype(np.int64), lambda w: w.tolist(), lambda _: None],
)
@pytest.mark.parametrize("calls", [0, 1])
@pytest.mark.parametrize("law", LAWS)
def test_entropy_that_fails_or_runs_short_releases_nothing(law, calls, outcome):
    draw, _, parameter = LAWS[law]
    with pytest.raises(EntropyError):
        draw(parameter, SIZE, FailingEntropy(calls, outcome))


@pytest.mark.parametrize("law", ["geometric", "Laplace", "Gaussian"])
def test_entropy_that_fails_when_more_digits_are_needed_releases_nothing(law):
    # A word of ones names the tail's slot and is refused; words of ones for ever are a broken source.
    ones = FailingEntropy(0, lambda words: np.full_like(words, 2**64 - 1))
    draw, _, parameter = LAWS[law]
    with pytest.raises(EntropyError, match="rounds"):
        draw(parameter, 3, ones)


class ForkingEntropy(SystemEntropy):
    """Forks while the words of an array are drawn; the second call happens in both processes."""

    def __init__(self):
        super().__init__()
        self.calls, self.child = 0, None

    def words(self, count):
        """Give words, forking first at the second call."""
        self.calls += 1
        if self.calls == 2:
            self.child = os.fork()
        return super().words(count)


@pytest.mark.parametrize("law", LAWS)
def test_a_child_forked_in_the_middle_gets_an_error_and_the_parent_its_array(law):
    draw, _, parameter = LAWS[law]
    entropy = ForkingEntropy()
    status = 3
    try:
        drawn = draw(parameter, 2 * SIZE, entropy)
        status = 1
    except EntropyError as error:
        status = 0 if "forked" in str(error) else 2
    except BaseException:
        status = 2
    if entropy.child == 0:
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(entropy.child, 0)[1]) == 0
    assert status == 1
    assert drawn.shape == (2 * SIZE,)


def test_a_variate_beyond_the_integers_is_an_error_and_never_wraps():
    # The bound is lowered to 24 at scale 4: exceeded with probability above 1/500 for each of 1e5 draws.
    weight, cut = Weight(Fraction(1, 4), Fraction(0)), Layout(0, slot_bits=6, cutoff=Fraction(5))
    largest = 24
    with pytest.raises(OutOfRangeError, match="above 24"):
        RectangleSampler(weight, cut, largest=largest).draw((100_000,), SeededEntropy(3))
    # Control: without the lower bound the same words do give such values.
    assert np.abs(RectangleSampler(weight, cut).draw((100_000,), SeededEntropy(3))).max() > largest


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize(("excess", "fits"), [(2**63 - 1, False), (2**63, False), (10**30, False), (2**62, True)])
def test_the_full_width_is_guarded(monkeypatch, excess, fits, negative):
    class Side(SeededEntropy):
        def bits(self, count):
            return int(negative) if count == 1 else super().bits(count)

    monkeypatch.setattr("dpmatrix.randomness.fast_rectangles.geometric", lambda *_: excess)
    sampler = fast_discrete._exponential_sampler(Fraction(2**40), two_sided=True)
    tail = np.array([sampler.tables.tail_slot << 52], np.uint64)
    if fits:
        sampler.settle(tail, np.zeros(1, np.int64), Side(0))
    else:
        with pytest.raises(OutOfRangeError):
            sampler.settle(tail, np.zeros(1, np.int64), Side(0))


@pytest.mark.parametrize(
    ("weight", "cut", "parameter"),
    [
        (Weight(Fraction(1, 100), Fraction(0)), Layout(0), None),
        (Weight(Fraction(1, 100), Fraction(0)), Layout(0, slot_bits=8), "slot_bits"),
        (Weight(Fraction(1, 100), Fraction(0)), Layout(6), "block_bits"),
        (Weight(Fraction(0), Fraction(1, 1000)), Layout(4), "block_bits"),
        (Weight(Fraction(1, 100), Fraction(0)), Layout(3, cutoff=Fraction(1, 2)), "cutoff"),
        (Weight(Fraction(1), Fraction(0)), Layout(0, word_bits=12), "word_bits"),
    ],
)
def test_layouts_that_the_proof_does_not_cover_are_refused(weight, cut, parameter):
    if parameter is None:
        build_tables(weight, cut)
        return
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, cut)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(2**40), Fraction(10**12, 10**12 - 1), 0.1])
def test_scales_at_the_ends_and_with_long_fractions_are_drawn(scale):
    square = Fraction(scale) ** 2
    assert fast_discrete.discrete_laplace(scale, 100, SystemEntropy()).dtype == np.int64
    assert fast_discrete.geometric(scale, 100, SystemEntropy()).min() >= 0
    assert fast_discrete.discrete_gaussian(square, 100, SystemEntropy()).dtype == np.int64
