"""A suite of faulty mechanisms, each a one-line mutation of a correct one, with what is true of it.

Every specimen carries its claim, neighbours to try, a vectorised target and, where it can be computed, the true
epsilon and delta. The targets are simulations in floating point; only those with `Flag.REPRESENTATION` are about that.
"""

from __future__ import annotations

from functools import cache

from audit.zoo import (
    additive,
    counting,
    layouts,
    local,
    low_bits,
    noisy_max,
    preprocessing,
    sparse_vector,
    spectral,
    wishart_and_sketch,
)
from audit.zoo.specimen import FLAGRANT, RESOLUTION, Flag, Specimen, Truth
from dpmatrix.errors import InvalidParameterError

__all__ = [
    "FLAGRANT",
    "RESOLUTION",
    "Flag",
    "Specimen",
    "Truth",
    "correct_specimens",
    "faulty_specimens",
    "specimen",
]


@cache
def correct_specimens() -> tuple[Specimen, ...]:
    """List the correct mechanisms, each of which must pass."""
    modules = (additive, preprocessing, wishart_and_sketch, spectral, sparse_vector, noisy_max, counting, local)
    return tuple(found for module in modules for found in module.correct())


@cache
def faulty_specimens() -> tuple[Specimen, ...]:
    """List the faulty mechanisms."""
    return (
        *additive.faults(),
        *layouts.faults(),
        *preprocessing.clipping_faults(),
        *preprocessing.reuse_faults(),
        *wishart_and_sketch.faults(),
        *spectral.faults(),
        *sparse_vector.faults(),
        *noisy_max.faults(),
        *counting.faults(),
        *local.faults(),
        *low_bits.faults(),
    )


def specimen(name: str) -> Specimen:
    """Return a specimen by its name.

    Raises
    ------
    InvalidParameterError
        If there is none of that name.
    """
    for found in (*correct_specimens(), *faulty_specimens()):
        if found.name == name:
            return found
    raise InvalidParameterError("name", f"there is no specimen {name!r}", "see `faulty_specimens`")
