"""What can go wrong in a release on the lattice: typed errors, and nothing released."""

from __future__ import annotations

import math
import os
import sys
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError, OutOfRangeError
from dpmatrix.mechanisms import LaplaceInputPerturbation, laplace, lattice_perturbation
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_laplace_noise

DATA = np.array([[0.5, 0.25, -0.125], [-0.5, 0.5, 0.3], [0.1, 0.2, 0.7]])
METHODS = {
    "tiny": LaplaceInputPerturbation(2**30, coordinate_bits=0),
    "fast": LaplaceInputPerturbation(1, coordinate_bits=8),
    "wide": LaplaceInputPerturbation(1, coordinate_bits=40),
}
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture
def published(monkeypatch):
    """Collect what is published."""
    releases, original = [], lattice_perturbation.publish

    def publish(*arguments):
        releases.append(original(*arguments))
        return releases[-1]

    monkeypatch.setattr(lattice_perturbation, "publish", publish)
    return releases


class FailingEntropy(SeededEntropy):
    """Gives an outcome instead of bits and words once some requests have been met."""

    def __init__(self, calls, bits, words):
        super().__init__(1)
        self.calls, self.bad_bits, self.bad_words = calls, bits, words

    def bits(self, count):
        """Give bits, or the outcome when the calls are used up."""
        self.calls -= 1
        return super().bits(count) if self.calls >= 0 else self.bad_bits(super().bits(count))

    def words(self, count):
        """Give words, or the outcome when the calls are used up."""
        self.calls -= 1
        return super().words(count) if self.calls >= 0 else self.bad_words(super().words(count))


def fail(_):
    raise EntropyError("the source is dry")


@every_method
@pytest.mark.parametrize("calls", [0, 1])
def test_entropy_that_fails_releases_nothing(published, method, calls):
    # Every method draws words in bulk: two requests at least, and more for as many entries as these.
    with pytest.raises(EntropyError, match="dry"):
        METHODS[method].release(np.zeros((1, 200)), entropy=FailingEntropy(calls, fail, fail))
    assert not published


@pytest.mark.parametrize("method", ["fast", "wide"])
@pytest.mark.parametrize("words", [lambda w: w[:-1], lambda w: w[:0], lambda _: None, lambda w: w.astype(np.int64)])
def test_words_that_run_short_release_nothing(published, method, words):
    with pytest.raises(EntropyError, match="words"):
        METHODS[method].release(DATA, entropy=FailingEntropy(0, fail, words))
    assert not published


@every_method
def test_an_operating_system_without_bits_releases_nothing(published, monkeypatch, method):
    def dry(_):
        raise OSError("no device")

    monkeypatch.setattr(os, "urandom", dry)
    with pytest.raises(EntropyError, match="operating system"):
        METHODS[method].release(DATA)
    assert not published


@every_method
def test_an_interrupt_while_noise_is_drawn_releases_nothing(published, method):
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        METHODS[method].release(DATA, entropy=FailingEntropy(0, interrupt, interrupt))
    assert not published
    # Control: the same mechanism publishes when the source holds.
    METHODS[method].release(DATA, entropy=SeededEntropy(1))
    assert len(published) == 1


class ForkingEntropy(SystemEntropy):
    """Forks at the second request."""

    def __init__(self):
        super().__init__()
        self.calls, self.child = 0, None

    def _maybe_fork(self):
        self.calls += 1
        if self.calls == 2:
            self.child = os.fork()

    def bits(self, count):
        """Give bits, forking first at the second request."""
        self._maybe_fork()
        return super().bits(count)

    def words(self, count):
        """Give words, forking first at the second request."""
        self._maybe_fork()
        return super().words(count)


@every_method
def test_a_fork_in_the_middle_gives_one_release_and_not_two(method):
    entropy, status, release = ForkingEntropy(), 3, None
    try:
        release = METHODS[method].release(np.zeros((1, 200 if method == "fast" else 20)), entropy=entropy)
        status = 1
    except EntropyError as error:
        status = 0 if "forked" in str(error) else 2
    except BaseException:
        status = 2
    if entropy.child == 0:
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(entropy.child, 0)[1]) == 0
    assert status == 1
    assert release.private


