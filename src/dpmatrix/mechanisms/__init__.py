"""The documents' algorithms that publish a noisy matrix or its principal directions, their repairs, and less noise.

Data are arrays with one record a ROW, shape (n, d); the documents write records as columns.
"""

from dpmatrix.mechanisms.analyze_gauss import AnalyzeGauss, OnlinePerturbedLeader
from dpmatrix.mechanisms.approximate_lower_bounds import least_squared_error_under
from dpmatrix.mechanisms.compression import GaussianCompression, TruncatedCompression
from dpmatrix.mechanisms.coupled_traces import CoupledTracesMechanism
from dpmatrix.mechanisms.eigenvectors import TopEigenvectors, principal_components
from dpmatrix.mechanisms.gaussian import ModSulq, Sulq
from dpmatrix.mechanisms.gaussian_orthogonal import GaussianOrthogonal
from dpmatrix.mechanisms.k_norm import KNormMechanism
from dpmatrix.mechanisms.laplace import LaplaceInputPerturbation
from dpmatrix.mechanisms.lattice import LatticeGram
from dpmatrix.mechanisms.lower_bounds import least_squared_error
from dpmatrix.mechanisms.noise_moments import NoiseMoments, k_norm_moments
from dpmatrix.mechanisms.ppca import Ppca
from dpmatrix.mechanisms.principal_projections import (
    NonNegativeProjection,
    PrincipalProjection,
    SparseProjection,
)
from dpmatrix.mechanisms.printed_subspace_recovery import PrintedSubspaceRecovery
from dpmatrix.mechanisms.projection import project_psd
from dpmatrix.mechanisms.protocol import Mechanism, PostProcessed, Release
from dpmatrix.mechanisms.sequential_ppca import SequentialPpca
from dpmatrix.mechanisms.staircase import StaircaseMechanism
from dpmatrix.mechanisms.subspace_recovery import PrivateSubspaceRecovery, SubspaceRelease
from dpmatrix.mechanisms.symmetrised_wishart import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.truncation import MatrixNorm, truncation_bound
from dpmatrix.mechanisms.wishart import WishartMechanism

__all__ = [
    "AnalyzeGauss",
    "CoupledTracesMechanism",
    "GaussianCompression",
    "GaussianOrthogonal",
    "KNormMechanism",
    "LaplaceInputPerturbation",
    "LatticeGram",
    "MatrixNorm",
    "Mechanism",
    "ModSulq",
    "NoiseMoments",
    "NonNegativeProjection",
    "OnlinePerturbedLeader",
    "PostProcessed",
    "Ppca",
    "PrincipalProjection",
    "PrintedSubspaceRecovery",
    "PrivateSubspaceRecovery",
    "Release",
    "SequentialPpca",
    "SparseProjection",
    "StaircaseMechanism",
    "SubspaceRelease",
    "Sulq",
    "SymmetrisedWishartMechanism",
    "TopEigenvectors",
    "TruncatedCompression",
    "WishartMechanism",
    "k_norm_moments",
    "least_squared_error",
    "least_squared_error_under",
    "principal_components",
    "project_psd",
    "truncation_bound",
]
