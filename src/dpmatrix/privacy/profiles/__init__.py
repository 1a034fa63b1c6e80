"""Privacy profiles: for each noise the least delta at every epsilon, as a certified enclosure."""

from dpmatrix.privacy.profiles.bounded_range import BoundedRangeProfile
from dpmatrix.privacy.profiles.conditioned import ConditionedProfile
from dpmatrix.privacy.profiles.discrete_gaussian import DiscreteGaussianProfile
from dpmatrix.privacy.profiles.discrete_laplace import DiscreteLaplaceProfile
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.laplace import LaplaceProfile
from dpmatrix.privacy.profiles.protocol import Direction, PrivacyProfile
from dpmatrix.privacy.profiles.sketch import SketchProfile
from dpmatrix.privacy.profiles.wishart import WishartProfile, support_failure

__all__ = [
    "BoundedRangeProfile",
    "ConditionedProfile",
    "Direction",
    "DiscreteGaussianProfile",
    "DiscreteLaplaceProfile",
    "GaussianProfile",
    "LaplaceProfile",
    "PrivacyProfile",
    "SketchProfile",
    "WishartProfile",
    "support_failure",
]
