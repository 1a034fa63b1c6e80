"""What the profiles of sketches and of scores of bounded range rest on: density ratios, worst cases, monotonicity."""

from __future__ import annotations

from itertools import pairwise

import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.privacy.profiles.bounded_range import bounded_range_hockey_stick
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail
from dpmatrix.privacy.profiles.sketch import narrow_against_wide, wide_against_narrow
from proofs_checks.common.subdivision import cells, follows


def test_density_ratio_of_two_normal_vectors_depends_on_the_sum_of_squares():
    r"""N(0, I) against N(0, (1 + l) I) in r dimensions: the log-ratio of `SketchProfile` with t = |z|^2 / 2."""
    spread = sympy.symbols("l", positive=True)
    for rows in (1, 2, 3):
        z = sympy.symbols(f"z:{rows}", real=True)
        half_square = sum(x**2 for x in z) / 2
        narrow = sympy.prod(sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi) for x in z)
        wide = sympy.prod(sympy.exp(-(x**2) / (2 * (1 + spread))) / sympy.sqrt(2 * sympy.pi * (1 + spread)) for x in z)
        claimed = sympy.Rational(rows, 2) * sympy.log(1 + spread) - half_square * spread / (1 + spread)
        ratio = sympy.simplify(sympy.expand_log(sympy.log(narrow) - sympy.log(wide), force=True) - claimed)
        assert ratio == 0
        assert sympy.simplify(sympy.diff(claimed, z[0]) + z[0] * spread / (1 + spread)) == 0  # falls with t


def test_thresholds_of_the_sketch_are_where_the_log_ratio_is_epsilon():
    spread, rows, epsilon, t = sympy.symbols("l r epsilon t", positive=True)
    loss = rows / 2 * sympy.log(1 + spread) - t * spread / (1 + spread)
    shrinking = (1 + spread) / spread * (rows / 2 * sympy.log(1 + spread) - epsilon)
    growing = (1 + spread) / spread * (rows / 2 * sympy.log(1 + spread) + epsilon)
    assert sympy.simplify(loss.subs(t, shrinking) - epsilon) == 0
    assert sympy.simplify(-loss.subs(t, growing) - epsilon) == 0


def test_covariance_reduction_of_the_sketch():
    """det(M + vv') = det M (1 + v'M^-1 v), and M^(-1/2)(M + vv')M^(-1/2) is I plus a rank-one matrix of trace l."""
    a, b, c, x, y = sympy.symbols("a b c x y")
    data, record = sympy.Matrix([[a, b], [b, c]]), sympy.Matrix([x, y])
    inflation = (record.T * data.inv() * record)[0]
    assert sympy.simplify((data + record * record.T).det() - data.det() * (1 + inflation)) == 0
    product = data.inv() * (data + record * record.T)  # similar to the symmetric form
    assert sympy.simplify(product.trace() - (2 + inflation)) == 0
    assert sympy.simplify((product - sympy.eye(2)) ** 2 - inflation * (product - sympy.eye(2))) == sympy.zeros(2)
    # Adding independent N(0, s) to both sides turns the inflation l into l / (1 + s): every smaller one is reached.
    spread, noise = sympy.symbols("l s", positive=True)
    assert sympy.simplify((1 + spread + noise) / (1 + noise) - 1 - spread / (1 + noise)) == 0


def gamma_density(point: arb, rows: int) -> arb:
    half = arb(fmpq(rows, 2))
    return point ** (half - 1) * (-point).exp() / half.gamma()


@pytest.mark.parametrize(("rows", "epsilon"), [(1, fmpq(0)), (2, fmpq(1, 4)), (5, fmpq(1, 2)), (12, fmpq(2))])
def test_sketch_divergences_increase_with_the_inflation(rows, epsilon):
    """Inflations from 1/2 (or where the shrinking direction begins) to 4: the threshold adds nothing to the derivative.

    d/dl of Pr(Gamma > b / (1 + l)) at fixed b is the density at the threshold z = b / (1 + l) times z / (1 + l).
    """

    def slope_wide(spread: arb) -> arb:
        threshold = (arb(fmpq(rows, 2)) * spread.log1p() + epsilon) / spread
        return gamma_density(threshold, rows) * threshold / (1 + spread)

    def slope_narrow(spread: arb) -> arb:
        threshold = (arb(fmpq(rows, 2)) * spread.log1p() - epsilon) / spread
        return arb(epsilon).exp() * gamma_density(threshold, rows) * threshold / (1 + spread)

    with precision(96):
        where = cells(fmpq(1, 2), fmpq(4), 100)
        assert follows(lambda spread: wide_against_narrow(epsilon, spread, rows), slope_wide, where)
        begins = fmpq(1, 2)
        while not arb(fmpq(rows, 2)) * arb(begins).log1p() > epsilon + fmpq(1, 10):
            begins += fmpq(1, 4)
        beyond = cells(begins, begins + 3, 150)
        assert follows(lambda spread: narrow_against_wide(epsilon, spread, rows), slope_narrow, beyond)
        # Control: a slope that is a quarter too large is noticed.
        assert not follows(
            lambda spread: wide_against_narrow(epsilon, spread, rows), lambda s: slope_wide(s) * fmpq(5, 4), where
        )


