"""Privacy profile of discrete Laplace noise on integers."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, whole_number
from dpmatrix.privacy.domains import Range, nonnegative, positive
from dpmatrix.privacy.profiles.enclosure import certified, over_box


def _sensitivity(value: int) -> int:
    return whole_number(value, "sensitivity")


def _coordinate_sensitivity(value: int | None) -> int | None:
    return None if value is None else whole_number(value, "coordinate_sensitivity")


@frozen
class DiscreteLaplaceProfile:
    r"""Profile of y = f(X) + noise, f with integer values, the noise independent with mass proportional to e^(-|k|/t).

    With s the l1 sensitivity, q = exp(-1/t) and :math:`j = \lceil (s - \epsilon t)/2 \rceil`,
    :math:`\delta(\epsilon) = 1 - \frac{q^j + e^\epsilon q^{s-j+1}}{1 + q}` for epsilon < s/t, and 0 beyond. It touches
    the profile of continuous Laplace noise wherever (s - epsilon t)/2 is an integer and lies above it in between.

    Parameters
    ----------
    sensitivity
        Largest l1 norm of a change of f between neighbours, an integer of at least zero.
    scale
        t > 0, in the units of f.
    coordinate_sensitivity
        Largest change of one coordinate of f between neighbours, if it is less than the l1 sensitivity; the profile is
        then enclosed between that of one coordinate and that of the l1 sensitivity, as in `LaplaceProfile`.

    Raises
    ------
    InvalidParameterError
        If a sensitivity is no integer or negative, the scale is not positive, or one coordinate exceeds the l1 norm.

    Notes
    -----
    *One coordinate.* For a shift s the log-ratio at k is ``(|k - s| - |k|) / t``: it falls with k, in steps of 2/t from
    s/t at k <= 0 to -s/t at k >= s. So the best event is k <= j - 1, with probabilities from the geometric tails. A
    larger shift is worse, since half-lines lose mass as they are shifted away. So is a smaller scale: noise of the
    larger scale is noise of the smaller one with independent noise added, as the ratio of the generating functions
    ``(1 - q')/(1 - q' z)`` and ``(1 - q)/(1 - q z)`` of a geometric variable has no negative coefficient for q <= q'.

    *One coordinate is the worst.* For shifts s_1 and s_2 in two coordinates the loss is a sum of two, with the same
    steps as that of one shift s = s_1 + s_2, so both profiles are linear in e^epsilon between the same points, and it
    is enough to compare there. With t = 1, ``h(u) = exp(-(|u| - s_2)^+ / 2)`` is one minus the second profile, divided
    by exp((u - s_2)/2), at those points, and summing over the loss of the first gives ``1 - delta = exp((epsilon -
    s)/2) A``, ``A = (h(epsilon - s_1) + h(epsilon + s_1)) / (1 + q) + (1 - q)/(1 + q) sum h(epsilon - s_1 + 2 i)`` over
    0 < i < s_1. From epsilon > -2 to epsilon + 2 <= s, A does not increase, and A = 1 at epsilon = s, so A >= 1 from
    the last of the points below zero on. Shifts in more coordinates follow one at a time, by Blackwell's theorem.
    """

    sensitivity: int = field(converter=_sensitivity)
    scale: Real
    coordinate_sensitivity: int | None = field(default=None, converter=_coordinate_sensitivity)
    _scale: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if self.coordinate_sensitivity is not None and self.coordinate_sensitivity > self.sensitivity:
            raise InvalidParameterError(
                "coordinate_sensitivity", "it exceeds the l1 sensitivity", "pass at most the l1 sensitivity"
            )
        object.__setattr__(self, "_scale", positive(self.scale, "scale"))

    @property
    def _single(self) -> int:
        return self.sensitivity if self.coordinate_sensitivity is None else self.coordinate_sensitivity

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`."""
        at = nonnegative(epsilon, "epsilon")
        return over_box(
            lambda: discrete_laplace_hockey_stick(at.upper, self._single, self._scale.upper),
            lambda: discrete_laplace_hockey_stick(at.lower, self.sensitivity, self._scale.lower),
            at.lower == at.upper and self._single == self.sensitivity and self._scale.lower == self._scale.upper,
        )


def discrete_laplace_hockey_stick(epsilon: fmpq, shift: int, scale: fmpq) -> arb:
    """Return the divergence, in either order, of discrete Laplace noise from itself shifted, epsilon >= 0."""
    if epsilon * scale >= shift:
        return arb(0)
    steps = int(((shift - epsilon * scale) / 2).ceil())

    def evaluate() -> arb:
        rate = arb(-1 / scale)
        both = (rate * steps).exp() + (epsilon + rate * (shift - steps + 1)).exp()
        return 1 - both / (1 + rate.exp())

    return certified(evaluate, "a discrete Laplace profile")
