"""What the privacy profiles rest on: thresholds, monotonicity, the worst Laplace shift, the Wishart reduction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.privacy import GaussianProfile
from dpmatrix.privacy.profiles.chi_square import absent_against_present, present_against_absent
from proofs_checks.common.subdivision import cells, follows


def gamma_density(point: arb, degrees: fmpq) -> arb:
    half = arb(degrees) / 2
    return point ** (half - 1) * (-point).exp() / half.gamma()


def absent_slope(epsilon: fmpq, degrees: fmpq) -> Callable[[arb], arb]:
    def slope(shift: arb) -> arb:
        gap = (shift + epsilon) / (arb(degrees) / 2 - 1)
        return arb(epsilon).exp() * gamma_density(shift / gap.expm1(), degrees)

    return slope


def present_slope(epsilon: fmpq, degrees: fmpq) -> Callable[[arb], arb]:
    def slope(shift: arb) -> arb:
        gap = (shift - epsilon) / (arb(degrees) / 2 - 1)
        return gamma_density(shift / gap.expm1(), degrees)

    return slope


POINTS = [(fmpq(0), fmpq(3)), (fmpq(1, 10), fmpq(9, 2)), (fmpq(1), fmpq(8)), (fmpq(3), fmpq(21, 10))]


def test_thresholds_are_where_the_log_ratio_is_epsilon():
    x, epsilon, power = sympy.symbols("x epsilon p", positive=True)
    t = sympy.symbols("t", positive=True)
    loss = x + power * sympy.log((t - x) / t)  # present against absent, for Gamma(p + 1)
    gap = (x - epsilon) / power
    assert sympy.simplify(sympy.expand_log((sympy.exp(-gap)) - (1 - x / (x / (1 - sympy.exp(-gap)))))) == 0
    at_threshold = loss.subs(t, x / (1 - sympy.exp(-gap)))
    for values in ({x: 2, epsilon: 1, power: 3}, {x: sympy.Rational(1, 3), epsilon: 1, power: sympy.Rational(1, 2)}):
        if values[x] > values[epsilon]:
            assert abs(sympy.N(at_threshold.subs(values) - values[epsilon], 60)) < sympy.Float(10) ** -50
        reverse = (-loss).subs(t, x / (1 - sympy.exp(-(x + epsilon) / power)))
        assert abs(sympy.N(reverse.subs(values) - values[epsilon], 60)) < sympy.Float(10) ** -50
    # The loss increases with t and tends to x, so both events are half-lines.
    assert sympy.simplify(sympy.diff(loss, t) - power * x / (t * (t - x))) == 0
    assert sympy.limit(loss.subs({x: 2, power: 3}), t, sympy.oo) == 2


@pytest.mark.parametrize(("epsilon", "degrees"), POINTS)
def test_chi_square_divergences_increase_with_the_shift(epsilon, degrees):
    with precision(96):
        where = cells(fmpq(1, 10), fmpq(3), 150)
        assert follows(
            lambda shift: absent_against_present(epsilon, shift, degrees), absent_slope(epsilon, degrees), where
        )
        beyond = cells(epsilon + fmpq(1, 4), epsilon + 3, 300)
        assert follows(
            lambda shift: present_against_absent(epsilon, shift, degrees), present_slope(epsilon, degrees), beyond
        )


def test_control_a_slope_without_its_factor_is_noticed():
    epsilon, degrees = fmpq(1), fmpq(8)
    with precision(96):
        assert not follows(
            lambda shift: absent_against_present(epsilon, shift, degrees),
            lambda shift: absent_slope(epsilon, degrees)(shift) * fmpq(5, 4),
            cells(fmpq(1, 10), fmpq(3), 150),
        )


@pytest.mark.parametrize("epsilon", [fmpq(0), fmpq(1, 2), fmpq(4)])
def test_gaussian_profile_increases_with_the_shift(epsilon):
    def slope(shift: arb) -> arb:
        argument = shift / 2 - epsilon / shift
        return (-(argument**2) / 2).exp() / (2 * arb.pi()).sqrt()

    with precision(96):
        where = cells(fmpq(1, 4), fmpq(4), 200)
        assert follows(lambda shift: GaussianProfile(shift, 1).delta(epsilon), slope, where)


def test_gaussian_slope_is_the_derivative():
    mu, epsilon = sympy.symbols("mu epsilon", positive=True)

    def normal(z: sympy.Expr) -> sympy.Expr:
        return sympy.erfc(-z / sympy.sqrt(2)) / 2

    profile = normal(mu / 2 - epsilon / mu) - sympy.exp(epsilon) * normal(-mu / 2 - epsilon / mu)
    density = sympy.exp(-((mu / 2 - epsilon / mu) ** 2) / 2) / sympy.sqrt(2 * sympy.pi)
    quotient = sympy.simplify(sympy.expand(sympy.diff(profile, mu) / density))
    assert sympy.simplify(quotient - 1) == 0


@pytest.mark.parametrize(("epsilon", "shift"), [(fmpq(0), fmpq(1, 3)), (fmpq(1, 2), fmpq(2)), (fmpq(3), fmpq(1))])
def test_chi_square_divergences_decrease_with_the_degrees_of_freedom(epsilon, shift):
    with precision(96):
        degrees = [fmpq(2) + fmpq(i, 4) for i in range(60)]
        values = [absent_against_present(epsilon, shift, degree) for degree in degrees]
        assert all(later < earlier for earlier, later in pairwise(values))
        if epsilon < shift:
            values = [present_against_absent(epsilon, shift, degree) for degree in degrees]
            assert all(later < earlier for earlier, later in pairwise(values))


def test_one_coordinate_is_the_worst_laplace_shift():
    """A(epsilon) of `LaplaceProfile` falls from epsilon = 0 to 1 at epsilon = s, in each case of its definition."""
    epsilon, s1, s2, u = sympy.symbols("epsilon s1 s2 u", positive=True)
    above = sympy.exp(-(u - s2) / 2)  # h for u > s2; h = 1 for |u| < s2; h(-u) = h(u)
    below = sympy.exp((u + s2) / 2)  # h for u < -s2
    right, left = epsilon + s1, epsilon - s1

    def slope(left_value: sympy.Expr, right_value: sympy.Expr) -> sympy.Expr:
        """Differentiate A by the fundamental theorem, with h(left), h(right) as expressions of u."""
        ends = (sympy.diff(left_value, u).subs(u, left) + sympy.diff(right_value, u).subs(u, right)) / 2
        return sympy.simplify(ends + (right_value.subs(u, right) - left_value.subs(u, left)) / 4)

    one = sympy.Integer(1)
    assert slope(one, one) == 0  # both within s2
    assert slope(one, above) == -sympy.Rational(1, 4)  # only the right end beyond s2
    assert slope(below, above) == 0  # both beyond
    # No other case: left < -s2 with right <= s2 adds up to 2 epsilon < 0, and left > s2 means epsilon > s1 + s2.
    assert sympy.expand((right - s2) + (left + s2) - 2 * epsilon) == 0
    assert sympy.expand((left - s2) - (epsilon - (s1 + s2))) == 0
    at_end = (1 + above.subs(u, 2 * s1 + s2)) / 2 + sympy.integrate(above, (u, s2, s2 + 2 * s1)) / 4
    assert sympy.simplify(at_end - 1) == 0


def test_determinant_ratio_of_a_rank_one_change():
    """det(S - vv') = det S (1 - v'S^-1 v), and t moves by |v|^2 when vv' is added: all for symbolic 3 x 3."""
    entries = sympy.symbols("a b c d e f")
    a, b, c, d, e, f = entries
    noise = sympy.Matrix([[a, b, c], [b, d, e], [c, e, f]])
    v = sympy.Matrix(sympy.symbols("v1 v2 v3"))
    determinant, adjugate = noise.det(), noise.adjugate()
    form = (v.T * adjugate * v)[0]  # det times v'S^-1 v
    assert sympy.expand((noise - v * v.T).det() - (determinant - form)) == 0
    with_record = noise + v * v.T
    new_form = (v.T * with_record.adjugate() * v)[0]
    # 1/(v'(W + vv')^-1 v) = 1/(v'W^-1 v) + 1, multiplied out.
    assert sympy.expand(with_record.det() * form - (determinant + form) * new_form) == 0


def test_replacement_at_the_least_degrees_of_freedom_is_bounded_by_one_record():
    """With a = |v|^2/2c, b = |w|^2/2c and common mass at least e^-b, both cases stay below 1 - e^-max(a, b)."""
    a, b, epsilon = sympy.symbols("a b epsilon", nonnegative=True)
    common = sympy.exp(-b)
    ratio = a - b  # constant log-ratio on the common support
    with_both = 1 - common + common * (1 - sympy.exp(epsilon - ratio))
    assert sympy.simplify(with_both - (1 - sympy.exp(epsilon - a))) == 0
    assert sympy.simplify((1 - sympy.exp(epsilon - a)).subs(epsilon, 0) - (1 - sympy.exp(-a))) == 0
    assert sympy.diff(1 - sympy.exp(epsilon - a), epsilon).is_negative
