"""What several releases give away together: composition of privacy profiles, by dp-accounting."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import Any

from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError, MissingExtraError
from dpmatrix.exact import Exact, fraction
from dpmatrix.privacy.domains import dimension_of
from dpmatrix.privacy.loss_envelope import LARGEST_LOSS, loss_envelope
from dpmatrix.privacy.profiles.protocol import PrivacyProfile

SPACING = Fraction(1, 512)
"""Default distance of neighbouring losses; what it costs falls with its square."""

TAIL = Fraction(1, 10**15)
"""Default probability of a loss that is taken for infinite, in each release."""

TRUNCATION = 1e-15
"""Probability that dp-accounting moves to the infinite loss in each of its operations."""

FARTHEST = 1 << 40
"""Epsilons above this are taken for this."""

UNIT = 2.0**-48
"""32 units in the last place: bounds the relative error of a sum, and of each stage of a fast Fourier transform."""


@frozen
class ComposedLoss:
    """An upper bound on the privacy loss of one release, or of several together.

    `privacy_loss` certifies it for one release. From there on dp-accounting computes, and trusted of it is that its
    convolutions and sums are what they say, in binary64. A transform of N numbers p is off by at most ``UNIT log2(N)
    |p|`` in the Euclidean norm (Higham 2002, theorem 24.2), and a sum over N of them by sqrt(N) times that: `rounding`
    adds these up, and `delta` includes it. What is below it, often 1e-12, cannot be told from zero.

    Attributes
    ----------
    spacing
        Distance of neighbouring losses.
    size
        Bound on the number of losses.
    norm
        Bound on the Euclidean norm of their probabilities.
    rounding
        Bound on what delta may have lost to floats in dp-accounting.
    """

    _distribution: Any = field(repr=False, eq=False)
    spacing: float
    size: int
    norm: float
    rounding: float

    def delta(self, epsilon: Exact) -> float:
        """Return a delta at which (epsilon, delta)-differential privacy holds, hardly more than the least one.

        Raises
        ------
        InvalidParameterError
            If epsilon is not a finite number of at least zero.
        """
        exact = fraction(epsilon, "epsilon")
        if exact < 0:
            raise InvalidParameterError("epsilon", f"{epsilon} is negative", "pass epsilon >= 0")
        # Far beyond every finite loss; a smaller epsilon is the safe side.
        exact = min(exact, Fraction(FARTHEST))
        nearest = float(exact)
        below = nearest if fraction(nearest) <= exact else math.nextafter(nearest, 0.0)
        found = max(float(self._distribution.get_delta_for_epsilon(below)), 0.0)
        return min(1.0, found * (1 + self.size * UNIT) + self.rounding)

    def epsilon(self, delta: Exact) -> float:
        """Return an epsilon at which (epsilon, delta)-differential privacy holds; infinite if none is certain.

        Raises
        ------
        InvalidParameterError
            If delta is outside [0, 1).
        """
        exact = fraction(delta, "delta")
        if not 0 <= exact < 1:
            raise InvalidParameterError("delta", f"{delta} is outside [0, 1)", "pass 0 <= delta < 1")
        target = float(exact - fraction(self.rounding))
        if target < 0:
            return math.inf
        epsilon = float(self._distribution.get_epsilon_for_delta(target))
        # The answer of the library is exact up to rounding, and is only moved to the safe side of it.
        step = 2.0**-40
        while math.isfinite(epsilon) and fraction(self.delta(epsilon)) > exact:
            epsilon, step = epsilon + step, 2 * step
            if step > 1:
                return math.inf
        return epsilon

    def repeated(self, times: int) -> ComposedLoss:
        """Return the loss of so many releases, each as private as this one.

        Raises
        ------
        InvalidParameterError
            If the number is no integer of at least one.
        """
        count = dimension_of(times, "times")
        if count == 1:
            return self
        together = self._distribution.self_compose(count, TRUNCATION)
        return self._after(together, count * self.size, self.norm, count * self.rounding, count + 2)

    def composed(self, other: ComposedLoss) -> ComposedLoss:
        """Return the loss of this release and another one of the same data; the second may be chosen by the first.

        Both must have been bounded for one relation between neighbours, on one spacing.

        Raises
        ------
        InvalidParameterError
            If the spacings differ.
        """
        if self.spacing != other.spacing:
            raise InvalidParameterError(
                "spacing", f"{self.spacing} here and {other.spacing} there", "bound both losses on the same one"
            )
        together = self._distribution.compose(other._distribution, TRUNCATION)
        size, norm = self.size + other.size, min(self.norm, other.norm)
        return self._after(together, size, norm, self.rounding + other.rounding, 4)

    def _after(self, together: Any, size: int, norm: float, before: float, transforms: int) -> ComposedLoss:  # noqa: ANN401
        # A transform is padded to less than twice the length.
        stages = math.log2(2 * size) + 1
        lost = math.sqrt(size) * transforms * UNIT * stages * norm
        return ComposedLoss(together, self.spacing, size, norm, before + lost)


def privacy_loss(profile: PrivacyProfile, spacing: Exact = SPACING, tail: Exact = TAIL) -> ComposedLoss:
    """Bound the privacy loss of one release from its profile: see `loss_envelope`.

    Parameters
    ----------
    profile
        Profile of the release, for one relation between neighbours.
    spacing
        Distance of neighbouring losses, a power of two.
    tail
        Probability that may be added to that of an infinite loss.

    Raises
    ------
    InvalidParameterError
        As in `loss_envelope`, or if nothing is left of privacy at the largest loss that it looks at.
    MissingExtraError
        If dp-accounting is not installed.
    """
    try:
        library = import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise MissingExtraError("dp-accounting", "accounting") from error
    envelope = loss_envelope(profile, spacing, tail)
    if envelope.infinity >= 1:
        raise InvalidParameterError(
            "profile",
            f"its delta at epsilon = {LARGEST_LOSS} is one, up to rounding",
            "compose noisier releases",
        )
    distribution = library.PrivacyLossDistribution.create_from_rounded_probability(
        envelope.masses, envelope.infinity, envelope.spacing
    )
    size = max(envelope.masses) - min(envelope.masses) + 1
    norm = math.sqrt(math.fsum(mass * mass for mass in envelope.masses.values())) * (1 + UNIT)
    return ComposedLoss(distribution, envelope.spacing, size, norm, 0.0)


def compose(
    releases: Iterable[tuple[PrivacyProfile, int]], spacing: Exact = SPACING, tail: Exact = TAIL
) -> ComposedLoss:
    """Bound the privacy loss of several releases of the same data together.

    Parameters
    ----------
    releases
        Profiles, all for one relation between neighbours, and how many releases each is for.
    spacing, tail
        As in `privacy_loss`.

    Raises
    ------
    InvalidParameterError
        If there are none, or as in `privacy_loss`.
    """
    losses = [privacy_loss(profile, spacing, tail).repeated(times) for profile, times in releases]
    if not losses:
        raise InvalidParameterError("releases", "there are none", "pass at least one profile and its number")
    return reduce(ComposedLoss.composed, losses)
