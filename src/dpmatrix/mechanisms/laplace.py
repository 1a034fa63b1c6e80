"""Laplace input perturbation on an integer lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Literal

import numpy as np
from attrs import field, frozen
from flint import fmpq

from dpmatrix.claims import implements
from dpmatrix.exact import fraction, precision, rational
from dpmatrix.mechanisms.input_perturbation import one_of
from dpmatrix.mechanisms.lattice_perturbation import IntegerNoise, LatticePerturbation
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.sensitivity import Entries, l1_sensitivity
from dpmatrix.randomness.integer_noise import laplace_integers

_SCALE_DENOMINATOR = 2**32


@lru_cache(maxsize=64)
def _sensitivity(dimension: int, adjacency: Adjacency) -> Fraction:
    """Bound s for norm bound 1; remembered."""
    with precision(256):
        sensitivity = l1_sensitivity(dimension, adjacency, Entries.UPPER_TRIANGLE)
        return fraction(parameter_range(sensitivity, "sensitivity").upper)


@implements("wishart.algorithm-1+repair@09bb4df0", "wishart.theorem-3@ec1ddeda")
@frozen
class LaplaceInputPerturbation(LatticePerturbation):
    """Algorithm 1 of `wishart` on a lattice: (epsilon, 0)-differentially private, proved for what is released.

    Independent discrete Laplace noise of scale t is added to the upper triangle of the integer matrix G of
    `LatticePerturbation`, and copied to the lower one.

    *Proof.* Truncated records still have norm at most r, so between neighbours the upper triangles of G differ by at
    most ``4**b s`` in l1 norm, where s is the sensitivity `l1_sensitivity` at norm bound r. The probability of an
    integer outcome is a product of terms proportional to ``exp(-|k| / t)``, so between neighbours its logarithm changes
    by at most ``4**b s / t``, which is at most epsilon when ``t >= 4**b s / epsilon``. The printed scale satisfies
    this, since s <= 2 d r**2. Clipping and truncation act on each record alone, to the last bit, and an exact sum does
    not depend on the order of the records. The lower triangle, the grid and the divisor add nothing: the grid is a
    function of public parameters and, under replace-one, of n, which neighbours share. The noise is drawn without a
    look at G, so an error in drawing it is as likely under either neighbour.

    What the proof does not cover: the refusal of data (NaN, and a record that is too long where ``"reject"`` was
    chosen), which is not a release, and how long the computation takes.

    The output is symmetric and may be indefinite; `project_psd` is post-processing.

    Parameters
    ----------
    calibration
        ``"tight"``: t is ``4**b s / epsilon`` rounded up. ``"printed"``: t is ``4**b 2 d r**2 / epsilon``, the
        document's Laplace scale 2 d / (n epsilon).
    epsilon, adjacency, norm_bound, over_norm, divisor, coordinate_bits
        See `LatticePerturbation`.
    """

    calibration: Literal["tight", "printed"] = field(default="tight", validator=one_of("tight", "printed"))

    name: ClassVar[str] = "Laplace input perturbation"
    entries: ClassVar[Entries] = Entries.UPPER_TRIANGLE

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, 0) under the relation."""
        return self.pure_guarantee()

    def noise_scale(self, dimension: int) -> Fraction:
        """Return the scale t of the discrete Laplace noise in units of the grid, for records of length d."""
        per_epsilon = self.norm_bound**2 * Fraction(4) ** self.coordinate_bits / self.epsilon
        if self.calibration == "printed":
            return 2 * dimension * per_epsilon
        # Rounding up adds noise, so it is on the safe side.
        return Fraction(
            math.ceil(_sensitivity(dimension, self.adjacency) * per_epsilon * _SCALE_DENOMINATOR), _SCALE_DENOMINATOR
        )

    def integer_noise(self, dimension: int) -> IntegerNoise:
        """Return the sampler of discrete Laplace noise of scale t."""
        return partial(laplace_integers, self.noise_scale(dimension))

    def float_noise(self, dimension: int, shape: tuple[int, ...], generator: np.random.Generator) -> FloatArray:
        """Draw Laplace noise of scale t, in units of the grid. NEVER private."""
        return generator.laplace(scale=float(self.noise_scale(dimension)), size=shape)

    def surprisal(self, dimension: int) -> Callable[[fmpq], fmpq]:
        """Return ``x -> |x| / t``."""
        rate = rational(1 / self.noise_scale(dimension))
        return lambda change: abs(change) * rate