@pytest.mark.parametrize("epsilon", [fmpq(0), fmpq(1, 3), fmpq(2)])
@pytest.mark.parametrize("spread", [fmpq(1, 100), fmpq(1), fmpq(9)])
def test_sketch_divergences_increase_with_the_rows(epsilon, spread):
    """Rows 1 to 40: forgetting a row is post-processing, so both directions rise."""
    for divergence in (narrow_against_wide, wide_against_narrow):
        values = [divergence(epsilon, spread, rows) for rows in range(1, 41)]
        assert all(later > earlier or later.is_zero() for earlier, later in pairwise(values))
        assert values[-1] > 0 or divergence is narrow_against_wide


@pytest.mark.parametrize("rows", [3, 200])
def test_events_of_the_sketch_are_the_best_half_lines(rows):
    """Moving a threshold either way certainly loses: the event is the one of the density ratio."""
    spread, epsilon, half = fmpq(1, 2), fmpq(1, 4), arb(fmpq(rows, 2))
    with precision(200):
        for factor in (fmpq(9, 10), fmpq(11, 10)):
            threshold = (half * arb(spread).log1p() + epsilon) / spread * factor
            value = upper_tail(threshold, half) - arb(epsilon).exp() * upper_tail(threshold * (1 + spread), half)
            assert value < wide_against_narrow(epsilon, spread, rows)
            threshold = (half * arb(spread).log1p() - epsilon) / spread * factor
            value = lower_tail(threshold * (1 + spread), half) - arb(epsilon).exp() * lower_tail(threshold, half)
            assert value < narrow_against_wide(epsilon, spread, rows)


def test_two_points_are_the_worst_of_a_range():
    """(x - e^epsilon)^+ lies below its chord on [e^(t-h), e^t], so the two end points are the worst."""
    t, h, epsilon, x = sympy.symbols("t h epsilon x", positive=True)
    high, low = sympy.exp(t), sympy.exp(t - h)
    chord = (high - sympy.exp(epsilon)) * (x - low) / (high - low)
    # It vanishes at the low end, equals x - e^epsilon at the high end, and exceeds x - e^epsilon below it.
    assert sympy.simplify(chord.subs(x, low)) == 0
    assert sympy.simplify(chord.subs(x, high) - (high - sympy.exp(epsilon))) == 0
    above = sympy.simplify(chord - (x - sympy.exp(epsilon)) - (high - x) * (sympy.exp(epsilon) - low) / (high - low))
    assert above == 0  # and both factors are positive, as x <= e^t and t - h <= 0 <= epsilon
    # Its mean at E x = 1 is the divergence of the two-point law.
    share = (1 - low) / (high - low)
    assert sympy.simplify(share * high + (1 - share) * low - 1) == 0
    assert sympy.simplify(chord.subs(x, 1) - share * (high - sympy.exp(epsilon))) == 0
    claimed = (1 - low) * (1 - sympy.exp(epsilon - t)) / (1 - sympy.exp(-h))
    assert sympy.simplify(chord.subs(x, 1) - claimed) == 0


def test_the_worst_top_of_a_range_is_halfway():
    t, h, epsilon = sympy.symbols("t h epsilon", positive=True)
    value = (1 - sympy.exp(t - h)) * (1 - sympy.exp(epsilon - t))
    slope = sympy.diff(value, t)
    half = (h + epsilon) / 2
    assert sympy.simplify(slope.subs(t, half)) == 0
    assert sympy.simplify(slope - (sympy.exp(epsilon - t) - sympy.exp(t - h))) == 0  # falls with t: one maximum
    assert sympy.simplify(value.subs(t, half) - (1 - sympy.exp((epsilon - h) / 2)) ** 2) == 0
    assert sympy.simplify(half - epsilon - (h - epsilon) / 2) == 0  # in [epsilon, h] for epsilon <= h
    assert sympy.simplify(h - half - (h - epsilon) / 2) == 0


@pytest.mark.parametrize("epsilon", [fmpq(0), fmpq(1, 2), fmpq(3)])
def test_bounded_range_profile_increases_with_the_range(epsilon):
    """Ranges from epsilon + 1/8 to epsilon + 6; the sign of the derivative is also shown for every h."""
    root, start = sympy.symbols("x c", positive=True)  # exp(-h / 2) and exp(epsilon / 2), so that gap is their product
    gap = root * start
    profile = (1 - gap) ** 2 / (1 - root**2)
    by_range = -root / 2 * sympy.diff(profile, root)
    # (1 - gap)(gap - e^-h) / (1 - e^-h)^2: all factors positive, as -h < (epsilon - h)/2 < 0.
    assert sympy.cancel(by_range - (1 - gap) * (gap - root**2) / (1 - root**2) ** 2) == 0
    with precision(96):

        def slope(width: arb) -> arb:
            ahead = ((epsilon - width) / 2).exp()
            return (1 - ahead) * (ahead - (-width).exp()) / (1 - (-width).exp()) ** 2

        where = cells(epsilon + fmpq(1, 8), epsilon + 6, 150)
        assert follows(lambda width: bounded_range_hockey_stick(epsilon, width), slope, where)
        assert not follows(
            lambda width: bounded_range_hockey_stick(epsilon, width), lambda width: slope(width) * fmpq(5, 4), where
        )
