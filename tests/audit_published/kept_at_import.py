"""A mechanism whose noise is fixed when its module is imported: each start of Python draws the same."""

from __future__ import annotations

import numpy as np

from dpmatrix.auditing import Target
from dpmatrix.auditing.arrays import FloatArray

FIXED = np.random.default_rng(7)


def _seeded(scale: float) -> Target:
    return lambda data, size, generator: np.asarray(float(np.sum(data)) + FIXED.normal(scale=scale, size=size))


def _fresh(scale: float) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(float(np.sum(data)) + generator.normal(scale=scale, size=size))

    return target


TARGETS = {"seeded": _seeded(1.0), "fresh": _fresh(1.0)}


def find(name: str) -> Target:
    return TARGETS[name]
