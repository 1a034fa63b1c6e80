"""Privacy profiles: for each noise the least delta at every epsilon, as a certified enclosure."""

from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.privacy.profiles.laplace import LaplaceProfile
from dpmatrix.privacy.profiles.protocol import Direction, PrivacyProfile
from dpmatrix.privacy.profiles.wishart import WishartProfile, support_failure

__all__ = ["Direction", "GaussianProfile", "LaplaceProfile", "PrivacyProfile", "WishartProfile", "support_failure"]
