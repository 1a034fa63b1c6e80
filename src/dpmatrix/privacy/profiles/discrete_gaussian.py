"""Privacy profile of discrete Gaussian noise on integers, in one coordinate and in many."""

from __future__ import annotations

from math import isqrt

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, rational, whole_number
from dpmatrix.privacy.domains import dimension_of, nonnegative
from dpmatrix.privacy.profiles.enclosure import certified, over_box
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.lattice_sums import total_mass, upper_sum

SMOOTHINGS = (fmpq(1, 2), fmpq(1), fmpq(2))
"""Variances of the Gaussian that passes from the discrete law to the continuous one and back: the best is taken."""

LITTLE_NOISE = 16
"""Variance up to which the profile of one coordinate may be the better lower bound for many."""


def _variance(value: Exact) -> fmpq:
    variance = rational(value, "variance")
    if variance <= 0:
        raise InvalidParameterError("variance", f"{value} is not positive", "pass variance > 0")
    return variance


def _squared_sensitivity(value: int) -> int:
    return whole_number(value, "squared_sensitivity")


def _coordinates(value: int) -> int:
    return dimension_of(value, "coordinates")


@frozen
class DiscreteGaussianProfile:
    r"""Profile of y = f(X) + noise, f with integer values, the noise with mass proportional to e^(-k^2/2v) everywhere.

    Parameters
    ----------
    squared_sensitivity
        Largest squared l2 norm of a change of f between neighbours, an integer of at least zero, that some pair of
        neighbours attains.
    variance
        v > 0, in squared units of f; exact, so no ball.
    coordinates
        Number of coordinates of f. With one, the squared sensitivity must be the square of an integer.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.

    Notes
    -----
    *One coordinate.* For a shift s the log-ratio at k is ``(s^2 - 2 k s) / 2v``, so the best event is ``k < s/2 -
    epsilon v / s``, and delta is a difference of two tails, exact to any accuracy. Half-lines lose mass as they are
    shifted away, so the largest shift is the worst. More variance is not always better: between two variances at which
    the last integer of the event changes, delta may rise, by a tenth for s = 1, epsilon = 2 and v about 1/4; for
    epsilon <= s and v >= 1 no such case is known, and for some of these pairs it is ruled out up to v = 9. A squared
    sensitivity of one is a shift of one in one coordinate, whatever their number.

    *Many coordinates.* The law is not invariant under rotation, and delta depends on the direction of the change, but
    hardly when v is large. Let ``k`` be drawn around a real y with mass proportional to exp(-(k - y)^2 / 2w), and y
    from N(0, v - w): integrated over y this gives k the mass of the discrete Gaussian of variance v, up to a factor
    between exp(-a) and exp(a), because ``sum_k exp(-(k - y)^2 / 2w)`` is ``sqrt(2 pi w)`` times a number between 1 - c
    and 1 + c, with ``c = 2 sum_j exp(-2 pi^2 w j^2)`` (Poisson), and ``exp(a) = (1 + c)/(1 - c)``. Drawing around y
    commutes with whole shifts, so for n coordinates, with P and Q before and after a shift, ``P(E) <= e^(2 n a + b)
    Q(E) + e^(n a) D(b)``, where D is the profile of the continuous noise of variance v - w, in which all directions are
    alike and which, for the negative b of an epsilon below ``2 n a``, is ``1 - e^b (1 - D(-b))``. The other way round,
    adding N(0, w) to the discrete law gives N(0, v + w), up to such a factor with ``v w / (v + w)`` in place of w, and
    is post-processing: so delta is at least ``e^(-n a') D'(epsilon + 2 n a')``, D' for v + w. Each w serves; a larger
    one has the smaller factor (a is about 2e-4, 1e-8 and 3e-17 for `SMOOTHINGS`), a smaller one loses less variance.
    Also, some coordinate changes by at least ``(squared_sensitivity / n)^(1/2)``, and forgetting the others is
    post-processing: the profile of that coordinate is another lower bound, the better one for little noise.
    """

    squared_sensitivity: int = field(converter=_squared_sensitivity)
    variance: fmpq = field(converter=_variance)
    coordinates: int = field(default=1, converter=_coordinates)

    def __attrs_post_init__(self) -> None:
        if self.coordinates == 1 and isqrt(self.squared_sensitivity) ** 2 != self.squared_sensitivity:
            raise InvalidParameterError(
                "squared_sensitivity", f"{self.squared_sensitivity} is no square", "pass the square of an integer"
            )

    @property
    def is_exact(self) -> bool:
        """Whether `delta` encloses one number as closely as wanted, and not only an interval around it."""
        return self.coordinates == 1 or self.squared_sensitivity <= 1

    def delta(self, epsilon: Exact | arb) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`. A narrow interval only for several coordinates."""
        at = nonnegative(epsilon, "epsilon")
        if self.squared_sensitivity == 0:
            return arb(0)
        if not self.is_exact:
            return self._below(at.upper).union(self._above(at.lower))
        shift = isqrt(self.squared_sensitivity)
        return over_box(
            lambda: discrete_gaussian_hockey_stick(at.upper, shift, self.variance),
            lambda: discrete_gaussian_hockey_stick(at.lower, shift, self.variance),
            at.lower == at.upper,
        )

    def _above(self, epsilon: fmpq) -> arb:
        least = arb(1)
        for smoothing in SMOOTHINGS:
            # Half the variance at most goes into smoothing, so that some noise is left.
            taken = min(smoothing, self.variance / 2)
            factor = _log_factor(taken)
            if factor is not None:
                factor *= self.coordinates
                reduced = (arb(epsilon) - 2 * factor).lower()
                bound = factor.exp() * _gaussian(reduced, self.squared_sensitivity, self.variance - taken)
                least = least.min(bound.upper())
        return least.upper()

    def _below(self, epsilon: fmpq) -> arb:
        largest = arb(0)
        if self.variance <= LITTLE_NOISE:
            coordinate = isqrt((self.squared_sensitivity - 1) // self.coordinates) + 1
            largest = discrete_gaussian_hockey_stick(epsilon, coordinate, self.variance).lower()
        for smoothing in SMOOTHINGS:
            factor = _log_factor(self.variance * smoothing / (self.variance + smoothing))
            if factor is not None:
                factor *= self.coordinates
                raised = (arb(epsilon) + 2 * factor).upper()
                bound = (-factor).exp() * _gaussian(raised, self.squared_sensitivity, self.variance + smoothing)
                largest = largest.max(bound.lower())
        return largest.lower()


def discrete_gaussian_hockey_stick(epsilon: fmpq, shift: int, variance: fmpq) -> arb:
    """Return the divergence, in either order, of discrete Gaussian noise from itself shifted, epsilon >= 0."""
    if shift == 0:
        return arb(0)
    last = int((fmpq(shift, 2) - epsilon * variance / shift).ceil()) - 1

    def evaluate() -> arb:
        # Both ends are half-lines to the left; for a last integer of at least 0 the complement is the tail.
        far = upper_sum(shift - last, variance)
        if last < 0:
            return (upper_sum(-last, variance) - arb(epsilon).exp() * far) / total_mass(variance)
        mass = total_mass(variance)
        return 1 - (upper_sum(last + 1, variance) + arb(epsilon).exp() * far) / mass

    return certified(evaluate, "a discrete Gaussian profile")


def _gaussian(epsilon: arb, squared_sensitivity: int, variance: fmpq) -> arb:
    """Enclose the continuous profile at an exact epsilon of either sign."""
    profile = GaussianProfile(arb(squared_sensitivity).sqrt(), arb(variance).sqrt())
    if epsilon >= 0:
        return profile.delta(epsilon)
    # The best event against e^epsilon Q is the complement of the best one for Q against e^-epsilon P.
    return 1 - epsilon.exp() * (1 - profile.delta(-epsilon))


def _log_factor(smoothing: fmpq) -> arb | None:
    """Bound log((1 + c)/(1 - c)) for ``c = 2 sum_j exp(-2 pi^2 w j^2)`` from above; None where c may reach one."""
    rate = 2 * arb.pi() * arb.pi() * arb(smoothing)
    # The terms fall faster than a geometric series of ratio exp(-3 rate).
    c = 2 * (-rate).exp() / (1 - (-3 * rate).exp())
    return ((1 + c) / (1 - c)).log().upper() if c < 1 else None
