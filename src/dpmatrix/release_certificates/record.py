"""What a release is written as: the JSON of ``dpmatrix pca``, from which a certificate can be made."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpmatrix import __version__
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import Release
from dpmatrix.mechanisms.choice import Choice
from dpmatrix.mechanisms.coupled_traces import CoupledTracesMechanism
from dpmatrix.mechanisms.gaussian import GaussianPerturbation
from dpmatrix.mechanisms.gaussian_orthogonal import GaussianOrthogonal
from dpmatrix.mechanisms.k_norm import KNormMechanism
from dpmatrix.mechanisms.laplace import LaplaceInputPerturbation
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES, AnyMechanism, NoisyMatrix, claims_of, components, variances
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.sequential_ppca import SequentialPpca
from dpmatrix.mechanisms.staircase import StaircaseMechanism
from dpmatrix.mechanisms.symmetrised_wishart import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.wishart_noise import public_grid
from dpmatrix.privacy.adjacency import replaces

FORMAT = 1
"""Number of the form of the file."""
NAMES: Mapping[str, str] = {str(getattr(maker, "name", "")): key for key, maker in {**MATRICES, **DIRECTIONS}.items()}
"""What the menu calls a mechanism, by its own name."""


def calibration_of(mechanism: AnyMechanism) -> str:
    """Return which noise was chosen: ``"tight"`` or ``"printed"``."""
    return "tight" if isinstance(mechanism, RoundedPerturbation) else mechanism.calibration


def noise_of(mechanism: AnyMechanism, dimension: int, divisor: int) -> dict[str, str]:
    """Return the law of the noise and its exact amount, which depend on public parameters only.

    Parameters
    ----------
    mechanism
        One of the menu.
    dimension
        Length d of a record.
    divisor
        What X'X is divided by.

    Raises
    ------
    InvalidParameterError
        If there is no such noise, as in the mechanism.
    """
    match mechanism:
        case SymmetrisedWishartMechanism():
            scale = mechanism.noise_scale(dimension, divisor)
            law = "difference of two Wishart matrices"
            return {"law": law, "degrees_of_freedom": str(dimension + 1), "scale": str(scale)}
        case CoupledTracesMechanism():
            law = "difference of semidefinite matrices, density proportional to exp(-max(tr P, tr Q)/c)"
            return {"law": law, "scale": str(mechanism.noise_scale(dimension, divisor))}
        case KNormMechanism():
            norm = "larger trace of the parts of either sign" if mechanism.replaces else "nuclear norm"
            size = str(mechanism.noise_scale(dimension, divisor))
            if isinstance(mechanism, StaircaseMechanism):
                law = f"density proportional to exp(-k epsilon), k >= 0 least with |N| <= (k + g) c, |N| the {norm}"
                # The scale does not depend on epsilon, and the width of a step hardly.
                own = {"first_step": str(mechanism.stairs(dimension).width), "epsilon": str(mechanism.epsilon)}
                return {"law": law, "scale": size, **own}
            return {"law": f"density proportional to exp(-|N|/c), |N| the {norm}", "scale": size}
        case RoundedPerturbation():
            raise TypeError(f"no law is written down of the noise of {mechanism.name}")
        case GaussianOrthogonal():
            law = "symmetric part of a matrix of discrete Gaussian entries"
            law += ", less the mean of its diagonal and one more" if mechanism.replaces else ""
            lattice = Fraction(1, divisor * 4**mechanism.coordinate_bits) / mechanism.grid_at(dimension, divisor)
            variance = mechanism.noise_variance(dimension) * lattice**2
            return {"law": law, "variance_parameter_in_squared_grid_units": str(variance)}
        case LaplaceInputPerturbation():
            return {"law": "discrete Laplace", "scale_in_grid_units": str(mechanism.noise_scale(dimension))}
        case GaussianPerturbation():
            variance = mechanism.noise_variance(dimension)
            return {"law": "discrete Gaussian", "variance_parameter_in_squared_grid_units": str(variance)}
        case SequentialPpca():
            law, steps = "directions one by one, density proportional to exp(z'Bz)", str(mechanism.steps(dimension))
            return {"law": law, "weight": str(mechanism.weight(dimension)), "steps": steps}
    return {"law": "density proportional to exp(tr V'BV)", "weight": str(mechanism.weight(dimension))}


def grid_of(mechanism: AnyMechanism, dimension: int, divisor: int) -> Fraction:
    """Return the spacing of the published values, which depends on public parameters only; see `noise_of`."""
    match mechanism:
        case RoundedPerturbation():
            return public_grid(mechanism.noise_scale(dimension, divisor), dimension)
        case GaussianOrthogonal():
            return mechanism.grid_at(dimension, divisor)
        case LaplaceInputPerturbation() | GaussianPerturbation():
            return Fraction(1, divisor * 4**mechanism.coordinate_bits)
    return mechanism.grid


def parameters_of(mechanism: AnyMechanism) -> dict[str, Any]:
    """Return the public parameters of a mechanism beside those that a release names on its own."""
    return {
        "epsilon": str(mechanism.epsilon),
        "delta": str(mechanism.guarantee.delta),
        "adjacency": mechanism.adjacency.value,
        "coordinate_bits": mechanism.coordinate_bits,
    }


def release_record(
    mechanism: AnyMechanism,
    release: Release,
    columns: Sequence[str],
    records: int,
    rank: int = 1,
    choice: Choice | None = None,
) -> dict[str, Any]:
    """Return a release as a JSON object; only what the guarantee covers, and public parameters, are in it.

    Parameters
    ----------
    mechanism
        One of the menu.
    release
        What it published.
    columns
        Names of the d columns, which are public.
    records
        Their number, which is left out where it is a secret.
    rank
        Number of components.
    choice
        How the mechanism was chosen; None where it was asked for by name.

    Raises
    ------
    InvalidParameterError
        If the mechanism has a divisor of its own: that of a file is the number of records, or 1 where that is a secret.
    """
    if isinstance(mechanism, NoisyMatrix) and mechanism.divisor is not None:
        remedy = "leave the divisor out"
        raise InvalidParameterError("mechanism", f"it divides by {mechanism.divisor} whatever the data", remedy)
    eigenvalues, guarantee = variances(mechanism, release), release.guarantee
    replacing = replaces(mechanism.adjacency)
    divisor = records if replacing else 1
    found: dict[str, Any] = {
        "format": FORMAT,
        "dpmatrix": __version__,
        "released": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "private": release.private,
        "mechanism": mechanism.name,
        "claims": list(claims_of(mechanism)),
        "guarantee": None
        if guarantee is None
        else {
            "epsilon": str(guarantee.epsilon),
            "delta": str(guarantee.delta),
            "adjacency": guarantee.adjacency.value,
        },
        "parameters": parameters_of(mechanism),
        "norm_bound": str(mechanism.norm_bound),
        "over_norm": mechanism.over_norm,
        "calibration": calibration_of(mechanism),
        "noise": noise_of(mechanism, len(columns), divisor),
        "entropy": release.entropy,
        "columns": list(columns),
        "components": components(mechanism, release, rank).tolist(),
        "explained_variance": None if eigenvalues is None else eigenvalues[:rank].tolist(),
        "release": {
            "grid": str(release.grid),
            "integers": [[str(entry) for entry in row] for row in release.integers.tolist()],
        },
    }
    if replacing:
        # Elsewhere the number of records is a secret.
        found["records"] = records
    if choice is not None:
        found["choice"] = choice.record()
    return found
