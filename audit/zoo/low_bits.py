"""Right laws in wrong numbers: for `audit_representation`, which looks at low bits alone."""

from __future__ import annotations

import math

import numpy as np

from audit.zoo.additive import REPLACE, gaussian_moment, laplace_moment
from audit.zoo.noise import column_sums
from audit.zoo.preprocessing import vector_sum
from audit.zoo.specimen import Flag, Specimen
from dpmatrix.auditing.arrays import FloatArray

_LENGTH = 5
_SCALE = math.sqrt(_LENGTH)
_GRID = 2**16


def _coarse(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    centred = (generator.integers(_GRID, size=(size, _LENGTH)) + 0.5) / _GRID - 0.5
    noise = -_SCALE * np.sign(centred) * np.log1p(-2 * np.abs(centred))
    return np.asarray(column_sums(data) + noise)


def _single_precision(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noise = generator.laplace(scale=_SCALE, size=(size, _LENGTH)).astype(np.float32)
    return np.asarray(column_sums(data).astype(np.float32) + noise, dtype=np.float64)


def _integer_noise(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    noise = np.rint(generator.laplace(scale=2**12 * _SCALE, size=(size, _LENGTH))) / 2**12
    return np.asarray(column_sums(data) + noise)


def faults() -> tuple[Specimen, ...]:
    """List mutations of the numbers, not of the laws."""
    parent, flags = vector_sum(_LENGTH), (Flag.REPRESENTATION,)
    return (
        parent.mutated(
            name="float-laplace",
            mutation="noise and sum are floats of double precision",
            note="Which multiples of the last place occur depends on the exact sum.",
            flags=flags,
            target=parent.target,
            truth=None,
        ),
        laplace_moment(3, REPLACE).mutated(
            name="float-laplace-moment",
            mutation="noise and moment are floats of double precision",
            note="The same on a matrix.",
            flags=flags,
            target=laplace_moment(3, REPLACE).target,
            truth=None,
        ),
        gaussian_moment(3, REPLACE).mutated(
            name="float-gaussian-moment",
            mutation="noise and moment are floats of double precision",
            note="The same with Gaussian noise and a claim with delta.",
            flags=flags,
            target=gaussian_moment(3, REPLACE).target,
            truth=None,
        ),
        parent.mutated(
            name="float-single-precision",
            mutation="noise and sum are floats of single precision",
            note="The same, with fewer bits to look at.",
            flags=flags,
            target=_single_precision,
            truth=None,
        ),
        parent.mutated(
            name="float-coarse-uniforms",
            mutation="the uniforms under the noise have sixteen bits",
            note="A centre has 65536 outputs, and its neighbour others.",
            flags=flags,
            target=_coarse,
            truth=None,
        ),
        parent.mutated(
            name="noise-rounded-sum-not",
            mutation="the noise is rounded to a grid before it is added, the sum of the records is not",
            note="What lies below the grid is released as it is.",
            flags=flags,
            target=_integer_noise,
            truth=None,
        ),
    )
