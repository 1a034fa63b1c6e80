"""A sliding window with the least noise: noisy combinations of its leaves, from which every window sum is computed."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.exact_products import integer_sum
from dpmatrix.mechanisms.gaussian import least_variance
from dpmatrix.mechanisms.input_perturbation import one_of
from dpmatrix.mechanisms.lattice import coordinate_bits_of, lattice_gram
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.mechanisms.records import OverNorm, bounded_records
from dpmatrix.mechanisms.streams.factorisation import WEIGHT_BITS, WindowFactorisation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import dimension_of
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles.discrete_gaussian import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.randomness.integer_noise import gaussian_integers
from dpmatrix.single_use import SingleUse

FINE_BITS = 32
"""Windows are published in units of ``2**-32`` of the lattice: so finely that combinations can be computed back."""

LARGEST = 1 << 62
"""Combinations without noise stay below."""


@frozen(slots=False)
class BandedWindowParameters:
    """What is public about a sliding window of the least noise.

    Parameters
    ----------
    dimension
        Length d of a row.
    window
        W, a multiple of the leaf.
    guarantee
        The guarantee for the whole sequence of outputs, delta > 0. Neighbours are streams that differ in the row of one
        time: under add/remove-one it is zero in one of them, under replace-one it is any other row of the ball.
    leaf
        Rows after which the window moves on: outputs refer to the last complete leaf.
    bands
        How many leaves a combination holds, at most 8 times as many as the window has; by default half as many again.
        With as many as the window has, outputs before it is full are those of the square-root factorisation of sums.
    coordinate_bits
        Binary digits kept after the point of a coordinate.
    over_norm
        What to do with a row longer than 1: ``"clip"`` it, the default, or ``"reject"`` it, a refusal that depends on
        the row and that the guarantee does not cover.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, or a combination might not fit 64 bits.
    """

    dimension: int = field(converter=dimension_of)
    window: int
    guarantee: PrivacyGuarantee
    leaf: int = field(default=1, kw_only=True)
    bands: int | None = field(default=None, kw_only=True)
    coordinate_bits: int = field(default=14, converter=coordinate_bits_of, kw_only=True)
    over_norm: OverNorm = field(default="clip", validator=one_of("reject", "clip"), kw_only=True)

    def __attrs_post_init__(self) -> None:
        positive_integer(self.window, "window")
        positive_integer(self.leaf, "leaf")
        if self.window % self.leaf:
            raise InvalidParameterError("leaf", f"{self.leaf} does not divide the window", "pass a divisor of it")
        if self.guarantee.is_pure:
            raise InvalidParameterError("guarantee", "Gaussian noise never meets delta = 0", "pass delta > 0")
        if self.leaf * self.factorisation.total << 2 * self.coordinate_bits >= LARGEST:
            problem = f"combinations of leaves of {self.leaf} rows of {self.coordinate_bits} bits may not fit 64 bits"
            raise InvalidParameterError("coordinate_bits", problem, "pass fewer, or shorter leaves")

    @property
    def leaves(self) -> int:
        """Number of leaves in the window."""
        return self.window // self.leaf

    @cached_property
    def factorisation(self) -> WindowFactorisation:
        """The weights, and how much noise they leave."""
        return WindowFactorisation(self.leaves, (3 * self.leaves + 1) // 2 if self.bands is None else self.bands)

    @property
    def entries(self) -> int:
        """Number of entries of the triangle of a symmetric matrix."""
        return self.dimension * (self.dimension + 1) // 2

    @property
    def squared_sensitivity(self) -> int:
        """Largest squared change of all combinations together, in squared units of ``2**-16 4**-coordinate_bits``.

        A row changes the sum of its leaf by vv', of Frobenius norm at most 1, or by vv' - ww', of norm at most the root
        of 2, and each of the next combinations by a weight times that.
        """
        both = self.guarantee.adjacency is Adjacency.REPLACE_ONE and self.dimension > 1
        changed: int = self.factorisation.squared_norm * (2 if both else 1) << 4 * self.coordinate_bits
        return changed

    @property
    def coordinates(self) -> int:
        """Number of noisy integers that a row can change."""
        return len(self.factorisation.weights) * self.entries

    @cached_property
    def variance(self) -> Fraction:
        """Variance of the discrete Gaussian noise of each entry of each combination, in those units."""
        return least_variance(self.squared_sensitivity, self.guarantee, self.coordinates)

    @property
    def profile(self) -> DiscreteGaussianProfile:
        """Privacy profile of everything that is ever published, up to the rounding of its enclosure."""
        return DiscreteGaussianProfile(self.squared_sensitivity, self.variance, self.coordinates)

    @property
    def deviation(self) -> float:
        """Bound on the standard deviation of an entry of any published window, in units of the data.

        Truncation to the lattice and the rounding of what is published come on top.
        """
        return math.sqrt(self.variance * Fraction(self.factorisation.gain)) / 2.0**WEIGHT_BITS / self.scale

    @property
    def scale(self) -> float:
        """Units of the lattice in one."""
        return 4.0**self.coordinate_bits


@implements("beyond.window-privacy@ea4890e2", "beyond.window-estimates@718b5661", "beyond.window-noise@b8b2c8ed")
class BandedWindowGram(SingleUse):
    r"""Private A_W'A_W over a sliding window at every time, with the least Gaussian noise for it, or nearly.

    A window is used once, by the process that made it and not by its forks, not by copies, which are refused, and by
    one thread at a time; see `dpmatrix.single_use`. It cannot be suspended.

    Parameters
    ----------
    parameters
        Public parameters.
    entropy
        Source of the random bits; the operating system by default. With a source that is not private there is no
        guarantee.

    Notes
    -----
    *What is guaranteed.* Rows are truncated to a lattice, and the sums G_1, G_2, ... of the leaves are exact integers.
    After leaf t the combination ``Y_t = c_0 G_t + ... + c_(w-1) G_(t-w+1)`` is formed, exactly, and each entry of its
    upper triangle gets its own discrete Gaussian noise. A row changes w combinations at most, by c_k times one and the
    same matrix: all that it changes is a vector of squared norm ``(c_0^2 + ... + c_(w-1)^2)`` times that of the matrix
    (`beyond.window-privacy`). What is published is computed from the noisy Y_1, ..., Y_t and nothing else, so all
    outputs at all times, of a stream without end, have the guarantee together: *continual release*. Streams are fixed
    in advance.

    *What is not.* The memory holds the exact sums of the last w leaves: a look into it is not covered. Of
    `SlidingWindowGram` one look is, for more noise. Time of arrival, time of computing and the refusal of a row are not
    protected.

    *What it is worth.* The estimates ``c_0 X_t = Y_t - c_1 X_(t-1) - ...`` are those of single leaves, and a window is
    the sum of the last of them: the sum of its rows, on the lattice, and noise of mean zero whose standard deviation is
    at most `BandedWindowParameters.deviation` at all times. `WindowFactorisation.excess` is how many times the least
    variance of time-invariant weights that is (`beyond.window-noise`).
    """

    name: ClassVar[str] = "private window by factorisation"
    what: ClassVar[str] = "a window"
    remedy: ClassVar[str] = "begin one window for each stream, in the process that reads it"

    def __init__(self, parameters: BandedWindowParameters, *, entropy: Entropy | None = None) -> None:
        super().__init__()
        self.parameters = parameters
        self._entropy: Entropy = SystemEntropy() if entropy is None else entropy
        factorisation = parameters.factorisation
        weights = factorisation.weights
        length = max(len(weights), factorisation.leaves)
        self._weights = _turning(weights)
        self._later = _turning(np.pad(weights[1:] / weights[0], (1, length - len(weights))))
        self._last = _turning(np.repeat((1.0, 0.0), (factorisation.leaves, length - factorisation.leaves)))
        self._sums = np.zeros((len(weights), parameters.entries), dtype=np.int64)
        self._estimates = np.zeros((length, parameters.entries))
        self._leaves, self._rows = 0, 0
        self._upper = np.triu_indices(parameters.dimension)
        self._interrupted = False

    @property
    def entropy(self) -> Entropy:
        """Source of the random bits."""
        return self._entropy

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee for everything that is ever published; None if the bits are not secret."""
        return self.parameters.guarantee if self._entropy.private else None

    @property
    def grid(self) -> Fraction:
        """Spacing of the published values."""
        return Fraction(1, 4**self.parameters.coordinate_bits * 2**FINE_BITS)

    @property
    def time(self) -> int:
        """Number of rows read."""
        return self._leaves * self.parameters.leaf + self._rows

    def add(self, rows: npt.ArrayLike) -> None:
        """Read rows, all of them or none where an error ends the call.

        Parameters
        ----------
        rows
            Shape (m, d), of norm at most 1; m may be zero.

        Raises
        ------
        InvalidParameterError
            If the rows are malformed, or one is too long and may not be clipped.
        SingleUseError
            In a child process, from within another use of the window, or after a call that was interrupted.
        """
        with self.turn():
            self._check_whole()
            parameters = self.parameters
            records = bounded_records(rows, Fraction(1), parameters.over_norm, none_allowed=True, parameter="rows")
            if records.shape[1] != parameters.dimension:
                problem = f"it has shape {records.shape}"
                raise InvalidParameterError("rows", problem, f"pass rows of length {parameters.dimension}")
            # Whatever interrupts the next lines leaves sums that nobody should go on from.
            self._interrupted = True
            while len(records):
                part = records[: parameters.leaf - self._rows]
                records = records[len(part) :]
                gram = lattice_gram(part, parameters.coordinate_bits)
                self._sums[self._place(self._sums)] += gram[self._upper].astype(np.int64)
                self._rows += len(part)
                if self._rows == parameters.leaf:
                    self._close_leaf()
            self._interrupted = False

    def publish(self) -> Release:
        """Publish the sum of the window, up to the last complete leaf; before the first one, zero.

        Raises
        ------
        SingleUseError
            As in `add`.
        """
        with self.turn():
            self._check_whole()
            last = self._leaves - 1
            values = np.ldexp(_aligned(self._last, last) @ self._estimates, FINE_BITS)
            dimension = self.parameters.dimension
            integers = np.zeros((dimension, dimension), dtype=object)
            integers[self._upper] = integers.T[self._upper] = [int(value) for value in np.rint(values)]
        return Release(
            integers=integers,
            grid=self.grid,
            guarantee=self.guarantee,
            mechanism=self.name,
            adjacency=self.parameters.guarantee.adjacency,
            entropy=self._entropy.description,
        )

    def _check_whole(self) -> None:
        if self._interrupted:
            raise SingleUseError("this window was interrupted: its sums are not whole", "begin a new one")

    def _place(self, ring: npt.NDArray[Any]) -> int:
        return self._leaves % len(ring)

    def _begin_leaf(self) -> None:
        self._sums[self._place(self._sums)] = 0
        self._rows = 0

    def _close_leaf(self) -> None:
        """Form the noisy combination and the estimate of the leaf from it."""
        parameters = self.parameters
        combined = _aligned(self._weights, self._leaves) @ self._sums
        noise = gaussian_integers(parameters.variance, parameters.entries, self._entropy)
        noisy = integer_sum(combined, noise).astype(np.float64)
        place = self._place(self._estimates)
        self._estimates[place] = 0.0
        known = _aligned(self._later, self._leaves) @ self._estimates
        self._estimates[place] = noisy / float(parameters.factorisation.weights[0]) - known
        self._leaves += 1
        self._begin_leaf()


def _turning(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Lay out weights so that `_aligned` is a view."""
    return np.tile(weights[::-1], 2)


def _aligned(turning: npt.NDArray[Any], time: int) -> npt.NDArray[Any]:
    """Return the weight of each place of a ring whose place ``t mod length`` holds what came at time t."""
    length = len(turning) // 2
    begin = (length - 1 - time) % length
    return turning[begin : begin + length]
