"""Gaussian input perturbation on an integer lattice: MOD-SULQ, and the SULQ noise that it modifies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Literal

import numpy as np
from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, ball, fraction, precision, rational
from dpmatrix.mechanisms.input_perturbation import one_of
from dpmatrix.mechanisms.lattice_perturbation import IntegerNoise, LatticePerturbation
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.privacy.sensitivity import Entries, frobenius_sensitivity
from dpmatrix.randomness.integer_noise import gaussian_integers

_DEVIATION_BITS = 32


@lru_cache(maxsize=64)
def least_variance(squared_sensitivity: int, guarantee: PrivacyGuarantee, coordinates: int) -> Fraction:
    """Return what `calibrate_discrete_gaussian` does, remembered: a search of a second or so."""
    return calibrate_discrete_gaussian(squared_sensitivity, guarantee, coordinates)


@lru_cache(maxsize=64)
def squared_sensitivity(
    dimension: int, adjacency: Adjacency, norm_bound: Fraction, coordinate_bits: int, *, one: bool
) -> int:
    """Bound the squares of the integers by which entries on the lattice change, in sum; remembered.

    ``one`` says that there is one entry: then its square is that of an integer.
    """
    with precision(256 + 4 * coordinate_bits):
        norm = frobenius_sensitivity(dimension, adjacency, norm_bound)
        square = fraction(parameter_range(norm * norm, "sensitivity").upper) * 16**coordinate_bits
    return math.isqrt(math.floor(square)) ** 2 if one else math.floor(square)


def gaussian_delta(value: Exact) -> Fraction:
    """Read the delta of Gaussian noise, in (0, 1).

    Raises
    ------
    InvalidParameterError
        If it is anything else.
    """
    delta = fraction(value, "delta")
    if not 0 < delta < 1:
        raise InvalidParameterError("delta", f"{value} is outside (0, 1)", "pass 0 < delta < 1: the noise is Gaussian")
    return delta


@frozen
class GaussianPerturbation(LatticePerturbation, ABC):
    r"""Discrete Gaussian noise on chosen entries of the second-moment matrix of truncated records.

    Independent integers k with probability proportional to :math:`e^{-k^2 / 2v}` are added to entries of the integer
    matrix of `LatticePerturbation`.

    *Proof.* Truncated records still have norm at most r, so between neighbours the entries change by integers whose
    squares sum to at most ``2 * 16**b r**4`` (`frobenius_sensitivity`). `DiscreteGaussianProfile` bounds, for that
    sum, this v and this number of entries, the delta of the integers that are released; the release goes ahead only
    where the bound is certified to be at most the guaranteed delta.

    What the proof does not cover: the refusal of data, which is not a release, and the time that it takes.

    Parameters
    ----------
    calibration
        ``"tight"``: the least v whose bound meets the guarantee, to within one part in a hundred of its root.
        ``"printed"``: the document's standard deviation, rounded up in its 32nd binary digit.
    delta
        In (0, 1).
    epsilon, adjacency, norm_bound, over_norm, divisor, coordinate_bits
        See `LatticePerturbation`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    calibration: Literal["tight", "printed"] = field(default="tight", validator=one_of("tight", "printed"))
    delta: Fraction = field(converter=gaussian_delta, kw_only=True)

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, delta) under the relation."""
        return PrivacyGuarantee(self.epsilon, self.delta, self.adjacency)

    @abstractmethod
    def printed_deviation(self, dimension: int) -> arb:
        """Enclose the document's standard deviation of the noise on X'X, for records of norm at most 1.

        Raises
        ------
        InvalidParameterError
            If the printed formula has no real value.
        """

    def noise_variance(self, dimension: int) -> Fraction:
        """Return v, in squared units of the grid, for records of length d.

        Raises
        ------
        InvalidParameterError
            If the printed formula has no value, or its noise is not certified to meet the guarantee.
        """
        coordinates = self.count_of_places(dimension)
        square = squared_sensitivity(
            dimension, self.adjacency, self.norm_bound, self.coordinate_bits, one=coordinates == 1
        )
        if square == 0:
            # No truncated record can change the matrix by a unit: any noise will do.
            square = 1
        if self.calibration == "tight":
            return least_variance(square, self.guarantee, coordinates)
        with precision(256):
            unit = self.norm_bound**2 * Fraction(4) ** self.coordinate_bits
            upper = fraction(parameter_range(self.printed_deviation(dimension), "deviation").upper) * unit
        variance = Fraction(math.ceil(upper * 2**_DEVIATION_BITS), 2**_DEVIATION_BITS) ** 2
        if not meets(DiscreteGaussianProfile(square, variance, coordinates), self.guarantee):
            problem = f"the printed noise is not certified to keep {self.guarantee}"
            raise InvalidParameterError("calibration", problem, "choose calibration='tight'")
        return variance

    def integer_noise(self, dimension: int) -> IntegerNoise:
        """Return the sampler of discrete Gaussian noise of parameter v; raises as `noise_variance` does."""
        return partial(gaussian_integers, self.noise_variance(dimension))

    def float_noise(self, dimension: int, shape: tuple[int, ...], generator: np.random.Generator) -> FloatArray:
        """Draw Gaussian noise of variance v, in units of the grid. NEVER private."""
        return generator.normal(scale=math.sqrt(self.noise_variance(dimension)), size=shape)

    def surprisal(self, dimension: int) -> Callable[[fmpq], fmpq]:
        """Return ``x -> x**2 / 2v``."""
        rate = rational(1 / (2 * self.noise_variance(dimension)))
        return lambda change: change * change * rate


@implements("near-optimal.algorithm-1+repair@1b63d989", "near-optimal.theorem-5@6333ff94")
@frozen
class ModSulq(GaussianPerturbation):
    """Algorithm 1 of `near-optimal`, MOD-SULQ, on a lattice: (epsilon, delta)-differentially private.

    Noise on the upper triangle, copied to the lower one. The document's deviation is (5), about d + 1 times what the
    guarantee needs. `principal_components` makes the document's output of a release, the top-k eigenvectors.

    See `GaussianPerturbation` for the parameters and the proof.
    """

    name: ClassVar[str] = "MOD-SULQ"
    entries: ClassVar[Entries] = Entries.UPPER_TRIANGLE

    def printed_deviation(self, dimension: int) -> arb:
        """Enclose n beta of (5).

        Raises
        ------
        InvalidParameterError
            For d = 1 and delta above ``1 / sqrt(2 pi)``, where (5) is not a real number.
        """
        logarithm = ((dimension**2 + dimension) / (ball(self.delta) * 2 * (2 * arb.pi()).sqrt())).log()
        if not logarithm > 0:
            problem = f"{self.delta} makes (5) imaginary at d = {dimension}"
            raise InvalidParameterError("delta", problem, "choose calibration='tight'")
        epsilon = ball(self.epsilon)
        return (dimension + 1) / epsilon * (2 * logarithm).sqrt() + 1 / epsilon.sqrt()


@implements("near-optimal.sulq+repair@b7bd26d6")
@frozen
class Sulq(GaussianPerturbation):
    """The SULQ noise that `near-optimal` quotes: independent on all entries, so the release is not symmetric.

    Its eigenvalues may be complex, which is why the document modifies it; for a guarantee of the same strength the
    symmetric part of a tight release has less noise off the diagonal than `ModSulq`, by a factor of sqrt(2).

    See `GaussianPerturbation` for the parameters and the proof.
    """

    name: ClassVar[str] = "SULQ"
    entries: ClassVar[Entries] = Entries.FULL

    def printed_deviation(self, dimension: int) -> arb:
        """Enclose the root of the quoted variance times n**2, ``8 d**2 log(d / delta)**2 / epsilon**2``."""
        logarithm = (dimension / ball(self.delta)).log()
        return arb(8).sqrt() * dimension * logarithm / ball(self.epsilon)
