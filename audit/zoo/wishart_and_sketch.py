"""Wishart noise and Johnson-Lindenstrauss sketches."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from audit.zoo.additive import ADD, DELTA, EPSILON
from audit.zoo.noise import Noise, additive, gram, transposed, wishart
from audit.zoo.specimen import Flag, Specimen, Truth
from audit.zoo.truth import as_float, certain_truth, profile_truth
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_sketch, calibrate_wishart
from dpmatrix.privacy.profiles.sketch import SketchProfile
from dpmatrix.privacy.profiles.wishart import WishartProfile, support_failure

ROWS = 6
_SPARE_DEGREES = 5
_SYMMETRISED_SCALE = 0.5
_PRINTED_SCALE = 1.5


@cache
def _wishart_scale(dimension: int) -> float:
    return float(calibrate_wishart(dimension, dimension + _SPARE_DEGREES, PrivacyGuarantee(EPSILON, DELTA, ADD)))


@cache
def _floor() -> float:
    return float(calibrate_sketch(ROWS, PrivacyGuarantee(EPSILON, DELTA, ADD)))


def _wishart_truth(dimension: int, degrees: int, scale: float) -> Truth:
    return profile_truth(WishartProfile(dimension, degrees, scale, 1, ADD), EPSILON, DELTA)


def _sketch_truth(rows: int, floor: float) -> Truth:
    return profile_truth(SketchProfile(rows, floor), EPSILON, DELTA)


def wishart_moment(dimension: int) -> Specimen:
    """Make the mechanism that adds Wishart noise with enough degrees of freedom."""
    degrees, scale = dimension + _SPARE_DEGREES, _wishart_scale(dimension)
    return Specimen(
        name=f"wishart-moment-{dimension}",
        note="Wishart noise, calibrated by its exact profile.",
        target=additive(gram, wishart(dimension, degrees, scale)),
        epsilon=EPSILON,
        delta=DELTA,
        adjacency=ADD,
        dimension=dimension,
        compute_truth=lambda: _wishart_truth(dimension, degrees, scale),
    )


def _difference(first: Noise, second: Noise) -> Noise:
    return lambda size, generator: np.asarray(first(size, generator) - second(size, generator))


def _symmetrised(dimension: int, scale: float) -> Noise:
    return _difference(wishart(dimension, dimension + 1, scale), wishart(dimension, dimension + 1, scale))


def symmetrised_moment(dimension: int) -> Specimen:
    """Make the mechanism that adds the difference of two Wishart matrices."""
    return Specimen(
        name=f"symmetrised-wishart-{dimension}",
        note="The difference of two Wishart matrices of d + 1 degrees of freedom and scale 1 / (2 epsilon).",
        target=additive(gram, _symmetrised(dimension, _SYMMETRISED_SCALE)),
        epsilon=EPSILON,
        adjacency=ADD,
        dimension=dimension,
        compute_truth=lambda: Truth(1 / (2 * _SYMMETRISED_SCALE)),
    )


def _sketch_target(dimension: int, rows: int, floor: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        stacked = np.vstack([data, floor * np.eye(dimension)])
        sketch = generator.standard_normal((size, rows, len(stacked))) @ stacked
        return np.asarray(transposed(sketch) @ sketch)

    return target


def sketch(dimension: int) -> Specimen:
    """Make the Johnson-Lindenstrauss mechanism, whose Gram matrix says all that its sketch says."""
    return Specimen(
        name=f"sketch-{dimension}",
        note="A Gaussian sketch of the data stacked over w I, with w from the exact profile.",
        target=_sketch_target(dimension, ROWS, _floor()),
        epsilon=EPSILON,
        delta=DELTA,
        adjacency=ADD,
        dimension=dimension,
        compute_truth=lambda: _sketch_truth(ROWS, _floor()),
    )


def correct() -> tuple[Specimen, ...]:
    """List the correct mechanisms of this module."""
    return wishart_moment(3), wishart_moment(10), symmetrised_moment(3), symmetrised_moment(10), sketch(3), sketch(5)


def _wishart_fault(
    parent: Specimen, name: str, degrees: int, scale: float, mutation: str, note: str, flag: Flag
) -> Specimen:
    dimension = parent.dimension
    singular = degrees < dimension
    return parent.mutated(
        name=name,
        mutation=mutation,
        note=note,
        flags=(flag,),
        target=additive(gram, wishart(dimension, degrees, scale)),
        truth=lambda: certain_truth(1.0) if singular else _wishart_truth(dimension, degrees, scale),
    )


def _sketch_fault(name: str, rows: int, floor: float, mutation: str, note: str, flag: Flag) -> Specimen:
    return sketch(3).mutated(
        name=name,
        mutation=mutation,
        note=note,
        flags=(flag,),
        target=_sketch_target(3, rows, floor),
        truth=lambda: _sketch_truth(rows, floor) if floor else certain_truth(1.0),
    )


def faults() -> tuple[Specimen, ...]:
    """List mutations of these."""
    halved, one_sided = symmetrised_moment(3), symmetrised_moment(10)
    boundary = "Noise that is positive semidefinite leaves the cone of the neighbour with positive probability."
    return (
        _wishart_fault(
            wishart_moment(3),
            "wishart-printed",
            4,
            _PRINTED_SCALE,
            "degrees d + 1, scale 3 / (2 epsilon)",
            boundary,
            Flag.SUPPORT,
        ),
        _wishart_fault(
            wishart_moment(10),
            "wishart-printed-10",
            11,
            _PRINTED_SCALE,
            "degrees d + 1, scale 3 / (2 epsilon)",
            boundary,
            Flag.SUPPORT,
        ),
        _wishart_fault(
            wishart_moment(3),
            "wishart-half-scale",
            8,
            _wishart_scale(3) / 2,
            "the scale is halved",
            "A scale is a variance here; the deviation shrinks by less.",
            Flag.SCALE,
        ),
        _wishart_fault(
            wishart_moment(3),
            "wishart-few-degrees",
            4,
            _wishart_scale(3),
            "d + 1 degrees of freedom instead of d + 5",
            boundary,
            Flag.SUPPORT,
        ),
        _wishart_fault(
            wishart_moment(3),
            "wishart-singular",
            1,
            _wishart_scale(3),
            "one degree of freedom",
            "The rank of the output counts the records.",
            Flag.SUPPORT,
        ),
        halved.mutated(
            name="symmetrised-wishart-half",
            mutation="the scale is halved",
            note="A factor forgotten.",
            flags=(Flag.SCALE,),
            target=additive(gram, _symmetrised(3, _SYMMETRISED_SCALE / 2)),
            truth=lambda: Truth(1 / _SYMMETRISED_SCALE),
        ),
        one_sided.mutated(
            name="symmetrised-wishart-one-sided",
            mutation="the second Wishart matrix is not subtracted",
            note=boundary,
            flags=(Flag.SUPPORT,),
            target=additive(gram, wishart(10, 11, _SYMMETRISED_SCALE)),
            truth=lambda: certain_truth(as_float(support_failure(10, 11, _SYMMETRISED_SCALE))),
        ),
        _sketch_fault(
            "sketch-wrong-rows",
            4 * ROWS,
            _floor(),
            "four times as many rows as were paid for",
            "Every row is another look at the data.",
            Flag.ACCOUNTING,
        ),
        _sketch_fault(
            "sketch-root-of-floor",
            ROWS,
            math.sqrt(_floor()),
            "the root of w stands on the diagonal",
            "The floor is one of singular values, not of eigenvalues.",
            Flag.SCALE,
        ),
        _sketch_fault(
            "sketch-without-floor",
            ROWS,
            0.0,
            "the rows w I are left out",
            "A direction without data is a direction without noise.",
            Flag.SUPPORT,
        ),
    )
