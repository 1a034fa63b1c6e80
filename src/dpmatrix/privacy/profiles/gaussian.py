"""Privacy profile of independent Gaussian noise: `wishart.theorem-2`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.exact import Real
from dpmatrix.privacy.domains import Range, nonnegative, positive
from dpmatrix.privacy.profiles.enclosure import certified, over_box

FAR = 1 << 16
"""Standard deviations beyond which a common factor is taken out of both tails."""


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

    near, far = epsilon / shift - shift / 2, epsilon / shift + shift / 2

    def evaluate() -> arb:
        root_two = arb(2).sqrt()
        if near < FAR:
            return ((arb(near) / root_two).erfc() - arb(epsilon).exp() * (arb(far) / root_two).erfc()) / 2
        return arb(-(near**2) / 2).exp() * (_scaled_tail(near) - _scaled_tail(far)) / 2

    return certified(evaluate, "a Gaussian profile")


def _scaled_tail(deviations: fmpq) -> arb:
    """Return exp(z^2) erfc(z) at z = deviations / sqrt(2), for deviations too large for erfc alone."""
    half = arb(fmpq(1, 2))
    return arb(deviations**2 / 2).hypgeom_u(half, half) / arb.pi().sqrt()
