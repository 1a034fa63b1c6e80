"""Algorithm 1 of `analyze-gauss` on an integer lattice, and its noise in every step of a stream (Algorithm 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, fraction, positive_integer, precision
from dpmatrix.mechanisms.exact_products import integer_sum
from dpmatrix.mechanisms.gaussian import GaussianPerturbation, gaussian_delta, least_variance, squared_sensitivity
from dpmatrix.mechanisms.input_perturbation import BoundedRecords, one_of, publish
from dpmatrix.mechanisms.lattice import LatticeGram, coordinate_bits_of
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import record_array, refuse_masked
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.domains import dimension_of, parameter_range
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.privacy.sensitivity import Entries, frobenius_sensitivity
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import gaussian_integers
from dpmatrix.single_use import SingleUse


def slide_deviation(epsilon: Fraction, delta: Fraction) -> arb:
    """Enclose ``Delta = (1 + sqrt(2 log(1/delta))) / epsilon``."""
    return (1 + (2 * (1 / ball(delta)).log()).sqrt()) / ball(epsilon)


def sufficient_deviation(epsilon: Fraction, delta: Fraction) -> arb:
    """Enclose ``max(Delta, (a + sqrt(a^2 + 2 epsilon)) / (2 epsilon))``, a = sqrt(2 log(1/delta)).

    With it, for sensitivity one, normal noise is (epsilon, delta/2)-private for every epsilon
    (`analyze-gauss.algorithm-1+repair`); it is Delta up to ``epsilon = 2 (1 + a)``.
    """
    square, budget = 2 * (1 / ball(delta)).log(), ball(epsilon)
    return slide_deviation(epsilon, delta).max((square.sqrt() + (square + 2 * budget).sqrt()) / (2 * budget))


@implements("analyze-gauss.algorithm-1+repair@bc0272e1")
@frozen
class AnalyzeGauss(GaussianPerturbation):
    """Algorithm 1 of `analyze-gauss`, repaired, on a lattice: (epsilon, delta)-differentially private.

    Noise on the upper triangle, copied to the lower one. The printed deviation is Delta, here times the sensitivity:
    1 for a row added or removed, sqrt(2) for one replaced; for large epsilon it is more (`sufficient_deviation`), as
    Delta would not do. The slides publish A'A without a divisor, which is
    ``divisor=1``. See `GaussianPerturbation` for the parameters and the proof.
    """

    name: ClassVar[str] = "Analyze Gauss"
    entries: ClassVar[Entries] = Entries.UPPER_TRIANGLE

    def printed_deviation(self, dimension: int) -> arb:
        """Enclose s Delta', s the sensitivity of records of norm at most 1, Delta' that of `sufficient_deviation`."""
        return frobenius_sensitivity(dimension, self.adjacency) * sufficient_deviation(self.epsilon, self.delta)


def _steps(value: object) -> int:
    return positive_integer(value, "steps")


class _LeaderStream(SingleUse):
    what: ClassVar[str] = "a stream of releases"
    remedy: ClassVar[str] = "publish it in the process that began it"


@implements("analyze-gauss.algorithm-3+repair@313a4582")
@frozen
class OnlinePerturbedLeader(BoundedRecords):
    r"""Algorithm 3 of `analyze-gauss`, repaired: all m noisy matrices together are (epsilon, delta)-private.

    After each row the second-moment matrix of the rows so far is published with fresh discrete Gaussian noise on its
    upper triangle, on the lattice of `GaussianPerturbation`; `principal_components` makes the leader of a release.

    *Proof.* A row that comes at step t changes the integer matrices of the steps t, ..., m by one and the same matrix,
    so all m upper triangles, as one vector, by integers whose squares sum to at most ``m 16**b s**2``, s the exact
    sensitivity of one matrix. `DiscreteGaussianProfile` bounds the delta of that vector. The stream must not depend on
    what has been published.

    Parameters
    ----------
    steps
        m: the number of rows that are answered.
    calibration
        ``"tight"``: the least certified variance. ``"printed"``: deviation ``sqrt(m) s Delta``, Delta that of the
        slides (for large epsilon more, `sufficient_deviation`), where it is certified.
    delta
        In (0, 1).
    coordinate_bits
        b, in [0, 512].
    epsilon, adjacency, norm_bound, over_norm
        See `BoundedRecords`.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    steps: int = field(converter=_steps, kw_only=True)
    calibration: Literal["tight", "printed"] = field(
        default="tight", validator=one_of("tight", "printed"), kw_only=True
    )
    delta: Fraction = field(converter=gaussian_delta, kw_only=True)
    coordinate_bits: int = field(default=16, converter=coordinate_bits_of, kw_only=True)

    name: ClassVar[str] = "online perturbed leader"

    @property
    def guarantee(self) -> PrivacyGuarantee:
        """(epsilon, delta) under the relation, for all releases of one stream together."""
        return PrivacyGuarantee(self.epsilon, self.delta, self.adjacency)

    @property
    def grid(self) -> Fraction:
        """Spacing of the published values of A'A."""
        return Fraction(1, 4**self.coordinate_bits)

    def noise_variance(self, dimension: int) -> Fraction:
        """Return the variance of each entry, in squared units of the grid, for rows of length n.

        Raises
        ------
        InvalidParameterError
            If the dimension is no positive integer, or the printed noise is not certified to meet the guarantee.
        """
        size = dimension_of(dimension)
        coordinates = self.steps * size * (size + 1) // 2
        square = squared_sensitivity(size, self.adjacency, self.norm_bound, self.coordinate_bits, one=coordinates == 1)
        total = max(self.steps * square, 1)
        if self.calibration == "tight":
            return least_variance(total, self.guarantee, coordinates)
        with precision(256):
            deviation = frobenius_sensitivity(size, self.adjacency, self.norm_bound)
            deviation *= sufficient_deviation(self.epsilon, self.delta)
            printed = self.steps * deviation**2 * 16**self.coordinate_bits
            variance = Fraction(math.ceil(fraction(parameter_range(printed, "deviation").upper)))
        if not meets(DiscreteGaussianProfile(total, variance, coordinates), self.guarantee):
            problem = f"the printed noise is not certified to keep {self.guarantee}"
            raise InvalidParameterError("calibration", problem, "choose calibration='tight'")
        return variance

    def releases(
        self, rows: Iterable[npt.ArrayLike], dimension: int, *, entropy: Entropy | None = None
    ) -> Iterator[Release]:
        """Publish one matrix after each row; each release carries the guarantee of all.

        Parameters
        ----------
        rows
            Arrays of shape (n,); a missing row is a zero row.
        dimension
            n, which is public.
        entropy
            Source of the random bits; the operating system by default.

        Raises
        ------
        InvalidParameterError
            If a row is malformed, masked or too long, or there are more than ``steps``.
        SingleUseError
            In a child process: what it published would be added to what its parent publishes.
        """
        return self._releases(rows, dimension, SystemEntropy() if entropy is None else entropy, _LeaderStream())

    def _releases(
        self, rows: Iterable[npt.ArrayLike], dimension: int, source: Entropy, stream: SingleUse
    ) -> Iterator[Release]:
        variance = self.noise_variance(dimension)
        gram, upper = LatticeGram(dimension, self.coordinate_bits), np.triu_indices(dimension)
        for number, row in enumerate(rows):
            stream.check_process()
            if number == self.steps:
                raise InvalidParameterError("rows", f"there are more than {self.steps}", "raise steps")
            refuse_masked(row, "rows")
            for block in self.read_blocks(np.asarray(row)[None, ...], number):
                gram.add_read(block)
            sums = integer_sum(gram.integers()[upper], gaussian_integers(variance, len(upper[0]), source))
            integers = np.empty((dimension, dimension), dtype=sums.dtype)
            integers[upper] = integers.T[upper] = sums
            yield publish(self.name, self, integers, self.grid, self.guarantee, source)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> tuple[Release, ...]:
        """Publish the matrices of a whole stream, shape (m, n), one row a step; see `releases`."""
        array = record_array(data)
        return tuple(self.releases(iter(array), array.shape[1], entropy=entropy))

    def simulate(self, data: npt.ArrayLike, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw the matrices of all steps in floating point, shape (size, m, n, n). NEVER private."""
        records = self.read(data)
        deviation = math.sqrt(self.noise_variance(records.shape[1])) * float(self.grid)
        return simulate_stream(records, deviation, size, generator)


def simulate_stream(records: FloatArray, deviation: float, size: int, generator: np.random.Generator) -> FloatArray:
    """Draw C_t + E_t for every step of a stream, in floating point. NEVER private.

    Parameters
    ----------
    records
        Shape (m, n), one row a step.
    deviation
        Standard deviation of each entry of every E_t.
    size
        Number of draws.
    generator
        Source of the noise.

    Returns
    -------
    ndarray
        Shape (size, m, n, n).
    """
    steps, dimension = records.shape
    rows, columns = np.triu_indices(dimension)
    noise = np.empty((size, steps, dimension, dimension))
    noise[..., rows, columns] = generator.normal(scale=deviation, size=(size, steps, len(rows)))
    noise[..., columns, rows] = noise[..., rows, columns]
    return np.asarray(noise + np.cumsum(records[:, :, None] * records[:, None, :], axis=0))
