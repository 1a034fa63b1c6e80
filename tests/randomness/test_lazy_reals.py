"""Lazily refined reals: nested digits, exact laws, and float enclosures that agree with the balls."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, fmpq
from scipy.stats import expon, norm

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyFunction, LazyNormals, LazyUniforms


def test_refinement_extends_digits_and_never_changes_them():
    uniforms = LazyUniforms((3, 4), SeededEntropy(1))
    coarse = [uniforms.digits(index) for index in range(12)]
    assert [known for known, _ in coarse] == uniforms.words().tolist()
    uniforms.refine(20, range(12))
    assert [uniforms.digits(index) for index in range(12)] == coarse
    uniforms.refine(100, [2, 7])
    for index in range(12):
        known, bits = uniforms.digits(index)
        assert bits == (100 if index in (2, 7) else 64)
        assert known >> (bits - 64) == coarse[index][0]


@pytest.mark.parametrize("bits", [64, 65, 200])
def test_enclosure_is_the_dyadic_interval(bits):
    uniforms = LazyUniforms((5,), SeededEntropy(2))
    uniforms.refine(bits, range(5))
    for index, enclosure in enumerate(uniforms.enclose(range(5))):
        known, have = uniforms.digits(index)
        assert have == bits
        with precision(300):
            assert all(enclosure.contains(arb(fmpq(end, 2**bits))) for end in (known, known + 1))
            assert enclosure.upper() - enclosure.lower() <= arb(fmpq(1, 2**bits)) * (1 + arb((1, -25)))


def box_muller(radial, angular, bits):
    """Transform digits with mpmath, taking the middle of each interval."""
    entries = []
    for first, second in zip(radial, angular, strict=True):
        u, v = (mpmath.mpf(2 * known + 1) / 2 ** (bits + 1) for known in (first, second))
        radius = mpmath.sqrt(-2 * mpmath.log(u))
        entries += [radius * mpmath.cos(2 * mpmath.pi * v), radius * mpmath.sin(2 * mpmath.pi * v)]
    return entries


def test_normals_agree_with_an_independent_transform_of_the_same_digits():
    normals = LazyNormals((3, 3), SeededEntropy(3))
    normals.refine(150, range(9))
    with precision(200), mpmath.workprec(400):
        digits = [[lazy.digits(index)[0] for index in range(5)] for lazy in (normals.radial, normals.angular)]
        expected = box_muller(*digits, 150)
        for value, enclosure in zip(expected, normals.enclose(range(9)), strict=False):
            assert abs(arb(str(value)) - enclosure) < arb((1, -120))


def test_entries_are_enclosed_in_the_order_asked_for():
    normals = LazyNormals((7,), SeededEntropy(31))
    whole = normals.enclose(range(7))
    assert [str(ball) for ball in normals.enclose([6, 1, 0, 5])] == [str(whole[index]) for index in (6, 1, 0, 5)]


@pytest.mark.parametrize("make", [LazyUniforms, LazyExponentials, LazyNormals])
def test_floats_and_balls_enclose_the_same_reals(make):
    # 2**64 times finer balls decide; a control with radii a thousand times smaller fails.
    reals = make((4, 501), SeededEntropy(32))
    reals.refine(128, range(2004))
    balls = reals.approximate()
    assert balls.shape == (4, 501)
    with precision(160):
        distances = [
            float(abs(ball - arb(center)).mid())
            for ball, center in zip(reals.enclose(range(2004)), balls.center.ravel().tolist(), strict=True)
        ]
    assert (np.array(distances) <= balls.radius.ravel()).all()
    assert not (np.array(distances) <= balls.radius.ravel() / 1000).all()


@pytest.mark.parametrize(("scale", "accepted"), [(1.0, True), (0.98, False)])
def test_normals_follow_the_normal_law(cdf_radius, cdf_distance, scale, accepted):
    # The control's law is 0.0048 away and the radius 0.0017: it passes with probability below 1e-60.
    draws = scale * LazyNormals((2000, 2000), SeededEntropy(4)).approximate().center
    reached = cdf_distance(draws.ravel(), norm.cdf)
    assert (reached <= cdf_radius(draws.size)) is accepted


def test_cosine_and_sine_of_one_pair_are_uncorrelated():
    # Chernoff: the mean of m products xy of independent normals exceeds t < 1 with probability <= exp(-m t**2 / 4).
    draws = LazyNormals((1_000_000, 2), SeededEntropy(5)).approximate().center
    bound = np.sqrt(4 * np.log(2e10) / 1_000_000)
    assert abs(np.mean(draws[:, 0] * draws[:, 1])) <= bound
    assert np.mean(draws[:, 0] * draws[:, 0]) > bound


@pytest.mark.parametrize(("scale", "accepted"), [(1.0, True), (0.98, False)])
def test_exponentials_follow_the_exponential_law(cdf_radius, cdf_distance, scale, accepted):
    # The control's law is 0.0074 away.
    draws = scale * LazyExponentials((2000, 1000), SeededEntropy(6)).approximate().center
    assert (cdf_distance(draws.ravel(), expon.cdf) <= cdf_radius(draws.size)) is accepted


@pytest.mark.parametrize("shape", [(), (-1,), (2, -3)])
def test_shape_must_be_sizes(shape):
    with pytest.raises(InvalidParameterError, match="shape"):
        LazyUniforms(shape, SeededEntropy(0))


def test_entropy_that_runs_short_gives_no_variates():
    class Short(SeededEntropy):
        def words(self, count):
            return super().words(count)[: count - 1]

    with pytest.raises(EntropyError, match="did not give 5 words"):
        LazyUniforms((5,), Short(0))


def test_a_child_of_the_process_cannot_use_the_digits(monkeypatch):
    normals = LazyNormals((3,), SeededEntropy(0))
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: (0, 99))
    for use in (normals.approximate, lambda: normals.enclose([0]), lambda: normals.refine(100, [0])):
        with pytest.raises(EntropyError, match="forked"):
            use()


def test_uniforms_are_their_first_53_digits_and_no_more_than_a_unit_beside_them():
    uniforms = LazyUniforms((40,), SeededEntropy(33))
    balls = uniforms.approximate()
    assert balls.center.tolist() == [float(Fraction(word >> 11, 2**53)) for word in uniforms.words().tolist()]
    assert set(balls.radius.tolist()) == {2.0**-53}


@pytest.mark.parametrize("make", [LazyUniforms, LazyExponentials])
@pytest.mark.parametrize("shape", [(0,), (1,), (2, 3), (2, 0)])
def test_each_variate_has_a_word_of_the_source(make, shape):
    """The first words of the source, row by row, and no others."""
    entropy, same = SeededEntropy(34), SeededEntropy(34)
    reals = make(shape, entropy)
    uniforms = getattr(reals, "uniforms", reals)
    assert reals.shape == uniforms.shape == shape
    assert uniforms.words().tolist() == same.words(int(np.prod(shape))).tolist()
    assert entropy.bits(64) == same.bits(64)
    assert reals.approximate().shape == shape


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (3, 2)])
def test_two_normals_are_made_of_two_words(shape):
    """A radius and an angle make two of them; the last pair of an odd number is made all the same."""
    entropy, same = SeededEntropy(35), SeededEntropy(35)
    normals = LazyNormals(shape, entropy)
    pairs = -(-int(np.prod(shape)) // 2)
    for uniforms in (normals.radial, normals.angular):
        assert uniforms.shape == (pairs,)
        assert uniforms.words().tolist() == same.words(pairs).tolist()
    assert entropy.bits(64) == same.bits(64)
    # What a fork would share is told from what it would not: later digits come from the same source.
    for uniforms in (normals.radial, normals.angular):
        uniforms.refine(100, [pairs - 1])
        assert uniforms.digits(pairs - 1)[0] & (1 << 36) - 1 == same.bits(36)


@pytest.mark.parametrize("entry", range(7))
def test_an_entry_has_the_digits_of_its_pair(entry):
    normals = LazyNormals((7,), SeededEntropy(36))
    normals.refine(90, [entry])
    for uniforms in (normals.radial, normals.angular):
        assert [uniforms.digits(pair)[1] for pair in range(4)] == [
            90 if pair == entry // 2 else 64 for pair in range(4)
        ]


def test_the_digits_of_an_exponential_are_those_of_its_uniform():
    exponentials = LazyExponentials((3,), SeededEntropy(37))
    exponentials.refine(90, [1])
    assert [exponentials.uniforms.digits(index)[1] for index in range(3)] == [64, 90, 64]
    with precision(200):
        low, high = (fmpq(exponentials.uniforms.digits(1)[0] + end, 2**90) for end in (0, 1))
        (ball,) = exponentials.enclose([1])
        assert ball.contains(-arb(low).log())
        assert ball.contains(-arb(high).log())
        assert ball.rad() < arb((1, -80))


def test_a_function_is_refined_by_what_it_is_made_of():
    asked = []
    function = LazyFunction((2, 2), lambda: arb_mat([[1, 2], [3, 4]]), asked.append)
    function.refine(77, [1])
    assert asked == [77]
    assert function.enclose([2, 0]) == [3, 1]
    assert function.approximate().shape == (2, 2)
    assert np.isinf(function.approximate().radius).all()
