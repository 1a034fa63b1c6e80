"""Second moments whose noise is arranged wrongly in the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audit.zoo.additive import (
    ADD,
    DELTA,
    EPSILON,
    REPLACE,
    deviation,
    full_scale,
    gaussian_moment,
    laplace_moment,
    triangle_scale,
)
from audit.zoo.noise import (
    Law,
    Noise,
    additive,
    averaged,
    everywhere,
    gaussian,
    gram,
    laplace,
    mirrored,
    upper_triangle,
)
from audit.zoo.specimen import Flag, Specimen, Truth
from audit.zoo.truth import certain_truth, profile_truth
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.privacy.profiles.gaussian import GaussianProfile


def _one_for_all(law: Law, dimension: int) -> Noise:
    return lambda size, generator: np.ones((1, dimension, dimension)) * law(generator, (size, 1, 1))


def _on_the_diagonal(law: Law, dimension: int) -> Noise:
    return lambda size, generator: np.eye(dimension) * law(generator, (size, 1, dimension))


def _traceless(noise: Noise, dimension: int) -> Noise:
    def centred(size: int, generator: np.random.Generator) -> FloatArray:
        drawn = noise(size, generator)
        means = np.trace(drawn, axis1=1, axis2=2) / dimension
        return np.asarray(drawn - means[:, None, None] * np.eye(dimension))

    return centred


def _wrong_layout(
    parent: Specimen, name: str, noise: Noise, truth: Callable[[], Truth], words: str, note: str
) -> Specimen:
    return parent.mutated(
        name=name, mutation=words, note=note, flags=(Flag.LAYOUT,), target=additive(gram, noise), truth=truth
    )


def faults() -> tuple[Specimen, ...]:
    """List mutations of where the noise goes."""
    replace, add = laplace_moment(3, REPLACE), laplace_moment(4, ADD)
    law = laplace(triangle_scale(3, REPLACE))
    add_law = laplace(triangle_scale(4, ADD))
    return (
        _wrong_layout(
            replace,
            "laplace-one-triangle-averaged",
            averaged(upper_triangle(law, 3)),
            lambda: Truth(full_scale(3, REPLACE) / triangle_scale(3, REPLACE)),
            "noise on one triangle is averaged with its transpose instead of mirrored",
            "Off the diagonal half of the noise is left.",
        ),
        _wrong_layout(
            replace,
            "laplace-two-triangles",
            everywhere(law, 3),
            lambda: Truth(full_scale(3, REPLACE) / triangle_scale(3, REPLACE)),
            "both triangles get noise of their own, calibrated to one",
            "Every entry off the diagonal is released twice.",
        ),
        _wrong_layout(
            gaussian_moment(10, REPLACE),
            "gaussian-one-triangle-averaged",
            averaged(upper_triangle(gaussian(deviation(REPLACE)), 10)),
            # A change D weighs 2 |D|^2 - |diag D|^2 <= 4, attained by orthogonal records of entries of one size.
            lambda: profile_truth(GaussianProfile(2, deviation(REPLACE)), EPSILON, DELTA),
            "noise on one triangle is averaged with its transpose instead of mirrored",
            "Off the diagonal half of the noise is left.",
        ),
        _wrong_layout(
            replace,
            "laplace-off-diagonal-forgotten",
            _on_the_diagonal(law, 3),
            lambda: certain_truth(1.0),
            "only the diagonal gets noise",
            "The other entries are released as they are.",
        ),
        _wrong_layout(
            add,
            "laplace-one-variate",
            _one_for_all(add_law, 4),
            lambda: certain_truth(1.0),
            "one variate is added to all entries",
            "Differences of entries are released as they are.",
        ),
        _wrong_layout(
            add,
            "laplace-traceless",
            _traceless(mirrored(add_law, 4), 4),
            lambda: certain_truth(1.0),
            "the noise is centred so that the trace comes out right",
            "The trace is the sum of the squared norms of the records, exactly.",
        ),
    )
