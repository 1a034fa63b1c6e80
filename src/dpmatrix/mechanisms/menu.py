"""The mechanisms by name, and what a caller computes from their releases: components and variances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs
from attrs import frozen

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.exact import fraction
from dpmatrix.mechanisms.analyze_gauss import AnalyzeGauss
from dpmatrix.mechanisms.coupled_traces import CoupledTracesMechanism
from dpmatrix.mechanisms.eigenvectors import falling_variances, oriented, principal_components
from dpmatrix.mechanisms.gaussian import GaussianPerturbation, ModSulq
from dpmatrix.mechanisms.gaussian_orthogonal import GaussianOrthogonal
from dpmatrix.mechanisms.k_norm import KNormMechanism
from dpmatrix.mechanisms.laplace import LaplaceInputPerturbation
from dpmatrix.mechanisms.ppca import Ppca
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.sequential_ppca import SequentialPpca
from dpmatrix.mechanisms.staircase import StaircaseMechanism
from dpmatrix.mechanisms.symmetrised_wishart import SymmetrisedWishartMechanism

NoisyMatrix: TypeAlias = AnalyzeGauss | GaussianOrthogonal | ModSulq | LaplaceInputPerturbation | RoundedPerturbation
Directions: TypeAlias = Ppca | SequentialPpca
AnyMechanism: TypeAlias = NoisyMatrix | Directions

MATRICES: Mapping[str, Callable[..., NoisyMatrix]] = {
    "gaussian": AnalyzeGauss,
    "gaussian-orthogonal": GaussianOrthogonal,
    "mod-sulq": ModSulq,
    "laplace": LaplaceInputPerturbation,
    "symmetrised-wishart": SymmetrisedWishartMechanism,
    "coupled-traces": CoupledTracesMechanism,
    "k-norm": KNormMechanism,
    "staircase": StaircaseMechanism,
}
"""Mechanisms that publish a noisy second-moment matrix."""

DIRECTIONS: Mapping[str, Callable[..., Directions]] = {"ppca": Ppca, "sequential-ppca": SequentialPpca}
"""Mechanisms that publish principal directions and no matrix."""

GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")
"""Mechanisms that need a delta above zero."""
_ONE_CALIBRATION = {
    "gaussian-orthogonal": "no document prints one",
    "symmetrised-wishart": "the printed form is refuted (wishart.theorem-4)",
    "coupled-traces": "no document prints one",
    "k-norm": "no document prints one",
    "staircase": "no document prints one",
}
"""Mechanisms of the least noise alone, and why there is no printed calibration."""

REFUTED = {"wishart": ("wishart.theorem-4", "symmetrised-wishart")}
"""Printed mechanisms that keep no guarantee: the claim that is refuted, and what takes their place."""


@frozen(kw_only=True)
class Settings:
    """What is passed on to a mechanism, which judges it."""

    mechanism: str
    calibration: str
    delta: Any
    public: Mapping[str, Any]
    divisor: int | None = None
    rank: int | None = None


def build(settings: Settings) -> AnyMechanism:
    """Build the mechanism; ``settings.rank`` is None where a matrix is asked for.

    Raises
    ------
    InvalidParameterError
        If there is no such mechanism here, or a parameter is out of its domain.
    NotPrivateError
        If the mechanism as printed keeps no guarantee.
    """
    name = settings.mechanism
    if name in REFUTED:
        claim, instead = REFUTED[name]
        raise NotPrivateError(f"the mechanism {name!r} has no guarantee: {claim} is refuted; choose {instead!r}")
    makers: dict[str, Callable[..., AnyMechanism]] = {**MATRICES, **({} if settings.rank is None else DIRECTIONS)}
    if name not in makers:
        raise InvalidParameterError("mechanism", f"{name!r} is no choice", f"pass one of {', '.join(makers)}")
    options = dict(settings.public)
    if name not in _ONE_CALIBRATION:
        options["calibration"] = settings.calibration
    elif settings.calibration != "tight":
        problem = f"{settings.calibration!r} is no choice: {_ONE_CALIBRATION[name]}"
        raise InvalidParameterError("calibration", problem, "pass calibration='tight'")
    if name in DIRECTIONS:
        options["rank"] = settings.rank
    else:
        options["divisor"] = settings.divisor
    if name in GAUSSIAN:
        options["delta"] = settings.delta
    elif fraction(settings.delta, "delta") != 0:
        problem = f"{settings.delta} would be wasted: {name!r} is (epsilon, 0)-differentially private"
        raise InvalidParameterError("delta", problem, f"pass delta=0, or one of {', '.join(GAUSSIAN)}")
    return makers[name](**options)


def claims_of(mechanism: AnyMechanism) -> tuple[str, ...]:
    """Ids of the claims that a mechanism implements."""
    return tuple(citation.target for citation in Implementation.of(type(mechanism)).citations)


def excess(mechanism: AnyMechanism, dimension: int) -> float:
    """Return how many times the minimal noise of its guarantee a mechanism adds for records of length d; 1 when tight.

    The noise is a standard deviation or a scale; of an exponential mechanism it is one over the weight of the score.
    """
    if isinstance(mechanism, RoundedPerturbation | GaussianOrthogonal) or mechanism.calibration == "tight":
        return 1.0
    if isinstance(mechanism, GaussianPerturbation):
        least_variance = attrs.evolve(mechanism, calibration="tight").noise_variance(dimension)
        return math.sqrt(mechanism.noise_variance(dimension) / least_variance)
    if isinstance(mechanism, LaplaceInputPerturbation):
        return float(
            mechanism.noise_scale(dimension) / attrs.evolve(mechanism, calibration="tight").noise_scale(dimension)
        )
    return float(attrs.evolve(mechanism, calibration="tight").weight(dimension) / mechanism.weight(dimension))


def excess_words(mechanism: AnyMechanism, dimension: int) -> str | None:
    """Say how much noise the document's calibration wastes, and which claims print it; None where it wastes none."""
    factor = excess(mechanism, dimension)
    if factor <= 1:
        return None
    return (
        f"the printed noise of {mechanism.name} is {factor:.3g} times what its guarantee needs at d = {dimension}; "
        f"calibration='tight' adds the least [{', '.join(claims_of(mechanism))}]"
    )


def components(mechanism: AnyMechanism, release: Release, rank: int) -> FloatArray:
    """Compute principal directions as orthonormal rows, shape (k, d): post-processing.

    In each the coordinate of largest modulus is positive.
    """
    drawn = isinstance(mechanism, SequentialPpca) or (isinstance(mechanism, Ppca) and rank == 1)
    return oriented((release.to_numpy() if drawn else principal_components(release, rank).value).T)


def variances(mechanism: AnyMechanism, release: Release) -> FloatArray | None:
    """Compute the eigenvalues of a published matrix in falling order, not below zero; None if there is no matrix."""
    if isinstance(mechanism, Ppca | SequentialPpca):
        return None
    return falling_variances(release.to_numpy())