@pytest.mark.parametrize("scale", [0, Fraction(0), -1, math.inf, math.nan])
def test_a_scale_that_is_no_positive_number_releases_nothing(published, scale):
    class Broken(LaplaceInputPerturbation):
        def noise_scale(self, _dimension):
            return scale

    with pytest.raises(InvalidParameterError, match="scale"):
        Broken(1).release(DATA)
    assert not published


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("epsilon", [5e-324, sys.float_info.max])
@pytest.mark.parametrize("calibration", ["tight", "printed"])
def test_the_smallest_and_the_largest_epsilon_have_a_positive_finite_scale(epsilon, calibration, adjacency):
    mechanism = LaplaceInputPerturbation(epsilon, adjacency, calibration, divisor=3)
    assert mechanism.noise_scale(3) > 0
    release = mechanism.release(DATA)
    assert all(type(entry) is int for entry in release.integers.flat)
    if epsilon > 1:
        assert (release.integers == lattice_gram(DATA, 20)).all()
    else:
        # Noise of scale 2**1074 and more is beyond binary64 except with probability 2**-49.
        with pytest.raises(OutOfRangeError, match="binary64"):
            release.to_numpy()


@pytest.mark.parametrize(
    ("value", "bits", "norm_bound"),
    [(1.0, 31, 1), (1.0, 512, 1), (2.0**400, 0, 2**400), (-(2.0**399), 512, 2**400), (2.0**32, 0, 2**40)],
)
def test_integers_beyond_64_bits_are_released_exactly(value, bits, norm_bound):
    """Gram entries of 2**64 and far more, and noise of that size: the sum is that of Python integers."""
    mechanism = LaplaceInputPerturbation(1, norm_bound=norm_bound, coordinate_bits=bits)
    data = np.array([[value, 0.0], [0.0, value], [value, 0.0]])
    release = mechanism.release(data, entropy=SeededEntropy(9))
    noise = discrete_laplace_noise(mechanism.noise_scale(2), 3, SeededEntropy(9))
    square = int(Fraction(value) * 2**bits) ** 2
    assert square >= 2**62
    assert release.integers.tolist() == [[2 * square + noise[0], noise[1]], [noise[1], square + noise[2]]]


def test_noise_and_gram_matrix_of_62_bits_each_do_not_wrap(monkeypatch):
    monkeypatch.setattr(laplace, "laplace_integers", lambda _scale, count, _entropy: np.full(count, 2**63 - 1))
    release = LaplaceInputPerturbation(1, coordinate_bits=31).release([[1.0]])
    assert release.integers.tolist() == [[2**62 + 2**63 - 1]]


def test_records_in_blocks_give_the_release_of_all_of_them():
    mechanism = LaplaceInputPerturbation(1)
    whole = mechanism.release(DATA * 3, entropy=SeededEntropy(4))
    for blocks in ([DATA * 3], [row[None, :] * 3 for row in DATA[::-1]], iter([np.zeros((0, 3)), DATA * 3])):
        assert mechanism.release_blocks(blocks, 3, entropy=SeededEntropy(4)) == whole


def test_blocks_that_are_malformed_release_nothing(published):
    mechanism = LaplaceInputPerturbation(1, over_norm="reject")
    with pytest.raises(InvalidParameterError, match="a record is longer"):
        mechanism.release_blocks([DATA, [[0.1] * 3, [1.0] * 3]], 3)
    with pytest.raises(InvalidParameterError, match="row 3 holds NaN"):
        mechanism.release_blocks([DATA, [[math.nan] * 3]], 3)
    with pytest.raises(InvalidParameterError, match="length 3"):
        mechanism.release_blocks([DATA, [[0.1] * 2]], 3)
    with pytest.raises(InvalidParameterError, match="no record"):
        mechanism.release_blocks([], 3)
    with pytest.raises(InvalidParameterError, match="dimension"):
        mechanism.release_blocks([DATA], 0)

    def interrupted():
        yield DATA
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mechanism.release_blocks(interrupted(), 3)
    assert not published
    assert LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE).release_blocks([], 3).private
