"""Public parameters of a private sliding window, and the noise that they need."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.input_perturbation import one_of
from dpmatrix.mechanisms.lattice import coordinate_bits_of
from dpmatrix.mechanisms.records import OverNorm
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import dimension_of
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles.discrete_gaussian import DiscreteGaussianProfile


@frozen(slots=False)
class WindowParameters:
    """What is public about a private sliding window.

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
    coordinate_bits
        Binary digits kept after the point of a coordinate.
    eta
        Factor of the histogram, in (0, 1).
    tolerance
        Slack of the comparison of checkpoints in units of `error_scale`, at least 0: more of it leaves fewer
        checkpoints and lets an output reach back further. It is no part of the guarantee, which holds for any.
    over_norm
        What to do with a row longer than 1: ``"clip"`` it, the default, or ``"reject"`` it, a refusal that depends on
        the row and that the guarantee does not cover.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    dimension: int = field(converter=dimension_of)
    window: int
    guarantee: PrivacyGuarantee
    leaf: int = field(default=1, kw_only=True)
    coordinate_bits: int = field(default=14, converter=coordinate_bits_of, kw_only=True)
    eta: Fraction = field(default=Fraction(1, 4), converter=Fraction, kw_only=True)
    tolerance: Fraction = field(default=Fraction(1, 3), converter=Fraction, kw_only=True)
    over_norm: OverNorm = field(default="clip", validator=one_of("reject", "clip"), kw_only=True)

    def __attrs_post_init__(self) -> None:
        positive_integer(self.window, "window")
        positive_integer(self.leaf, "leaf")
        if self.window % self.leaf:
            raise InvalidParameterError("leaf", f"{self.leaf} does not divide the window", "pass a divisor of it")
        if not 0 < self.eta < 1:
            raise InvalidParameterError("eta", f"{self.eta} is not in (0, 1)", "pass 0 < eta < 1")
        if self.tolerance < 0:
            raise InvalidParameterError("tolerance", f"{self.tolerance} is negative", "pass 0 or more")
        if self.guarantee.is_pure:
            raise InvalidParameterError("guarantee", "Gaussian noise never meets delta = 0", "pass delta > 0")

    @property
    def leaves(self) -> int:
        """Number of leaves in the window."""
        return self.window // self.leaf

    @property
    def height(self) -> int:
        """Least h with 2**h leaves in a block at least as long as the window."""
        return (self.leaves - 1).bit_length()

    @property
    def entries(self) -> int:
        """Number of entries of the triangle of a symmetric matrix."""
        return self.dimension * (self.dimension + 1) // 2

    @property
    def squared_sensitivity(self) -> int:
        """Largest squared change of all published sums together, in squared units of ``4**-coordinate_bits``.

        A row enters at most h + 1 sums; vv' of a row of the ball has Frobenius norm at most 1, and vv' - ww' at most
        the root of 2.
        """
        both = self.guarantee.adjacency is Adjacency.REPLACE_ONE and self.dimension > 1
        changed: int = (self.height + 1) * (2 if both else 1) << 4 * self.coordinate_bits
        return changed

    @cached_property
    def variance(self) -> Fraction:
        """Variance of the discrete Gaussian noise of each entry of each sum, in squared units."""
        coordinates = (self.height + 1) * self.entries
        return calibrate_discrete_gaussian(self.squared_sensitivity, self.guarantee, coordinates)

    @property
    def profile(self) -> DiscreteGaussianProfile:
        """Privacy profile of everything that is ever published, up to the rounding of its enclosure."""
        coordinates = (self.height + 1) * self.entries
        return DiscreteGaussianProfile(self.squared_sensitivity, self.variance, coordinates)

    @property
    def deviation(self) -> float:
        """Standard deviation of an entry of one sum, in units of the data."""
        return math.sqrt(self.variance) / float(4**self.coordinate_bits)

    @property
    def error_scale(self) -> float:
        """Bound on the spectral norm of the error of an output that holds with high probability.

        An output is a signed sum of at most 2h + 1 noisy sums; a symmetric matrix with independent entries of
        deviation s exceeds ``s (2 sqrt(d) + 6)`` with probability about 1e-8.
        """
        sums = 2 * self.height + 1
        return math.sqrt(sums) * self.deviation * (2 * math.sqrt(self.dimension) + 6)

    @property
    def slack(self) -> float:
        """Additive part of the comparison of checkpoints.

        At ``2 (2 - eta)`` times the scale of the error noise never keeps a checkpoint; a third of the scale is what
        the noise of a difference of two sums mostly is.
        """
        return float(self.tolerance) * self.error_scale
