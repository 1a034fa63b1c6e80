"""What privacy means here and what noise buys it: relations, sensitivities, exact profiles, calibration."""

from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import calibrate, calibrate_gaussian, calibrate_laplace, calibrate_wishart, meets
from dpmatrix.privacy.differences import (
    RecordPair,
    frobenius_distance,
    l1_distance,
    largest_l1_difference,
    largest_orthogonal_difference,
    nuclear_distance,
    spectral_distance,
)
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import (
    Direction,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    WishartProfile,
    support_failure,
)
from dpmatrix.privacy.sensitivity import (
    Entries,
    frobenius_sensitivity,
    l1_sensitivity,
    nuclear_sensitivity,
    spectral_sensitivity,
)

__all__ = [
    "Adjacency",
    "Direction",
    "Entries",
    "GaussianProfile",
    "LaplaceProfile",
    "PrivacyGuarantee",
    "PrivacyProfile",
    "RecordPair",
    "WishartProfile",
    "calibrate",
    "calibrate_gaussian",
    "calibrate_laplace",
    "calibrate_wishart",
    "frobenius_distance",
    "frobenius_sensitivity",
    "l1_distance",
    "l1_sensitivity",
    "largest_l1_difference",
    "largest_orthogonal_difference",
    "meets",
    "nuclear_distance",
    "nuclear_sensitivity",
    "spectral_distance",
    "spectral_sensitivity",
    "support_failure",
]
