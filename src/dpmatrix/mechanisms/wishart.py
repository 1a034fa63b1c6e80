"""The Wishart mechanism as printed. It is not private."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms.input_perturbation import InputPerturbation, one_of, publish
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.second_moment import exact_gram, exact_symmetric, is_positive_definite, trace
from dpmatrix.mechanisms.wishart_noise import NoiseParts, rounded_noisy_moment, simulate_wishart, standard_wisharts
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

REFUTED = "wishart.theorem-4"


@implements("wishart.algorithm-2+repair@fc9b6ac5")
@frozen
class WishartMechanism(InputPerturbation):
    """Algorithm 2 of `wishart` as printed: adds W of W_d(d + 1, c I), c = 3 / (2 n epsilon). NOT private.

    The document's `wishart.theorem-4` is refuted. Where a unit record of one data set is zero in its neighbour, the
    neighbour's output falls outside the support of the first data set's output with probability
    ``1 - exp(-epsilon / 3)``, in every dimension; there the privacy loss is infinite.
    `SymmetrisedWishartMechanism` is the repair.

    Parameters
    ----------
    calibration
        Only ``"printed"``: no scale makes one-sided noise (epsilon, 0)-differentially private.
    acknowledge
        Must be ``"wishart.theorem-4"``: the claim whose refutation the caller has taken note of.
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`; the scale grows with ``norm_bound**2``.

    Raises
    ------
    NotPrivateError
        Without the acknowledgement.
    """

    calibration: Literal["printed"] = field(default="printed", validator=one_of("printed"), kw_only=True)
    acknowledge: str | None = field(default=None, kw_only=True)

    name: ClassVar[str] = "Wishart mechanism"
    guarantee: ClassVar[None] = None

    def __attrs_post_init__(self) -> None:
        """Check the public parameters, then the acknowledgement."""
        self.pure_guarantee()
        if self.acknowledge != REFUTED:
            raise NotPrivateError(
                f"Algorithm 2 is not differentially private: {REFUTED} is refuted. At epsilon = {self.epsilon} an "
                "output gives one of two neighbours away with probability 1 - exp(-epsilon/3) = "
                f"{-math.expm1(-float(self.epsilon) / 3):.3g}. Use SymmetrisedWishartMechanism; to study the printed "
                f"form, pass acknowledge={REFUTED!r}."
            )

    def noise_scale(self, divisor: int) -> Fraction:
        """Return the printed scale c = 3 r**2 / (2 n epsilon)."""
        return 3 * self.norm_bound**2 / (2 * divisor * self.epsilon)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish the correct rounding of the ideal output; the release carries no guarantee.

        Raises
        ------
        InvalidParameterError
            If the data are malformed or a record is too long and may not be clipped.
        """
        source = SystemEntropy() if entropy is None else entropy
        records = self.read(data)
        divisor = self.divisor_for(records)
        gram, unit = exact_gram(records)
        noise = NoiseParts(standard_wisharts(1, records.shape[1], source))
        integers, grid = rounded_noisy_moment(gram, unit / divisor, self.noise_scale(divisor), noise)
        return publish(self.name, self, integers, grid, self.guarantee, source)

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw outputs in floating point, shape (size, d, d). NEVER private."""
        records = self.read(data)
        divisor = self.divisor_for(records)
        noise = simulate_wishart(size, records.shape[1], self.noise_scale(divisor), generator)
        return noise + records.T @ records / divisor

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Compute the privacy loss of the ideal output at one symmetric point.

        With d + 1 degrees of freedom the density of W is proportional to ``exp(-tr W / 2c)`` on positive definite
        matrices and zero elsewhere, so the loss is ``(tr A - tr A') / 2c`` where both noises are positive definite,
        and infinite where one is. Definiteness is decided exactly.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, the output is not a symmetric (d, d) matrix, or it has density zero
            under both.
        """
        first, second = self.read_pair(data, neighbour)
        point = exact_symmetric(output, first.shape[1])
        noises = [point - self.second_moment(records) for records in (first, second)]
        possible = [is_positive_definite(noise) for noise in noises]
        if not any(possible):
            raise InvalidParameterError("output", "neither data set can produce it", "pass an output of one of them")
        if not all(possible):
            return arb("inf") if possible[0] else arb("-inf")
        loss = (trace(noises[1]) - trace(noises[0])) / (2 * self.noise_scale(self.divisor_for(first)))
        return arb(fmpq(loss.numerator, loss.denominator))
