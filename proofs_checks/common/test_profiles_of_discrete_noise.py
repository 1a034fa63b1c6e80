"""What the profiles of discrete Laplace and Gaussian noise rest on: the worst shift, monotonicity, smoothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.privacy import DiscreteGaussianProfile, DiscreteLaplaceProfile, LaplaceProfile
from dpmatrix.privacy.profiles.discrete_laplace import discrete_laplace_hockey_stick
from dpmatrix.privacy.profiles.lattice_sums import total_mass
from proofs_checks.common.subdivision import cells


def test_discrete_laplace_touches_the_continuous_profile_and_its_chords_lie_above():
    q_root, s, j = sympy.symbols("r s j", positive=True)  # r = q^(1/2) = exp(-1/2t); e^epsilon = q^(2j - s)
    q = q_root**2
    one_minus = (q**j + q ** (2 * j - s) * q ** (s - j + 1)) / (1 + q)
    assert sympy.simplify(one_minus - q**j) == 0
    # There epsilon t = s - 2j, so exp((epsilon - s/t)/2) = q^j: equal. Between, 1 - delta is linear in e^epsilon, and
    # the continuous one is a multiple of its square root, which is concave, so that its chord lies below it.
    weight = sympy.symbols("w", positive=True)
    assert sympy.diff(sympy.sqrt(weight), weight, 2).is_negative
    for shift, scale in ((7, fmpq(3, 2)), (4, fmpq(5))):
        for steps in range(1, shift // 2 + 1):
            epsilon = (shift - 2 * steps) / scale
            ball = discrete_laplace_hockey_stick(epsilon, shift, scale)
            assert ball.overlaps(LaplaceProfile(shift, scale).delta(epsilon))
            between = discrete_laplace_hockey_stick(epsilon + 1 / scale, shift, scale)
            assert between > LaplaceProfile(shift, scale).delta(epsilon + 1 / scale)


def test_one_coordinate_is_the_worst_discrete_laplace_shift():
    """(1 + q)(A(epsilon + 2) - A(epsilon)) in each case of h, with q = 1/e and t = 1, and A(s) = 1."""
    s2, u, q = sympy.symbols("s2 u q", positive=True)
    power = sympy.exp(-1)
    within, beyond, below = sympy.Integer(1), sympy.exp(-(u - s2) / 2), sympy.exp((u + s2) / 2)

    def left_part(at: sympy.Expr, later: sympy.Expr) -> sympy.Expr:
        """Part of a = epsilon - s_1: q h(a + 2) - h(a)."""
        return sympy.simplify(power * later.subs(u, u + 2) - at)

    def right_part(at: sympy.Expr, later: sympy.Expr) -> sympy.Expr:
        """Part of b = epsilon + s_1: h(b + 2) - q h(b)."""
        return sympy.simplify(later.subs(u, u + 2) - power * at)

    # Telescoping sum: the terms 0 < i < s_1 of A(epsilon + 2) are those 1 < i < s_1 + 1 of A(epsilon).
    h = sympy.Function("h")
    for first in range(1, 6):
        a, b = u - first, u + first

        def total(at: sympy.Expr, first: int = first) -> sympy.Expr:
            ends = h(sympy.expand(at - first)) + h(sympy.expand(at + first))
            return ends + (1 - q) * sum(h(sympy.expand(at - first + 2 * i)) for i in range(1, first))

        parts = q * h(sympy.expand(a + 2)) - h(a) + h(sympy.expand(b + 2)) - q * h(b)
        assert sympy.expand(total(u + 2) - total(u) - parts) == 0
    # a lies in -s_2, -s_2 + 2, ..., s_2 - 2 or below; b lies in the same or at s_2 and above.
    assert left_part(within, within) == power - 1
    assert left_part(below, below) == 0
    assert right_part(within, within) == 1 - power
    assert right_part(beyond, beyond) == 0
    # h is 1 at both ends of its plateau, so the formulas meet there; hence the four sums:
    assert beyond.subs(u, s2) == below.subs(u, -s2) == 1
    sums = {
        ("within", "within"): left_part(within, within) + right_part(within, within),
        ("within", "beyond"): left_part(within, within) + right_part(beyond, beyond),
        ("below", "beyond"): left_part(below, below) + right_part(beyond, beyond),
    }
    assert [sympy.simplify(value) <= 0 for value in sums.values()] == [True, True, True]
    # The fourth, a <= -s_2 - 2 and b <= s_2 - 2, would increase A, but a + b = 2 epsilon is then at most -4.
    assert left_part(below, below) + right_part(within, within) > 0
    # A(s) = (1 + q^s1 + (1 - q) sum_(0 < i < s1) q^i) / (1 + q) = 1, h(s_2 + 2 i) being q^i.
    assert sympy.simplify(beyond.subs(u, s2 + 2 * sympy.Symbol("i")) - power ** sympy.Symbol("i")) == 0
    for first in range(1, 8):
        at_end = 1 + q**first + (1 - q) * sum(q**i for i in range(1, first))
        assert sympy.expand(at_end - (1 + q)) == 0


def exact_discrete_laplace(shifts: tuple[int, ...], odds: fmpq, q: fmpq) -> fmpq:
    """Divergence at e^epsilon = odds for shifts in several coordinates, exactly: over the finitely many losses."""
    losses = {0: (fmpq(1), fmpq(1))}
    for shift in shifts:
        single = {shift: (1 / (1 + q), q**shift / (1 + q)), -shift: (q**shift / (1 + q), 1 / (1 + q))}
        for i in range(1, shift):
            single[shift - 2 * i] = ((1 - q) / (1 + q) * q**i, (1 - q) / (1 + q) * q ** (shift - i))
        joint: dict[int, tuple[fmpq, fmpq]] = {}
        for loss, (p, r) in losses.items():
            for step, (p_step, r_step) in single.items():
                before = joint.get(loss + step, (fmpq(0), fmpq(0)))
                joint[loss + step] = (before[0] + p * p_step, before[1] + r * r_step)
        losses = joint
    assert sum(p for p, _ in losses.values()) == 1
    return sum((max(p - odds * r, fmpq(0)) for p, r in losses.values()), fmpq(0))


def test_spread_discrete_laplace_shifts_in_rational_arithmetic():
    """Every split of shifts up to 6 among two and three coordinates, q = 1/3 and 9/10, many odds: never above."""
    strict = 0
    for q in (fmpq(1, 3), fmpq(9, 10)):
        for total in range(2, 7):
            splits = [(a, total - a) for a in range(1, total // 2 + 1)]
            splits += [(1, 1, total - 2)] if total > 2 else []
            for split in splits:
                for step in range(25):
                    odds = 1 + fmpq(step, 24) * (1 / q**total - 1)
                    whole = exact_discrete_laplace((total,), odds, q)
                    spread = exact_discrete_laplace(split, odds, q)
                    assert spread <= whole
                    strict += bool(spread < whole)
    assert strict > 500


def test_the_discrete_laplace_formula_in_rational_arithmetic():
    """The exact finite sum at rational odds against the formula at e^epsilon = odds."""
    q = fmpq(1, 2)
    with precision(200):
        scale = -1 / arb(q).log()
        for shift in (1, 4, 7):
            for numerator in range(9, 40, 5):
                odds = fmpq(numerator, 8)
                epsilon = arb(odds).log()
                found = DiscreteLaplaceProfile(shift, scale).delta(epsilon)
                exact = arb(exact_discrete_laplace((shift,), odds, q))
                assert found.overlaps(exact)
                assert found.rad() < 1e-40


def test_discrete_laplace_of_larger_scale_is_post_processing():
    """(1 - q z)/(1 - q' z) = 1 + sum (q' - q) q'^(n-1) z^n has no negative coefficient for q <= q'."""
    q, later, z = sympy.symbols("q p z", positive=True)
    series = sympy.series((1 - q * z) / (1 - later * z), z, 0, 8).removeO()
    for n in range(1, 8):
        assert sympy.expand(series.coeff(z, n) - (later - q) * later ** (n - 1)) == 0
    # The symmetric law is a difference of two such geometric variables: the mass at k >= 0 is the sum over i >= 0 of
    # (1 - q)^2 q^(k + i) q^i, a geometric series of ratio q^2.
    mass = (1 - q) ** 2 / (1 - q**2)
    assert sympy.cancel(mass - (1 - q) / (1 + q)) == 0


@pytest.mark.parametrize("epsilon", [fmpq(0), fmpq(1, 5), fmpq(1)])
def test_discrete_laplace_falls_with_the_scale_and_rises_with_the_shift(epsilon):
    """A dozen shifts, and scales 1/4 to 5 in steps of 1/16, certainly in order."""
    for shift in range(1, 13):
        values = [discrete_laplace_hockey_stick(epsilon, shift, fmpq(k, 16)) for k in range(4, 81)]
        assert all(later < earlier or later.is_zero() for earlier, later in pairwise(values))
        further = discrete_laplace_hockey_stick(epsilon, shift + 1, fmpq(2))
        assert further > discrete_laplace_hockey_stick(epsilon, shift, fmpq(2)) or further.is_zero()


def gaussian_masses(variance: arb, reach: int) -> list[arb]:
    """Masses of -reach to reach over a cell of variances; the rest is enclosed by a geometric series."""
    half = [(-arb(k * k) / (2 * variance)).exp() for k in range(reach + 1)]
    last = half[-1] * (-arb(reach) / variance).exp() / (1 - (-arb(reach) / variance).exp())
    total = 2 * sum(half[1:], arb(0)) + 1 + 2 * last.union(arb(0))
    return [half[abs(k)] / total for k in range(-reach, reach + 1)]


def variance_slope(cell: tuple[fmpq, fmpq], shift: int, epsilon: fmpq, last: int) -> arb:
    """2 v^2 d/dv of Pr(k <= last) - e^epsilon Pr(k <= last - s): covariances of the events with k^2."""
    variance, reach = arb(cell[0]).union(arb(cell[1])), 60
    masses = gaussian_masses(variance, reach)
    moment = sum((masses[k + reach] * (k * k) for k in range(-reach, reach + 1)), arb(0))
    slope = arb(0)
    for k in range(-reach, last + 1):
        # The centre of the shifted law moves along: its k is k - s.
        slope += masses[k + reach] * (arb(k * k) - moment)
        if k - shift >= -reach:
            slope -= arb(epsilon).exp() * masses[k - shift + reach] * (arb((k - shift) ** 2) - moment)
    return slope


def last_integers(cell: tuple[fmpq, fmpq], shift: int, epsilon: fmpq) -> set[int]:
    ends = [int((fmpq(shift, 2) - epsilon * variance / shift).ceil()) - 1 for variance in cell]
    return set(range(min(ends), max(ends) + 1))


@pytest.mark.parametrize(
    ("shift", "epsilon"), [(1, fmpq(0)), (1, fmpq(1, 2)), (1, fmpq(1)), (2, fmpq(1)), (3, fmpq(2)), (4, fmpq(1, 2))]
)
def test_discrete_gaussian_profile_falls_with_the_variance_where_epsilon_is_small(shift, epsilon):
    """Variances from 1 to 9, epsilon <= s: every event that is the best one anywhere in a cell loses certainly."""
    for cell in cells(fmpq(1), fmpq(9), 400):
        for last in last_integers(cell, shift, epsilon):
            assert variance_slope(cell, shift, epsilon, last) < 0
    values = [DiscreteGaussianProfile(shift**2, fmpq(k, 8)).delta(epsilon) for k in range(8, 73)]
    assert all(later < earlier for earlier, later in pairwise(values))


@pytest.mark.parametrize(
    ("shift", "epsilon", "one", "other"),
    [(1, 2, fmpq(1, 4), fmpq(11, 40)), (1, 5, fmpq(399, 20), fmpq(799, 40)), (1, 1, fmpq(1, 2), fmpq(21, 40))],
)
def test_more_variance_is_not_always_better(shift, epsilon, one, other):
    """Control of the test above: where epsilon is large or the noise is below one integer, delta may rise with v."""
    less, more = (DiscreteGaussianProfile(shift**2, variance).delta(epsilon) for variance in (one, other))
    assert one < other
    assert more > less


@pytest.mark.parametrize("epsilon", [fmpq(0), fmpq(1, 2), fmpq(3)])
def test_discrete_gaussian_profile_rises_with_the_shift(epsilon):
    for variance in (fmpq(1, 3), fmpq(2), fmpq(50), fmpq(3000)):
        values = [DiscreteGaussianProfile(shift**2, variance).delta(epsilon) for shift in range(12)]
        assert all(later > earlier for earlier, later in pairwise(values))


@pytest.mark.parametrize("variance", [fmpq(1, 4), fmpq(1, 2), fmpq(1), fmpq(4)])
def test_sums_around_any_centre_follow_the_formula_of_poisson(variance):
    """sum_k exp(-(k - y)^2 / 2w) / sqrt(2 pi w) is 1 + 2 sum_j exp(-2 pi^2 w j^2) cos(2 pi j y): within 1 -+ c.

    Both sides at 101 centres; as no cosine leaves [-1, 1], the extremes are bounded by c, which y = 0 attains.
    """
    with precision(300):
        rate = 2 * arb.pi() ** 2 * arb(variance)
        rest = arb(0, 1e-80)  # beyond |k| = 40 and j = 12 less is left of either side, as v <= 4 and rate > 4

        def folded(centre: arb) -> arb:
            terms = sum(((-((k - centre) ** 2) / (2 * arb(variance))).exp() for k in range(-40, 41)), rest)
            return terms / (2 * arb.pi() * arb(variance)).sqrt()

        def cosines(centre: arb, factor: int = 2) -> arb:
            return 1 + factor * sum(
                ((-rate * j * j).exp() * (2 * arb.pi() * j * centre).cos() for j in range(1, 12)), rest
            )

        for step in range(101):
            centre = arb(fmpq(step, 100))
            assert folded(centre).overlaps(cosines(centre))
            assert cosines(centre) <= cosines(arb(0)) + arb(10) ** -70
            assert step in (25, 75) or not folded(centre).overlaps(cosines(centre, 1))  # control: half the terms
        assert (2 * arb.pi() * arb(variance)).sqrt().overlaps(total_mass(variance) / folded(arb(0)))


def test_smoothing_completes_the_square():
    k, y, v, w = sympy.symbols("k y v w", positive=True)
    # Drawing around y ~ N(0, v - w): the product of both densities, integrated over y, has the exponent -k^2 / 2v.
    joint = sympy.exp(-((k - y) ** 2) / (2 * w) - y**2 / (2 * (v - w)))
    centre = k * (v - w) / v
    rest = sympy.simplify(
        sympy.log(joint).expand(force=True) + k**2 / (2 * v) + (y - centre) ** 2 * v / (2 * w * (v - w))
    )
    assert sympy.simplify(rest) == 0
    # Adding N(0, w) to variance v: exponent -y^2 / 2(v + w), and an integer around y v/(v + w) of variance vw/(v + w).
    exponent = -(k**2) / (2 * v) - (y - k) ** 2 / (2 * w)
    claimed = -(y**2) / (2 * (v + w)) - (k - y * v / (v + w)) ** 2 * (v + w) / (2 * v * w)
    assert sympy.simplify(exponent - claimed) == 0
