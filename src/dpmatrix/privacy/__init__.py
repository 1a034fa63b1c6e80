"""What privacy means here and what noise buys it: relations, sensitivities, exact profiles, calibration."""

from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import calibrate, calibrate_integer, meets
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
from dpmatrix.privacy.least_noise import (
    calibrate_discrete_gaussian,
    calibrate_discrete_laplace,
    calibrate_gaussian,
    calibrate_laplace,
    calibrate_score,
    calibrate_sketch,
    calibrate_wishart,
    calibrate_wishart_degrees,
)
from dpmatrix.privacy.profiles import (
    BoundedRangeProfile,
    ConditionedProfile,
    Direction,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    SketchProfile,
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
    "BoundedRangeProfile",
    "ConditionedProfile",
    "Direction",
    "DiscreteGaussianProfile",
    "DiscreteLaplaceProfile",
    "Entries",
    "GaussianProfile",
    "LaplaceProfile",
    "PrivacyGuarantee",
    "PrivacyProfile",
    "RecordPair",
    "SketchProfile",
    "WishartProfile",
    "calibrate",
    "calibrate_discrete_gaussian",
    "calibrate_discrete_laplace",
    "calibrate_gaussian",
    "calibrate_integer",
    "calibrate_laplace",
    "calibrate_score",
    "calibrate_sketch",
    "calibrate_wishart",
    "calibrate_wishart_degrees",
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
