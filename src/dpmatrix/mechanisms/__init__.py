"""The documents' algorithms that publish a noisy matrix, and their repairs.

Data are arrays with one record a ROW, shape (n, d); the documents write records as columns.
"""

from dpmatrix.mechanisms.compression import GaussianCompression, TruncatedCompression
from dpmatrix.mechanisms.laplace import LaplaceInputPerturbation
from dpmatrix.mechanisms.lattice import LatticeGram
from dpmatrix.mechanisms.projection import project_psd
from dpmatrix.mechanisms.protocol import Mechanism, PostProcessed, Release
from dpmatrix.mechanisms.symmetrised_wishart import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.truncation import MatrixNorm, truncation_bound
from dpmatrix.mechanisms.wishart import WishartMechanism

__all__ = [
    "GaussianCompression",
    "LaplaceInputPerturbation",
    "LatticeGram",
    "MatrixNorm",
    "Mechanism",
    "PostProcessed",
    "Release",
    "SymmetrisedWishartMechanism",
    "TruncatedCompression",
    "WishartMechanism",
    "project_psd",
    "truncation_bound",
]
