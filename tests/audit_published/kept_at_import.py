"""A mechanism whose noise is fixed when its module is imported: each start of Python draws the same."""

from __future__ import annotations

import numpy as np

from dpmatrix.auditing import Target
from dpmatrix.auditing.arrays import FloatArray

FIXED = np.random.default_rng(7)


def _closure(*, fixed: bool) -> Target:
    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(float(np.sum(data)) + (FIXED if fixed else generator).normal(size=size))

    return target


TARGETS = {"seeded": _closure(fixed=True), "fresh": _closure(fixed=False)}


def find(name: str) -> Target:
    return TARGETS[name]
