"""Privacy profile of independent Laplace noise: `wishart.theorem-1`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real
from dpmatrix.privacy.domains import Range, nonnegative, positive
from dpmatrix.privacy.profiles.enclosure import certified, over_box


@frozen
class LaplaceProfile:
    r"""Profile of y = f(X) + noise, the noise independent Laplace variables of one scale, f of known l1 sensitivity.

    With s the sensitivity and b the scale, :math:`\delta(\epsilon) = \max(0, 1 - e^{(\epsilon - s/b)/2})`.
    In particular the release is (s/b, 0)-differentially private, and no less is true.

    Parameters
    ----------
    sensitivity
        Largest l1 norm of a change of f between neighbours, at least zero.
    scale
        Scale b > 0 of the density exp(-|z|/b) / 2b, in the units of f.
    coordinate_sensitivity
        Largest change of one coordinate of f between neighbours, if it is less than the l1 sensitivity. The profile
        is then enclosed between the one of that coordinate alone (forgetting the others is post-processing) and the
        one of the l1 sensitivity, since only the latter is known to be exact when one coordinate can change by s.

    Raises
    ------
    InvalidParameterError
        If a sensitivity is negative, the scale is not positive, or one coordinate changes by more than the l1 norm.

    Notes
    -----
    *One coordinate is the worst.* For shifts s_1, s_2 in two coordinates and b = 1, write s = s_1 + s_2 and
    h(u) = exp(-(|u| - s_2)^+ / 2). Integrating the profile of the second coordinate over the loss of the first gives
    1 - delta = exp((epsilon - s)/2) A with A = (h(epsilon - s_1) + h(epsilon + s_1))/2 + (integral of h over
    [epsilon - s_1, epsilon + s_1])/4. A does not increase on 0 <= epsilon <= s and A = 1 at epsilon = s, so A >= 1:
    the pair is no easier to tell apart than one coordinate with shift s. Hockey-stick divergences at every epsilon
    decide which pair of distributions can be simulated from which (Blackwell), so this extends to any number of
    coordinates, one at a time.
    """

    sensitivity: Real
    scale: Real
    coordinate_sensitivity: Real | None = None
    _level: Range = field(init=False, repr=False, eq=False)
    _coordinate_level: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        total = nonnegative(self.sensitivity, "sensitivity")
        scale = positive(self.scale, "scale")
        single = total
        if self.coordinate_sensitivity is not None:
            single = nonnegative(self.coordinate_sensitivity, "coordinate_sensitivity")
            if single.lower > total.upper:
                raise InvalidParameterError(
                    "coordinate_sensitivity", "it exceeds the l1 sensitivity", "pass at most the l1 sensitivity"
                )
        object.__setattr__(self, "_level", Range(total.lower / scale.upper, total.upper / scale.lower))
        object.__setattr__(self, "_coordinate_level", Range(single.lower / scale.upper, single.upper / scale.lower))

    def pure_epsilon(self) -> arb:
        """Return s/b, the least epsilon at which delta is zero, as an enclosure."""
        return over_box(
            lambda: arb(self._level.lower), lambda: arb(self._level.upper), self._level.lower == self._level.upper
        )

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`."""
        at = nonnegative(epsilon, "epsilon")
        return over_box(
            lambda: laplace_hockey_stick(at.upper, self._coordinate_level.lower),
            lambda: laplace_hockey_stick(at.lower, self._level.upper),
            at.lower == at.upper and self._coordinate_level.lower == self._level.upper,
        )


def laplace_hockey_stick(epsilon: fmpq, level: fmpq) -> arb:
    r"""Return :math:`\max(0, 1 - e^{(\epsilon - l)/2})` for a Laplace variable shifted by l scales, epsilon >= 0."""
    if epsilon >= level:
        return arb(0)
    return certified(lambda: -arb((epsilon - level) / 2).expm1(), "a Laplace profile")
