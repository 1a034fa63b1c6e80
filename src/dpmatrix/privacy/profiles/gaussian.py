"""Privacy profile of independent Gaussian noise: `wishart.theorem-2`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.exact import Real
from dpmatrix.privacy.domains import Range, nonnegative, positive
from dpmatrix.privacy.profiles.enclosure import certified, over_box


@frozen
class GaussianProfile:
    r"""Profile of y = f(X) + N(0, s^2 I) for f of known l2 sensitivity, for every epsilon >= 0.

    With mu the sensitivity over s, :math:`\delta(\epsilon) = \Phi(\mu/2 - \epsilon/\mu) -
    e^{\epsilon} \Phi(-\mu/2 - \epsilon/\mu)`. The noise is invariant under rotation, so a change of f can be turned
    into one coordinate and the dimension plays no part; both directions agree by reflection, and delta increases
    with mu since a smaller shift is a larger one with more noise.

    Parameters
    ----------
    sensitivity
        Largest l2 norm of a change of f between neighbours, at least zero.
    standard_deviation
        Standard deviation s > 0 of each coordinate of the noise, in the units of f.

    Raises
    ------
    InvalidParameterError
        If the sensitivity is negative or the standard deviation is not positive.
    """

    sensitivity: Real
    standard_deviation: Real
    _shift: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        change = nonnegative(self.sensitivity, "sensitivity")
        deviation = positive(self.standard_deviation, "standard_deviation")
        object.__setattr__(self, "_shift", Range(change.lower / deviation.upper, change.upper / deviation.lower))

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`."""
        at = nonnegative(epsilon, "epsilon")
        return over_box(
            lambda: gaussian_hockey_stick(at.upper, self._shift.lower),
            lambda: gaussian_hockey_stick(at.lower, self._shift.upper),
            at.lower == at.upper and self._shift.lower == self._shift.upper,
        )


def gaussian_hockey_stick(epsilon: fmpq, shift: fmpq) -> arb:
    """Return the divergence of N(shift, 1) from N(0, 1), in either order, at epsilon >= 0 and shift >= 0."""
    if shift == 0:
        return arb(0)

    def evaluate() -> arb:
        root_two = arb(2).sqrt()
        near = arb(epsilon / shift - shift / 2) / root_two
        far = arb(epsilon / shift + shift / 2) / root_two
        return (near.erfc() - arb(epsilon).exp() * far.erfc()) / 2

    return certified(evaluate, "a Gaussian profile")
