"""Private subspace recovery through a noisy eigengap: Algorithm 2 of `analyze-gauss`, repaired."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.exact import ball, fraction, precision
from dpmatrix.mechanisms.analyze_gauss import sufficient_deviation
from dpmatrix.mechanisms.certified_subspaces import rounded_subspace
from dpmatrix.mechanisms.input_perturbation import one_of, publish
from dpmatrix.mechanisms.lattice import coordinate_bits_of
from dpmatrix.mechanisms.printed_subspace_recovery import RecoverySettings, noisy_subspaces
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.privacy.adjacency import replaces
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.domains import parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise

GAP_BITS = 20
"""Binary digits of the published gap."""


@frozen(kw_only=True)
class SubspaceRelease:
    """What private subspace recovery publishes.

    Attributes
    ----------
    gap
        The noisy eigengap of A'A, in units of ``norm_bound**2``.
    projector
        The noisy projector, or None if the gap was too small to release it.
    guarantee
        The guarantee for both together, or None if there is none.
    """

    gap: Fraction
    projector: Release | None
    guarantee: PrivacyGuarantee | None


@implements("analyze-gauss.algorithm-2+repair@e8530eed", "analyze-gauss.subspace-privacy+repair@54138e5e")
@frozen
class PrivateSubspaceRecovery(RecoverySettings):
    r"""Algorithm 2 of `analyze-gauss`, repaired, on lattices: (2 epsilon, 2 delta)-differentially private.

    With records truncated as in `GaussianPerturbation`, C their second-moment matrix over ``norm_bound**2``, s = 1 for
    a row added or removed and s = 2 for a row replaced: publish the gap of C, rounded to multiples of ``2**-20``, with
    discrete Laplace noise of scale t near 2/epsilon; and, where it exceeds the offset 2 (1 + log(1/delta)/epsilon), the
    projector onto the top k eigenvectors, rounded to multiples of ``2**-b``, with discrete Gaussian noise.

    *Proof.* (1) Truncated records have norm at most ``norm_bound``, so the exact gap changes by at most s between
    neighbours. The integer that is published is within one unit of it (`rounded_subspace`), so it changes by at most
    ``2**20 s + 2``, and t = 2 (2**20 + 2) / epsilon makes the noisy gap (epsilon s/2, 0)-private.
    (2) With K = ceil(t log(1/delta)) the noise exceeds K with probability at most ``delta / 2``. Otherwise the exact
    gap is at least 2 + r, where ``r = 2**-20 (noisy integer - K - 1) - 2``; the projector is released when r > 0. Then
    it moves by at most ``sqrt(2) sin(arcsin(x)/2)`` with x = s/(2 + r) (``analyze-gauss.subspace-privacy``, step
    ``projector-bound``), and the integers near it by ``2**b`` times that and 2n. `DiscreteGaussianProfile` certifies
    that the noise, whose variance is a function of r, hides such a change up to (epsilon, 3/2 delta). (3) So both
    together are (epsilon s/2 + epsilon, 2 delta)-private: what happens with probability delta/2 is added to delta.
    The rounding need not be one fixed function: whatever floating point proposes, the integers lie within the stated
    distance, and a mixture of mechanisms that keep a guarantee keeps it.

    What the proof does not cover: the refusal of data, which is not a release, and the time that it takes.

    Parameters
    ----------
    calibration
        ``"tight"``: the least certified variance. ``"printed"``: deviation sqrt(s) Delta / r, Delta that of the slides
        (for large epsilon more, `sufficient_deviation`), r for their bracket, released only where it is certified.
    projector_bits
        b.
    rank, delta, coordinate_bits, epsilon, adjacency, norm_bound, over_norm
        See `RecoverySettings`.
    """

    calibration: Literal["tight", "printed"] = field(
        default="tight", validator=one_of("tight", "printed"), kw_only=True
    )
    projector_bits: int = field(default=24, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str] = "private subspace recovery"

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(2 epsilon, 2 delta) under the relation."""
        return PrivacyGuarantee(2 * self.epsilon, 2 * self.delta, self.adjacency)

    @property
    def relation_factor(self) -> int:
        """s: 2 if a row is replaced, 1 if it is added or removed."""
        return 2 if replaces(self.adjacency) else 1

    @property
    def gap_scale(self) -> Fraction:
        """Scale t of the noise on the gap, in units of ``2**-20``."""
        return Fraction(2 * (2**GAP_BITS + 2)) / self.epsilon

    def scaled_deviation(self) -> arb:
        """Enclose the deviation of the printed noise times the bracket."""
        return arb(self.relation_factor).sqrt() * sufficient_deviation(self.epsilon, self.delta)

    def bracket(self, noisy: int) -> Fraction:
        """Return r for a noisy gap in units of ``2**-20``."""
        with precision(256):
            reach = ball(self.gap_scale) * (1 / ball(self.delta)).log()
            largest = math.ceil(fraction(parameter_range(reach, "reach").upper))
        return Fraction(noisy - largest - 1, 2**GAP_BITS) - 2

    def noise_variance(self, bracket: Fraction, dimension: int) -> Fraction | None:
        """Return the variance of each entry in squared units of ``2**-b``, or None if nothing may be released.

        Parameters
        ----------
        bracket
            r of the proof, a function of what has been published.
        dimension
            n.
        """
        if bracket <= 0:
            return None
        coordinates = dimension * (dimension + 1) // 2
        promise = PrivacyGuarantee(self.epsilon, self.delta * Fraction(3, 2), self.adjacency)
        with precision(256):
            sine = self.relation_factor / (2 + ball(bracket))
            moved = sine / (1 + (1 - sine * sine).sqrt()).sqrt()
            units = moved * 2**self.projector_bits + 2 * dimension
            square = math.floor(fraction(parameter_range(units * units, "sensitivity").upper))
        if self.calibration == "tight":
            return calibrate_discrete_gaussian(square, promise, coordinates)
        with precision(256):
            deviation = self.scaled_deviation() / ball(bracket)
            upper = (deviation * 2**self.projector_bits) ** 2
            variance = Fraction(math.ceil(fraction(parameter_range(upper, "deviation").upper)))
        certified = meets(DiscreteGaussianProfile(square, variance, coordinates), promise)
        return variance if certified else None

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> SubspaceRelease:
        """Publish the noisy gap and, where it is large enough, the noisy projector.

        Parameters
        ----------
        data
            Shape (m, n), one record a row.
        entropy
            Source of the random bits; the operating system by default.

        Raises
        ------
        InvalidParameterError
            If the data are malformed, a record is too long and may not be clipped, or k >= n.
        """
        source = SystemEntropy() if entropy is None else entropy
        array = self.read(data)
        dimension = array.shape[1]
        self.check_rank(dimension)
        gram = self.read_gram([array], dimension, self.coordinate_bits).matrix()
        unit = 4**self.coordinate_bits * self.norm_bound**2
        scale = fmpq(unit.numerator, unit.denominator)
        moment = fmpq_mat(dimension, dimension, [fmpq(int(entry)) / scale for entry in gram.ravel()])
        gap, projector = rounded_subspace(moment, self.rank, GAP_BITS, self.projector_bits)
        noisy = gap + discrete_laplace_noise(self.gap_scale, 1, source)[0]
        variance = self.noise_variance(self.bracket(noisy), dimension)
        published = None
        if variance is not None:
            upper = np.triu_indices(dimension)
            projector[upper] += np.array(discrete_gaussian_noise(variance, len(upper[0]), source), dtype=object)
            projector.T[upper] = projector[upper]
            grid = Fraction(1, 2**self.projector_bits)
            published = publish(self.name, self, projector, grid, self.guarantee, source)
        return SubspaceRelease(
            gap=Fraction(noisy, 2**GAP_BITS),
            projector=published,
            guarantee=self.guarantee if source.private else None,
        )

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw projectors onto the top k eigenvectors of the noisy projector, shape (size, n, n). NEVER private.

        Zero where the projector is withheld.
        """
        gap, projector = self.float_spectrum(data)
        noisy = gap + generator.laplace(scale=2 / float(self.epsilon), size=size)
        room = noisy - float(self.offset())
        deviation = np.divide(float(self.scaled_deviation()), room, out=np.ones(size), where=room > 0)
        found = noisy_subspaces(projector, self.rank, deviation, generator)
        return np.where(room[:, None, None] > 0, found, 0.0)
